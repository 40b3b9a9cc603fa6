"""Convex optimisation by a density over the domain: Luo (2016).

Algorithm 25 and Theorem 22, with the potentials of section 2.1.4. The density is on finitely many
points, so this is the expert algorithm 3 over those points, its play being their weighted mean.
"""

import itertools
import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from regretless import _core
from regretless.base.arguments import (
    Array,
    check_entries,
    check_seed,
    instance,
    listed,
    matrix,
    number,
    numbers,
    one_of,
    outside,
    positive,
    shown,
    vector,
    whole,
    within,
)
from regretless.base.options import OrNone, option
from regretless.base.randomness import generator
from regretless.base.run import Run
from regretless.base.state import Parts, Stateful
from regretless.base.threads import of_options
from regretless.certificates import Certificate
from regretless.domains import Box, Domain, Simplex
from regretless.oco.engine import all_or_nothing
from regretless.oco.player import implied_dimension

# --- runs -----------------------------------------------------------------------------------------

_EPS = float(np.finfo(float).eps)


def words(quantile: float | None) -> str:
    """The comparators that a quantile stands for, in words."""
    return "the best of the points" if quantile is None else f"the best {quantile:g} of the points"


class DensityRun(Run):
    """The rounds of a `DensityPlayer`.

    Attributes: those of `Run`; `points` played, one row a round; `table`, the losses of the grid's
    points, a row a round; `before` and `after`, the player as it was then.
    """

    def __init__(
        self,
        losses: Array,
        points: Array,
        table: Array,
        before: "DensityPlayer",
        after: "DensityPlayer",
    ) -> None:
        self.losses, self.points, self.table, self.before, self.after = (
            losses,
            points,
            table,
            before,
            after,
        )

    def comparator(self, *, quantile: float | None = None) -> int:
        """The index of the best point of the grid in this run, leaving out a `quantile` of them."""
        rank = math.ceil(len(self.after.grid) * self.after._share(quantile) - 1e-12)
        return int(np.argsort(self.table.sum(axis=0), kind="stable")[rank - 1])

    def regret_curve(self, *, quantile: float | None = None) -> Array:
        """After each round, the regret to the point `comparator()`."""
        return np.cumsum(self.losses - self.table[:, self.comparator(quantile=quantile)])

    def bound_curve(self, *, quantile: float | None = None) -> Array:
        """After each round, the bound on the regret to `comparator()`.

        The theorem covers all rounds of the player, and the share of the points whose losses were at
        most those of `comparator()`; the run can lose what the player won against it before.
        """
        after, before, at = self.after, self.before, self.comparator(quantile=quantile)
        rounds = np.arange(before.rounds, after.rounds) + 1
        paid = before._surcharge + np.cumsum(surcharge(rounds))
        scores = before.scores + np.cumsum(self.table, axis=0)
        share = np.mean(scores <= scores[:, at, None], axis=1)
        proven = after._bound(share, rounds, paid) + before.scores[at]
        own = np.arange(1.0, self.rounds + 1.0)
        return np.asarray(np.minimum(proven, own) + 4.0 * _EPS * own * rounds)

    def certificate(self, *, quantile: float | None = None) -> Certificate:
        """The regret to the point `comparator()`, and the bound on it."""
        bound = float(self.bound_curve(quantile=quantile)[-1]) if self.rounds else 0.0
        return replace(
            self.after.certificate(),
            rounds=self.rounds,
            regret=self.regret(quantile=quantile),
            bounds={self.after.potential: bound},
            comparators=words(quantile),
            against=self.after.grid[self.comparator(quantile=quantile)].copy(),
        )

    def _columns(self) -> dict[str, Any]:
        return {f"point {i}": column for i, column in enumerate(self.points.T)}

    def __repr__(self) -> str:
        return f"<{self.rounds} rounds of {self.after!r}, loss {self.loss:.4g}>"


def surcharge(t: NDArray[Any]) -> Array:
    """`e^{4/(3t)} - 1`, whose sum is at most `(e^{4/3} - 1)(ln T + 1)` (Corollary 2)."""
    return np.asarray(np.expm1(4.0 / (3.0 * t)))


# --- the player -----------------------------------------------------------------------------------

