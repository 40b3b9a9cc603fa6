"""Players that mix experts: against plain C++ loops, River's bookkeeping, bare NumPy and memory itself.

python benchmarks/experts.py [--smoke]
"""

import argparse
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from harness import Row, best_of, finish, interleaved

from regretless.experts import BOA, AdaNormalHedge, AdaNormalHedgeTV, Hedge, MLPoly

HERE = Path(__file__).parent
PLAYERS: dict[str, Any] = {"AdaNormalHedge": AdaNormalHedge, "BOA": BOA, "MLPoly": MLPoly}


def against_loops(rounds: int) -> list[Row]:
    """`run` beside a plain loop of the same update; what both lost is in the table."""
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        program = Path(folder) / "floor"
        source = str(HERE / "floor_experts.cpp")
        subprocess.run(["g++", "-O3", source, "-o", str(program)], check=True)
        for which, (name, make) in enumerate(PLAYERS.items()):
            for n in (10, 100):
                losses = np.random.default_rng(n).random((rounds, n))
                head = np.array([rounds, n, which], float)
                done = subprocess.run(
                    [program],
                    input=head.tobytes() + losses.tobytes(),
                    capture_output=True,
                    check=True,
                )
                theirs, seconds = map(float, done.stdout.split())
                runs: list[Any] = []
                mine = best_of(
                    lambda make=make, n=n, losses=losses, runs=runs: runs.append(
                        make(n).run(losses, weights=False)
                    ),
                    20,
                )
                work = f"{name}.run, T = {rounds:,}, n = {n}"
                us = mine / rounds * 1e6, seconds / rounds * 1e6
                mean = runs[-1].loss / rounds, theirs / rounds
                rows.append(Row(work, "a plain C++ loop", *us, *mean, 0.5))
    return rows


def single_updates(count: int, repeats: int) -> list[Row]:
    """One `update` from Python: beside River for 10 experts, beside bare NumPy for 1,000."""
    from river import ensemble, linear_model

    losses = np.random.default_rng(0).random((count, 1000))
    small = [np.ascontiguousarray(row[:10]) for row in losses]
    large = list(losses)

    class Constant(linear_model.LinearRegression):
        """An expert that costs nothing."""

        def learn_one(self, x: Any, y: Any) -> None:
            """Nothing."""

        def predict_one(self, x: Any) -> float:
            """Always the same."""
            return 0.5

    def ours(n: int, rows: Any) -> Callable[[], None]:
        def play() -> None:
            player = Hedge(n, rate=0.1)
            for row in rows:
                player.update(row)

        return play

    def river() -> None:
        model = ensemble.EWARegressor([Constant() for _ in range(10)], learning_rate=0.005)
        for _ in small:
            model.predict_one({})
            model.learn_one({}, 0.5)

    def numpy() -> None:
        weights = np.ones(1000)
        for row in large:
            p = weights / weights.sum()
            _ = p @ row
            weights = weights * np.exp(-0.1 * row)

    mine, theirs = interleaved(ours(10, small), river, repeats)
    rows = [
        Row(
            "one update, 10 experts",
            "River EWARegressor, bookkeeping",
            mine / count * 1e6,
            theirs / count * 1e6,
            None,
            None,
            5,
        )
    ]
    mine, theirs = interleaved(ours(1000, large), numpy, repeats)
    us = mine / count * 1e6, theirs / count * 1e6
    return [*rows, Row("one update, 1,000 experts", "bare NumPy Hedge", *us, None, None, 1)]


def memory_bound(n: int, repeats: int) -> Row:
    """A round with very many experts beside reading their state once.

    That is four numbers each: prior, regret, the sum of its sizes, and weight.
    """
    losses = np.random.default_rng(1).random(n)
    player, state = AdaNormalHedge(n), np.ones(4 * n)
    mine = best_of(lambda: player.update(losses), repeats)
    theirs = best_of(state.sum, repeats)
    work = f"AdaNormalHedge, one round, {n:,} experts"
    return Row(work, "reading its state once", mine * 1e6, theirs * 1e6, None, None, 0.25)


def growth(rounds: int) -> dict[str, str]:
    """How the time grows with ten times the rounds."""
    notes = {}
    for name, make in {**PLAYERS, "AdaNormalHedgeTV": AdaNormalHedgeTV}.items():
        times = []
        for T in (rounds // 10, rounds):
            losses = np.random.default_rng(2).random((T, 10))
            times.append(
                best_of(lambda make=make, losses=losses: make(10).run(losses, weights=False), 1)
            )
        notes[f"{name}.run, n = 10, ten times the rounds ({rounds:,})"] = (
            f"{times[1] / times[0]:.1f} times as long, {times[1] / rounds * 1e6:.2f} us a round"
        )
    return notes


def main() -> None:
    """Run all of it and write the results."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--smoke", action="store_true", help="small, and keep no results")
    smoke = parser.parse_args().smoke
    rows = against_loops(500 if smoke else 10_000)
    rows += single_updates(200 if smoke else 20_000, 1 if smoke else 5)
    rows.append(memory_bound(10_000 if smoke else 1_000_000, 2 if smoke else 20))
    notes = growth(2_000 if smoke else 1_000_000)
    finish("experts", rows, notes, keep=not smoke)


if __name__ == "__main__":
    main()
