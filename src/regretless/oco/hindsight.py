"""The best fixed point in hindsight, to a proven gap, of any convex losses over any domain."""

import math
from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np

from regretless.base.arguments import Array
from regretless.base.solvers import Polyhedron, bisected, hessian, shortened
from regretless.domains import Ball, Domain, Everything, Intersection, Sublevel
from regretless.domains.projections import Walls
from regretless.geometry import Geometry, Quadratic, UnnormalizedEntropy
from regretless.losses import Loss
from regretless.losses.loss import PiecewiseLinear
from regretless.oco.convex_losses import Total
from regretless.oco.solver import minimise

_GAP = 1e-9
_STEPS = 60  # of Newton's method
_TRIALS = 3
_SHORT = 0.995  # of the way to the nearest wall


class Hindsight(NamedTuple):
    """A `point` whose total loss is `value`, at most `gap` above the least of the domain."""

    point: Array
    value: float
    gap: float


def best_point(
    domain: Domain, X: Array, y: Array | None = None, loss: Loss | None = None
) -> Hindsight:
    """The point of a domain with the least total loss: `<u, x_t>`, or `loss(<u, x_t>, y_t)`.

    >>> from regretless.domains import Simplex
    >>> best_point(Simplex(), np.array([[1.0, 0.0], [1.0, 3.0]])).point
    array([1., 0.])
    """
    total = Total(X.shape[1])
    if loss is None or y is None:
        total.linear = X.sum(axis=0)
    elif len(X):
        total.scores = {loss: (X, y)}
    return best_of(total, domain)


def best_of(total: Total, domain: Domain, tolerance: float = _GAP) -> Hindsight:
    """The point of a domain with the least sum of losses.

    Tangents of the losses at any scores make a plane `height + <slope, u>` below their sum, so

        least  >=  height - sup_{u in domain} <u, -slope>,

    so every step has a bound on its distance from the best. The steps are Newton's, each a projection in
    the norm of the Hessian. If losses have kinks, or this projection is unknown, an interior-point
    method takes the steps. The search ends when the gap is small, relative to the value or to a
    thousandth of the first one, or when it stops falling; `gap` is the last one.

    Parameters: `total`, the sum; `domain`; `tolerance`, the gap to stop at.
    """
    d = len(total.linear)
    start = domain.inner(d)
    if total.is_linear:
        if math.isinf(domain.support(-total.linear)):
            raise ValueError(
                f"linear losses have no best point in {domain!r}: give norm=, or a bounded domain"
            )
        u = domain.maximiser(-total.linear) if total.linear.any() else start
        return Hindsight(u, float(u @ total.linear), 0.0)
    if total.others:  # functions of the user
        point, gap = minimise(total, domain, start, _GAP)
        return Hindsight(point, total.value(point), gap)
    best, least = Hindsight(start, math.inf, math.inf), -math.inf
    endless = not domain.bounded(d)
    with np.errstate(all="ignore"):
        enough = 1e-3 * abs(total.value(start))
        for found in _search(_Terms(total), domain, start):
            # in an unbounded domain, a gap is among points that are not much farther than this one
            least = found.value - found.gap if endless else max(least, found.value - found.gap)
            best = min(best, found, key=lambda each: each.value)
            if best.value - least <= tolerance * max(abs(best.value), enough):
                break
    return best._replace(gap=max(0.0, best.value - least))


