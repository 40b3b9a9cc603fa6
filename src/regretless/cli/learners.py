"""From the name of a learner and its options to the learner itself."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from regretless.base.learner import Learner
    from regretless.base.rows import Form
    from regretless.evaluate.validation import FirstLabels


class Learner(StrEnum):
    """`Auto`, the update rules, and the algorithms that have a rule and a loss of their own."""

    AUTO = "auto"
    COIN = "coin"
    ADAGRAD = "adagrad"
    ADAGRAD_PLAIN = "adagrad-plain"
    OGD = "ogd"
    FTRL = "ftrl"
    EG = "eg"
    PNORM = "pnorm"
    PERCEPTRON = "perceptron"
    MARGIN_PERCEPTRON = "margin-perceptron"
    PNORM_PERCEPTRON = "pnorm-perceptron"
    WINNOW = "winnow"
    BALANCED_WINNOW = "balanced-winnow"
    PA = "pa"
    SVM = "svm"
    PRIMAL_DUAL = "primal-dual"
    NEWTON = "newton"
    BOOST = "boost"


class Sketch(StrEnum):
    """The sketches of `regretless.newton`."""

    OJA = "oja"
    FD = "fd"
    RP = "rp"
    FULL = "full"


class Kind(StrEnum):
    """The online boosters of `regretless.boosting`."""

    ADABOOST_OL = "adaboost-ol"
    BBM = "bbm"
    OSBOOST = "osboost"
    OSBOOST_OCP = "osboost-ocp"


class LossName(StrEnum):
    """The losses; the last four are for regression."""

    LOGISTIC = "logistic"
    HINGE = "hinge"
    SQUARED_HINGE = "squared_hinge"
    EXPONENTIAL = "exponential"
    SQUARED = "squared"
    ABSOLUTE = "absolute"
    QUANTILE = "quantile"
    EPSILON_INSENSITIVE = "epsilon_insensitive"


# the class, the option that --rate sets, and the loss it may be called by
_OWN_LOSS: dict[str, tuple[str, str | None, str]] = {
    "perceptron": ("Perceptron", "rate", "hinge"),
    "margin-perceptron": ("MarginPerceptron", None, "hinge"),
    "pnorm-perceptron": ("PNormPerceptron", None, "hinge"),
    "winnow": ("Winnow", "rate", "hinge"),
    "balanced-winnow": ("BalancedWinnow", "rate", "hinge"),
    "pa": ("PassiveAggressive", "C", "hinge"),
    "svm": ("OnlineSVM", "C", "hinge"),
    "primal-dual": ("PrimalDual", "C", "hinge"),
}
# the options that only one learner has
_OWN = {"newton": ("sketch", "size", "alpha"), "boost": ("kind", "weak", "edge", "sampled")}
_BOOSTERS = {
    "adaboost-ol": "AdaBoostOL",
    "bbm": "OnlineBBM",
    "osboost": "OSBoost",
    "osboost-ocp": "OSBoostOCP",
}
_RATED = ("adagrad-plain", "ogd", "ftrl", "eg", "pnorm")
_MATRIX_BITS = 11  # the core has matrices of up to 4,096 features
_REGRESSORS = {"pa": ("PassiveAggressiveRegressor", "C", "epsilon_insensitive")}


def only_classifies(learner: str) -> bool:
    """Whether there is no regressor of that name."""
    return learner == "boost" or (learner in _OWN_LOSS and learner not in _REGRESSORS)


@dataclass(frozen=True, kw_only=True)
class LearnerOptions:
    """All that a learner is made of, besides its task, which the labels may tell."""

    learner: str = "auto"
    loss: str | None = None
    classes: bool = False
    tau: float | None = None
    sketch: str | None = None
    size: int | None = None
    alpha: float | None = None
    kind: str | None = None
    weak: int | None = None
    edge: float | None = None
    sampled: bool = False
    rate: float | None = None
    l1: float = 0.0
    l2: float = 0.0
    bits: int = 18
    exact: bool = False
    names: int = 100_000
    intercept: bool = True
    certify: tuple[float, ...] | None = None  # norms of linear models
    seed: int = 0

    def form(self) -> Form:
        """How the learner wants its examples, whatever its task."""
        from regretless.linear import LinearClassifier

        return LinearClassifier(**{"intercept": False} | self._shared())._form()

    @property
    def decided(self) -> bool:
        """Whether the options say what is predicted, labels or numbers."""
        return self.loss is not None or self.classes

    def is_regression(self, labels: FirstLabels) -> bool:
        """What the options say; without any, whether the labels are numbers that are not all whole.

        `ValueError` if they are whole numbers with so many values that they may be either.
        """
        from regretless import losses

        if self.loss is not None:
            regression = not losses.get(self.loss).classification
            if regression and self.classes:
                raise ValueError(
                    f"--classes makes labels of numbers, and --loss {self.loss} predicts numbers; leave "
                    "out one of them"
                )
            return regression
        if labels.are_many and labels.are_whole and not self.classes:
            learner = "--learner coin " if only_classifies(self.learner) else ""
            raise ValueError(
                f"the labels are numbers with many values ({labels.shown}): {learner}--loss squared "
                "predicts a number, --classes makes a label of each"
            )
        return labels.are_numbers and not labels.are_whole and not self.classes

    def advice(self) -> str:
        """What to do if a score overflows, in options that are not yet in use."""
        if self.learner in ("auto", "coin"):
            return "scale the features and the labels: these numbers are too large"
        if self.learner == "newton" and self.alpha is not None:
            return "raise --alpha, scale the features, or leave --alpha out"
        if self.learner == "adagrad":
            return "lower --rate, or use --learner coin, which has none"
        if self.learner in _RATED:
            return (
                "lower --rate, scale the features, or use --learner adagrad, which needs no scale, or "
                "coin, which needs no rate either"
            )
        return "scale the features, or use --learner coin, which needs no scale"

    def of(self, learner: str) -> LearnerOptions:
        """The same for another learner, without what is not for it."""
        plain = LearnerOptions()
        left_out: dict[str, Any] = {
            name: getattr(plain, name)
            for owner, names in _OWN.items()
            if owner != learner
            for name in names
        }
        if learner in _OWN_LOSS:
            left_out |= {"loss": None, "tau": None}
        return replace(self, learner=learner, **left_out)

    def refuse_options_of_others(self, learners: list[str]) -> None:
        """`ValueError` if there are options of a learner that is not among these."""
        for owner in _OWN.keys() - set(learners):
            for name in self._given(owner):
                raise ValueError(
                    f"--{name} is for --learner {owner}, not for {', '.join(learners)}"
                )

    def _given(self, owner: str) -> dict[str, Any]:
        """Which of the options that only one learner has were given, and how."""
        found = {name: getattr(self, name) for name in _OWN[owner]}
        return {k: v for k, v in found.items() if v is not None and v is not False}

    def make(self, regression: bool) -> Learner:
        """The learner, or `ValueError` if its options do not fit."""
        from regretless import linear

        self.refuse_options_of_others([self.learner])
        if self.learner == "newton":
            return self._newton(regression)
        if self.learner == "boost":
            return self._boost(regression)
        if self.learner == "auto":
            return self._auto(regression)
        if self.learner in _OWN_LOSS:
            return self._with_its_own_loss(regression)
        learner = linear.LinearRegressor if regression else linear.LinearClassifier
        return learner(
            loss=self._loss() or ("squared" if regression else "logistic"),
            rule=self._rule(),
            rate=self.rate,
            l1=self.l1,
            l2=self.l2,
            **self._shared(),
        )

    def _rule(self) -> Any:
        """By its name; AdaGrad is scale invariant unless it is asked for as it was published."""
        from regretless import rules

        if self.learner == "adagrad-plain":
            return rules.AdaGrad()
        if self.learner != "adagrad":
            return self.learner
        if self.l1 or self.l2:
            raise ValueError(
                "--learner adagrad takes no penalty; use --learner adagrad-plain, ftrl or ogd, or leave "
                "out --l1 and --l2"
            )
        return rules.AdaGrad(scale_invariant=True)

    def _loss(self) -> Any:
        """By its name, or made if it is not the one of that name."""
        from regretless import losses

        return self.loss if self.tau is None else losses.Quantile(self.tau)

    def _auto(self, regression: bool) -> Learner:
        from regretless import linear

        for name in ("rate", "l1", "l2"):
            if getattr(self, name):
                remedy = "adagrad" if name == "rate" else "ftrl"
                raise ValueError(
                    f"--{name} is for a single learner, and auto mixes many; use --learner {remedy}"
                )
        kind = linear.AutoRegressor if regression else linear.AutoClassifier
        return kind(loss=self._loss(), **self._shared())

    def _newton(self, regression: bool) -> Learner:
        from regretless import newton

        if self.l1 or self.l2:
            raise ValueError("--learner newton takes no penalty; leave out --l1 and --l2")
        if self.alpha is None and self.rate is not None:
            raise ValueError(
                "--rate is for a single model, and newton without --alpha mixes several; give --alpha"
            )
        if self.sketch == "full" and not self.exact and self.bits > _MATRIX_BITS:
            raise ValueError(
                "--sketch full keeps a matrix of all pairs of features, and hashing makes "
                f"2^{self.bits} of them; add --exact, or --bits {_MATRIX_BITS}"
            )
        kind = newton.NewtonRegressor if regression else newton.NewtonClassifier
        given = self._given("newton")
        return kind(loss=self._loss(), rate=self.rate, **given, **self._shared())

    def _boost(self, regression: bool) -> Learner:
        from regretless import boosting
        from regretless.linear import LinearClassifier

        self._refuse_regression(regression)
        kind = self.kind or "adaboost-ol"
        if kind == "adaboost-ol" and self.edge is not None:
            raise ValueError(
                f"--edge {self.edge:g}: adaboost-ol needs to know none; leave it out, or give --kind bbm"
            )
        tuned = self.rate is not None or self.l1 or self.l2  # which coins take no account of
        weak = LinearClassifier(
            loss=self.loss or "logistic",
            rule="adagrad" if tuned else "coin",
            rate=self.rate,
            l1=self.l1,
            l2=self.l2,
            **self._shared(),
        )
        names = {"weak": "n", "edge": "edge", "sampled": "sampled"}
        given = {names[k]: v for k, v in self._given("boost").items() if k in names}
        made: Learner = getattr(boosting, _BOOSTERS[kind])(weak, seed=self.seed, **given)
        return made

    def _with_its_own_loss(self, regression: bool) -> Learner:
        from regretless import linear

        if only_classifies(self.learner):
            self._refuse_regression(regression)
        name, option, own = (_REGRESSORS if regression else _OWN_LOSS)[self.learner]
        if self.loss not in (None, own):
            raise ValueError(
                f"--learner {self.learner} has a loss of its own, a {own.replace('_', '-')} loss; "
                f"leave out --loss {self.loss}"
            )
        if self.l1 or self.l2:
            raise ValueError(f"--learner {self.learner} takes no penalty; leave out --l1 and --l2")
        if self.rate is not None and option is None:
            raise ValueError(f"--learner {self.learner} has no learning rate; leave out --rate")
        rate = {} if self.rate is None or option is None else {option: self.rate}
        learner: Learner = getattr(linear, name)(**rate, **self._shared())
        return learner

    def _refuse_regression(self, regression: bool) -> None:
        if regression:
            raise ValueError(
                f"the labels are numbers that are not all whole, and the {self.learner} only "
                "classifies; use --learner pa or coin, or --classes to make a label of each"
            )

    def _shared(self) -> dict[str, Any]:
        has_intercept = self.learner != "winnow"  # it has a threshold instead
        return ({"intercept": self.intercept} if has_intercept else {}) | {
            "features": "exact" if self.exact else "hashed",
            "bits": self.bits,
            "names": self.names,
            "seed": self.seed,
        }


def loss_name(model: Learner) -> str:
    """What the learner's loss is called."""
    return model._parts()[0].name
