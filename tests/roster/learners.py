"""Learners of examples: `linear`, `newton`, `boosting`."""

from functools import partial

import numpy as np

from regretless import boosting, linear, newton
from roster.kinds import Entry, Fitted, Rows
from roster.proofs import (
    by_boosting,
    by_duality,
    by_kernel,
    by_margins,
    by_mistakes,
    by_regret,
    by_second_run,
    by_svm,
    first_order,
)

__all__ = ["LEARNERS"]

CLASSES, NUMBERS = Rows(), Rows(labels=())
BITS = Rows(binary=True)
POSITIVE = np.array([1.0, 0.0, 0.5, 0.0])
RULES = "rules::agrees_on_seeded_streams"
SKETCH = "newton::is_the_dense_algorithm"
PROOF = by_mistakes()
WEAK = {"bound": "a weak learner: what it does is measured by the booster"}


def _linear(rule, identity="", **options):
    """A line for each of the two tasks."""
    for kind, make in ((CLASSES, linear.LinearClassifier), (NUMBERS, linear.LinearRegressor)):
        yield Entry(
            f"{make.__name__} {rule}",
            lambda seed, make=make: make(rule=rule, certify=True, seed=seed, **options),
            kind,
            RULES,
            identity or "certificates::is_an_equality_on_linear_losses",
            proof=first_order,
        )


def _perceptron(name, make, oracle, identity, kind=CLASSES, proof=PROOF, **more):
    return Entry(
        name, lambda seed: make(certify=True, seed=seed), kind, oracle, identity, proof, **more
    )


