"""Many labels: beside Vowpal Wabbit's one against all, and what an example costs as labels multiply.

pip install ".[bench]" && python benchmarks/labels.py              # all of it, a quarter of an hour
python benchmarks/labels.py --smoke                                # half a minute, results not kept
"""

import argparse
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
from harness import Row, finish, interleaved, table
from numpy.typing import NDArray

from regretless import streams
from regretless.linear import LinearClassifier

WORDS = 10_000
BITS = 18  # ours: rows are laid out as they are touched
# Vowpal Wabbit's table is for all labels together: so large that weights of labels hardly meet.
THEIR_BITS = {10: 18, 100: 20, 1_000: 24, 10_000: 27}
PEER = "Vowpal Wabbit --oaa"


def words(count: int, labels: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Ten words for each example, half of them of twenty that go with its label."""
    random = np.random.default_rng(labels)
    own = random.integers(0, WORDS, (labels, 20))
    y = np.minimum((labels * random.random(count) ** 1.5).astype(int), labels - 1)
    chosen = np.take_along_axis(own[y], random.integers(0, 20, (count, 5)), axis=1)
    common = (WORDS * random.random((count, 5)) ** 3).astype(int)
    return np.hstack([chosen, common]), y


def write(path: Path, count: int, labels: int) -> None:
    """The examples in Vowpal Wabbit's text, with labels from 1 on."""
    X, y = words(count, labels)
    with path.open("w") as file:
        for row, label in zip(X.tolist(), (y + 1).tolist()):
            file.write(f"{label} | {' '.join(f'w{word}' for word in row)}\n")


# The gradient steps on a squared loss that Vowpal Wabbit takes, and the learner without a rate.
LEARNERS: dict[str, dict[str, Any]] = {
    "ogd": {"rule": "ogd", "rate": 0.05, "loss": "squared_hinge"},
    "coin": {"rule": "coin"},
}


def ours(path: Path, labels: int, name: str) -> tuple[float, Any]:
    """One pass over a file: the share of labels that were not foreseen, and the learner."""
    model = LinearClassifier(features="hashed", bits=BITS, **LEARNERS[name])
    model.partial_fit(np.zeros((0, 0)), [], classes=range(1, labels + 1))  # as --oaa does
    wrong = [
        outcome.wrong
        for piece in streams.read(path).ahead(model.form())
        for outcome in model.validate_many(piece.X, piece.y)
    ]
    return float(np.concatenate(wrong).mean()), model


def theirs(path: Path, labels: int) -> float:
    """The same by Vowpal Wabbit."""
    command = [sys.executable, "-m", "vowpalwabbit", "--oaa", str(labels)]
    options = ["-b", str(THEIR_BITS[labels]), "-d", str(path), "-P", str(10**9)]
    done = subprocess.run([*command, *options], check=True, capture_output=True, text=True)
    told = re.search(r"average loss = ([\d.]+)", done.stderr + done.stdout)
    return float(told[1]) if told else float("nan")


def race(folder: Path, labels: int, count: int, name: str, *, repeats: int, required: float) -> Row:
    """Both on one file, Vowpal Wabbit net of its start-up."""
    path, few = folder / f"{labels}.vw", folder / "few.vw"
    write(path, count, labels)
    few.write_text("1 | w1\n2 | w2\n")
    errors: list[tuple[float, float]] = []
    mine, them = interleaved(
        lambda: errors.append((0, ours(path, labels, name)[0])),
        lambda: errors.append((1, theirs(path, labels))),
        repeats,
    )
    _, start = interleaved(lambda: None, lambda: theirs(few, labels), repeats)
    work = f"{labels:,} labels, 10 hashed words, {name}, predict + learn"
    us = [1e6 * mine / count, 1e6 * (them - start) / count]
    row = Row(work, PEER, *us, dict(errors)[0], dict(errors)[1], required)
    print(table([row]).splitlines()[-1], flush=True)
    return row


def growth(folder: Path, sizes: dict[int, int]) -> tuple[list[tuple[Any, ...]], list[Row]]:
    """What an example costs by the number of labels; or why there is no such table."""
    cells: list[tuple[Any, ...]] = [
        ("labels", "examples", "ogd, us", "coin, us", "peer, us", "coin, ns a label", "coin, MB")
    ]
    rows = []
    for labels, count in sizes.items():
        try:
            both = [race(folder, labels, count, name, repeats=1, required=1) for name in LEARNERS]
            size = ours(folder / f"{labels}.vw", labels, "coin")[1].__sizeof__() / 1e6
        except MemoryError as error:
            print(f"{labels:,} labels: {error}", flush=True)
            continue
        ogd, coin = both
        each = 1e3 * coin.ours_us / labels
        cells.append((labels, count, ogd.ours_us, coin.ours_us, coin.peer_us, each, size))
        rows += both
    return cells, rows


def main() -> None:
    """Measure and report."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--smoke", action="store_true", help="a small part, results not kept")
    smoke = parser.parse_args().smoke
    sizes = {10: 300_000, 100: 100_000, 1_000: 30_000, 10_000: 10_000}
    count, repeats = 100_000, 3
    if smoke:
        sizes, count, repeats = {10: 2_000, 100: 1_000, 1_000: 500}, 1_000, 1
    with tempfile.TemporaryDirectory() as name:
        goal = race(Path(name), 1_000, count, "ogd", repeats=repeats, required=5)
        cells, rows = growth(Path(name), sizes)
    for line in cells:
        print(*(f"{cell:,.4g}" if isinstance(cell, (int, float)) else cell for cell in line))
    notes = {"losses": "the share of labels that were predicted wrongly"}
    finish("labels", [goal, *rows], notes, not smoke, cells)


if __name__ == "__main__":
    main()
