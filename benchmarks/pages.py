"""What is written from the results that are kept: the page, its picture, and the front page's table."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from harness import RESULTS, Row, table

INTRODUCTION = """# Benchmarks

Each line is one piece of work done by us and by a peer on the same data, in one run, turn by turn;
figures are medians of wall time per example. The loss reached stands beside the speed (mean logistic
loss, every example predicted before it is learned; ours at the settings named, the peer's at its
defaults), because speed at a worse loss is no win. This page is written by the scripts from `results/`;
`python -m benchmarks --data DIR` runs all of them.
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
    """The name, the content and the rows of each file of results."""
    for path in sorted(RESULTS.glob("*.json")):
        content = json.loads(path.read_text())
        rows = [Row(**{k: v for k, v in r.items() if k != "ratio"}) for r in content["rows"]]
        yield path.stem, content, rows


def _short() -> str:
    """The rows that fall short of what was set out, each with what was tried."""
    tried = json.loads((RESULTS.parent / "tried.json").read_text())
    lines = ["| work | peer | times faster | set out for | tried |", "|---|---|--:|--:|---|"]
    for _, _, rows in kept():
        lines += [
            f"| {r.work} | {r.peer} | **{r.ratio:.2f}** | {r.required:.3g} "
            f"| {tried.get(r.work, 'measured within its noise of the goal')} |"
            for r in rows
            if r.ratio < r.required
        ]
    return "## Short of what was set out\n\n" + "\n".join(lines) + "\n"


def picture(path: Path) -> None:
    """Every ratio beside what was set out for, on a logarithmic axis."""
    from matplotlib.figure import Figure

    rows = [(name, r) for name, _, rows in kept() for r in rows][::-1]
    figure = Figure(figsize=(11, 0.24 * len(rows) + 1.2), layout="constrained")
    axes = figure.subplots()
    places = range(len(rows))
    met = ["#0072b2" if r.ratio >= r.required else "#d55e00" for _, r in rows]
    axes.barh(places, [r.ratio for _, r in rows], color=met, left=0.0)
    axes.plot([r.required for _, r in rows], places, "k|", markersize=9, label="set out for")
    axes.set_yticks(
        places,
        [
            f"{name}: {r.work.replace(', per example and round', '')[:60]}, {r.peer[:28]}"
            for name, r in rows
        ],
        fontsize=7,
    )
    axes.set(xscale="log", xlabel="times faster than the peer (orange: short of the mark)")
    axes.set_title("All benchmarks, ours and the peer in the same run", loc="left")
    axes.margins(y=0.005)
    axes.grid(axis="x", alpha=0.3)
    axes.legend(loc="lower right")
    figure.savefig(path, dpi=110)


# What the front page shows: the script, its work and peer, and what to call them there.
FRONT = (
    ("streams", "VW text, plain, coin", "a text file of clicks to a model", "Vowpal Wabbit"),
    (
        "auto",
        "VW text, Auto, 16 lanes",
        "the same, `Auto`: 16 learners against one",
        "Vowpal Wabbit",
    ),
    ("newton", "VW text, Oja, m = 10", "sketched Newton steps", "Vowpal Wabbit, OjaNewton"),
    (
        "boosting",
        "VW text, 20 weak learners, coin (error)",
        "20 boosted learners",
        "Vowpal Wabbit, BBM",
    ),
    ("linear", "dict rows, 40 features, predict + learn, adagrad", "dict rows, AdaGrad", "River"),
    ("streams", "csv, 20 numbers a row, ogd", "a CSV file, gradient descent", "River"),
    ("linear", "svmlight file (a9a), parse + one pass, coin", "an svmlight file", "scikit-learn"),
    ("linear", "CSR, 40 of 2^18, batches of 10,000, ogd, hashed", "sparse batches", "scikit-learn"),
    ("bandits", "Exp3: act and update, 100,000 pulls, 10 arms", "choices by Exp3", "River"),
)


def front() -> str:
    """The table of the front page."""
    measured = {(name, row.work): row for name, _, rows in kept() for row in rows}
    lines = ["| work | peer | times faster | loss | peer's |", "|---|---|--:|--:|--:|"]
    for name, work, called, peer in FRONT:
        row = measured[name, work]
        lines.append(
            f"| {called} | {peer} | {row.ratio:.2g} | {row.ours_loss:.3f} | {row.peer_loss:.3f} |"
        )
    return "\n".join(lines)


def put_front(page: Path) -> None:
    """Put the table into the front page, in place of the one that is there."""
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
