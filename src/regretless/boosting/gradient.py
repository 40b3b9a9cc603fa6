"""Online gradient boosting of regressors (Luo (2016), section 3.2)."""

import builtins
import math
from typing import Any

import numpy as np

from regretless import _core, losses
from regretless.base import rows
from regretless.base.adapters import fresh
from regretless.base.arguments import (
    LARGEST_VALUE,
    Array,
    finite,
    flag,
    importance,
    instance,
    interval,
    number,
    numbers,
    one_of,
    positive,
    whole,
    within,
)
from regretless.base.model import Model
from regretless.base.options import option
from regretless.base.regressor import Regressor
from regretless.base.state import Parts, Stateful
from regretless.boosting.copies import StagedModel, WeakCopy, exchange
from regretless.boosting.gradient_certificate import (
    LINEAR,
    BoostingReplay,
    certified,
    constants_of,
    reach,
)
from regretless.boosting.weak_learners import Stump, WeakRegressor, weak_regressor
from regretless.certificates import Certificate
from regretless.experts import Hedge
from regretless.losses import Loss, Squared

# --- a weak learner and its negation (Luo (2016), footnote 11) ------------------------------------


class BothSigns(Stateful):
    """A weak learner together with its negation, for theorems about classes that contain -f with f.

    Of two copies one learns the linear losses `s v`, the other `-s v`, with its predictions negated.
    Hedge weighs them by their losses, and the prediction is the weighted mean
    `p A(x) - (1 - p) A'(x)`, in [-1, 1]. The regret to F, to -F and to 0 is that of the copy on F plus
    that of Hedge, `O(sqrt(T))`.

    >>> from regretless.boosting import Stump
    >>> model = BothSigns(Stump())
    >>> for _ in range(50):
    ...     model.learn_slope({"a": 1.0}, 0.5)
    >>> model.predict_one({"a": 1.0}) < -0.9
    True
    """

    weak: Any = option(
        weak_regressor, kw_only=False, text="any weak learner that `GradientBoostingHull` takes"
    )

    def __post_init__(self) -> None:
        """Make both copies."""
        self._sides = tuple(WeakCopy(fresh(self.weak), f"weak learner {i}") for i in range(2))
        self._hedge = Hedge(2, range=(-1.0, 1.0))

    def _learned(self) -> dict[str, Any]:
        return {
            "sides": [side.model for side in self._sides],
            "taught": [side.learned for side in self._sides],
            "hedge": self._hedge,
        }

    def _restore(self, parts: Parts) -> None:
        exchange(self._sides, parts.take("sides"), parts.take("taught"))
        self._hedge = instance(parts.take("hedge"), "hedge", Hedge)
        if repr(self._hedge) != repr(Hedge(2, range=(-1.0, 1.0))):
            raise ValueError(f"hedge={self._hedge} is not valid for two sides")

    def predict_one(self, x: Any) -> float:
        """The weighted mean of the prediction of one copy and the negated one of the other."""
        p, q = self._hedge.weights
        return float(p * self._sides[0].predict(x) - q * self._sides[1].predict(x))

    def learn_slope(self, x: Any, slope: float, w: float = 1.0) -> None:
        """Learn the loss `slope v`, for a prediction v; `|slope| <= 1` and `w` in [0, 1]."""
        w = importance(w)
        said = [side.predict(x) for side in self._sides]
        losses = [w * number(slope, "slope") * said[0], -w * slope * said[1]]
        if not max(map(abs, losses)) <= 1.0 + 1e-9:  # before the copies learn
            raise ValueError(f"slope={slope}, w={w}: the losses {losses} are outside [-1, 1]")
        if w == 0.0:  # the example does not count
            return
        for side, v, sign in zip(self._sides, said, (1.0, -1.0)):
            side.learn_slope(x, v, sign * slope, w)
        self._hedge.update(losses)

    def learn_one(self, x: Any, y: float, w: float = 1.0) -> None:
        """Learn a target by the slope of the squared loss, divided by its largest value on [-1, 1]."""
        finite(y, "y")
        self.learn_slope(x, (self.predict_one(x) - min(max(y, -1.0), 1.0)) / 2.0, w)


