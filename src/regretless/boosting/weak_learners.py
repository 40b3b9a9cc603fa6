"""Weak learners: stumps, small neural networks, and checks of learners to boost."""

import sys
from collections.abc import Callable
from typing import Any, ClassVar

from regretless.base import rows
from regretless.base.adapters import takes_dicts
from regretless.base.arguments import check_seed, function, number, positive, shown, whole, within
from regretless.base.classifier import Classifier
from regretless.base.options import option
from regretless.base.regressor import Regressor
from regretless.losses import Loss, Squared

# --- the edge of a weak learner from its regret (Luo (2016), Lemma 7) -----------------------------

_FAR = 2**62  # the largest number of rounds


def excess_loss(regret: Callable[[int], float], edge: float) -> float:
    """The excess loss S of a learner with small regret, used as a weak learner of edge `edge`.

    If some hypothesis of a class has an edge of `2 edge`, whatever the weights, and a learner of the
    class has regret at most `regret(T)` in T rounds of any kind, which grows slower than T and is
    concave, then it is a weak learner of edge `edge` and excess loss `max_T (regret(T) - edge T)`
    (Luo (2016), Lemma 7). Boosters need S only in their theorems.

    Parameters: `regret`, of a number of rounds; `edge` in (0, 1/2].

    >>> round(excess_loss(lambda T: 3.0 * T**0.5, edge=0.1), 9)  # c sqrt(T): c^2 / (4 edge)
    22.5
    """
    function(regret, "regret", "; it maps a number of rounds to a bound")
    within(edge, "edge", "(0, 0.5]")

    def more(rounds: int) -> float:
        return float(regret(rounds)) - edge * rounds

    far = 1
    while more(2 * far) > more(far):
        far *= 2
        if far > _FAR:
            raise ValueError(
                f"regret grows by more than edge={edge} per round forever; give a smaller regret"
            )
    low, high = far // 2, 2 * far  # a concave function rises, then falls
    while high - low > 2:
        third = (high - low) // 3
        left, right = low + third, high - third
        low, high = (left, high) if more(left) < more(right) else (low, right)
    return max(0.0, *(more(rounds) for rounds in range(low, high + 1)))


# --- checks of learners to boost ------------------------------------------------------------------


def _task(learner: Any) -> str:
    """The kind of a learner of any library: "classifier", "regressor", or "" if unknown."""
    for task, ours in (("classifier", Classifier), ("regressor", Regressor)):
        river, sklearn = sys.modules.get("river.base"), sys.modules.get("sklearn.base")
        theirs = () if river is None else (getattr(river, task.capitalize()),)
        if isinstance(learner, (ours, *theirs)):
            return task
        known = sklearn is not None and isinstance(learner, sklearn.BaseEstimator)
        if known and getattr(sklearn, f"is_{task}")(learner):
            return task
    return ""


def weak_classifier(weak: Any, name: str) -> Any:
    """Check that a learner can vote.

    It learns one example at a time. It is a classifier, or a stump or a network of this library, which
    vote by the sign of what they predict. Learners of this library that are something else are refused.

    >>> from regretless.linear import LinearRegressor
    >>> weak_classifier(LinearRegressor(), "weak")
    Traceback (most recent call last):
    ValueError: weak=LinearRegressor() is a regressor, and a classifier is boosted here; give one of \
those
    """
    takes_dicts(weak, name)  # raises if a method is missing
    task = _task(weak)
    if isinstance(weak, WeakRegressor) or task == "classifier":
        return weak
    if task == "regressor":
        raise ValueError(
            f"{name}={shown(weak)} is a regressor, and a classifier is boosted here; give one of those"
        )
    if type(weak).__module__.partition(".")[0] == "regretless":
        raise ValueError(
            f"{name}={shown(weak)} does not learn the labels of examples with features; give a "
            "classifier, or a Stump, DecisionStump or NeuralNet"
        )
    return weak


