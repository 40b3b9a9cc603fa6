"""Bounds of gradient boosting (Luo (2016), Theorems 13 and 14), by the measured linear regret."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from regretless import losses
from regretless._core import Feed
from regretless.base import rows
from regretless.base.arguments import Array, numbers, shown
from regretless.certificates import Certificate
from regretless.losses import Loss, Power

# --- constants of losses (Luo (2016), section 3.2.1) ----------------------------------------------


@dataclass(frozen=True)
class LossConstants:
    """Constants of a loss on predictions in [-b, b], for targets in [-1, 1], as functions of b.

    Attributes: `lipschitz`, L_b, the largest slope; `smoothness`, beta_b, the largest curvature;
    `projection`, eps_b, the most that the loss grows, per unit of distance, when a prediction is cut
    to [-b, b].

    >>> squared = power(2.0)
    >>> squared.lipschitz(1.0), squared.smoothness(1.0), squared.projection(0.5)
    (4.0, 2.0, 1.0)
    """

    lipschitz: Callable[[float], float]
    smoothness: Callable[[float], float]
    projection: Callable[[float], float]


def power(p: float) -> LossConstants:
    """The constants of `|y - v|^p`, p >= 2; p = 2 is the squared loss.

    >>> power(3.0).lipschitz(1.0)
    12.0
    """
    return LossConstants(
        lambda b: p * (b + 1.0) ** (p - 1.0),
        lambda b: p * (p - 1.0) * (b + 1.0) ** (p - 2.0),
        lambda b: p * max(1.0 - b, 0.0) ** (p - 1.0),
    )


def _always(value: float) -> Callable[[float], float]:
    return lambda _: value


LINEAR = LossConstants(_always(1.0), _always(0.0), _always(1.0))  # -y v
_LOGISTIC = LossConstants(
    lambda b: 1.0 / (1.0 + math.exp(-b)), _always(0.25), lambda b: 1.0 / (1.0 + math.exp(b))
)
# twice Luo's (2016) modified least squares, max(1 - y v, 0)^2 / 2
_SQUARED_HINGE = LossConstants(
    lambda b: 2.0 * (b + 1.0), _always(2.0), lambda b: 2.0 * max(1.0 - b, 0.0)
)
_SMOOTH = {"squared": power(2.0), "logistic": _LOGISTIC, "squared_hinge": _SQUARED_HINGE}
_STRAIGHT = ("absolute", "quantile", "hinge")


def constants_of(loss: Loss, *, linearized: bool = False) -> LossConstants:
    """The constants of a loss of this library; `linearized`, if only its slopes matter (Corollary 3).

    >>> from regretless.losses import Logistic
    >>> constants_of(Logistic()).smoothness(1.0)
    0.25
    """
    smooth = power(loss.p) if isinstance(loss, Power) else _SMOOTH.get(loss.name)
    if getattr(loss, "margin", 1.0) != 1.0:
        raise ValueError(f"loss={shown(loss)}: the margin must be 1, the largest target")
    if smooth is not None:
        return smooth
    if loss.name not in _STRAIGHT:
        allowed = ", ".join(map(repr, (*_SMOOTH, "power", *_STRAIGHT)))
        raise ValueError(f"loss={loss.name!r} cannot be boosted; use one of {allowed}")
    if not linearized:
        raise ValueError(
            f"loss={loss.name!r} has kinks, and gradient boosting needs a smooth loss; "
            "feed='linearized' takes any (Luo (2016), Corollary 3)"
        )
    steepest = _always(loss.lipschitz)
    return LossConstants(steepest, _always(math.inf), steepest)


def reach(constants: LossConstants, eta: float, n: int, bound: float = 1.0) -> float:
    """The B of Algorithm 9, `min(eta N D, inf{b >= D: eta beta_b b^2 >= eps_b D})`.

    The set is an interval, as its left side grows with b and its right side falls.

    >>> reach(power(2.0), eta=0.15, n=20)
    1.0
    >>> reach(LINEAR, eta=0.25, n=20)
    5.0
    """

    def far_enough(b: float) -> bool:
        return eta * constants.smoothness(b) * b * b >= constants.projection(b) * bound

    high = eta * n * bound
    if high <= bound or far_enough(bound):
        return min(high, bound)
    if not far_enough(high):
        return high
    low = bound
    while high - low > 1e-15 * high:
        middle = (low + high) / 2.0
        if middle in (low, high):
            break
        low, high = (low, middle) if far_enough(middle) else (middle, high)
    return high


# --- a second run, which measures the regret of the weak learners ---------------------------------

_EPS = float(np.finfo(float).eps)


@dataclass(frozen=True)
class BoostingReplay:
    """A recorded run: targets, predictions of the weak learners, sums y^0 to y^N and base functions.

    Attributes: `loss`; `y` (examples), `votes` (examples x N), `sums` (examples x N + 1) and `base`
    (examples x functions), all in units in which targets are in [-1, 1]; `steady`, whether this unit
    was the same from the first example to the last.
    """

    loss: Loss
    y: Array
    votes: Array
    sums: Array
    base: Array
    steady: bool

    @classmethod
    def of(cls, booster: Any, X: Any, y: Any, base: Any) -> "BoostingReplay":
        """Record the run of a fresh booster on the examples."""
        batch = rows.batch(X)
        targets = numbers(y, "y", "a list of numbers")
        table = numbers(base, "base", "a table of numbers")
        if targets.shape != (batch.size,):
            raise ValueError(f"X has {batch.size} rows, y has shape {targets.shape}")
        if table.ndim != 2 or len(table) != batch.size or not np.isfinite(table).all():
            raise ValueError(
                f"base has shape {table.shape}; it must have {batch.size} rows, one per example, of "
                "finite numbers"
            )
        core, votes, sums = booster._start(), [], []
        for t, target in enumerate(targets.tolist()):
            booster.learn_one(batch.row(t), target)
            v, s, _ = core.trace()
            votes.append(v)
            sums.append(s)
        loss = losses.get(booster.loss)
        middle, unit, steady = 0.0, 1.0, True
        if booster.range is not None:
            low, high = booster.range
            middle, unit = (low + high) / 2.0, (high - low) / 2.0
        elif not loss.classification and targets.size:
            largest = np.abs(targets).max()
            unit, steady = largest or 1.0, bool(abs(targets[0]) == largest)
        n = booster.n
        return cls(
            loss,
            (targets - middle) / unit,
            np.array(votes).reshape(-1, n),
            np.array(sums).reshape(-1, n + 1),
            table,
            steady,
        )

    def slopes(self, lipschitz: float, linearized: bool) -> Array:
        """The slopes that the weak learners got, `l'(y^{i-1}) / L` (examples x N)."""
        at = self.sums[:, -1:] if linearized else self.sums[:, :-1]
        found = self.loss.derivative(np.ascontiguousarray(at), self.y[:, None]) / lipschitz
        return np.broadcast_to(found, self.votes.shape)

    def linear_regret(self, slopes: Array) -> float:
        """The linear regret R(T), the largest of a copy to a base function, its negation or 0."""
        suffered = np.einsum("ti,ti->i", slopes, self.votes)
        best = -np.abs(slopes.T @ self.base).max(axis=1, initial=0.0)
        return float(np.max(suffered - best, initial=0.0))


def certified(
    replay: BoostingReplay, options: dict[str, Any], constants: LossConstants, comparator: Any
) -> Certificate:
    """The regret to a comparator, and its bound by Theorem 13 (span) or 14 (hull)."""
    loss, y, T = replay.loss, replay.y, len(replay.y)
    columns = replay.base.shape[1]
    if comparator is None or (isinstance(comparator, str) and comparator == "best"):
        totals = [_total(loss, f, y) for f in replay.base.T]
        u = np.zeros(columns)
        u[int(np.argmin(totals))] = 1.0
    else:
        u = numbers(comparator, "comparator", "a list of weights")
        if u.shape != (columns,) or not np.isfinite(u).all():
            raise ValueError(
                f"comparator={shown(comparator)} must have one finite weight per base function"
            )
    f = replay.base @ u
    own, theirs = _total(loss, replay.sums[:, -1], y), _total(loss, f, y)
    linearized = options["feed"] is Feed.linearized
    B, L, scale = options["reach"], options["lipschitz"], options["scale"]
    R = replay.linear_regret(replay.slopes(L, linearized))
    beta = 0.0 if linearized else constants.smoothness(B)
    assumptions: dict[str, bool | None] = {
        "targets are in [-1, 1]": bool(np.all(np.abs(y) <= 1.0)),
        "base functions are in [-1, 1]": bool(np.all(np.abs(replay.base) <= 1.0)),
        "the unit of the targets did not change": replay.steady,
    }
    if options["hull"]:
        size = float(np.abs(u).sum())
        assumptions["the comparator is in the convex hull"] = bool(
            size <= scale * (1.0 + _EPS * (columns + 2))
        )
        frank_wolfe = 8.0 * beta * scale**2 * T / options["n"]
        bounds = {"Cor 3" if linearized else "Thm 14": frank_wolfe + L * scale * R}
    else:
        norm = max(1.0, float(np.abs(u).sum()) / scale)
        start = _total(loss, np.zeros(T), y) - theirs
        bounds = {
            "Cor 3" if linearized else "Thm 13": (1.0 - options["eta"] / norm) ** options["n"]
            * start
            + 3.0 * options["eta"] * beta * B * B * norm * T
            + L * norm * scale * R
            + 2.0 * L * B * norm * math.sqrt(T)
        }
    bounds["trivial"] = own  # losses are at least 0
    return Certificate(
        T,
        own - theirs,
        bounds,
        "Luo (2016), Theorems 13 and 14, Corollaries 3 and 4",
        assumptions,
        "one combination of the base functions",
        u,
        4.0 * _EPS * (T + columns + 2) * (own + theirs),
    )


def _total(loss: Loss, scores: Array, y: Array) -> float:
    return float(np.sum(loss.value(np.ascontiguousarray(scores), y)))
