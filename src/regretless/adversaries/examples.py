"""Adversaries that choose examples or labels."""

import math
from abc import abstractmethod
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from regretless.adversaries.game import Adversary, Oblivious
from regretless.adversaries.gradients import expected_absolute_sum
from regretless.base.arguments import Array, not_negative, positive, whole, within
from regretless.base.randomness import generator
from regretless.errors import Exhausted

# --- streams of examples with labels -1 and +1, made for or against linear learners ---------------

# `x` is a dict from the number of a feature to its value, as River's streams and ours have it.


class _Examples(Oblivious):
    def __init__(self, noise: float = 0.0, seed: int = 0) -> None:
        self.rounds = 0
        self.noise = within(noise, "noise", "[0, 1/2)", ": it is the share of wrong labels")
        self._rng = generator(seed, "examples")
        self._next: tuple[dict[int, float], int] | None = None
        self._flipped = 0.0

    @abstractmethod
    def _draw(self) -> tuple[dict[int, float], int]:
        """The next example."""

    def _flip(self, y: int) -> int:
        wrong = self._rng.random() < self.noise
        self._flipped += wrong
        return -y if wrong else y

    def instance(self) -> dict[int, float]:
        if self._next is None:
            self._next = self._draw()
        return self._next[0]

    def respond(self, choice: Any) -> int:
        _, y = self._next or self._draw()
        self._next = None
        self.rounds += 1
        return y

    def loss(self, choice: Any, answer: Any) -> float:
        return float(choice != answer)

    def best(self) -> float:
        """The mistakes of the model that the labels were made from: the number of flipped ones."""
        return self._flipped


class MarginStream(_Examples):
    """Points that a hyperplane through 0 separates with a margin.

    `y <u, x> >= gamma` with `||u|| = 1` and `||x|| <= R`, so the Perceptron errs at most
    `(R / gamma)^2` times (Shalev-Shwartz (2012), Theorem 3.9; Mohri et al. (2018), Theorem 8.8).
    The part of x along `u` is uniform from gamma to R, the rest is at random within the ball.

    Parameters: `dimension` >= 1; `margin` gamma in (0, `radius`]; `radius` R; `noise` in [0, 0.5), the
    share of flipped labels; `seed`. `comparator` is `u`.

    >>> stream = MarginStream(3, margin=0.1, seed=0)
    >>> x, y = next(iter(stream))
    >>> bool(y * stream.comparator @ list(x.values()) >= 0.1)
    True
    """

    def __init__(
        self,
        dimension: int,
        margin: float,
        radius: float = 1.0,
        noise: float = 0.0,
        *,
        seed: int = 0,
    ) -> None:
        super().__init__(noise, seed)
        self.dimension = whole(dimension, "dimension")
        self.margin, self.radius = positive(margin, "margin"), positive(radius, "radius")
        if margin > radius:
            raise ValueError(f"margin={margin} is larger than radius={radius}")
        self.comparator = self._direction()

    def _direction(self) -> Array:
        v = self._rng.standard_normal(self.dimension)
        direction: Array = v / np.linalg.norm(v)
        return direction

    def _draw(self) -> tuple[dict[int, float], int]:
        y = 1 if self._rng.random() < 0.5 else -1
        along = self._rng.uniform(self.margin, self.radius)
        aside = self._direction()
        aside -= (aside @ self.comparator) * self.comparator  # no longer than 1
        x = y * along * self.comparator + np.sqrt(self.radius**2 - along**2) * aside
        return dict(enumerate(x.tolist())), self._flip(y)


