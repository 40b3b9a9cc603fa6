"""The certificate: what a run proves about every model that could have been chosen in hindsight."""

import math
from dataclasses import dataclass, field

__all__ = ["Certificate", "RegretCertificate"]


@dataclass(frozen=True)
class Certificate:
    """How much any fixed linear model could have won over the learner, from the run alone.

    Convexity gives, for every comparator `u` and the subgradients `z_t` at the weights played,

        sum l_t(u)  >=  sum l_t(w_t) - sum <w_t, z_t> + <u, sum z_t>

    so over all `u` of norm at most `B` the best possible loss is at least
    `loss - linear - B ||sum z_t||_*`. Nothing is assumed of the data or of the update rule. The norm
    counts the weight of the intercept like every other weight, and with several classes the lanes of
    all classes together, whose losses `loss` adds up.

    Attributes: `examples` seen; `loss`, the sum of the (weighted) losses suffered; `linear`, the sum
    of `<w_t, z_t>`; `gradient_norms`, the l1, l2 and l-infinity norm of `sum z_t`; `rounding`, a bound
    on the rounding error of that sum in the l1 norm (0 up to double precision with `certify=True`);
    `weight`, the sum of importance weights (None: all are 1);
    `theorem`, what is being used; `assumptions`, each with whether it held.

    >>> c = Certificate(examples=2, loss=3.0, linear=-1.0, gradient_norms=(2.0, 1.5, 1.0))
    >>> c.best_possible(norm=2)
    1.0
    >>> c.bound(norm=2)  # at most 2 more than the best model of norm 2
    2.0
    """

    examples: int
    loss: float
    linear: float
    gradient_norms: tuple[float, float, float]
    rounding: float = 0.0
    weight: float | None = None
    theorem: str = "convexity: sum l_t(u) >= sum l_t(w_t) + <u - w_t, z_t>"

    @property
    def assumptions(self) -> dict[str, bool]:
        """What the certificate rests on, and whether it held on this run."""
        return {"the loss is convex": True, "all numbers are finite": math.isfinite(self.loss)}

    @property
    def holds(self) -> bool:
        """Whether every assumption held."""
        return all(self.assumptions.values())

    def bound(self, norm: float, *, ord: float = 2) -> float:
        """The regret against every model of norm at most `norm` is no larger than this.

        `ord` is the norm that the models are measured in: 1, 2 or `math.inf`.

        >>> Certificate(2, 3.0, -1.0, (2.0, 1.5, 1.0)).bound(1, ord=1)
        0.0
        """
        if not 0 <= norm < math.inf:
            raise ValueError(f"norm={norm} must be finite and not negative")
        if ord not in (1, 2, math.inf):
            raise ValueError(f"ord={ord} is not 1, 2 or math.inf")
        # dual norms: l1 <-> l-infinity, l2 <-> l2; the l1 norm of the error bounds all of them
        dual = self.gradient_norms[{math.inf: 0, 2: 1, 1: 2}[ord]]
        return self.linear + norm * (dual + self.rounding)

    def best_possible(self, norm: float, *, ord: float = 2, mean: bool = False) -> float:
        """No linear model of norm at most `norm` has a smaller cumulative loss on this run.

        `mean=True` gives it per example, one of weight w counting w times. Losses are not negative,
        hence neither is this.

        >>> Certificate(2, 3.0, -1.0, (2.0, 1.5, 1.0)).best_possible(2, mean=True)
        0.5
        """
        best = max(0.0, self.loss - self.bound(norm, ord=ord))
        total = self.examples if self.weight is None else self.weight
        return best / (total or 1) if mean else best


@dataclass(frozen=True)
class RegretCertificate:
    """What a player's theorem promises of its regret, and what the run has shown.

    Attributes: `rounds` played; `regret`, the largest linearised regret against the comparators asked
    for, `sup_u sum <w_t - u, z_t>`, which is at least the regret of convex losses; `bound`, the
    smallest of `bounds`, which are named after the analysis they come from and valid if their
    assumptions held; `theorem`, where the bound is from; `assumptions`, each with whether it held (None:
    that cannot be told from what is kept).

    >>> c = RegretCertificate(9, regret=2.0, bounds={"dual": 3.0, "forel": 4.0}, theorem="survey 2.21")
    >>> c.bound, c.holds
    (3.0, True)
    """

    rounds: int
    regret: float
    bounds: dict[str, float]
    theorem: str
    assumptions: dict[str, bool | None] = field(default_factory=dict)

    @property
    def bound(self) -> float:
        """The smallest of the bounds; infinite if there is none."""
        return min(self.bounds.values(), default=math.inf)

    @property
    def holds(self) -> bool:
        """Whether no assumption failed and the regret is within the bound, up to rounding."""
        slack = 1e-9 * (1.0 + abs(self.bound) + abs(self.regret))
        return False not in self.assumptions.values() and self.regret <= self.bound + slack