LEARNERS = [
    *_linear("coin", "equivalences::coin_follows_the_scale_of_the_target"),
    *_linear("adagrad"),
    *_linear("ogd", "bounds::ogd_identity_and_bound"),
    *_linear("ftrl", "equivalences::ftrl_without_penalties_is_adagrad"),
    *_linear("eg"),
    *_linear("pnorm"),
    Entry(
        "LinearClassifier hashed",
        lambda seed: linear.LinearClassifier(features="hashed", bits=6, certify=True, seed=seed),
        CLASSES,
        "rules::hashed_columns_are_exact_columns",
        without={
            "bound": "names share rows, so that weights_ are not all there is",
            "identity": "the oracle is an equivalence",
        },
    ),
    _perceptron(
        "Perceptron",
        linear.Perceptron,
        RULES,
        "equivalences::perceptron_is_ogd_on_the_conservative_hinge",
    ),
    *(
        _perceptron(
            f"Perceptron {average}",
            partial(linear.Perceptron, average=average),
            "perceptrons::averages_agree_with_the_oracle",
            "perceptrons::averages_change_no_update",
        )
        for average in ("survival", "uniform", "vote")
    ),
    _perceptron(
        "MarginPerceptron",
        linear.MarginPerceptron,
        RULES,
        "perceptrons::no_margin_is_the_perceptron",
        proof=by_mistakes(margin=0.1),
    ),
    _perceptron(
        "PNormPerceptron", linear.PNormPerceptron, RULES, "perceptrons::pnorm_2_is_the_perceptron"
    ),
    _perceptron(
        "Winnow",
        linear.Winnow,
        "winnow::agrees_with_the_oracle",
        "winnow::winnow_is_unnormalised_exponentiated_gradient",
        BITS,
        by_mistakes(POSITIVE),
    ),
    _perceptron(
        "BalancedWinnow",
        partial(linear.BalancedWinnow, rate=0.02),  # for features up to 3
        RULES,
        "winnow::balanced_winnow_is_the_normalised_one_on_both_signs",
    ),
    Entry(
        "OnlineSVM",
        lambda seed: linear.OnlineSVM(C=2.0, certify=True, seed=seed),
        CLASSES,
        RULES,
        "online_svm::descent_is_an_identity_where_the_losses_are_linear",
        proof=by_svm,
    ),
    Entry(
        "PassiveAggressive",
        lambda seed: linear.PassiveAggressive(certify=True, seed=seed),
        CLASSES,
        RULES,
        "bounds::passive_aggressive_climbs_the_dual",
        proof=first_order,
    ),
    Entry(
        "PassiveAggressiveRegressor",
        lambda seed: linear.PassiveAggressiveRegressor(certify=True, seed=seed),
        NUMBERS,
        RULES,
        "bounds::exact_steps_of_the_regressor",
        proof=first_order,
    ),
    Entry(
        "PrimalDual",
        lambda seed: linear.PrimalDual(C=0.5, intercept=False, seed=seed),
        CLASSES,
        "primal_dual::it_does_what_the_oracle_does",
        "primal_dual::the_increases_are_those_of_the_lemmas",
        proof=by_duality,
    ),
    Entry(
        "PrimalDual sequential",
        lambda seed: linear.PrimalDual(
            update="sequential", order="random", window=4, intercept=False, seed=seed
        ),
        CLASSES,
        "primal_dual::it_does_what_the_oracle_does",
        "primal_dual::many_steps_in_any_order_reach_the_leader",
        proof=by_duality,
        draws=True,
    ),
    Entry(
        "KernelPerceptron",
        lambda _: linear.KernelPerceptron(kernel="polynomial", gamma=0.5),
        CLASSES,
        "kernel_perceptron::it_does_what_the_oracle_does",
        "kernel_perceptron::the_linear_kernel_is_the_perceptron",
        proof=by_kernel,
    ),
    Entry(
        "KernelPerceptron budget",
        lambda _: linear.KernelPerceptron(kernel="rbf", average="survival", budget=5),
        CLASSES,
        "kernel_perceptron::it_does_what_the_oracle_does",
        "kernel_perceptron::dropping_changes_scores_by_no_more_than_said",
        without={"bound": "what was dropped is no longer in the space that the theorem speaks of"},
    ),
    *(
        Entry(
            make.__name__,
            lambda seed, make=make: make(seed=seed),
            kind,
            "auto::the_mixture",
            "auto::weights_are_the_mean_of_the_lanes",
            proof=by_regret(),
        )
        for kind, make in ((CLASSES, linear.AutoClassifier), (NUMBERS, linear.AutoRegressor))
    ),
    *(
        Entry(
            f"{make.__name__} {sketch}",
            lambda seed, make=make, sketch=sketch: make(
                sketch=sketch, size=3, alpha=1.0, diagonal=False, certify=True, seed=seed
            ),
            kind,
            SKETCH,
            "newton::frequent_directions_that_suffice_are_the_full_matrix",
            proof=first_order,
            draws=sketch == "rp",
        )
        for kind, make in ((CLASSES, newton.NewtonClassifier), (NUMBERS, newton.NewtonRegressor))
        for sketch in ("full", "fd", "rp", "oja")
    ),
    *(
        Entry(
            f"{make.__name__} tuned",
            lambda seed, make=make: make(size=2, seed=seed),
            kind,
            "newton::tuned_lanes",
            "newton::tuned_learners_have_no_units",
            proof=by_regret(),
        )
        for kind, make in ((CLASSES, newton.NewtonClassifier), (NUMBERS, newton.NewtonRegressor))
    ),
    Entry(
        "OnlineBBM",
        lambda seed: boosting.OnlineBBM(n=5, seed=seed),
        CLASSES,
        "boosting::boost_by_majority_is_that_of_the_text",
        "boosting::identity_of_boost_by_majority",
        proof=by_boosting,
    ),
    Entry(
        "AdaBoostOL",
        lambda seed: boosting.AdaBoostOL(n=5, seed=seed),
        CLASSES,
        "boosting::adaboost_ol_is_that_of_the_text",
        "boosting_learners::loss_is_the_log_loss_of_the_log_odds",
        proof=by_boosting,
        draws=True,
    ),
    *(
        Entry(
            make.__name__,
            lambda seed, make=make: make(n=5, seed=seed),
            CLASSES,
            "boosting::osboost_is_that_of_the_text",
            "boosting_learners::votes_weights_and_scores_are_the_voting",
            proof=by_boosting,
        )
        for make in (boosting.OSBoost, boosting.OSBoostOCP)
    ),
    Entry(
        "OSBoost sampled",
        lambda seed: boosting.OSBoost(n=5, sampled=True, seed=seed),
        CLASSES,
        "boosting::osboost_is_that_of_the_text",
        "boosting_learners::sampled",
        proof=by_boosting,
        draws=True,
    ),
    Entry(
        "GradientBoostingHull",
        lambda _: boosting.GradientBoostingHull(n=5, range=(-1.0, 1.0)),
        NUMBERS,
        "gradient_boosting::hull_is_algorithm_10",
        "gradient_boosting::theorem_14_by_hand",
        proof=by_second_run,
    ),
    Entry(
        "GradientBoostingSpan",
        lambda _: boosting.GradientBoostingSpan(n=5, range=(-1.0, 1.0)),
        NUMBERS,
        "gradient_boosting::span_is_algorithm_9",
        "gradient_boosting::one_copy_is_the_same_in_both",
        proof=by_second_run,
    ),
    Entry(
        "Stump",
        lambda _: boosting.Stump(),
        NUMBERS,
        "stumps::stump_is_the_oracle_on_targets",
        "stumps::a_line_has_the_regret_of_gradient_descent",
        without=WEAK,
    ),
    Entry(
        "DecisionStump",
        lambda _: boosting.DecisionStump(),
        NUMBERS,
        "stumps::decision_stump_is_the_oracle",
        "stumps::decision_stump_asks_for_presence_and_for_sign",
        without=WEAK,
    ),
    Entry(
        "NeuralNet",
        lambda seed: boosting.NeuralNet(hidden=3, seed=seed),
        NUMBERS,
        "neural_net::is_the_oracle",
        draws=True,
        without=WEAK | {"identity": "is not convex: nothing is known of it"},
    ),
    Entry(
        "BothSigns",
        lambda _: boosting.BothSigns(boosting.Stump()),
        Rows(labels=(), batches=False),
        "gradient_variants::both_signs_is_the_mean_by_hedge",
        "gradient_variants::both_signs_negates_what_cannot_be_negated",
        without=WEAK
        | {
            "batch": "has no learn_many",
            "file": "a part of boosters, which are pickled if it is theirs",
        },
    ),
    *(
        Entry(
            make.__name__,
            lambda _, make=make: make(rounds=8),
            Fitted(),
            "batch_boosting::every_round_against_the_oracle",
            "batch_boosting::regrets_are_margins",
            proof=by_margins,
            without={"batch": "is fitted to a sample, and again to another"},
        )
        for make in (boosting.AdaBoost, boosting.NHBoost, boosting.NHBoostDT)
    ),
    Entry(
        "BatchGradientBoosting",
        lambda _: boosting.BatchGradientBoosting(n=8),
        Fitted(numbers=True),
        "batch_gradient::batch_boosting_and_its_bounds",
        without={
            "identity": "bounds are all there is, in its oracle's test",
            "batch": "is fitted to a sample, and again to another",
            "clone": "has none: it is its options, fitted at once",
            "file": "has none: fitted at once from the values of functions",
            "bound": "certificate(weights) is checked by its oracle's test",
        },
    ),
]
