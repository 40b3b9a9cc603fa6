"""Players of experts: `experts`, and those of `games`."""

from functools import partial

import numpy as np

from regretless import experts, games
from regretless.experts.chip_potentials import MinimaxPotential, TwoNormPotential
from regretless.experts.drifting import ChipPlayer
from regretless.experts.trees import TemplateTree
from roster.kinds import Chips, Entry, Experts, Forecasts, N, Pruned, Votes
from roster.proofs import by_regret

__all__ = ["EXPERTS"]

ORACLE, BOUND = "experts::oracle", by_regret()
PUBLISHED = "experts::published_bounds"  # the numbers of the texts, from the formulas
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
        Experts(sleeps, unit),
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
        Experts(sleeps=False, acts="aside"),
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
        identity="experts::potentials_of_ada_normal_hedge_stay_below",
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
        lambda: experts.Squint(N), identity="experts::potentials_of_squint_stay_below", sleeps=True
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
        Experts(sleeps=False),
        "experts_drifting::weights_and_sums_are_those_of_the_text",
        "experts_drifting::the_sum_never_grows_and_every_bound_holds",
        BOUND,
        load=lambda kind, path: kind.load(path, TwoNormPotential()),
    ),
    Entry(
        "DriftingGame drawn",
        lambda seed: experts.DriftingGame(N, seed=seed),
        Experts(sleeps=False, acts="told"),
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
        "experts_drifting::recursion_against_brute_force",
        "experts_drifting::two_movements_have_a_closed_form",
        load=lambda kind, path: kind.load(path, BIASED),
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
        load=lambda kind, path: kind.load(path, TREE, "absolute"),
        without={"batch": "has no run"},
    ),
]
