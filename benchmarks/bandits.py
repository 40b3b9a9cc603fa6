"""Players of arms: against plain C++ loops, and one by one against River.

python benchmarks/bandits.py [--smoke]
"""

import argparse
import math
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from harness import Row, best_of, finish, interleaved, seconds

from regretless.bandits import UCB1, Bernoulli, Exp3, ThompsonSampling, TsallisINF, simulate

HERE = Path(__file__).parent
ARMS = 10


def against_loops(rounds: int) -> list[Row]:
    """`run` beside a plain loop of the same player; mean regrets are in the table."""
    losses = np.random.default_rng(0).random((rounds, ARMS))
    losses[:, 3] *= 0.8
    eta = math.sqrt(2 * math.log(ARMS) / (ARMS * rounds))
    players: dict[str, Callable[[], Any]] = {
        "Exp3": lambda: Exp3(ARMS, rate="horizon", horizon=rounds),
        "UCB1": lambda: UCB1(ARMS),
    }
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        program = Path(folder) / "floor"
        source = str(HERE / "floor_bandits.cpp")
        subprocess.run(["g++", "-O3", source, "-o", str(program)], check=True)
        for which, (name, make) in enumerate(players.items()):
            head = np.array([rounds, ARMS, which, eta])
            told = head.tobytes() + losses.tobytes()
            done = subprocess.run([program], input=told, capture_output=True, check=True)
            suffered, best, theirs = map(float, done.stdout.split())
            runs: list[Any] = []
            mine = best_of(lambda make=make, runs=runs: runs.append(make().run(losses)), 5)
            regrets = runs[-1].regret() / rounds, (suffered - best) / rounds
            us = mine / rounds * 1e6, theirs / rounds * 1e6
            work = f"{name}.run, {rounds:,} pulls, {ARMS} arms"
            rows.append(Row(work, "a plain C++ loop", *us, *regrets, 0.5))
    return rows


def one_by_one(count: int, repeats: int) -> list[Row]:
    """`act` and `update` from Python; mean losses are in the table."""
    from river import bandit

    losses = np.random.default_rng(1).random((count, ARMS))
    losses[:, 3] *= 0.8
    table = losses.tolist()
    arms, lost = list(range(ARMS)), {"ours": 0.0, "River": 0.0}
    eta = math.sqrt(2 * math.log(ARMS) / (ARMS * count))

    def ours(make: Callable[[], Any]) -> Callable[[], None]:
        def play() -> None:
            player = make()
            for row in table:
                player.update(row[player.act()])
            lost["ours"] = player.loss / count

        return play

    def river(make: Callable[[], Any]) -> Callable[[], None]:
        def play() -> None:
            policy, total = make(), 0.0
            for row in table:
                arm = policy.pull(arms)
                total += row[arm]
                policy.update(arm, 1.0 - row[arm])
            lost["River"] = total / count

        return play

    # gamma as large as it must be: with less of it its weights overflow
    pairs: dict[str, tuple[Any, Any]] = {
        "Exp3": (lambda: Exp3(ARMS, rate=eta), lambda: bandit.Exp3(gamma=0.01, seed=0)),
        "UCB1": (lambda: UCB1(ARMS), lambda: bandit.UCB(delta=1, seed=0)),
    }
    rows = []
    for name, (mine, theirs) in pairs.items():
        us = [x / count * 1e6 for x in interleaved(ours(mine), river(theirs), repeats)]
        work = f"{name}: act and update, {count:,} pulls, {ARMS} arms"
        rows.append(Row(work, f"River {name}", *us, lost["ours"], lost["River"], 10))
    return rows


def others(rounds: int) -> dict[str, str]:
    """What the rest takes, and a simulation."""
    world = Bernoulli([0.4] + [0.5] * (ARMS - 1))
    notes = {"losses": "the mean regret of runs, the mean loss of single pulls"}
    for player in (TsallisINF(ARMS), ThompsonSampling(ARMS)):
        took = seconds(lambda player=player: player.clone().run(world, rounds))
        notes[f"{type(player).__name__}.run, Bernoulli arms"] = (
            f"{took / rounds * 1e6:.2f} us a pull"
        )
    players = [Exp3(ARMS), TsallisINF(ARMS), UCB1(ARMS)]
    took = seconds(lambda: simulate(players, world, rounds // 10, seeds=20))
    pulls = len(players) * 20 * (rounds // 10)
    notes[f"simulate, {pulls:,} pulls of three players"] = f"{took:.2f} s"
    return notes


def main() -> None:
    """Run all of it and write the results."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--smoke", action="store_true", help="small, and keep no results")
    smoke = parser.parse_args().smoke
    rows = against_loops(2_000 if smoke else 1_000_000)
    rows += one_by_one(500 if smoke else 100_000, 1 if smoke else 5)
    finish("bandits", rows, others(2_000 if smoke else 1_000_000), keep=not smoke)


if __name__ == "__main__":
    main()
