"""Time our code and a peer on the same work, in one run and in turns, and report medians."""

import json
import os
import platform
import statistics
import sys
import time
from collections.abc import Callable, Sequence
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
    required: float  # the goal: how many times faster we want to be

    @property
    def ratio(self) -> float:
        """How many times faster we are."""
        return self.peer_us / self.ours_us


def seconds(job: Callable[[], Any]) -> float:
    """Wall time of a job: what a user waits for, also on a busy machine."""
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
    """The machine and the versions that the figures were measured with."""
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
        return "No other library does this."
    lines = [
        "| work | peer | ours, us | peer, us | times faster | goal | our loss | peer's loss |",
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
    """Print the results and the goals that were missed, and keep them.

    `cells` is a further table, header first. `python -m benchmarks` writes the pages from all results.
    """
    print(table(rows))
    for key, value in notes.items():
        print(f"{key}: {value}")
    short = "; ".join(r.work for r in rows if r.ratio < r.required)
    print(f"\nBelow the goal: {short}" if short else "\nAll goals are reached.")
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
