"""How long the dimensions of classes take, against their size; there is no peer to compare with.

python benchmarks/classes.py [--smoke]
"""

import argparse
from typing import Any

import numpy as np
from harness import best_of, finish, seconds

from regretless.classes import SOA, AgnosticLearner, FiniteClass, littlestone_dimension

HEADER = ("work", "hypotheses", "points", "result", "seconds")


def classes(smoke: bool) -> dict[str, FiniteClass]:
    """By name; those of a smoke test take a second in all."""
    made = {
        "all functions on 12 points": FiniteClass.cube(12),
        "random": FiniteClass.random(200, 30),
        "thresholds": FiniteClass.thresholds(1000),
        "intervals, 100 points": FiniteClass.intervals(100),
        "lines": FiniteClass.halfspaces(6),
    }
    if smoke:
        return made
    half = np.sort(np.random.default_rng(0).choice(2**16, 2**15, replace=False))
    return made | {
        "all functions on 16 points": FiniteClass.cube(16),
        "half of the functions on 16 points": FiniteClass(half[:, None] >> np.arange(16) & 1),
        "random, 30% ones": FiniteClass.random(2**16, 16, density=0.3),
        "random, 40 points": FiniteClass.random(5000, 40),
        "intervals, 500 points": FiniteClass.intervals(500),
    }


def fresh(H: FiniteClass) -> int:
    """The dimension, when nothing is known of the class yet."""
    H.__dict__.pop("_search", None)
    return littlestone_dimension(H)


def learners(rounds: int) -> list[tuple[Any, ...]]:
    """A run of SOA, and of the agnostic learner by either kind of experts."""
    H = FiniteClass.thresholds(40)  # dimension 5
    random = np.random.default_rng(0)
    xs = random.integers(40, size=rounds)
    clean, noisy = (xs >= 17).astype(int), (xs >= 17) ^ (random.random(rounds) < 0.2)
    found: list[tuple[Any, ...]] = []
    for name, play in (
        ("SOA", lambda: SOA(H).run(xs.tolist(), clean.tolist())),
        *(
            (
                f"agnostic, experts={kind}",
                lambda kind=kind: AgnosticLearner(H, rounds, experts=kind).run(
                    xs.tolist(), noisy.astype(int).tolist()
                ),
            )
            for kind in ("ldim", "hypotheses")
        ),
    ):
        taken = seconds(play)
        found.append((f"{name}, {rounds:,} rounds", len(H), 40, "", taken))
    return found


def main() -> None:
    """Print a table, and keep it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--smoke", action="store_true", help="small, and keep no results")
    options = parser.parse_args()
    rows: list[tuple[Any, ...]] = []
    for name, H in classes(options.smoke).items():
        taken = best_of(lambda H=H: fresh(H), 1 if options.smoke else 3)
        rows.append((name, len(H), len(H.points), str(littlestone_dimension(H)), taken))
    rows += learners(1000 if options.smoke else 10_000)
    for name, hypotheses, points, result, taken in rows:
        print(f"{name:42} {hypotheses:8,} x {points:5,}  {result:>3}  {taken:8.4f} s")
    finish("classes", [], {}, not options.smoke, [HEADER, *rows])


if __name__ == "__main__":
    main()
