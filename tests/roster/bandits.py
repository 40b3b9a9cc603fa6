"""Players that see only what their choice cost: `bandits`."""

from regretless import bandits, geometry
from regretless.linear import LinearRegressor
from roster.convex import LATE
from roster.kinds import Advised, Arms, Context, Costs, Entry, N, Points
from roster.proofs import by_regret

__all__ = ["BANDITS"]

ARMS, FEW = Arms(), Arms(length=8)  # what takes long to ask is asked less
ORACLE = "arms::weights_and_certificates_are_the_oracles"
MEANS = "arms::estimates_are_right_in_the_mean_exactly"
BOUND = by_regret()
POTENTIAL = bandits.BanditPotential(0.2, N)
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
        Arms(1e150),
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
        BOUND,
        draws=True,
        load=lambda kind, path: kind.load(path, POTENTIAL),
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
        BOUND,
    ),
    Entry(
        "EpsilonGreedyLearner",
        lambda seed: bandits.EpsilonGreedyLearner(LinearRegressor(), N, epsilon=0.3, seed=seed),
        Context(),
        "contextual::arms_are_drawn_as_told",
        "contextual::epsilon_greedy_run_is_its_rounds",
        draws=True,
        caches=DRAWN,
        without={
            "bound": "has no theorem: learners are anybody's",
            "waiting": "a file keeps no context",
        },
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
            fails=LATE if rate == "anytime" else {},
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
