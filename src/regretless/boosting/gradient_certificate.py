"""Luo (2016), Theorems 13 and 14, with the regret of the weak learners as it was."""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from regretless import losses, rows
from regretless._core import Feed
from regretless.arguments import numbers, shown
from regretless.boosting.gradient_constants import LossConstants
from regretless.certificates import Certificate
from regretless.losses import Loss

__all__ = ["Replay", "certified"]

Array = NDArray[np.float64]
_EPS = float(np.finfo(float).eps)


@dataclass(frozen=True)
class Replay:
    """A run: targets, predictions of the weak learners, sums y^0 to y^N and base functions.

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
    def of(cls, booster: Any, X: Any, y: Any, base: Any) -> "Replay":
        """Let a fresh booster learn the examples."""
        batch = rows.batch(X)
        targets = numbers(y, "y", "a list of numbers")
        table = numbers(base, "base", "a table of numbers")
        if targets.shape != (batch.size,):
            raise ValueError(f"X has {batch.size} rows, y has shape {targets.shape}")
        if table.ndim != 2 or len(table) != batch.size or not np.isfinite(table).all():
            raise ValueError(
                f"base has shape {table.shape}: a finite number of each function for each of "
                f"{batch.size} examples is expected"
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
        """What the theorems measure the weak learners by: `l'(y^{i-1}) / L` (examples x N)."""
        at = self.sums[:, -1:] if linearized else self.sums[:, :-1]
        found = self.loss.derivative(np.ascontiguousarray(at), self.y[:, None]) / lipschitz
        return np.broadcast_to(found, self.votes.shape)

    def linear_regret(self, slopes: Array) -> float:
        """R(T): the largest regret of a copy to a base function, its negation or 0."""
        suffered = np.einsum("ti,ti->i", slopes, self.votes)
        best = -np.abs(slopes.T @ self.base).max(axis=1, initial=0.0)
        return float(np.max(suffered - best, initial=0.0))


def certified(
    replay: Replay, options: dict[str, Any], constants: LossConstants, comparator: Any
) -> Certificate:
    """The regret to a comparator and what theorem 13 (span) or 14 (hull) says of it."""
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
                f"comparator={shown(comparator)}: one finite weight for each base function"
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
    bounds["trivial"] = own  # no function has a loss below 0
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
