"""Audits: lower bounds on the loss of all linear models of a given norm, beside any model."""

import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from regretless import _core, losses
from regretless.audit.scores import (
    Judged,
    checked,
    checked_score,
    checked_scores,
    code_of,
    codes_of,
)
from regretless.base import arguments, rows
from regretless.base.arguments import LARGEST_VALUE, Array, shown
from regretless.base.classifier import Labels, label_array
from regretless.base.learner import weight_array
from regretless.base.options import options_of
from regretless.base.state import MOST, Parts, Stateful
from regretless.base.threads import of_options
from regretless.certificates import Certificate
from regretless.losses import Loss

# --- the exact minimum of the squared loss over a ball of models ----------------------------------

DOUBLE, SINGLE = 2.0**-53, 2.0**-24  # the relative errors of roundings


def exact_bound(packed: Array, count: float) -> Callable[[float], float]:
    """The lower bound on the total squared loss of models of any norm, from moments of the examples.

    With `g_t = 2 (<u, x_t> - y_t)`, for any u,

        -sum l*(g) = sum y^2 - u'A u  and  G = 2 (A u - b),  where A = sum x x', b = sum y x.

    Parameters: `packed`, the lower triangle of the sums of products of `(y, x)`; `count`, the number of
    examples.
    """
    size = math.isqrt(2 * len(packed))  # rows of the triangle
    square = np.zeros((size, size))
    square[np.tril_indices(size)] = packed
    A, b, c = square[1:, 1:], square[1:, 0], packed[0]
    A = A + np.tril(A, -1).T
    if not c > 0.0:
        return lambda _: 0.0
    best_in_ball = _best_in_ball(A, b)
    roots = np.sqrt(np.diag(A))

    def bound(norm: float) -> float:
        u = best_in_ball(norm)
        reach, spread = np.abs(u) @ roots, np.linalg.norm(roots)
        n = DOUBLE * (count + len(b) + 64)  # relative rounding error of a sum
        loss = max(0.0, u @ A @ u - 2 * (b @ u) + c) + n * (reach + math.sqrt(c)) ** 2
        dual = 2 * np.linalg.norm(A @ u - b) + 2 * spread * (
            n * (reach + math.sqrt(c)) + 1.001 * SINGLE * math.sqrt(loss)
        )
        bound = c - u @ A @ u - n * (reach**2 + c) - norm * dual
        return float(bound) if math.isfinite(bound) else 0.0

    return bound


def _best_in_ball(A: Array, b: Array) -> Callable[[float], Array]:
    """The minimum of u'A u - 2 b'u over balls of any radius, up to rounding."""
    if not A.any():
        return lambda _: np.zeros(len(b))
    values, vectors = np.linalg.eigh(A)
    values = np.maximum(values, 0.0)
    along = vectors.T @ b
    least = values[-1] * 1e-13 * len(b)

    def at(price: float) -> Array:
        return np.where(values + price > least, along / np.maximum(values + price, least), 0.0)

    def within(norm: float) -> Array:
        if np.linalg.norm(at(0.0)) <= norm:
            return np.asarray(vectors @ at(0.0))
        low, high = 0.0, float(np.linalg.norm(along)) / max(norm, 1e-300)
        for _ in range(200):
            middle = 0.5 * (low + high) if low == 0.0 or high > 4 * low else math.sqrt(low * high)
            low, high = (middle, high) if np.linalg.norm(at(middle)) > norm else (low, middle)
            if high - low <= 1e-15 * high:
                break
        return np.asarray(vectors @ at(high))

    return within


# --- the audit ------------------------------------------------------------------------------------

_LOSSES = (
    *(losses.Logistic, losses.Hinge, losses.SquaredHinge),
    *(losses.Squared, losses.Absolute, losses.Quantile, losses.EpsilonInsensitive),
)
_RATES, _MORE, _BLOCK = (0.3, 0.6), 1.2, 4  # rates of lanes, which come in vectors
_PARTS = ("value", "value_error", "norm", "norm_error")  # the columns of a lane


class Pass(NamedTuple):
    """The sums at the end of a pass; `loss` is the model's, None without scores."""

    lanes: Array
    examples: int
    weight: float
    loss: float | None


