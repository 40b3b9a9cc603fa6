"""Sketched online Newton: second-order learning at the cost of a first-order method.

Luo (2016), chapter 4.

>>> from regretless.newton import NewtonClassifier
>>> model = NewtonClassifier()  # no rate to choose
>>> for _ in range(50):
...     model.learn_one({"heat": 1.0, "noise": 3.0}, "stop")
...     model.learn_one({"heat": -1.0, "noise": 3.0}, "go")
>>> model.predict_one({"heat": 0.5, "noise": 3.0})
'stop'
"""

import math
import sys
from dataclasses import dataclass, replace
from typing import Any, Self

from regretless import _core, losses
from regretless.base.arguments import (
    Array,
    flag,
    not_negative,
    one_of,
    positive,
    shown,
    whole,
)
from regretless.base.classifier import Classifier
from regretless.base.options import option
from regretless.base.regressor import Regressor
from regretless.base.weights import HasWeights
from regretless.certificates import Certificate, LinearCertificate
from regretless.linear.auto import regret_to_lanes
from regretless.losses import Loss
from regretless.rates import InverseSqrt, Rate
from regretless.rules import schedule

__all__ = ["NewtonCertificate", "NewtonClassifier", "NewtonLane", "NewtonRegressor"]


# --- the certificate of sketched Newton steps, by the theorems of Luo (2016), chapter 4 -----------

_EPS = sys.float_info.epsilon
_DIGITS = 1e-13  # the least alpha in units of the sketch, kDigits of core/newton/frame.hpp


@dataclass(frozen=True)
class NewtonCertificate(LinearCertificate):
    """The certificate of a Newton learner: a `LinearCertificate` with the theorem of its sketch.

    For all models of a norm it is a `LinearCertificate`. With `in_slab` it is about the models among
    them whose scores are in the slab, `|<u, x_t>| <= slab` on all examples, as the theorems require:
    Proposition 1 with the sums of this run, and theorems 16 (the full matrix) and 18 (frequent
    directions, with the measured sum of rho in place of its bound, and the 2 m rows of an epoch). The
    regret to these models is not known without the examples, so it is None.

    The theorems need the loss to have the curvature sigma in the slab. An example of importance h has
    1 / h of the curvature of the loss, and the squared loss needs targets in the slab, too.

    Attributes: those of `LinearCertificate`; `sketch`, `size`, `alpha`, `slab`, `diagonal`, the options
    of the learner; `in_slab`; `features`, d; `curvature`, sigma, and `allowed`, the largest sigma of the
    loss in the slab; `heaviest`, the largest importance of an example, and `span`, the largest target;
    `steepest`, L, the largest `|h l'|`; `etas`, the sum of eta_t, and `eta`, the last; `squares`, the
    sum of `||g_t||^2`; `gain`, the sum of `<g_t, A_t^-1 g_t>`; `kept`, the trace of `S^T S`; `removed`,
    the sum of rho_t, which frequent directions removed; `lanes`, over which these are added up if there
    are three or more labels.

    >>> from regretless.newton import NewtonRegressor
    >>> model = NewtonRegressor(sketch="full", alpha=1.0, slab=2.0, diagonal=False, certify=True)
    >>> for t in range(100):
    ...     model.learn_one({"a": t % 3 - 1, "b": t % 5 - 2}, 0.5 * (t % 3 - 1))
    >>> proved = model.certificate(norm=1, in_slab=True)
    >>> sorted(proved.bounds), proved.bounds["Prop 1"] < proved.bounds["convexity"]
    (['Prop 1', 'Thm 16', 'convexity', 'trivial'], True)
    """

    in_slab: bool = False
    sketch: str = "full"
    size: int = 0
    alpha: float = 1.0
    slab: float = math.inf
    features: int = 0
    curvature: float = 0.0
    allowed: float = 0.0
    heaviest: float = 1.0
    span: float = 0.0
    steepest: float = 0.0
    etas: float = 0.0
    eta: float = 0.0
    squares: float = 0.0
    gain: float = 0.0
    kept: float = 0.0
    removed: float = 0.0
    diagonal: bool = False
    lanes: int = 1

    def within(self, norm: float, *, ord: float = 2) -> Self:
        """The certificate of the same run for other models: see `LinearCertificate.within`."""
        found = super().within(norm, ord=ord)
        if not self.in_slab:
            return found
        return replace(
            found,
            regret=None,
            assumptions=found.assumptions | found._asked(),
            bounds=found.bounds | found._proved(),
            theorem="Luo (2016), Proposition 1 and Theorems 16 to 18; convexity",
            comparators=f"{found.comparators} whose scores are at most {self.slab:g}",
        )

    def _asked(self) -> dict[str, bool | None]:
        sigma = self.curvature * max(self.heaviest, 1.0)
        asked: dict[str, bool | None] = {
            "the loss curves by sigma in the slab": sigma <= self.allowed * (1 + 4 * _EPS)
        }
        if self.curvature and self.span:
            asked["targets are in the slab"] = self.span <= self.slab
        if (
            self.sketch != "full"
        ):  # the core raises a smaller alpha, and the theorem is not about that
            asked["alpha is at least 1e-13 of the sketch"] = self.alpha >= _DIGITS * self.kept
        if self.sketch == "rp":
            asked["in expectation over the projections"] = None
        return asked

    def _proved(self) -> dict[str, float]:
        if self.ord == math.inf:  # such models have no bound on the l2 norm
            return {}
        start = self.alpha * self.norm**2 / 2.0
        drift = 2.0 * self.lanes * (self.slab * self.steepest) ** 2 * self.etas
        bounds = {"Prop 1": start + self.gain / 2.0 + drift}
        share = self.curvature + self.eta
        if self.sketch == "full" and share > 0.0:
            d = self.lanes * max(self.features, 1)  # by concavity, the mean over lanes
            grown = math.log1p(share * self.squares / (d * self.alpha))
            bounds["Thm 16"] = start + drift + d / (2.0 * share) * grown
        if self.sketch == "fd" and self.size and share > 0.0:
            rows = self.lanes * 2 * self.size
            grown = math.log1p(self.kept / (rows * self.alpha)) + self.removed / self.alpha
            bounds["Thm 18"] = start + drift + rows / (2.0 * share) * grown
        return bounds


