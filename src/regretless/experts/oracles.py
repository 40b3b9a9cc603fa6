"""Oracles: the best expert, mixture, linear combination and sequence of experts in hindsight.

Forecasts that are NaN are those of sleeping experts. Losses are means over the rounds.
"""

from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from regretless import losses
from regretless.base.arguments import Array, finite_numbers, shown, vector
from regretless.base.columns import arranged, index_of, rows_alike, target_of
from regretless.experts import regrets

_TOLERANCE = 1e-9  # of a minimum, relative to the mean size of the experts' losses
_STEPS, _CUTS = 60, 30
_EXACT = {"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10}


class ForecastLoss(Protocol):
    """A loss that is convex in the forecast, of numbers or of arrays that broadcast."""

    def value(self, forecast: Any, y: Any, /) -> Any:
        """The loss of a forecast when `y` comes true."""

    def derivative(self, forecast: Any, y: Any, /) -> Any:
        """Its derivative with respect to the forecast, a subgradient at kinks."""


@dataclass(frozen=True, eq=False)
class Oracle:
    """A best choice in hindsight: `name`, `mean_loss`, and `weights` of the experts if they are fixed.

    >>> Oracle("best expert", 0.25, np.array([0.0, 1.0])).mean_loss
    0.25
    """

    name: str
    mean_loss: float
    weights: Array | None = None


def uniform(experts: Any, y: Any, loss: str | ForecastLoss = "squared") -> Oracle:
    """The mean of the experts that are awake.

    Parameters, here and below: `experts` (T, N), their forecasts, NaN where one sleeps, at least one
    of them awake in each round; `y` (T,), the outcomes, with the same index if both are of pandas;
    `loss`, a name or an object of
    `regretless.losses`, or any other `ForecastLoss`.

    >>> uniform([[0.0, 2.0], [3.0, np.nan]], [1.0, 1.0]).mean_loss
    2.0
    """
    X, targets, kind = _game(experts, y, loss)
    N = X.shape[1]
    return _oracle("uniform", np.nanmean(X, axis=1), targets, kind, np.full(N, 1.0 / N))


def best_expert(experts: Any, y: Any, loss: str | ForecastLoss = "squared") -> Oracle:
    """The expert of least mean loss over the rounds in which it was awake.

    With sleepers these are not the same rounds for all experts, and the name says "when awake".

    >>> best_expert([[0.0, 2.0], [3.0, np.nan]], [1.0, 1.0])
    Oracle(name='best expert when awake', mean_loss=1.0, weights=array([0., 1.]))
    """
    X, targets, kind = _game(experts, y, loss)
    awake = ~np.isnan(X)
    values = np.zeros(X.shape)
    values[awake] = kind.value(X[awake], np.broadcast_to(targets[:, None], X.shape)[awake])
    rounds = awake.sum(axis=0)
    means = np.where(rounds > 0, values.sum(axis=0) / np.maximum(rounds, 1), np.inf)
    best = int(means.argmin())
    name = "best expert" if awake.all() else "best expert when awake"
    return Oracle(name, float(means[best]), np.eye(len(means))[best])


def best_convex(experts: Any, y: Any, loss: str | ForecastLoss = "squared") -> Oracle:
    """The mixture with fixed weights, not negative and of sum 1, that loses least.

    Only rounds in which all experts are awake count, and the name says so. The loss is the least one
    up to 1e-9 of the mean loss of the experts, or else RuntimeError is raised.

    >>> best_convex([[0.0, 2.0, 9.0], [1.0, 3.0, 9.0]], [0.5, 1.5]).weights
    array([0.75, 0.25, 0.  ])
    """
    X, targets, kind, name = _all_awake(experts, y, loss, "best convex")
    if isinstance(kind, losses.Squared):
        w = _fit_on_simplex(X, targets)
    else:
        w = _minimiser(X, targets, kind, on_simplex=True)
    return _oracle(name, X @ w, targets, kind, w)


def best_linear(experts: Any, y: Any, loss: str | ForecastLoss = "squared") -> Oracle:
    """The linear combination with fixed weights of any sign and sum that loses least.

    Rounds and precision are as in `best_convex`.

    >>> best_linear([[1.0, 1.0], [2.0, 1.0], [3.0, 1.0]], [1.0, 3.0, 5.0]).weights.round(9)
    array([ 2., -1.])
    """
    X, targets, kind, name = _all_awake(experts, y, loss, "best linear")
    if isinstance(kind, losses.Squared):
        w = _fit(X, targets)
    else:
        w = _minimiser(X, targets, kind, on_simplex=False)
    return _oracle(name, X @ w, targets, kind, w)


def best_shifting(
    experts: Any, y: Any, loss: str | ForecastLoss = "squared", shifts: int = 1
) -> list[Oracle]:
    """The best sequences of experts that change at most 1, 2, ..., `shifts` times.

    No expert may sleep or lose infinitely much. `regrets.best_shifting` gives the changes.

    >>> best_shifting([[0.0, 2.0], [3.0, 1.0], [0.0, 2.0]], [0.0, 1.0, 2.0], shifts=2)[1].mean_loss
    0.0
    """
    X, targets, kind = _game(experts, y, loss)
    finite_numbers(X, "experts", ": a sequence of experts cannot be judged where one sleeps")
    values = finite_numbers(kind.value(X, targets[:, None]), "the losses of the experts")
    found = regrets.best_shiftings(values, shifts)
    return [
        Oracle(f"best with {k} shift{'s' * (k > 1)}", best.loss / len(X))
        for k, best in enumerate(found)
        if k
    ]


def table(
    experts: Any, y: Any, loss: str | ForecastLoss = "squared", shifts: int = 5
) -> list[Oracle]:
    """All oracles: uniform, best expert, convex, linear, and with 1, ..., `shifts` shifts.

    The convex and the linear one are left out if all experts are never awake together, the linear one
    also if it does not exist or is not found, and those with shifts if an expert sleeps or has lost
    infinitely much.

    >>> [oracle.name for oracle in table([[0.0, 2.0], [3.0, 1.0]], [0.0, 1.0], shifts=1)]
    ['uniform', 'best expert', 'best convex', 'best linear', 'best with 1 shift']
    """
    X, targets, kind = _game(experts, y, loss)
    found = [each(X, targets, kind) for each in (uniform, best_expert)]
    if not np.isnan(X).any(axis=1).all():
        found.append(best_convex(X, targets, kind))
        with suppress(RuntimeError):
            found.append(best_linear(X, targets, kind))
    if np.isfinite(kind.value(X, targets[:, None])).all():
        found += best_shifting(X, targets, kind, shifts)
    return found


# --- arguments -------------------------------------------------------------------------------------


def _game(experts: Any, y: Any, loss: str | ForecastLoss) -> tuple[Array, Array, ForecastLoss]:
    y = rows_alike(y, index_of(experts), "y", "experts", hint="; y.to_numpy() takes it in order")
    X = regrets.rounds_by_experts(arranged(experts, None, "experts")[0], "experts")
    asleep = np.isnan(X)
    finite_numbers(np.where(asleep, 0.0, X), "experts", "; NaN is for sleeping experts")
    if asleep.all(axis=1).any():
        t = int(asleep.all(axis=1).argmax())
        raise ValueError(f"experts[{t}] has no expert awake; leave that round out")
    kind = losses.get(loss) if isinstance(loss, str) else loss
    if not (hasattr(kind, "value") and hasattr(kind, "derivative")):
        raise ValueError(
            f"loss={shown(loss)} has no value and derivative; losses.Quantile(0.9) has them"
        )
    return X, vector(target_of(y), "y", len(X)), kind


def _all_awake(
    experts: Any, y: Any, loss: str | ForecastLoss, name: str
) -> tuple[Array, Array, ForecastLoss, str]:
    X, targets, kind = _game(experts, y, loss)
    full = ~np.isnan(X).any(axis=1)
    if not full.any():
        raise ValueError(
            "experts are never all awake in one round; leave out those that sleep most"
        )
    return X[full], targets[full], kind, name if full.all() else f"{name} while all are awake"


def _oracle(name: str, forecast: Array, y: Array, loss: ForecastLoss, weights: Array) -> Oracle:
    return Oracle(name, float(np.mean(loss.value(forecast, y))), weights)


# --- solvers ---------------------------------------------------------------------------------------


def _fit(X: Array, y: Array) -> Array:
    return np.asarray(np.linalg.lstsq(X, y, rcond=None)[0])


def _fit_on_simplex(X: Array, y: Array) -> Array:
    """The weights on the simplex with the least `||X w - y|| = ||D w||`, D being X less y.

    For `u = s w`, the least `||D u||^2 + (s - 1)^2` over s is `q / (1 + q)` with `q = ||D w||^2`: it
    grows with q, so w is the best u with only the signs constrained, divided by its sum.
    """
    from scipy.optimize import nnls

    R: Array = np.linalg.qr(X - y[:, None]).R
    rows = np.vstack([R / (np.linalg.norm(R, axis=0).min() or 1.0), np.ones(len(R[0]))])
    u = nnls(rows, np.append(np.zeros(len(R)), 1.0), maxiter=30 * len(rows))[0]
    return np.asarray(u / u.sum())


@dataclass(frozen=True, eq=False)
class _InUnits:
    """A loss of shifted and scaled forecasts, for solvers that need numbers near 1; targets stay."""

    loss: ForecastLoss
    targets: Array
    zero: float
    unit: float

    def value(self, forecast: Any, y: Any) -> Any:
        return self.loss.value(self.zero + self.unit * forecast, self.targets.reshape(np.shape(y)))

    def derivative(self, forecast: Any, y: Any) -> Any:
        there = self.zero + self.unit * forecast
        return self.unit * self.loss.derivative(there, self.targets.reshape(np.shape(y)))


def _minimiser(X: Array, y: Array, loss: ForecastLoss, on_simplex: bool) -> Array:
    """The least mean loss by Newton's method, or by linear programmes if the loss has kinks."""
    values = np.asarray(loss.value(X, y[:, None]))
    size = float(np.mean(np.abs(values), where=np.isfinite(values))) or 1.0
    # weights of sum 1 let us count forecasts from anywhere
    zero = float(np.median(X)) if on_simplex else 0.0
    unit = float(max(np.abs(X - zero).max(), np.abs(y - zero).max())) or 1.0
    scaled, least = _InUnits(loss, y, zero, unit), np.inf
    for solve in (_by_newton, _by_planes):
        w, gap = solve((X - zero) / unit, (y - zero) / unit, scaled, on_simplex, size)
        if gap <= _TOLERANCE * size:
            return w
        least = min(least, gap)
    what = "mixture" if on_simplex else "linear combination"
    raise RuntimeError(f"the best {what} for {loss!r} is known only up to {least:g}, if it exists")


def _by_newton(
    X: Array, y: Array, loss: ForecastLoss, on_simplex: bool, size: float
) -> tuple[Array, float]:
    """Each step minimises the parabolas that touch the losses at the forecasts: least squares."""
    T, N = X.shape
    fit = _fit_on_simplex if on_simplex else _fit
    width = 1e-5 * float(np.sqrt(np.mean(X * X)) or 1.0)
    basis = np.linalg.qr(X)[0]

    def mean(w: Array) -> float:
        return float(np.mean(loss.value(X @ w, y)))

    w = best = np.full(N, 1.0 / N)
    least = np.inf
    for _ in range(_STEPS):
        s = X @ w
        slope = np.asarray(loss.derivative(s, y))
        # By convexity the loss is at most <g, w - u> above that of u. On the simplex the largest of
        # these is at a corner; else s is taken to be no farther away than it and y are large.
        g = slope @ X / T
        reach = float(np.linalg.norm(s) + np.linalg.norm(y))
        gap = float(g @ w - g.min() if on_simplex else np.linalg.norm(slope @ basis) * reach / T)
        if gap < least:
            best, least = w, gap
        if gap <= 0.1 * _TOLERANCE * size:
            break
        bend = (loss.derivative(s + width, y) - loss.derivative(s - width, y)) / (2.0 * width)
        if not (np.isfinite(bend).all() and bend.max() > 0):
            break
        bend = np.maximum(bend, 1e-6 * bend.max())
        root = np.sqrt(bend)
        way = fit(root[:, None] * X, root * (s - slope / bend)) - w
        length, most = 1.0, mean(w) + 1e-15 * size  # the last steps win less than is rounded off
        while length > 1e-3 and not mean(w + length * way) <= most:
            length *= 0.5
        if length <= 1e-3:  # a kink is in the way
            break
        w = w + length * way
    return best, least


def _by_planes(
    X: Array, y: Array, loss: ForecastLoss, on_simplex: bool, size: float
) -> tuple[Array, float]:
    """Tangents bound each loss from below, and a linear programme the least mean.

    The largest of the tangents of round t is `v + b (s - s_1) + sum_k jump_k [s - kink_k]_+`, and
    `jump [s - kink]_+` is the largest `d (s - kink)` for `0 <= d <= jump`. So the dual has a bounded
    variable per kink and a row per expert, whose multipliers are the weights. Losses of straight sides
    are met by a few tangents, hence solved exactly.
    """
    from scipy.optimize import linprog

    T, N = X.shape
    seen = X if on_simplex else np.column_stack([X, y])
    low, high = seen.min(axis=1), seen.max(axis=1)
    margin = 0.0 if on_simplex else float(np.max(high - low)) or 1.0
    at = np.column_stack([low - margin, high + margin])  # where the tangents touch
    w, gap = np.full(N, 1.0 / N), np.inf
    for _ in range(_CUTS):
        at.sort(axis=1)
        v = np.asarray(loss.value(at, y[:, None])) / (size * T)
        b = np.asarray(loss.derivative(at, y[:, None])) / (size * T)
        if not (np.isfinite(v).all() and np.isfinite(b).all()):
            break
        jump, kink = _between(at, v, b)
        # weights of sum 1 let us count forecasts from anywhere: s - kink = <w, x - kink>
        first, zero = (at[:, 0], kink) if on_simplex else (np.zeros(T), np.zeros(kink.shape))
        level = float(np.sum(v[:, 0] - b[:, 0] * (at[:, 0] - first)))
        pull = b[:, 0] @ (X - first[:, None])
        rows = np.hstack([(X - each[:, None]).T for each in zero.T])
        costs, bounds = (kink - zero).T.ravel(), [(0.0, top) for top in jump.T.ravel()]
        if on_simplex:  # the loss of the best corner, to be maximised, is one variable more
            rows, costs = np.hstack([-rows, np.ones((N, 1))]), np.append(costs, -1.0)
            found = linprog(costs, rows, pull, bounds=[*bounds, (None, None)], options=_EXACT)
        else:
            found = linprog(costs, A_eq=rows, b_eq=-pull, bounds=bounds, options=_EXACT)
        if found.x is None:
            break
        w = found.eqlin.marginals
        if on_simplex:
            w = np.maximum(-found.ineqlin.marginals, 0.0)
            w = w / w.sum()
        at = np.column_stack([at, X @ w])
        # below what the tangents allow it would not be convex
        gap = abs(float(np.mean(loss.value(at[:, -1], y))) - (level - found.fun) * size)
        if gap <= _TOLERANCE * size:
            break
    return w, gap


def _between(at: Array, v: Array, b: Array) -> tuple[Array, Array]:
    """How much neighbouring tangents differ in slope, and where they meet."""
    jump = np.maximum(np.diff(b), 0.0)
    rest = v - b * at
    kink = (rest[:, :-1] - rest[:, 1:]) / np.where(jump > 0, jump, 1.0)
    return jump, np.clip(kink, at[:, :-1], at[:, 1:])
