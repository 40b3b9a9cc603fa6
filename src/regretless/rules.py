"""Update rules of the linear learners: how a gradient changes the weights.

Throughout, `z = g x` is the gradient of the round's loss at the weights played, `g` the loss's
derivative times the example's weight. The formulas are those of Shalev-Shwartz (2012), section 2,
of Srebro (lecture 16) and of the papers named at each rule; all weights start at 0.
"""

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass, field, fields, replace
from typing import Any, ClassVar, NamedTuple

from regretless import _core, rates
from regretless.base.arguments import TOO_LARGE, not_negative, one_of, positive, shown, within
from regretless.base.options import call_of_fields
from regretless.certificates import Promise
from regretless.losses import Loss

__all__ = ["EG", "FTRL", "OGD", "AdaGrad", "Coin", "PNorm", "Rule", "get"]

_SCHEDULES: dict[type[rates.Rate], _core.RateKind] = {
    rates.Constant: _core.RateKind.constant,
    rates.InverseSqrt: _core.RateKind.inverse_sqrt,
    rates.Inverse: _core.RateKind.inverse,
}


class Paid(NamedTuple):
    """The sums of a run for a theorem "regret <= size(u) price + steps", over all lanes.

    `price` is the largest over lanes, `prices` their sum; both are for the last round's rate.
    """

    price: float
    prices: float
    steps: float


@dataclass(frozen=True, repr=False)
class Rule(ABC):
    """The base of all rules; options such as `l1` come from the learner."""

    name: ClassVar[str]
    takes_penalty: ClassVar[bool] = False
    __repr__ = call_of_fields

    @abstractmethod
    def options(self, loss: Loss, l1: float, l2: float) -> dict[str, Any]:
        """The options of the rule, in the form of the compiled core."""

    def promise(self, paid: Paid, penalised: bool) -> Promise | None:
        """The rule's regret theorem for a run with these sums; None if it has none."""
        return None

    def advice(self) -> str:
        """The remedy that the error of a score that overflows recommends."""
        return "Lower the rate, scale the features, or use rule='coin', which needs neither"

    def with_rate(self, rate: float | rates.Rate) -> "Rule":
        """The same rule with another rate; `ValueError` if it has no rate."""
        if "rate" not in {f.name for f in fields(self)}:
            raise ValueError(
                f"rate={shown(rate)}: rule={self.name!r} has no learning rate; leave it out"
            )
        return replace(self, rate=rate)  # type: ignore[call-arg]

    def check_penalty(self, l1: float, l2: float) -> None:
        """Refuse penalties that the rule cannot apply exactly."""
        for name, value in (("l1", l1), ("l2", l2)):
            if not_negative(value, name) and not self.takes_penalty:
                raise ValueError(
                    f"{name}={value}: rule={self.name!r} takes no penalty (its guarantee needs none); "
                    "use rule='ftrl', 'adagrad' or 'ogd'"
                )


def schedule(rate: float | rates.Rate) -> dict[str, Any]:
    """A rate in the form of the compiled core."""
    chosen = rates.get(rate)
    if type(chosen) not in _SCHEDULES:
        raise ValueError(f"rate={shown(rate)} must be a number or one of regretless.rates")
    return {"schedule": _SCHEDULES[type(chosen)], "eta": chosen.eta}


@dataclass(frozen=True, repr=False)
class Coin(Rule):
    """Coin betting, which needs no learning rate: every coordinate bets a fraction of its wealth.

        w_i = (e + R_i) theta_i / (L_i (G_i + L_i))
        theta_i = -sum z_i,  G_i = sum |z_i|,  R_i = max(0, R_i - z_i w_i),  L_i = s max |x_i|

    `s` is the loss's Lipschitz constant, or the largest `|g|` so far. The initial wealth
    `e = wealth * s * max |y| / n` is shared by the coordinates active in a round, of which there
    are `n`, the mean of `sum_i (x_i / max |x_i|)^2`. Scaling a feature by any factor changes no
    prediction; scaling the targets scales the predictions. Orabona and Pal (2016), Orabona and
    Tommasi (2017); the shared wealth is new here.

    Parameters: `wealth > 0`, the most that the active coordinates may lose together, in units of the
    loss. A larger value makes the first steps larger.

    >>> Coin()
    Coin()
    """

    name: ClassVar[str] = "coin"
    wealth: float = 8.0

    def __post_init__(self) -> None:
        positive(self.wealth, "wealth")

    def advice(self) -> str:
        return TOO_LARGE

    def options(self, loss: Loss, l1: float, l2: float) -> dict[str, Any]:
        lipschitz = loss.lipschitz
        return {"wealth": self.wealth, "lipschitz": lipschitz if lipschitz < math.inf else 0.0}


