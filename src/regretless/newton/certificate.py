"""What a run of sketched Newton steps proves, by the theorems of Luo (2016), chapter 4."""

import math
import sys
from dataclasses import dataclass, replace
from typing import Self

from regretless.certificates import LinearCertificate

__all__ = ["NewtonCertificate"]

_EPS = sys.float_info.epsilon


@dataclass(frozen=True)
class NewtonCertificate(LinearCertificate):
    """A `LinearCertificate` that also knows the regret theorem of its sketch.

    For all models of a norm it says what every `LinearCertificate` does. With `in_slab` it is about
    those of them whose scores are in the slab, `|<u, x_t>| <= slab` on all examples, to which the
    theorems are: Proposition 1 with the sums of this run, and theorems 16 (the full matrix) and 18
    (frequent directions, with the measured sum of rho in place of its bound, and 2 m rows as there are
    in an epoch). The regret to these models is not known without the examples, so it is None.

    The theorems need the loss to curve by sigma in the slab. That of an example of importance h curves
    by 1 / h of what the loss does, and the squared loss only does if targets are in the slab, too.

    Attributes: those of `LinearCertificate`; `sketch`, `size`, `alpha`, `slab`, `diagonal` as the
    learner had them; `in_slab`; `features`, d; `curvature`, sigma, and `allowed`, the largest sigma
    that the loss has in the slab; `heaviest`, the largest importance of an example, and `span`, the
    largest target; `steepest`, L, the largest `|h l'|`; `etas`, the sum of eta_t, and `eta`, the
    last; `squares`, the sum of `||g_t||^2`; `gain`, the sum of `<g_t, A_t^-1 g_t>`; `kept`, the
    trace of `S^T S`; `removed`, what frequent directions took away, the sum of rho_t; `lanes`, over
    which these are added up if there are three or more labels.

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
        if self.sketch == "rp":
            asked["in expectation over the projections"] = None
        return asked

    def _proved(self) -> dict[str, float]:
        if self.ord == math.inf:  # of which the l2 norm is not bounded
            return {}
        start = self.alpha * self.norm**2 / 2.0
        drift = 2.0 * self.lanes * (self.slab * self.steepest) ** 2 * self.etas
        bounds = {"Prop 1": start + self.gain / 2.0 + drift}
        share = self.curvature + self.eta
        if self.sketch == "full" and share > 0.0:
            d = self.lanes * max(self.features, 1)  # of a concave function: the mean
            grown = math.log1p(share * self.squares / (d * self.alpha))
            bounds["Thm 16"] = start + drift + d / (2.0 * share) * grown
        if self.sketch == "fd" and share > 0.0:
            rows = self.lanes * 2 * self.size
            grown = math.log1p(self.kept / (rows * self.alpha)) + self.removed / self.alpha
            bounds["Thm 18"] = start + drift + rows / (2.0 * share) * grown
        return bounds
