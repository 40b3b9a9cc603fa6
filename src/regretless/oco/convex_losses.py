"""Convex losses of a point, and their sum."""

import copy
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from regretless import losses
from regretless.base.arguments import Array, shown
from regretless.base.randomness import generator
from regretless.domains import Domain


class Convex(Protocol):
    """A convex function with a subgradient."""

    def value(self, w: Array, /) -> float: ...
    def gradient(self, w: Array, /) -> Array: ...


@dataclass(frozen=True, eq=False)
class ConvexLoss:
    """A convex loss given by two functions of a point: its value and a subgradient.

    >>> loss = ConvexLoss(lambda w: float(abs(w[0])), lambda w: np.sign(w))
    >>> loss.value(np.array([-2.0])), loss.gradient(np.array([-2.0]))
    (2.0, array([-1.]))
    """

    value: Callable[[Array], float]
    gradient: Callable[[Array], Array]


def check_convex_loss(loss: Any) -> None:
    """Raise `ValueError` for a loss without `value(w)` or `gradient(w)`."""
    if not callable(getattr(loss, "value", None)) or not callable(getattr(loss, "gradient", None)):
        raise ValueError(f"loss={shown(loss)} has no methods value(w) and gradient(w)")


@dataclass(frozen=True, eq=False)
class LinearLoss:
    """The loss `<w, z>`.

    >>> LinearLoss(np.array([1.0, -1.0])).value(np.array([3.0, 1.0]))
    2.0
    """

    z: Array

    def value(self, w: Array) -> float:
        """`<w, z>`"""
        return float(w @ self.z)

    def gradient(self, w: Array) -> Array:
        """`z`"""
        return self.z


@dataclass(frozen=True, eq=False)
class SquaredDistance:
    """The loss `1/2 ||w - center||^2` of online quadratic optimisation.

    Shalev-Shwartz (2012), Definition 2.1.

    >>> SquaredDistance(np.array([1.0, 0.0])).value(np.array([0.0, 2.0]))
    2.5
    """

    center: Array

    def value(self, w: Array) -> float:
        """`1/2 ||w - center||^2`"""
        return 0.5 * float((w - self.center) @ (w - self.center))

    def gradient(self, w: Array) -> Array:
        """`w - center`"""
        return w - self.center


@dataclass(frozen=True, eq=False)
class ScoreLoss:
    """A loss of `regretless.losses` of the score `<w, x>` against a target `y`.

    >>> ScoreLoss("hinge", np.array([1.0, 2.0]), -1.0).gradient(np.array([1.0, 0.0]))
    array([1., 2.])
    """

    loss: str | losses.Loss
    x: Array
    y: float

    def __post_init__(self) -> None:
        if isinstance(losses.get(self.loss), (losses.Perceptron, losses.ZeroOne)):
            raise ValueError(f"loss={self.loss!r} is not convex; use Hinge()")

    def value(self, w: Array) -> float:
        """`loss(<w, x>, y)`"""
        return losses.get(self.loss).value(float(w @ self.x), self.y)

    def gradient(self, w: Array) -> Array:
        """`loss'(<w, x>, y) x`"""
        return losses.get(self.loss).derivative(float(w @ self.x), self.y) * np.asarray(self.x)


def check_convex(
    loss: Convex, dimension: int, domain: Domain | None = None, *, trials: int = 200, seed: int = 0
) -> None:
    """Check a loss of your own: it must lie above each of its tangents.

    Raises `ValueError` with two points at which it does not: the loss is not convex, or the gradient is
    wrong. Points are drawn near the origin at sizes from 0.01 to 100, and from the `domain`.

    >>> check_convex(SquaredDistance(np.zeros(2)), 2)
    >>> try:
    ...     check_convex(ConvexLoss(lambda w: float(np.sin(w[0])), np.cos), 1)
    ... except ValueError as error:
    ...     print(str(error).rpartition(": ")[2])
    the loss is not convex, or its gradient is wrong
    """
    random = generator(seed, "check")

    def point() -> Array:
        w = random.normal(size=dimension) * 10.0 ** random.uniform(-2.0, 2.0)
        return w if domain is None else domain.project(w)

    for _ in range(trials):
        at, to = point(), point()
        value, tangent = (
            float(loss.value(to)),
            float(loss.value(at) + loss.gradient(at) @ (to - at)),
        )
        if value < tangent - 1e-9 * (1.0 + abs(value) + abs(tangent)):
            raise ValueError(
                f"loss({to.round(4).tolist()}) = {value:.4g} is below {tangent:.4g}, the tangent at "
                f"{at.round(4).tolist()}: the loss is not convex, or its gradient is wrong"
            )