class Audit(Stateful):
    """A lower bound on the loss of all linear models of bounded norm on some examples.

    The auditor is shown the examples `(x, y)` that some model learns from, and optionally the scores
    that the model gave them: a River or scikit-learn model, a function or any other. Its statement,

        best_possible(norm): no linear model of norm at most `norm` has a smaller total loss,

    is about the examples alone, assumes nothing about them or the model, and holds always.

    The reason is that a convex loss is above its tangents. For every model `u` and any numbers `g_t` of
    the domain of the conjugates `l_t*`, with `G = sum g_t x_t`,

        sum l_t(<u, x_t>)  >=  sum (g_t <u, x_t> - l_t*(g_t))  >=  - sum l_t*(g_t) - ||u|| ||G||_*

    and the largest of several such bounds is a bound, too. The `g_t` come from the scores,
    `g_t = l_t'(s_t)`, and from lanes that exist only for this: for every norm, projected gradient
    descent in the ball of that radius, at two or three rates. A lane chooses `g_t` by a proximal step,
    that is, it ascends the bound in one coordinate. With `revisits` it does so again for that many of
    the kept examples (in the lanes of the larger norms; the other lanes are tight without).
    For the squared loss and at most 512 features, sums of `x x'` give the exact minimum.

    With `scaled=True` the norm of `u` is `sqrt(sum (u_i m_i)^2)`, where `m_i` is the largest size that
    the feature `i` has had **up to the end**, so that the norm does not depend on units. This is valid
    when a scale grows later: `G` is a sum in the units of the features, which does not depend on
    scales, and only when the bound is asked for `||G||_* = sqrt(sum (G_i / m_i)^2)` is computed, with
    the scales of that moment, by the inequality of Cauchy and Schwarz:
    `|<u, G>| = |sum (u_i m_i) (G_i / m_i)| <= ||u|| ||G||_*`. The lanes use the scales of their time,
    but any `g_t` that they choose is valid. (The set of models becomes smaller when a scale grows:
    the bound is about the models whose norm is at most `norm` now.)

    With three or more labels a model has weights for each label, which tell it from the rest; its loss
    is the sum of their losses on all examples, and its norm that of all weights together. The audited
    model has a score of 0 for labels that had not come yet.

    Rounding is part of the bound: additions in double precision, and features, which are read in
    single precision, each with the largest effect it can have. (Features below 1e-38 are subnormal in
    single precision; the statement is about what was read.)

    Parameters: `loss`, a `Loss` or the name of one: "logistic", "hinge", "squared_hinge", "squared",
    "absolute", "quantile" or "epsilon_insensitive"; `norms`, for which the bound is made tight (it can
    be asked for others); `scaled`, see above; `intercept`, whether models have a constant feature,
    whose weight counts in the norm like every other; `features`, `bits`: see `LinearClassifier`;
    `revisits`, how many examples are visited again with each new one: 1 takes nearly twice the time
    and is tighter at large norms; `memory`, how many examples are kept for that.

    >>> audit = Audit("logistic", norms=(1, 3))
    >>> for t in range(100):
    ...     audit.learn_one({"rain": t % 2, "wind": t % 3}, y=t % 4 == 1)
    >>> round(audit.best_possible(norm=1, mean=True), 3), round(audit.best_possible(3, mean=True), 3)
    (0.52, 0.381)

    Shalev-Shwartz and Singer (2007) describe online learning as such an ascent of the dual.
    """

    _engine_name = "_core"

    def __init__(
        self,
        loss: str | Loss,
        norms: Sequence[float] = (1, 3, 10),
        scaled: bool = True,
        *,
        intercept: bool = True,
        features: str = "exact",
        bits: int = 18,
        revisits: int = 0,
        memory: int = 8192,
    ) -> None:
        self.loss_function = losses.get(loss)
        if type(self.loss_function) not in _LOSSES:
            names = ", ".join(repr(kind().name) for kind in _LOSSES)
            raise ValueError(f"loss={shown(loss)} cannot be audited; these can: {names}")
        given = arguments.listed(norms, "norms", " of numbers")
        self.norms = tuple(arguments.positive(norm, "norms") for norm in given)
        if not 0 < len(self.norms) <= 64 or not 1e-19 <= min(self.norms) <= max(self.norms) <= 1e19:
            raise ValueError(f"norms={shown(norms)} must be 1 to 64 numbers from 1e-19 to 1e19")
        self.scaled, self.intercept = bool(scaled), bool(intercept)
        self.features = arguments.one_of(features, "features", ("exact", "hashed"))
        self.bits = arguments.whole(bits, "bits", 1, 31)
        self.revisits = arguments.whole(revisits, "revisits", 0, 1000)
        self.memory = arguments.whole(memory, "memory", 1, 2**24)
        self._reset()

    def _start(self) -> _core.Audit:
        twin = losses.compiled(self.loss_function)
        assert twin is not None
        hashed = self.bits if self.features == "hashed" else 0
        lanes = lanes_of(self.norms)
        return _core.Audit(
            twin,
            [norm for norm, _ in lanes],
            [rate for _, rate in lanes],
            self.scaled,
            self.intercept,
            hashed,
            self.memory,
            self.revisits,
        )

    def _reset(self) -> None:
        self._core = self._start()
        self._core.belongs_to(self)
        self._labels = Labels()
        self._earlier: list[Pass] = []
        self._missing = 0.0  # weight of the examples before a label, summed over labels after two
        self._moments: tuple[Array, float] | None = None  # first pass; its examples

    # --- learning ----------------------------------------------------------------------------------

    def learn_one(self, x: Any, y: Any, score: Any = None, w: float = 1.0) -> None:
        """Add one example, and optionally the score that a model gave it before it knew `y`.

        Two labels: the score is large where the second of `classes_` is likely. Three and more: a
        list in the order of `classes_`, or a dict from labels to scores, 0 for those that are missing.

        >>> audit = Audit("squared", norms=[1], intercept=False)
        >>> audit.learn_one({"a": 2.0}, y=3.0, score=0.5)
        >>> audit.loss, round(audit.best_possible(norm=1), 4)  # a is 1 in its own units: (1 - 3)^2
        (6.25, 4.0)
        """
        w = arguments.importance(w)
        row = x if isinstance(x, dict) else rows.row(x)
        if not self.loss_function.classification:
            target = arguments.number(y, "y")
            self._core.learn(row, target, w, checked_score(score, None), False, 1)
            return
        labels, exchanges = self._with(y)
        outputs = len(labels.labels) if len(labels.labels) > 2 else 1
        given = checked_score(score, labels.labels if outputs > 1 else None)
        before = self._core.weight if len(labels.labels) > max(2, len(self._labels.labels)) else 0.0
        self._core.learn(row, code_of(labels, y), w, given, exchanges, outputs)
        if w > 0:
            self._labels = labels
            self._missing += before

    def learn_many(self, X: Any, y: Any, scores: Any = None, w: Any = None) -> None:
        """Add a batch, as `learn_one` would row by row.

        `X` is a sparse matrix, an array, a data frame, an Arrow table or a piece of a stream; `scores`
        has a number for each row, with three or more labels one for each label of `classes_`, those of
        this batch among them.

        >>> audit = Audit("hinge", norms=[1])
        >>> audit.learn_many(np.eye(3), [True, False, True], scores=[0.1, -0.2, 0.3])
        >>> audit.examples_, round(audit.loss, 6)
        (3, 2.4)
        """
        batch, weights = rows.batch(X), weight_array(w)
        if weights is not None and len(weights) != batch.size:
            raise ValueError(f"X has {batch.size} rows, w has {len(weights)} weights")
        if not self.loss_function.classification:
            targets = np.ascontiguousarray(arguments.numbers(y, "y", "a list of numbers"))
            if targets.shape != (batch.size,):
                raise ValueError(f"X has {batch.size} rows, y has shape {targets.shape}")
            table = checked_scores(scores, batch.size, 1)
            batch.feed(self._core, targets, weights, None if table is None else table.ravel())
            return
        labels = label_array(y)
        if len(labels) != batch.size:
            raise ValueError(f"X has {batch.size} rows, y has {len(labels)} labels")
        fresh, known = self._joining(labels, weights)
        table = checked_scores(
            scores, batch.size, len(known.labels) if len(known.labels) > 2 else 1
        )

        def given(there: slice, _: Array) -> Array | None:
            return None if table is None else self._columns(table[there])

        self._learn_labels(batch, labels, weights, fresh, given)

    def _learn_judged(self, X: Any, y: Any, w: Any, judged: Judged) -> None:
        """Add a batch as `learn_many` does, with scores by label instead of by column."""
        batch, labels, weights = rows.batch(X), label_array(y), weight_array(w)
        if judged.margins is None:
            return self.learn_many(batch, labels, None, weights)
        margins, table = checked(judged.margins, "scores"), checked(judged.table, "scores")
        place = {label: k for k, label in enumerate(judged.labels)}

        def given(there: slice, codes: Array) -> Array:
            if self._core.outputs == 1:
                return np.where(codes > 0, margins[there], -margins[there])
            columns = [place.get(label, -1) for label in self._labels.labels]
            wide = np.pad(table[there], ((0, 0), (0, 1)))  # 0 for labels that have no column
            return np.ascontiguousarray(wide[:, columns]).ravel()

        return self._learn_labels(batch, labels, weights, self._joining(labels, weights)[0], given)

    def _learn_judged_one(self, x: Any, y: Any, w: float, judged: Judged) -> None:
        """Add one example as `learn_one` does, with scores by label."""
        if judged.margins is None:
            return self.learn_one(x, y, None, w)
        labels, _ = self._with(y)
        if len(labels.labels) > 2:
            return self.learn_one(x, y, dict(zip(judged.labels, judged.table[0])), w)
        margin = float(judged.margins[0])
        return self.learn_one(x, y, margin if code_of(labels, y) else -margin, w)

    def _learn_labels(
        self,
        batch: rows.Batch,
        labels: NDArray[Any],
        weights: Array | None,
        fresh: dict[int, Any],
        given: Callable[[slice, Array], Array | None],
    ) -> None:
        """Add a batch, cut where new labels begin; `given` returns the scores of a part."""
        if fresh:
            batch.feed(self._core, None, weights, None)  # a check of the whole batch
        starts = sorted({0, *fresh})
        for start, stop in zip(starts, [*starts[1:], batch.size]):
            if start in fresh:
                self._add(fresh[start])
            there = slice(start, stop)
            part = batch if len(starts) == 1 else batch[there]
            codes = codes_of(self._labels, labels[there])
            some = None if weights is None else weights[there]
            part.feed(self._core, codes, some, given(there, codes))

    def start_pass(self) -> None:
        """Start another pass, in which all the same examples come again, in any order.

        The lanes continue from their weights and choose better numbers for the examples; the bound is
        the largest of all passes.

        >>> audit = Audit("logistic", norms=[10])
        >>> X, y = np.eye(4)[[0, 1, 2, 3, 0, 1]], np.array([1, 0, 1, 0, 0, 1])
        >>> audit.learn_many(X, y)
        >>> first = audit.best_possible(10)
        >>> audit.start_pass()
        >>> audit.learn_many(X, y)
        >>> audit.best_possible(10) >= first
        True
        """
        self._earlier.append(self._pass())
        if self._moments is None and (moments := self._core.moments()) is not None:
            self._moments = moments, self._core.seen
        self._core.start_pass()
        self._missing = 0.0

    def _pass(self) -> Pass:
        """The sums of the current pass."""
        core = self._core
        loss = None
        if core.scored >= core.seen:
            loss = float(core.suffered + self._missing * self.loss_function.value(0.0, -1.0))
        return Pass(self._lanes(), int(core.seen), float(core.weight), loss)

    # --- results -----------------------------------------------------------------------------------

    def best_possible(self, norm: float, mean: bool = False) -> float:
        """A lower bound on the total loss of all linear models of norm at most `norm`.

        `mean=True` gives it per example, one of weight w counting w times. Losses are not negative, so
        the bound is at least 0.

        >>> Audit("logistic").best_possible(1)
        0.0
        """
        (best,) = self._best([arguments.not_negative(norm, "norm")])
        return best / (self.weight_ or 1.0) if mean else best

    def _best(self, norms: Sequence[float]) -> list[float]:
        """The bound for each of the norms, from one look at the lanes."""
        lanes = np.concatenate([self._lanes(), *(each.lanes for each in self._earlier)])
        value, value_error, dual, dual_error = lanes.T
        exact, found = self._exact(), []
        for norm in norms:
            with np.errstate(over="ignore", invalid="ignore"):
                bounds = value - value_error - norm * (dual + dual_error)
            found.append(float(max(np.nanmax(bounds, initial=0.0), exact(norm))))
        return found

    @property
    def loss(self) -> float:
        """The sum of the losses of the model whose scores were given, each times its weight.

        After several passes it is that of the first, in which the examples were new.
        """
        loss = self._first.loss
        if loss is None:
            raise ValueError(
                "some examples had no score; pass scores to every learn_one or learn_many"
            )
        return loss

    @property
    def mean_loss(self) -> float:
        """`loss` per example, one of weight w counting w times."""
        return self.loss / (self._first.weight or 1.0)

    @property
    def _first(self) -> Pass:
        """The first pass, in which examples are new."""
        return self._earlier[0] if self._earlier else self._pass()

    def bound(self, norm: float) -> float:
        """The bound on the regret of the audited model to all linear models of norm at most `norm`.

        >>> audit = Audit("squared", norms=[1], intercept=False)
        >>> audit.learn_one({"a": 2.0}, y=3.0, score=0.5)
        >>> round(audit.bound(norm=1), 4)
        2.25
        """
        return self.certificate(norm).bound

    def certificate(self, norm: float) -> Certificate:
        """The bound on the regret of the audited model against all linear models of this norm."""
        return self._certificate(norm, self.loss)

    def _certificate(self, norm: float, loss: float | None) -> Certificate:
        """The certificate of a model with this loss; without a bound if the loss is unknown."""
        best = self.best_possible(norm)
        unit = " in units of each feature" if self.scaled else ""
        examples = self._first.examples
        # each addition is wrong by an epsilon of all that was added up, at most
        count = examples * self._core.outputs + 64
        return Certificate(
            examples,
            None,
            {} if loss is None else {"dual": loss - best},
            "convexity: sum l_t(u) >= -sum l_t*(g_t) + <u, sum g_t x_t>",
            {"the loss is convex": True},
            f"linear models of norm at most {norm:g}{unit}",
            norm,
            0.0 if loss is None else 2 * DOUBLE * count * loss,
        )

    @property
    def examples_(self) -> int:
        """The number of examples seen in this pass, without those of weight 0."""
        return int(self._core.seen)

    @property
    def weight_(self) -> float:
        """Sum of the importance weights of the examples: their number if all are 1."""
        return float(max([self._core.weight, *(each.weight for each in self._earlier)]))

    @property
    def classes_(self) -> NDArray[Any]:
        """The labels seen; with two labels, positive scores are for the second."""
        return np.array(self._labels.labels)

    def _lanes(self) -> Array:
        """A row for each lane and one for the model: the sum of -l*, the norm of G, and roundings."""
        parts = self._core.parts()
        return np.column_stack([parts[name] for name in _PARTS])

    def _exact(self) -> Callable[[float], float]:
        """The bound from the moments of the first pass, if they were kept."""
        packed, count = self._moments or (self._core.moments(), float(self._core.seen))
        return (lambda _: 0.0) if packed is None else exact_bound(packed, count)

    # --- labels ------------------------------------------------------------------------------------

    def _with(self, label: Any) -> tuple[Labels, bool]:
        """The labels with this one added, and whether the two labels so far change places."""
        labels = self._labels
        try:
            if label in labels.index:
                return labels, False
        except TypeError:
            pass  # `check` raises a clear error
        label = labels.check(label)
        grown = Labels(labels.labels)
        grown.add(label)
        one = len(labels.labels) == 1
        first = labels.labels[0] if one else None
        return grown, one and grown.index[first] != code_of(labels, first)

    def _add(self, label: Any) -> None:
        grown, exchanges = self._with(label)
        if exchanges:
            self._core.exchange()
        if len(grown.labels) > max(2, self._core.outputs):
            self._core.extend(len(grown.labels))
            self._missing += self._core.weight
        self._labels = grown

    def _joining(
        self, labels: NDArray[Any], weights: Array | None
    ) -> tuple[dict[int, Any], Labels]:
        """The new labels of a batch by the place of their first weight, and all labels after it."""
        _, unknown = self._labels.encode(labels)
        known = Labels(self._labels.labels)
        for _, label in unknown:
            known.check(label)
        there = np.arange(len(labels)) if weights is None else np.flatnonzero(weights > 0)
        fresh = {int(there[t]): label for t, label in self._labels.encode(labels[there])[1]}
        for _, label in sorted(fresh.items()):
            if label not in known.index:
                known.check(label)
                known.add(label)
        return fresh, known

    def _columns(self, table: Array) -> Array:
        """The columns of current outputs in a table that may have columns of later labels."""
        outputs = self._core.outputs
        if table.shape[1] == 1 or outputs > 1:
            return np.ascontiguousarray(table[:, :outputs]).ravel()
        return np.ascontiguousarray(table[:, 1])

    # --- copies and files ----------------------------------------------------------------------------

    @of_options
    def _options(self) -> dict[str, Any]:
        plain = self.loss_function == losses.get(self.loss_function.name)
        loss = self.loss_function.name if plain else self.loss_function
        _, *others = options_of(Audit)
        return {"loss": loss} | {name: getattr(self, name) for name in others}

    def __getstate__(self) -> dict[str, Any]:
        kept = super().__getstate__()
        kept["_core"]["outputs"] = self._core.outputs
        return kept

    def _resume(self, learned: dict[str, Any]) -> None:
        self._core.restore(**learned)

    def _learned(self) -> dict[str, Any]:
        first, count = self._moments or (None, None)
        return {
            "outputs": self._core.outputs,
            "missing": self._missing,
            "labels": self._labels.labels,
            "passes": [tuple(each) for each in self._earlier],
            "first_moments": first,
            "first_examples": count,
            **self._core.state(),
        }

    def _restore(self, parts: Parts) -> None:
        outputs = parts.count("outputs")
        self._missing = parts.number("missing", 0.0)
        labels = Labels()
        found = parts.take("labels")
        for label in arguments.instance(found, "labels", list):
            if labels.check(label) not in labels.index:
                labels.add(label)
        if labels.labels != found or outputs != (len(found) if len(found) > 2 else 1):
            raise ValueError("the labels do not fit the outputs")
        self._labels = labels
        self._restore_passes(parts)
        every = {name: parts.array(name, (None,), *wanted) for name, wanted in _STATE.items()}
        if every["kept_targets"].size > self.memory:
            raise ValueError("more examples were kept than the option memory allows")
        self._core.restore(outputs, **every)

    def _restore_passes(self, parts: Parts) -> None:
        passes = arguments.instance(parts.take("passes"), "passes", list)
        shape = len(lanes_of(self.norms)) + 1, 4
        for lanes, examples, weight, loss in passes:
            known = None if loss is None else arguments.not_negative(loss, "passes")
            counts = (
                arguments.whole(examples, "passes", 0),
                arguments.not_negative(weight, "passes"),
            )
            self._earlier.append(Pass(Parts({"pass": lanes}).array("pass", shape), *counts, known))
        count = parts.take("first_examples")
        if count is None:
            arguments.instance(parts.take("first_moments"), "first_moments", type(None))
        else:
            first = parts.array("first_moments", (None,))
            if math.isqrt(2 * first.size) * (math.isqrt(2 * first.size) + 1) != 2 * first.size:
                raise ValueError("first_moments is not a triangle")
            self._moments = first, arguments.not_negative(count, "first_examples")