def _search(terms: "_Terms", domain: Domain, u: Array) -> Iterator[Hindsight]:
    if not terms.kinked and not isinstance(domain, Sublevel):
        # near kinks, wide differences lead down first, and narrow ones are needed in the end
        for terms.width in (1e-6, 0.5, 1e-6):
            for found in _projected(terms, domain, u):
                yield found
                u = found.point
    walls = _Walls.of(domain, len(u))
    inside = walls.start(domain, u)
    if inside is not None:
        for _ in range(_TRIALS):
            for found in _between(terms, walls, domain, inside):
                yield found
            # from halfway, where steps that were too near to a wall have room again
            inside = walls.start(domain, (walls.point(inside) + found.point) / 2.0)
            if inside is None:
                return
    elif isinstance(domain, Sublevel):  # too thin to have an inside
        slope = terms.total.gradient(u)
        yield Hindsight(u, terms.value(u), float(slope @ u) + _ahead(domain, slope, u))
    elif terms.kinked:
        point, gap = minimise(terms.total, domain, u, _GAP)
        yield Hindsight(point, terms.value(point), gap)


def _ahead(domain: Domain, slope: Array, u: Array) -> float:
    """The largest `-<v, slope>` in the domain, or near `u` in an unbounded one."""
    found = domain.support(-slope)
    if not math.isinf(found):
        return found
    return float(np.linalg.norm(slope)) * (1.0 + 2.0 * float(np.linalg.norm(u)))


# --- the losses --------------------------------------------------------------------------------------


class _Terms:
    """A sum of losses of scores, squared distances and linear ones."""

    width = 1e-6  # of differences for second derivatives, relative to the scores

    def __init__(self, total: Total) -> None:
        self.total, d = total, len(total.linear)
        self.smooth = [
            (loss, X, y)
            for loss, (X, y) in total.scores.items()
            if not isinstance(loss, PiecewiseLinear)
        ]
        kinked = [
            (loss, X, y)
            for loss, (X, y) in total.scores.items()
            if isinstance(loss, PiecewiseLinear)
        ]
        self.kinked = bool(kinked)
        # losses of straight sides: the rows, and slopes and heights of the sides
        self.X = np.vstack([np.empty((0, d)), *(X for _, X, _ in kinked)])
        sides = [_sides(y, loss) for loss, _, y in kinked]
        self.slopes, self.heights = np.concatenate([np.empty((2, 3, 0)), *sides], axis=2)
        (falling, rising, _), (left, right, _) = self.slopes, self.heights
        if (rising * left >= falling * right).all():  # where the outer ones meet, 0 is not above
            self.slopes, self.heights = self.slopes[:2], self.heights[:2]

    def value(self, u: Array) -> float:
        """The sum at a point."""
        return self.total.value(u)

    def bend(self, u: Array) -> tuple[Array, Array, float]:
        """Gradient and Hessian of the smooth losses, and the height of their tangent plane."""
        total = self.total
        gradient = total.linear - total.centers + total.distances * u
        matrix = total.distances * np.eye(len(u))
        height = 0.5 * (total.squares - total.distances * float(u @ u))
        for loss, X, y in self.smooth:
            s = X @ u
            h = self.width * (1.0 + np.abs(s))
            slopes = loss.derivative(s, y)
            bends = (loss.derivative(s + h, y) - loss.derivative(s - h, y)) / (2.0 * h)
            gradient = gradient + slopes @ X
            matrix = matrix + (X * np.maximum(bends, 0.0)[:, None]).T @ X
            height += float(np.sum(loss.value(s, y) - slopes * s))
        return gradient, matrix, height


def _sides(y: Array, loss: Loss) -> Array:
    """A piecewise linear loss as the maximum of its two outer sides and 0: slopes and heights."""
    far = 2.0 + 2.0 * float(np.abs(y).max()) + 2.0 * loss.value(0.0, 1.0)  # beyond every kink
    ends = np.full(len(y), -far), np.full(len(y), far)
    slopes = [np.asarray(loss.derivative(s, y)) for s in ends]
    heights = [np.asarray(loss.value(s, y)) - g * s for s, g in zip(ends, slopes)]
    nothing = np.zeros(len(y))
    return np.array([[*slopes, nothing], [*heights, nothing]])


# --- Newton's method with projections ------------------------------------------------------------------