def weak_regressor(weak: Any, name: str) -> Any:
    """Check that gradient boosting can use a learner, which must not be a classifier.

    >>> weak_regressor(Stump(bound=2.0), "weak")
    Traceback (most recent call last):
    ValueError: weak=Stump(bound=2.0): boosting has units in which predictions are in [-1, 1]; leave \
out bound
    """
    takes_dicts(weak, name)
    if _task(weak) == "classifier":
        raise ValueError(
            f"{name}={shown(weak)} is a classifier, and a regressor is boosted here; give one of those"
        )
    if isinstance(weak, WeakRegressor) and weak.bound not in (None, 1.0):
        raise ValueError(
            f"{name}={shown(weak)}: boosting has units in which predictions are in [-1, 1]; leave out "
            "bound"
        )
    return weak


# --- weak regressors ------------------------------------------------------------------------------


class WeakRegressor(Regressor):
    """A learner that can minimise linear losses for a booster (Luo (2016), section 3.2.1).

    A subclass defines the rule of the core (`_rule`) and its options.
    """

    _rule: ClassVar[str]

    bound: float | None = option(
        positive,
        default=None,
        text="D, the largest prediction; None: the largest target so far, or 1 for slopes",
    )

    def _reads(self) -> rows.Form:
        return rows.Form(intercept=False)

    def _parts(self) -> tuple[Loss, str, dict[str, Any]]:
        bound = 0.0 if self.bound is None else float(self.bound)
        return Squared(), self._rule, self._options() | {"bound": bound}

    def learn_slope(self, x: Any, slope: float, w: float = 1.0) -> None:
        """Learn that a prediction v for `x` costs `slope * v`: a linear loss.

        Luo (2016), section 3.2.1.

        Parameters: `slope`, finite, in [-1, 1] for the theorems; `w >= 0`, importance.
        """
        core: Any = self._model or self._start()
        core.learn_slope(
            x if isinstance(x, dict) else rows.row(x), number(slope, "slope"), number(w, "w")
        )

    def _feature(self, x: Any) -> Any:
        """The name of the feature that predicts; None if a constant does."""
        core: Any = self._model or self._start()
        row = core.chosen(x if isinstance(x, dict) else rows.row(x))
        return core.names()[row] if row else None


# --- regression stumps (Luo (2016), section 3.2.5) ------------------------------------------------


class Stump(WeakRegressor):
    """A regression stump, which has a line per feature and predicts by the example's best feature.

        line      v = w z + b,  |w| + |b| <= D,  z: x with the range of values seen mapped to [-1, 1]
        step      (w, b) -= eta g (z, 1),  eta = rate sqrt(2) D / sqrt(sum |g (z, 1)|^2), projected
        record    by how much the loss of the line is below that of the constant, per example

    with g the slope of the loss at the line's own prediction. Among the features of the example that
    are not 0 the one with the best record predicts; if none is ahead of the constant, the constant
    does. A new feature begins with the constant. Every line is gradient descent on a set of diameter
    2 D with a step that adapts to the slopes, so if `rate` is 1 and the range of z has been seen, its
    regret on slopes s_t is at most `4 D sqrt(sum s_t^2)`; the choice of the feature has no theorem.

    It needs no tuning, and the unit of a feature does not matter. A prediction takes time in the
    number of non-zero features of the example.

    Online boosters of classifiers can boost it: False and True are the targets -1 and 1, and the sign of
    the prediction is the vote. `DecisionStump` asks the same feature of all examples and answers one of
    two numbers; this stump may use another feature for each example, and answers any number.

    >>> model = Stump()
    >>> for t in range(300):
    ...     x = {"noise": (7 * t) % 11, "signal": t % 5}
    ...     model.learn_one(x, 2.0 * (t % 5) - 3.0)
    >>> model.feature_of({"noise": 3, "signal": 4})
    'signal'
    >>> abs(model.predict_one({"noise": 3, "signal": 4}) - 5.0) < 0.2
    True

    As the online linear learner of boosting it learns slopes:

    >>> model = Stump()
    >>> for t in range(100):
    ...     model.learn_slope({"up": 1 + t % 2}, -1.0 if t % 2 else 1.0)
    >>> round(model.predict_one({"up": 2}), 6), round(model.predict_one({"up": 1}), 6)
    (1.0, -1.0)

    Luo (2016), section 3.2.5 defines only that features are independent and which of them predicts;
    line, step and record are new here.
    """

    rate: float = option(positive, default=1.0, text="factor of all steps")

    _rule = "stump"

    def feature_of(self, x: Any) -> Any:
        """The feature that predicts for `x`; None if the constant does."""
        return self._feature(x)


