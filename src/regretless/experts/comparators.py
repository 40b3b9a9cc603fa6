"""Who a player of experts is compared with, and the distributions that no bound on it may miss."""

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from regretless.arguments import distributions, rank, shown
from regretless.named import arranged, place_of
from regretless.run import Array

__all__ = ["Comparator", "compared", "distribution", "is_group", "relative_entropy"]

_TIED = 16  # experts that are equally good: so many of them are looked at one by one


class Comparator(NamedTuple):
    """An expert, or a distribution over experts.

    Attributes: `words`, what it is called; `against`, the index of the expert or the distribution; `u`,
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
    """The comparator that is asked for, by the regret to each expert.

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
    """Probabilities of n experts; None is the same for all.

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