def _projected(terms: _Terms, domain: Domain, u: Array) -> Iterator[Hindsight]:
    """Projected Newton steps, shortened until the value falls."""
    d, value = len(u), terms.value(u)
    for _ in range(_STEPS):
        gradient, matrix, height = terms.bend(u)
        yield Hindsight(u, value, value - height + _ahead(domain, gradient, u))
        matrix = matrix + (1e-12 * np.trace(matrix) / d + 1e-300) * np.eye(d)
        to = _nearest(domain, matrix, gradient, u)
        if to is None:
            return
        way = to - u
        falls = float(gradient @ way)

        def lower(
            length: float, u: Array = u, way: Array = way, most: float = value, falls: float = falls
        ) -> float | None:
            there = terms.value(u + length * way)
            return there if there <= most + 1e-4 * length * falls else None

        found = shortened(lower, 1e-10)
        if found is None:
            return
        length, there = found
        u, last, value = u + length * way, value, there
        if last - value <= 1e-16 * abs(last):
            return


def _nearest(domain: Domain, matrix: Array, gradient: Array, u: Array) -> Array | None:
    """The minimiser in the domain of the quadratic model at `u`; None if it is not found."""
    if isinstance(domain, Everything):
        return np.asarray(u - np.linalg.lstsq(matrix, gradient, rcond=None)[0])
    steep = float(np.abs(gradient).max()) / (1.0 + float(np.abs(u).max()))
    scale = max(float(np.abs(matrix).max()), 1e-9 * steep)  # 1e9 steps do not leave flat parts
    for lift in (0.0, 1e-9, 1e-6, 1e-3):
        try:
            curved = matrix / scale + lift * np.eye(len(u))
            found = domain.link(curved @ u - gradient / scale, Quadratic((curved + curved.T) / 2.0))
        except (ArithmeticError, ValueError):  # too flat; np.linalg.LinAlgError is a ValueError
            continue
        if np.isfinite(found).all() and domain.contains(found, 1e-7):
            return found
    return None


# --- Newton's method between walls ---------------------------------------------------------------------


class _Curved(NamedTuple):
    """A convex function that is at most 0 in the domain: value, gradient and Hessian."""

    value: Callable[[Array], float]
    gradient: Callable[[Array], Array]
    hessian: Callable[[Array], Array]


def _of_ball(ball: Ball, d: int) -> _Curved:
    """`sum (|u - center| / radius)^p - 1`"""
    middle, r, p = ball.middle(d), ball.radius, ball.p

    def away(u: Array) -> Array:
        return np.asarray((u - middle) / r)

    return _Curved(
        lambda u: float(np.sum(np.abs(away(u)) ** p)) - 1.0,
        lambda u: p / r * np.sign(away(u)) * np.abs(away(u)) ** (p - 1.0),
        lambda u: np.diag(p * (p - 1.0) / r**2 * np.maximum(np.abs(away(u)), 1e-9) ** (p - 2.0)),
    )


def _of_height(domain: Sublevel) -> _Curved:
    """`(psi(u) - psi(start)) / height - 1`"""
    psi, height, first = domain.geometry, domain.height, domain.geometry.value(domain.start)
    return _Curved(
        lambda u: (psi.value(u) - first) / height - 1.0,
        lambda u: psi.gradient(u) / height,
        lambda u: _curvature(psi, u) / height,
    )


def _curvature(psi: Geometry, u: Array) -> Array:
    if psi.quadratic is not None:
        return np.asarray(psi.quadratic * (np.eye(len(u)) if psi.quadratic.ndim < 2 else 1.0))
    if isinstance(psi, UnnormalizedEntropy):
        return np.diag(1.0 / u)
    return hessian(psi.gradient, u)