# --- a small network of two layers (Luo (2016), section 3.2.5) ------------------------------------


class NeuralNet(WeakRegressor):
    """A neural network of one layer of sigmoid units and a linear output, learned online.

        v = c + sum_k a_k sigmoid(b_k + sum_f W_fk x_f / s_f),   cut to [-D, D]

    with s_f the largest `|x_f|` seen, so that the unit of a feature does not matter. Every weight has
    AdaGrad's step, `rate / sqrt(sum g^2)`, times D in the second layer; beyond the cut only slopes that
    lead back are learned. The first layer begins with numbers in (-1/2, 1/2) that depend on seed and
    feature alone, the second with 0. Theorems do not apply: the loss is not convex in the weights.
    Online boosters of classifiers can boost it, like a `Stump`.

    >>> model = NeuralNet(seed=1)
    >>> for t in range(3000):
    ...     a, b = t % 2, t // 2 % 2
    ...     model.learn_one({"a": 2 * a - 1, "b": 2 * b - 1}, float(a != b))
    >>> [round(model.predict_one({"a": a, "b": b})) for a, b in [(-1, -1), (-1, 1), (1, -1), (1, 1)]]
    [0, 1, 1, 0]
    """

    hidden: int = option(
        whole,
        1,
        1000,
        default=10,
        hint="; 10 suit most data",
        text="units of the first layer; 10 as in Luo (2016)",
    )
    rate: float = option(
        positive,
        default=0.3,
        text="""length of steps. In the experiments 0.1 and 0.3 were better about equally often""",
    )
    seed: int = option(
        check_seed,
        default=0,
        text="seed of the first weights. Copies in a booster have consecutive seeds",
    )

    _rule = "neural_net"

    def _parts(self) -> tuple[Loss, str, dict[str, Any]]:
        loss, rule, options = super()._parts()
        return loss, rule, options | {"seed": self.seed % 2**63}


# --- decision stumps: the vote of a single feature ------------------------------------------------


class DecisionStump(WeakRegressor):
    """A decision stump, which predicts by the feature that best separates the labels -1 and 1.

    A value is absent (0), below the mean of the values seen, or not below it. Each of the three votes
    for the label with more weight there, 1 if both are equal, and the feature whose votes have the most
    weight on their side predicts, the first of several. So 0/1 features vote by their presence, -1/1
    features by their sign. Means are those at the time of an example. Predictions are -D and D, and
    constant ones are allowed, which Luo (2016) leaves open (docs/errata.md, section 2.2.1).

    A target or a slope counts by sign and size: the label is the direction in which the loss falls at
    0, its weight the steepness there. On slopes this is following the leader among all stumps.

    Online boosters of classifiers can boost it: False and True are the labels -1 and 1, with their
    weights. Unlike `Stump` it asks one feature of all examples, whether they have it or not, and answers
    one of two numbers: it suits features that are present or absent.

    Learning takes time in the number of all features, predicting in that of the example's features.

    >>> model = DecisionStump()
    >>> for colour, shape, y in [(1, 0, 1), (1, 1, 1), (0, 1, -1), (0, 0, -1), (1, 1, -1)]:
    ...     model.learn_one({"red": colour, "round": shape}, y)
    >>> model.feature_, model.predict_one({"red": 1}), model.predict_one({"round": 1})
    ('red', 1.0, -1.0)
    """

    bound: float | None = option(
        positive,
        default=None,
        text="D, the absolute value of predictions; None: the largest target so far, or 1 for slopes",
    )

    _rule = "decision_stump"

    @property
    def feature_(self) -> object:
        """The feature that votes; None if the vote is constant."""
        return self._feature({})
