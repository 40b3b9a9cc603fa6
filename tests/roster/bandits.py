"""Players that see only what their choice cost: `bandits`."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from regretless import bandits, geometry
from regretless.checks import kinds
from regretless.checks.kinds import Calls, Kind, Takes, hostile_losses, scaled
from regretless.linear import LinearRegressor
from roster.kinds import INF, NAN, Entry, N
from roster.proofs import by_regret

__all__ = ["ARM_PLAYERS", "BANDITS"]


# --- kinds ------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Arms(kinds.Arms):
    """Players of arms, which have a `run` as well."""

    length: int = 16

    def takes(self, rounds: list[Any]) -> Takes:
        return {"losses": (lambda p, v: p.run(v), np.array(rounds))}

    def takes_waiting(self) -> Takes:
        return {"loss": (lambda p, v: p.update(v), 0.5)}

    def bad(self, rounds: list[Any]) -> Calls:
        good, table, wide = (np.array(rounds) for _ in range(3))
        table[-1], wide[-1] = NAN, 1e200
        return {
            "nothing waits": (lambda p: p.update(0.5), "act|waits"),
            "run with NaN": (lambda p: p.run(table), rf"losses\[{len(table) - 1}, 0\] = nan"),
            "run beyond all ranges": (lambda p: p.run(wide), "losses"),
            "run of another width": (lambda p: p.run(good[:, 1:]), "losses has shape"),
            "run of text": (lambda p: p.run([["spam"] * N]), "losses"),
        }

    def bad_waiting(self) -> Calls:
        wrong = (NAN, INF, 1e200, "much", None)
        return {f"loss={v!r}": (lambda p, v=v: p.update(v), "loss") for v in wrong}


@dataclass(frozen=True)
class Costs(Arms):
    """`BanditMirrorDescent` over arms."""

    def ask(self, player: Any, round: Any) -> Any:
        return player.probabilities, player.point

    def takes_waiting(self) -> Takes:
        return {"value": (lambda p, v: p.update(v), 0.5)}

    def bad_waiting(self) -> Calls:
        return {
            f"value={v!r}": (lambda p, v=v: p.update(v), "value")
            for v in (NAN, INF, "much", None, [0.5, 0.5, 0.5])
        }


@dataclass(frozen=True)
class Points(Costs):
    """Bandits that play points: a round is where a square has its minimum."""

    def stream(self, count: int, seed: int = 0) -> list[Any]:
        return list(0.2 * np.random.default_rng(seed).normal(size=(count, N)))

    def hostile(self, player: Any, rng: np.random.Generator) -> list[Any]:
        return []

    def ask(self, player: Any, round: Any) -> Any:
        return player.point

    @staticmethod
    def _loss(goal: np.ndarray, w: np.ndarray) -> float:
        with np.errstate(over="ignore"):
            return float(min(1.0, 0.25 * ((w - goal) ** 2).sum()))

    def takes_waiting(self) -> Takes:
        return {"value": (lambda p, v: p.update([0.5, v] if "points=2" in repr(p) else v), 0.5)}

    def suffered(self, rounds: list[Any], asked: list[Any], told: list[Any]) -> float:
        return math.fsum(
            float(np.mean([self._loss(goal, w) for w in np.atleast_2d(chosen)]))
            for goal, chosen in zip(rounds, told)
        )

    def settle(self, player: Any, round: Any, chosen: Any) -> None:
        values = [self._loss(round, w) for w in np.atleast_2d(chosen)]
        player.update(values if len(values) > 1 else values[0])

    def many(self, player: Any, rounds: list[Any]) -> Any:
        return player.run([partial(self._loss, goal) for goal in rounds])

    def takes(self, rounds: list[Any]) -> Takes:
        return {"losses": (lambda p, v: p.run(v), np.array(rounds))}

    def bad(self, rounds: list[Any]) -> Calls:
        return {
            "nothing waits": (lambda p: p.update(0.5), "act"),
            "run of no losses": (lambda p: p.run(3.0), "losses"),
            "run of another width": (lambda p: p.run([[1.0]]), "losses has shape"),
            "run with NaN": (lambda p: p.run([[1.0, NAN, 0.0, 0.0]]), r"losses\[0, 1\] = nan"),
            "run without rounds": (lambda p: p.run(lambda w: 0.0), "rounds"),
        }

    def extremes(self, sizes: Sequence[float]) -> list[list[Any]]:
        return scaled(self.stream(self.length), lambda goal, size: goal * size, sizes)


@dataclass(frozen=True)
class Advised(Arms):
    """`Exp4`: a round is the loss of each arm, and what each expert says."""

    def stream(self, count: int, seed: int = 0) -> list[Any]:
        rng = np.random.default_rng(seed)
        return list(zip(super().stream(count, seed), rng.dirichlet(np.ones(N), (count, 3))))

    def hostile(self, player: Any, rng: np.random.Generator) -> list[Any]:
        advice = rng.dirichlet(np.ones(N), 3)
        return [
            (row, advice) for row in hostile_losses(player.weights @ advice, player.rounds, rng)
        ]

    def ask(self, player: Any, round: Any) -> Any:
        return player.weights

    def choose(self, player: Any, round: Any) -> Any:
        return player.act(round[1])

    def settle(self, player: Any, round: Any, chosen: Any) -> None:
        super().settle(player, round[0], chosen)

    def suffered(self, rounds: list[Any], asked: list[Any], told: list[Any]) -> float | None:
        return super().suffered([row for row, _ in rounds], asked, told)

    def many(self, player: Any, rounds: list[Any]) -> Any:
        table = np.array([row for row, _ in rounds]).reshape(-1, N)
        return player.run(table, np.array([said for _, said in rounds]).reshape(-1, 3, N))

    def takes(self, rounds: list[Any]) -> Takes:
        table, advice = (np.array([r[i] for r in rounds]) for i in (0, 1))
        return {
            "losses": (lambda p, v: p.run(v, advice), table),
            "advice": (lambda p, v: p.act(v), advice[-1]),
            "advice of a run": (lambda p, v: p.run(table, v), advice),
        }

    def bad(self, rounds: list[Any]) -> Calls:
        table, advice = (np.array([r[i] for r in rounds]) for i in (0, 1))
        hole, odd = table.copy(), advice.copy()
        hole[-1], odd[-1, 1] = NAN, 0.7
        return {
            "nothing waits": (lambda p: p.update(0.5), "act|waits"),
            "advice is no distribution": (lambda p: p.act(odd[-1]), "advice"),
            "advice has NaN": (lambda p: p.act(np.full((3, N), NAN)), "advice"),
            "advice is short": (lambda p: p.act(advice[-1][1:]), "advice"),
            "run with NaN": (lambda p: p.run(hole, advice), "losses"),
            "run with bad advice": (lambda p: p.run(table, odd), "advice"),
            "run with short advice": (lambda p: p.run(table, advice[1:]), "advice"),
        }

    def extremes(self, sizes: Sequence[float]) -> list[list[Any]]:
        return scaled(self.stream(self.length), lambda r, size: (r[0] * size, r[1]), sizes)


@dataclass(frozen=True)
class Context(Kind):
    """Bandits with a context: a round is a context and the reward of each arm."""

    def stream(self, count: int, seed: int = 0) -> list[Any]:
        rng = np.random.default_rng(seed)
        X = rng.normal(size=(count, 3))
        return list(zip(X, X @ rng.normal(size=(3, N)) / 3 + 0.1 * rng.normal(size=(count, N))))

    def ask(self, player: Any, round: Any) -> Any:
        return player.probabilities(round[0])

    def choose(self, player: Any, round: Any) -> Any:
        return player.act(round[0])

    def settle(self, player: Any, round: Any, chosen: Any) -> None:
        player.update(reward=float(round[1][chosen]))

    def many(self, player: Any, rounds: list[Any]) -> Any:
        X, R = (np.array([r[i] for r in rounds]).reshape(-1, w) for i, w in ((0, 3), (1, N)))
        return player.run(X, R)

    def takes(self, rounds: list[Any]) -> Takes:
        X, R = (np.array([r[i] for r in rounds]) for i in (0, 1))
        return {
            "x": (lambda p, v: p.act(v), X[-1]),
            "x asked": (lambda p, v: p.probabilities(v), X[-1]),
            "x told": (lambda p, v: p.update(0, reward=0.5, x=v), X[-1]),
            "reward": (lambda p, v: p.update(0, reward=v, x=X[-1]), 0.5),
            "contexts|x": (lambda p, v: p.run(v, R), X),
            "rewards": (lambda p, v: p.run(X, v), R),
        }

    def takes_waiting(self) -> Takes:
        return {"reward": (lambda p, v: p.update(reward=v), 0.5)}

    def bad(self, rounds: list[Any]) -> Calls:
        X, R = (np.array([r[i] for r in rounds]) for i in (0, 1))
        hole, few = R.copy(), X.copy()
        hole[-1], few[-1, 1] = NAN, NAN
        return {
            "nothing waits": (lambda p: p.update(reward=0.5), "act"),
            "context of NaN": (lambda p: p.act([1.0, NAN, 0.0]), "x"),
            "context asked of NaN": (lambda p: p.probabilities([1.0, NAN, 0.0]), "x"),
            "context of text": (lambda p: p.act("spam"), "x"),
            "an arm too many": (lambda p: p.update(N, reward=0.5, x=X[0]), "arm"),
            "an arm of 0.5": (lambda p: p.update(0.5, reward=0.5, x=X[0]), "arm"),
            "reward of NaN": (lambda p: p.update(0, reward=NAN, x=X[0]), "reward"),
            "reward of text": (lambda p: p.update(0, reward="much", x=X[0]), "reward"),
            "an unknown arm": (lambda p: p.update(reward=1.0, x=X[0]), "arm"),
            "run with NaN rewards": (lambda p: p.run(X, hole), "rewards"),
            "run with NaN contexts": (lambda p: p.run(few, R), "contexts|x"),
            "run with few rewards": (lambda p: p.run(X, R[1:]), "rewards"),
        }

    def bad_waiting(self) -> Calls:
        wrong = (NAN, INF, "much", None)
        return {f"reward={v!r}": (lambda p, v=v: p.update(reward=v), "reward") for v in wrong}

    def extremes(self, sizes: Sequence[float]) -> list[list[Any]]:
        plain = self.stream(self.length)
        contexts = scaled(plain, lambda r, size: (r[0] * size, r[1]), sizes)
        return [*contexts, *scaled(plain, lambda r, size: (r[0], r[1] * size), sizes)]


# --- players of arms with their options, which several tests go through ----------------------------

ARM_PLAYERS = {
    "exp3": bandits.Exp3,
    "exp3, fixed": partial(bandits.Exp3, rate=0.3),
    "exp3, horizon": partial(bandits.Exp3, rate="horizon", horizon=60),
    "exp3ix": bandits.Exp3IX,
    "exp3ix, fixed": partial(bandits.Exp3IX, rate=0.2, gamma=0.3, delta=0.2),
    "tsallis": bandits.TsallisINF,
    "reduced": partial(bandits.TsallisINF, estimator="reduced"),
    "ucb1": bandits.UCB1,
    "greedy": partial(bandits.EpsilonGreedy, epsilon=0.2),
    "decay": partial(bandits.EpsilonGreedy, decay=5.0),
    "bernoulli": bandits.ThompsonSampling,
    "gaussian": partial(bandits.ThompsonSampling, model="gaussian"),
}


# --- the lines --------------------------------------------------------------------------------------

ARMS, FEW = Arms(), Arms(length=8)  # what takes long to ask is asked less
ORACLE = "arms::weights_and_certificates_are_the_oracles"
MEANS = "arms::estimates_are_right_in_the_mean_exactly"
BOUND, LIKELY = by_regret(), by_regret(assume=None)  # nobody can tell whether losses look at draws
POTENTIAL = bandits.BanditPotential(N, 0.2)
DRAWN = ("_block", "_rows")  # of `Draws`: what was drawn for some rounds at once
NO_NUMBER = {"bound": "nothing is proven of a single run"}


def _arms(make, oracle=ORACLE, identity="", *, name="", kind=ARMS, draws=True, **more):
    return Entry(
        name or make.__name__,
        lambda seed: make(N, seed=seed),
        kind,
        oracle,
        identity,
        draws=draws,
        **more,
    )


BANDITS = [
    _arms(bandits.Exp3, identity=MEANS, proof=BOUND, prepares=True),
    Entry(
        "Exp3 to 1e150",
        lambda seed: bandits.Exp3(N, rate=0.3, range=(0, 1e150), seed=seed),
        Arms(unit=1e150),
        ORACLE,
        "arms::full_feedback_is_weighted_majority",
        BOUND,
        draws=True,
        prepares=True,
    ),
    _arms(
        bandits.Exp3IX,
        identity="arms::implicit_exploration_estimates_low",
        proof=BOUND,
        prepares=True,
    ),
    _arms(
        bandits.TsallisINF,
        identity="arms::tsallis_weights_add_up_wherever_arms_are",
        proof=BOUND,
        prepares=True,
    ),
    _arms(
        bandits.UCB1,
        "arms::ucb1_is_its_oracle",
        "arms_bounds::closed_forms",
        draws=False,
        without=NO_NUMBER,
    ),
    _arms(
        bandits.EpsilonGreedy,
        "arms::epsilon_greedy_explores_as_often_as_it_says",
        without=NO_NUMBER | {"identity": "the oracle counts how often it does what"},
    ),
    _arms(
        bandits.ThompsonSampling,
        "arms::beliefs",
        "arms::thompson_chooses_as_often_as_it_says",
        kind=FEW,
        without=NO_NUMBER,
    ),
    Entry(
        "ThompsonSampling gaussian",
        lambda seed: bandits.ThompsonSampling(N, model="gaussian", seed=seed),
        FEW,
        "arms::beliefs",
        "arms::thompson_chooses_as_often_as_it_says",
        draws=True,
        without=NO_NUMBER,
    ),
    Entry(
        "PotentialBandit",
        lambda seed: bandits.PotentialBandit(N, POTENTIAL, seed=seed),
        ARMS,
        "arms::the_generic_algorithm_with_the_exponential_potential_is_exp3",
        "arms::the_potential_makes_the_condition_an_equality",
        LIKELY,
        draws=True,
        load=lambda kind, path: kind.load(path, potential=POTENTIAL),
    ),
    Entry(
        "Exp4",
        lambda seed: bandits.Exp4(N, 3, seed=seed),
        Advised(),
        "arms::exp4_is_its_definition",
        proof=BOUND,
        draws=True,
        without={"identity": "the oracle is its definition, from the weights of its experts"},
    ),
    Entry(
        "LinUCB",
        lambda _: bandits.LinUCB(N, 3),
        Context(),
        "contextual::it_is_the_oracle",
        "contextual::the_radius_is_that_of_the_theorem",
        LIKELY,
    ),
    Entry(
        "EpsilonGreedyLearner",
        lambda seed: bandits.EpsilonGreedyLearner(LinearRegressor(), N, epsilon=0.3, seed=seed),
        Context(),
        "contextual::arms_are_drawn_as_told",
        "contextual::epsilon_greedy_run_is_its_rounds",
        draws=True,
        caches=DRAWN,
        without={"bound": "has no theorem: learners are anybody's"},
    ),
    *(
        Entry(
            f"BanditMirrorDescent {rate}",
            lambda seed, rate=rate: bandits.BanditMirrorDescent(
                geometry.Entropy(), N, rate=rate, seed=seed
            ),
            Costs(),
            "bandit_convex::entropy_with_one_arm_is_exp3",
            "bandit_convex::any_geometry_is_mirror_descent_of_the_estimates",
            BOUND,
            draws=True,
        )
        for rate in ("anytime", 0.2)
    ),
    *(
        Entry(
            name,
            lambda seed, options=options: bandits.BanditGradientDescent(N, seed=seed, **options),
            Points(),
            "bandit_convex::gradient_descent_is_the_oracle",
            "bandit_convex::estimates_of_quadratics_have_the_gradient_as_mean",
            BOUND,
            draws=True,
        )
        for name, options in (
            ("BanditGradientDescent", {"horizon": 72}),
            ("BanditGradientDescent two points", {"horizon": 72, "points": 2}),
            ("BanditGradientDescent any horizon", {"inside": True}),
        )
    ),
]