class _Walls(NamedTuple):
    """A domain as flat and curved walls: the unknowns are those of the flat ones."""

    flat: Walls
    curved: list[_Curved]

    @classmethod
    def of(cls, domain: Domain, d: int) -> "_Walls":
        linear, curved, spikes = Polyhedron.of(d), [], []
        for member in _members(domain):
            if isinstance(member, Sublevel):
                curved.append(_of_height(member))
            elif (faces := member.polyhedron(d)) is not None:
                linear &= faces
            elif isinstance(member, Ball) and member.p == 1.0:
                spikes.append(member)
            elif isinstance(member, Ball):
                curved.append(_of_ball(member, d))
            else:  # a user's domain, whose walls are unknown
                curved.append(_Curved(lambda _: math.nan, lambda u: u, lambda u: np.eye(len(u))))
        fixed = linear.low == linear.high
        linear = linear._replace(
            low=np.where(fixed, -math.inf, linear.low),
            high=np.where(fixed, math.inf, linear.high),
            equal=np.vstack([linear.equal, np.eye(d)[fixed]]),
            to=np.append(linear.to, linear.low[fixed]),
        )
        return cls(Walls.of(linear, spikes, np.zeros(d)), curved)

    @property
    def basis(self) -> Array:
        return self.flat.basis

    def point(self, v: Array) -> Array:
        return self.flat.point(v)

    def start(self, domain: Domain, u: Array) -> Array | None:
        """The unknowns of an interior point; None if the search fails."""
        for candidate in _candidates(domain, u):
            v = [self.basis.T @ (candidate - self.flat.origin)]
            for ball in self.flat.spikes:
                away = np.abs(candidate - ball.middle(len(u)))
                v.append(away + (ball.radius - away.sum()) / (2.0 * len(u)))
            found = np.concatenate(v)
            if (self.room(found) > 0).all():
                return found
        return None

    def room(self, v: Array) -> Array:
        """The distance to each wall; negative beyond it."""
        u = self.point(v)
        room = self.flat.limits - self.flat.rows @ v
        return np.append(room, [-wall.value(u) for wall in self.curved])

    def slopes(self, v: Array) -> Array:
        """Minus the gradients of `room`, one a row."""
        u, n = self.point(v), len(v) - self.basis.shape[1]
        curved = [np.append(self.basis.T @ wall.gradient(u), np.zeros(n)) for wall in self.curved]
        return np.vstack([self.flat.rows, *curved])

    def bend(self, v: Array, prices: Array) -> Array:
        """The Hessian of the curved walls, each times its price."""
        u = self.point(v)
        found = np.zeros((len(u), len(u)))
        for wall, price in zip(self.curved, prices[len(self.flat.limits) :]):
            found += price * wall.hessian(u)
        return np.asarray(self.basis.T @ found @ self.basis)


def _members(domain: Domain) -> Iterator[Domain]:
    """The domains whose intersection a domain is."""
    if isinstance(domain, Intersection):
        for each in domain.domains:
            yield from _members(each)
    elif isinstance(domain, Sublevel):
        yield domain
        yield from _members(domain.domain)
        yield from _members(domain.geometry.domain)
    else:
        yield domain


def _candidates(domain: Domain, u: Array) -> Iterator[Array]:
    """Points that may be in the interior."""
    yield u
    if isinstance(domain, Intersection):
        yield np.mean([member.inner(len(u)) for member in domain.domains], axis=0)
    unit = np.eye(len(u))
    ends = [domain.maximiser(e) for e in (*unit, *-unit) if domain.support(e) < math.inf]
    if ends:
        yield np.mean(ends, axis=0)
        yield (np.mean(ends, axis=0) + u) / 2.0