# --- the curvature of a loss in a slab: Luo (2016), assumption 2 ----------------------------------


def curvature(loss: Loss, slab: float) -> float:
    """The largest sigma with `l(a) >= l(b) + l'(b) (a - b) + sigma / 2 (l'(b) (a - b))^2`.

    The inequality is for all scores a and b in `[-slab, slab]`, and numeric targets in it (Luo (2016),
    section 4.2, for the squared loss; for the others sigma is the smallest ratio, found at an end of
    the slab). The result is 0 for losses without curvature, and without a slab.

    >>> from regretless import losses
    >>> curvature(losses.get("squared"), 1.0), round(curvature(losses.get("logistic"), 1.0), 4)
    (0.125, 0.3679)
    """
    if math.isinf(slab):
        return 0.0
    C = slab
    if loss.name == "squared":
        return 1.0 / (8.0 * C * C)
    if loss.name == "logistic":
        return math.exp(-C)
    if loss.name == "exponential":
        return math.exp(-C) * (math.expm1(-2.0 * C) + 2.0 * C) / (2.0 * C * C)
    if loss.name == "squared_hinge":
        margin = float(getattr(loss, "margin", 1.0))
        c = C / margin
        steep = 1.0 / (2.0 * (1.0 + c) ** 2)
        far = (3.0 * c - 1.0) / (8.0 * c * c * (1.0 + c)) if c >= 1.0 else math.inf
        return min(steep, far) / margin**2
    return 0.0


# --- NewtonClassifier and NewtonRegressor: steps by the inverse of a sketched matrix of -----------

_SKETCHES = {
    "oja": _core.SketchKind.oja,
    "fd": _core.SketchKind.frequent,
    "rp": _core.SketchKind.random,
    "full": _core.SketchKind.full,
}
_UNBOUNDED_CURVATURE = 0.125  # Luo (2016), for labels -1 and 1 without a slab

# Chosen on the sets of benchmarks/newton.py: alpha in units of the first |x|^2, and sigma, in the space
# of the features and with diagonal adaptation. The squared loss bends everywhere as much as where it is
# worst, so its matrix is that of the features alone.
_LANES = {
    False: ((0.001, 0.06), (0.1, 0.25), (0.1, 0.06), (1.0, 0.25)),
    True: ((0.0001, 0.06), (0.001, 0.06), (0.0001, 0.004), (0.01, 0.015)),
}
_SQUARED_LANES = {
    False: ((0.1, 1.0), (0.1, 0.25), (1.0, 1.0), (1.0, 0.25)),
    True: ((0.0001, 0.015), (0.0001, 0.004), (0.0001, 0.001), (0.001, 0.004)),
}


