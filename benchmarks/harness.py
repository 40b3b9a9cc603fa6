"""Time ours and the peer on the same work, in one run, turn by turn, and report medians."""

import json
import os
import platform
import statistics
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from importlib import metadata
from pathlib import Path
from typing import Any

RESULTS = Path(__file__).parent / "results"
PEERS = ("numpy", "scipy", "scikit-learn", "river", "vowpalwabbit")


@dataclass
class Row:
    """One line of the table: the same work done by us and by the peer."""

    work: str
    peer: str
    ours_us: float  # microseconds per example (or what `work` says), median
    peer_us: float
    ours_loss: float | None
    peer_loss: float | None
    required: float  # how many times faster we set out to be

    @property
    def ratio(self) -> float:
        """How many times faster we are."""
        return self.peer_us / self.ours_us


def seconds(job: Callable[[], Any]) -> float:
    """CPU and wall time differ on a busy machine; wall time is what a user waits for."""
    start = time.perf_counter()
    job()
    return time.perf_counter() - start


def interleaved(
    ours: Callable[[], Any], peer: Callable[[], Any], repeats: int
) -> tuple[float, float]:
    """Median seconds of both."""
    mine, theirs = medians([ours, peer], repeats)
    return mine, theirs


def medians(jobs: Sequence[Callable[[], Any]], repeats: int) -> list[float]:
    """Median seconds of each, taken in turns so that a busy machine slows all of them alike."""
    rounds = [[seconds(job) for job in jobs] for _ in range(repeats)]
    return [statistics.median(times) for times in zip(*rounds)]


def best_of(job: Callable[[], Any], repeats: int) -> float:
    """Least seconds: for what takes a few milliseconds."""
    return min(seconds(job) for _ in range(repeats))


def machine() -> dict[str, str]:
    """What the figures were measured on."""
    model = platform.processor()
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.exists():
        for line in cpuinfo.read_text().splitlines():
            if line.startswith("model name"):
                model = line.partition(":")[2].strip()
                break
    versions = {p: metadata.version(p) for p in PEERS if _installed(p)}
    return {
        "cpu": f"{model}, {os.cpu_count()} cores",
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
        "packages": ", ".join(f"{k} {v}" for k, v in versions.items()),
    }


def _installed(package: str) -> bool:
    try:
        metadata.version(package)
    except metadata.PackageNotFoundError:
        return False
    return True


def table(rows: list[Row]) -> str:
    """The rows in Markdown."""
    if not rows:
        return "There is no peer."
    lines = [
        "| work | peer | ours, us | peer, us | times faster | set out for | loss ours | loss peer |",
        "|---|---|--:|--:|--:|--:|--:|--:|",
    ]
    for r in rows:
        losses = [f"{x:.4f}" if x is not None else "-" for x in (r.ours_loss, r.peer_loss)]
        lines.append(
            f"| {r.work} | {r.peer} | {r.ours_us:,.3g} | {r.peer_us:,.3g} | **{r.ratio:.1f}** "
            f"| {r.required:g} | {losses[0]} | {losses[1]} |"
        )
    return "\n".join(lines)


def finish(
    name: str,
    rows: list[Row],
    notes: dict[str, Any],
    keep: bool,
    cells: list[tuple[Any, ...]] | None = None,
) -> None:
    """Print what was measured and what falls short, and keep it, also `cells`, header first."""
    print(table(rows))
    for key, value in notes.items():
        print(f"{key}: {value}")
    short = "; ".join(r.work for r in rows if r.ratio < r.required)
    print(f"\nShort of what was set out: {short}" if short else "\nAll as set out.")
    if keep:
        _save(name, rows, notes, cells)


def _save(
    name: str, rows: list[Row], notes: dict[str, Any], cells: list[tuple[Any, ...]] | None
) -> None:
    """Keep the figures with the machine they come from."""
    RESULTS.mkdir(exist_ok=True)
    content = {
        "command": " ".join(["python", f"benchmarks/{Path(sys.argv[0]).name}"]),
        "machine": machine(),
        "rows": [{**asdict(r), "ratio": round(r.ratio, 2)} for r in rows],
        "notes": notes,
        "cells": cells,
    }
    (RESULTS / f"{name}.json").write_text(json.dumps(content, indent=2) + "\n")
    report()


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


def _kept() -> Iterator[tuple[str, dict[str, Any], list[Row]]]:
    """The name, the content and the rows of each file of results."""
    for path in sorted(RESULTS.glob("*.json")):
        content = json.loads(path.read_text())
        rows = [Row(**{k: v for k, v in r.items() if k != "ratio"}) for r in content["rows"]]
        yield path.stem, content, rows


def _short() -> str:
    """The rows that fall short of what was set out, each with what was tried."""
    tried = json.loads((RESULTS.parent / "tried.json").read_text())
    lines = ["| work | peer | times faster | set out for | tried |", "|---|---|--:|--:|---|"]
    for _, _, rows in _kept():
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

    rows = [(name, r) for name, _, rows in _kept() for r in rows][::-1]
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


def report() -> None:
    """Write README.md from all results that are kept."""
    parts = [INTRODUCTION, _short()]
    for name, content, rows in _kept():
        parts.append(f"## {name}\n\n`{content['command']}`\n\n{table(rows)}\n")
        parts += [f"- {what}: {value}" for what, value in content["notes"].items()]
        if content.get("cells"):
            parts.append("\n" + _markdown(content["cells"]))
        parts.append("\nMeasured on " + "; ".join(content["machine"].values()) + ".\n")
    (RESULTS.parent / "README.md").write_text("\n".join(parts))
