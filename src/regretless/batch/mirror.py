"""Stochastic mirror descent: the average of the points of a player.

Shalev-Shwartz (2012), section 5.
"""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from regretless import losses
from regretless.base.arguments import Array, numbers
from regretless.certificates import Certificate


@dataclass(frozen=True, eq=False)
class AveragedPoint:
    """The mean of the points that a player played on independent examples.

    Attributes: `point`, the mean; `rounds`; `empirical`, the mean loss suffered; `excess_bound`: in
    expectation the risk of `point` exceeds that of the best comparator by at most this; `theorem`;
    `assumptions`, each with whether it held (None: the data do not show it); `certificate` of
    the player, or None if it has none; `player`, as it was at the end.

    >>> AveragedPoint(np.array([1.0, 2.0]), 9, 0.5, 0.1, "Corollary 5.2", {}).predict([[1, 1]])
    array([3.])
    """

    point: Array
    rounds: int
    empirical: float
    excess_bound: float
    theorem: str
    assumptions: dict[str, bool | None]
    certificate: Certificate | None = None
    player: Any = None

    def predict(self, X: Any) -> Array:
        """The score `<point, x>` of each row."""
        scores: Array = numbers(X, "X") @ self.point
        return scores


def stochastic_mirror_descent(
    player: Any,
    X: Any,
    y: Any = None,
    loss: str | losses.Loss | None = None,
    *,
    comparator: Any = None,
    norm: float | None = None,
) -> AveragedPoint:
    """Play one pass over examples and average the points: averaged stochastic gradient descent.

        w_t = player.point,  z_t = loss'(<w_t, x_t>, y_t) x_t,  mean of w_1 .. w_T

    The expected risk of the mean is at most that of any `u` plus `E[regret(u)] / T` (Shalev-Shwartz
    (2012), Corollary 5.2): `B L / sqrt(T)` for gradient descent over a ball of radius B with
    `||z|| <= L` and `eta = B / (L sqrt(T))`, `L sqrt(2 log(d) / T)` for exponentiated gradient.
    `excess_bound` is that of the player's own certificate, divided by T.

    Parameters
    ----------
    player : of `regretless.oco`, or anything with `point` and `update(gradient)`. It is not changed: its
        `clone()`, which has learned nothing, plays. A player without that method plays itself, from its
        present state. The bound needs its `certificate()`.
    X, y : examples, one row each; without a `loss` the rows of X are the gradients themselves.
    loss : of `regretless.losses`, or a name.
    comparator, norm : for `player.certificate`: the comparators of the risk; by default all points of
        the player's own domain.

    >>> class Descent:
    ...     point = np.zeros(1)
    ...     def update(self, gradient):
    ...         self.point = self.point - 0.5 * gradient
    >>> mean = stochastic_mirror_descent(Descent(), [[1.0], [1.0], [1.0]], [1.0, 1.0, 1.0], "absolute")
    >>> mean.point, round(mean.empirical, 3), mean.excess_bound
    (array([0.5]), 0.5, inf)
    """
    table = numbers(X, "X", "a matrix, one row an example")
    if table.ndim != 2 or not len(table):
        raise ValueError(f"X has shape {table.shape}: one row for each example is expected")
    if not np.isfinite(table).all():
        raise ValueError("X has numbers that are not finite")
    kind = None if loss is None else losses.get(loss)
    if (kind is None) != (y is None):
        raise ValueError("y and loss= go together: give both, or neither for linear losses")
    targets = np.zeros(len(table)) if y is None else numbers(y, "y", "a list of numbers")
    if targets.shape != (len(table),):
        raise ValueError(f"X has {len(table)} rows, y has shape {targets.shape}")
    # the theorem needs the points of these rounds alone: what was learned before would be in its bound
    player = player.clone() if hasattr(player, "clone") else player
    mean, total = np.zeros(table.shape[1]), 0.0
    for t, (x, target) in enumerate(zip(table, targets.tolist()), 1):
        point = player.point
        mean += (point - mean) / t
        score = float(point @ x)
        total += score if kind is None else float(kind.value(score, target))
        player.update(x if kind is None else float(kind.derivative(score, target)) * x)
    certificate = None
    if hasattr(player, "certificate"):
        asked = {"comparator": comparator, "norm": norm}
        certificate = player.certificate(**{k: v for k, v in asked.items() if v is not None})
    assumptions: dict[str, bool | None] = {
        "examples are independent and of one distribution": None,
        "loss is convex": not isinstance(kind, (losses.ZeroOne, losses.Perceptron)),
    }
    theorem = "Shalev-Shwartz (2012), Corollary 5.2"
    if certificate is not None:
        assumptions |= certificate.assumptions
        if certificate.rounds != len(table):
            assumptions["the player had not played before"] = False
        theorem += f", with {certificate.theorem}"
    bounded = certificate is not None and False not in assumptions.values()
    excess = certificate.bound / len(table) if bounded and certificate else math.inf
    return AveragedPoint(
        mean,
        len(table),
        total / len(table),
        float(excess),
        theorem,
        assumptions,
        certificate,
        player,
    )