# --- online gradient boosting: weak learners for slopes, a strong one for losses ------------------

_FEEDS = {feed.name: feed for feed in _core.Feed}


def boostable(loss: Any, _: str) -> Loss:
    """The loss, if its constants for gradient boosting are known; otherwise raise `ValueError`."""
    found = losses.get(loss)
    constants_of(found, linearized=True)
    return found


class _GradientBoosting(Regressor, in_core=False):
    """The options, the model and the certificate of both boosters."""

    weak: Any = option(
        weak_regressor,
        default=None,
        kw_only=False,
        text="""the learner to boost, an online regressor: `Stump()` (None), `NeuralNet()`, any
        learner of this library, River or scikit-learn; it is copied, never changed.
        Learners without `learn_slope` get the target `v - slope / 2`, v their prediction,
        where the squared loss has this slope""",
    )
    n: int = option(whole, default=20, hint=": of weak learners", text="N, the number of copies")
    loss: str | Loss = option(
        boostable,
        default="squared",
        text="""a smooth one: "squared" or `losses.Power(p)` for numbers, "logistic" or "squared_hinge"
        for labels -1 and 1. With feed="linearized", any convex one""",
    )
    scale: float = option(
        within,
        "[1, 1e19]",
        default=1.0,
        text="""lambda, by which the predictions of the copies are multiplied. The hull of functions
        in [-1, 1] reaches targets near -1 and 1 only where nearly all of them agree; a
        larger lambda allows better comparators and multiplies each copy's regret""",
    )
    feed: str = option(
        one_of,
        _FEEDS,
        default="gradient",
        text="""loss of the copies. "gradient": as above. "linearized": for all copies the slope at
        the final prediction, of any convex loss, also "absolute", "quantile" and "hinge"
        (Luo (2016), Corollary 3). "residual": the loss of the next sum itself, `l((1 - eta_i)
        y^{i-1} + eta_i v)`, often the best in practice; learners in Python get the squared
        loss tangent to it""",
    )
    alpha: float | None = option(
        positive,
        default=None,
        text='with "residual": learn `l(y^{i-1} + alpha v)` instead (Luo (2016), appendix B.2.1)',
    )
    range: tuple[float, float] | None = option(
        interval,
        default=None,
        text="""low and high, the range of all targets, which is mapped to [-1, 1]. None: targets are
        divided by the largest `|y|` so far; when that grows, predictions grow with it""",
    )
    negate: bool = option(
        flag,
        default=False,
        text="boost `BothSigns(weak)`, for learners whose class is not closed under negation",
    )

    def _reads(self) -> rows.Form:
        return rows.Form(intercept=False)

    def _steps(self, scale: float) -> dict[str, Any]:
        """The options of the stages: `hull`, `eta` and `reach`."""
        raise NotImplementedError

    # --- the model -----------------------------------------------------------------------------------

    def _own_loss(self) -> Loss:
        return losses.get(self.loss)

    def _parts(self) -> tuple[Loss, str, dict[str, Any]]:
        loss = losses.get(self.loss)
        if self.alpha is not None and self.feed != "residual":
            raise ValueError(f"alpha={self.alpha} is the step of feed='residual'; leave it out")
        if self.negate and self.feed == "residual":
            raise ValueError("negate=True needs linear losses, which feed='residual' does not have")
        low, high, scale = *self._range(loss), float(self.scale)
        steps = self._steps(scale)
        constants = constants_of(loss, linearized=self.feed == "linearized")
        options = {
            **steps,
            "scale": scale,
            "n": int(self.n),
            "lipschitz": constants.lipschitz(steps["reach"]),
            "feed": _FEEDS[self.feed],
            "alpha": 0.0 if self.alpha is None else float(self.alpha),
            "low": low,
            "high": high,
            "loss": losses.compiled(loss),
        }
        return Squared(), "boosting", options  # labels are targets as well

    def _range(self, loss: Loss) -> tuple[float, float]:
        if self.range is None:
            return 0.0, 0.0
        low, high = self.range
        if loss.classification:
            raise ValueError(f"range={self.range}: labels are -1 and 1; leave range out")
        if max(-low, high) > LARGEST_VALUE:
            raise ValueError(f"range={self.range} is beyond {LARGEST_VALUE:g}; scale the targets")
        return low, high

    def _made(
        self, twin: _core.Loss, rule: str, options: dict[str, Any], *, certify: bool = False
    ) -> Model:
        weak = Stump() if self.weak is None else self.weak
        if isinstance(weak, WeakRegressor) and not self.negate:
            _, kind, inner = weak._parts()
            options = options | {"weak": kind, "weak_options": inner | {"bound": 1.0}}
            return super()._made(twin, rule, options)
        copied = BothSigns(weak) if self.negate else weak
        copies = [WeakCopy(fresh(copied), f"weak learner {i}") for i in builtins.range(self.n)]
        return StagedModel(losses.get(self.loss), copies, options)

    # --- learning ------------------------------------------------------------------------------------

    def learn_one(self, x: Any, y: float, w: float = 1.0) -> None:
        """Learn from one example: features `x`, target or label `y`, importance `w >= 0`."""
        super().learn_one(x, self._target(y), w)

    def step(self, x: Any, y: float, w: float = 1.0) -> float:
        """Predict and learn; returns the prediction from before learning."""
        return super().step(x, self._target(y), w)

    def _learn(self, X: Any, y: Any, w: Any, want_scores: bool) -> tuple[Array, Any]:
        targets = np.ascontiguousarray(numbers(y, "y", "a list of numbers"))
        self._check(targets)
        return super()._learn(X, targets, w, want_scores)

    def _target(self, y: Any) -> float:
        target = number(y, "y")
        self._check(np.array(target))
        return target

    def _check(self, y: Array) -> None:
        loss = losses.get(self.loss)
        if loss.classification:
            bad, remedy = np.abs(y) != 1.0, f"is not a label of loss={loss.name!r}; use -1 and 1"
        elif self.range is None:
            bad, remedy = (
                ~(np.abs(y) <= LARGEST_VALUE),
                f"is not finite or beyond {LARGEST_VALUE:g}",
            )
        else:
            low, high = self._range(loss)
            bad = ~((y >= low) & (y <= high))
            remedy = f"is outside range={self.range}; give a wider one"
        for place in np.argwhere(bad)[:1]:
            where = f"y[{place[0]}]" if place.size else "y"
            raise ValueError(f"{where} = {y[tuple(place)]:g} {remedy}")

    # --- certificates --------------------------------------------------------------------------------

    def certificate(self, X: Any, y: Any, base: Any, comparator: Any = None) -> Certificate:
        """The theorem's bound on the regret to a combination of base functions, from a second run.

        A learner with the same options runs through the examples again, and the linear regret R(T) of
        every weak learner is measured against the base functions, their negations and 0; the theorem
        takes the largest. All values are in units in which targets are in [-1, 1].

        Parameters: `X`, `y`, the examples; `base`, the value of each base function on each example, in
        [-1, 1] (examples x functions); `comparator`, the weights of the functions in it, or None for
        the single function with the least loss.
        """
        fresh = self.clone()
        replay = BoostingReplay.of(fresh, X, y, base)
        _, _, options = self._parts()
        constants = constants_of(losses.get(self.loss), linearized=self.feed == "linearized")
        return certified(replay, options, constants, comparator)


