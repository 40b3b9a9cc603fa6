"""Learners of examples: options, input, totals and state, whatever the model behind them is."""

import warnings
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from regretless import _core, losses
from regretless._core import Total, Want
from regretless.base import arguments, rows
from regretless.base.arguments import Array, numbers, one_of, whole
from regretless.base.columns import Schema, columns_of
from regretless.base.state import Parts, Stateful
from regretless.base.threads import in_turn, of_options
from regretless.errors import ColumnsWarning
from regretless.losses import Loss

if TYPE_CHECKING:
    from regretless.base.model import Model


class Learner(Stateful, ABC):
    """A model that learns one example at a time; the base of classifiers and regressors.

    A subclass names its parts (`_parts`): the loss, and the rule of the core that learns. The model
    itself, `_model`, is made when the first example arrives.
    """

    _engine_name = "_model"
    _not_copied = ("_reading",)
    _model: "_core.Learner | Model | None" = None
    _reading: rows.Form | None = None
    _read_as: dict[str, Any] | None = None  # columns and interactions, as a command has read them
    _schema: Schema | None = None  # of the tables, if all has been learned from tables
    _classifies: ClassVar[bool]
    # what `certificate()` is about: linear "models", the learner "itself", or "" if it needs examples
    _certifies: str = ""

    # the options that every learner has
    intercept: bool
    features: str
    bits: int
    names: int
    certify: bool

    @abstractmethod
    def _parts(self) -> tuple[Loss, str, dict[str, Any]]:
        """The loss, and the rule with its options, as the core takes them."""

    def _own_loss(self) -> Loss:
        """The loss that `loss_` adds up."""
        return self._parts()[0]

    @property
    def _is_linear(self) -> bool:
        """Whether the score is `<w, x>` with a weight of 0 for every feature not seen."""
        return False

    def _outputs(self) -> list[Any]:
        """What the lanes stand for, where there are several: the labels."""
        return []

    # --- options, in scikit-learn's manner ---------------------------------------------------------

    def _share(
        self, intercept: bool, features: str, bits: int, names: int, *, certify: bool, seed: int
    ) -> None:
        """Take the options that nearly all learners have, the last thing that a constructor does."""
        self.intercept = intercept
        self.features = features
        self.bits = bits
        self.names = names
        self.certify = certify
        self.seed = seed
        self._reset()

    @of_options
    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The options the learner was made with."""
        return self._options()

    def set_params(self, **options: Any) -> Self:
        """Change options; the learner starts afresh."""
        unknown = options.keys() - self._options().keys()
        if unknown:
            raise ValueError(f"{min(unknown)!r} is not an option of {type(self).__name__}")
        for name, value in options.items():
            setattr(self, name, value)
        self._reset()
        return self

    # --- the model ---------------------------------------------------------------------------------

    def _reset(self) -> None:
        self._model = None
        self._reading = None
        self._read_as = None
        self._schema = None

    @in_turn
    def _start(self) -> "_core.Learner | Model":
        """Make the model, checking every option before anything is learned."""
        if self._model is None:  # another thread may have made it meanwhile
            model = self._made(*self._compiled())
            if isinstance(model, _core.Learner):
                model.advice = self._advice()
            self._take(model)
        assert self._model is not None
        return self._model

    def _take(self, model: "_core.Learner | Model | None") -> None:
        if isinstance(model, _core.Learner):
            model.belongs_to(self)
        self._model = model

    def _advice(self) -> str:
        """What to do if a score overflows, which is not yet done."""
        name = "LinearClassifier" if self._classifies else "LinearRegressor"
        return f"Scale the features, or use {name}(), whose steps do not depend on their scale"

    def _compiled(self) -> tuple[_core.Loss, str, dict[str, Any]]:
        """The parts as the core takes them, every option checked."""
        one_of(self.features, "features", ("exact", "hashed"))
        whole(self.bits, "bits", 1, 31)
        whole(self.names, "names", 0, 2**31 - 1)
        loss, rule, options = self._parts()
        twin = losses.compiled(loss)
        task = "classification" if self._classifies else "regression"
        if loss.classification != self._classifies:
            raise ValueError(f"loss={loss.name!r} is not a loss for {task}")
        if twin is None:
            raise ValueError(
                f"loss={loss.name!r} is not known to the core, whose loops are compiled; play it round "
                "by round with a player of regretless.oco"
            )
        return twin, rule, options

    def _made(
        self, twin: _core.Loss, rule: str, options: dict[str, Any]
    ) -> "_core.Learner | Model":
        return _core.Learner(
            twin,
            rule,
            options,
            self._form().bits,
            int(self.names),
            bool(self.intercept),
            bool(self.certify),
        )

    def _form(self) -> rows.Form:
        """The form in which readers of files give their examples to this learner."""
        if self._reading is None:
            hashed = self.features == "hashed"
            self._reading = rows.Form(
                bits=int(self.bits) if hashed else 0,
                intercept=bool(self.intercept),
                named=not hashed or self.names > 0,
            )
        return self._reading

    def _row(self, x: Any) -> Any:
        """One example, not a dict, as the model takes it."""
        return rows.row(x)

    def _feed(
        self, batch: rows.Batch, labels: Any, importance: Any, want: Want = Want.nothing
    ) -> Any:
        core = self._model or self._start()
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
        """Warn of columns that are new or missing; `ValueError` if the table is a wrong one."""
        text = None if self._schema is None else self._schema.check(batch, self._knows_column)
        if text:
            warnings.warn(text, ColumnsWarning, stacklevel=5)

    def _knows_column(self, column: Any) -> bool:
        """Whether there is a feature of the column, from `learn_one` perhaps."""
        names = (self._model or self._start()).names().values()
        return column in names or any(str(name).startswith(f"{column}=") for name in names)

    def _to_predict(self, X: Any) -> rows.Batch:
        """Rows to be predicted, as the core takes them."""
        return rows.batch(X)

    def _batch_scores(self, X: Any) -> Array:
        core = self._model or self._start()
        batch = self._to_predict(X)
        scores: Array = self._feed(batch, None, None, Want.scores)
        return scores.reshape(batch.size, core.lanes)

    @property
    def examples_(self) -> int:
        """Number of examples learned."""
        return int(self._model.most(Total.rounds)) if self._model else 0

    @property
    def weight_(self) -> float:
        """Sum of the importance weights of the examples learned: their number if all are 1."""
        return self._model.most(Total.weights) if self._model else 0.0

    @property
    def updates_(self) -> int:
        """Number of examples that moved the weights; with three or more labels, of all lanes."""
        return int(self._model.total(Total.updates)) if self._model else 0

    @property
    def loss_(self) -> float:
        """Sum of the losses suffered, each at the weights before the example was learned.

        With three or more labels the losses of all lanes are added up.
        """
        return self._model.total(Total.loss) if self._model else 0.0

    def __sizeof__(self) -> int:
        """Bytes, those of the compiled model among them."""
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
        parts.take("notes")  # of a facade of another library, which other classes do without
        self._start().restore(lanes=lanes, **parts.rest())


def weight_array(w: Any) -> Array | None:
    """Importance weights as the core takes them; None for all 1."""
    if w is None:
        return None
    weights = np.ascontiguousarray(numbers(w, "w", "a list of weights"))
    if weights.ndim != 1:
        raise ValueError(f"the weights have shape {weights.shape}: one per row is expected")
    return arguments.weights(weights, "weight")


# --- what became of examples that were predicted before they were learned -------------------------


@dataclass(frozen=True, slots=True)
class Outcome:
    """Losses and errors of examples that follow each other, in their order.

    `losses` are the learner's own. `wrong` says whether the predicted label was another one, or is the
    squared error of a regressor. `probability` is that of the second of two labels, and `positive`
    whether it was the one; None while there are not two, NaN where the label is neither.

    `scores` are those that the predictions were made of, a column for each lane, if they were asked
    for; `codes` the place of each label among the `labels` known, -1 where it was not.
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
