"""Weak learners: stumps, small neural networks, and what boosting asks of them."""

from collections.abc import Callable
from typing import Any

from regretless.base import rows
from regretless.base.arguments import check_seed, function, number, positive, whole, within
from regretless.base.regressor import Regressor
from regretless.losses import Loss, Squared

# --- where the edge of a weak learner comes from (Luo (2016), Lemma 7) ----------------------------

_FAR = 2**62  # rounds


def excess_loss(regret: Callable[[int], float], edge: float) -> float:
    """The excess loss S of a learner of small regret, used as a weak learner of edge `edge`.

    If some hypothesis of a class has an edge of `2 edge`, whatever the weights, and a learner of the
    class has regret at most `regret(T)` in T rounds of any kind, which grows slower than T and is
    concave, then it is a weak learner of edge `edge` and excess loss `max_T (regret(T) - edge T)`
    (Luo (2016), Lemma 7). Boosters need S only in their theorems.

    Parameters: `regret`, of a number of rounds; `edge` in (0, 1/2].

    >>> round(excess_loss(lambda T: 3.0 * T**0.5, edge=0.1), 9)  # c sqrt(T): c^2 / (4 edge)
    22.5
    """
    function(regret, "regret", "; it makes a bound of a number of rounds")
    within(edge, "edge", "(0, 0.5]")

    def more(rounds: int) -> float:
        return float(regret(rounds)) - edge * rounds

    far = 1
    while more(2 * far) > more(far):
        far *= 2
        if far > _FAR:
            raise ValueError(
                f"regret grows by more than edge={edge} a round for ever: no edge is left"
            )
    low, high = far // 2, 2 * far  # the largest is between: what is concave rises, then falls
    while high - low > 2:
        third = (high - low) // 3
        left, right = low + third, high - third
        low, high = (left, high) if more(left) < more(right) else (low, right)
    return max(0.0, *(more(rounds) for rounds in range(low, high + 1)))


# --- what weak learners of numbers share: targets or slopes in, predictions in [-bound, -----------


class WeakRegressor(Regressor):
    """A learner that a booster can ask to keep a linear loss small (Luo (2016), section 3.2.1).

    A subclass says which rule of the core it is (`_rule`) and with which options.
    """

    _rule: str
    bound: float | None
    intercept, features, bits, names, certify = False, "exact", 18, 0, False

    def _numbers(self) -> dict[str, Any]:
        """The options besides the bound, checked."""
        return {}

    def _parts(self) -> tuple[Loss, str, dict[str, Any]]:
        bound = 0.0 if self.bound is None else positive(self.bound, "bound")
        return Squared(), self._rule, {"bound": bound, **self._numbers()}

    def learn_slope(self, x: Any, slope: float, w: float = 1.0) -> None:
        """Learn that a prediction v for `x` costs `slope * v`: a linear loss.

        Luo (2016), section 3.2.1.

        Parameters: `slope`, finite, in [-1, 1] where a theorem is about it; `w >= 0`, importance.
        """
        core: Any = self._model or self._start()
        core.learn_slope(
            x if isinstance(x, dict) else rows.row(x), number(slope, "slope"), number(w, "w")
        )

    def _feature(self, x: Any) -> Any:
        """The name of the feature on which the prediction rests; None if it is none."""
        core: Any = self._model or self._start()
        row = core.chosen(x if isinstance(x, dict) else rows.row(x))
        return core.names()[row] if row else None


# --- regression stumps: one feature predicts, the best of those that the example has --------------

# Luo (2016), section 3.2.5.


class Stump(WeakRegressor):
    """A line for every feature, each learned by itself; the best of those present predicts.

        line      v = w z + b,  |w| + |b| <= D,  z: x with the range of values seen mapped to [-1, 1]
        step      (w, b) -= eta g (z, 1),  eta = rate sqrt(2) D / sqrt(sum |g (z, 1)|^2), projected
        record    by how much the loss of the line is below that of the constant, per example

    with g the slope of the loss at the line's own prediction. Among the features of the example that
    are not 0 the one with the best record predicts; if none is ahead of the constant, the constant
    does. A new feature begins with the constant. Every line is gradient descent on a set of diameter
    2 D with a step that adapts to the slopes, so if `rate` is 1 and the range of z has been seen, its
    regret on slopes s_t is at most `4 D sqrt(sum s_t^2)`; the choice of the feature has no theorem.

    Nothing needs tuning, and the unit of a feature does not matter. A prediction takes time in the
    number of features of the example that are not 0. A vote for the label -1 or 1 is the sign.

    Parameters
    ----------
    bound : D > 0, the largest prediction; None: the largest target so far, or 1 for slopes.
    rate : > 0, a factor of all steps.

    >>> model = Stump()
    >>> for t in range(300):
    ...     x = {"noise": (7 * t) % 11, "signal": t % 5}
    ...     model.learn_one(x, 2.0 * (t % 5) - 3.0)
    >>> model.feature_of({"noise": 3, "signal": 4})
    'signal'
    >>> abs(model.predict_one({"noise": 3, "signal": 4}) - 5.0) < 0.2
    True

    As the online linear learner of boosting it is told slopes:

    >>> model = Stump()
    >>> for t in range(100):
    ...     model.learn_slope({"up": 1 + t % 2}, -1.0 if t % 2 else 1.0)
    >>> round(model.predict_one({"up": 2}), 6), round(model.predict_one({"up": 1}), 6)
    (1.0, -1.0)

    Luo (2016), section 3.2.5 says of its stumps no more than that features are independent and
    which of them predicts; line, step and record are ours.
    """

    _rule = "stump"

    def __init__(self, *, bound: float | None = None, rate: float = 1.0) -> None:
        self.bound = bound
        self.rate = rate
        self._reset()

    def _numbers(self) -> dict[str, Any]:
        return {"rate": positive(self.rate, "rate")}

    def feature_of(self, x: Any) -> Any:
        """The feature that predicts for `x`; None if the constant does."""
        return self._feature(x)