class GradientBoostingHull(_GradientBoosting):
    """Gradient boosting that competes with the best convex combination of weak learners' functions.

    Luo (2016), Algorithm 10.

        y^0 = 0,   y^i = (1 - eta_i) y^{i-1} + eta_i lambda A^i(x),   eta_i = 2 / (i + 1)
        y^N predicts,   A^i learns the linear loss  v -> l'(y^{i-1}) v / L

    It is the Frank-Wolfe method, one step by each of N copies of the weak learner. In y^N the copy i
    has weight `2 i / (N (N + 1))`. If the copies have linear regret at most R(T) to a class F that
    holds 0 and -f with f, then to lambda f for every f in its convex hull (Theorem 14 with
    D = lambda, targets and F in [-1, 1])

        regret <= 8 beta lambda^2 T / N + L lambda R(T),

    and no booster with N copies can do better than the order T / N (Theorem 15). `certificate`
    measures R(T). Losses must be smooth: "squared" or `losses.Power(p)` for numbers, "logistic" or
    "squared_hinge" (twice modified least squares) for labels -1 and 1, predicted by the sign of a
    prediction.

    >>> model = GradientBoostingHull(n=10)
    >>> for t in range(2000):
    ...     a, b = t % 5 - 2, t % 7 - 3
    ...     model.learn_one({"a": a, "b": b}, 0.2 * a + 0.1 * b)
    >>> abs(model.predict_one({"a": 2, "b": -3}) - 0.1) < 0.15
    True
    """

    def _steps(self, scale: float) -> dict[str, Any]:
        return {"hull": True, "eta": 1.0, "reach": scale}


