"""The regrets of a finished game: Luo (2016), chapter 2.

All of them are sums of the instantaneous regrets `r[t, i]`, a row a round and a column an expert:
the loss suffered in round t beyond that of expert i, times the confidence of the expert (section 2.3.2).
Rounds are counted as Python does: `start <= t < stop`.
"""

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from regretless.base.arguments import (
    Array,
    check_entries,
    distributions,
    finite_numbers,
    numbers,
    outside,
    rank,
    shaped,
    shown,
    vector,
    whole,
)
from regretless.base.columns import arranged, place_of


class RoundInterval(NamedTuple):
    """The `regret` to an `expert` in the rounds `start <= t < stop`."""

    regret: float
    start: int
    stop: int
    expert: int


class Segment(NamedTuple):
    """The rounds `start <= t < stop`, in which an `expert` is followed."""

    start: int
    stop: int
    expert: int


class Shifting(NamedTuple):
    """A sequence of experts, as segments of which neighbours differ, and its total `loss`."""

    loss: float
    segments: list[Segment]


class ShiftingRegret(NamedTuple):
    """The `regret` to a sequence of experts, as segments of which neighbours differ."""

    regret: float
    segments: list[Segment]


def instantaneous(suffered: Any, table: Any, confidence: Any = None) -> Array:
    """The instantaneous regrets `r[t, i] = confidence[t, i] (suffered[t] - table[t, i])`.

    Parameters: `suffered` (T,), the losses of the player; `table` (T, N), those of the experts;
    `confidence` (T, N) in [0, 1], 0 where an expert sleeps and its loss need not be known (None: 1).

    >>> instantaneous([1.0, 0.5], [[0.0, 1.0], [0.25, np.nan]], [[1, 1], [1, 0]])
    array([[1.  , 0.  ],
           [0.25, 0.  ]])
    """
    losses = rounds_by_experts(table, "table")
    sure = np.ones(losses.shape) if confidence is None else finite_numbers(confidence, "confidence")
    if sure.shape != losses.shape:
        raise ValueError(f"confidence has shape {sure.shape}, but table {losses.shape}")
    check_entries(sure, ~outside(sure, 0, 1), "confidence", "is outside [0, 1]; 0 is asleep")
    awake = finite_numbers(
        np.where(sure > 0, losses, 0.0), "table", "; give it confidence 0 if it sleeps"
    )
    # not by `vector`, in which small numbers become 0, while those of the table are kept
    mine = shaped(finite_numbers(suffered, "suffered"), "suffered", (len(losses),))
    return sure * (mine[:, None] - awake)


# --- one competitor for all rounds -----------------------------------------------------------------


def to_experts(r: Any) -> Array:
    """The regret to each expert: the sums over all rounds.

    >>> to_experts([[1.0, -0.5], [0.25, 1.0]])
    array([1.25, 0.5 ])
    """
    return np.asarray(_regrets(r).sum(axis=0))


def to_best(r: Any) -> float:
    """The regret to the best expert, the largest of all.

    >>> to_best([[1.0, -0.5], [0.25, 1.0]])
    1.25
    """
    return float(to_experts(r).max())


def to_quantile(r: Any, quantile: float) -> float:
    """The regret to the `ceil(quantile N)`-th best of the N experts (section 2.1.2).

    Parameters: `quantile` in (0, 1], the share of experts at least as good; to `1 / N` it is `to_best`.

    >>> [to_quantile([[4.0, 1.0, 3.0, 2.0]], share) for share in (0.01, 0.5, 0.51, 1.0)]
    [4.0, 3.0, 2.0, 1.0]
    """
    totals = np.sort(to_experts(r))
    hint = "; 1 / N is the best of N experts"
    return float(totals[-rank(quantile, len(totals), hint=hint)])


def to_mixture(r: Any, u: Any) -> float:
    """The regret to a fixed distribution over the experts, `sum_t <u, r_t>`.

    Parameters: `u` (N,), not negative and of sum 1.

    >>> to_mixture([[1.0, -0.5], [0.25, 1.0]], [0.5, 0.5])
    0.875
    """
    totals = to_experts(r)
    shares = vector(_not_negative(u, "u"), "u", len(totals))
    if abs(shares.sum() - 1.0) > 1e-9:
        raise ValueError(f"u has the sum {shares.sum()}, not 1; divide it by that")
    return float(shares @ totals)


# --- one competitor for some rounds ----------------------------------------------------------------


