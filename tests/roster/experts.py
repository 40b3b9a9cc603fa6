"""Players of experts: `experts`, and those of `games`."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from regretless import experts, games
from regretless.checks import kinds
from regretless.checks.kinds import Calls, Kind, Takes, scaled
from regretless.experts.chip_potentials import MinimaxPotential, TwoNormPotential
from regretless.experts.drifting import ChipPlayer
from regretless.experts.trees import TemplateTree
from roster.kinds import INF, NAN, Entry, N
from roster.proofs import by_regret

__all__ = ["EXPERTS"]


# --- kinds ------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Experts(kinds.Experts):
    """Players that mix experts, some of whom may sleep."""

    sleeps: bool = False

    def takes(self, rounds: list[Any]) -> Takes:
        found: Takes = {
            "losses": (lambda p, v: p.update(v), rounds[-1]),
            "losses of a run": (lambda p, v: p.run(v), np.array(rounds)),
        }
        if self.sleeps:
            found["confidence"] = (lambda p, v: p.update(rounds[-1], v), np.ones(N))
        return found

    def bad(self, rounds: list[Any]) -> Calls:
        good, table = np.array(rounds), np.array(rounds)
        table[-1, 1] = NAN
        wrong = {
            "NaN": [0.5, NAN, 0.5, 0.5],
            "infinite": np.array([0.5, -INF, 0.5, 0.5]),
            "too large": [0.5, 1e200, 0.5, 0.5],
            "short": rounds[-1][1:],
            "text": "spam",
            "None": None,
        }
        calls = {
            **{k: (lambda p, v=v: p.update(v), "losses") for k, v in wrong.items()},
            "run with NaN": (lambda p: p.run(table), rf"losses\[{len(table) - 1}, 1\] = nan"),
            "run of another width": (lambda p: p.run(good[:, 1:]), "losses has shape"),
        }
        if self.sleeps:
            calls |= {
                "confidence of 2": (lambda p: p.update(rounds[-1], [1, 1, 1, 2]), "confidence"),
                "all asleep": (lambda p: p.update(rounds[-1], [0] * N), "asleep"),
                "short confidence": (lambda p: p.update(rounds[-1], [1]), "confidence"),
            }
        return calls


@dataclass(frozen=True)
class Chips(Kind):
    """Players of drifting games: `move` is told where the chips go."""

    def stream(self, count: int, seed: int = 0) -> list[Any]:
        return list(np.random.default_rng(seed).choice([1.0, 1.0, -1.0], (count, N)))

    def ask(self, player: Any, round: Any) -> Any:
        return player.weights, player.potential

    def feed(self, player: Any, round: Any) -> Any:
        """The adversary must move the weighted mean by beta: the heaviest chips go on."""
        z = np.where(player.weights >= np.median(player.weights), 1.0, round)
        return player.move(z)

    def takes(self, rounds: list[Any]) -> Takes:
        return {"movements": (lambda p, v: p.move(v), np.ones(N))}

    def bad(self, rounds: list[Any]) -> Calls:
        wrong = {
            "NaN": [1, 1, 1, NAN],
            "too far": [1, 1, 1, 2],
            "short": [1, 1],
            "text": "spam",
            "all back": [-1] * N,
        }
        return {k: (lambda p, z=z: p.move(z), "movements") for k, z in wrong.items()}


@dataclass(frozen=True)
class Votes(Kind):
    """Players of advice: 0 or 1 by each expert, one of whom is always right."""

    def stream(self, count: int, seed: int = 0) -> list[Any]:
        advice = np.random.default_rng(seed).integers(0, 2, (count, 6))
        return [(row, int(row[2])) for row in advice]

    def ask(self, player: Any, round: Any) -> Any:
        return player.predict(round[0]), player.weights

    def feed(self, player: Any, round: Any) -> Any:
        return player.update(*round)

    def many(self, player: Any, rounds: list[Any]) -> Any:
        advice = np.array([a for a, _ in rounds]).reshape(-1, 6)
        return player.run(advice, [y for _, y in rounds])

    def takes(self, rounds: list[Any]) -> Takes:
        (advice, y), table = rounds[-1], np.array([a for a, _ in rounds])
        labels = [y for _, y in rounds]
        return {
            "advice": (lambda p, v: p.update(v, y), advice),
            "advice asked": (lambda p, v: p.predict(v), advice),
            "advice of a run": (lambda p, v: p.run(v, labels), table),
        }

    def bad(self, rounds: list[Any]) -> Calls:
        (advice, y), table = rounds[-1], np.array([a for a, _ in rounds])
        labels, odd = [y for _, y in rounds], table.copy()
        odd[-1, 3] = 2
        return {
            "advice of 2": (lambda p: p.update(odd[-1], y), "advice"),
            "advice is text": (lambda p: p.update("spam", y), "advice"),
            "advice is short": (lambda p: p.update(advice[1:], y), "advice"),
            "advice asked is short": (lambda p: p.predict(advice[1:]), "advice"),
            **{
                f"label={v!r}": (lambda p, v=v: p.update(advice, v), "label")
                for v in (2, NAN, None, "1")
            },
            "run with advice of 2": (lambda p: p.run(odd, labels), "advice"),
            "run with a label of 2": (lambda p: p.run(table, [*labels[:-1], 2]), "label"),
            "run with few labels": (lambda p: p.run(table, labels[:-1]), "labels"),
        }

    def measured(self, rounds: list[Any], asked: list[Any], told: list[Any]) -> float | None:
        return float(sum(told))  # mistakes: the best expert has none


@dataclass(frozen=True)
class Forecasts(Kind):
    """`Mixture`: a round is the forecasts of the experts and the target.

    `loss` and `slope` of a forecast and a target; without a slope the experts' own losses are learned.
    """

    absent = True
    loss: Callable[[Any, Any], Any] = lambda forecast, y: (forecast - y) ** 2
    slope: Callable[[Any, Any], Any] | None = lambda forecast, y: 2.0 * (forecast - y)

    def stream(self, count: int, seed: int = 0) -> list[Any]:
        rng = np.random.default_rng(seed)
        y = rng.normal(size=count)
        return list(zip(y[:, None] + rng.normal(size=(count, N)) * [0.2, 1.0, 1.0, 3.0], y))

    def ask(self, player: Any, round: Any) -> Any:
        return (player.weights, player.regrets) if player.player else None

    def choose(self, player: Any, round: Any) -> Any:
        return player.predict(round[0])

    def settle(self, player: Any, round: Any, chosen: Any) -> None:
        player.update(round[1])

    def bad_waiting(self) -> Calls:
        wrong = (INF, "much", [0.5, 0.5])
        return {f"y={v!r}": (lambda p, v=v: p.update(v), "y") for v in wrong}

    def many(self, player: Any, rounds: list[Any]) -> None:
        """Returns no run, whose certificate is about mixtures of experts."""
        player.run(np.array([f for f, _ in rounds]).reshape(-1, N), [y for _, y in rounds])

    def takes(self, rounds: list[Any]) -> Takes:
        X, y = np.array([f for f, _ in rounds]), [y for _, y in rounds]
        return {
            "forecasts": (lambda p, v: p.predict(v), X[-1]),
            "experts": (lambda p, v: p.run(v, y), X),
            "y": (lambda p, v: p.run(X, v), y),
        }

    def takes_waiting(self) -> Takes:
        return {"y": (lambda p, v: p.update(v), 0.5)}

    def bad(self, rounds: list[Any]) -> Calls:
        X, y = np.array([f for f, _ in rounds]), [y for _, y in rounds]
        hole = X.copy()
        hole[-1, 1] = INF
        return {
            "infinite forecast": (lambda p: p.predict([1.0, INF, 0.0, 0.0]), "forecast|experts"),
            "nobody awake": (lambda p: p.predict([NAN] * N), "asleep|awake"),
            "text": (lambda p: p.predict("spam"), "forecasts"),
            "nothing to learn": (lambda p: p.update(1.0), "predict"),
            "run with infinity": (lambda p: p.run(hole, y), "experts"),
            "run with an infinite target": (lambda p: p.run(X, [*y[:-1], INF]), "y"),
            "run with few targets": (lambda p: p.run(X, y[:-1]), "y"),
            "run with text": (lambda p: p.run(X, ["spam"] * len(y)), "y"),
            "run with a delay below 0": (lambda p: p.run(X, y, delay=-1), "delay"),
        }

    def extremes(self, sizes: Sequence[float]) -> list[list[Any]]:
        plain = self.stream(self.length)
        both = scaled(plain, lambda r, size: (r[0] * size, r[1] * size), sizes)
        return [*both, *scaled(plain, lambda r, size: (r[0] * size, r[1]), sizes)]

    def hostile(self, player: Any, rng: np.random.Generator) -> list[Any]:
        said = rng.normal(size=N)
        mean = said @ player.weights if player.player else 0.0
        return [(said, 10.0 * np.sign(said[0] - mean))]  # the first is always on the right side

    def measured(self, rounds: list[Any], asked: list[Any], told: list[Any]) -> float | None:
        regrets = np.zeros(N)
        for (said, y), forecast in zip(rounds, told):
            if self.slope is None:
                regrets += self.loss(forecast, y) - self.loss(said, y)
            else:
                regrets += self.slope(forecast, y) * (forecast - said)
        return float(regrets.max())


@dataclass(frozen=True)
class Pruned(Kind):
    """`BestPruning`: examples with two features, targets in [0, 1]."""

    def stream(self, count: int, seed: int = 0) -> list[Any]:
        X = np.random.default_rng(seed).random((count, 2))
        return [(x, float((x > 0.5).all())) for x in X]

    def hostile(self, player: Any, rng: np.random.Generator) -> list[Any]:
        x = rng.random(2)
        return [(x, float(player.predict_one(x) < 0.5)), (x, float(rng.random() < 0.5))]

    def ask(self, player: Any, round: Any) -> Any:
        return player.predict_one(round[0]), player.weights_one(round[0]), player.best_pruning()

    def feed(self, player: Any, round: Any) -> Any:
        return player.learn_one(*round)

    def many(self, player: Any, rounds: list[Any]) -> Any:
        return player.run([x for x, _ in rounds], [y for _, y in rounds])

    def takes(self, rounds: list[Any]) -> Takes:
        X, y = [x for x, _ in rounds], [y for _, y in rounds]
        return {
            "y": (lambda p, v: p.learn_one(X[-1], v), y[-1]),
            "y of a run": (lambda p, v: p.run(X, v), y),
        }

    def bad(self, rounds: list[Any]) -> Calls:
        x = rounds[-1][0]
        wrong = (2.5, NAN, INF, None, "1", [0.5])
        return {f"y={y!r}": (lambda p, y=y: p.learn_one(x, y), "y|loss") for y in wrong}

    def extremes(self, sizes: Sequence[float]) -> list[list[Any]]:
        return scaled(self.stream(self.length), lambda r, size: (r[0], r[1] * size), sizes)


# --- the lines --------------------------------------------------------------------------------------

ORACLE, BOUND = "experts::oracle", by_regret()
PUBLISHED = "experts_bounds::published_bounds"  # the numbers of the texts, from the formulas
VOTES = "experts_majority::golden_traces"


NO_IDENTITY = {"identity": "the bound is measured, and no equation is known"}


def _behind(s):
    return np.asarray(s) <= 0


def _right(x):
    return int(x[0] > 0.5)


def _high(x):
    return int(x[1] > 0.5)


BIASED = MinimaxPotential(_behind, horizon=80, beta=0.1)
TREE = TemplateTree({0: (_right, [("low", 1), "high"]), "high": (_high, [np.int64(7), 8.5])})


def _mixing(make, oracle=ORACLE, identity=PUBLISHED, *, sleeps=False, unit=1.0, name="", **more):
    return Entry(
        name or make().__class__.__name__,
        lambda _: make(),
        Experts(sleeps=sleeps, unit=unit),
        oracle,
        "" if "identity" in more.get("without", ()) else identity,
        BOUND,
        **more,
    )


EXPERTS = [
    _mixing(lambda: experts.Hedge(N)),
    _mixing(lambda: experts.Hedge(N, rate="doubling"), name="Hedge doubling"),
    _mixing(lambda: experts.Hedge(N, rate="small-loss"), name="Hedge small-loss"),
    _mixing(lambda: experts.Hedge(N, range=(0, 1e150)), unit=1e150, name="Hedge to 1e150"),
    Entry(
        "RandomizedWeightedMajority",
        lambda seed: experts.RandomizedWeightedMajority(N, horizon=72, seed=seed),
        Experts(acts="aside"),
        ORACLE,
        "experts::randomized_weighted_majority_is_hedge_and_on_signs_second_order",
        BOUND,
        draws=True,
        without={"batch": "a run draws nobody"},
    ),
    _mixing(lambda: experts.SecondOrderHedge(N, horizon=72)),
    _mixing(lambda: experts.FixedShare(N, horizon=72), without=NO_IDENTITY),
    _mixing(lambda: experts.PolynomialWeights(N)),
    _mixing(lambda: experts.TwoNorm(N)),
    _mixing(lambda: experts.NormalHedge(N), without=NO_IDENTITY),
    _mixing(
        lambda: experts.NormalHedgeDT(N),
        identity="experts::ada_normal_hedge_of_power_0_is_normal_hedge_dt",
    ),
    _mixing(
        lambda: experts.AdaNormalHedge(N),
        identity="experts_bounds::potentials_of_ada_normal_hedge_stay_below",
        sleeps=True,
    ),
    _mixing(
        lambda: experts.AdaNormalHedge(N, range=(0, 1e-150)),
        identity="experts::another_unit",
        sleeps=True,
        unit=1e-150,
        name="AdaNormalHedge to 1e-150",
    ),
    _mixing(
        lambda: experts.AdaNormalHedgeTV(N),
        identity="experts::tv_from_sleeping_experts",
        prepares=True,
    ),
    _mixing(
        lambda: experts.AdaptMLProd(N),
        "experts::oracle_of_ml_prod_in_any_range",
        sleeps=True,
        without=NO_IDENTITY,
    ),
    _mixing(
        lambda: experts.Squint(N),
        identity="experts_bounds::potentials_of_squint_stay_below",
        sleeps=True,
    ),
    _mixing(lambda: experts.BOA(N), sleeps=True, without=NO_IDENTITY),
    _mixing(lambda: experts.MLPoly(N), sleeps=True, without=NO_IDENTITY),
    _mixing(
        lambda: experts.MLPoly(N),
        sleeps=True,
        unit=1e60,
        name="MLPoly at 1e60",
        without=NO_IDENTITY,
    ),
    _mixing(
        lambda: games.OptimisticHedge(N),
        "games::optimistic_hedge_is_that_of_the_transcription",
        "games_play::the_gap_is_the_sum_of_mean_regrets",
    ),
    *(
        _mixing(
            partial(games.RegretMatchingPlus, N, predictive=predictive),
            "games::regret_matching_is_that_of_the_transcription",
            "games_play::the_gap_is_the_sum_of_mean_regrets",
            name=f"RegretMatchingPlus{' predictive' * predictive}",
        )
        for predictive in (False, True)
    ),
    Entry(
        "DriftingGame",
        lambda seed: experts.DriftingGame(N, TwoNormPotential(), seed=seed),
        Experts(),
        "experts_drifting::weights_and_sums_are_those_of_the_text",
        "experts_drifting::the_sum_never_grows_and_every_bound_holds",
        BOUND,
        load=lambda kind, path: kind.load(path, potential=TwoNormPotential()),
    ),
    Entry(
        "DriftingGame drawn",
        lambda seed: experts.DriftingGame(N, seed=seed),
        Experts(acts="told"),
        "experts_drifting::weights_and_sums_are_those_of_the_text",
        "experts_drifting::the_mean_over_actions_never_grows",
        by_regret(lambda player: player.certificate(delta=0.01)),
        draws=True,
        without={"batch": "a run draws nobody"},
    ),
    Entry(
        "ChipPlayer",
        lambda _: ChipPlayer(N, BIASED),
        Chips(),
        "chip_potentials::recursion_against_brute_force",
        "chip_potentials::two_movements_have_a_closed_form",
        load=lambda kind, path: kind.load(path, potential=BIASED),
        without={
            "batch": "has no run: an adversary answers each round",
            "bound": "has no certificate; its oracle's tests have the value of the game",
            "extremes": "movements have one size",
        },
    ),
    *(
        Entry(
            name,
            lambda _, make=make: make(6),
            Votes(),
            VOTES,
            "experts_majority::weighted_majority_of_beta_0_is_halving",
            BOUND,
            without={"extremes": "advice is 0 or 1"},
        )
        for name, make in (
            ("Halving", experts.Halving),
            ("Consistent", experts.Consistent),
            ("WeightedMajority", experts.WeightedMajority),
            ("WeightedMajority always", partial(experts.WeightedMajority, mode="always")),
        )
    ),
    *(
        Entry(
            name,
            lambda _, options=options: experts.Mixture(**options),
            kind,
            "experts_mixture::the_numbers_of_opera",
            "experts_mixture::units_do_not_matter",
            BOUND,
            without={"waiting": "is not saved while a forecast waits for its target"},
        )
        for name, kind, options in (
            ("Mixture", Forecasts(), {}),
            (
                "Mixture BOA",
                Forecasts(slope=lambda forecast, y: np.sign(forecast - y)),
                {"algorithm": experts.BOA, "loss": "absolute"},
            ),
            (
                "Mixture MLPoly",
                Forecasts(slope=None),
                {"algorithm": experts.MLPoly, "gradient": False},
            ),
        )
    ),
    Entry(
        "BestPruning",
        lambda _: experts.BestPruning(TREE, "absolute"),
        Pruned(),
        "experts_pruning::it_is_the_dense_simulation",
        "experts_pruning::certificate_is_the_formula_for_the_best_pruning",
        BOUND,
        load=lambda kind, path: kind.load(path, tree=TREE),
    ),
]