def _between(terms: _Terms, walls: _Walls, domain: Domain, v: Array) -> Iterator[Hindsight]:
    """An interior-point method: Mehrotra's predictor and corrector, for sides of losses and for walls.

    Each side k of an example has a distance `a_k = w - height_k - slope_k <u, x>` and a price `p_k`; the
    prices of an example add up to 1. Walls have distances `b` and prices `q`. At the best point the
    products `a p` and `b q` are 0, and the forces add up to 0; steps lead there along points at
    which all products are alike. The prices mix the sides to a plane below the losses.
    """
    state = _State(terms, walls, v)
    first = abs(terms.value(walls.point(v)))
    for _ in range(_STEPS):
        value = abs(terms.value(walls.point(state.v)))
        if state.products() <= 10.0 * _GAP * max(value, 1e-3 * first):
            yield state.judged(domain)  # checking costs more than a step
        if not state.step():
            break
    yield state.judged(domain)


class _State:
    """Unknowns, distances and prices, and Newton's equations for them."""

    def __init__(self, terms: _Terms, walls: _Walls, v: Array) -> None:
        self.terms, self.walls, self.v, self.first = terms, walls, v, v
        self.k = walls.basis.shape[1]
        self.straight = not terms.smooth and not walls.curved
        self.X = terms.X @ walls.basis
        sides = self.sides()
        reach = 0.1 + np.abs(sides).mean() if sides.size else 1.0
        self.w = sides.max(axis=0) + reach
        self.a, self.p = self.w - sides, np.full(sides.shape, 1.0 / len(sides))
        self.b = walls.room(v)
        # forces of the walls that are of the size of the losses'
        mean = (
            float((self.a * self.p).mean()) if self.p.size else self._force() / max(1, len(self.b))
        )
        self.q = mean / self.b

    def _force(self) -> float:
        gradient = self.walls.basis.T @ self.terms.bend(self.walls.point(self.v))[0]
        return (
            float(np.abs(gradient @ self.v[: self.k]))
            + 0.1 * float(np.abs(gradient).sum())
            + 1e-300
        )

    def sides(self) -> Array:
        terms = self.terms
        return np.asarray(terms.heights + terms.slopes * (terms.X @ self.walls.point(self.v)))

    def products(self) -> float:
        """The sum of the products of distances and prices, which is about the gap."""
        return float((self.a * self.p).sum() + (self.b * self.q).sum())

    def inside(self) -> Array:
        """The point, or the last one inside on the way to it if it is beyond a wall."""

        def beyond(length: float) -> bool:
            v = self.first + length * (self.v - self.first)
            return not (self.walls.room(v) >= 0).all()

        length = bisected(beyond, 0.0, 1.0, _STEPS)[0] if beyond(1.0) else 1.0
        v = self.first + length * (self.v - self.first) if length < 1.0 else self.v
        return self.walls.point(v)

    def judged(self, domain: Domain) -> Hindsight:
        """The current point, and a bound on its distance in value from the best."""
        terms, u = self.terms, self.inside()
        slope, _, height = terms.bend(u)
        weights = self.p / self.p.sum(axis=0)
        slope = slope + (weights * terms.slopes).sum(axis=0) @ terms.X
        height += float(np.sum(weights * terms.heights))
        value = terms.value(u)
        return Hindsight(u, value, value - height + _ahead(domain, slope, u))

    def step(self) -> bool:
        """Take a step; False if that is no longer possible."""
        terms, walls, k = self.terms, self.walls, self.k
        slope, matrix, _ = terms.bend(walls.point(self.v))
        rows = walls.slopes(self.v)
        # errors of the equations of distances, sums of prices, forces
        apart = self.w - self.sides() - self.a
        beyond = walls.room(self.v) - self.b
        missing = 1.0 - self.p.sum(axis=0)
        force = self._forces(slope, rows)
        # the system, after distances, prices and w are eliminated
        ratio, ease = self.p / self.a, self.q / self.b
        total = ratio.sum(axis=0)
        along = (ratio * terms.slopes).sum(axis=0)
        bends = (ratio * terms.slopes**2).sum(axis=0) - along**2 / total
        system = (rows * ease[:, None]).T @ rows
        system[:k, :k] += walls.basis.T @ matrix @ walls.basis + walls.bend(self.v, self.q)
        system[:k, :k] += (self.X * np.maximum(bends, 0.0)[:, None]).T @ self.X
        solve = _solver(system)

        def newton(sides: Array, others: Array) -> tuple[Array, ...]:
            """The step that changes the products by this much."""
            pull = sides / self.a - ratio * apart
            lift = (pull.sum(axis=0) - missing) / total
            push = (terms.slopes * (pull - ratio * lift)).sum(axis=0)
            right = -force - rows.T @ (others / self.b - ease * beyond)
            right[:k] -= push @ self.X
            way = solve(right)
            scores = self.X @ way[:k]
            rise = lift + along * scores / total
            distances = rise - terms.slopes * scores + apart
            room = beyond - rows @ way
            return (
                way,
                rise,
                distances,
                (sides - self.p * distances) / self.a,
                room,
                (others - self.q * room) / self.b,
            )

        products, others = self.a * self.p, self.b * self.q
        count = products.size + others.size
        if not count:
            self.v = self.v + newton(-products, -others)[0]
            return True
        mean = (products.sum() + others.sum()) / count
        ahead = newton(-products, -others)
        length = self._longest(ahead)
        left = np.sum((self.a + length * ahead[2]) * (self.p + length * ahead[3]))
        left += np.sum((self.b + length * ahead[4]) * (self.q + length * ahead[5]))
        target = mean * min(1.0, max(left / count / mean, 0.0)) ** 3
        found = newton(
            target - products - ahead[2] * ahead[3], target - others - ahead[4] * ahead[5]
        )
        length = min(1.0, _SHORT * self._longest(found))
        if not all(np.isfinite(each).all() for each in found):
            return False
        before = (self.v, self.w, self.a, self.p, self.b, self.q)
        worst = self._merit(solve) if not self.straight else math.inf

        def better(length: float) -> bool | None:
            now = (each + length * change for each, change in zip(before, found))
            self.v, self.w, self.a, self.p, self.b, self.q = now
            return self.straight or self._merit(solve) <= 10.0 * worst or None

        if shortened(better, 1e-10, length) is not None:
            return True
        self.v, self.w, self.a, self.p, self.b, self.q = before
        return False

    def _forces(self, slope: Array, rows: Array) -> Array:
        """The gradient of the Lagrangian; 0 at the best point."""
        force = rows.T @ self.q
        force[: self.k] += self.walls.basis.T @ slope
        force[: self.k] += (self.p * self.terms.slopes).sum(axis=0) @ self.X
        return np.asarray(force)

    def _merit(self, solve: Callable[[Array], Array]) -> float:
        """How far all equations are from being met, in units of the loss; infinite if not a number."""
        slope = self.terms.bend(self.walls.point(self.v))[0]
        force = self._forces(slope, self.walls.slopes(self.v))
        found = float(force @ solve(force)) + self.products()
        found += float(self.q @ np.abs(self.walls.room(self.v) - self.b))
        found += float(np.sum(self.p * np.abs(self.w - self.sides() - self.a)))
        return found if math.isfinite(found) else math.inf

    def _longest(self, step: tuple[Array, ...]) -> float:
        """The longest step, up to 1, that keeps distances and prices positive."""
        longest = 1.0
        for now, change in zip((self.a, self.p, self.b, self.q), step[2:]):
            falls = change < 0
            if falls.any():
                longest = min(longest, float((now[falls] / -change[falls]).min()))
        return longest


def _solver(matrix: Array) -> Callable[[Array], Array]:
    """Solves a system that may be nearly singular, scaled to a unit diagonal."""
    from scipy.linalg import lu_factor, lu_solve

    scale = 1.0 / np.sqrt(np.maximum(np.diag(matrix), 1e-300))
    even = matrix * np.outer(scale, scale) + 1e-15 * np.eye(len(matrix))
    factors = lu_factor(even, check_finite=False)
    return lambda right: np.asarray(scale * lu_solve(factors, scale * right, check_finite=False))
