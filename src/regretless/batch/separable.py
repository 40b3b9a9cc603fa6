"""Bounds on the expected risk from examples that a hyperplane separates.

Mohri et al. (2018), Theorems 8.9, 8.10.

Both theorems leave out each example in turn and count the errors of the learner on it: at most the
number of points that ever moved the Perceptron, or of support vectors of the SVM.
"""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from regretless.base.arguments import Array, numbers
from regretless.linear import Perceptron


@dataclass(frozen=True)
class HardMargin:
    """The hyperplane through 0 of the largest margin.

    Attributes: `weights` w with `y <w, x> >= 1`; `alphas`, one per example, with
    `w = sum alpha_i y_i x_i` and, but for rounding, `sum alpha_i = ||w||^2`; `margin`, `1 / ||w||`;
    `support`, how many alphas are not 0.

    >>> HardMargin(np.array([2.0]), np.array([4.0, 0.0]), margin=0.5, support=1).margin
    0.5
    """

    weights: Array
    alphas: Array
    margin: float
    support: int


def hard_margin(X: Any, y: Any, *, tolerance: float = 1e-9) -> HardMargin:
    """The support vector machine without losses and without offset.

    Mohri et al. (2018), Theorem 8.10.

    The least `||w||` with `y_i <w, x_i> >= 1` is `1 / rho`, rho being the distance of 0 from the convex
    hull of the `y_i x_i`. Its dual is a problem of least squares with `alpha >= 0`, which is solved in
    finitely many steps (Lawson and Hanson (1974), chapter 23).

    Parameters: `X` a 2-d array; `y` of -1 and +1; `tolerance`: the margin is proved to be the largest up
    to this share of it, otherwise `ValueError` is raised.

    >>> svm = hard_margin([[1, 2], [-1, 1], [2, -1], [-1, -1], [1, -1]], [1, -1, 1, -1, 1])
    >>> (svm.weights.round(6) + 0.0).tolist(), round(svm.margin, 6)
    ([1.0, 0.0], 1.0)
    """
    from scipy.optimize import nnls

    Z = _signed(X, y)
    norms = np.linalg.norm(Z, axis=1)
    if not norms.all():
        raise ValueError(f"X[{int(np.argmin(norms))}] is 0: no hyperplane through 0 separates it")
    unit = float(norms.max())
    shares, _ = nnls(np.vstack([Z.T / unit, np.ones(len(Z))]), np.eye(Z.shape[1] + 1)[-1])
    near = shares @ Z  # a point of the hull, times the sum of the shares
    margins = Z @ near
    worst, size = float(margins.min()), float(near @ near)
    # any w with y <w, x> > 0 proves a margin, and any point of the hull bounds all margins
    if not worst > 0 or worst * shares.sum() < size * (1.0 - tolerance):
        raise ValueError(
            "no hyperplane through 0 was found that separates the examples; a column of ones adds an "
            "intercept"
        )
    alphas = shares / worst
    return HardMargin(near / worst, alphas, worst / math.sqrt(size), int((alphas > 0).sum()))


@dataclass(frozen=True)
class SeparableRisk:
    """The result of `separable_risk`, with the two terms whose expectations bound the expected risk.

    Attributes: `examples` m + 1; `updates` of the Perceptron until it separated them; `points` that
    moved it; `radius` and `margin` of the examples; `support` vectors; `errors` of the Perceptron and
    `svm_errors` on the example left out, None if they were not counted.

    >>> SeparableRisk(10, updates=3, points=2, radius=1.0, margin=0.5, support=2).bounds
    {'Mohri et al. (2018), Theorem 8.9': 0.3, 'Mohri et al. (2018), Theorem 8.10': 0.2}
    """

    examples: int
    updates: int
    points: int
    radius: float
    margin: float
    support: int
    errors: int | None = None
    svm_errors: int | None = None

    @property
    def bounds(self) -> dict[str, float]:
        """One sample of the bounds on the risk of the Perceptron and of the SVM of m examples."""
        ratio = (self.radius / self.margin) ** 2
        return {
            "Mohri et al. (2018), Theorem 8.9": min(self.updates, ratio) / self.examples,
            "Mohri et al. (2018), Theorem 8.10": min(self.support, ratio) / self.examples,
        }


def separable_risk(
    X: Any, y: Any, *, leave_one_out: bool = False, max_passes: int = 100_000
) -> SeparableRisk:
    """Bound the expected risk of a Perceptron and of an SVM trained on all of these examples but one.

    For m + 1 independent examples of a distribution that can be separated, the expected risk of the
    Perceptron trained on m until it makes no error is at most the expectation of
    `min(M, r^2 / rho^2) / (m + 1)`: M updates, `||x|| <= r`, margin rho (Mohri et al. (2018),
    Theorem 8.9); for the SVM, with its support vectors in place of M (Mohri et al. (2018), Theorem
    8.10). `bounds` has the value on this sample.

    Parameters: `X` a 2-d array, a column of ones for an intercept; `y` of -1 and +1; `leave_one_out`:
    train once more for every example and count the errors, which are never more than `points` and
    `support`; `max_passes` over the examples.

    >>> X, y = [[1, 2], [-1, 1], [2, -1], [-1, -1], [1, -1]], [1, -1, 1, -1, 1]
    >>> risk = separable_risk(X, y, leave_one_out=True)
    >>> risk.updates, risk.points, risk.errors, risk.bounds["Mohri et al. (2018), Theorem 8.9"]
    (2, 2, 0, 0.4)
    """
    Z = _signed(X, y)
    svm = hard_margin(Z, np.ones(len(Z)))
    _, updates, points = _converged(Z, max_passes)
    errors = svm_errors = None
    if leave_one_out:
        errors = svm_errors = 0
        for i, z in enumerate(Z):
            others = np.delete(Z, i, axis=0)
            w, _, _ = _converged(others, max_passes)
            errors += not w @ z > 0
            svm_errors += not hard_margin(others, np.ones(len(others))).weights @ z > 0
    radius = float(np.linalg.norm(Z, axis=1).max())
    return SeparableRisk(
        len(Z), updates, len(points), radius, svm.margin, svm.support, errors, svm_errors
    )


def _converged(Z: Array, max_passes: int) -> tuple[Array, int, set[int]]:
    """Weights, updates and the points that made them, of a Perceptron that has separated `Z`."""
    model = Perceptron(intercept=False)
    model._add(False)  # y x with the label True is x with the label y
    model._add(True)
    points: set[int] = set()
    for _ in range(max_passes):
        moved = model.updates_
        for i, z in enumerate(Z):
            before = model.updates_
            model.learn_one(z, True)
            if model.updates_ > before:
                points.add(i)
        if model.updates_ == moved:
            return (
                np.array([model.weights_.get(j, 0.0) for j in range(Z.shape[1])]),
                moved,
                points,
            )
    raise ValueError(f"the examples were not separated in max_passes={max_passes}; allow more")


def _signed(X: Any, y: Any) -> Array:
    """The rows `y x`."""
    Z, signs = numbers(X, "X", "a 2-d array"), numbers(y, "y", "-1 or +1 for every row")
    if Z.ndim != 2 or signs.shape != (len(Z),) or len(Z) < 2:
        raise ValueError(
            f"X has shape {Z.shape} and y {signs.shape}: two rows or more, and a sign for each"
        )
    if not np.isfinite(Z).all():
        raise ValueError("X has values that are not finite")
    if not np.isin(signs, [-1.0, 1.0]).all():
        raise ValueError(f"y has {signs[~np.isin(signs, [-1.0, 1.0])][0]}: -1 and +1 are expected")
    return Z * signs[:, None]
