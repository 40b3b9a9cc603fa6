"""Many rounds, to see that nothing overflows: one player of each family, in batches.

    python tests/fuzz/rounds.py --rounds 1000000
    python tests/fuzz/rounds.py --rounds 100000000 --only "Hedge"

Players and streams are those of `tests/roster`. Streams turn against what was learned in every other
batch. Now and then all numbers that can be asked must be finite, and the certificate must hold.
"""

import argparse
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parents[1]))

from roster import ROSTER, Entry
from roster.bandits import Advised, Arms, Context, Points
from roster.convex import Functions, Gradients
from roster.experts import Experts, Forecasts
from roster.learners import Rows

from regretless import bandits
from regretless.checks.numbers import numbers_told

__all__ = ["FAMILIES", "main", "play"]

OF_ARMS = [
    name
    for name, kind in vars(bandits).items()
    if isinstance(kind, type) and issubclass(kind, bandits.ArmPlayer) and name != "ArmPlayer"
]
FAMILIES = (
    *(
        f"Linear{task} {rule}"
        for task in ("Classifier", "Regressor")
        for rule in ("coin", "adagrad")
    ),
    *(f"LinearClassifier {rule}" for rule in ("ogd", "ftrl", "eg", "pnorm", "hashed")),
    *("Perceptron survival", "MarginPerceptron", "PNormPerceptron", "Winnow", "BalancedWinnow"),
    *("OnlineSVM", "PassiveAggressive", "PassiveAggressiveRegressor"),
    *("AutoClassifier", "AutoRegressor", "NewtonRegressor tuned", "NewtonClassifier tuned"),
    *("OnlineBBM", "AdaBoostOL", "OSBoostOCP", "GradientBoostingHull", "Stump", "NeuralNet"),
    *("KernelPerceptron budget", "PrimalDual"),
    *("Hedge", "Hedge doubling", "Hedge small-loss", "FixedShare", "SecondOrderHedge"),
    *("PolynomialWeights", "TwoNorm", "NormalHedge", "NormalHedgeDT", "AdaNormalHedge"),
    *("AdaNormalHedgeTV", "AdaptMLProd", "Squint", "BOA", "MLPoly", "DriftingGame", "Mixture"),
    *("WeightedMajority always", "OptimisticHedge", "RegretMatchingPlus"),
    *("OnlineGradientDescent", "OnlineMirrorDescent p-norm", "ExponentiatedGradient anytime"),
    *("AdaGrad", "CoinBetting", "OnlineNewtonStep", "InvariantNewtonStep", "DensityPlayer"),
    *("SketchedOnlineNewton fd", "FollowTheRegularizedLeader"),
    *OF_ARMS,
    *("LinUCB", "BanditMirrorDescent anytime", "BanditGradientDescent any horizon"),
    "AgnosticLearner ldim",
)
SIZE = 1 << 14  # rounds of a batch
CHECKS = 20  # how often all is asked


def batches(entry: Entry, size: int) -> Iterator[Callable[[Any], Any]]:
    """Batches of rounds without end, as calls; every other one is against the one before."""
    made = [_batch(entry, size, seed) for seed in range(4)]
    while True:
        yield from made


def _batch(entry: Entry, size: int, seed: int) -> Callable[[Any], Any]:
    kind, rounds = entry.kind, entry.kind.stream(size, seed)
    turned = seed % 2 == 1
    if isinstance(kind, Rows):
        X, y = kind.table(rounds)
        if turned:
            y = [-each for each in y] if not kind.labels else y[::-1]
        targets = np.array(y)
        return lambda player: player.learn_many(X, targets)
    if isinstance(kind, Advised):
        table, advice = (np.array([r[i] for r in rounds]) for i in (0, 1))
        return lambda player: player.run(table[:, ::-1] if turned else table, advice)
    if isinstance(kind, (Context, Forecasts)):
        one, two = (np.array([r[i] for r in rounds]) for i in (0, 1))
        two = -two if turned else two
        return lambda player: player.run(one, two)
    if isinstance(kind, Points) or not isinstance(kind, (Experts, Gradients, Functions, Arms)):
        return lambda player: kind.many(player, rounds)
    array = np.array(rounds)
    array = np.ascontiguousarray(array[:, ::-1]) if turned else array
    if isinstance(kind, Experts) and entry.name != "DriftingGame":
        return lambda player: player.run(array, weights=False)
    if isinstance(kind, Gradients):
        return lambda player: player.run(array, points=False)
    return lambda player: player.run(array)


def play(entry: Entry, rounds: int, size: int = SIZE, player: Any = None) -> float:
    """Play so many rounds, and check now and then; rounds per second, without the checks."""
    player = entry.make(0) if player is None else player
    size = min(size, rounds)
    count = -(-rounds // size)
    seconds = 0.0
    for done, batch in zip(range(1, count + 1), batches(entry, size)):
        start = time.perf_counter()
        batch(player)
        seconds += time.perf_counter() - start
        if done == count or done % max(count // CHECKS, 1) == 0:
            numbers_told(entry, player)
            _check_certificate(entry, player)
    return count * size / seconds


def _check_certificate(entry: Entry, player: Any) -> None:
    """It does not say that a theorem was violated, where its assumptions are those of the streams."""
    if "bound" in entry.without:
        return
    try:
        c = player.certificate()
    except (TypeError, ValueError):  # needs a comparator or the examples
        return
    if not any(each is False for each in c.assumptions.values()):
        assert c.holds is not False, c


def main(argv: list[str] | None = None) -> int:
    """The command line; 1 if a player failed."""
    parser = argparse.ArgumentParser(prog="python tests/fuzz/rounds.py", description=__doc__)
    parser.add_argument("--rounds", type=int, default=1_000_000, help="of each player")
    parser.add_argument("--only", metavar="NAME", help="one line of the roster")
    parser.add_argument("--list", action="store_true", help="show the names and exit")
    given = parser.parse_args(argv)
    lines = {entry.name: entry for entry in ROSTER}
    if given.list:
        print("\n".join(FAMILIES))
        return 0
    failed = 0
    for name in [given.only] if given.only else FAMILIES:
        try:
            speed = play(lines[name], given.rounds)
        except Exception as error:
            failed += 1
            print(f"{name}: {type(error).__name__}: {error}", flush=True)
            continue
        hours = 1e8 / speed / 3600.0
        print(
            f"{name}: {given.rounds:,} rounds, {speed:,.0f}/s, 1e8 take {hours:.2f} h", flush=True
        )
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main())