_POTENTIALS = {
    "exponential": _core.DensityPotential.exponential,
    "two-norm": _core.DensityPotential.two_norm,
    "normal-hedge-dt": _core.DensityPotential.normal_hedge_dt,
}
_DRAWS = 1_000_000  # of Monte Carlo, at most, until enough of them lie in the domain
_EDGE = 1e-9  # losses may be this much outside [0, 1]: rounding


class DensityPlayer(Stateful, changing=("rounds", "loss", "scores")):
    """Play the mean of a density that favours points with less loss than the player.

    Each point w has a score `s(w) = sum_t f_t(w) - f_t(w_t)`, minus the regret to it, and

        p_t(w) ~ Phi_t(s(w) - 1) - Phi_t(s(w) + 1),    w_t = mean of p_t

    with the potential Phi
        "exponential":      `e^{-eta s}`, `eta = sqrt(2 ln(1/epsilon) / horizon)`: exponential weights
        "two-norm":         `min(s, 0)^2`
        "normal-hedge-dt":  `exp(min(s, 0)^2 / (3 t))`; like "two-norm" it needs no horizon

    The regret to the best point, leaving out a fraction epsilon, is at most (section 2.1.4)
        "exponential":      `(ln(1/epsilon) + T ln cosh eta) / eta`
        "two-norm":         `sqrt(T / epsilon)`
        "normal-hedge-dt":  `sqrt(3 T ln(1 + sum_{t <= T} (e^{4/(3t)} - 1) / (2 epsilon)))`
    and Theorem 22 extends it to a bound for the whole domain: `bound_on_domain`. Losses must be convex
    with values in [0, 1]. A round evaluates the loss at all points.

    >>> player = DensityPlayer(Box([0.0], [1.0]), points=100)
    >>> for _ in range(50):
    ...     suffered = player.update(lambda w: (w[0] - 0.3) ** 2)
    >>> player.point.round(2), player.certificate().holds
    (array([0.3]), True)
    """

    domain: Domain = option(instance, Domain, kw_only=False, text="the set to play in; bounded")
    dimension: OrNone[int] = option(
        whole,
        default=None,
        kw_only=False,
        text="how many coordinates a point has; not needed if the domain or `points` implies it",
    )
    potential: str = option(
        one_of, _POTENTIALS, default="normal-hedge-dt", text="the potential Phi"
    )
    points: Any = option(
        default=1_000,
        text="about how many points carry the density, or the points themselves, one a row",
    )
    method: str = option(
        one_of,
        ("grid", "monte-carlo"),
        default="grid",
        text="""how points are spread: "grid" takes the centres of equal cells, projected on the domain
        if they are outside but the cell may meet it; every point of the domain is within `resolution` of
        one, half the diagonal of a cell. "monte-carlo" draws independent and uniform points""",
    )
    horizon: int | None = option(
        whole, default=None, text="the number of rounds, which only the exponential potential needs"
    )
    epsilon: float | None = option(
        within,
        "(0, 1)",
        default=None,
        text="""the fraction for which eta is chosen; by default `horizon^-dimension` as in Luo (2016),
        Theorem 22, or one point if that is more""",
    )
    seed: int = option(check_seed, default=0, text="of Monte Carlo")

    def __post_init__(self) -> None:
        self.resolution, self._cells = math.inf, 0
        if isinstance(self.points, (int, np.integer)):
            self.points = whole(self.points, "points")
            if not self.dimension:
                self.dimension = whole(implied_dimension(self.domain), "dimension")
            self.grid = self._spread(self.points)
        else:
            given = numbers(self.points, "points")
            width = self.dimension or (given.shape[-1] if given.ndim else 1)
            self.grid = matrix(given, "points", whole(width, "dimension")).copy()
            self.method = "given"
            self.points, self.dimension = self.grid, self.grid.shape[1]
            outside = [i for i, w in enumerate(self.grid) if not self.domain.contains(w)]
            if outside or not len(self.grid):
                what = (
                    f"points[{outside[0]}] is not in {self.domain}"
                    if outside
                    else "points is empty; give at least one"
                )
                raise ValueError(what)
        self.epsilon, self.rate = self._tuned(self.epsilon)
        self.rounds, self.loss = 0, 0.0
        self.scores = np.zeros(len(self.grid))
        self._surcharge = 0.0

    def _tuned(self, epsilon: float | None) -> tuple[float, float]:
        least = 1.0 / len(self.grid)
        if self.potential != "exponential":
            return least if epsilon is None else float(epsilon), math.nan
        if self.horizon is None:
            raise ValueError("potential='exponential' needs horizon=, the number of rounds")
        if epsilon is None:
            epsilon = min(max(float(self.horizon) ** -self.dimension, least), 0.5)
        return epsilon, math.sqrt(2.0 * math.log(1.0 / epsilon) / self.horizon)

    # --- the points --------------------------------------------------------------------------------

    def _spread(self, count: int) -> Array:
        unit = np.eye(self.dimension)
        low = np.array([-self.domain.support(-e) for e in unit])
        high = np.array([self.domain.support(e) for e in unit])
        if not (np.isfinite(low).all() and np.isfinite(high).all()):
            raise ValueError(f"domain={self.domain} is not bounded; a density needs a bounded one")
        spread = self._lattice if self.method == "grid" else self._drawn
        return spread(low, high, count)

    def _lattice(self, low: Array, high: Array, count: int) -> Array:
        self._cells = max(1, round(count ** (1.0 / self.dimension)))
        middles = (np.arange(self._cells) + 0.5) / self._cells
        axes = (a + (b - a) * middles if b > a else np.array([a]) for a, b in zip(low, high))
        cells = np.array(list(itertools.product(*axes)))
        self.resolution = float(np.linalg.norm(high - low)) / (2 * self._cells)
        # Projecting shortens distances, so u is as near to the projected centre of its cell.
        near = np.array([self.domain.project(c) for c in cells])
        inside = np.linalg.norm(near - cells, axis=1) <= self.resolution * (1.0 + 1e-9)
        return np.unique(near[inside].round(14), axis=0)

    def _drawn(self, low: Array, high: Array, count: int) -> Array:
        rng = generator(self.seed, "points")
        if isinstance(self.domain, Simplex):
            return self.domain.scale * rng.dirichlet(np.ones(self.dimension), count)
        found: list[Array] = []
        for _ in range(_DRAWS):
            if self.domain.contains(w := rng.uniform(low, high), 0.0):
                found.append(w)
                if len(found) == count:
                    return np.array(found)
        raise ValueError(
            f"only {len(found)} of {_DRAWS} draws were in domain={self.domain}; use method='grid'"
        )

    # --- the rounds --------------------------------------------------------------------------------

    @property
    def weights(self) -> Array:
        """The density: a probability for each of the points `grid`."""
        kind = _POTENTIALS[self.potential]
        return _core.density_weights(kind, self.rate, self.scores, self.rounds + 1)

    @property
    def point(self) -> Array:
        """The point to play now: the mean of the density."""
        return np.asarray(self.weights @ self.grid)

    def update(self, loss: Callable[[Array], float] | Any, at_point: float | None = None) -> float:
        """Learn from a convex loss with values in [0, 1]; returns the loss suffered.

        Parameters: `loss`, a function of a point, or its values at the points `grid`. With values,
        `at_point` is the loss at `point`. Without it the player suffers the mean of the values, which is
        at least that loss, as the expert algorithm does.
        """
        values, suffered = self._valued(loss, at_point)
        self.scores = self.scores + values - suffered
        self._count(np.array([suffered]))
        return suffered

    def _count(self, suffered: Array) -> None:
        rounds = np.arange(self.rounds, self.rounds + len(suffered)) + 1
        self.rounds += len(suffered)
        self.loss += float(suffered.sum())
        self._surcharge += float(surcharge(rounds).sum())

    def _valued(
        self, loss: Callable[[Array], float] | Any, at_point: float | None
    ) -> tuple[Array, float]:
        if callable(loss):
            values = vector([loss(w.copy()) for w in self.grid], "loss(grid)", len(self.grid))
            suffered = number(loss(self.point) if at_point is None else at_point, "loss(point)")
        else:
            values = vector(loss, "loss", len(self.grid))
            mean = float(self.weights @ values)
            suffered = mean if at_point is None else number(at_point, "at_point")
            if suffered > mean + _EDGE:
                raise ValueError(f"at_point={suffered} is above the mean {mean}: not a convex loss")
        _check_range(values, "loss")
        _check_range(np.array([suffered]), "loss at the point")
        if callable(loss) and suffered > (mean := float(self.weights @ values)) + _EDGE:
            raise ValueError(f"the loss at point, {suffered}, is above the mean {mean}: not convex")
        return values, suffered

    def run(self, losses: Any) -> DensityRun:
        """Play many rounds: values with a row per round and a column per point, or functions.

        The core plays values; functions are played one after the other.
        """
        is_table = isinstance(losses, np.ndarray) and losses.ndim
        rounds = losses if is_table else listed(losses, "losses")
        with all_or_nothing(self) as before:
            if not isinstance(rounds, np.ndarray) and any(map(callable, rounds)):
                suffered, points, table = self._one_by_one(rounds)
            else:
                rounds = rounds if len(rounds) else np.empty((0, len(self.grid)))
                suffered, points, table = self._at_once(matrix(rounds, "losses", len(self.grid)))
        return DensityRun(suffered, points, table, before, self.copy())

    def _at_once(self, table: Array) -> tuple[Array, Array, Array]:
        _check_range(table, "losses")
        kind = _POTENTIALS[self.potential]
        self.scores, suffered, points = _core.density_run(
            kind, self.rate, self.rounds, self.scores, self.grid, table
        )
        self._count(suffered)
        return suffered, points.reshape(len(table), self.dimension), table

    def _one_by_one(self, rounds: list[Any]) -> tuple[Array, Array, Array]:
        suffered, points = np.empty(len(rounds)), np.empty((len(rounds), self.dimension))
        table = np.empty((len(rounds), len(self.grid)))
        for t, loss in enumerate(rounds):
            points[t], scores = self.point, self.scores
            suffered[t] = self.update(loss)
            table[t] = self.scores - scores + suffered[t]
        return suffered, points, table

    # --- guarantees --------------------------------------------------------------------------------

    def regret(self, *, quantile: float | None = None) -> float:
        """The regret to the best of the points, or to the best but a `quantile` of them.

        With a `quantile` it is to the `ceil(quantile N)`-th best of the N points.
        """
        share = self._share(quantile)
        k = math.ceil(len(self.grid) * share - 1e-12)
        return -float(np.partition(self.scores, k - 1)[k - 1])

    def bound(self, *, quantile: float | None = None) -> float:
        """The theorem's bound on `regret(quantile=)`."""
        share = self._share(quantile)
        found = self._bound(np.array(share), np.array(self.rounds), np.array(self._surcharge))
        return min(float(found), float(self.rounds))  # no round costs more than 1

    def _bound(self, share: Array, T: NDArray[Any], surcharge: Array) -> Array:
        if self.potential == "exponential":
            eta = self.rate
            log_cosh = eta + math.log1p(math.exp(-2.0 * eta)) - math.log(2.0)
            return np.asarray((np.log(1.0 / share) + T * log_cosh) / eta)
        if self.potential == "two-norm":
            return np.asarray(np.sqrt(T / share))
        return np.asarray(np.sqrt(3.0 * T * np.log1p(surcharge / (2.0 * share))))

    def bound_on_domain(self, lipschitz: float | None = None, *, confidence: float = 0.95) -> float:
        """A bound on the regret to every point of the domain, not only those of the grid.

        Theorem 22: points `(1 - delta) u + delta v`, v in the domain, lose at most delta a round
        more than u, and they are a fraction `delta^d`: the regret is at most `bound(delta^d) + T delta`,
        here for the best delta. Of a grid in a box, at least `k^d` of the `n^d` points are among them
        for `delta = k / n`. Of N uniform points, at least
        `N delta^d - sqrt(2 N delta^d ln(1 / (1 - confidence)))` are, with probability `confidence`, for
        a u that is fixed beforehand.

        With `lipschitz`, a bound on how steep the losses are in the Euclidean norm, a grid in any
        domain has `bound() + T lipschitz resolution`. For points of your own no such bound is known.
        """
        found = []
        if lipschitz is not None and math.isfinite(self.resolution):
            steep = positive(lipschitz, "lipschitz")
            found.append(self.bound() + self.rounds * steep * self.resolution)
        d, N = self.dimension, len(self.grid)
        if self.method == "grid" and isinstance(self.domain, Box):
            n = self._cells
            found += [
                self.bound(quantile=(k / n) ** d) + self.rounds * k / n for k in range(1, n + 1)
            ]
        if self.method == "monte-carlo":
            within(confidence, "confidence", "(0, 1)")
            # of a simplex, the volume is one of d - 1 dimensions
            d -= isinstance(self.domain, Simplex)
            for delta in np.arange(1, 201) / 200.0:
                expected = N * delta**d
                sure = expected - math.sqrt(-2.0 * expected * math.log(1.0 - confidence))
                if sure > 0:
                    found.append(self.bound(quantile=sure / N) + self.rounds * float(delta))
        if self.method == "given":
            raise ValueError("points= were given, and their density is not known; use bound()")
        if not found:
            raise ValueError(
                "lipschitz= is needed: how fast the losses can change between the points"
            )
        return min(found)

    def certificate(self, *, quantile: float | None = None) -> Certificate:
        """The bound on `regret(quantile=)`; every round checks that losses are in [0, 1]."""
        theorem = {
            "exponential": "section 2.1.4, exponential weights",
            "two-norm": "Corollary 1",
            "normal-hedge-dt": "Corollary 2",
        }[self.potential]
        return Certificate(
            self.rounds,
            self.regret(quantile=quantile),
            {self.potential: self.bound(quantile=quantile)},
            f"Luo (2016), Theorem 22 on the points, with {theorem}",
            {"losses are in [0, 1]": True, "no loss is above its mean": True},
            words(quantile),
            quantile,
            _EPS * self.rounds * 4.0 * self.rounds,  # of sums of numbers in [0, 1]
        )

    def _share(self, quantile: float | None) -> float:
        least = 1.0 / len(self.grid)
        if quantile is None:
            return least
        return max(within(quantile, "quantile", "(0, 1]"), least)

    # --- state -------------------------------------------------------------------------------------

    @of_options
    def _options(self) -> dict[str, Any]:
        usual = self.epsilon == self._tuned(None)[0]
        method = "grid" if self.method == "given" else self.method
        return super()._options() | {"method": method, "epsilon": None if usual else self.epsilon}

    def _described(self) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
        description, arrays = super()._described()
        # the file holds the points themselves, not their number
        description["options"]["points"], arrays["grid"] = {"array": "grid"}, self.grid
        return description, arrays

    def _learned(self) -> dict[str, Any]:
        names = ("method", "resolution", "_cells", "rounds", "loss", "_surcharge", "scores")
        count = None if self.method == "given" else self.points
        return {name: getattr(self, name) for name in names} | {"points": count}

    def _restore(self, parts: Parts) -> None:
        n = len(self.grid)
        self.method = one_of(parts.take("method"), "method", ("grid", "monte-carlo", "given"))
        count = parts.take("points")
        if (count is None) != (self.method == "given"):
            raise ValueError(
                f"points={shown(count)} and method={self.method!r} do not fit together"
            )
        if count is not None:
            self.points = whole(count, "points")
        self.resolution = number(parts.take("resolution"), "resolution")
        if not self.resolution >= 0:
            raise ValueError(f"resolution={self.resolution} is negative")
        self._cells, self.rounds = parts.whole("_cells"), parts.whole("rounds")
        most = (1.0 + _EDGE) * self.rounds
        self.loss = parts.number("loss", -_EDGE * self.rounds, most)
        paid = math.expm1(4.0 / 3.0) * (math.log(max(self.rounds, 1)) + 1.0)
        self._surcharge = parts.number("_surcharge", 0.0, paid if self.rounds else 0.0)
        self.scores = parts.array("scores", (n,), -most, most)


def _check_range(values: Array, name: str) -> None:
    right = ~outside(values, -_EDGE, 1.0 + _EDGE)
    check_entries(values, right, name, "is outside [0, 1]; scale the loss to it")
