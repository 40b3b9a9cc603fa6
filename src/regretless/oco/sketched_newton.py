"""Sketched online Newton steps for any convex losses (Luo (2016), section 4.4)."""

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from regretless.base.arguments import (
    Array,
    check_seed,
    not_negative,
    one_of,
    positive,
    whole,
)
from regretless.base.options import option
from regretless.base.randomness import generator
from regretless.domains import Domain, Everything
from regretless.domains.projections import largest_quadratic
from regretless.oco.engine import Engine, EngineInPython
from regretless.oco.newton import check_pace
from regretless.oco.player import EPS, ConvexRun, Player, Theorem

# --- sketches of a sum of `g g'` in m rows: `S' S` is near it, in O(m^2 d) a round ----------------

# Luo (2016), section 4.4.
#
# They are written for reading. `regretless.newton` has them for sparse examples, compiled.

_FAR = 1e150  # of entries, so that squares are finite
_NEW = 1e-6  # of a gradient's square outside of Oja's directions: a new one
_MERGED = 256  # gradients with which Oja's directions start


class Sketch(ABC):
    """`S' S`, and the inverse of `A = alpha I + S' S`."""

    def __init__(self, dimension: int, size: int, alpha: float) -> None:
        self.size, self.alpha = size, alpha
        self.rows = np.zeros((0, dimension))  # S

    @abstractmethod
    def add(self, g: Array) -> None:
        """Add a gradient that is not 0."""

    def times(self, v: Array) -> Array:
        """`S' S v`."""
        return self.rows.T @ (self.rows @ v)

    def trace(self) -> float:
        """The trace of `S' S`, to which its rounding is relative."""
        return float(np.vdot(self.rows, self.rows))

    def solve(self, v: Array) -> Array:
        """`A^-1 v`, divided separately in the span of S and outside of it.

        (Woodbury's formula makes it a difference of two vectors, which is only rounding error if `S' S`
        is 1e16 times alpha.)
        """
        _, roots, V = np.linalg.svd(self.rows, full_matrices=False)
        along = V @ v
        outside = v - along @ V
        again = V @ outside
        along, outside = along + again, outside - again @ V
        # alpha may be so small that mere rounding would be a long step
        if _length(outside) <= 4.0 * EPS * sum(V.shape) * _length(v):
            outside = np.zeros_like(v)
        return np.asarray((along / (self.alpha + roots * roots)) @ V + outside / self.alpha)

    def state(self) -> Array:
        """Everything that changes, as one vector."""
        return self.rows.ravel()

    def restore(self, state: Array) -> None:
        """Take over a vector that `state` returned, checked."""
        rows = state.reshape(-1, self.rows.shape[1])
        _check(rows, len(rows) <= self.size, "more rows than it has room for")
        self.rows = rows.copy()


class FullMatrix(Sketch):
    """The sum itself, and a triangular root R of `alpha I + sum`; the size is ignored.

    The root is not computed from the sum: if gradients are 1e12 and alpha is 1, the sum has lost alpha,
    and the root still has four digits of it.
    """

    def __init__(self, dimension: int, size: int, alpha: float) -> None:
        super().__init__(dimension, 0, alpha)
        self.sum = np.zeros((dimension, dimension))
        self.root = math.sqrt(alpha) * np.eye(dimension)

    def add(self, g: Array) -> None:
        self.root = np.asarray(np.linalg.qr(np.vstack([self.root, g]), mode="r"))
        self.sum = self.sum + np.outer(g, g)

    def times(self, v: Array) -> Array:
        return self.sum @ v

    def trace(self) -> float:
        return float(np.trace(self.sum))

    def solve(self, v: Array) -> Array:
        from scipy.linalg import solve_triangular

        inner = solve_triangular(self.root, v, trans="T", check_finite=False)
        return np.asarray(solve_triangular(self.root, inner, check_finite=False))

    def state(self) -> Array:
        return np.concatenate([self.sum.ravel(), self.root.ravel()])

    def restore(self, state: Array) -> None:
        total, root = state.reshape(2, *self.sum.shape)
        scale = np.abs(total).max(initial=0.0)
        positive = np.linalg.eigvalsh(total).min(initial=0.0) >= -1e-6 * scale
        alike = np.allclose(total, total.T, rtol=1e-6, atol=1e-9 * scale)
        _check(total, bool(positive and alike), "a matrix that is not symmetric and positive")
        upper = np.array_equal(root, np.triu(root)) and bool(np.diag(root).all())
        _check(root, upper, "a root that is not triangular")
        together = np.allclose(
            root.T @ root,
            total + self.alpha * np.eye(len(total)),
            rtol=1e-6,
            atol=1e-6 * (scale + self.alpha),
        )
        _check(root, together, "a root of another matrix")
        self.sum, self.root = total.copy(), root.copy()


