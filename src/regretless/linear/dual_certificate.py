"""What the dual objective of a run proves of every comparator.

Shalev-Shwartz and Singer (2007), sections 3 to 5.
"""

import math
from dataclasses import dataclass

from regretless.arguments import not_negative
from regretless.certificates import LinearCertificate

__all__ = ["DualCertificate"]


@dataclass(frozen=True, kw_only=True)
class DualCertificate(LinearCertificate):
    """A certified lower bound on what any fixed weights could have reached, and the bounds it gives.

    By weak duality, for every `w` of the geometry, with `F` its complexity (the geometry less its
    minimum) and `P(w) = F(w) + C sum_t loss_t(w)`, the objective that weights one by one are judged by,

        dual <= P(w)

    Whatever the update, the rounds with a margin of 0 or less satisfy `rate mistakes <= P(w)` (Thm 1).
    All updates but "conservative" also satisfy, over m rounds with the curvature `h`,

        sum_t loss_t <= m mu^-1((sum_t loss_t(w) + F(w) / C) / m)                 (Thm 3)
                     <= sum_t loss_t(w) + F(w) / C + m h C / 2

    With several classes all lanes count together: their losses, mistakes, complexities and rounds.

    Attributes: those of `LinearCertificate`, and `dual`, the dual objective, and `dual_error`, how far
    rounding may have moved it; `mistakes`; `gains`, its increases in those rounds (less what new
    features or labels took from it); `least`, the smallest increase in any round; `C`; `margin`;
    `curvature`, h, the largest of `<x, H x>` for the Hessian of the conjugate (at least 1);
    `update`; `lane_rounds`, m, the rounds of all lanes; `weighed`, how many examples had an
    importance other than 1; `euclidean`, whether `F(w) = ||w||^2 / 2`; `duality_gap`, for "block"
    and "leader" the most by which the problem of any round was not solved, in the units of `dual`,
    and None for the others.

    In `bounds`, "Shalev-Shwartz and Singer (2007), Theorem 3" is `regret_bound` of all models of
    the norm, for the Euclidean geometry.

    >>> c = DualCertificate.of(3, loss=2.0, dual=1.5, mistakes=2, gains=1.0, least=0.0, C=0.5,
    ...                        margin=1.0, curvature=1.0, update="aggressive", lane_rounds=3)
    >>> c.rate, c.mistake_bound(objective=2.0), c.regret_bound(complexity=0.5)
    (0.5, 4.0, 1.75)
    >>> c.gap(objective=2.0), c.best_loss(complexity=1.0)
    (0.5, 1.0)
    """

    dual: float
    mistakes: int
    gains: float
    least: float
    C: float
    margin: float
    curvature: float
    update: str
    lane_rounds: int
    weighed: int = 0
    euclidean: bool = False
    dual_error: float = 0.0
    duality_gap: float | None = None

    def _theorems(self) -> dict[str, float]:
        if not self.euclidean or self.ord == math.inf or self._no_theorem_3:
            return {}
        return {
            "Shalev-Shwartz and Singer (2007), Theorem 3": self.regret_bound(self.norm**2 / 2.0)
        }

    @property
    def _no_theorem_3(self) -> str:
        """Why Theorem 3 says nothing of this run, or nothing."""
        if self.update == "conservative":
            return "update='conservative' has no such bound: it ignores losses of correct rounds"
        if self.weighed:
            return f"{self.weighed} examples have an importance other than 1: no such bound"
        if self.assumptions.get("the dual objective never fell") is False:
            return f"the dual objective fell by {-self.least:.3g} in a round: no such bound"
        return ""

    @property
    def rate(self) -> float:
        """lambda: by how much a mistake raised the dual objective, on average."""
        return self.gains / self.mistakes if self.mistakes else math.inf

    @property
    def guaranteed_rate(self) -> float:
        """The least that Cor. 1 or eq. (31) promises of `rate`, in the worst case."""
        C, gamma, h = self.C, self.margin, self.curvature
        if self.update == "conservative" or h * C <= gamma:
            return gamma * C - h * C * C / 2.0
        return gamma * gamma / (2.0 * h)

    def mistake_bound(self, objective: float) -> float:
        """`mistakes` is at most this if some weights have `P(w) <= objective` (Thm 1)."""
        objective = not_negative(objective, "objective")
        if not self.mistakes:
            return 0.0
        return objective / self.rate if self.rate > 0.0 else math.inf

    def loss_bound(self, complexity: float, loss: float) -> float:
        """The loss is at most this if weights with `F(w) <= complexity` have at most `loss` (Thm 3)."""
        F, loss = not_negative(complexity, "complexity"), not_negative(loss, "loss")
        self._needs_theorem_3()
        if not self.lane_rounds:
            return 0.0
        z, c = (loss + F / self.C) / self.lane_rounds, self.curvature * self.C
        return self.lane_rounds * (math.sqrt(2.0 * c * z) if z <= c / 2.0 else z + c / 2.0)

    def regret_bound(self, complexity: float) -> float:
        """The regret against all weights with `F(w) <= complexity` is at most this: eq. (30)."""
        F = not_negative(complexity, "complexity")
        self._needs_theorem_3()
        return F / self.C + self.lane_rounds * self.curvature * self.C / 2.0

    def tuned(self, complexity: float) -> float:
        """The `C` with the smallest `regret_bound`, `sqrt(2 F / (h m))`: Cor. 2."""
        F = not_negative(complexity, "complexity")
        return (
            math.sqrt(2.0 * F / (self.curvature * self.lane_rounds))
            if self.lane_rounds
            else math.inf
        )

    def best_loss(self, complexity: float) -> float:
        """No weights with `F(w) <= complexity` have a smaller loss on this run."""
        F = not_negative(complexity, "complexity")
        return max(0.0, (self.dual - self.dual_error - F) / self.C)

    def best_possible(
        self, norm: float | None = None, *, ord: float | None = None, mean: bool = False
    ) -> float:
        """As `LinearCertificate.best_possible`; weak duality may say more than convexity does."""
        convexity = super().best_possible(norm, ord=ord, mean=mean)
        size, measured = self.norm if norm is None else norm, self.ord if ord is None else ord
        if not self.euclidean or measured == math.inf:
            return convexity
        return max(convexity, self.best_loss(size * size / 2.0) / (self._total if mean else 1.0))

    def gap(self, objective: float) -> float:
        """How far `objective`, the `P(w)` of some weights, can be from the smallest there is.

        `PrimalDual.objective` computes it.
        """
        return not_negative(objective, "objective") - self.dual

    def _needs_theorem_3(self) -> None:
        if self._no_theorem_3:
            raise ValueError(self._no_theorem_3)