class GradientBoostingSpan(_GradientBoosting):
    """Gradient boosting that competes with the best linear combination of weak learners' functions.

    Luo (2016), Algorithm 9.

        y^0 = 0,   y^i = cut to [-B, B] of (1 - sigma^i eta) y^{i-1} + eta lambda A^i(x)
        y^N predicts,   A^i learns the linear loss  v -> l'(y^{i-1}) v / L_B
        sigma^i <- cut to [0, 1] of sigma^i + l'(y^{i-1}) y^{i-1} / (L_B B sqrt(t))

    with `B = min(eta N lambda, inf{b >= lambda: eta beta_b b^2 >= eps_b lambda})`, which is lambda for
    the squared loss and targets in [-1, 1]. If the copies have linear regret at most R(T) to a class F
    that holds 0 and -f with f, then to every f of norm `||f||` in its span, the norm being
    `max(1, least sum of |weights| / lambda)` (Theorem 13, Corollary 4)

        regret <= (1 - eta / ||f||)^N D_0 + 3 eta beta_B B^2 ||f|| T + L_B ||f|| lambda R(T)
                  + 2 L_B B ||f|| sqrt(T),       D_0 = sum l_t(0) - l_t(f).

    With N = 1 and eta = 1 it is `GradientBoostingHull` with N = 1.

    >>> model = GradientBoostingSpan(n=10)
    >>> for t in range(2000):
    ...     a, b = t % 5 - 2, t % 7 - 3
    ...     model.learn_one({"a": a, "b": b}, 0.2 * a + 0.1 * b)
    >>> abs(model.predict_one({"a": 2, "b": -3}) - 0.1) < 0.15
    True
    """

    eta: float | None = option(
        number,
        default=None,
        text="in [1/n, 1]; None: `ln(n) / n`, as Luo (2016) suggests, or 1/n if that is more",
    )
    feed: str = option(
        one_of,
        _FEEDS,
        default="gradient",
        text="""loss of the copies, as in `GradientBoostingHull`; "residual" is the loss of `(1 -
        sigma^i eta) y^{i-1} + eta lambda v`. "linearized" sets `B = eta N lambda`, and its
        bound lacks the term with beta""",
    )

    def _steps(self, scale: float) -> dict[str, Any]:
        n = int(self.n)
        eta = max(math.log(n), 1.0) / n if self.eta is None else number(self.eta, "eta")
        if not 1.0 / n * (1 - 1e-12) <= eta <= 1.0:
            raise ValueError(f"eta={self.eta} is outside [1/n, 1] = [{1 / n:g}, 1]")
        linearized = self.feed == "linearized"
        constants = LINEAR if linearized else constants_of(losses.get(self.loss))
        return {
            "hull": False,
            "eta": eta,
            "reach": reach(constants, eta, n, scale),
        }

    @property
    def shrinkage_(self) -> Array:
        """The shrinkage sigma of each stage, applied to the sum before the next copy is added."""
        core: Any = self._model or self._start()
        shrinkage: Array = core.trace()[2]
        return shrinkage