class FrequentDirections(Sketch):
    """`S' S + g g' = V' Sigma V`, and `S <- (Sigma - Sigma_mm)^(1/2) V`: the last row becomes 0."""

    def add(self, g: Array) -> None:
        _, roots, V = np.linalg.svd(np.vstack([self.rows, g]), full_matrices=False)
        squares = roots[: self.size] ** 2
        if len(squares) == self.size:
            squares = squares[:-1] - squares[-1:]
        self.rows = np.sqrt(squares)[:, None] * V[: len(squares)]


class RandomProjection(Sketch):
    """`S <- S + r g'`, with `r` normal, of variance 1 / m."""

    def __init__(self, dimension: int, size: int, alpha: float, seed: int) -> None:
        super().__init__(dimension, size, alpha)
        self.seed, self.drawn = seed, 0
        self.rows = np.zeros((size, dimension))

    def add(self, g: Array) -> None:
        self.rows = self.rows + np.outer(self._draw(), g)
        self.drawn += 1

    def _draw(self) -> Array:
        """The random numbers of the compiled sketch, which depend on a counter and need no state."""
        counter = np.arange(2 * self.size, dtype=np.uint64) + np.uint64(
            (self.seed * 0x9E3779B97F4A7C15 + 2 * self.drawn * self.size) % 2**64
        )
        words = _splitmix64(counter[0::2] + np.uint64(1)), _splitmix64(counter[0::2] + np.uint64(2))
        u, v = (words[0] + np.uint64(1)) * 2.0**-53, words[1] * 2.0**-53
        normal: Array = np.sqrt(-2.0 * np.log(u)) * np.cos(2.0 * np.pi * v)  # Box and Muller
        return normal / math.sqrt(self.size)

    def state(self) -> Array:
        return np.append(self.rows.ravel(), self.drawn)

    def restore(self, state: Array) -> None:
        drawn = float(state[-1])
        whole = 0 <= drawn <= 2**53 and drawn == int(drawn)
        _check(state, whole and len(state) == self.rows.size + 1, "other numbers than were drawn")
        super().restore(state[:-1])
        self.drawn = int(drawn)


