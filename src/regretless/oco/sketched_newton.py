"""Sketched online Newton steps for any convex losses (Luo (2016), section 4.4)."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from regretless.arguments import check_entries, check_seed, one_of, positive, vector, whole
from regretless.domains import Domain, Everything
from regretless.oco.engine import Engine, EngineInPython, EnginePlayer, take_numbers
from regretless.oco.newton import largest_quadratic, pace
from regretless.oco.player import Theorem
from regretless.oco.run import ConvexRun
from regretless.oco.sketches import FrequentDirections, FullMatrix, Oja, RandomProjection, Sketch
from regretless.run import Array

__all__ = ["SketchedOnlineNewton"]

_NAME = "Luo (2016), Proposition 1"
_FAR = 1e150  # of points and sums: squares are still numbers

_SKETCHES: dict[str, Callable[..., Sketch]] = {
    "oja": Oja,
    "fd": FrequentDirections,
    "rp": RandomProjection,
    "full": FullMatrix,
}


class SketchedOnlineNewton(EnginePlayer):
    """`w <- w - A^{-1} g`, `A = alpha I + S' S`, `S' S` near `sum (curvature + rate / sqrt(t)) g g'`.

    The Newton steps of `OnlineNewtonStep` in O(m^2 d) in place of O(d^2), S having m rows. For every
    sketch and every u the linearised regret is at most half of

        alpha ||u||^2 + sum <g_t, A_t^{-1} g_t> + sum <w_t - u, (A_t - A_{t-1}) (w_t - u)>

    of which the sums are measured (Luo (2016), Proposition 1; it is an equality but for the
    distance from u at the end). Of losses with
    `f(u) >= f(w) + <g, u - w> + (curvature / 2) <g, u - w>^2` the last sum is not paid if the
    sketch is "full" or "fd" and `rate=0`. There is no slab, for losses here need not be of one
    score: `regretless.newton` has learners with it, for sparse examples.

    Parameters
    ----------
    dimension : how many coordinates.
    sketch : "oja" (the best in practice), "fd" (frequent directions), "rp" (random projection), or
        "full", the matrix itself, which makes it `OnlineNewtonStep`.
    size : m >= 0, the rows of the sketch; 0 is gradient descent with steps of `1 / alpha`.
    alpha : > 0, how firmly it holds on to where it starts.
    curvature : >= 0, of the losses, as above; 0 for any convex loss, with `rate > 0`.
    rate : >= 0; for losses of a score, `sqrt(m) / (C L)` is of the right order.
    seed : of the random projections.

    >>> player = SketchedOnlineNewton(3, size=2, curvature=1.0)
    >>> _ = player.update([1.0, 0.0, 0.0])
    >>> player.point
    array([-0.5,  0. ,  0. ])
    >>> player.certificate([-1.0, 1.0, 0.0]).holds
    True
    """

    _options = ("dimension", "sketch", "size", "alpha", "curvature", "rate", "seed")

    def __init__(
        self,
        dimension: int,
        *,
        sketch: str = "oja",
        size: int = 10,
        alpha: float = 1.0,
        curvature: float = 0.125,
        rate: float = 0.0,
        seed: int = 0,
    ) -> None:
        self.dimension, self.domain = whole(dimension, "dimension"), Everything()
        one_of(sketch, "sketch", _SKETCHES)
        self.sketch, self.size = sketch, whole(size, "size", 0)
        self.alpha = positive(alpha, "alpha")
        self.curvature, self.rate = pace(curvature, rate)
        self.seed = check_seed(seed)
        self._engine = self._start()

    @classmethod
    def _check_size(cls, options: dict[str, Any], size: int) -> None:
        super()._check_size(options, size)
        rows = {"full": options["dimension"], "rp": options["size"]}.get(options["sketch"], 1)
        if whole(rows, "size", 0) * options["dimension"] > size:
            raise ValueError(f"size={rows} is more than the state has numbers of")

    def _start(self) -> Engine:
        options = {"seed": self.seed} if self.sketch == "rp" else {}
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
        """Half the squared distance that the run begins with, in the norm of the matrix then."""
        before: Any = run.before
        way = u - before.point
        return 0.5 * float(way @ (self.alpha * way + before._engine.sums()["sketched"](way)))

    @property
    def _certain(self) -> bool:
        """Whether what the sketch adds is at most what curved losses pay for."""
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
    """The rounds, and the sums of Proposition 1."""

    strength = 0.0
    _NUMBERS = ("rounds", "linear", "gross", "peaks", "paid", "squares")

    def __init__(self, dimension: int, sketch: Sketch, curvature: float, rate: float) -> None:
        self.sketch, self.curvature, self.rate = sketch, curvature, rate
        self.paid = 0.0
        # of M_t = A_t - A_{t-1}: the sum of <w_t, M_t w_t>, and that of M_t w_t
        self.squares, self.cross = 0.0, np.zeros(dimension)
        self.theta, self.point = np.zeros(dimension), np.zeros(dimension)

    def update(self, gradient: Any) -> float:
        """A round; returns the linear loss."""
        g, w = vector(gradient, "gradient", len(self.point)), self.point
        suffered = float(w @ g)
        self.count(suffered, g)
        if g.any():
            before = self.sketch.times(w)
            self.sketch.add(math.sqrt(self.curvature + self.rate / math.sqrt(self.rounds)) * g)
            change = self.sketch.times(w) - before
            self.squares += float(w @ change)
            self.cross = self.cross + change
            step = self.sketch.solve(g)
            self.paid += 0.5 * float(g @ step)
            self.point = w - step
        self.theta = self.theta - g
        return suffered

    def sums(self) -> dict[str, Any]:
        """What bounds are made of."""
        return {"sketched": self.sketch.times, "cross": self.cross, "squares": self.squares}

    def state(self) -> Array:
        """All that changes."""
        numbers = [float(getattr(self, name)) for name in self._NUMBERS]
        vectors = (self.theta, self.point, self.cross)
        return np.concatenate([numbers, *vectors, self.sketch.state()])

    def restore(self, state: Array) -> None:
        """What `state` gave."""
        n, d = len(self._NUMBERS), len(self.point)
        if len(state) < n + 3 * d:
            raise ValueError("the state is of another player")
        vectors = state[n : n + 3 * d].reshape(3, d)
        # of the cross terms only bounds are made, which may be infinite
        sound = np.abs(vectors) <= [[_FAR], [_FAR], [math.inf]]
        check_entries(vectors, sound, "state", f"is beyond {_FAR:g}")
        numbers = dict(zip(self._NUMBERS, state[:n].tolist()))
        take_numbers(self, numbers, vectors[0], signed=("squares",))
        self.theta, self.point, self.cross = vectors.copy()
        self.sketch.restore(state[n + 3 * d :])
