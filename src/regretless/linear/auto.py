"""Auto: many learners in one pass, weighted by their losses so far."""

import inspect
import math
import sys
from dataclasses import dataclass, replace
from typing import Any, Self, cast

from regretless import losses
from regretless.base.arguments import TOO_LARGE, flag, whole, within
from regretless.base.classifier import Classifier
from regretless.base.options import option
from regretless.base.regressor import Regressor
from regretless.base.weights import HasWeights
from regretless.certificates import Certificate
from regretless.losses import Loss

# --- the certificate of lanes that are mixed into one score ---------------------------------------

_EPS = sys.float_info.epsilon


def regret_to_lanes(
    mixings: list[dict[str, Any]],
    examples: int,
    paid: float | None = None,
    *,
    assumptions: dict[str, bool | None] | None = None,
    known: bool = True,
) -> Certificate:
    """The regret to the best lane and the bound on it, each summed over labels.

    `paid`, `-ln` of the weight that the mixture gives to the comparator (None: the logarithm of the
    number of lanes); `known`, whether the comparator is a single lane, whose regret is measured.
    """
    regret = math.fsum(m["loss"] - m["losses"].min() for m in mixings) if known else None
    sizes = math.fsum(m["loss"] + float(m["losses"].min()) for m in mixings)
    rounding = 4.0 * _EPS * (examples + 2) * sizes
    if "spread" in mixings[0]:
        bound = math.fsum(_hedged(m) for m in mixings)
        theorem = "Luo (2016), Theorem 4, of AdaNormalHedge over the lanes"
    else:
        cost = math.log(len(mixings[0]["losses"])) if paid is None else paid
        bound = math.fsum(m["rate"] * cost + m["excess"] for m in mixings)
        theorem = "Cesa-Bianchi and Lugosi (2006), section 3.3: weights of exp-concave losses"
    return Certificate(
        examples,
        regret,
        {"lanes": bound},
        theorem,
        assumptions or {},
        "the best lane" if known else "every sequence of lanes with so many shifts",
        rounding=rounding,
    )


def _hedged(mixing: dict[str, Any]) -> float:
    """The bound of AdaNormalHedge to the best lane, in units that grew: `AdaNormalHedge.rescale`."""
    from regretless.experts.adaptive import lemma_4

    best = int(mixing["losses"].argmin())
    n = len(mixing["losses"])
    potential = lemma_4(mixing["spread"], 1.0 / n, mixing["periods"], mixing["shrunk"])
    spread = float(mixing["spread"][best])
    return float(mixing["rate"]) * math.sqrt(3.0 * spread * math.log(n * potential))


# --- auto: many learners in one pass, weighted by their losses so far -----------------------------


@dataclass(frozen=True)
class Lane:
    """One of the learners that `Auto` mixes, with its options, loss and weight.

    Attributes: `rule`, "adagrad", "coin" or "newton", or "blend", which combines the scores of the
    others; `rate`, the learning rate, a coin's wealth, or 1 / alpha of Newton steps, in units of the
    first 1 / ||x||^2; `scale_invariant`, whether the scales of features do not matter; `l2`, the
    penalty; `curvature`, sigma of Newton steps; `loss`, the sum over the `examples` that it has
    learned, and `mean_loss`; `weight` in the mixture, 0 if the lane was `retired`.

    >>> Lane("adagrad", 0.5).scale_invariant
    True
    """

    rule: str
    rate: float = 1.0
    scale_invariant: bool = True
    l2: float = 0.0
    loss: float = 0.0
    mean_loss: float = 0.0
    weight: float = 0.0
    examples: int = 0
    retired: bool = False
    curvature: float = 0.0


# each of these is the best on some of the data sets of benchmarks/auto.py
_GRID = (
    *(Lane("adagrad", rate) for rate in (0.25, 0.5, 1.0, 2.0, 4.0, 8.0)),
    *(Lane("adagrad", rate, scale_invariant=False) for rate in (0.03, 0.1, 0.3, 1.0)),
    Lane("adagrad", 1.0, l2=1e-4),
    Lane("adagrad", 0.3, scale_invariant=False, l2=1e-5),
    *(Lane("coin", wealth) for wealth in (1.0, 4.0, 16.0, 64.0)),
)