class Oja(Sketch):
    """`lambda_i += p_i^2`, `V <- V + diag(step) p g'`, `p = V g`; `S = lambda^(1/2) V`.

    The rows of `V` are made orthonormal again, in order. The step is `1 / lambda_i`, or 1 / t as printed
    (Luo (2016), Algorithm 14). The printed V starts as random directions. Otherwise the first gradients
    are merged exactly: S has the m largest directions of `S' S + g g'`.
    """

    def __init__(
        self, dimension: int, size: int, alpha: float, *, start: str, step: str, seed: int
    ) -> None:
        super().__init__(dimension, size, alpha)
        self.merges, self.by_time, self.added = start == "merged", step == "time", 0
        self.directions, self.squares = self.rows, np.zeros(0)  # V, lambda
        if not self.merges:
            drawn = generator(seed, "Oja's directions").normal(size=(dimension, size))
            self.directions = np.ascontiguousarray(np.linalg.qr(drawn)[0].T)
            self.squares = np.zeros(len(self.directions))

    def add(self, g: Array) -> None:
        self.added += 1
        p, all_of_it = self.directions @ g, float(g @ g)
        fresh = self.merges and float(all_of_it - p @ p) > _NEW * all_of_it
        if self.merges and self.added <= _MERGED:
            self._merge(g if fresh else p @ self.directions, len(p) + fresh)
            return
        if fresh and len(p) < self.size:
            rho = np.sqrt(all_of_it - p @ p)
            self.directions = np.vstack([self.directions, (g - p @ self.directions) / rho])
            p, self.squares = np.append(p, rho), np.append(self.squares, 0.0)
        self.squares = self.squares + p * p
        over = np.full_like(p, self.added) if self.by_time else self.squares
        step = np.divide(p, over, out=np.zeros_like(p), where=over > 0)
        V = np.linalg.qr((self.directions + np.outer(step, g)).T)[0].T
        # the order of a sum changes its rounding; files need this one
        self.directions = np.ascontiguousarray(V)
        self._put_together()

    def _merge(self, g: Array, rank: int) -> None:
        _, roots, V = np.linalg.svd(np.vstack([self.rows, g]), full_matrices=False)
        kept = min(rank, self.size)
        self.squares, self.directions = roots[:kept] ** 2, np.ascontiguousarray(V[:kept])
        self._put_together()

    def _put_together(self) -> None:
        self.rows = np.sqrt(self.squares)[:, None] * self.directions

    def state(self) -> Array:
        return np.append(np.column_stack([self.squares, self.directions]), float(self.added))

    def restore(self, state: Array) -> None:
        table, added = state[:-1].reshape(-1, self.rows.shape[1] + 1), float(state[-1])
        _check(table, added >= 0 and added == int(added), "no count of gradients")
        products = table[:, 1:] @ table[:, 1:].T
        orthonormal = np.abs(products - np.eye(len(table))).max(initial=0.0) <= 1e-6
        _check(table, bool(orthonormal), "directions that are not orthonormal")
        _check(table, len(table) <= self.size and bool((table[:, 0] >= 0).all()), "other squares")
        self.squares, self.directions = table[:, 0].copy(), table[:, 1:].copy()
        self.added = int(added)
        self._put_together()


