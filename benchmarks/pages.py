"""Write the page of benchmarks, its picture and the table of the front page from the results."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from harness import RESULTS, Row, table

INTRODUCTION = """# Benchmarks

How fast is `regretless` beside the libraries that do the same work, and how good are its predictions?
Each line is one piece of work, done by us and by another library (the peer) on the same data, in one
run and in turns. Times are medians of wall time per example. "Times faster" is the peer's time divided
by ours; the goal is what we set out to reach. The loss stands beside the speed, because speed at a worse
loss is not worth having: it is the mean logistic loss of predictions made before learning, with our
settings as named and the peer's defaults.

`python -m benchmarks --data DIR` runs all benchmarks. They keep their results in `results/`, from which
this page is written.
"""


def _markdown(cells: list[list[Any]]) -> str:
    header, *rows = cells
    numeric = [isinstance(cell, (int, float)) for cell in rows[0]]
    lines = [" | ".join(header), " | ".join("--:" if n else "---" for n in numeric)]
    for row in rows:
        lines.append(
            " | ".join(
                f"{c:.4f}" if isinstance(c, float) else f"{c:,}" if isinstance(c, int) else c
                for c in row
            )
        )
    return "\n".join(f"| {line} |" for line in lines)


def kept() -> Iterator[tuple[str, dict[str, Any], list[Row]]]:
    """Yield the name, the content and the rows of each file of results."""
    for path in sorted(RESULTS.glob("*.json")):
        content = json.loads(path.read_text())
        rows = [Row(**{k: v for k, v in r.items() if k != "ratio"}) for r in content["rows"]]
        yield path.stem, content, rows


def _short() -> str:
    """The rows that missed their goal, each with what was tried."""
    tried = json.loads((RESULTS.parent / "tried.json").read_text())
    lines = ["| work | peer | times faster | goal | what was tried |", "|---|---|--:|--:|---|"]
    for _, _, rows in kept():
        lines += [
            f"| {r.work} | {r.peer} | **{r.ratio:.2f}** | {r.required:.3g} "
            f"| {tried.get(r.work, 'measured within its noise of the goal')} |"
            for r in rows
            if r.ratio < r.required
        ]
    return "## Goals that were missed\n\n" + "\n".join(lines) + "\n"


def picture(path: Path) -> None:
    """Every ratio beside its goal, on a logarithmic axis."""
    from matplotlib.figure import Figure

    rows = [(name, r) for name, _, rows in kept() for r in rows][::-1]
    figure = Figure(figsize=(11, 0.24 * len(rows) + 1.2), layout="constrained")
    axes = figure.subplots()
    places = range(len(rows))
    met = ["#0072b2" if r.ratio >= r.required else "#d55e00" for _, r in rows]
    axes.barh(places, [r.ratio for _, r in rows], color=met, left=0.0)
    axes.plot([r.required for _, r in rows], places, "k|", markersize=9, label="goal")
    axes.set_yticks(
        places,
        [
            f"{name}: {r.work.replace(', per example and round', '')[:60]}, {r.peer[:28]}"
            for name, r in rows
        ],
        fontsize=7,
    )
    axes.set(xscale="log", xlabel="times faster than the peer (orange: below the goal)")
    axes.set_title("All benchmarks, ours and the peer in the same run", loc="left")
    axes.margins(y=0.005)
    axes.grid(axis="x", alpha=0.3)
    axes.legend(loc="lower right")
    figure.savefig(path, dpi=110)


# The rows of the front page: the script, its work, and the names of the work and the peer there.
FRONT = (
    ("streams", "VW text, plain, coin", "train on a text file of clicks", "Vowpal Wabbit"),
    (
        "auto",
        "VW text, Auto, 16 lanes",
        "the same with `Auto`, 16 learners against one",
        "Vowpal Wabbit",
    ),
    (
        "newton",
        "VW text, Oja, m = 10",
        "train by sketched Newton steps",
        "Vowpal Wabbit, OjaNewton",
    ),
    (
        "boosting",
        "VW text, 20 weak learners, coin (error)",
        "train 20 boosted learners",
        "Vowpal Wabbit, BBM",
    ),
    (
        "linear",
        "dict rows, 40 features, predict + learn, adagrad",
        "learn rows given as dicts, AdaGrad",
        "River",
    ),
    ("streams", "csv, 20 numbers a row, ogd", "train on a CSV file, gradient descent", "River"),
    (
        "linear",
        "svmlight file (a9a), parse + one pass, coin",
        "train on an svmlight file",
        "scikit-learn",
    ),
    (
        "linear",
        "CSR, 40 of 2^18, batches of 10,000, ogd, hashed",
        "learn sparse batches",
        "scikit-learn",
    ),
    ("bandits", "Exp3: act and update, 100,000 pulls, 10 arms", "choose by Exp3", "River"),
)


def front() -> str:
    """The table of the front page."""
    measured = {(name, row.work): row for name, _, rows in kept() for row in rows}
    lines = [
        "| work | compared with | times as fast | our loss | their loss |",
        "|---|---|--:|--:|--:|",
    ]
    for name, work, called, peer in FRONT:
        row = measured[name, work]
        lines.append(
            f"| {called} | {peer} | {row.ratio:.2g} | {row.ours_loss:.3f} | {row.peer_loss:.3f} |"
        )
    return "\n".join(lines)


def put_front(page: Path) -> None:
    """Replace the table of the front page."""
    before, _, rest = page.read_text().partition("| work |")
    page.write_text(before + front() + "\n\n" + rest.partition("\n\n")[2])


def report() -> None:
    """Write README.md from all results that are kept."""
    parts = [INTRODUCTION, _short()]
    for name, content, rows in kept():
        parts.append(f"## {name}\n\n`{content['command']}`\n\n{table(rows)}\n")
        parts += [f"- {what}: {value}" for what, value in content["notes"].items()]
        if content.get("cells"):
            parts.append("\n" + _markdown(content["cells"]))
        parts.append("\nMeasured on " + "; ".join(content["machine"].values()) + ".\n")
    (RESULTS.parent / "README.md").write_text("\n".join(parts))
