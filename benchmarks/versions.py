"""Every hot path in two versions of this library, turn by turn: what has become slower?

    python benchmarks/versions.py OTHER

`OTHER` is the directory `src` of another working copy whose core is built, say of the last release. Each
turn is a process of its own; a figure is the best of all turns, since whatever disturbs a machine only
ever adds time. Jobs that a version does not have are left out.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

HERE = Path(__file__).resolve().parent
Job = Callable[[], Any]


def learners() -> Iterator[tuple[str, int, Job]]:
    """Name, how many examples, and the work itself: rows one by one and in batches."""
    from scipy import sparse

    from regretless.linear import Auto, LinearClassifier

    rng = np.random.default_rng(0)
    n, d = 1_000, 40
    X = rng.standard_normal((n, d))
    rows = [{f"feature{i}": value for i, value in enumerate(row)} for row in X.tolist()]
    labels = (X[:, 0] > 0).tolist()

    def one_by_one(model: Any) -> Job:
        def job() -> None:
            predict, learn = model.predict_one, model.learn_one
            for x, y in zip(rows, labels, strict=True):
                predict(x)
                learn(x, y)

        return job

    for rule, options in {"ogd": {"rate": 0.01}, "adagrad": {}, "ftrl": {}, "coin": {}}.items():
        yield f"dicts of 40, {rule}", n, one_by_one(LinearClassifier(rule=rule, **options))
    yield "dicts of 40, Auto", n, one_by_one(Auto())
    n = 10_000
    columns = rng.integers(0, 2**18, n * d)
    wide = sparse.csr_array(
        (rng.standard_normal(n * d), (np.repeat(np.arange(n), d), columns)), shape=(n, 2**18)
    )
    wide.sum_duplicates()
    dense, y = rng.standard_normal((n, d)), rng.integers(0, 2, n)
    for features in ("exact", "hashed"):
        for rule, options in {"ogd": {"rate": 0.01}, "coin": {}}.items():
            size = {"bits": 18} if features == "hashed" else {}
            model = LinearClassifier(rule=rule, features=features, **options, **size)
            yield f"CSR, {features}, {rule}", n, lambda m=model: m.learn_many(wide, y)
    model = LinearClassifier()
    yield "dense, coin", n, lambda: model.learn_many(dense, y)


def experts() -> Iterator[tuple[str, int, Job]]:
    """Experts, mixtures and points, one by one and as runs."""
    from regretless import experts, oco

    rng = np.random.default_rng(1)
    n, k = 10_000, 10
    L = rng.random((n, k))
    rows = list(L[:1_000])
    for name in ("Hedge", "AdaNormalHedge", "Squint", "BOA", "MLPoly"):
        make = getattr(experts, name)
        yield f"{name} run, {k} experts", n, lambda make=make: make(k).run(L)
        player = make(k)
        yield f"{name} update", len(rows), lambda p=player: [p.update(row) for row in rows]
    forecasts, outcomes = rng.random((n, k)), rng.random(n)

    def mixture() -> None:
        experts.Mixture(experts.BOA).run(forecasts, outcomes)

    yield f"BOA mixture run, {k} experts", n, mixture
    G = rng.normal(size=(5_000, 30))
    for name, make in {
        "EG": lambda: oco.ExponentiatedGradient(30, rate=0.01),
        "OGD": lambda: oco.OnlineGradientDescent(30, rate=0.01),
    }.items():
        yield f"{name} run, 30 numbers", len(G), lambda make=make: make().run(G)


def bandits() -> Iterator[tuple[str, int, Job]]:
    """Arms, one by one and simulated."""
    from regretless import bandits

    n = 10_000
    for name in ("UCB1", "Exp3", "ThompsonSampling", "TsallisINF"):
        player = getattr(bandits, name)(10, seed=0)

        def job(player: Any = player) -> None:
            act, update = player.act, player.update
            for t in range(n):
                update(act(), t & 1)

        yield f"{name} act and update", n, job
    world = bandits.Bernoulli(np.linspace(0.1, 0.9, 10))
    players = {"UCB1": bandits.UCB1(10, seed=0)}
    yield "simulate UCB1", 10 * n, lambda: bandits.simulate(players, world, n, seeds=10)


def streams() -> Iterator[tuple[str, int, Job]]:
    """Files read and learned from."""
    from regretless import evaluate, streams
    from regretless.linear import LinearClassifier

    folder = Path(tempfile.mkdtemp())
    rng = np.random.default_rng(0)
    n, k = 20_000, 20
    X = rng.standard_normal((n, k)).round(4)
    y = (X[:, 0] > 0).astype(int)
    pairs = list(zip(X.tolist(), y.tolist(), strict=True))
    table = [[*(f"f{i}" for i in range(k)), "y"], *([*row, label] for row, label in pairs)]
    lines = {
        "t.csv": (",".join(map(str, line)) for line in table),
        "t.vw": (
            f"{2 * label - 1} | " + " ".join(f"w{i}:{value}" for i, value in enumerate(row))
            for row, label in pairs
        ),
        "t.svm": (
            f"{2 * label - 1} " + " ".join(f"{i}:{value}" for i, value in enumerate(row, 1))
            for row, label in pairs
        ),
    }
    for name, text in lines.items():
        (folder / name).write_text("\n".join(text) + "\n")

    def read(name: str, **options: Any) -> Job:
        def job() -> None:
            model = LinearClassifier(features="hashed", bits=18)
            evaluate.progressive(model, streams.read(folder / name, **options))

        return job

    yield "CSV, 20 numbers", n, read("t.csv", label="y")
    yield "VW text, 20 words", n, read("t.vw")
    yield "svmlight, 20 numbers", n, read("t.svm")


ROOMS = {room.__name__: room for room in (learners, experts, bandits, streams)}


def measure(rooms: list[str], repeats: int) -> dict[str, float]:
    """Microseconds per example of each job, the best of `repeats`."""
    best = {}
    for room in rooms:
        for name, n, job in ROOMS[room]():
            try:
                job()
            except (AttributeError, TypeError) as error:
                print(f"{name}: {error}", file=sys.stderr)
                continue
            times = []
            for _ in range(repeats):
                start = time.perf_counter()
                job()
                times.append(time.perf_counter() - start)
            best[name] = 1e6 * min(times) / n
    return best


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("other", nargs="?", help="the directory `src` of the other version")
    parser.add_argument("--turns", type=int, default=8, help="processes of each version")
    parser.add_argument("--repeats", type=int, default=5, help="times a process does each job")
    parser.add_argument("--rooms", nargs="*", default=list(ROOMS), choices=list(ROOMS))
    parser.add_argument("--measure", action="store_true", help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.measure:
        print(json.dumps(measure(asked.rooms, asked.repeats)))
        return
    if asked.other is None:
        parser.error("name the directory `src` of the other version")
    best: dict[str, dict[str, float]] = {"other": {}, "this": {}}
    sources = {"other": asked.other, "this": str(HERE.parent / "src")}
    for turn in range(asked.turns):
        for which in sorted(sources, reverse=bool(turn % 2)):
            command = [sys.executable, __file__, "--measure", "--repeats", str(asked.repeats)]
            done = subprocess.run(
                [*command, "--rooms", *asked.rooms],
                env=os.environ | {"PYTHONPATH": sources[which]},
                stdout=subprocess.PIPE,
                stderr=None if turn == 0 else subprocess.DEVNULL,
                text=True,
                check=True,
            )
            for name, us in json.loads(done.stdout).items():
                best[which][name] = min(us, best[which].get(name, us))
        print(f"turn {turn + 1} of {asked.turns}", file=sys.stderr)
    print(f"{'work':<32}{'other, us':>11}{'this, us':>11}{'this / other':>14}")
    for name, us in best["this"].items():
        if name in best["other"]:
            print(
                f"{name:<32}{best['other'][name]:11.3f}{us:11.3f}{us / best['other'][name]:14.3f}"
            )


if __name__ == "__main__":
    main()
