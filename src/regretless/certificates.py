"""Certificates: measured regrets or mistakes beside the bounds of theorems."""

import math
import sys
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Self

from regretless.base.arguments import not_negative, shown

if TYPE_CHECKING:
    from regretless.audit import Audit

__all__ = [
    "Audit",
    "Certificate",
    "LinearCertificate",
    "MistakeBound",
    "MistakeCertificate",
    "Promise",
    "verdict",
]

_EPS = sys.float_info.epsilon


def verdict(
    assumptions: dict[str, bool | None], measured: float | None, bound: float
) -> bool | None:
    """Whether a theorem held: False if something is violated, None if that is unknown.

    >>> verdict({"losses are in [0, 1]": True}, 2.0, 3.0), verdict({"noise is bounded": None}, 2.0, 3.0)
    (True, None)
    """
    if False in assumptions.values() or (measured is not None and measured > bound):
        return False
    return None if None in assumptions.values() or measured is None else True


@dataclass(frozen=True)
class Certificate:
    """The measured regret against a set of comparators, with the bounds of theorems on it.

    Attributes: `rounds` played; `regret`, the largest against the comparators, or None if it is not
    known; `bounds` by the name of their analysis, infinite if an assumption failed; `theorem`, their
    source; `assumptions`, each True, False, or None if unknown; `comparators`, the set that the regret
    and the bounds are about, in words, and `against`, the same as an object: a domain, a vector, an
    index, a name; `rounding`, the most by which rounding can lift the computed regret above the bound.

    `bound` is the smallest of the bounds plus `rounding`. NaN never occurs.

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
    against: Any = field(default=None, compare=False)  # `comparators` is compared
    rounding: float = 0.0

    def __post_init__(self) -> None:
        failed = False in self.assumptions.values()
        bounds = {k: math.inf if failed else _known(b) for k, b in self.bounds.items()}
        object.__setattr__(self, "bounds", bounds)
        if self.regret is not None:
            object.__setattr__(self, "regret", _known(self.regret))
        object.__setattr__(self, "rounding", _known(self.rounding))

    @property
    def bound(self) -> float:
        """The smallest of the bounds plus `rounding`; infinite without bounds."""
        return min(self.bounds.values(), default=math.inf) + self.rounding

    @property
    def measured(self) -> float | None:
        """The bounded quantity: the regret, or the count of a certificate of mistakes."""
        return self.regret

    @property
    def holds(self) -> bool | None:
        """Whether all assumptions are true and `measured` is at most the bound; None if one of
        these is unknown and the others hold."""
        return verdict(self.assumptions, self.measured, self.bound)


def _known(value: float) -> float:
    """The value, or infinity in place of NaN, which comes from numbers out of range."""
    value = float(value)
    return math.inf if math.isnan(value) else value


@dataclass(frozen=True)
class Promise:
    """The regret theorem of an update rule for every run with gradients of the measured sizes.

    The regret against all models of norm at most `norm <= reach` is at most
    `price (norm + beyond)^2 + cost`, in exact arithmetic and in each of the norms `ords`.

    >>> Promise("ogd", (1, 2), price=5.0, cost=0.6).at(1.0)
    5.6
    """

    rule: str
    ords: tuple[float, ...]
    price: float
    cost: float
    beyond: float = 0.0
    reach: float = math.inf

    def at(self, norm: float) -> float:
        """The bound for models of this norm; infinite above `reach`."""
        if norm > self.reach:
            return math.inf
        return _known(self.price * (norm + self.beyond) ** 2 + self.cost)


@dataclass(frozen=True)
class LinearCertificate(Certificate):
    """The regret of a learner to all linear models of a given norm, computed from the run alone.

    Convexity gives, for every comparator `u` and the subgradients `z_t` at the weights played,

        sum l_t(u)  >=  sum l_t(w_t) - sum <w_t, z_t> + <u, sum z_t>

    so the regret to all `u` of norm at most B is at most `linear + B ||sum z_t||_*`, the regret of the
    linearised losses. As losses are not negative it is at most `loss`, too; the smaller of both is
    `regret` here. The data and the update rule may be any.
    The norm counts the weight of the intercept like every other weight, and with several classes the
    weights of all classes together, whose losses `loss` adds up.

    In `bounds`, "convexity" and "trivial" are these two numbers, which the run itself proves. The bound
    with the name of the rule is that of its theorem for all runs with gradients of these sizes, hence
    never smaller; if weights in single precision made a run worse than exact arithmetic allows, it is
    the bound that the run proves. It exists if the rule has a theorem for models of this norm and the
    learner measured the gradients (`certify=True`).

    Attributes: those of `Certificate`, and `norm`, B, measured by `ord`: 1, 2 or `math.inf`; `loss`, the
    sum of the (weighted) losses suffered; `linear`, the sum of `<w_t, z_t>`, and `gross`, that of its
    sizes; `gradient_norms`, the l1, l2 and l-infinity norm of `sum z_t`; `error`, how far that sum can
    be from the exact one in the l1 norm; `weight`, the sum of importance weights (None: all are 1);
    `promise`, the rule's theorem, or None.

    >>> c = LinearCertificate.of(2, norm=2, loss=3.0, linear=-1.0, gradient_norms=(2.0, 1.5, 1.0))
    >>> c.regret, round(c.bound, 9)  # at most 2 more than the best model of norm 2
    (2.0, 2.0)
    >>> round(c.best_possible(), 9)
    1.0
    """

    loss: float = 0.0
    linear: float = 0.0
    gross: float = 0.0
    gradient_norms: tuple[float, float, float] = (0.0, 0.0, 0.0)
    error: float = 0.0
    weight: float | None = None
    norm: float = 1.0
    ord: float = 2
    promise: Promise | None = None

    @classmethod
    def of(
        cls,
        rounds: int,
        *,
        norm: float = 1.0,
        ord: float = 2,
        theorem: str = "convexity: sum l_t(u) >= sum l_t(w_t) + <u - w_t, z_t>",
        **sums: Any,
    ) -> Self:
        """The certificate of a run with known sums: see the attributes.

        >>> LinearCertificate.of(2, loss=3.0, linear=-1.0, gradient_norms=(2.0, 1.5, 1.0)).regret
        0.5
        """
        plain = cls(rounds, None, {}, theorem, **sums)
        numbers = (plain.loss, plain.linear, plain.gross, plain.error, *plain.gradient_norms)
        finite = all(map(math.isfinite, numbers))
        checked: dict[str, bool | None] = {
            "the loss is convex": True,
            "all numbers are finite": finite,
        }
        return replace(plain, assumptions=checked | plain.assumptions).within(norm, ord=ord)

    def within(self, norm: float, *, ord: float = 2) -> Self:
        """The certificate of the same run for all models whose norm `ord` is at most `norm`.

        >>> c = LinearCertificate.of(2, loss=3.0, linear=-1.0, gradient_norms=(2.0, 1.5, 1.0))
        >>> c.within(1, ord=1).regret
        0.0
        """
        from regretless.domains import Ball

        not_negative(norm, "norm")
        if ord not in (1, 2, math.inf):
            raise ValueError(f"ord={shown(ord)} is not 1, 2 or math.inf")
        changed = replace(self, norm=float(norm), ord=ord)
        linearised, rounding = changed._linearised()
        regret = min(linearised, self.loss)
        bounds = {"convexity": linearised, "trivial": self.loss}
        bounds |= {name: max(bound, regret) for name, bound in changed._theorems().items()}
        return replace(
            changed,
            regret=regret,
            bounds=bounds,
            comparators=f"all linear models of l{ord:g} norm at most {norm:g}",
            against=Ball(norm, p=ord) if norm else 0.0,
            rounding=rounding,
        )

    def _linearised(self) -> tuple[float, float]:
        """The regret in the linear losses, and a bound on its rounding error."""
        # dual norms: l1 <-> l-infinity, l2 <-> l2; the l1 norm of the error bounds all of them
        dual = self.gradient_norms[{math.inf: 0, 2: 1, 1: 2}[self.ord]]
        far = self.norm * dual if self.norm else 0.0
        # losses and <w, z> are sums of one number per round, each rounded a few times
        sums = 4.0 * _EPS * (self.rounds + 2) * (self.loss + self.gross + abs(far))
        error = self.norm * self.error if self.norm else 0.0
        return _known(self.linear + far), _known(sums + error)

    def _theorems(self) -> dict[str, float]:
        """The bounds of theorems on the regret to all models of the norm, by name."""
        if self.promise is None or self.ord not in self.promise.ords:
            return {}
        return {self.promise.rule: self.promise.at(self.norm)}

    def best_possible(
        self, norm: float | None = None, *, ord: float | None = None, mean: bool = False
    ) -> float:
        """A lower bound on the cumulative loss of all linear models of norm at most `norm`.

        By default the norm is the certificate's own. `mean=True` gives it per example, one of weight w
        counting w times. Losses are not negative, so the bound is at least 0.

        >>> c = LinearCertificate.of(2, loss=3.0, linear=-1.0, gradient_norms=(2.0, 1.5, 1.0))
        >>> round(c.best_possible(2, mean=True), 9)
        0.5
        """
        if norm is not None or ord is not None:
            other = self.norm if norm is None else norm
            return self.within(other, ord=self.ord if ord is None else ord).best_possible(mean=mean)
        regret, rounding = self._linearised()
        best = self.loss - (regret + rounding)
        best = max(0.0, best) if math.isfinite(best) else 0.0
        return best / self._total if mean else best

    @property
    def _total(self) -> float:
        return (self.rounds if self.weight is None else self.weight) or 1.0

    def with_loss(self, loss: float) -> "LinearCertificate":
        """The certificate of other predictions, with this loss, on the same examples.

        The lower bound on the loss of linear models stays the same; only the regret changes.

        >>> c = LinearCertificate.of(2, loss=3.0, linear=-1.0, gradient_norms=(2.0, 1.5, 1.0))
        >>> c.with_loss(4.0).regret - c.regret
        1.0
        """
        more = loss - self.loss
        if abs(more) <= 4.0 * _EPS * (self.rounds + 2) * self.loss:  # equal up to rounding
            return self
        changed = replace(
            self, loss=loss, linear=self.linear + more, gross=self.gross + abs(more), promise=None
        )
        finite = math.isfinite(loss) and self.assumptions["all numbers are finite"]
        held = changed.assumptions | {"all numbers are finite": finite}
        return replace(changed, assumptions=held).within(self.norm, ord=self.ord)

    def since(self, before: "LinearCertificate") -> "LinearCertificate":
        """The certificate of the rounds after those of `before`, for the same learner.

        Only the norms of the sums of gradients are known; the triangle inequality bounds the norm of
        their difference. The rule's theorem is for all rounds, so it does not apply to some of them.

        >>> one = LinearCertificate.of(1, loss=1.0, linear=0.0, gradient_norms=(2.0, 1.5, 1.0))
        >>> two = LinearCertificate.of(2, loss=3.0, linear=-1.0, gradient_norms=(2.0, 1.5, 1.0))
        >>> two.since(one).loss, two.since(one).regret
        (2.0, 2.0)
        """
        if not before.rounds:
            return self
        weights = [c.rounds if c.weight is None else c.weight for c in (self, before)]
        rounds = self.rounds - before.rounds
        later = LinearCertificate(
            rounds,
            None,
            {},
            self.theorem,
            self.assumptions,
            loss=max(0.0, self.loss - before.loss),
            linear=self.linear - before.linear,
            # the sums that were subtracted are rounded by more than their difference
            gross=2.0 * (self.gross + self.loss) * self.rounds / max(1, rounds),
            gradient_norms=tuple(a + b for a, b in zip(self.gradient_norms, before.gradient_norms)),  # type: ignore[arg-type]
            error=self.error + before.error,
            weight=weights[0] - weights[1],
        )
        return later.within(self.norm, ord=self.ord)


@dataclass(frozen=True)
class MistakeBound(Certificate):
    """Bounds on the number of updates of a learner, by the losses of one comparator.

    Attributes: those of `Certificate`, and `updates`, the bounded count; `against`, the comparator as
    given. `rounding` is the most that weights in single precision can add.

    >>> both = {"Theorem 3.9": 5.0, "Theorem 8.12": 4.5}
    >>> b = MistakeBound(9, None, both, "of somebody", updates=3)
    >>> b.bound, b.holds
    (4.5, True)
    """

    updates: int = 0

    @property
    def measured(self) -> float:
        """The number of updates."""
        return self.updates


@dataclass(frozen=True)
class MistakeCertificate(LinearCertificate):
    """A `LinearCertificate` of a learner that updates only on mistakes.

    It is about the conservative hinge loss, `1 - y <w, x>` on mistakes and 0 in the other rounds;
    `certificate(X, y, comparator=u)` of the learner bounds the number of mistakes.

    Attributes: those of `LinearCertificate`, and `updates`; `weight_norm`, the l2 norm of the
    weights, of all lanes together; `radius`, the largest `||x||` of an update, and `squares`, the
    sum of `||x||^2` over the mistakes, both in the l2 norm and None unless the learner was made
    with `certify=True` or the certificate from the examples.

    >>> from regretless.linear import Perceptron
    >>> X, y = [[1, 2], [-1, 1], [2, -1], [-1, -1], [1, -1]], [1, -1, 1, -1, 1]
    >>> model = Perceptron(intercept=False).fit(X, y)
    >>> c = model.certificate(X, y)
    >>> c.updates, c.squares
    (2, 7.0)
    >>> c.weight_norm**2 <= c.squares  # (Mohri et al. (2018), proof of Theorem 8.8)
    True
    >>> b = model.certificate(X, y, comparator=[1.0, 0.5])  # y <u, x> >= 1/2: two hinge losses of 1/2
    >>> b.bound >= b.updates, b.holds
    (True, True)
    """

    updates: int = 0
    weight_norm: float = 0.0
    radius: float | None = None
    squares: float | None = None


def __getattr__(name: str) -> Any:
    """Import `Audit` on first use: it reads examples as learners do, which need certificates."""
    if name == "Audit":
        from regretless.audit import Audit

        return Audit
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
