"""Updates that raise the dual objective when a new example arrives.

Shalev-Shwartz and Singer (2007), sections 4 and 5.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from regretless.base.arguments import Array
from regretless.base.model import Row, moved
from regretless.base.randomness import generator
from regretless.base.state import Parts
from regretless.linear.dual_vector import DualVector

_SOLVED = 1e-10  # a block is solved when the duality gap is this part of the objective's two terms
_PATIENCE = 20  # sweeps over a block before its matrix is computed
_SWEEPS = 1000
_ALONE = ("conservative", "aggressive", "exact")
UPDATES = (*_ALONE, "block", "sequential", "leader")
ORDERS = ("recent", "random", "cyclic", "largest_violation")


@dataclass
class Past:
    """The latest examples, at most `window`, with the dual variables that an update may change.

    By example and lane: `y`; `alpha`, in `[0, cap]`. `serial` counts examples; a new one replaces the
    oldest if there is no room. `cursor` is the place at which a cyclic round starts.
    """

    window: int | None
    rows: list[Row] = field(default_factory=list)
    y: Array = field(default_factory=lambda: np.zeros((0, 1)))
    alpha: Array = field(default_factory=lambda: np.zeros((0, 1)))
    cap: Array = field(default_factory=lambda: np.zeros((0, 1)))
    serial: int = 0
    pace: int = 0  # places by which the cursor advances with every example
    cursor: int = 0
    before: dict[tuple[int, int], float] = field(default_factory=dict)  # alpha at the latest mark

    def add(self, x: Row, y: Array, cap: float) -> int:
        """Add an example and return its place."""
        count, room, at = len(self.rows), len(self.y), self._next()
        if at == room:
            more = np.zeros((max(8, room // 2), self.y.shape[1]))
            self.y, self.alpha, self.cap = (
                np.concatenate([each, more]) for each in (self.y, self.alpha, self.cap)
            )
        self.cursor = (self.cursor + self.pace) % max(1, count)
        self.rows[at : at + 1] = [x]
        self.y[at], self.alpha[at], self.cap[at] = y, 0.0, cap
        self.serial += 1
        return at

    def _next(self) -> int:
        """The place of the next example."""
        return len(self.rows) if self.window is None else self.serial % self.window

    def put(self, at: int, lane: int, alpha: float) -> None:
        """Change the variable of an example."""
        self.before.setdefault((at, lane), float(self.alpha[at, lane]))
        self.alpha[at, lane] = alpha

    def mark(self) -> Any:
        """The current state, for `rewind`; at most one example may be added until then."""
        self.before, at, replaced = {}, self._next(), None
        if at < len(self.rows):
            tables = (each[at].copy() for each in (self.y, self.alpha, self.cap))
            replaced = self.rows[at], *tables
        return len(self.rows), self.serial, self.cursor, at, replaced

    def rewind(self, mark: Any) -> None:
        """Go back to the latest mark."""
        count, self.serial, self.cursor, at, replaced = mark
        for place, alpha in self.before.items():
            self.alpha[place] = alpha
        del self.rows[count:]
        if replaced is not None:
            self.rows[at], self.y[at], self.alpha[at], self.cap[at] = replaced

    def recent(self) -> Iterator[int]:
        """The places of all examples, the latest first."""
        count = len(self.rows)
        return ((self.serial - 1 - age) % count for age in range(count))

    def relabel(self, sources: Sequence[int], signs: Array) -> None:
        """Make new lanes from old ones; a fresh lane leaves the past alone."""
        self.y = moved(self.y, sources, signs)
        self.alpha, self.cap = moved(self.alpha, sources), moved(self.cap, sources)

    def arrays(self) -> dict[str, NDArray[Any]]:
        """The state as arrays, for a file."""
        count = len(self.rows)
        empty = [np.zeros(0)]
        return {
            "past_starts": np.cumsum([0, *(len(x.columns) for x in self.rows)]),
            "past_columns": np.concatenate([*(x.columns for x in self.rows), *empty]).astype(
                np.int64
            ),
            "past_values": np.concatenate([*(x.values for x in self.rows), *empty]),
            "past_known": np.array([self.serial, self.cursor, *(x.known for x in self.rows)]),
            **{f"past_{k}": getattr(self, k)[:count] for k in ("y", "alpha", "cap")},
        }

    def take(self, parts: Parts, lanes: int, size: int) -> None:
        """Restore the state from `arrays`."""
        serial, cursor, *known = parts.array("past_known", (None,), 0, 2**53, np.int64).tolist()
        count = len(known)
        starts = parts.array("past_starts", (count + 1,), 0, 2**53, np.int64)
        values = parts.array("past_values", (None,), -1e19, 1e19)
        columns = parts.array("past_columns", (len(values),), 0, size - 1, np.int64)
        if starts[0] != 0 or starts[-1] != len(values) or (np.diff(starts) < 0).any():
            raise ValueError("past_starts do not belong to the examples")
        most = self.window or count
        if count > most or count > serial or (serial > count and count < most):
            raise ValueError(f"{count} of {serial} examples are kept, but there is room for {most}")
        if any(n > size for n in known):
            raise ValueError("past_known: an example knows more columns than there are")
        self.y = parts.array("past_y", (count, lanes), -1.0, 1.0)
        self.cap = parts.array("past_cap", (count, lanes), 0.0, 1e150)
        self.alpha = parts.array("past_alpha", (count, lanes), 0.0, 1e150)
        if (self.alpha > self.cap * (1.0 + 1e-6)).any():
            raise ValueError("past_alpha is larger than its cap")
        self.serial, self.cursor = serial, cursor
        self.rows = [
            Row(columns[a:b].copy(), values[a:b].copy(), n)
            for a, b, n in zip(starts[:-1].tolist(), starts[1:].tolist(), known)
        ]


@dataclass(frozen=True, slots=True)
class Turn:
    """The update of one lane for the example `x` with label `y` and `margin = y <w, x>`.

    `cap` is the largest value of its variable; `at` its place among the kept examples, if any.
    """

    x: Row
    y: float
    margin: float
    cap: float
    at: int
    lane: int


class Update(ABC):
    """An update changes the variables of one lane so that the dual objective does not fall."""

    past: Past | None = None
    curvature = 1.0  # h, at least that of every example so far
    gap = 0.0  # the duality gap at which the last problem of several variables was left

    @abstractmethod
    def __call__(self, dual: DualVector, turn: Turn) -> None:
        """Move `dual`."""


class Alone(Update):
    """An update that changes the variable of the new example only."""

    def __init__(self, kind: str, wanted: float) -> None:
        self.kind, self.wanted = kind, wanted

    def __call__(self, dual: DualVector, turn: Turn) -> None:
        a = 0.0
        if self.kind == "conservative":
            a = turn.cap if turn.margin <= 0.0 else 0.0
        elif turn.margin < self.wanted:
            if self.kind == "aggressive":
                a = min((self.wanted - turn.margin) / self.curvature, turn.cap)
            else:
                a = dual.step(turn.x, turn.y, 0.0, turn.cap, self.wanted)
        if a:
            dual.move(turn.x, turn.y, a)


class Together(Update):
    """An update that changes the variables of kept examples, one after the other."""

    def __init__(self, wanted: float, window: int | None) -> None:
        self.wanted = wanted
        self.past: Past = Past(window)

    def ascend(self, dual: DualVector, at: int, lane: int) -> float:
        """Maximise over one variable; return the part of its range by which it changed."""
        past = self.past
        x, y = past.rows[at], float(past.y[at, lane])
        alpha, cap = float(past.alpha[at, lane]), float(past.cap[at, lane])
        change = dual.step(x, y, -alpha, cap - alpha, self.wanted) if cap else 0.0
        if change:
            dual.move(x, y, change)
            past.put(at, lane, min(max(alpha + change, 0.0), cap))
        return abs(change) / cap if cap else 0.0


class Block(Together):
    """An update that maximises over all kept examples together, up to the duality gap `gap`."""

    def __call__(self, dual: DualVector, turn: Turn) -> None:
        places = list(self.past.recent())
        if len(places) == 2 and dual.straight:
            self._pair(dual, places, turn.lane)
        else:
            self._solve(dual, places, turn.lane)
        slopes, alpha, cap = self._slopes(dual, places, turn.lane)
        self.gap = float(_gaps(slopes, alpha, cap).sum())

    def _solve(self, dual: DualVector, places: list[int], lane: int) -> None:
        for sweep in range(_SWEEPS // 10 if dual.straight else _SWEEPS):
            moved = max([self.ascend(dual, i, lane) for i in places])
            slopes, alpha, cap = self._slopes(dual, places, lane)
            small = _SOLVED * (self.wanted * dual.total + abs(dual.conjugate))
            if not moved or _gaps(slopes, alpha, cap).sum() <= small:
                return
            if (
                dual.straight and sweep % _PATIENCE == _PATIENCE - 1
            ):  # the whole matrix is faster now
                best = best_of_many(slopes, self._gram(places, lane), alpha, cap)
                self._take(dual, places, lane, best - alpha)

    def _slopes(self, dual: DualVector, places: list[int], lane: int) -> tuple[Array, Array, Array]:
        """The slope of the objective in each variable, the variables, and their largest values."""
        past = self.past
        y, alpha, cap = (each[places, lane] for each in (past.y, past.alpha, past.cap))
        return self.wanted - y * [dual.score(past.rows[i]) for i in places], alpha, cap

    def _gram(self, places: list[int], lane: int) -> Array:
        """The inner products of the examples, each times its label."""
        rows = [self.past.rows[i] for i in places]
        columns = np.unique(np.concatenate([x.columns for x in rows]))
        table = np.zeros((len(rows), len(columns)))
        for to, x, y in zip(table, rows, self.past.y[places, lane].tolist()):
            to[np.searchsorted(columns, x.columns)] = y * x.values
        return np.asarray(table @ table.T)

    def _take(self, dual: DualVector, places: list[int], lane: int, changes: Array) -> None:
        past = self.past
        for at, change in zip(places, changes.tolist()):
            if change:
                dual.move(past.rows[at], float(past.y[at, lane]), change)
                value = float(past.alpha[at, lane]) + change
                past.put(at, lane, min(max(value, 0.0), float(past.cap[at, lane])))
        dual.refresh()  # the conjugate may have been much larger during the steps than it is now

    def _pair(self, dual: DualVector, places: list[int], lane: int) -> None:
        past = self.past
        u, v = (past.rows[i] for i in places)
        slopes, alpha, cap = self._slopes(dual, places, lane)
        y = past.y[places, lane]
        product = y[0] * y[1] * _product(u, v)
        gram = np.array([[u.square, product], [product, v.square]])
        # the slopes where both variables are 0
        best = best_pair(slopes + gram @ alpha, gram, cap)
        self._take(dual, places, lane, best - alpha)


class Sequential(Together):
    """An update that takes the new example first, then others, `steps` in all."""

    def __init__(
        self, wanted: float, window: int | None, steps: int, order: str, seed: int
    ) -> None:
        super().__init__(wanted, window)
        self.steps, self.order, self.seed = steps, order, seed
        self.past.pace = steps - 1

    def __call__(self, dual: DualVector, turn: Turn) -> None:
        self.ascend(dual, turn.at, turn.lane)
        for i in self._others(dual, turn.lane):
            self.ascend(dual, i, turn.lane)

    def _others(self, dual: DualVector, lane: int) -> Iterator[int]:
        past, count, more = self.past, len(self.past.rows), self.steps - 1
        if count == 1:
            return
        if self.order == "recent":
            latest = list(past.recent())
            yield from (latest[(1 + k) % count] for k in range(more))
        elif self.order == "random":
            # seeded by the round alone, so that a loaded model continues alike
            rng = generator(self.seed, "order", past.serial, lane)
            yield from rng.integers(count, size=more).tolist()
        elif self.order == "cyclic":
            yield from ((past.cursor + k) % count for k in range(more))
        else:
            for _ in range(more):
                yield self._worst(dual, lane)

    def _worst(self, dual: DualVector, lane: int) -> int:
        """The example with the steepest slope in a direction in which its variable can move."""
        past, count = self.past, len(self.past.rows)
        y, alpha, cap = (each[:count, lane] for each in (past.y, past.alpha, past.cap))
        slope = self.wanted - y * [dual.score(x) for x in past.rows]
        return int(np.where(slope > 0.0, slope * (alpha < cap), -slope * (alpha > 0.0)).argmax())


def best_pair(slopes: Array, gram: Array, most: Array) -> Array:
    """The maximiser of `<slopes, a> - a' gram a / 2` over two variables from 0 to `most`.

    >>> best_pair(np.ones(2), np.eye(2), np.array([0.5, 2.0]))
    array([0.5, 1. ])
    """
    (p, q), ((A, B), (_, D)), (a_most, b_most) = slopes.tolist(), gram.tolist(), most.tolist()
    determinant = A * D - B * B
    if determinant > 0.0:
        a, b = (p * D - q * B) / determinant, (q * A - p * B) / determinant
        if 0.0 <= a <= a_most and 0.0 <= b <= b_most:
            return np.array([a, b])
    edges = [(a, _on_edge(q - B * a, D, b_most)) for a in (0.0, a_most)]
    edges += [(_on_edge(p - B * b, A, a_most), b) for b in (0.0, b_most)]
    return max(map(np.array, edges), key=lambda a: float(slopes @ a - 0.5 * a @ gram @ a))


def best_of_many(slopes: Array, gram: Array, start: Array, most: Array) -> Array:
    """The maximiser of `<slopes, a - start> - (a - start)' gram (a - start) / 2` from 0 to `most`.

    An active-set method: variables at an end of their range stay there while the others move to their
    best, or until one reaches an end; then the variable that gains most is released.

    >>> gram = np.array([[1.0, 0.9], [0.9, 1.0]])
    >>> best_of_many(np.ones(2), gram, np.zeros(2), np.ones(2)).round(6)
    array([0.526316, 0.526316])
    """
    a, free = start.copy(), (start > 0.0) & (start < most)
    for _ in range(20 * len(a) + 20):
        slope = slopes - gram @ (a - start)
        among = np.flatnonzero(free)
        if len(among) and _go(a, slope, gram, most, among):
            free &= (a > 0.0) & (a < most)
            continue
        slope = slopes - gram @ (a - start)
        gains = np.where(free, 0.0, _gaps(slope, a, most))
        if gains.max(initial=0.0) <= _SOLVED * 1e-3 * abs(slopes @ a):
            break
        free[gains.argmax()] = True
    return a


def _go(a: Array, slope: Array, gram: Array, most: Array, among: NDArray[np.int64]) -> bool:
    """Move variables to their best, or until one reaches an end; return whether one did."""
    K, r = gram[np.ix_(among, among)], slope[among]
    way = np.linalg.lstsq(K, r, rcond=None)[0]
    flat = r - K @ way
    if np.abs(flat).max() > 1e-8 * np.abs(r).max():  # the objective is unbounded without the ends
        way = flat
    bend = float(way @ K @ way)
    best = float(r @ way) / bend if bend > 0.0 else np.inf
    with np.errstate(divide="ignore", invalid="ignore"):
        room = np.where(way > 0.0, (most[among] - a[among]) / way, a[among] / -way)
    room = np.where(way == 0.0, np.inf, room)
    length = min(best, float(room.min()))
    if not 0.0 <= length < np.inf:
        return False
    there = np.clip(a[among] + length * way, 0.0, most[among])
    ends = room <= length
    a[among] = np.where(ends, np.where(way > 0.0, most[among], 0.0), there)
    return bool(ends.any())


def _gaps(slopes: Array, alpha: Array, cap: Array) -> Array:
    """The part of the duality gap of each variable: `cap loss - alpha slope >= 0`."""
    return np.asarray(np.where(slopes > 0.0, (cap - alpha) * slopes, -alpha * slopes))


def _on_edge(slope: float, curvature: float, most: float) -> float:
    """The best value of one variable; 0 if all values are equally good."""
    if curvature > 0.0:
        return min(max(slope / curvature, 0.0), most)
    return most if slope > 0.0 else 0.0


def _product(u: Row, v: Row) -> float:
    _, i, j = np.intersect1d(u.columns, v.columns, assume_unique=True, return_indices=True)
    return float(u.values[i] @ v.values[j])


def update_of(
    update: str, *, wanted: float, window: int | None, steps: int, order: str, seed: int
) -> Update:
    """The update that the options name."""
    if update in _ALONE:
        return Alone(update, wanted)
    if update == "leader":
        return Block(wanted, None)
    if update == "block":
        return Block(wanted, window)
    return Sequential(wanted, window, steps, order, seed)
