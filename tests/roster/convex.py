"""Players of convex losses: `oco`."""

import numpy as np

from regretless import domains, geometry, linear, oco
from roster.kinds import ConvexLosses, Entry, Functions, Gradients, N, Rows
from roster.proofs import by_regret

__all__ = ["CONVEX", "LATE"]

GRADIENTS = Gradients()
E1 = np.eye(N)[0]
POINT = by_regret(lambda player: player.certificate(E1))
DESCENT = "oco::mirror_descent_is_what_the_formulas_say"
LATE = {
    "bound": "gradients of 0 leave the first other one out of the bound, in core/oco/mirror.hpp"
}
NO_FILE = {"file": "made of a function or of another player; pickle it"}


def descent_for(horizon):
    """What `DoublingTrick` makes for each period."""
    return oco.OnlineGradientDescent(N, rate=0.7 / horizon**0.5)


CONVEX = [
    Entry(
        "OnlineGradientDescent",
        lambda _: oco.OnlineGradientDescent(N),
        GRADIENTS,
        DESCENT,
        "oco::the_identity_of_mirror_descent",
        POINT,
        fails=LATE,
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
        "oco::the_identity_of_mirror_descent",
        POINT,
        fails=LATE,
    ),
    Entry(
        "OnlineMirrorDescent in Python",
        lambda _: oco.OnlineMirrorDescent(
            geometry.PNorm(3.0), N, rate=0.3, domain=domains.Ball(1.0), lazy=False
        ),
        Gradients(length=8),  # each point is searched for
        "oco::the_twin_in_python_plays_the_same",
        "oco::the_identity_of_mirror_descent",
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
            fails=LATE if rate == "anytime" else {},
        )
        for rate in ("anytime", 0.5)
    ),
    Entry(
        "ExponentiatedGradient unnormalised",
        lambda _: oco.ExponentiatedGradient(N, normalized=False, rate=0.3),
        Gradients(0.3),
        "oco::rows_of_the_matrix_of_equivalences",
        proof=POINT,
        without={"identity": "the oracle is an equivalence"},
        fails={"extremes": "a gradient of -1e49 makes a weight infinite, and is not refused"},
    ),
    Entry(
        "AdaGrad",
        lambda _: oco.AdaGrad(N, domain=domains.Box(-np.ones(N), np.ones(N))),
        GRADIENTS,
        "oco::coordinates_that_learn_for_themselves",
        "oco::the_other_theorems",
        POINT,
    ),
    Entry(
        "CoinBetting",
        lambda _: oco.CoinBetting(N),
        GRADIENTS,
        "oco::coordinates_that_learn_for_themselves",
        "oco::the_other_theorems",
        POINT,
        fails={"extremes": "gradients of 1e49, beyond what was promised, make the point infinite"},
    ),
    Entry(
        "OnlineNewtonStep",
        lambda _: oco.OnlineNewtonStep(N, bound=1.0),
        Gradients(looks=True),
        "oco::newton_steps",
        "oco::newton_projects_in_its_own_norm",
        POINT,
    ),
    Entry(
        "InvariantNewtonStep",
        lambda _: oco.InvariantNewtonStep(N),
        Gradients(looks=True),
        "oco::newton_without_a_start_against_the_oracle",
        "oco::newton_without_a_start_does_not_see_coordinates",
        POINT,
        fails={"extremes": "gradients of 1e-151 make the point NaN"},
    ),
    *(
        Entry(
            f"SketchedOnlineNewton {sketch}",
            lambda seed, sketch=sketch: oco.SketchedOnlineNewton(
                N, sketch=sketch, size=2, seed=seed
            ),
            GRADIENTS,
            "oco::sketched_newton_steps",
            "oco::sketches_that_are_newton_steps",
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
        caches=("_last",),  # for `stability` of the last round, and not of a file
        rounding="the core finds the leaders of linear losses, which Python adds up",
    ),
    Entry(
        "DoublingTrick",
        lambda _: oco.DoublingTrick(descent_for),
        GRADIENTS,
        "oco_wrappers::each_period_is_a_fresh_player_with_its_horizon",
        "oco_wrappers::doubling_golden",
        POINT,
        without=NO_FILE,
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
        Rows(labels=(-1, 1), weighs=False, batches=False, dense=True, starts_over=False),
        "oco_wrappers::hinge_on_mistakes_only_is_the_perceptron",
        "oco_wrappers::mistakes_are_bounded_by_the_hinge",
        without=NO_FILE
        | {"batch": "has no learn_many", "bound": "that of the player, by what it is given"},
    ),
    Entry(
        "MistakeOnly learner",
        lambda _: oco.MistakeOnly(linear.LinearClassifier(rule="ogd")),
        Rows(weighs=False, batches=False, starts_over=False),
        "oco_wrappers::learners_on_mistakes_only",
        without=NO_FILE
        | {
            "batch": "has no learn_many",
            "bound": "that of the learner, by what it is given",
            "identity": "the oracle is an equivalence",
        },
    ),
]
