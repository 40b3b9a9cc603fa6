"""What a run of sketched Newton steps proves, by the theorems of thesis 4."""

import math
from dataclasses import dataclass

from regretless.certificates import LinearCertificate, Certificate

__all__ = ["NewtonCertificate"]


@dataclass(frozen=True)
class NewtonCertificate(LinearCertificate):
    """A `LinearCertificate` that also knows the regret theorem of its sketch.

    Attributes: those of `LinearCertificate`; `sketch`, `size`, `alpha`, `slab` as the learner had them;
    `features`, d; `curvature`, sigma, and `allowed`, the largest sigma that the loss has in the slab;
    `steepest`, L, the largest `|h l'|`; `etas`, the sum of eta_t, and `eta`, the last; `squares`, the
    sum of `||g_t||^2`; `gain`, the sum of `<g_t, A_t^-1 g_t>`; `kept`, the trace of `S^T S`; `removed`,
    what frequent directions took away, the sum of rho_t; `lanes`, over which these are added up if
    there are three or more labels.

    >>> from regretless.newton import NewtonRegressor
    >>> model = NewtonRegressor(sketch="full", alpha=1.0, slab=2.0, diagonal=False, certify=True)
    >>> for t in range(100):
    ...     model.learn_one({"a": t % 3 - 1, "b": t % 5 - 2}, 0.5 * (t % 3 - 1))
    >>> proved = model.certificate().regret_bound(norm=1)
    >>> sorted(proved.bounds), proved.holds
    (['Prop 1', 'Thm 16'], True)
    """

    sketch: str = "full"
    size: int = 0
    alpha: float = 1.0
    slab: float = math.inf
    features: int = 0
    curvature: float = 0.0
    allowed: float = 0.0
    steepest: float = 0.0
    etas: float = 0.0
    eta: float = 0.0
    squares: float = 0.0
    gain: float = 0.0
    kept: float = 0.0
    removed: float = 0.0
    diagonal: bool = False
    lanes: int = 1

    def regret_bound(self, norm: float) -> Certificate:
        """The regret to every w with `||w|| <= norm` and `|<w, x_t>| <= slab` on all examples.

        Proposition 1 with the sums of this run, and theorems 16 (the full matrix) and 18 (frequent
        directions, with the measured sum of rho in place of its bound, and 2 m rows as there are in an
        epoch). With random projections Proposition 1 is taken in expectation over them (theorem 17).
        Oja's sketch has no theorem. The regret itself is not known without the examples.
        """
        self.bound(norm)  # refuses what is no norm
        if self.sketch == "oja":
            raise ValueError("sketch='oja' has no regret theorem; use 'full', 'fd' or 'rp'")
        if self.diagonal:
            raise ValueError("diagonal=True has no regret theorem; use diagonal=False")
        if not self.slab < math.inf:
            raise ValueError("slab=None: the theorems need scores to be bounded; give a slab")
        start = self.alpha * norm**2 / 2.0
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
        assumptions: dict[str, bool | None] = {
            "the loss curves by sigma in the slab": self.curvature <= self.allowed * (1 + 1e-12),
            "the comparator's scores are in the slab": None,
        }
        if self.sketch == "rp":
            assumptions["in expectation over the projections"] = None
        return Certificate(
            self.examples, None, bounds, "thesis Prop 1, Thm 16 to 18", assumptions
        )