class DisjunctionStream(_Examples):
    """Labels that are the OR of k of d bits: made for Winnow.

    Shalev-Shwartz (2012), section 3.3.2.

    `y = +1` if one of the features `relevant` is 1, else -1. Winnow with `eta = 1/4` errs at most
    `8 k log d` times without noise, while the Perceptron's bound grows with d: `(4 d + 1)(k + 1)`.
    Each bit is 1 with probability `1 - 2^(-1/k)`, so that half of the labels are +1.

    Parameters: `dimension` d >= 1; `literals` k from 1 to d; `noise` in [0, 0.5), the share of flipped
    labels; `seed`.

    >>> stream = DisjunctionStream(100, literals=2, seed=0)
    >>> x, y = next(iter(stream))
    >>> y == (1 if stream.relevant & x.keys() else -1)
    True
    """

    def __init__(self, dimension: int, literals: int, noise: float = 0.0, *, seed: int = 0) -> None:
        super().__init__(noise, seed)
        self.dimension = whole(dimension, "dimension")
        self.literals = whole(literals, "literals")
        if literals > dimension:
            raise ValueError(f"literals={literals} is more than dimension={dimension}")
        chosen = self._rng.choice(self.dimension, self.literals, replace=False)
        self.relevant = set(chosen.tolist())
        self._chance = 1.0 - 2.0 ** (-1.0 / self.literals)

    def _draw(self) -> tuple[dict[int, float], int]:
        on = np.flatnonzero(self._rng.random(self.dimension) < self._chance).tolist()
        y = 1 if self.relevant.intersection(on) else -1
        return dict.fromkeys(on, 1.0), self._flip(y)


class UnitVectors(_Examples):
    """The unit vectors in order, all +1: the Perceptron's bound is tight.

    Mohri et al. (2018), Exercise 8.3.

    With `R = 1` and margin `1 / sqrt(T)` the bound is T, and a Perceptron without an intercept updates
    in every round, since its score of unseen features is 0. It ends after `size` rounds.

    Parameters: `size` T >= 1.

    >>> list(UnitVectors(2))
    [({0: 1.0}, 1), ({1: 1.0}, 1)]
    """

    def __init__(self, size: int) -> None:
        super().__init__()
        self.size = whole(size, "size")

    def _draw(self) -> tuple[dict[int, float], int]:
        if self.rounds == self.size:
            raise Exhausted
        return {self.rounds: 1.0}, 1


class ExponentialInstance(_Examples):
    """N points over and over, which cost the Perceptron exponentially many updates.

    Mohri et al. (2018), Exercise 8.1.

    `y_i x_i = (-1, .., -1, +1, 0, .., 0)`, the +1 at i, so that a separating weight is larger than the
    sum of all before it. A Perceptron without an intercept makes `(4^N - 1) / 3` updates and ends at
    the weights `1, 2, 4, .., 2^(N-1)`.

    Parameters: `size` N >= 1.

    >>> from itertools import islice
    >>> list(islice(ExponentialInstance(2), 3))
    [({0: 1.0}, 1), ({0: 1.0, 1: -1.0}, -1), ({0: 1.0}, 1)]
    """

    def __init__(self, size: int) -> None:
        super().__init__()
        self.size = whole(size, "size")

    def _draw(self) -> tuple[dict[int, float], int]:
        i = self.rounds % self.size
        y = 1 if i % 2 == 0 else -1
        return {j: float(y if j == i else -y) for j in range(i + 1)}, y


class WeakVotes(_Examples):
    """Independent voters that are right a little more often than not.

    Luo (2016), Theorem 10.

    The stream behind the lower bound on online boosting: labels are fair coins, and voter i says the
    label with probability `1/2 + 2 edge`. No combination of them errs less often than their majority,
    which errs with probability about `exp(-8 n edge^2)`, so that few mistakes need many voters. With
    `excess` S, they guess in the first `S / (4 edge)` rounds, as weak learners may.

    Parameters: `n` >= 1, how many voters; `edge` gamma in (0, 1/4); `excess` S >= 0; `seed`. `x` has the
    votes, -1 or 1. `best` is the number of mistakes of the majority, a tie being one half.

    >>> from itertools import islice
    >>> votes = WeakVotes(25, edge=0.1, seed=0)
    >>> examples = list(islice(votes, 1000))
    >>> votes.best() < 100, sum(x[0] != y for x, y in examples) > 250  # the majority, one voter
    (True, True)
    """

    def __init__(self, n: int, edge: float, *, excess: float = 0.0, seed: int = 0) -> None:
        super().__init__(seed=seed)
        self.n, self.edge = whole(n, "n"), within(edge, "edge", "(0, 1/4)")
        self.excess = not_negative(excess, "excess")

    def _draw(self) -> tuple[dict[int, float], int]:
        y = 1 if self._rng.random() < 0.5 else -1
        knows = self.rounds >= self.excess / (4.0 * self.edge)
        right = self._rng.random(self.n) < (0.5 + 2.0 * self.edge if knows else 0.5)
        votes = np.where(right, y, -y).astype(np.float64)
        agree = float(votes.sum()) * y
        self._flipped += 0.0 if agree > 0 else 0.5 if agree == 0 else 1.0
        return dict(enumerate(votes.tolist())), y