@dataclass(frozen=True, repr=False)
class AdaGrad(Rule):
    """AdaGrad, with a step size per coordinate that shrinks as gradients add up.

        G_i += z_i^2,    w_i <- prox(w_i - eta z_i / sqrt(G_i))

    `prox` shrinks by `l1` and `l2` with the coordinate's own step size, for the rounds in which the
    feature is absent, too. Duchi, Hazan and Singer (2011), composite mirror descent.

    Parameters: `rate > 0`, eta; 0.05 to 0.1 suits most data with features near 1. `scale_invariant`:
    divide the step by `max |x_i|`, so that the scale of a feature does not matter (NAG of Ross,
    Mineiro and Langford (2013)); takes no penalty. `invariant`: the score follows the gradient flow
    at these rates, as in `OGD`, instead of jumping, so that no step passes the minimum. This protects
    the learner from large features; False is the rule as it was published.

    >>> AdaGrad(rate=0.1)
    AdaGrad(rate=0.1)
    """

    name: ClassVar[str] = "adagrad"
    takes_penalty: ClassVar[bool] = True
    rate: float = 0.08
    scale_invariant: bool = False
    invariant: bool = True

    def __post_init__(self) -> None:
        if not isinstance(self.rate, (int, float)):
            raise ValueError(f"rate={self.rate!r}: AdaGrad has its own schedule; give a number")
        positive(self.rate, "rate")

    def advice(self) -> str:
        if self.scale_invariant:
            return "Lower the rate, or use rule='coin', which has none"
        return (
            "Lower the rate, scale the features, or use rules.AdaGrad(scale_invariant=True), which "
            "needs no scale, or rule='coin', which needs no rate either"
        )

    def options(self, loss: Loss, l1: float, l2: float) -> dict[str, Any]:
        if self.scale_invariant and (l1 or l2):
            raise ValueError(
                f"l1={l1}, l2={l2}: scale_invariant steps have no closed form for the rounds in which "
                "a feature is absent; use scale_invariant=False"
            )
        return {
            "eta": self.rate,
            "l1": l1,
            "l2": l2,
            "scale_invariant": self.scale_invariant,
            "invariant": self.invariant,
        }


@dataclass(frozen=True, repr=False)
class OGD(Rule):
    """Online gradient descent.

    Shalev-Shwartz (2012), Corollaries 2.7 and 2.17; Srebro (lecture 16).

        agile:  w <- P(prox(w - eta_t z))
        lazy:   w_t = P(eta_{t-1} theta_t),  theta = -sum z       (dual averaging)

    `P` projects onto the l2 ball of the given radius. The regret against every `u` in it is at most
    `||u||^2 / (2 eta) + (eta / 2) sum ||z_t||^2` for a constant rate (Shalev-Shwartz (2012),
    Theorem 2.21 and section 2.9).

    Parameters: `rate`, a number (constant) or one of `regretless.rates`. `radius > 0` of the ball,
    or None. `lazy`: project only the weights played, not the sum kept. `invariant`: importance-aware
    steps, which follow the gradient flow (Karampatziakis and Langford (2011)): weight 2 is exactly
    weight 1 twice, and no step passes the minimum; agile only.

    >>> OGD(rate=rates.InverseSqrt(0.5), radius=10.0)
    OGD(rate=InverseSqrt(0.5), radius=10.0)
    """

    name: ClassVar[str] = "ogd"
    takes_penalty: ClassVar[bool] = True
    rate: float | rates.Rate = field(default_factory=lambda: rates.InverseSqrt(0.2))
    radius: float | None = None
    lazy: bool = False
    invariant: bool = False

    def __post_init__(self) -> None:
        schedule(self.rate)
        if self.radius is not None:
            positive(self.radius, "radius")
        if self.lazy and self.invariant:
            raise ValueError("invariant=True needs lazy=False: lazy steps have no gradient flow")

    @property
    def _reach(self) -> float:
        return math.inf if self.radius is None else self.radius

    def promise(self, paid: Paid, penalised: bool) -> Promise | None:
        # falling rates need a bound on the distance from u to the weights played
        moves = not (isinstance(rates.get(self.rate), rates.Constant) or self.lazy)
        if penalised or self.invariant or (moves and self.radius is None):
            return None
        beyond = self._reach if moves else 0.0
        return Promise(self.name, (1, 2), paid.price, paid.steps, beyond, self._reach)

    def options(self, loss: Loss, l1: float, l2: float) -> dict[str, Any]:
        if self.radius is not None and l1:
            raise ValueError(
                f"radius={self.radius} and l1={l1} cannot be combined; use one of them"
            )
        return schedule(self.rate) | {
            "radius": self._reach,
            "l1": l1,
            "l2": l2,
            "lazy": self.lazy,
            "invariant": self.invariant,
        }