# --- A small network of two layers (Luo (2016), section 3.2.5) ------------------------------------


class NeuralNet(WeakRegressor):
    """A layer of sigmoid units on sparse features and a linear output, learned online.

        v = c + sum_k a_k sigmoid(b_k + sum_f W_fk x_f / s_f),   cut to [-D, D]

    with s_f the largest `|x_f|` seen, so that the unit of a feature does not matter. Every weight has
    AdaGrad's step, `rate / sqrt(sum g^2)`, times D in the second layer; beyond the cut only slopes that
    lead back are learned. The first layer begins with numbers in (-1/2, 1/2) that depend on seed and
    feature alone, the second with 0. There is no theorem: the loss is not convex in the weights.

    Parameters
    ----------
    hidden : units of the first layer, 1 to 1000; 10 as in Luo (2016).
    bound : D > 0, the largest prediction; None: the largest target so far, or 1 for slopes.
    rate : > 0. 0.1 and 0.3 were about equally often the better on the sets of the experiments.
    seed : of the first weights. Copies in a booster have seeds of their own, one after the other.

    >>> model = NeuralNet(seed=1)
    >>> for t in range(3000):
    ...     a, b = t % 2, t // 2 % 2
    ...     model.learn_one({"a": 2 * a - 1, "b": 2 * b - 1}, float(a != b))
    >>> [round(model.predict_one({"a": a, "b": b})) for a, b in [(-1, -1), (-1, 1), (1, -1), (1, 1)]]
    [0, 1, 1, 0]
    """

    _rule = "neural_net"

    def __init__(
        self, *, hidden: int = 10, bound: float | None = None, rate: float = 0.3, seed: int = 0
    ) -> None:
        self.hidden = hidden
        self.bound = bound
        self.rate = rate
        self.seed = seed
        self._reset()

    def _numbers(self) -> dict[str, Any]:
        hidden = whole(self.hidden, "hidden", 1, 1000, "; 10 suit most data")
        return {
            "rate": positive(self.rate, "rate"),
            "hidden": int(hidden),
            "seed": check_seed(self.seed) % 2**63,
        }


# --- decision stumps: the vote of a single feature ------------------------------------------------


class DecisionStump(WeakRegressor):
    """The one feature that tells most of the labels -1 and 1, and what its values vote for.

    A value is absent (0), below the mean of those seen, or not below it. Each of the three votes for
    the label that came with more weight, 1 if both are equal, and the feature whose votes have most
    weight on their side predicts, the first of several. So 0/1 features are asked for their presence,
    -1/1 features for their sign. Means are those when an example came. Predictions are -D and D, and
    constant ones are allowed, which Luo (2016) leaves open (docs/errata.md, section 2.2.1).

    Of a target or a slope only sign and size count: the label is that towards which the loss falls at
    0, and its weight how steeply. On slopes this is following the leader among all stumps.

    Learning takes time in the number of all features, predicting in that of the example's.

    Parameters
    ----------
    bound : D > 0, the size of predictions; None: the largest target so far, or 1 for slopes.

    >>> model = DecisionStump()
    >>> for colour, shape, y in [(1, 0, 1), (1, 1, 1), (0, 1, -1), (0, 0, -1), (1, 1, -1)]:
    ...     model.learn_one({"red": colour, "round": shape}, y)
    >>> model.feature_, model.predict_one({"red": 1}), model.predict_one({"round": 1})
    ('red', 1.0, -1.0)
    """

    _rule = "decision_stump"

    def __init__(self, *, bound: float | None = None) -> None:
        self.bound = bound
        self._reset()

    @property
    def feature_(self) -> object:
        """The feature that votes; None if all examples get the same vote."""
        return self._feature({})
