"""Zero-sum games to a gap of 1e-3, and to 1e-6, against linear programming by HiGHS (scipy), in one run.

python benchmarks/games.py [--smoke]

The linear programme finds the row player's strategy, and the column player's as its dual: the same work.
It is given once for the large game, for which it takes minutes. The "losses" of the table are the gaps:
ours as certified, the peer's measured from the strategies it returns.
"""

import argparse
from collections.abc import Callable
from typing import Any

import numpy as np
from harness import Row, best_of, finish, medians, seconds
from scipy.optimize import linprog

from regretless.games import solve

Array = Any


def linear_programme(A: Array) -> tuple[Array, Array]:
    """min v such that p'A <= v: the strategies of both players."""
    m, n = A.shape
    solved = linprog(
        np.append(np.zeros(m), 1.0),
        A_ub=np.hstack([A.T, -np.ones((n, 1))]),
        b_ub=np.zeros(n),
        A_eq=np.append(np.ones(m), 0.0)[None],
        b_eq=[1.0],
        bounds=[(0, None)] * m + [(None, None)],
        method="highs",
    )
    return solved.x[:m], -solved.ineqlin.marginals


def against(n: int, goals: dict[float, float], repeats: int) -> list[Row]:
    """An n by n game of uniform payoffs, to the tolerances, with how many times faster we mean to be.

    All take turns; with one repeat, the peer's is the only one that is timed once.
    """
    A = np.random.default_rng(n).random((n, n))
    kept: dict[Any, Any] = {}

    def ours(tolerance: float) -> Callable[[], None]:
        return lambda: kept.update({tolerance: solve(A, tolerance=tolerance)})

    def peer() -> None:
        kept["peer"] = linear_programme(A)

    jobs = [ours(tolerance) for tolerance in goals]
    if repeats > 1:
        *mine, theirs = medians([*jobs, peer], repeats)
    else:
        theirs, mine = seconds(peer), [best_of(job, 3) for job in jobs]
    p, q = kept["peer"]
    gap = float((p @ A).max() - (A @ q).min())
    assert all(kept[tolerance].converged for tolerance in goals)
    return [
        Row(
            f"{n:,} x {n:,} game to a gap of {tolerance:g}",
            "scipy linprog (HiGHS)",
            took * 1e6,
            theirs * 1e6,
            kept[tolerance].gap,
            gap,
            required,
        )
        for took, (tolerance, required) in zip(mine, goals.items())
    ]


def growth(sizes: list[int]) -> dict[str, str]:
    """Time by the number of payoffs, to 1e-3."""
    notes = {"losses": "the gap to the value of the game, ours certified, the peer's measured"}
    for n in sizes:
        A = np.random.default_rng(n).random((n, n))
        found: list[Any] = []
        took = best_of(lambda A=A, found=found: found.append(solve(A, tolerance=1e-3)), 3)
        eq = found[-1]
        notes[f"{n:,} x {n:,} to 1e-3"] = (
            f"{took * 1e3:.3g} ms, {eq.rounds} rounds, {took / eq.rounds / n**2 * 1e9:.2f} ns "
            "a round and payoff"
        )
    return notes


def main() -> None:
    """Run all of it and write the results."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--smoke", action="store_true", help="small, and keep no results")
    smoke = parser.parse_args().smoke
    rows = against(100, {1e-3: 5, 1e-6: 1}, 3 if smoke else 11)
    if not smoke:
        rows += against(1000, {1e-3: 20, 1e-6: 1}, 1)
    finish("games", rows, growth([30, 100] if smoke else [30, 100, 300, 1000, 3000]), not smoke)


if __name__ == "__main__":
    main()
