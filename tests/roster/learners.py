"""Learners of examples: `linear`, `newton`, `boosting`."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from regretless import boosting, linear, newton, rules
from regretless.checks import kinds
from regretless.checks.kinds import Calls, Kind, Takes, scaled
from roster.kinds import INF, NAN, Entry, N
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

__all__ = ["LEARNERS", "Rows"]


# --- kinds ------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Rows(kinds.Rows):
    """Learners of examples, which share more than the public checks know."""

    labels: tuple[Any, ...] = ("ham", "spam", "eggs")  # the last comes late
    named: bool = False
    weighs: bool = True
    batches: bool = True  # has learn_many
    binary: bool = False  # features are 0 and 1

    def stream(self, count: int, seed: int = 0) -> list[Any]:
        rng = np.random.default_rng(seed)
        X = np.where(rng.random((count, N)) < 0.2, 0.0, rng.normal(size=(count, N)))
        X = (X > 0).astype(float) if self.binary else X
        score = X @ np.array([1.0, -0.5, 0.25, 0.0]) + 0.3 * rng.normal(size=count)
        if not self.labels:
            return [(self.row(x), y) for x, y in zip(X, np.tanh(score).tolist())]
        known = np.where(np.arange(count) < 15, min(len(self.labels), 2), len(self.labels))
        which = [int(s * k / 2 + k / 2) % k for s, k in zip(np.tanh(score), known)]
        return [(self.row(x), self.labels[k]) for x, k in zip(X, which)]

    def two(self, count: int, seed: int = 0) -> list[Any]:
        """A stream of numbers, or of the first two labels."""
        return replace(self, labels=self.labels[:2]).stream(count, seed)

    def ask(self, player: Any, round: Any) -> Any:
        asked = super().ask(player, round)
        if self.batches and player.examples_:
            asked.append(player.predict(self.table([round])[0]))
        return asked

    def has_many(self, player: Any) -> bool:
        return self.batches

    def many(self, player: Any, rounds: list[Any]) -> None:
        weights = [[w for *_, w in rounds]] if rounds and len(rounds[0]) == 3 else []
        player.learn_many(*self.table(rounds), *weights)

    def bad(self, rounds: list[Any]) -> Calls:
        (x, y), wrong = rounds[-1], {0: 1.0, "new": 1.0, 1: INF}
        if self.dense:
            wrong = np.where(np.arange(N) == 1, NAN, x)
        calls: Calls = {
            "x is not finite": (lambda p: p.learn_one(wrong, y), r"x\[1\] = (nan|inf)"),
            "x asked is not finite": (lambda p: p.predict_one(wrong), r"x\[1\] = (nan|inf)"),
            "x is text": (lambda p: p.learn_one("spam", y), "x"),
            "y is None": (lambda p: p.learn_one(x, None), "y"),
            "y is NaN": (lambda p: p.learn_one(x, NAN), "y"),
            "y is a list": (lambda p: p.learn_one(x, [y]), "y"),
        }
        if not self.labels:
            calls["y is infinite"] = (lambda p: p.learn_one(x, INF), "y.*inf")
        if self.weighs:
            for w in (-1.0, NAN, INF, "2"):
                calls[f"w={w!r}"] = (lambda p, w=w: p.learn_one(x, y, w), "w")
        if self.batches:
            X, targets = self.table(rounds)
            hole = X.copy()
            hole[-1, 1] = NAN
            last = [*targets[:-1], None]
            calls |= {
                "X has a hole": (lambda p: p.learn_many(hole, targets), r"X\[\d+, 1\] = nan"),
                "X asked has a hole": (lambda p: p.predict(hole), r"X\[\d+, 1\] = nan"),
                "y is short": (lambda p: p.learn_many(X, targets[:-1]), r"X has \d+ rows, y has"),
                "y ends in None": (lambda p: p.learn_many(X, last), "y"),
                "X is text": (lambda p: p.learn_many("spam", targets), "X"),
            }
        return calls

    def takes(self, rounds: list[Any]) -> Takes:
        X, y = self.table(rounds)
        row, target = X[-1], y[-1]
        found: Takes = {
            "x": (lambda p, v: p.learn_one(v, target), row),
            "x asked": (lambda p, v: p.predict_one(v), row),
        }
        if not self.labels:
            found["y"] = (lambda p, v: p.learn_one(row, v), target)
        if self.weighs:
            found["w"] = (lambda p, v: p.learn_one(row, target, v), 2.0)
        if self.batches:
            found["X"] = (lambda p, v: p.learn_many(v, y), X)
            found["X asked"] = (lambda p, v: p.predict(v), X)
            if not self.labels:
                found["y of many"] = (lambda p, v: p.learn_many(X, v), y)
            if self.weighs:
                found["w of many"] = (lambda p, v: p.learn_many(X, y, v), np.ones(len(X)))
        return found

    def extremes(self, sizes: Sequence[float]) -> list[list[Any]]:
        plain = self.stream(self.length)[::2]
        weights = scaled(plain, lambda r, size: (*r, abs(size)), sizes) if self.weighs else []
        several = scaled(plain, self._times_all, sizes) if self.weighs and not self.labels else []
        return [*super().extremes(sizes), *weights, *several]

    def _times_all(self, round: Any, size: float) -> Any:
        """Features and weights are the larger, the smaller targets are."""
        return self._times(round[0], min(1 / size, 1e19)), round[1] * size, min(abs(1 / size), 1e9)

    def weightless(self) -> dict[str, tuple[Callable[[Any], Any], Callable[[Any], Any]]]:
        """Alone and among others: their label, their name and their size are seen nowhere else."""
        if not self.weighs:
            return {}
        rounds, none = self.stream(8, seed=2), np.zeros(8)
        strange = "strange" if self.labels else 0.125
        x = {"strange": 1.0} if self.binary else {**rounds[0][0], "strange": 7.0}
        nothing: Callable[[Any], Any] = lambda player: None  # noqa: E731
        calls: dict[str, Any] = {
            "learn_one": (lambda p: p.learn_one(x, strange, 0.0), nothing),
            "a whole 0": (lambda p: p.learn_one(x, strange, 0), nothing),
        }
        if not self.batches:
            return calls
        (X, y), odd = self.table(rounds), [strange] * 8
        wide = (
            np.hstack([X, np.ones((8, 1))])
            if self.binary
            else np.hstack([7.0 * X, 7.0 + none[:, None]])
        )
        among = np.vstack([np.hstack([X, none[:, None]]), wide, np.hstack([X, none[:, None]])])
        labels, w = [*y, *odd, *y], np.r_[none + 0.5, none, none + 2.0]
        there = w > 0
        plain, left = among[there, :N], [each for each, kept in zip(labels, there) if kept]
        return calls | {
            "step": (lambda p: p.step(x, strange, 0.0), nothing),
            "learn_many": (lambda p: p.learn_many(wide, odd, none), nothing),
            "partial_fit": (lambda p: p.partial_fit(wide, odd, sample_weight=none), nothing),
            "validate_many": (lambda p: p.validate_many(wide, odd, none), nothing),
            "among others": (
                lambda p: p.learn_many(among, labels, w),
                lambda p: p.learn_many(plain, left, w[there]),
            ),
            "fit": (lambda p: p.fit(among, labels, w), lambda p: p.fit(plain, left, w[there])),
        }


@dataclass(frozen=True)
class Fitted(Kind):
    """What is fitted in batch: a round is a sample."""

    length = 3
    numbers: bool = False  # targets are numbers, features the values of base functions

    def stream(self, count: int, seed: int = 0) -> list[Any]:
        rng = np.random.default_rng(seed)
        samples = []
        for _ in range(count):
            X = np.tanh(rng.normal(size=(30, N)))
            score = X[:, 0] - 0.5 * X[:, 1] + 0.3 * rng.normal(size=30)
            samples.append((X, score if self.numbers else np.where(score > 0, "spam", "ham")))
        return samples

    def ask(self, player: Any, round: Any) -> Any:
        if not hasattr(player, "_ensembles") and not hasattr(player, "coef_"):
            return None
        methods = ("predict", "decision_function", "predict_proba")
        return [getattr(player, m)(round[0]) for m in methods if hasattr(player, m)]

    def feed(self, player: Any, round: Any) -> Any:
        player.fit(*round)

    def bad(self, rounds: list[Any]) -> Calls:
        name, (X, y) = "base" if self.numbers else "X", rounds[-1]
        hole, other = X.copy(), y.astype(object)
        hole[3, 1], other[2] = NAN, None
        return {
            "a hole": (lambda p: p.fit(hole, y), name),
            "text": (lambda p: p.fit("spam", y), name),
            "short": (lambda p: p.fit(X, y[:-1]), name),
            "no rows": (lambda p: p.fit(X[:0], y[:0]), f"{name}|y"),
            "y has None": (lambda p: p.fit(X, other), "y"),
            **({} if self.numbers else {"one label": (lambda p: p.fit(X, y[:1].repeat(30)), "y")}),
        }

    def takes(self, rounds: list[Any]) -> Takes:
        name, (X, y) = "base" if self.numbers else "X", rounds[-1]
        found: Takes = {name: (lambda p, v: p.fit(v, y), X)}
        if self.numbers:
            found["y"] = (lambda p, v: p.fit(X, v), y)
        return found

    def extremes(self, sizes: Sequence[float]) -> list[list[Any]]:
        few = self.stream(2)
        features = scaled(few, lambda r, size: (r[0] * size, r[1]), sizes)
        targets = scaled(few, lambda r, size: (r[0], r[1] * size), sizes) if self.numbers else []
        return [*features, *targets]


# --- the lines --------------------------------------------------------------------------------------

CLASSES, NUMBERS = Rows(), Rows(labels=())
BITS = Rows(binary=True)
POSITIVE = np.array([1.0, 0.0, 0.5, 0.0])
RULES = "rules::agrees_on_seeded_streams"
DOUBLE = "precision::double_agrees_with_the_oracles"
SKETCH = "newton::is_the_dense_algorithm"
PROOF = by_mistakes()
FITTED = {
    "batch": "is fitted to a sample, and again to another",
    "vocabulary": "`rounds` are those of boosting",
}
WEAK = {"bound": "a weak learner: what it does is measured by the booster"}
GROWN = {"bound": "no theorem bounds the regret of a tree that grows"}
RELABELLED = "trees::the_order_in_which_labels_appear_does_not_matter"
SHIFTED = "trees::numbers_have_no_origin_and_no_unit"


def _linear(rule, identity="", precision="single", **options):
    """A line for each of the two tasks."""
    for kind, make in ((CLASSES, linear.LinearClassifier), (NUMBERS, linear.LinearRegressor)):
        yield Entry(
            f"{make.__name__} {rule}" + " double" * (precision == "double"),
            lambda seed, make=make: make(
                rule=rule, precision=precision, certify=True, seed=seed, **options
            ),
            kind,
            RULES if precision == "single" else DOUBLE,
            identity or "certificates::is_an_equality_on_linear_losses",
            proof=first_order,
        )


def _perceptron(name, make, oracle, identity, kind=CLASSES, proof=PROOF, **more):
    return Entry(
        name, lambda seed: make(certify=True, seed=seed), kind, oracle, identity, proof, **more
    )


_IDENTITIES = {
    "coin": "equivalences::coin_follows_the_scale_of_the_target",
    "ogd": "bounds::ogd_identity_and_bound",
    "ftrl": "equivalences::ftrl_without_penalties_is_adagrad",
}
LEARNERS = [
    *(entry for rule in rules.RULES for entry in _linear(rule, _IDENTITIES.get(rule, ""))),
    *(
        entry
        for rule in rules.RULES
        for entry in _linear(rule, _IDENTITIES.get(rule, ""), "double")
    ),
    _perceptron(
        "Perceptron vote double",
        partial(linear.Perceptron, average="vote", precision="double"),
        DOUBLE,
        "perceptrons::averages_change_no_update",
    ),
    _perceptron(
        "MarginPerceptron double",
        partial(linear.MarginPerceptron, precision="double"),
        DOUBLE,
        "margin_perceptrons::no_margin_is_the_perceptron",
        proof=by_mistakes(margin=0.1),
    ),
    _perceptron(
        "Winnow double",
        partial(linear.Winnow, precision="double"),
        "winnow::agrees_with_the_oracle",
        "winnow::winnow_is_unnormalised_exponentiated_gradient",
        BITS,
        by_mistakes(POSITIVE),
    ),
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
        "margin_perceptrons::no_margin_is_the_perceptron",
        proof=by_mistakes(margin=0.1),
    ),
    _perceptron(
        "PNormPerceptron",
        linear.PNormPerceptron,
        RULES,
        "margin_perceptrons::pnorm_2_is_the_perceptron",
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
        "OnlineSVM double",
        lambda seed: linear.OnlineSVM(C=2.0, precision="double", certify=True, seed=seed),
        CLASSES,
        DOUBLE,
        "online_svm::descent_is_an_identity_where_the_losses_are_linear",
        proof=by_svm,
    ),
    Entry(
        "PassiveAggressive double",
        lambda seed: linear.PassiveAggressive(precision="double", certify=True, seed=seed),
        CLASSES,
        DOUBLE,
        "bounds::passive_aggressive_climbs_the_dual",
        proof=first_order,
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
        "primal_dual_theorems::the_increases_are_those_of_the_lemmas",
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
            make.__name__ + ending,
            lambda seed, make=make, given=given: make(seed=seed, **given),
            kind,
            "auto::the_mixture",
            "auto::weights_are_the_mean_of_the_lanes",
            proof=by_regret(),
        )
        for kind, make in ((CLASSES, linear.AutoClassifier), (NUMBERS, linear.AutoRegressor))
        for ending, given in (("", {}), (" double", {"precision": "double"}))
    ),
    *(
        Entry(
            f"{make.__name__} second order",
            lambda seed, make=make: make(second_order=True, seed=seed),
            kind,
            "auto::second_order_lanes_in_the_mixture",
            "auto::lanes_of_two_learners",
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
        "boosting_weak_learners::loss_is_the_log_loss_of_the_log_odds",
        proof=by_boosting,
        draws=True,
    ),
    *(
        Entry(
            make.__name__,
            lambda seed, make=make: make(n=5, seed=seed),
            CLASSES,
            "boosting::osboost_is_that_of_the_text",
            "boosting_weak_learners::votes_weights_and_scores_are_the_voting",
            proof=by_boosting,
        )
        for make in (boosting.OSBoost, boosting.OSBoostOCP)
    ),
    Entry(
        "OSBoost sampled",
        lambda seed: boosting.OSBoost(n=5, sampled=True, seed=seed),
        CLASSES,
        "boosting::osboost_is_that_of_the_text",
        "boosting_weak_learners::sampled",
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
    *(
        Entry(
            make.__name__,
            lambda _, make=make: make(tie=0.6, grace=5),
            kind,
            "trees::tree_is_the_oracle",
            identity,
            without=GROWN,
        )
        for kind, make, identity in (
            (CLASSES, boosting.Tree, RELABELLED),
            (NUMBERS, boosting.TreeRegressor, SHIFTED),
        )
    ),
    *(
        Entry(
            make.__name__,
            lambda seed, make=make: make(n=3, seed=seed),
            kind,
            "trees::forest_is_the_oracle",
            identity,
            draws=True,
            without=GROWN,
        )
        for kind, make, identity in (
            (CLASSES, boosting.Forest, RELABELLED),
            (NUMBERS, boosting.ForestRegressor, SHIFTED),
        )
    ),
    Entry(
        "OnlineBBM of trees",
        lambda seed: boosting.OnlineBBM(boosting.Tree(depth=2, tie=0.6, grace=5), n=5, seed=seed),
        CLASSES,
        "boosting::boost_by_majority_is_that_of_the_text",
        "trees::lanes_are_the_objects",
        proof=by_boosting,
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
            without=FITTED,
        )
        for make in (boosting.AdaBoost, boosting.NHBoost, boosting.NHBoostDT)
    ),
    Entry(
        "BatchGradientBoosting",
        lambda _: boosting.BatchGradientBoosting(rounds=8),
        Fitted(numbers=True),
        "batch_gradient::batch_boosting_and_its_bounds",
        without={
            "identity": "bounds are all there is, in its oracle's test",
            "clone": "has none: it is its options, fitted at once",
            "file": "has none: fitted at once from the values of functions",
            "bound": "certificate(weights) is checked by its oracle's test",
        }
        | FITTED,
    ),
]
