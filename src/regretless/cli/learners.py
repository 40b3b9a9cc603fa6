"""Learners on the command line: their names, their options, and how they are made."""

from __future__ import annotations

from dataclasses import replace
from enum import StrEnum
from functools import partial
from typing import TYPE_CHECKING, Any

from regretless.cli.declare import Options, above, at_least, between, option, within
from regretless.cli.options import learning_option

if TYPE_CHECKING:
    from regretless.base.learner import Learner
    from regretless.base.rows import Form
    from regretless.evaluate.validation import FirstLabels


class LearnerName(StrEnum):
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


class SketchName(StrEnum):
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


_own_option = partial(option, panel="Options of newton and boost")


def _norms(text: str) -> tuple[float, ...]:
    """The numbers of `--certify`."""
    try:
        found = tuple(float(each) for each in text.split(","))
    except ValueError:
        raise ValueError(f"{text!r} is not a number, or several like 1,3,10") from None
    for norm in found:
        if not 1e-19 <= norm <= 1e19:
            raise ValueError(f"a norm must be above 0, from 1e-19 to 1e19, got {norm:g}")
    if len(found) > 64:
        raise ValueError(f"{len(found)} norms are too many; give at most 64")
    return found


class LearningOptions(Options):
    """The options of learning that `train` and `compare` share."""

    loss: str | None = learning_option(
        "--loss",
        choices=LossName,
        help="Loss to minimise; by default logistic, or squared if the labels are numbers that are not "
        "all whole. Whole numbers with many values need --loss or --classes.",
    )
    classes: bool = learning_option(
        "--classes",
        default=False,
        help="Treat every number among the labels as a class, however many there are.",
    )
    tau: float | None = learning_option(
        "--tau",
        parse=between(0, 1),
        help="Quantile that --loss quantile predicts; by default 0.5, the median.",
    )
    sketch: str | None = _own_option(
        "--sketch",
        choices=SketchName,
        help="How newton keeps the directions of large gradients; by default oja.",
    )
    size: int | None = _own_option(
        "--size",
        parse=within(0, 1000),
        help="Number of directions that newton keeps; by default 10.",
    )
    alpha: float | None = _own_option(
        "--alpha",
        parse=above(0),
        help="Inverse step size of newton; by default several are mixed.",
    )
    kind: str | None = _own_option(
        "--kind",
        choices=Kind,
        help="How boost combines its weak learners; by default adaboost-ol.",
    )
    weak: int | None = _own_option(
        "--weak",
        parse=within(1, 10_000),
        help="Number of weak learners of boost; by default 20.",
    )
    edge: float | None = _own_option(
        "--edge",
        parse=between(0, 0.5),
        help="How much better than chance boost may expect its weak learners to be; by default 0.1.",
    )
    sampled: bool = _own_option(
        "--sampled",
        default=False,
        help="Let boost pass an example to a weak learner with a probability, not with a weight.",
    )
    bits: int = learning_option(
        "--bits",
        default=18,
        parse=within(1, 31),
        help="Hash the features to 2^N weights.",
    )
    exact: bool = learning_option(
        "--exact", default=False, help="Give every feature a weight of its own; do not hash."
    )
    intercept: bool = learning_option(
        "--no-intercept",
        default=True,
        parse=lambda given: not given,
        help="Leave out the constant feature.",
    )
    certify: tuple[float, ...] | None = learning_option(
        "--certify",
        metavar="NORM,...",
        parse=_norms,
        help="Report, for each norm, a mean loss that no linear model of this norm could have gone "
        "below. Each feature is measured in units of its largest value.",
    )
    seed: int = learning_option(
        "--seed", default=0, help="Seed of learners that draw random numbers."
    )

    def __post_init__(self) -> None:
        """Check options that belong together."""
        if self.tau is not None and self.loss != "quantile":
            loss = "without it" if self.loss is None else f"for {self.loss}"
            raise ValueError(f"--tau is for --loss quantile, and means nothing {loss}")


class LearnerOptions(LearningOptions):
    """All options of a learner but its task, which the labels may tell."""

    learner: str = learning_option(
        "--learner", default="auto", choices=LearnerName, help="Algorithm to learn with."
    )
    rate: float | None = learning_option(
        "--rate",
        parse=above(0),
        help="Learning rate, for learners that have one and for the weak learners of boost; C of pa, "
        "svm and primal-dual.",
    )
    l1: float = learning_option("--l1", default=0.0, parse=at_least(0), help="Penalty on |w|.")
    l2: float = learning_option("--l2", default=0.0, parse=at_least(0), help="Penalty on w²/2.")
    names: int = learning_option(
        "--names",
        default=100_000,
        parse=at_least(0),
        help="Number of feature names to remember for inspect.",
    )

    def form(self) -> Form:
        """How the learner wants its examples, whatever its task."""
        from regretless.base.rows import Form

        intercept = self.intercept and self.learner != "winnow"
        bits = 0 if self.exact else self.bits
        return Form(bits=bits, intercept=intercept, named=self.exact or self.names > 0)

    @property
    def decided(self) -> bool:
        """Whether the options say what is predicted, labels or numbers."""
        return self.loss is not None or self.classes

    @property
    def asks_for_regression(self) -> bool | None:
        """Whether the options say that numbers are predicted; None if the labels decide."""
        if self.loss is None:
            return False if self.classes else None
        from regretless import losses

        regression = not losses.get(self.loss).classification
        if regression and self.classes:
            raise ValueError(
                f"--classes makes labels of numbers, and --loss {self.loss} predicts numbers; leave "
                "out one of them"
            )
        return regression

    def is_regression(self, labels: FirstLabels) -> bool:
        """What the options say; without any, whether the labels are numbers that are not all whole.

        `ValueError` if they are whole numbers with so many values that they may be either.
        """
        asked = self.asks_for_regression
        if asked is not None:
            return asked
        if labels.are_many and labels.are_whole:
            learner = "--learner coin " if only_classifies(self.learner) else ""
            raise ValueError(
                f"the labels are numbers with many values ({labels.shown}): {learner}--loss squared "
                "predicts a number, --classes makes a label of each"
            )
        return labels.are_numbers and not labels.are_whole

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