def tuned_spaces(
    loss: Loss, spaces: tuple[bool, ...] = (False, True)
) -> list[tuple[bool, list[tuple[float, float]]]]:
    """The lanes that are mixed without alpha: for each space whether it is diagonal, and its lanes."""
    lanes = _SQUARED_LANES if loss.name == "squared" else _LANES
    return [(space, list(lanes[space])) for space in spaces]


def tuned_options(loss: Loss) -> dict[str, Any]:
    """The options of the core for the lanes of `NewtonClassifier()`, as a part of another mixture."""
    return {
        "sketch": _SKETCHES["oja"],
        "size": 10,
        "seed": 0,
        "slab": math.inf,
        "tuned": True,
        "curvature": 0.0,
        "spaces": tuned_spaces(loss),
    }


@dataclass(frozen=True)
class NewtonLane:
    """One of the learners that are mixed when `alpha` is not given, with its loss and weight.

    Attributes: `diagonal`, as the option; `alpha` in units of the first `||x||^2`; `curvature`, sigma;
    `loss`, the sum, and `mean_loss`; `weight` in the mixture. The last lane, the blend of the
    others, has no alpha.

    >>> NewtonLane(True, 0.001, 0.06).diagonal
    True
    """

    diagonal: bool | None
    alpha: float | None
    curvature: float | None
    loss: float = 0.0
    mean_loss: float = 0.0
    weight: float = 0.0


