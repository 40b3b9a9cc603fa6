"""The kernel Perceptron.

Mohri et al. (2018), Figures 8.8 and 8.9; Shalev-Shwartz (2012), section 3.3.1.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from regretless import _core
from regretless._core import Total
from regretless.base import rows
from regretless.base.arguments import Array, flag, not_negative, numbers, one_of, positive, whole
from regretless.base.classifier import Classifier
from regretless.base.model import PythonModel, Row, Rows, moved
from regretless.base.options import option
from regretless.base.state import Parts
from regretless.base.weights import HasWeights
from regretless.certificates import Certificate
from regretless.linear.kernels import Kernel, SupportVectors, kernel_of, known_kernel
from regretless.linear.mistakes import cycle
from regretless.losses import Loss
from regretless.losses import Perceptron as ConservativeHinge

# --- the Perceptron's theorems for a run in the space of a kernel ---------------------------------

_EPS = float(np.finfo(float).eps)


@dataclass(frozen=True)
class KernelLane:
    """The run of one lane against one comparator `h` of norm 1.

    Attributes: `updates`, M; `squares`, the sum of `K(x_t, x_t)` over the update rounds; `radius`, the
    largest `sqrt(K(x_t, x_t))` of them; `norm`, that of the weights; `margins`, the values `y_t h(x_t)`
    that occurred in update rounds, and `counts`, the number of rounds of each.
    """

    updates: int
    squares: float
    radius: float
    norm: float
    margins: Array
    counts: Array

    def bounds(self, rho: Array) -> dict[str, Array]:
        """The bounds on M by name, for each margin of `rho`."""
        a = self.radius / rho
        hinge = np.maximum(0.0, 1.0 - self.margins / rho[:, None])
        l1 = hinge @ self.counts
        l2 = np.sqrt(hinge**2 @ self.counts)
        return {
            "separable": np.where(l1 > 0.0, math.inf, a**2),
            "l1": ((a + np.sqrt(a**2 + 4.0 * l1)) / 2.0) ** 2,
            "l2": (a + l2) ** 2,
            "data": l1 + math.sqrt(self.squares) / rho,
        }

    def candidates(self) -> Array:
        """Margins to try: all are valid; the best is among the margins of updates or near the radius."""
        radius = self.radius or 1.0
        met = self.margins[self.margins > 0.0]
        return np.concatenate([radius * np.geomspace(1e-4, 1e4, 257), met[:1024]])


@dataclass(frozen=True)
class KernelCertificate(Certificate):
    """Bounds on the number of updates of a kernel Perceptron, by the losses of a function `h`.

    For every `h` of norm 1 in the space of the kernel and every `rho > 0`, with the losses
    `l_t = max(0, 1 - y_t h(x_t) / rho)` over the update rounds only, `r` the largest
    `sqrt(K(x_t, x_t))` of these rounds:

        separable   M <= r^2 / rho^2,  if all l_t = 0               (Theorem 8.8)
        l1          M <= ((r/rho + sqrt(r^2/rho^2 + 4 ||l||_1)) / 2)^2   (Thm 8.11)
        l2          M <= (r/rho + ||l||_2)^2                        (Thm 8.12)
        data        M <= ||l||_1 + sqrt(sum K(x_t, x_t)) / rho      (Ex. 8.11)

    With several classes each lane is a separate Perceptron, and the bounds are added up.

    Attributes: those of `Certificate`, and `lanes`, the run of each lane; `against`, the coefficients of
    h that were given, or None for the weights themselves.

    >>> lane = KernelLane(4, 4.0, 1.0, 2.0, margins=np.array([0.5]), counts=np.array([4.0]))
    >>> c = KernelCertificate.of(9, (lane,), margin=0.5)
    >>> c.updates, c.bounds["separable"], c.holds
    (4, 4.0, True)
    """

    lanes: tuple[KernelLane, ...] = ()

    @classmethod
    def of(
        cls,
        rounds: int,
        lanes: tuple[KernelLane, ...],
        *,
        margin: float | None = None,
        assumptions: dict[str, bool | None] | None = None,
        against: Any = None,
    ) -> Self:
        """The certificate of some lanes, for the margin rho; by default each bound at its best.

        >>> lane = KernelLane(1, 1.0, 1.0, 1.0, np.array([1.0]), np.array([1.0]))
        >>> KernelCertificate.of(1, (lane,)).bounds["separable"]
        1.0
        """
        total = {"separable": 0.0, "l1": 0.0, "l2": 0.0, "data": 0.0}
        for lane in (lane for lane in lanes if lane.updates):
            tried = lane.candidates() if margin is None else np.array([positive(margin, "margin")])
            for name, values in lane.bounds(tried).items():
                total[name] += float(values.min())
        updates = sum(lane.updates for lane in lanes)
        whose = "the weights themselves" if against is None else "the given function"
        return cls(
            rounds,
            None,
            total,
            "Mohri et al. (2018), Theorems 8.8, 8.11, 8.12, Exercise 8.11",
            assumptions or {},
            f"{whose}, scaled to norm 1",
            against,
            # margins and the norm are sums of one kernel value for each update
            16.0 * _EPS * (updates + 2) * min(total.values()),
            lanes=lanes,
        )

    @property
    def updates(self) -> int:
        """The number of updates M, of all lanes together."""
        return sum(lane.updates for lane in self.lanes)

    @property
    def measured(self) -> float:
        """The number of updates."""
        return self.updates


# --- the dual form of the Perceptron: coefficients of the examples with an update -----------------

_BY_VECTOR = ("coefficients", "stamps", "counts", "diagonal", "born")
_FAR = 1e150  # the largest coefficient: its products are still finite


class KernelModel(PythonModel):
    """Support vectors, shared by the lanes, and a coefficient of each for every lane."""

    kernel: Kernel

    def __init__(self, offset: bool, average: str, budget: int | None) -> None:
        super().__init__(ConservativeHinge(), bits=0, names=0, intercept=False)
        self.offset, self.average, self.budget = float(offset), average, budget
        self.support = SupportVectors()
        self.coefficients: Array = np.zeros((0, 1))  # the sum of w y over the updates
        self.stamps: Array = np.zeros((0, 1))  # the same, each term times when it was made
        self.counts: Array = np.zeros((0, 1))  # the number of the updates
        self.diagonal: Array = np.zeros(0)  # K(s, s)
        self.born: Array = np.zeros(0)  # when a point was first stored
        # by lane: updates, sum and maximum of K(x, x) over them
        self.run: Array = np.zeros((3, 1))
        self.dropped = 0  # support vectors
        self.weighed = 0  # updates with an importance other than 1
        self._where: dict[bytes, int] = {}
        self._keys: list[bytes] = []

    # --- the algorithm -------------------------------------------------------------------------------

    def predict(self, x: Row) -> Array:
        return self._mean(self._kernel(x.in_order()))

    def played(self, x: Row) -> Array:
        return _combined(self.coefficients, self._kernel(x.in_order()))

    def predict_many(self, X: Rows) -> Array:
        """The scores of several examples, equal to those of `predict` if the kernel's values are."""
        scores, done = np.zeros((len(X), self.lanes)), 0
        for values in self.kernel.tables(self.support, X.in_order()):
            part = slice(done, done + len(values))
            scores[part] = [self._mean(each) for each in self._checked(values, done)]
            done = part.stop
        return scores

    def learn(self, x: Row, y: Array, importance: float) -> tuple[Array, Array, Array]:
        x = x.in_order()
        values = self._kernel(x)
        played = _combined(self.coefficients, values)
        predicted = played if self.average == "none" else self._mean(values)
        wrong = y * played <= 0.0
        if wrong.any():
            self._add(x, y, wrong, importance)
        margins = np.where(wrong, y * played, 0.0)
        return predicted, wrong - margins, -margins

    def _kernel(self, x: Row) -> Array:
        return self._checked(self.kernel.between(self.support, x))

    def _checked(self, values: Array, first: int = 0) -> Array:
        """Values of the kernel, of one example or of several that start at number `first`."""
        if not np.isfinite(values).all():
            *row, at = np.argwhere(~np.isfinite(values))[0].tolist()
            example = f"example {first + row[0]} of this call" if row else "the example"
            self._refuse(values[*row, at], f"of {example} and support vector {at}")
        return values + self.offset if self.offset else values

    def _refuse(self, value: float, what: str) -> None:
        raise ValueError(
            f"kernel={self.kernel.name} returned {value} {what}; it must be finite, and K(x, x) must "
            "not be negative: scale the features or use another kernel"
        )

    def _mean(self, values: Array) -> Array:
        """The score of the predicting weights: the last, or the mean of some."""
        score = _combined(self.coefficients, values)
        if self.average == "none":
            return score
        clock = self._clock()
        return score - _combined(self.stamps, values) / np.maximum(clock, 1.0)

    def _clock(self) -> Array:
        """Vectors in the mean so far: one for each round, or one for each update."""
        clock: Array = self.totals[Total.rounds] if self.average == "survival" else self.run[0]
        return clock

    def _add(self, x: Row, y: Array, wrong: NDArray[np.bool_], importance: float) -> None:
        own = self.kernel.square(x)
        if not 0.0 <= own < np.inf:
            self._refuse(own, "of the example and itself")
        own += self.offset
        key = _key(x)
        at = self._where.get(key)
        if at is None:
            at = self._store(x, key, own)
        step = importance * y * wrong
        self.coefficients[at] += step
        # w_1 to w_T lack the update of round T; of K updates the first is in K vectors
        self.stamps[at] += step * (self._clock() + (self.average == "survival"))
        self.counts[at] += wrong
        self.run[0] += wrong
        self.run[1] += own * wrong
        self.weighed += importance != 1.0
        self.run[2] = np.maximum(self.run[2], own * wrong)

    def _store(self, x: Row, key: bytes, own: float) -> int:
        if self.budget is not None and self.support.size >= self.budget:
            at = self._least()
            self.support.replace(at, x)
            del self._where[self._keys[at]]
            self._keys[at] = key
            self.dropped += 1
        else:
            at = self.support.size
            self.support.append(x)
            self._keys.append(key)
            if at == len(self.diagonal):
                self._grow()
        self._where[key] = at
        for table in (self.coefficients, self.stamps, self.counts):
            table[at] = 0.0
        self.diagonal[at], self.born[at] = own, self.born.max(initial=0.0) + 1.0
        return at

    def _grow(self) -> None:
        more = max(8, self.support.size // 4)
        for name in _BY_VECTOR:
            old = getattr(self, name)
            setattr(self, name, np.concatenate([old, np.zeros((more, *old.shape[1:]))]))

    def _least(self) -> int:
        """The support vector whose removal changes the weights least, the oldest if several do."""
        size = self.support.size
        change = (self.coefficients[:size] ** 2).sum(axis=1) * self.diagonal[:size]
        least = np.flatnonzero(change <= change.min())
        return int(least[self.born[least].argmin()])

    # --- the learned state ---------------------------------------------------------------------------

    def dual(self) -> Array:
        """The coefficients of the predicting weights (support vectors x lanes)."""
        size = self.support.size
        out = self.coefficients[:size].copy()
        if self.average != "none":
            out -= self.stamps[:size] / np.maximum(self._clock(), 1.0)
        return out

    def weights(self) -> Array:
        """The weights of the features (known x lanes, flat) where the kernel is linear."""
        if not self.kernel.linear:
            raise AttributeError(
                f"kernel={self.kernel.name} has no weights of features; use support_vectors_ and "
                "dual_coef_"
            )
        coefficients = self.dual()
        table = self.support.matrix(self.reader.size).T @ coefficients
        table[0] = self.offset * coefficients.sum(axis=0)
        return table.ravel()

    def gradient_norms(self) -> Sequence[float]:
        raise NotImplementedError("the sum of gradients is in the space of the kernel")

    def gram_times(self, coefficients: Array) -> Array:
        """`K c` over the support vectors, for each lane of `c`."""
        rows = [_combined(coefficients, self._kernel(x)) for x in self.support_rows()]
        return np.array(rows).reshape(coefficients.shape)

    def support_rows(self) -> Iterator[Row]:
        """The support vectors."""
        return (self.support.row(s, self.reader.size) for s in range(self.support.size))

    def relabel(self, sources: Sequence[int], signs: Array) -> None:
        self.coefficients = moved(self.coefficients, sources, signs)
        self.stamps = moved(self.stamps, sources, signs)
        self.counts = moved(self.counts, sources)
        self.run = moved(self.run, sources)

    def arrays(self) -> dict[str, NDArray[Any]]:
        size = self.support.size
        return {
            **{name: getattr(self, name)[:size] for name in _BY_VECTOR},
            "run": self.run,
            "odd": np.array([self.dropped, self.weighed]),
            **self.support.arrays(),
        }

    def take(self, parts: Parts) -> None:
        self.support = SupportVectors.of(parts)
        size, lanes = self.support.size, self.lanes
        for name in _BY_VECTOR:
            low = 0.0 if name in ("counts", "diagonal", "born") else -_FAR
            shape = (size,) if name in ("diagonal", "born") else (size, lanes)
            setattr(self, name, parts.array(name, shape, low, _FAR))
        self.run = parts.array("run", (3, lanes), 0.0)
        self.dropped, self.weighed = parts.array("odd", (2,), 0, 2**53, np.int64).tolist()
        if self.budget is not None and size > self.budget:
            raise ValueError(f"{size} support vectors exceed budget={self.budget}")
        self._keys = [_key(x) for x in self.support_rows()]
        self._where = {key: s for s, key in enumerate(self._keys)}
        if len(self._where) < size or len(np.unique(self.born)) < size:
            raise ValueError("a support vector occurs twice")


def _key(x: Row) -> bytes:
    return x.columns.tobytes() + x.values.tobytes()


def _combined(coefficients: Array, values: Array) -> Array:
    """The sum of `values` times the coefficients of each lane."""
    # einsum, because a product of this shape would wake the threads of BLAS
    return np.asarray(np.einsum("sk,s->k", coefficients[: len(values)], values))


# --- the kernel Perceptron ------------------------------------------------------------------------

_AVERAGES = ("none", "survival", "uniform")


class KernelPerceptron(HasWeights, Classifier, in_core=False):
    """The Perceptron with a kernel, which separates data that linear models cannot.

        score(x) = sum_s c_s K(x_s, x)
        if y_t score(x_t) <= 0:  c_t <- c_t + y_t

    Only examples that caused an update are stored, each once even if it comes back, so that a
    prediction takes one kernel value for each of them. For every `h` of norm 1 in the space of the
    kernel and every `rho > 0` the number of updates is at most
    `((r/rho + sqrt(r^2/rho^2 + 4 ||l||_1)) / 2)^2`, with `r^2` the largest `K(x_t, x_t)` and `l_t` the
    hinge loss `max(0, 1 - y_t h(x_t) / rho)`, both over the update rounds (Mohri et al. (2018),
    Theorem 8.11); `certificate()` has this bound and three others. With the linear kernel the learner
    is `Perceptron`.

    >>> model = KernelPerceptron(kernel="polynomial", degree=2)
    >>> xor = [([0, 0], 0), ([0, 1], 1), ([1, 0], 1), ([1, 1], 0)]
    >>> done = model.cycle([x for x, _ in xor], [y for _, y in xor])
    >>> [model.predict_one(x) for x, _ in xor]
    [0, 1, 1, 0]
    >>> done.separated, model.certificate().holds
    (True, True)
    """

    kernel: str | Callable[[Any, Any], Any] = option(
        known_kernel,
        default="linear",
        text=""""linear", `<s, x>`; "polynomial", `(gamma <s, x> + coef0)^degree`; "rbf",
        `exp(-gamma ||s - x||^2)`; or a positive semi-definite function of two matrices that
        returns the matrix of the values for all pairs of rows (many pairs for a batch). The
        function sees feature number j in column j; if some features have names, columns are
        in the order in which features appeared""",
    )
    degree: int = option(whole, default=2, text="degree of the polynomial")
    gamma: float = option(
        positive,
        default=1.0,
        text="""scale of the kernel; for "rbf" `1 / (2 r^2)`, with r the distance at which examples
        are alike""",
    )
    coef0: float = option(
        not_negative,
        default=1.0,
        hint=", or the kernel is none",
        text="constant term of the polynomial",
    )
    average: str = option(
        one_of,
        _AVERAGES,
        default="none",
        text="""weights that predict. "none": the last. "survival": the mean of the weights played
        so far, `w_1` to `w_T`, each as often as it was played. "uniform": the mean of the
        distinct weights after each update. Updates always use the last weights""",
    )
    budget: int | None = option(
        whole,
        default=None,
        hint=", or None",
        text="""number of examples to store, or None for all. When there is no room the support
        vector with the smallest `|c_s| sqrt(K(x_s, x_s))` is dropped, the oldest if there
        are several: the score of an example x changes by at most this times
        `sqrt(K(x, x))`. The bounds then no longer hold""",
    )
    intercept: bool = option(
        flag, default=True, text="add 1 to the kernel: a constant feature in its space"
    )

    _yours: ClassVar[tuple[str, ...]] = ("kernel",)
    features, bits, names, certify = "exact", 18, 0, False  # stored examples need the names
    seed, precision = 0, "single"  # of features; all else is in double precision
    certifies = "itself"
    cycle = cycle

    @property
    def is_linear(self) -> bool:
        return self._dual.kernel.linear

    def _parts(self) -> tuple[Loss, str, dict[str, Any]]:
        return ConservativeHinge(), "kernel", {}

    def _made(
        self, twin: _core.Loss, rule: str, options: dict[str, Any], *, certify: bool = False
    ) -> KernelModel:
        model = KernelModel(bool(self.intercept), self.average, self.budget)
        model.kernel = kernel_of(self.kernel, self.degree, self.gamma, self.coef0, model.reader)
        model.asks_names = callable(self.kernel)
        return model

    def _reads(self) -> rows.Form:
        return rows.Form(intercept=False)  # the kernel adds the constant, not the example

    @property
    def _dual(self) -> KernelModel:
        model = self._model or self._start()
        assert isinstance(model, KernelModel)
        return model

    # --- the learned state ---------------------------------------------------------------------------

    @property
    def updates_(self) -> int:
        """The number of updates, of all lanes together."""
        return int(self._dual.run[0].sum())

    @property
    def support_vectors_(self) -> list[dict[Any, float]]:
        """The stored examples, each a dict from the names of its features."""
        names = self._dual.names()
        return [
            {names.get(c, c - 1): v for c, v in zip(x.columns.tolist(), x.values.tolist())}
            for x in self._dual.support_rows()
        ]

    @property
    def dual_coef_(self) -> Array:
        """The coefficients of support vectors; a column per label for three or more labels."""
        table = self._dual.dual()
        return table[:, 0] if table.shape[1] == 1 else table

    def certificate(  # type: ignore[override]
        self, comparator: Any = None, *, margin: float | None = None
    ) -> KernelCertificate:
        """Bounds on the number of updates: see `KernelCertificate`.

        Parameters: `comparator`, the function `h = sum_s b_s K(x_s, .)`, given by its coefficients of
        the support vectors, shaped as `dual_coef_`, and scaled to norm 1; by default the weights
        themselves. `margin`, rho > 0, of the bounds; by default the best one for each bound.
        """
        model = self._dual
        size = model.support.size
        own = model.coefficients[:size]
        beta = own if comparator is None else self._comparator(comparator, own.shape)
        values, norms = _values(model, beta)
        h = values / np.where(norms > 0.0, norms, 1.0)
        lengths = norms if comparator is None else _values(model, own)[1]
        lanes = []
        for k in range(model.lanes):
            count, coefficient = model.counts[:size, k], own[:, k]
            up, down = (count + coefficient) / 2.0, (count - coefficient) / 2.0
            margins, counts = np.concatenate([h[:, k], -h[:, k]]), np.concatenate([up, down])
            updates, squares, largest = model.run[:, k].tolist()
            there = counts > 0.0
            lanes.append(
                KernelLane(
                    int(updates),
                    squares,
                    float(np.sqrt(largest)),
                    float(lengths[k]),
                    margins[there],
                    counts[there],
                )
            )
        return KernelCertificate.of(
            self.examples_,
            tuple(lanes),
            margin=margin,
            assumptions={
                "no support vector was dropped": model.dropped == 0,
                "the importance of every update is 1": model.weighed == 0,
            },
            against=None if comparator is None else beta,
        )

    def _comparator(self, given: Any, shape: tuple[int, ...]) -> Array:
        beta = numbers(given, "comparator", "a list of coefficients")
        if beta.size != np.prod(shape) or not np.isfinite(beta).all():
            raise ValueError(
                f"comparator has shape {beta.shape}: {shape[0]} finite coefficients are expected, one "
                f"for each support vector{' and label' if shape[1] > 1 else ''}"
            )
        return beta.reshape(shape)


def _values(model: KernelModel, coefficients: Array) -> tuple[Array, Array]:
    """The values of functions at the support vectors, and their norms."""
    values = model.gram_times(coefficients)
    return values, np.sqrt(np.maximum(0.0, (coefficients * values).sum(axis=0)))