def _splitmix64(z: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """The upper 53 of 64 well mixed bits."""
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return (z ^ (z >> np.uint64(31))) >> np.uint64(11)


def _length(v: Array) -> float:
    """The Euclidean norm, without overflow of squares; infinite if it is not known."""
    largest = float(np.abs(v).max())
    if not math.isfinite(largest):
        return math.inf
    return largest * float(np.linalg.norm(v / largest)) if largest else 0.0


def _check(numbers: Array, sound: bool, what: str) -> None:
    if not sound or not (np.abs(numbers) <= _FAR).all():
        raise ValueError(f"the sketch has {what if not sound else 'numbers that are too large'}")


# --- sketched online Newton steps for any convex losses (Luo (2016), section 4.4) -----------------

_NAME = "Luo (2016), Proposition 1"

_SKETCHES: dict[str, Callable[..., Sketch]] = {
    "oja": Oja,
    "fd": FrequentDirections,
    "rp": RandomProjection,
    "full": FullMatrix,
}


class SketchedOnlineNewton(Player):
    """Newton steps by a sketch: `w <- w - A^{-1} g`, `A = alpha I + S' S`.

    `S' S` is near `sum (curvature + rate / sqrt(t)) g g'` and S has m rows: a round takes O(m^2 d) in
    place of the O(d^2) of `OnlineNewtonStep`. For every sketch and every u the linearised regret is at
    most half of

        alpha ||u||^2 + sum <g_t, A_t^{-1} g_t> + sum <w_t - u, (A_t - A_{t-1}) (w_t - u)>

    of which the sums are measured (Luo (2016), Proposition 1; it is an equality but for the
    distance from u at the end). For losses with
    `f(u) >= f(w) + <g, u - w> + (curvature / 2) <g, u - w>^2` the last sum is left out if the
    sketch is "full" or "fd" and `rate=0`. Predictions are not kept in a slab, as losses here need not be
    of one score; the learners of `regretless.newton` have a slab, and take sparse examples.

    >>> player = SketchedOnlineNewton(3, size=2, curvature=1.0)
    >>> _ = player.update([1.0, 0.0, 0.0])
    >>> player.point
    array([-0.5,  0. ,  0. ])
    >>> player.certificate([-1.0, 1.0, 0.0]).holds
    True
    """

    dimension: int = option(whole, kw_only=False, text="how many coordinates a point has")
    sketch: str = option(
        one_of,
        _SKETCHES,
        default="oja",
        text=""""oja" is the best in practice, "fd" are frequent directions, "rp" is a random
        projection, and "full" is the matrix itself, which makes it `OnlineNewtonStep`""",
    )
    size: int = option(
        whole,
        0,
        default=10,
        text="""m, the rows of the sketch; 0 is gradient descent with steps of `1 / alpha`""",
    )
    alpha: float = option(positive, default=1.0, text="the matrix starts as `alpha I`")
    curvature: float = option(
        not_negative,
        default=0.125,
        text="""of the losses, as above; 0 for any convex loss, with `rate > 0`""",
    )
    rate: float = option(
        not_negative,
        default=0.0,
        text="""for losses of a score, `sqrt(m) / (C L)` is of the right order""",
    )
    start: str = option(
        one_of,
        ("merged", "random"),
        default="merged",
        text="""of Oja's directions: the largest of the first 256 gradients, or random ones, as in
        Luo (2016), Algorithm 14""",
    )
    step: str = option(
        one_of,
        ("eigenvalue", "time"),
        default="eigenvalue",
        text="""of Oja's directions: 1 over their eigenvalue, or 1 / t, as in Luo (2016),
        Algorithm 14""",
    )
    seed: int = option(check_seed, default=0, text="of what is random")

    domain = Everything()

    @classmethod
    def _check_size(cls, options: Mapping[str, Any], numbers: int) -> None:
        super()._check_size(options, numbers)
        rows = {"full": options["dimension"], "rp": options["size"]}.get(options["sketch"], 1)
        if whole(rows, "size", 0) * options["dimension"] > numbers:
            raise ValueError(f"size={rows} is too large for the state")

    def __post_init__(self) -> None:
        check_pace(self.curvature, self.rate)
        super().__post_init__()

    def _start(self) -> Engine:
        options: dict[str, Any] = {"seed": self.seed} if self.sketch in ("rp", "oja") else {}
        if self.sketch == "oja":
            options |= {"start": self.start, "step": self.step}
        made = _SKETCHES[self.sketch](self.dimension, self.size, self.alpha, **options)
        return _SketchedSteps(self.dimension, made, self.curvature, self.rate)

    def _missed(self, u: Array, before: "SketchedOnlineNewton | None" = None) -> float:
        """`sum <w_t - u, (A_t - A_{t-1}) (w_t - u)>`, since `before`."""
        sums = self._engine.sums()
        found = float(u @ (sums["sketched"](u) - 2.0 * sums["cross"]) + sums["squares"])
        return found - (before._missed(u) if before else 0.0)

    def _theorem(self, among: Domain | Array) -> Theorem:
        d, sums = self.dimension, self._engine.sums()
        if isinstance(among, Domain):
            matrix = self.alpha * np.eye(d) + np.array([sums["sketched"](e) for e in np.eye(d)])
            matrix = (matrix + matrix.T) / 2.0
            most = largest_quadratic(matrix, sums["cross"], sums["squares"], among)
        else:
            most = self.alpha * float(among @ among) + self._missed(among)
        return Theorem({"newton": most / 2.0 + self._engine.paid}, {}, _NAME)

    def _start_of(self, run: ConvexRun, u: Array) -> float:
        """Half the squared distance at the start of the run, in the norm of the matrix at that time."""
        before: Any = run.before
        way = u - before.point
        return 0.5 * float(way @ (self.alpha * way + before._engine.sums()["sketched"](way)))

    def _rounding(self, among: Domain | Array) -> float:
        constant, linear, quadratic = self._engine.sums()["lost"]
        extent = self._extent(among) if self.peaks else 0.0
        lost = constant + extent * (linear + extent * quadratic)
        return super()._rounding(among) + float(lost)

    @property
    def _certain(self) -> bool:
        """Whether the sketch adds no more to the matrix than the curvature of the losses covers."""
        return self.sketch in ("full", "fd") and self.rate == 0.0

    def _run_theorem(self, run: ConvexRun, u: Array) -> Theorem:
        before: Any = run.before
        start = self._start_of(run, u) + self._engine.paid - before._engine.paid
        bounds = {"newton": start + self._missed(u, before) / 2.0}
        known = self._certain and run.kind is not None and run.points is not None
        if known and run.curves_by(self.curvature, u).all():
            bounds["curved"] = start
        return Theorem(bounds, {}, _NAME)

    def _curve(self, run: ConvexRun, u: Array) -> Array:
        if not self._certain or run.points is None:
            return np.full(run.rounds, math.nan)
        before: Any = run.before
        start = self._start_of(run, u) + run.paid - before._engine.paid
        scores, slopes = run.slopes()
        missed = np.cumsum(self.curvature * (slopes * (scores - run.rows @ u)) ** 2) / 2.0
        if run.kind is None:
            return np.asarray(start + missed)
        curved = np.logical_and.accumulate(run.curves_by(self.curvature, u))
        return np.asarray(start + np.where(curved, 0.0, missed))


class _SketchedSteps(EngineInPython):
    """The engine of `SketchedOnlineNewton`, with the sums of Proposition 1."""

    _numbers = (*EngineInPython._numbers, "paid", "squares", "lost", "lost_along", "heaviest")
    _signed = ("linear", "squares")
    _vectors = ("theta", "point", "cross")
    strength = 0.0

    def __init__(self, dimension: int, sketch: Sketch, curvature: float, rate: float) -> None:
        super().__init__(dimension)
        self.sketch, self.curvature, self.rate = sketch, curvature, rate
        self.paid, self.point = 0.0, np.zeros(dimension)
        # of M_t = A_t - A_{t-1}: the sum of <w_t, M_t w_t>, and that of M_t w_t; only bounds, which
        # may be infinite, use them
        self.squares, self.cross = 0.0, np.zeros(dimension)
        # what rounding has changed, at most: see `_lose`
        self.lost = self.lost_along = self.heaviest = 0.0

    def step(self, z: Array) -> None:
        if not z.any():
            return
        w, before, trace = self.point, self.sketch.times(self.point), self.sketch.trace()
        self.sketch.add(math.sqrt(self.curvature + self.rate / math.sqrt(self.rounds + 1)) * z)
        change = self.sketch.times(w) - before
        self.squares += float(w @ change)
        self.cross = self.cross + change
        way = self.sketch.solve(z)
        self.paid += 0.5 * max(float(z @ way), 0.0)  # below 0 by rounding
        self.point = w - way
        self._lose(z, w, way, trace + self.sketch.trace())

    def _lose(self, z: Array, w: Array, way: Array, weight: float) -> None:
        """Add up how much rounding may have changed the bound of Proposition 1.

        For every step v = w_t - w_{t+1}, with e = A_t v - z_t,

            2 <z_t, w_t - u> = |w_t - u|^2 - |w_{t+1} - u|^2 + <v, z_t> + <v, e> - 2 <e, w_t - u>

        in the norm of A_t. So a step other than `A_t^-1 z_t` costs at most |e| (|v| + 2 |w_t| + 2 |u|).
        The error of a product with `S' S`, or of making S, is relative to the trace, `weight`.
        The sums that do not depend on u are `lost`, the factors of 2 |u| are `lost_along`, and that of
        |u|^2 is relative to `heaviest`.
        """
        v, alpha, relative = w - self.point, self.sketch.alpha, self._relative
        long, far = _length(v), max(_length(w), _length(self.point))
        missing = _length(alpha * v + self.sketch.times(v) - z)
        missing += relative * ((alpha + weight) * long + _length(z))
        sums = abs(self.paid) + abs(self.squares) + _length(z) * _length(way)
        self.lost += missing * (long + 2.0 * far) + _length(z) * _length(v - way)
        self.lost += relative * (weight * far * far + sums)
        self.lost_along += missing + relative * (weight * far + _length(self.cross))
        self.heaviest = max(self.heaviest, alpha + weight)

    @property
    def _relative(self) -> float:
        """An upper bound on the relative error of a sum, a product or a decomposition."""
        return 4.0 * EPS * (len(self.theta) + self.sketch.size + 1.0)

    def sums(self) -> dict[str, Any]:
        return {
            "sketched": self.sketch.times,
            "cross": self.cross,
            "squares": self.squares,
            "lost": (self.lost, 2.0 * self.lost_along, self._relative * self.heaviest),
        }

    def _rest(self) -> Array:
        return self.sketch.state()

    def _take_rest(self, rest: Array) -> None:
        self.sketch.restore(rest)