class Newton(HasWeights):
    """The base of `NewtonClassifier` and `NewtonRegressor`."""

    loss: str | Loss | None = option(losses.learnable, default=None, text="loss to minimise")
    sketch: str = option(
        one_of,
        _SKETCHES,
        default="oja",
        text=""""oja" (the best in practice), "fd" (frequent directions), "rp" (random projection),
        or "full", the whole matrix, for up to 4,096 features""",
    )
    size: int = option(
        whole,
        0,
        1000,
        default=10,
        hint="; 5 to 20 suit most data",
        text="m, the number of directions; 0 is first-order learning",
    )
    diagonal: bool | None = option(
        flag,
        default=None,
        text="""learn with `x_i / sqrt(0.1 max x_i^2 + sum g_i^2)` in place of x_i, so that no
        feature's scale matters (Luo (2016), section 4.6.2). None: both ways without alpha,
        False with alpha""",
    )
    alpha: float | None = option(
        positive,
        default=None,
        text="1 / alpha is the length of steps outside of the sketch. None: chosen while learning",
    )
    curvature: float | None = option(
        not_negative,
        default=None,
        text="""sigma, the weight of the gradients in A. None: the curvature of the loss in the slab,
        or 1/8 without a slab""",
    )
    rate: float | Rate | None = option(
        default=None,
        text="""eta_t, which is added to sigma. None: 0 for losses with curvature, of the order
        `sqrt(m / t)` for the others""",
    )
    slab: float | None = option(
        positive,
        default=None,
        text="""C: project so that scores stay in [-C, C], as the theorems require. None: do not
        project""",
    )

    precision = "single"  # of features; all else is in double precision

    def _parts(self) -> tuple[Loss, str, dict[str, Any]]:
        default = "logistic" if self.classifies else "squared"
        loss = losses.get(default if self.loss is None else self.loss)
        slab = math.inf if self.slab is None else float(self.slab)
        options: dict[str, Any] = {
            "sketch": _SKETCHES[self.sketch],
            "size": int(self.size),
            "seed": self.seed % 2**64,
            "slab": slab,
            "tuned": self.alpha is None,
        }
        if self.alpha is None:
            self._refuse_what_is_tuned()
            spaces = (False, True) if self.diagonal is None else (bool(self.diagonal),)
            options |= {"curvature": 0.0, "spaces": tuned_spaces(loss, spaces)}
            return loss, "newton", options
        sigma, eta = self._pace(loss, slab)
        options |= {
            "curvature": sigma,
            "spaces": [(bool(self.diagonal), [(float(self.alpha), 1.0)])],
        }
        return loss, "newton", options if eta is None else options | schedule(eta)

    def _advice(self) -> str:
        if self.alpha is None:
            return super()._advice()
        return "Raise alpha, scale the features, or leave alpha out to have it chosen"

    def _refuse_what_is_tuned(self) -> None:
        for name, value in (("curvature", self.curvature), ("rate", self.rate)):
            if value is not None:
                raise ValueError(
                    f"{name}={shown(value)} needs alpha, with which it is tuned; give alpha, too"
                )
        if self.certify:
            raise ValueError(
                "certify=True needs one linear model, but without alpha several are mixed, whose "
                "certificate needs no sums; give alpha, or leave certify out"
            )

    def _pace(self, loss: Loss, slab: float) -> tuple[float, float | Rate | None]:
        """The options sigma and eta_t: if both are 0 the matrix never changes."""
        curves = curvature(loss, slab if slab < math.inf else 1.0) > 0.0
        sigma, eta = self.curvature, self.rate
        if sigma is None:
            sigma = curvature(loss, slab) if slab < math.inf else _UNBOUNDED_CURVATURE * curves
        if sigma == 0.0 and eta is None:
            # Luo (2016), section 4.4, with the sketch's size for d
            lipschitz = loss.lipschitz if loss.lipschitz < math.inf else 1.0
            reach = slab if slab < math.inf else 1.0
            eta = InverseSqrt(math.sqrt(max(self.size, 1)) / (reach * lipschitz))
        return float(sigma), eta

    @property
    def is_linear(self) -> bool:
        # a slab clips scores, and an example larger than all before it changes the scales
        return self.alpha is not None and self.slab is None and not self.diagonal

    @property
    def certifies(self) -> str:  # type: ignore[override]
        return "itself" if self.alpha is None else "models"

    # --- the learned state ---------------------------------------------------------------------------

    def _spaces(self) -> list[list[dict[str, Any]]]:
        core: Any = self._model or self._start()
        return [core.spaces(k) for k in range(core.lanes)]

    def _by_label(self, values: list[Any]) -> Any:
        """The value, or one for each of three or more labels."""
        return values[0]

    @property
    def eigenvalues_(self) -> Any:
        """The largest eigenvalues of the sketched sum of `g g^T`; by label for three or more labels.

        They are in the space of the features, unless diagonal adaptation is the only space.
        """
        scale = self._parts()[2]["curvature"] or 1.0
        return self._by_label([_eigenvalues(spaces[0]) / scale for spaces in self._spaces()])

    @property
    def condition_number_(self) -> Any:
        """The largest eigenvalue over the smallest, or over the mean of those outside the sketch.

        It is infinite while there are fewer than two.
        """
        return self._by_label([_condition(spaces[0]) for spaces in self._spaces()])

    @property
    def lanes_(self) -> Any:
        """The mixed learners with their losses and weights; needs `alpha=None`."""
        if self.alpha is not None:
            raise ValueError(f"lanes_ needs alpha=None, got alpha={self.alpha}, which has no lanes")
        core: Any = self._model or self._start()
        return self._by_label([self._lanes(core.mixing(k)) for k in range(core.lanes)])

    def _lanes(self, mixing: dict[str, Any]) -> list[NewtonLane]:
        tried: list[tuple[bool | None, float | None, float | None]] = [
            (space, *lane) for space, lanes in self._parts()[2]["spaces"] for lane in lanes
        ]
        total = self.weight_ or 1.0
        return [
            NewtonLane(*lane, loss, loss / total, weight)
            for lane, loss, weight in zip(
                [*tried, (None, None, None)], mixing["losses"].tolist(), mixing["weights"].tolist()
            )
        ]

    def certificate(  # type: ignore[override]
        self, norm: float = 1.0, ord: float = 2, *, in_slab: bool = False
    ) -> Certificate:
        """The certificate of the run: a `NewtonCertificate` for all linear models of a norm.

        Without alpha, it is the regret to the best of the mixed lanes, and does not depend on the norm.

        Parameters: `norm` and `ord` as for all learners; `in_slab`: only the models whose scores are in
        the slab on all examples, which the theorems of the sketch cover.
        """
        core: Any = self._model or self._start()
        if self.alpha is None:
            if in_slab:
                raise ValueError("in_slab=True needs alpha, without which several models are mixed")
            return regret_to_lanes([core.mixing(k) for k in range(core.lanes)], self.examples_)
        if in_slab:
            self._refuse_what_has_no_theorem()
        return NewtonCertificate.of(norm=norm, ord=ord, in_slab=bool(in_slab), **self._sums())

    def _refuse_what_has_no_theorem(self) -> None:
        """Refuse `in_slab=True` for options that the regret theorems do not cover."""
        if self.sketch == "oja":
            raise ValueError("sketch='oja' has no regret theorem; use 'full', 'fd' or 'rp'")
        if self.diagonal:
            raise ValueError("diagonal=True has no regret theorem; use diagonal=False")
        if self.slab is None:
            raise ValueError("slab=None: the theorems need bounded scores; give a slab")

    def _sums(self) -> dict[str, Any]:
        loss, _, options = self._parts()
        found = [spaces[0] for spaces in self._spaces()]

        def total(name: str) -> float:
            return math.fsum(each[name] for each in found)

        def largest(name: str) -> float:
            return float(max(each[name] for each in found))

        assert self.alpha is not None
        return super()._sums() | {
            "sketch": self.sketch,
            "size": int(self.size),
            "alpha": float(self.alpha),
            "slab": options["slab"],
            "features": int(largest("features")),
            "curvature": options["curvature"],
            "allowed": curvature(loss, options["slab"]),
            "heaviest": largest("heaviest"),
            "span": 0.0 if self.classifies else largest("span"),
            "steepest": largest("steep"),
            "etas": largest("etas"),
            "eta": min(each["last_eta"] for each in found),
            "squares": total("squares"),
            "gain": total("gain"),
            "kept": total("kept"),
            "removed": total("removed"),
            "diagonal": bool(self.diagonal),
            "lanes": len(found),
        }


