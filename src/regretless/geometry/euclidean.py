"""The squared Euclidean norm, and quadratic forms."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from regretless.base.arguments import Array, check_entries, finite_numbers
from regretless.domains.domain import constant, vector
from regretless.geometry.geometry import Geometry

# --- half the squared Euclidean norm --------------------------------------------------------------


@dataclass(frozen=True, eq=False, repr=False)
class Euclidean(Geometry):
    """The geometry of gradient descent: `psi(w) = 1/2 ||w||_2^2`.

    The link is `theta` itself, the divergence `1/2 ||w - u||^2`; `psi` is 1-strongly convex in the
    l2 norm, which is its own dual (Shalev-Shwartz (2012), Example 2.4).

    >>> Euclidean().link([1.0, -2.0])
    array([ 1., -2.])
    """

    @property
    def strong_convexity(self) -> float:
        """1, in the l2 norm."""
        return 1.0

    @property
    def separable(self) -> bool:
        """True: a sum of squares."""
        return True

    @property
    def quadratic(self) -> Array | None:
        """1 times the unit matrix."""
        return np.array(1.0)

    def value(self, w: ArrayLike) -> float:
        """`1/2 ||w||^2`.

        >>> Euclidean().value([3.0, 4.0])
        12.5
        """
        w = vector(w, "w")
        return 0.5 * float(w @ w)

    def gradient(self, w: ArrayLike) -> Array:
        """`w`.

        >>> Euclidean().gradient([3.0, 4.0])
        array([3., 4.])
        """
        return vector(w, "w").copy()

    def conjugate(self, theta: ArrayLike) -> float:
        """`1/2 ||theta||^2`.

        >>> Euclidean().conjugate([3.0, 4.0])
        12.5
        """
        return self.value(vector(theta, "theta"))

    def link(self, theta: ArrayLike) -> Array:
        """`theta`.

        >>> Euclidean().link([3.0, 4.0])
        array([3., 4.])
        """
        return vector(theta, "theta").copy()

    def bregman(self, w: ArrayLike, u: ArrayLike) -> float:
        """`1/2 ||w - u||^2`.

        >>> Euclidean().bregman([3.0, 4.0], [3.0, 2.0])
        2.0
        """
        return self.value(vector(w, "w") - vector(u, "u"))

    def dual_bregman(self, theta: ArrayLike, start: ArrayLike) -> float:
        """`1/2 ||theta - start||^2`.

        >>> Euclidean().dual_bregman([3.0, 4.0], [3.0, 2.0])
        2.0
        """
        return self.value(vector(theta, "theta") - vector(start, "start"))


# --- half a squared Mahalanobis norm --------------------------------------------------------------


@dataclass(frozen=True, eq=False, repr=False)
class Quadratic(Geometry):
    """The geometry of preconditioned gradient descent: `psi(w) = 1/2 w'Aw`.

    The link is `A^-1 theta`, the divergence `1/2 (w - u)'A(w - u)`; `psi` is 1-strongly convex in
    the norm `sqrt(w'Aw)`, whose dual is `sqrt(z'A^-1 z)` (Srebro (lecture 16), slide Dual
    Averaging). The matrix is factored once; a link takes `O(d^2)` operations, `O(d)` for a
    diagonal.

    Parameters: `matrix`, symmetric and positive definite of shape (d, d), or the positive diagonal
    of one, of shape (d,).

    >>> Quadratic([[2.0, 1.0], [1.0, 2.0]]).link([3.0, 0.0]).round(12)
    array([ 2., -1.])
    >>> Quadratic([2.0, 4.0]).link([1.0, 1.0])
    array([0.5 , 0.25])
    """

    matrix: Array
    _root: Array = field(init=False, repr=False)

    def __init__(self, matrix: Any) -> None:
        matrix = constant(matrix, "matrix", (1, 2))
        finite_numbers(matrix, "matrix")
        if matrix.ndim == 1:
            check_entries(matrix, matrix > 0, "matrix", "must be positive: it is a diagonal")
            root = np.sqrt(matrix)
        else:
            if matrix.shape[0] != matrix.shape[1]:
                raise ValueError(f"matrix has shape {matrix.shape}; it must be square")
            skew = np.abs(matrix - matrix.T).max()
            if skew > 1e-12 * np.abs(matrix).max():
                raise ValueError(
                    f"matrix={matrix} is not symmetric (by {skew:g}): pass (A + A.T) / 2"
                )
            try:
                root = np.linalg.cholesky(matrix)
            except np.linalg.LinAlgError:
                least = np.linalg.eigvalsh(matrix)[0]
                raise ValueError(
                    f"matrix={matrix} is not positive definite: its least eigenvalue is {least:g}"
                ) from None
        object.__setattr__(self, "matrix", matrix)
        object.__setattr__(self, "_root", root)

    @property
    def strong_convexity(self) -> float:
        """1, in the norm `sqrt(w'Aw)`."""
        return 1.0

    @property
    def separable(self) -> bool:
        """Whether the matrix was given by its diagonal."""
        return self.matrix.ndim == 1

    @property
    def quadratic(self) -> Array | None:
        """The matrix, or its diagonal."""
        return self.matrix

    def _vector(self, value: Any, name: str) -> Array:
        return vector(value, name, len(self.matrix), "the matrix")

    def value(self, w: ArrayLike) -> float:
        """`1/2 w'Aw`.

        >>> Quadratic([2.0, 4.0]).value([1.0, 1.0])
        3.0
        """
        w = self._vector(w, "w")
        return 0.5 * float(w @ self.gradient(w))

    def gradient(self, w: ArrayLike) -> Array:
        """`Aw`.

        >>> Quadratic([2.0, 4.0]).gradient([1.0, 1.0])
        array([2., 4.])
        """
        w = self._vector(w, "w")
        return np.asarray(self.matrix @ w if self.matrix.ndim == 2 else self.matrix * w)

    def conjugate(self, theta: ArrayLike) -> float:
        """`1/2 theta'A^-1 theta`.

        >>> Quadratic([2.0, 4.0]).conjugate([2.0, 4.0])
        3.0
        """
        theta = self._vector(theta, "theta")
        return 0.5 * float(theta @ self.link(theta))

    def link(self, theta: ArrayLike) -> Array:
        """`A^-1 theta`.

        >>> Quadratic([2.0, 4.0]).link([2.0, 4.0])
        array([1., 1.])
        """
        theta = self._vector(theta, "theta")
        if self.matrix.ndim == 1:
            return np.asarray(theta / self.matrix)
        from scipy.linalg import cho_solve

        return np.asarray(cho_solve((self._root, True), theta))

    def bregman(self, w: ArrayLike, u: ArrayLike) -> float:
        """`1/2 (w - u)'A(w - u)`.

        >>> Quadratic([2.0, 4.0]).bregman([1.0, 1.0], [0.0, 1.0])
        1.0
        """
        return self.value(self._vector(w, "w") - self._vector(u, "u"))

    def dual_bregman(self, theta: ArrayLike, start: ArrayLike) -> float:
        """`1/2 (theta - start)'A^-1(theta - start)`.

        >>> Quadratic([2.0, 4.0]).dual_bregman([2.0, 1.0], [0.0, 1.0])
        1.0
        """
        return self.conjugate(self._vector(theta, "theta") - self._vector(start, "start"))

    def norm(self, w: ArrayLike) -> float:
        """`sqrt(w'Aw)`.

        >>> Quadratic([4.0]).norm([3.0])
        6.0
        """
        w = self._vector(w, "w")
        return float(np.linalg.norm(self._root.T @ w if self.matrix.ndim == 2 else self._root * w))

    def dual_norm(self, z: ArrayLike) -> float:
        """`sqrt(z'A^-1 z)`.

        >>> Quadratic([4.0]).dual_norm([3.0])
        1.5
        """
        z = self._vector(z, "z")
        if self.matrix.ndim == 1:
            return float(np.linalg.norm(z / self._root))
        from scipy.linalg import solve_triangular

        return float(np.linalg.norm(solve_triangular(self._root, z, lower=True)))