class NoisyForecasts(Oblivious):
    """Forecasts of 0 or 1 whose mean is the target (Luo (2016), Theorem 15).

    The stream behind the lower bound on boosting regressors with `calls` N weak learners: the target is
    `1/2 + e` or `1/2 - e` by a fair coin, `e = 1 / (10 sqrt(N))`, and each of M functions says 1 with
    that probability. All of them together know the target; N of them cannot tell the two apart, and
    lose at least of the order of `T / N`.

    Parameters: `calls` N >= 1; `functions` M, by default `4000 N`; `seed`. `x` has the forecasts of the
    functions. The loss is `(forecast - target)^2 / 2`, and `best` is that of the mean of all functions.

    >>> x, y = next(iter(NoisyForecasts(4, functions=1000, seed=0)))
    >>> round(y, 2), abs(sum(x.values()) / 1000 - y) < 0.1
    (0.55, True)
    """

    def __init__(self, calls: int, *, functions: int | None = None, seed: int = 0) -> None:
        self.calls = whole(calls, "calls")
        self.functions = 4000 * self.calls if functions is None else whole(functions, "functions")
        self._rng = generator(seed, "examples")
        self._next: tuple[dict[int, float], float] | None = None
        self._least = 0.0

    def instance(self) -> dict[int, float]:
        if self._next is None:
            away = 0.1 / math.sqrt(self.calls)
            y = 0.5 + (away if self._rng.random() < 0.5 else -away)
            says = (self._rng.random(self.functions) < y).astype(np.float64)
            self._next = dict(enumerate(says.tolist())), y
        return self._next[0]

    def respond(self, choice: Any) -> float:
        x = self.instance()
        y = self._next[1] if self._next is not None else 0.5
        self._next = None
        self._least += (sum(x.values()) / len(x) - y) ** 2 / 2.0
        return y

    def loss(self, choice: Any, answer: Any) -> float:
        return (float(choice) - float(answer)) ** 2 / 2.0

    def best(self) -> float:
        return self._least


# --- adversaries of whoever predicts labels 0 and 1: they answer with what was not predicted ------


def _opposite(prediction: Any) -> int:
    """The label against a prediction: 0, 1, a probability of 1, or None without a prediction."""
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

    The examples are empty (x is an empty dict), and against two constant experts a learner that
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
        """The advice of two constant experts."""
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
    A learner that follows the first hypothesis without a mistake errs in all rounds but the last;
    Halving errs at most `log2 |H|` times, and the standard optimal algorithm once.

    Parameters: `size` >= 2, the number of hypotheses, of points and of rounds. `table[j, x]` is the
    label of hypothesis j at x; `x` is the number of a point.

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
        """The labels of the hypotheses at a point."""
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

    The node that a path of labels leads to is shown `rounds // depth` times, with a fair coin as its
    label; the label that came more often (if equal, 1) leads on. Every learner errs in half of the
    rounds, in expectation; the hypothesis at the end of the path errs only where the fewer labels were,
    so the regret is `expected_regret()` in expectation, at least `sqrt(depth T / 8)`.

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
        """The exact expected regret of every learner when all rounds have been played."""
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