def to_interval(r: Any, start: int, stop: int) -> RoundInterval:
    """The largest regret to one expert in the rounds `start <= t < stop`, and this expert.

    >>> to_interval([[1.0, -0.5], [0.25, 1.0], [0.0, 0.5]], 1, 3)
    RoundInterval(regret=1.5, start=1, stop=3, expert=1)
    """
    regrets = _regrets(r)
    first = whole(start, "start", 0)
    last = whole(stop, "stop", 0)
    if not first < last <= len(regrets):
        raise ValueError(
            f"start={start}, stop={stop} is not an interval: 0 <= start < stop <= {len(regrets)}"
        )
    totals = regrets[first:last].sum(axis=0)
    expert = int(totals.argmax())
    return RoundInterval(float(totals[expert]), first, last, expert)


def worst_interval(r: Any) -> RoundInterval:
    """The largest regret to one expert in any interval, the adaptive regret, and where.

    By Kadane's method: up to each round, the total so far less the least total before.

    >>> worst_interval([[-1.0, 0.5], [2.0, 0.5], [1.0, 0.5], [-1.0, 0.5]])
    RoundInterval(regret=3.0, start=1, stop=3, expert=0)
    """
    regrets = _regrets(r)
    totals = _totals(regrets)
    rises = totals[1:] - np.minimum.accumulate(totals[:-1], axis=0)
    end, expert = np.unravel_index(rises.argmax(), rises.shape)
    start = totals[: end + 1, expert].argmin()
    return to_interval(regrets[:, [expert]], int(start), int(end) + 1)._replace(expert=int(expert))


# --- competitors that change -----------------------------------------------------------------------


def best_shifting(table: Any, shifts: int) -> Shifting:
    """The sequence of experts with at most `shifts` changes that loses least (section 2.3.3).

    Time is O(T N) per shift, memory O(T) per shift besides what a copy of the table needs. The
    segments are the best ones up to the rounding of sums of T losses; the loss is that of the segments.

    Parameters: `table` (T, N), the losses of the experts; `shifts >= 0`.

    >>> best_shifting([[0.0, 1.0], [0.0, 1.0], [1.0, 0.0]], shifts=1)
    Shifting(loss=0.0, segments=[Segment(start=0, stop=2, expert=0), Segment(start=2, stop=3, expert=1)])
    """
    losses = finite_numbers(rounds_by_experts(table, "table"), "table")
    return best_shiftings(losses, min(whole(shifts, "shifts", 0), len(losses) - 1))[-1]


def best_shiftings(table: Any, shifts: int) -> list[Shifting]:
    """`best_shifting` for 0, 1, ..., `shifts` changes, in the time of the last.

    >>> [best.loss for best in best_shiftings([[0.0, 3.0], [2.0, 0.0], [0.0, 1.0]], shifts=2)]
    [2.0, 1.0, 0.0]
    """
    losses = finite_numbers(rounds_by_experts(table, "table"), "table")
    # The same number less for all experts of a round changes nothing but the rounding.
    totals = _totals(losses - losses.min(axis=1, keepdims=True))
    # before[k][t]: the least loss of t rounds with fewer than k shifts; none precedes the first segment
    before = [np.append(0.0, np.full(len(losses), np.inf))]
    last = []
    for _ in range(whole(shifts, "shifts", 0) + 1):
        # followed since round s, expert i has lost totals[t, i] - totals[s, i] after t rounds
        offset = np.minimum.accumulate(before[-1][:-1, None] - totals[:-1], axis=0)
        ending = np.add(totals[1:], offset, out=offset)
        last.append(ending.argmin(axis=1))
        before.append(np.append(0.0, np.take_along_axis(ending, last[-1][:, None], axis=1)))
    return [_traced(losses, totals, before, last, k) for k in range(len(last))]


def _traced(losses: Array, totals: Array, before: list[Array], last: list[Any], k: int) -> Shifting:
    """The best sequence with k shifts, traced back: a segment begins at the s of its offset."""
    stop, segments = len(losses), list[Segment]()
    while stop:
        expert = int(last[k][stop - 1])
        start = int(np.argmin(before[k][:stop] - totals[:stop, expert]))
        if segments and segments[0].expert == expert:  # a shift that only rounding has gained from
            segments[0] = segments[0]._replace(start=start)
        else:
            segments.insert(0, Segment(start, stop, expert))
        stop, k = start, k - 1
    return Shifting(math.fsum(losses[a:b, i].sum() for a, b, i in segments), segments)


