"""Certificates: what has been measured, beside what theorems say of it."""

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from regretless.arguments import not_negative, shown

if TYPE_CHECKING:
    from regretless.audit import Audit

__all__ = [
    "Audit",
    "Certificate",
    "LinearCertificate",
    "MistakeBound",
    "MistakeCertificate",
    "SVMCertificate",
    "verdict",
]


def verdict(assumptions: dict[str, bool | None], measured: float | None, bound: float) -> bool | None:
    """Whether a theorem held: False if something is violated, None if that cannot be told.

    >>> verdict({"losses are in [0, 1]": True}, 2.0, 3.0), verdict({"noise is bounded": None}, 2.0, 3.0)
    (True, None)
    """
    if False in assumptions.values() or (measured is not None and measured > bound):
        return False
    return None if None in assumptions.values() or measured is None else True


@dataclass(frozen=True)
class Certificate:
    """What a theorem says of the regret against one set of comparators, and what was measured.

    Attributes: `rounds` played; `regret`, the largest against the comparators, or None if what is seen
    does not tell it; `bounds` by the name of their analysis, infinite if an assumption failed;
    `theorem`, where they are from; `assumptions`, each True, False, or None if nobody can tell;
    `comparators`, who the regret and the bounds are about, in words, and `against`, the same as an
    object: a domain, a vector, an index, a name; `rounding`, how much larger a regret of at most the
    bound may have been computed.

    `bound` is the smallest of the bounds plus `rounding`. No number is NaN.

    >>> c = Certificate(9, regret=2.0, bounds={"dual": 3.0, "forel": 4.0}, theorem="of somebody")
    >>> c.bound, c.holds
    (3.0, True)
    >>> Certificate(9, 2.0, {"dual": 3.0}, "of somebody", {"losses are in [0, 1]": False}).bound
    inf
    """

    rounds: int
    regret: float | None
    bounds: dict[str, float]
    theorem: str
    assumptions: dict[str, bool | None] = field(default_factory=dict)
    comparators: str = "the best fixed choice in hindsight"
    against: Any = None
    rounding: float = 0.0

    def __post_init__(self) -> None:
        failed = False in self.assumptions.values()
        bounds = {k: math.inf if failed else _known(b) for k, b in self.bounds.items()}
        object.__setattr__(self, "bounds", bounds)
        if self.regret is not None:
            object.__setattr__(self, "regret", _known(self.regret))
        if not self.rounding < math.inf:
            object.__setattr__(self, "rounding", math.inf)

    @property
    def bound(self) -> float:
        """The smallest of the bounds, plus `rounding`; infinite if there is none."""
        return min(self.bounds.values(), default=math.inf) + self.rounding

    @property
    def holds(self) -> bool | None:
        """True if every assumption is, and the regret is at most the bound; False if something is
        violated; None if an assumption or the regret cannot be told."""
        return verdict(self.assumptions, self.regret, self.bound)


def _known(value: float) -> float:
    """A number that came of numbers out of range is infinite."""
    value = float(value)
    return math.inf if math.isnan(value) else value


