"""The base of all learners: options, input, totals and state, independent of the model behind them."""

import warnings
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from regretless import _core, losses
from regretless._core import Total, Want
from regretless.base import arguments, rows
from regretless.base.arguments import Array, numbers
from regretless.base.model import Model, ModelOfObjects
from regretless.base.options import check_options
from regretless.base.schema import Schema, columns_of
from regretless.base.state import Parts, Stateful
from regretless.base.threads import in_turn, of_options
from regretless.errors import ColumnsWarning
from regretless.losses import Loss


class Learner(Stateful, ABC):
    """The base of classifiers and regressors, which learn one example at a time.

    A subclass defines `_parts`: the loss, and the rule of the core with its options. The model itself,
    `_model`, is made when the first example arrives.
    """

    _engine_name = "_model"
    _not_copied = ("_reading",)
    _keeps_what_is_given = True  # scikit-learn requires that
    classifies: ClassVar[bool]  # whether it predicts labels
    # comparators of `certificate()`: linear "models", the learner "itself", "" if it needs examples
    certifies: ClassVar[str] = ""

    @abstractmethod
    def _parts(self) -> tuple[Loss, str, dict[str, Any]]:
        """The loss, and the name and options of the rule of the core."""

    def _own_loss(self) -> Loss:
        """The loss of which `loss_` is the sum."""
        return self._parts()[0]

    @property
    def is_linear(self) -> bool:
        """Whether the score is `<w, x>`, with weight 0 for features that have not been seen."""
        return False

    def _outputs(self) -> list[Any]:
        """The labels of the lanes, if there are several lanes."""
        return []

    def _by_output(self, values: list[Any]) -> Any:
        """The value of the only lane, or a dict of the values of all lanes by label."""
        return values[0] if len(values) == 1 else dict(zip(self._outputs(), values, strict=True))

    # --- options, in scikit-learn's manner ---------------------------------------------------------

    def __post_init__(self) -> None:
        """Start untrained, and check the options together."""
        self._reset()
        if not self._checks_late:
            self._parts()  # checks options that depend on each other

    @of_options
    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The options of the learner, by name."""
        return self._options()

    def set_params(self, **options: Any) -> Self:
        """Change options; the learner forgets all that it has learned."""
        unknown = options.keys() - self._options().keys()
        if unknown:
            raise ValueError(f"{min(unknown)!r} is not an option of {type(self).__name__}")
        for name, value in options.items():
            setattr(self, name, value)
        self._reset()
        return self

    # --- the model ---------------------------------------------------------------------------------

    def _reset(self) -> None:
        self._model: Model | None = None
        self._reading: rows.Form | None = None
        # how the command line read columns and interactions
        self._read_as: dict[str, Any] | None = None
        self._schema: Schema | None = None  # if everything was learned from tables

    @in_turn
    def _start(self) -> Model:
        """Make the model after a check of every option."""
        if self._model is None:  # another thread may have made it meanwhile
            model = self._made(*self._compiled())
            if isinstance(model, _core.Learner):
                model.advice = self._advice()
            self._take(model)
        assert self._model is not None
        return self._model

    def _take(self, model: Model | None) -> None:
        if isinstance(model, _core.Learner):
            model.belongs_to(self)
        self._model = model

    def _advice(self) -> str:
        """The remedy that the error of a score that overflows recommends."""
        name = "LinearClassifier" if self.classifies else "LinearRegressor"
        return f"Scale the features, or use {name}(), whose steps do not depend on their scale"

    def _compiled(self) -> tuple[_core.Loss, str, dict[str, Any]]:
        """The loss of the core, and the rule with its options, after a check of all options."""
        check_options(self)  # again, because attributes can have been changed
        loss, rule, options = self._parts()
        twin = losses.compiled(loss)
        assert twin is not None
        return twin, rule, options

    def _made(
        self, twin: _core.Loss, rule: str, options: dict[str, Any], *, certify: bool = False
    ) -> Model:
        """A model of these parts; `certify`, whether it adds up gradients in double precision."""
        form = self._reads()
        parts = form.bits, form.names, form.intercept, certify, form.precise
        return _core.Learner(twin, rule, options, *parts)

    def _reads(self) -> rows.Form:
        """The form in which the learner reads examples: by name and with a constant feature."""
        return rows.Form()

    def form(self) -> rows.Form:
        """The form in which it wants examples from files; the learner and the reader share it."""
        if self._reading is None:
            self._reading = self._reads()
        return self._reading

    def _row(self, x: Any) -> Any:
        """One example that is not a dict, in the form of the model."""
        return rows.row(x)

    def _feed(
        self, batch: rows.Batch, labels: Any, importance: Any, want: Want = Want.nothing
    ) -> Any:
        core = self._model or self._start()
        if isinstance(core, ModelOfObjects):
            return core.feed(batch, labels, importance, want)
        self._compare_columns(batch)
        starts = self._schema is None and labels is not None and not self.examples_
        out = batch.feed(core, labels, importance, want)
        if starts and columns_of(batch) is not None:
            self._schema = Schema()
        if self._schema is not None and labels is not None:
            self._schema.learned(batch)
        if self._reading and self._reading.named:
            self._reading.named = core.wants_names
        return out

    def _compare_columns(self, batch: rows.Batch) -> None:
        """Warn of new or missing columns; `ValueError` if no column is known or a kind is wrong."""
        text = None if self._schema is None else self._schema.check(batch, self._knows_column)
        if text:
            warnings.warn(text, ColumnsWarning, stacklevel=5)

    def _knows_column(self, column: Any) -> bool:
        """Whether the model has a feature of this column; `learn_one` can have added it."""
        names = (self._model or self._start()).names().values()
        return column in names or any(str(name).startswith(f"{column}=") for name in names)

    def _to_predict(self, X: Any) -> rows.Batch:
        """Rows to predict, in a form of the core."""
        return rows.batch(X)

    def _batch_scores(self, X: Any) -> Array:
        core = self._model or self._start()
        batch = self._to_predict(X)
        scores: Array = self._feed(batch, None, None, Want.scores)
        return scores.reshape(batch.size, core.lanes)

    @property
    def examples_(self) -> int:
        """The number of examples learned."""
        return int(self._model.most(Total.rounds)) if self._model else 0

    @property
    def weight_(self) -> float:
        """The sum of the importance weights of the examples learned: their number if all are 1."""
        return self._model.most(Total.weights) if self._model else 0.0

    @property
    def updates_(self) -> int:
        """The number of examples that changed the weights, added up over lanes."""
        return int(self._model.total(Total.updates)) if self._model else 0

    @property
    def loss_(self) -> float:
        """The sum of the losses, each at the weights before the example was learned.

        For three or more labels the losses of all lanes are added up.
        """
        return self._model.total(Total.loss) if self._model else 0.0

    def _weights_by_name(self) -> Any:
        """The weights by name; with three or more outputs, a dict of these by output."""
        names, table, _ = self._weights()
        return self._by_output([dict(zip(names, column)) for column in table.T.tolist()])

    def _intercepts(self) -> Any:
        """The weight of the constant feature; with three or more outputs, by output."""
        return self._by_output(self._weights()[2].tolist())

    def _weights(self) -> tuple[list[Any], Array, Array]:
        """The names, weights (features x lanes) and intercepts (lanes), if the model has weights."""
        core, hashed = self._model or self._start(), self.form().bits > 0
        if hashed and isinstance(core, _core.Learner):
            used = np.union1d(core.used(), np.zeros(1, np.uint32))  # often few
            table = core.weights(used).reshape(-1, core.lanes)
        else:
            table = core.weights().reshape(-1, core.lanes)
            used = np.arange(len(table), dtype=np.uint32)
        names, used, table, first = core.names(), used[1:], table[1:], table[0]
        if hashed:
            moved = np.flatnonzero((table != self._unlearned()).any(axis=1))
            return [names.get(row, row - 1) for row in used[moved].tolist()], table[moved], first
        return list(names.values()), table, first

    def _unlearned(self) -> float:
        """The weight of a feature that was never learned."""
        return 0.0

    def __sizeof__(self) -> int:
        """The size in bytes, with the compiled model."""
        return object.__sizeof__(self) + (self._model.bytes if self._model else 0)

    # --- state -------------------------------------------------------------------------------------

    def _resume(self, learned: dict[str, Any]) -> None:
        (self._model or self._start()).restore(**learned)

    def __getstate__(self) -> dict[str, Any]:
        kept = super().__getstate__()
        if self._model is not None:
            kept["_model"]["lanes"] = self._model.lanes
        return kept

    def _learned(self) -> dict[str, Any]:
        core = self._model or self._start()
        columns = None if self._schema is None else self._schema.as_json()
        described = {
            "lanes": core.lanes,
            "reading": self._read_as,
            "columns": columns,
            "notes": None,
        }
        return described | core.state()

    def _restore(self, parts: Parts) -> None:
        lanes, self._read_as, columns = (
            parts.count("lanes"),
            parts.take("reading"),
            parts.take("columns"),
        )
        self._schema = None if columns is None else Schema(columns)
        parts.take("notes")  # written by facades of other libraries; not needed here
        self._start().restore(lanes=lanes, **parts.rest())


def weight_array(w: Any) -> Array | None:
    """Importance weights in the form of the core; None if all are 1."""
    if w is None:
        return None
    weights = np.ascontiguousarray(numbers(w, "w", "a list of weights"))
    if weights.ndim != 1:
        raise ValueError(f"the weights have shape {weights.shape}; give one weight per row")
    return arguments.weights(weights, "weight")


# --- results of examples that were predicted before they were learned -----------------------------


@dataclass(frozen=True, slots=True)
class Outcome:
    """The losses and errors of several examples, each predicted before it was learned.

    Attributes: `losses` of the learner; `wrong`, 1 if the predicted label was wrong and 0 otherwise, or
    the squared error of a regressor; `probability` of the second of two labels, and `positive`, whether
    that was the label: both None unless there are two labels, and NaN for an unknown label; `scores` of
    the predictions, a column for each lane, if they were asked for; `codes`, the index of each label
    among the known `labels`, -1 for an unknown one.
    """

    losses: Array
    wrong: Array
    probability: Array | None = None
    positive: NDArray[np.bool_] | None = None
    scores: Array | None = None
    codes: NDArray[np.int32] | None = None
    labels: tuple[Any, ...] = ()

    def __len__(self) -> int:
        return len(self.losses)