def score_sizes(kind: losses.Loss, X: Array, y: Array, w: Array) -> Array:
    """The possible rounding error of each loss of a score `<w, x>`, in units of eps; `w` may be rows.

    >>> score_sizes(losses.Logistic(), np.array([[100.0]]), np.ones(1), np.ones(1)).round(43)
    array([1.12e-41])
    """
    scores = np.sum(X * w, axis=1)
    slopes = np.abs(kind.derivative(scores, y))
    spread = (X.shape[1] + 2.0) * np.sum(np.abs(X) * np.abs(w), axis=1)
    return np.asarray(np.abs(kind.value(scores, y)) + slopes * spread)


class Total:
    """A sum of losses: sums and tables of those with a known form, and a list of the others."""

    def __init__(self, dimension: int) -> None:
        self.linear, self.centers = np.zeros(dimension), np.zeros(dimension)
        self.distances, self.squares = 0, 0.0
        self.scores: dict[losses.Loss, tuple[Array, Array]] = {}
        self.others: tuple[Convex, ...] = ()

    @property
    def quadratic(self) -> bool:
        """Whether all losses are linear or squared distances."""
        return not self.scores and not self.others

    @property
    def is_linear(self) -> bool:
        """Whether all losses are linear."""
        return self.quadratic and not self.distances

    def plus(self, loss: Convex) -> "Total":
        total = copy.copy(self)
        if isinstance(loss, LinearLoss):
            total.linear = self.linear + loss.z
        elif isinstance(loss, SquaredDistance):
            total.distances, total.centers = self.distances + 1, self.centers + loss.center
            total.squares = self.squares + float(np.dot(loss.center, loss.center))
        elif isinstance(loss, ScoreLoss):
            kind = losses.get(loss.loss)
            X, y = self.scores.get(kind, (np.empty((0, len(self.linear))), np.empty(0)))
            row = (np.vstack([X, loss.x]), np.append(y, loss.y))
            total.scores = self.scores | {kind: row}
        else:
            total.others = (*self.others, loss)
        return total

    def together(self, other: "Total") -> "Total":
        """The losses of both sums."""
        total = Total(len(self.linear))
        total.linear, total.centers = self.linear + other.linear, self.centers + other.centers
        total.distances = self.distances + other.distances
        total.squares, total.others = self.squares + other.squares, self.others + other.others
        for scores in (self.scores, other.scores):
            for kind, (X, y) in scores.items():
                before, targets = total.scores.get(kind, (X[:0], y[:0]))
                total.scores[kind] = (np.vstack([before, X]), np.append(targets, y))
        return total

    def split(self) -> tuple["Total", list[tuple[losses.Loss, Array, Array]]]:
        """The losses without known kinks, and the losses of a score with kinks."""
        kinked = {k: v for k, v in self.scores.items() if k.lipschitz < k.curvature == math.inf}
        smooth = copy.copy(self)
        smooth.scores = {k: v for k, v in self.scores.items() if k not in kinked}
        return smooth, [(kind, X, y) for kind, (X, y) in kinked.items()]

    def largest_square(self) -> float:
        """The largest `||x||^2` of the losses of a score; 1 if all are 0."""
        largest = max(
            (float(np.max((X * X).sum(axis=1))) for X, _ in self.scores.values()), default=1.0
        )
        return largest or 1.0

    def value(self, w: Array) -> float:
        found = float(w @ self.linear) + 0.5 * (self.distances * float(w @ w) + self.squares)
        found -= float(w @ self.centers)
        found += sum(float(np.sum(kind.value(X @ w, y))) for kind, (X, y) in self.scores.items())
        return found + sum(float(loss.value(w)) for loss in self.others)

    def size(self, w: Array) -> float:
        """The sum of the sizes of the terms of `value(w)`, the scale of its rounding error.

        The rounding error of a score adds to the loss, times its slope: for a chance of e^-250 this is
        250 times as much as the rounding of the loss itself.
        """
        found = np.abs(w) @ (np.abs(self.linear) + np.abs(self.centers))
        found += 0.5 * (self.distances * (w @ w) + self.squares)
        for kind, (X, y) in self.scores.items():
            found += score_sizes(kind, X, y, w).sum()
        return float(found) + sum(abs(float(loss.value(w))) for loss in self.others)

    def gradient(self, w: Array) -> Array:
        found = self.linear + self.distances * w - self.centers
        for kind, (X, y) in self.scores.items():
            found += kind.derivative(X @ w, y) @ X
        for loss in self.others:
            found += loss.gradient(w)
        return found