def to_shifting(r: Any, shifts: int) -> ShiftingRegret:
    """The largest regret to a sequence of experts that changes at most `shifts` times.

    The K-shifting regret of section 2.3.3 has K segments, hence `shifts = K - 1`.

    >>> to_shifting([[1.0, 0.0], [0.5, 0.0], [0.0, 1.0]], shifts=1).regret
    2.5
    """
    found = best_shifting(-_regrets(r), shifts)
    return ShiftingRegret(0.0 - found.loss, found.segments)


def to_sequence(r: Any, U: Any) -> float:
    """The regret to a competitor that may be another one in every round, `sum_t <u_t, r_t>`.

    Parameters: `U` (T, N), not negative; its rows need not be distributions (section 2.3.3).

    >>> to_sequence([[1.0, 0.0], [0.0, 2.0]], [[1.0, 0.0], [0.5, 0.5]])
    2.0
    """
    regrets = _regrets(r)
    return float(np.vdot(competitor(U, regrets.shape, "U"), regrets))


def variation(U: Any) -> float:
    """How much a competitor rises in all, `sum_t sum_i [u_t,i - u_t-1,i]_+` with `u_0 = 0`.

    Parameters: `U`, not negative, of shape (T, N), or (T,) for one expert.

    >>> variation([[1.0, 0.0], [0.5, 0.5], [1.0, 0.0]])
    2.0
    """
    rises = np.diff(_not_negative(U, "U"), axis=0, prepend=0.0)
    return float(np.maximum(rises, 0.0).sum())


def intervals(v: Any) -> list[tuple[float, int, int]]:
    """A curve as a sum of intervals, `v_t = sum_j a_j 1{start_j <= t < stop_j}` (Lemma 5).

    The amounts `a_j` are positive and add up to `variation(v)`, the least possible sum.
    Each rise opens an interval, and a fall closes those opened last.

    Parameters: `v` (T,), not negative. Returned are `(amount, start, stop)`, by the round they end.

    >>> intervals([1.0, 3.0, 2.0])
    [(1.0, 1, 2), (1.0, 1, 3), (1.0, 0, 3)]
    """
    levels = _not_negative(v, "v")
    if levels.ndim != 1:
        raise ValueError(f"v has shape {levels.shape}, not (rounds,); take the experts one by one")
    level, found = 0.0, list[tuple[float, int, int]]()
    opened = list[tuple[int, float]]()  # the rounds of the rises, and the levels they began at
    for t, to in enumerate([*levels.tolist(), 0.0]):
        if to > level:
            opened.append((t, level))
        while level > to:
            start, base = opened[-1]
            floor = max(base, to)
            found.append((level - floor, start, t))
            level = floor
            if base >= to:
                opened.pop()
        level = to
    return found


# --- arguments -------------------------------------------------------------------------------------


def _totals(values: Array) -> Array:
    """The sums over the first 0, 1, ..., T rounds."""
    return np.vstack([np.zeros(values.shape[1]), np.cumsum(values, axis=0)])


def rounds_by_experts(values: Any, name: str) -> Array:
    """An argument as a matrix of numbers or NaN, with a row per round and a column per expert.

    >>> rounds_by_experts([1.0, 2.0], "table")
    Traceback (most recent call last):
    ValueError: table has shape (2,), not (rounds, experts) with at least one of each
    """
    array = numbers(values, name, missing=True)
    if array.ndim != 2 or not array.size:
        raise ValueError(
            f"{name} has shape {array.shape}, not (rounds, experts) with at least one of each"
        )
    return array


def _regrets(r: Any) -> Array:
    return finite_numbers(rounds_by_experts(r, "r"), "r")


def competitor(values: Any, shape: tuple[int, ...], name: str = "sequence") -> Array:
    """The weights of the experts in each round, not negative.

    >>> competitor([[1.0, 0.0]], (2, 2))
    Traceback (most recent call last):
    ValueError: sequence has shape (1, 2), not (2, 2): a row for each round
    """
    weights = finite_numbers(values, name)
    if weights.shape != shape:
        raise ValueError(f"{name} has shape {weights.shape}, not {shape}: a row for each round")
    check_entries(weights, weights >= 0, name, "is negative")
    return weights


def _not_negative(values: Any, name: str) -> Array:
    array = finite_numbers(values, name)
    if array.ndim not in (1, 2) or not array.size:
        raise ValueError(f"{name} has shape {array.shape}; it must have a row for each round")
    check_entries(array, array >= 0, name, "is negative")
    return array