@dataclass(frozen=True, repr=False)
class FTRL(Rule):
    """FTRL-Proximal: sparse weights through `l1` (McMahan et al. (2013)).

        s = (sqrt(n_i + z_i^2) - sqrt(n_i)) / alpha,   u_i += z_i - s w_i,   n_i += z_i^2
        w_i = -sign(u_i) max(|u_i| - l1, 0) / ((beta + sqrt(n_i)) / alpha + l2)

    Parameters: `rate > 0`, alpha. `beta >= 0` keeps the first steps short.

    >>> FTRL(rate=0.05)
    FTRL(rate=0.05)
    """

    name: ClassVar[str] = "ftrl"
    takes_penalty: ClassVar[bool] = True
    rate: float = 0.1
    beta: float = 1.0

    def __post_init__(self) -> None:
        if not isinstance(self.rate, (int, float)):
            raise ValueError(f"rate={self.rate!r}: FTRL has its own schedule; give a number")
        positive(self.rate, "rate")
        not_negative(self.beta, "beta")

    def options(self, loss: Loss, l1: float, l2: float) -> dict[str, Any]:
        return {"alpha": self.rate, "beta": self.beta, "l1": l1, "l2": l2}


@dataclass(frozen=True, repr=False)
class PNorm(Rule):
    """The p-norm algorithm: between gradient descent (p = 2) and EG (p = 2 ln d).

        w_i = eta_{t-1} sign(theta_i) |theta_i|^(p-1) / ||theta||_p^(p-2),    theta = -sum z

    With `||u||_q <= B`, `1/p + 1/q = 1`, and a constant rate the regret is at most
    `B^2 / (2 eta) + (eta (p-1) / 2) sum ||z_t||_p^2` (Shalev-Shwartz (2012), Corollary 2.18; the
    printed link and regulariser disagree by a factor q - 1, see docs/errata.md: this is the link,
    convention A).

    Parameters: `p >= 2`; 2 ln d suits sparse comparators in d dimensions. `rate` as for `OGD`.

    >>> PNorm(p=4, rate=0.1)
    PNorm(p=4, rate=0.1)
    """

    name: ClassVar[str] = "pnorm"
    p: float = 10.0
    rate: float | rates.Rate = field(default_factory=lambda: rates.InverseSqrt(0.5))

    def __post_init__(self) -> None:
        within(self.p, "p", "[2, 100]", "; use rule='eg' for larger p")
        schedule(self.rate)

    def promise(self, paid: Paid, penalised: bool) -> Promise:
        # among the norms of certificates only l1 is at least the theorem's q-norm, q <= 2
        return Promise(self.name, (1, 2) if self.p == 2 else (1,), paid.price, paid.steps)

    def options(self, loss: Loss, l1: float, l2: float) -> dict[str, Any]:
        return schedule(self.rate) | {"p": self.p}


@dataclass(frozen=True, repr=False)
class EG(Rule):
    """Exponentiated gradient, EG+-: multiplicative steps in the l1 ball of a given radius.

        w_i = U (e^{eta theta_i} - e^{-eta theta_i}) / sum_j (e^{eta theta_j} + e^{-eta theta_j})

    The sum is over all features seen so far. For a constant rate the regret against every `u` with
    `||u||_1 <= U` is at most `U ln(2d) / eta + (eta U / 2) sum ||z_t||_inf^2` (Shalev-Shwartz
    (2012), Corollaries 2.14 and 2.16, with the step of docs/errata.md, on the features x and -x).
    Without a rate `eta = sqrt(2 ln(2d) / c)` adapts: `c` grows with `sum ||z_t||_inf^2`, in jumps
    by a factor of at least 4.

    Parameters: `radius > 0`, U. `rate > 0`, eta, or None.

    >>> EG(radius=10.0)
    EG()
    """

    name: ClassVar[str] = "eg"
    radius: float = 10.0
    rate: float | None = None

    def __post_init__(self) -> None:
        positive(self.radius, "radius")
        if self.rate is not None:
            if not isinstance(self.rate, (int, float)):
                raise ValueError(f"rate={self.rate!r}: EG takes a number, or None to adapt")
            positive(self.rate, "rate")

    def promise(self, paid: Paid, penalised: bool) -> Promise:
        cost = self.radius * paid.prices + paid.steps
        return Promise(self.name, (1,), 0.0, cost, reach=self.radius)

    def options(self, loss: Loss, l1: float, l2: float) -> dict[str, Any]:
        return {"radius": self.radius, "eta": self.rate or 0.0}


RULES: dict[str, type[Rule]] = {r.name: r for r in (Coin, AdaGrad, OGD, FTRL, EG, PNorm)}


def named(rule: Any, name: str) -> Rule:
    """The rule of this name, or the rule itself; `ValueError` if the name is unknown.

    >>> named("sgd", "rule")
    Traceback (most recent call last):
    ValueError: rule='sgd' is not one of 'coin', 'adagrad', 'ogd', 'ftrl', 'eg', 'pnorm'
    """
    return rule if isinstance(rule, Rule) else RULES[one_of(rule, name, RULES)]()


def get(rule: str | Rule) -> Rule:
    """A rule by name, or the rule itself.

    >>> get("ftrl")
    FTRL()
    """
    return named(rule, "rule")