def _eigenvalues(space: dict[str, Any]) -> Array:
    values: Array = space["eigenvalues"]
    return values[: int(space["features"])]  # there are no more directions than features


def _condition(space: dict[str, Any]) -> float:
    values = _eigenvalues(space)
    if not len(values):
        return math.inf
    missing, least = space["features"] - len(values), float(values[-1])
    if missing > 0:
        least = min(least, max(0.0, space["energy"] - space["kept"]) / missing)
    return float(values[0]) / least if least > 0 else math.inf


class NewtonClassifier(Newton, Classifier):
    """A linear classifier that learns by Newton steps with a sketched matrix of gradients.

        w <- w - A^-1 g,    A = alpha I + sigma S^T S,    S^T S near the sum of g g^T

    The inverse corrects for correlated features, which step sizes per feature cannot do. S is a sketch:
    a few directions in which gradients are large, updated with the weights in time proportional to an
    example's non-zeros (Luo (2016), chapter 4).

    Without `alpha`, eight learners run side by side, four with diagonal adaptation and four without,
    each four with one sketch, and are mixed as in `regretless.linear.Auto`: the loss is at most that of
    the best of them plus c ln 9. Their alpha grows with the part that the sketch misses, and steps
    follow the gradient flow. With `alpha` it is the algorithm of Luo (2016), with its theorems.

    >>> import numpy as np
    >>> random = np.random.default_rng(0)
    >>> X = random.normal(size=(500, 3)) @ [[1, 0, 0], [3, 0.1, 0], [-2, 0.1, 0.1]]  # hard to tell apart
    >>> y = X[:, 1] > X[:, 2]
    >>> model = NewtonClassifier().fit(X, y)
    >>> len(model.lanes_), model.certificate().holds
    (9, True)
    >>> bool(model.loss_ < 0.5 * 500 * np.log(2))
    True
    """

    loss: str | Loss | None = option(
        losses.learnable,
        "classification",
        default=None,
        text='"logistic" (or None), "squared_hinge", "hinge" or another one for classification',
    )

    def _by_label(self, values: list[Any]) -> Any:
        return values[0] if len(values) == 1 else dict(zip(self._labels.labels, values))


class NewtonRegressor(Newton, Regressor):
    """`NewtonClassifier` for regression, by default with the squared loss.

    The parameters are those of `NewtonClassifier`.

    >>> model = NewtonRegressor()
    >>> for t in range(200):
    ...     model.learn_one({"a": t % 3, "b": t % 5}, 2.0 * (t % 3) - (t % 5))
    >>> round(model.predict_one({"a": 1, "b": 0}), 1)
    2.0
    """

    loss: str | Loss | None = option(
        losses.learnable,
        "regression",
        default=None,
        text='"squared" (or None) or another one for regression',
    )