# --- who a player of experts is compared with, and the distributions that no bound on it may ------

_TIED = 16  # experts that are equally good: so many of them are looked at one by one


class Comparator(NamedTuple):
    """An expert, or a distribution over experts.

    Attributes: `words`, its description; `against`, the index of the expert or the distribution; `u`,
    always the distribution; `among`, distributions, the first of which is `u`, to which the regret is
    no smaller: a bound on the regret to one of them is a bound on that to `u`.
    """

    words: str
    against: Any
    u: Array
    among: list[Array]


def compared(
    totals: Array,
    prior: Array,
    names: Sequence[str] | None,
    comparator: Any = None,
    quantile: float | None = None,
) -> Comparator:
    """The comparator that the arguments ask for, given the regret to each expert.

    Parameters: `totals`, these regrets; `prior` and `names` of the experts; `comparator`, an index, a
    name, a distribution, or None or "best" for the expert of the largest regret; `quantile`, instead,
    for the `ceil(quantile n)`-th best.

    >>> found = compared(np.array([1.0, 3.0, 2.0]), np.full(3, 1 / 3), None, quantile=0.5)
    >>> found.words, found.against, found.among[-1]
    ('the best 0.5 of the experts', 2, array([0. , 0.5, 0.5]))
    """
    n = len(totals)
    best = comparator is None or (isinstance(comparator, str) and comparator == "best")
    if quantile is not None:
        if comparator is not None:
            raise ValueError(
                f"comparator={shown(comparator)} and quantile={shown(quantile)}: give one"
            )
        k = rank(quantile, n, hint="; 1 / n is the best of n experts")
        at = int(np.argsort(-totals, kind="stable")[k - 1])
        group = totals >= totals[at]
        words = f"the best {quantile:g} of the experts"
        return _ranked(at, [int(np.argmax(totals))], group, prior, words)
    if best:
        at = int(np.argmax(totals))
        group = totals == totals[at]
        likely = np.argsort(np.where(group, -prior, math.inf), kind="stable")
        tied = likely[: min(_TIED, group.sum())].tolist()
        return _ranked(at, tied, group, prior, "the best expert in hindsight")
    if isinstance(comparator, str):
        comparator = place_of(comparator, names, "comparator")
    if isinstance(comparator, (int, np.integer)) and not isinstance(comparator, bool):
        if not 0 <= comparator < n:
            raise ValueError(f"comparator={comparator} is none of the {n} experts")
        at = int(comparator)
        called = f"expert {at}" if names is None else f"the expert {names[at]!r}"
        return Comparator(called, at, _one(n, at), [_one(n, at)])
    u = distribution(arranged(comparator, names, "comparator")[0], n, "comparator")
    return Comparator(f"the mixture {u} of the experts", u, u, [u])


def _ranked(at: int, better: list[int], group: Any, prior: Array, words: str) -> Comparator:
    """An expert that is no better than some others, nor than a group of them."""
    n = len(prior)
    among = [_one(n, i) for i in dict.fromkeys([at, *better])]
    if group.sum() > 1:
        among.append(np.where(group, prior, 0.0) / prior[group].sum())
        if np.ptp(prior[group]) > 0:
            among.append(group / group.sum())
    return Comparator(words, at, among[0], among)


def _one(n: int, at: int) -> Array:
    return np.asarray(np.eye(1, n, at)[0])


def distribution(values: Any, n: int, name: str = "prior") -> Array:
    """Probabilities of n experts; None means equal ones.

    >>> distribution(None, 4)
    array([0.25, 0.25, 0.25, 0.25])
    """
    return np.full(n, 1.0 / n) if values is None else distributions(values, name, (n,))


def is_group(u: Array, prior: Array) -> bool:
    """Whether `u` is the prior among some of the experts.

    >>> is_group(np.array([0.5, 0.5, 0.0]), np.full(3, 1 / 3))
    True
    """
    inside = u > 0
    ratio = u[inside] / prior[inside]
    return bool(np.ptp(ratio) <= 1e-12 * ratio.max())


def relative_entropy(u: Array, prior: Array) -> float:
    """`sum u ln(u / prior)`.

    >>> relative_entropy(np.array([1.0, 0.0]), np.array([0.5, 0.5])).hex() == math.log(2.0).hex()
    True
    """
    inside = u > 0
    return float(np.sum(u[inside] * np.log(u[inside] / prior[inside])))