# the arrays of the core's state: the least and the largest value, and the type
_STATE: dict[str, tuple[float, float, type[np.generic]]] = {
    **dict.fromkeys(
        ("sums", "model_sums", "scalars", "kept_slopes", "kept_duals", "numbers", "moments"),
        (-MOST, MOST, np.float64),
    ),
    "kept_targets": (-LARGEST_VALUE, LARGEST_VALUE, np.float64),
    "kept_weights": (0.0, LARGEST_VALUE, np.float64),
    **dict.fromkeys(("weights", "kept_values"), (-1e38, 1e38, np.float32)),
    "scales": (0.0, 1e38, np.float32),
    **dict.fromkeys(("rows", "kept_rows", "name_rows"), (-MOST, MOST, np.uint32)),
    **dict.fromkeys(("kept_starts", "name_keys"), (-MOST, MOST, np.int64)),
    **dict.fromkeys(("names", "name_kinds"), (-MOST, MOST, np.uint8)),
}


def lanes_of(norms: Sequence[float]) -> list[tuple[float, float]]:
    """Norms and rates of lanes: two for each norm, and three for the largest norms.

    Lanes are sorted by norm, and those of the second half visit examples again.

    >>> lanes_of((1.0, 3.0, 10.0))[4:]
    [(3.0, 0.6), (10.0, 0.3), (10.0, 1.2), (10.0, 0.6)]
    """
    more = -2 * len(norms) % _BLOCK
    lanes = []
    for place, norm in enumerate(sorted(norms, reverse=True)):
        rates = [
            _RATES[0],
            *(_MORE * 2 ** (i // len(norms)) for i in range(place, more, len(norms))),
            _RATES[1],
        ]
        lanes += [(norm, rate) for rate in reversed(rates)]
    return lanes[::-1]
