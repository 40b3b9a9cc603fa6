"""Players of convex losses: `oco`."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from regretless import domains, geometry, linear, oco
from regretless.checks import kinds
from regretless.checks.kinds import Calls, Kind, Takes, hostile_losses, scaled
from regretless.oco import LinearLoss, SquaredDistance
from roster.kinds import INF, NAN, Entry, N
from roster.learners import Rows
from roster.proofs import by_regret

__all__ = ["CONVEX"]


# --- kinds ------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Gradients(kinds.Gradients):
    """Players of online convex optimisation: a round is a gradient."""

    length: int = 16
    looks: bool = False  # whether it is shown the gradient before it plays, as `run` does

    def feed(self, player: Any, round: Any) -> Any:
        if self.looks:
            player.look(round)
        return player.update(round)

    def takes(self, rounds: list[Any]) -> Takes:
        return {
            "gradient": (lambda p, v: p.update(v), rounds[-1]),
            "X": (lambda p, v: p.run(v), np.array(rounds)),
            "y": (lambda p, v: p.run(np.array(rounds), v, "squared"), np.ones(len(rounds))),
        }

    def bad(self, rounds: list[Any]) -> Calls:
        good, table = np.array(rounds), np.array(rounds)
        table[-1, 1] = NAN
        wrong = {
            "NaN": [0.0, NAN, 0.0, 0.0],
            "infinite": np.array([0.0, 0.0, INF, 0.0]),
            "short": [1.0] * (N - 1),
            "a table": np.zeros((2, N)),
            "text": "spam",
            "None": None,
        }
        return {
            **{k: (lambda p, z=z: p.update(z), "gradient") for k, z in wrong.items()},
            "run with NaN": (lambda p: p.run(table), rf"X\[{len(table) - 1}, 1\] = nan"),
            "run of another width": (lambda p: p.run(good[:, 1:]), "X has shape"),
            "run with short y": (lambda p: p.run(table[:-1], [1.0], "squared"), "y has shape"),
            "run of an unknown loss": (lambda p: p.run(table[:-1], None, "hing"), "loss='hing'"),
        }

    def largest(self, rounds: list[Any]) -> float:
        return max(super().largest(rounds), 1e-66)  # those below 1e-75 count as 0

    def measured(self, rounds: list[Any], asked: list[Any], told: list[Any]) -> float | None:
        return None if self.looks else super().measured(rounds, asked, told)

    def suffered(self, rounds: list[Any], asked: list[Any], told: list[Any]) -> float | None:
        return None if self.looks else super().suffered(rounds, asked, told)  # played otherwise


@dataclass(frozen=True)
class ConvexLosses(Gradients):
    """`Linearized`: a round is a convex loss."""

    def stream(self, count: int, seed: int = 0) -> list[Any]:
        linear = super().stream(count, seed)
        return [SquaredDistance(z) if t % 2 else LinearLoss(z) for t, z in enumerate(linear)]

    def hostile(self, player: Any, rng: np.random.Generator) -> list[Any]:
        return [LinearLoss(z) for z in super().hostile(player, rng)]

    def feed(self, player: Any, round: Any) -> Any:
        return player.learn(round)

    def takes(self, rounds: list[Any]) -> Takes:
        zero = np.zeros(N)
        return {
            "value": (lambda p, v: p.update(lambda w: v, lambda w: zero), 0.5),
            "gradient": (lambda p, v: p.update(lambda w: 0.5, lambda w: v), zero),
        }

    def bad(self, rounds: list[Any]) -> Calls:
        return {
            "a value that is NaN": (lambda p: p.update(lambda w: NAN, lambda w: w), "value"),
            "a value that is text": (lambda p: p.update(lambda w: "1", lambda w: w), "value"),
            "a gradient that is NaN": (
                lambda p: p.update(lambda w: 0.0, lambda w: w + NAN),
                "grad",
            ),
            "a gradient that is short": (
                lambda p: p.update(lambda w: 0.0, lambda w: w[1:]),
                "grad",
            ),
        }

    def extremes(self, sizes: Sequence[float]) -> list[list[Any]]:
        return [[LinearLoss(z) for z in stream] for stream in GRADIENTS.extremes(sizes)]

    def largest(self, rounds: list[Any]) -> float:
        return super().largest([f.gradient(np.zeros(N)) for f in rounds])

    def measured(self, rounds: list[Any], asked: list[Any], told: list[Any]) -> float | None:
        return math.fsum(float(f.value(w) - f.value(E1)) for w, f in zip(asked, rounds))

    def suffered(self, rounds: list[Any], asked: list[Any], told: list[Any]) -> float | None:
        return math.fsum(float(f.value(w)) for w, f in zip(asked, rounds))


@dataclass(frozen=True)
class Functions(Kind):
    """`DensityPlayer`: a round is the values of a loss at its points."""

    points: int = 16

    def stream(self, count: int, seed: int = 0) -> list[Any]:
        return list(np.random.default_rng(seed).random((count, self.points)))

    def hostile(self, player: Any, rng: np.random.Generator) -> list[Any]:
        return hostile_losses(player.weights, player.rounds, rng)

    def ask(self, player: Any, round: Any) -> Any:
        return player.weights, player.point

    def feed(self, player: Any, round: Any) -> Any:
        return player.update(round)

    def many(self, player: Any, rounds: list[Any]) -> Any:
        return player.run(np.array(rounds).reshape(-1, self.points))

    def takes(self, rounds: list[Any]) -> Takes:
        return {
            "loss": (lambda p, v: p.update(v), rounds[-1]),
            "losses": (lambda p, v: p.run(v), np.array(rounds)),
        }

    def bad(self, rounds: list[Any]) -> Calls:
        table, good = np.array(rounds), rounds[-1]
        table[-1, 1] = 1.5
        wrong = {
            "NaN": np.where(np.arange(self.points) == 3, NAN, good),
            "too large": good + 1.0,
            "short": good[1:],
            "text": "spam",
            "a function that is NaN": lambda w: NAN,
            "a function that is not convex": lambda w: 0.25 - min(0.25, float(w @ w)),
        }
        return {
            **{k: (lambda p, v=v: p.update(v), "loss") for k, v in wrong.items()},
            "at_point above the mean": (lambda p: p.update(good, 1.0), "at_point"),
            "run with 1.5": (lambda p: p.run(table), rf"losses\[{len(table) - 1}, 1\] = 1.5"),
        }

    def extremes(self, sizes: Sequence[float]) -> list[list[Any]]:
        return scaled(self.stream(self.length), lambda v, size: v * size, sizes)

    def measured(self, rounds: list[Any], asked: list[Any], told: list[Any]) -> float | None:
        return self.suffered(rounds, asked, told) - np.sum(rounds, axis=0).min()

    def suffered(self, rounds: list[Any], asked: list[Any], told: list[Any]) -> float:
        return math.fsum(float(p @ v) for (p, _), v in zip(asked, rounds))


# --- the lines --------------------------------------------------------------------------------------

GRADIENTS = Gradients()
E1 = np.eye(N)[0]
POINT = by_regret()
# examples are not kept, so that only a run knows what the comparator predicts of them
POINT_IN_SLAB = by_regret(assume=None)
DESCENT = "oco::mirror_descent_is_what_the_formulas_say"
NO_FILE = {"file": "has learned from functions; pickle it"}


def descent_for(horizon):
    """What `DoublingTrick` makes for each period."""
    return oco.OnlineGradientDescent(N, rate=0.7 / horizon**0.5)


CONVEX = [
    Entry(
        "OnlineGradientDescent",
        lambda _: oco.OnlineGradientDescent(N),
        GRADIENTS,
        DESCENT,
        "oco_theorems::the_identity_of_mirror_descent",
        POINT,
    ),
    Entry(
        "OnlineGradientDescent ball",
        lambda _: oco.OnlineGradientDescent(N, rate=0.3, domain=domains.Ball(1.0), lazy=False),
        GRADIENTS,
        "oco::gradient_descent_stays_in_its_domain",
        "oco::lazy_and_agile_differ_in_a_ball",
        POINT,
    ),
    Entry(
        "OnlineMirrorDescent p-norm",
        lambda _: oco.OnlineMirrorDescent(geometry.PNorm(3.0), N),
        GRADIENTS,
        DESCENT,
        "oco_theorems::the_identity_of_mirror_descent",
        POINT,
    ),
    Entry(
        "OnlineMirrorDescent in Python",
        lambda _: oco.OnlineMirrorDescent(
            geometry.PNorm(3.0), N, rate=0.3, domain=domains.Ball(1.0), lazy=False
        ),
        Gradients(length=8),  # each point is searched for
        "oco::the_twin_in_python_plays_the_same",
        "oco_theorems::the_identity_of_mirror_descent",
        POINT,
    ),
    *(
        Entry(
            f"ExponentiatedGradient {rate}",
            lambda _, rate=rate: oco.ExponentiatedGradient(N, rate=rate),
            GRADIENTS,
            DESCENT,
            "oco::rows_of_the_matrix_of_equivalences",
            POINT,
        )
        for rate in ("anytime", 0.5)
    ),
    Entry(
        "ExponentiatedGradient unnormalised",
        lambda _: oco.ExponentiatedGradient(N, normalized=False, rate=0.3),
        Gradients(size=0.3),
        "oco::rows_of_the_matrix_of_equivalences",
        proof=POINT,
        without={"identity": "the oracle is an equivalence"},
    ),
    Entry(
        "AdaGrad",
        lambda _: oco.AdaGrad(N, domain=domains.Box(-np.ones(N), np.ones(N))),
        GRADIENTS,
        "oco::coordinates_that_learn_for_themselves",
        "oco_theorems::the_theorems_of_coordinates",
        POINT,
    ),
    Entry(
        "CoinBetting",
        lambda _: oco.CoinBetting(N),
        GRADIENTS,
        "oco::coordinates_that_learn_for_themselves",
        "oco_theorems::the_theorems_of_coordinates",
        POINT,
    ),
    Entry(
        "OnlineNewtonStep",
        lambda _: oco.OnlineNewtonStep(N, slab=1.0),
        Gradients(looks=True),
        "oco_newton::newton_steps",
        "oco_newton::newton_projects_in_its_own_norm",
        POINT_IN_SLAB,
    ),
    Entry(
        "InvariantNewtonStep",
        lambda _: oco.InvariantNewtonStep(N),
        Gradients(looks=True),
        "oco_newton::newton_without_a_start_against_the_oracle",
        "oco_newton::newton_without_a_start_does_not_see_coordinates",
        POINT_IN_SLAB,
    ),
    *(
        Entry(
            f"SketchedOnlineNewton {sketch}",
            lambda seed, sketch=sketch: oco.SketchedOnlineNewton(
                N, sketch=sketch, size=2, seed=seed
            ),
            GRADIENTS,
            "oco_newton::sketched_newton_steps",
            "oco_newton::sketches_that_are_newton_steps",
            POINT,
            draws=sketch == "rp",
        )
        for sketch in ("fd", "rp", "oja")
    ),
    Entry(
        "FollowTheLeader",
        lambda _: oco.FollowTheLeader(N, domains.Ball(1.0)),
        GRADIENTS,
        "oco_leaders::leader_of_any_losses_is_the_best_of_the_domain",
        "oco_leaders::leader_of_squared_distances_is_the_running_mean",
        POINT,
        caches=("_longest",),  # of squared distances, of which there are none
        rounding="the core finds the leaders of linear losses, which Python adds up",
    ),
    Entry(
        "FollowTheRegularizedLeader",
        lambda _: oco.FollowTheRegularizedLeader(geometry.Entropy(), N, rate=0.5),
        GRADIENTS,
        "oco_leaders::smooth_losses_against_another_solver",
        "oco_leaders::exact_bound_is_the_sum_of_dual_divergences",
        POINT,
        rounding="the core finds the leaders of linear losses, which Python adds up",
    ),
    Entry(
        "DoublingTrick",
        lambda _: oco.DoublingTrick(descent_for),
        GRADIENTS,
        "oco_wrappers::each_period_is_a_fresh_player_with_its_horizon",
        "oco_wrappers::doubling_golden",
        POINT,
        load=lambda kind, path: kind.load(path, factory=descent_for),
    ),
    Entry(
        "DensityPlayer",
        lambda _: oco.DensityPlayer(domains.Box([-1.0, -1.0], [1.0, 1.0]), points=16),
        Functions(),
        "oco_density::with_values_it_is_the_expert_algorithm",
        "oco_density::exponential_weights_are_those_of_the_total_losses",
        by_regret(),
        rounding="a run adds up its losses at its end",
    ),
    Entry(
        "DensityPlayer drawn",
        lambda seed: oco.DensityPlayer(
            domains.Ball(1.0), 2, points=16, method="monte-carlo", potential="two-norm", seed=seed
        ),
        Functions(),
        "oco_density::with_values_it_is_the_expert_algorithm",
        "oco_density::monte_carlo_is_uniform_and_by_seed",
        by_regret(),
        draws=True,
        rounding="a run adds up its losses at its end",
    ),
    Entry(
        "Linearized",
        lambda _: oco.Linearized(oco.OnlineGradientDescent(N, rate=0.3)),
        ConvexLosses(),
        "oco_wrappers::linearised_convex_losses",
        "oco_wrappers::linearised_sees_that_a_gradient_is_wrong",
        POINT,
        without=NO_FILE | {"batch": "rounds are functions, one by one"},
    ),
    Entry(
        "MistakeOnly player",
        lambda _: oco.MistakeOnly(oco.OnlineGradientDescent(N, rate=0.5)),
        Rows(labels=(-1, 1), weighs=False, batches=False, dense=True),
        "oco_wrappers::hinge_on_mistakes_only_is_the_perceptron",
        "oco_wrappers::mistakes_are_bounded_by_the_hinge",
        without={
            "batch": "has no learn_many",
            "bound": "that of the player, by what it is given",
        },
    ),
    Entry(
        "MistakeOnly learner",
        lambda _: oco.MistakeOnly(linear.LinearClassifier(rule="ogd")),
        Rows(weighs=False, batches=False),
        "oco_wrappers::learners_on_mistakes_only",
        without={
            "batch": "has no learn_many",
            "bound": "that of the learner, by what it is given",
            "identity": "the oracle is an equivalence",
        },
    ),
]