@dataclass(frozen=True)
class LinearCertificate:
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

    `bound` is measured: it is what the run itself proves. `promised` is what the theorem of the rule
    says beforehand of all runs with gradients of these sizes, hence never less.

    >>> c = LinearCertificate(examples=2, loss=3.0, linear=-1.0, gradient_norms=(2.0, 1.5, 1.0))
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
    promise: Callable[[float], float] | None = field(default=None, repr=False, compare=False)

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

        >>> LinearCertificate(2, 3.0, -1.0, (2.0, 1.5, 1.0)).bound(1, ord=1)
        0.0
        """
        not_negative(norm, "norm")
        if ord not in (1, 2, math.inf):
            raise ValueError(f"ord={shown(ord)} is not 1, 2 or math.inf")
        # dual norms: l1 <-> l-infinity, l2 <-> l2; the l1 norm of the error bounds all of them
        dual = self.gradient_norms[{math.inf: 0, 2: 1, 1: 2}[ord]]
        return _known(self.linear + norm * (dual + self.rounding))

    def promised(self, norm: float) -> float:
        """The rule's regret theorem: against every model of this norm, by the sizes of the gradients.

        The norm is that of the rule: l2 for "ogd", l1 for "eg", of which every class may have as much,
        l_q for "pnorm". It holds for exact arithmetic; weights are kept in single precision.

        >>> from regretless.linear import LinearClassifier
        >>> model = LinearClassifier(loss="hinge", rule="ogd", rate=0.1, intercept=False, certify=True)
        >>> c = model.fit([[1, 2], [-1, 1], [2, -1]], [1, -1, 1]).certificate()
        >>> round(c.promised(1), 6)  # 1 / (2 eta) + (eta / 2) (5 + 2 + 5)
        5.6
        >>> c.bound(1) <= c.promised(1)
        True
        """
        if self.promise is None:
            raise ValueError(
                "this learner has no regret theorem; bound(norm) is what the run proves"
            )
        return _known(self.promise(not_negative(norm, "norm")))

    def best_possible(self, norm: float, *, ord: float = 2, mean: bool = False) -> float:
        """No linear model of norm at most `norm` has a smaller cumulative loss on this run.

        `mean=True` gives it per example, one of weight w counting w times. Losses are not negative,
        hence neither is this.

        >>> LinearCertificate(2, 3.0, -1.0, (2.0, 1.5, 1.0)).best_possible(2, mean=True)
        0.5
        """
        best = max(0.0, self.loss - self.bound(norm, ord=ord))
        total = self.examples if self.weight is None else self.weight
        return best / (total or 1) if mean else best


@dataclass(frozen=True)
class MistakeBound:
    """How often a learner may have updated, by what one comparator would have suffered.

    Attributes: `updates` counted; `bounds` on them by the name of their theorem, of which `bound` is
    the smallest; `assumptions`, each with whether it held on the examples. `holds` says whether all did
    and the count is within the bound.

    >>> b = MistakeBound(3, {"survey Thm 3.9": 5.0, "mohri Thm 8.12": 4.5})
    >>> b.bound, b.holds
    (4.5, True)
    """

    updates: int
    bounds: dict[str, float]
    assumptions: dict[str, bool | None] = field(default_factory=dict)

    def __post_init__(self) -> None:
        failed = False in self.assumptions.values()
        bounds = {k: math.inf if failed else _known(b) for k, b in self.bounds.items()}
        object.__setattr__(self, "bounds", bounds)

    @property
    def bound(self) -> float:
        """The smallest of the bounds; infinite if there is none."""
        return min(self.bounds.values(), default=math.inf)

    @property
    def holds(self) -> bool | None:
        """As `Certificate.holds`, of the number of updates."""
        return verdict(self.assumptions, self.updates, self.bound)


@dataclass(frozen=True)
class MistakeCertificate(LinearCertificate):
    """A `LinearCertificate` of a learner that moves only when it is wrong, with bounds on how often.

    Attributes: those of `LinearCertificate`, for the conservative hinge loss `1 - y <w, x>` of the mistakes,
    and 0 of the other rounds; `updates`; `norm`, the l2 norm of the weights, of all lanes together;
    `radius`, the largest `||x||` of an update, and `squares`, the sum of `||x||^2` over the mistakes,
    both in the l2 norm and None unless the learner was made with `certify=True` or the certificate from
    the examples.

    >>> from regretless.linear import Perceptron
    >>> X, y = [[1, 2], [-1, 1], [2, -1], [-1, -1], [1, -1]], [1, -1, 1, -1, 1]
    >>> c = Perceptron(intercept=False).fit(X, y).certificate(X, y)
    >>> c.updates, c.squares
    (2, 7.0)
    >>> c.norm**2 <= c.squares  # (mohri, proof of Thm 8.8)
    True
    >>> b = c.mistake_bound([1.0, 0.5])  # y <u, x> >= 1/2: two of the hinge losses are 1/2
    >>> b.bound >= b.updates, b.holds
    (True, True)
    """

    updates: int = 0
    norm: float = 0.0
    radius: float | None = None
    squares: float | None = None
    against: Callable[..., MistakeBound] | None = field(default=None, repr=False, compare=False)

    def mistake_bound(
        self, u: Any, margin: float | None = None, *, intercept: Any = 0.0
    ) -> MistakeBound:
        """What the theorems say of the number of updates, by the losses of `u` on the examples.

        Parameters: `u`, a dict of names to weights or an array of the weights of columns; with three or
        more labels, a dict of labels to such. `margin` rho > 0: take `u / (rho ||u||)`, whose hinge
        losses are `max(0, 1 - y <u, x> / (rho ||u||))`; None takes u as it is. `intercept`: u's weight
        of the constant feature (by label, if there are three or more).
        """
        if self.against is None:
            raise ValueError("the examples are not kept: call certificate(X, y) with those learned")
        return self.against(u, margin, intercept)


@dataclass(frozen=True)
class SVMCertificate(LinearCertificate):
    """A `LinearCertificate` of the hinge losses, which also knows the regret in the objective of the SVM.

    >>> from regretless.linear import OnlineSVM
    >>> X, y = [[1, 2], [-1, 1], [2, -1], [-1, -1], [1, -1]], [1, -1, 1, -1, 1]
    >>> model = OnlineSVM(C=1.0, rate=0.1, intercept=False).fit(X, y)
    >>> model.certificate(X, y).regret_bound([1.0, 0.0]).holds
    True
    """

    against: Callable[..., Certificate] | None = field(
        default=None, repr=False, compare=False
    )

    def regret_bound(self, u: Any, *, intercept: Any = 0.0) -> Certificate:
        """The regret against `u` in `||w||^2 / 2 + C max(0, 1 - y <w, x>)`, and bounds on it.

        Parameters: `u` and `intercept` as for `MistakeCertificate.mistake_bound`.
        """
        if self.against is None:
            raise ValueError("the examples are not kept: call certificate(X, y) with those learned")
        return self.against(u, intercept)


def __getattr__(name: str) -> Any:
    """`Audit` when it is asked for: it reads examples as learners do, and these need certificates."""
    if name == "Audit":
        from regretless.audit import Audit

        return Audit
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