class Auto(HasWeights):
    """A learner that needs no tuning: it mixes sixteen learners in one pass.

    The sixteen lanes are AdaGrad at several rates, with and without invariance to the scales of
    features, with and without an l2 penalty, and coin betting. A further lane, the blend, scores
    `<a, s>` from the scores s of the others and learns a by online Newton steps, because lanes that err
    in different ways are better together. The prediction is the mean by weights

        w_k ~ exp(-L_k / c),    L_k the loss of lane k so far

    of the probabilities for the logistic loss, c = 1, or of the predictions for the squared loss,
    c = 8 max y^2. These losses are exp-concave, so on every stream the loss is at most that of the best
    lane plus c ln 17. For other losses AdaNormalHedge weighs the lanes, and the blend is left out.
    With more than two labels each has its own mixture. `Auto(loss="squared")` is a regressor.

    After 16,000 examples, and whenever that number has doubled, a lane is retired if its weight is below
    e^-20 of the largest, it has not been better of late, and the blend does not use it. Retired lanes
    take no time, and the bound does not change. With `drift` all lanes stay.

    `Auto(second_order=True)` also mixes the eight lanes of `regretless.newton.NewtonClassifier()`, which
    correct for correlated features, four in the space of the features and four with diagonal adaptation.
    Four lanes share a sketch, which takes in the gradients at the score of the mixture, and are retired
    together. The bound is then c ln 25.

    >>> model = Auto()
    >>> for x, y in [({"offer": 1, "free": 1}, "spam"), ({"meeting": 1}, "ham")] * 10:
    ...     model.learn_one(x, y)
    >>> model.predict_one({"free": 1}), len(model.lanes_)
    ('spam', 17)
    >>> model.certificate().regret <= model.certificate().bound <= math.log(17) + 1e-9
    True
    >>> Auto(loss="squared")
    AutoRegressor(loss='squared')
    >>> len(Auto(second_order=True).lanes_)
    25
    """

    loss: str | Loss | None = option(
        losses.learnable,
        default=None,
        text=""""logistic" (or None) or another one for classification, "squared" or another for
        regression""",
    )
    drift: float = option(
        within,
        "[0, 1)",
        default=0.0,
        text="""share of its weight that each lane gives to the others after each example, so that
        another one can become the best (fixed share); `certificate(shifts=...)` has the cost""",
    )

    second_order: bool = option(
        flag,
        default=False,
        text="""also mix the eight lanes of `NewtonClassifier()`, which correct for correlated
        features; learning takes about twice as long""",
    )

    certify = False  # the certificate needs no sum of gradients
    certifies = "itself"

    def __new__(cls, *, loss: str | Loss | None = None, **_: Any) -> Self:
        """Make a classifier, or a regressor if the loss is for regression."""
        if cls is not Auto:
            return object.__new__(cls)
        classifies = loss is None or losses.get(loss).classification
        return object.__new__(AutoClassifier if classifies else AutoRegressor)  # type: ignore[return-value]

    def _parts(self) -> tuple[Loss, str, dict[str, Any]]:
        default = "logistic" if self.classifies else "squared"
        loss = losses.get(default if self.loss is None else self.loss)
        if self.drift and loss.name not in ("logistic", "squared"):
            raise ValueError(
                f"drift={self.drift} needs the logistic or the squared loss, not {loss.name!r}"
            )
        lanes = [(lane.rule == "coin", lane.rate, lane.scale_invariant, lane.l2) for lane in _GRID]
        lipschitz = loss.lipschitz if loss.lipschitz < math.inf else 0.0
        options = {"lanes": lanes, "lipschitz": lipschitz, "share": float(self.drift)}
        if self.second_order:
            if self.precision == "double":
                raise ValueError(
                    "second_order=True needs precision='single', in which Newton steps read features"
                )
            from regretless.newton import tuned_options

            options["newton"] = tuned_options(loss)
        return loss, "auto", options

    def _all_lanes(self) -> list[Lane]:
        """The lanes as they start, without the blend."""
        _, _, options = self._parts()
        spaces = options["newton"]["spaces"] if self.second_order else []
        return [
            *_GRID,
            *(
                Lane("newton", 1.0 / alpha, diagonal, curvature=sigma)
                for diagonal, lanes in spaces
                for alpha, sigma in lanes
            ),
        ]

    def _advice(self) -> str:
        return TOO_LARGE

    @property
    def is_linear(self) -> bool:
        return False

    # --- losses and weights of the lanes -------------------------------------------------------------

    @property
    def lanes_(self) -> Any:
        """The lanes with their losses and weights: a list, or a dict by label for three or more."""
        core = self._model or self._start()
        all_lanes = [self._lanes(k) for k in range(core.lanes)]
        return all_lanes[0] if core.lanes == 1 else self._by_label(all_lanes)

    def _mixings(self) -> list[dict[str, Any]]:
        core: Any = self._model or self._start()
        return [core.mixing(k) for k in range(core.lanes)]

    def _lanes(self, k: int) -> list[Lane]:
        mixing, core = self._mixings()[k], cast("Any", self._model or self._start())
        lanes = [*self._all_lanes(), Lane("blend")]
        blend = len(lanes) - 1
        numbers = [*mixing["lanes"].tolist(), blend][: len(mixing["losses"])]
        total = self.weight_ or 1.0
        for number_, loss, weight in zip(
            numbers, mixing["losses"].tolist(), mixing["weights"].tolist(), strict=True
        ):
            learned = {"loss": loss, "mean_loss": loss / total, "examples": self.examples_}
            lanes[number_] = replace(lanes[number_], weight=weight, **learned)
        for number_, examples, all_lost in core.retired():
            lost = all_lost / core.lanes  # the mean over labels
            mean = lost / (total * examples / self.examples_)
            lanes[number_] = replace(
                lanes[number_], loss=lost, mean_loss=mean, examples=int(examples), retired=True
            )
        return lanes if blend in numbers else lanes[:-1]

    def _by_label(self, values: list[Any]) -> Any:
        raise NotImplementedError

    def certificate(self, shifts: int = 0) -> Certificate:  # type: ignore[override]
        """The regret to the best lane and the bound on it, each summed over labels.

        `shifts`: bound the regret to every sequence of lanes with at most this many changes, which needs
        `drift`; the regret itself is known only for a single lane.

        >>> model = Auto(drift=0.01)
        >>> for t in range(200):
        ...     model.learn_one({"a": t % 7, "b": t % 3}, t % 7 > 3)
        >>> model.certificate(shifts=2).bound > model.certificate().bound > math.log(17)
        True
        """
        paid = self._paid(len(self._all_lanes()) + 1, shifts)
        found = self._mixings()
        known: dict[str, bool | None] = {}
        if self.drift:
            known["the range of targets and weights was known from the start"] = all(
                m["steady"] for m in found
            )
        return regret_to_lanes(found, self.examples_, paid, assumptions=known, known=not shifts)

    def _paid(self, experts: int, shifts: int) -> float:
        """`-ln` of the chance that fixed share gives to a sequence with this number of changes."""
        whole(shifts, "shifts", 0)
        if shifts and not self.drift:
            raise ValueError(f"shifts={shifts} needs drift > 0; make the learner with drift=0.01")
        start, rounds = math.log(experts), max(self.examples_ - 1, 0)
        if not self.drift:
            return start
        changes = min(shifts, rounds)
        stay = -math.log1p(-self.drift * (1.0 - 1.0 / experts))
        return start + changes * math.log(experts / self.drift) + (rounds - changes) * stay


# inspect reads the signature of a class from its __new__, if it has one
Auto.__new__.__signature__ = inspect.signature(Auto.__init__)  # type: ignore[attr-defined]


class AutoClassifier(Auto, Classifier):
    """`Auto` for classification; `Auto()` makes one.

    >>> AutoClassifier(loss="hinge").predict_proba_one({"a": 1})
    {}
    """

    def _by_label(self, values: list[Any]) -> Any:
        return dict(zip(self._labels.labels, values, strict=True))


class AutoRegressor(Auto, Regressor):
    """`Auto` for regression; `Auto(loss="squared")` makes one.

    >>> model = AutoRegressor()
    >>> for t in range(200):
    ...     model.learn_one({"a": t % 3, "b": t % 5}, 2.0 * (t % 3) - (t % 5))
    >>> round(model.predict_one({"a": 1, "b": 0}), 1)
    2.0
    """
