"""Adversaries of whoever predicts labels 0 and 1: they answer with what was not predicted."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from regretless.adversaries.adversary import Adversary, Exhausted, Oblivious
from regretless.adversaries.gradients import expected_absolute_sum
from regretless.arguments import whole
from regretless.randomness import generator

__all__ = [
    "ConsistentKiller",
    "CoverAdversary",
    "LittlestoneCoins",
    "LittlestoneTree",
    "halfspace_tree",
    "threshold_tree",
]


def _opposite(prediction: Any) -> int:
    """The label against a prediction: 0, 1, a probability of 1, or None, nothing predicted."""
    return 1 if prediction is None or float(prediction) < 0.5 else 0


class _Mistakes(Adversary):
    def loss(self, choice: Any, answer: Any) -> float:
        # a probability of 1 is charged what it expects, a label 0 or 1
        if isinstance(choice, (float, np.floating)):
            return abs(float(choice) - float(answer))
        return float(choice != answer)


class CoverAdversary(_Mistakes):
    """Always says the opposite: no deterministic learner has sublinear regret.

    Shalev-Shwartz (2012), section 1.2; Mohri et al. (2018), section 8.2.3.

    There is nothing to see (x is an empty dict), and against two constant experts a learner that
    predicts labels is wrong in all T rounds, with a regret of at least T / 2. One that predicts a
    probability `p_t`, with the label fixed before the coin is thrown, pays `|p_t - y_t|`, and weighted
    majority keeps its regret within `sqrt(T log(2) / 2)`.

    >>> adversary = CoverAdversary()
    >>> [adversary.respond(prediction) for prediction in (0, 1, 1, 0.2)], adversary.best()
    ([1, 0, 0, 1], 2.0)
    """

    def __init__(self) -> None:
        self._counts = [0, 0]

    def advice(self, x: Any) -> list[int]:
        """What two experts say who never change their minds."""
        return [0, 1]

    def instance(self) -> dict[str, float]:
        return {}

    def respond(self, choice: Any) -> int:
        y = _opposite(choice)
        self._counts[y] += 1
        return y

    def best(self) -> float:
        return float(min(self._counts))


class ConsistentKiller(_Mistakes, Oblivious):
    """Singletons in order: to follow any consistent hypothesis costs `|H| - 1` mistakes.

    Shalev-Shwartz (2012), section 1.2.1.

    Hypothesis j says 1 at point j and 0 elsewhere, the truth is the last, and point t comes in round t.
    Who follows the first hypothesis that has made no mistake errs in all rounds but the last; Halving
    errs at most `log2 |H|` times, and the standard optimal algorithm once.

    Parameters: `size` >= 2, the number of hypotheses, of points and of rounds. `table[j, x]` is what
    hypothesis j says at x; `x` is the number of a point.

    >>> list(ConsistentKiller(3))
    [(0, 0), (1, 0), (2, 1)]
    """

    def __init__(self, size: int) -> None:
        self.size = whole(size, "size", 2)
        self.table: NDArray[np.int64] = np.eye(self.size, dtype=np.int64)
        self._round = 0

    def instance(self) -> int:
        if self._round == self.size:
            raise Exhausted
        return self._round

    def advice(self, x: int) -> NDArray[np.int64]:
        """What the hypotheses say at a point."""
        return self.table[:, x]

    def respond(self, choice: Any) -> int:
        self._round += 1
        return int(self._round == self.size)

    def best(self) -> float:
        return 0.0


class LittlestoneTree(_Mistakes):
    """Walks down a shattered tree and always says the opposite.

    Shalev-Shwartz (2012), section 3.2.

    From a node on, label 0 leads to its left and label 1 to its right child. Every deterministic
    learner makes exactly `depth` mistakes although a hypothesis of the class has made none; the
    standard optimal algorithm makes no more than that on any sequence.

    Parameters: `at`, the x of the node at the end of a path; `depth` >= 1. `path` holds the
    labels so far.

    >>> tree = threshold_tree(3)
    >>> for prediction in (1, 0, 1):
    ...     print(tree.instance(), tree.respond(prediction))
    {'x': 0.5} 0
    {'x': 0.75} 1
    {'x': 0.625} 0
    """

    def __init__(self, at: Callable[[tuple[int, ...]], Any], depth: int) -> None:
        self.at, self.depth = at, whole(depth, "depth")
        self.path: tuple[int, ...] = ()

    def instance(self) -> Any:
        if len(self.path) == self.depth:
            raise Exhausted
        return self.at(self.path)

    def respond(self, choice: Any) -> int:
        y = _opposite(choice)
        self.path = (*self.path, y)
        return y

    def best(self) -> float:
        return 0.0


class LittlestoneCoins(_Mistakes, Oblivious):
    """Fair coins at the nodes of a shattered tree: a lower bound on every regret.

    Shalev-Shwartz (2012), Theorem 3.6.

    The lower bound of Theorem 3.6. The node that a path of labels leads to is shown `rounds // depth`
    times, with a fair coin as its label; the label that came more often (if equal, 1) leads on. Every
    learner errs in half of the rounds, in expectation; the hypothesis at the end of the path errs only
    where the fewer labels were, so the regret is `expected_regret()` in expectation, at least
    `sqrt(depth T / 8)`.

    Parameters: `at`, the x of the node at the end of a path; `depth` >= 1; `rounds` >= `depth`;
    `seed`. `path` holds the labels that led on.

    >>> tree = threshold_tree(4)
    >>> coins = LittlestoneCoins(tree.at, depth=4, rounds=400, seed=0)
    >>> labels = [y for x, y in coins]
    >>> len(labels), coins.path, coins.expected_regret() >= (4 * 400 / 8) ** 0.5
    (400, (0, 1, 1, 0), True)
    """

    def __init__(
        self, at: Callable[[tuple[int, ...]], Any], depth: int, rounds: int, *, seed: int = 0
    ) -> None:
        self.at, self.depth = at, whole(depth, "depth")
        self.each = whole(rounds, "rounds", self.depth) // self.depth
        self._rng = generator(seed, "labels")
        self.path: tuple[int, ...] = ()
        self._counts, self._least = [0, 0], 0

    def instance(self) -> Any:
        if len(self.path) == self.depth:
            raise Exhausted
        return self.at(self.path)

    def respond(self, choice: Any) -> int:
        y = int(self._rng.random() < 0.5)
        self._counts[y] += 1
        if sum(self._counts) == self.each:
            self.path = (*self.path, int(self._counts[1] >= self._counts[0]))
            self._least += min(self._counts)
            self._counts = [0, 0]
        return y

    def best(self) -> float:
        return float(self._least + min(self._counts))

    def expected_regret(self) -> float:
        """What every learner must expect when all rounds have been played, exactly."""
        return self.depth * expected_absolute_sum(self.each) / 2.0


def _middle(path: tuple[int, ...], upper: int) -> float:
    """The point between thresholds that are still possible; label `upper` means a larger one."""
    low, high = 0.0, 1.0
    for y in path:
        middle = (low + high) / 2.0
        low, high = (middle, high) if y == upper else (low, middle)
    return (low + high) / 2.0


def threshold_tree(depth: int, above: bool = True) -> LittlestoneTree:
    """Thresholds on [0, 1], which no deterministic learner learns.

    Shalev-Shwartz (2012), Example 3.3.

    For `h_a(x) = 1[x > a]` the tree is 1/2, then 3/4 after label 0 (a is at least 1/2) and 1/4 after
    label 1: the text has the two the other way round, and its tree is not shattered. With
    `above=False` it is the one for `1[x < a]`, where the order of the text is right. `x` is a dict
    with the point under "x". `depth` at most 50: then doubles are too coarse.

    >>> [threshold_tree(2).at(path) for path in ((), (0,), (1,))]
    [{'x': 0.5}, {'x': 0.75}, {'x': 0.25}]
    """
    _check_depth(depth)
    return LittlestoneTree(lambda path: {"x": _middle(path, 0 if above else 1)}, depth)


def halfspace_tree(depth: int) -> LittlestoneTree:
    """Halfspaces of the plane, whose Littlestone dimension is infinite.

    Shalev-Shwartz (2012), section 3.3.

    The points `(v, 1)` with v from the tree of `1[x < a]`, which the weights `(-1, a)` realise. So a
    linear learner without an intercept errs in every round. `depth` at most 50.

    >>> [halfspace_tree(2).at(path) for path in ((), (0,), (1,))]
    [{'x': 0.5, 'one': 1.0}, {'x': 0.25, 'one': 1.0}, {'x': 0.75, 'one': 1.0}]
    """
    _check_depth(depth)
    return LittlestoneTree(lambda path: {"x": _middle(path, 1), "one": 1.0}, depth)


def _check_depth(depth: int) -> None:
    if whole(depth, "depth") > 50:
        raise ValueError(f"depth={depth} is above 50, where doubles cannot tell the points apart")
