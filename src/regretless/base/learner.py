"""What every learner of examples shares: options, input, totals, certificate, files."""

import copy
import importlib
import inspect
import math
import os
import warnings
from abc import ABC, abstractmethod
from dataclasses import dataclass, fields, is_dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from regretless import _core, losses
from regretless._core import Total, Want
from regretless.base import arguments, persistence, rows
from regretless.base.arguments import Array, numbers, one_of, shown, whole
from regretless.base.columns import ColumnsWarning, Schema, columns_of
from regretless.base.state import NotGiven, Parts, blaming
from regretless.base.threads import OneThread, in_turn, of_options
from regretless.certificates import LinearCertificate
from regretless.losses import Loss

if TYPE_CHECKING:
    from regretless.base.model import Model


# --- what all linear learners share: parts, input, weights, certificate, and life on disk ---------

_ROOMS = ("losses", "rules", "rates", "geometry", "domains")  # what options are made of
_LEARNERS = ("linear", "newton", "boosting")  # where learners are
_EPS = float(np.finfo(float).eps)
_NOT_COPIED = ("_model", "_reading")  # what belongs to one learner alone


class LinearLearner(OneThread, ABC):
    """A linear model that learns one example at a time; the base of all learners of this room.

    A subclass says of which parts it is made (`_parts`) and how targets and predictions look. The
    model itself, `_model`, is made when the first example arrives.
    """

    _model: "_core.Learner | Model | None" = None
    _reading: rows.Form | None = None
    _read_as: dict[str, Any] | None = None  # columns and interactions, as a command has read them
    _schema: Schema | None = None  # of the tables, if all has been learned from tables
    _classifies: ClassVar[bool]
    _yours: ClassVar[tuple[str, ...]] = ()  # options that may be code of the user's own
    # what `certificate()` is about: linear "models", the learner "itself", or "" if it needs examples
    _certifies: str = "models"

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
        return True

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

    @classmethod
    def _options(cls) -> list[str]:
        return [name for name in inspect.signature(cls.__init__).parameters if name != "self"]

    @of_options
    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The options the learner was made with."""
        return {name: getattr(self, name) for name in self._options()}

    def set_params(self, **options: Any) -> Self:
        """Change options; the learner starts afresh."""
        unknown = options.keys() - set(self._options())
        if unknown:
            raise ValueError(f"{min(unknown)!r} is not an option of {type(self).__name__}")
        for name, value in options.items():
            setattr(self, name, value)
        self._reset()
        return self

    @of_options
    def clone(self) -> Self:
        """A learner with the same options that has seen nothing."""
        return type(self)(**self.get_params())

    def copy(self) -> Self:
        """A learner that has learned all the same, and goes on by itself.

        >>> from regretless.linear import Perceptron
        >>> model = Perceptron().fit([[1.0], [-1.0]], [True, False])
        >>> model.copy().weights_ == model.weights_, model.clone().examples_
        (True, 0)
        """
        return copy.deepcopy(self)

    def __repr__(self) -> str:
        defaults = inspect.signature(type(self).__init__).parameters
        shown = (
            f"{name}={value!r}"
            for name, value in self.get_params().items()
            if value is not defaults[name].default and value != defaults[name].default
        )
        return f"{type(self).__name__}({', '.join(shown)})"

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

    def certificate(self, norm: float = 1.0, ord: float = 2) -> LinearCertificate:
        """What the run so far proves of all linear models whose norm is at most `norm`.

        Parameters: `norm >= 0`, measured by `ord`: 1, 2 or `math.inf`. See `LinearCertificate`.
        """
        return LinearCertificate.of(norm=norm, ord=ord, **self._sums())

    def _sums(self) -> dict[str, Any]:
        """What a `LinearCertificate` is made of."""
        core = self._model or self._start()
        if not core.has_gradient_sum:
            raise ValueError(
                f"this rule keeps no sum of gradients; make the learner with certify=True: "
                f"{type(self).__name__}(..., certify=True)"
            )
        l1, l2, largest, count = core.gradient_norms()
        rounds, error = self.examples_, core.total(Total.rounding)
        if self.certify:  # sums in double precision, of gradients whose squares add up to this
            error = (
                2.0 * _EPS * (rounds + 2) * math.sqrt(rounds * count * core.total(Total.squares))
            )
        return {
            "rounds": rounds,
            "weight": core.most(Total.weights),
            "loss": core.total(Total.loss),
            "linear": core.total(Total.linear),
            "gross": core.total(Total.gross),
            "gradient_norms": (l1, l2, largest),
            "error": error + 2.0 * _EPS * count * l1,
        }

    def _weights(self) -> tuple[list[Any], Array, Array]:
        """Names, weights (features x lanes) and intercepts (lanes)."""
        core = self._model or self._start()
        if self.features == "hashed" and isinstance(core, _core.Learner):
            used = np.union1d(core.used(), np.zeros(1, np.uint32))  # few of them, often
            table = core.weights(used).reshape(-1, core.lanes)
        else:
            table = core.weights().reshape(-1, core.lanes)
            used = np.arange(len(table), dtype=np.uint32)
        names, used, table, first = core.names(), used[1:], table[1:], table[0]
        if self.features == "hashed":
            moved = np.flatnonzero((table != self._unlearned()).any(axis=1))
            return [names.get(row, row - 1) for row in used[moved].tolist()], table[moved], first
        return list(names.values()), table, first

    def _unlearned(self) -> float:
        """The weight of a feature that nothing was learned of."""
        return 0.0

    def __sizeof__(self) -> int:
        """Bytes, those of the compiled model among them."""
        return object.__sizeof__(self) + (self._model.bytes if self._model else 0)

    # --- copies, pickles, files ----------------------------------------------------------------------

    def _memory(self) -> dict[str, Any]:
        """What has been learned besides the model itself, as plain values."""
        return {}

    def _remember(self, memory: dict[str, Any]) -> None:
        """Take back what `_memory` gave."""

    def __getstate__(self) -> dict[str, Any]:
        state = {k: v for k, v in self.__dict__.items() if k not in _NOT_COPIED}
        if self._model is not None:
            state["_state"] = {"lanes": self._model.lanes, **self._model.state()}
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        state = dict(state)
        model = state.pop("_state", None)
        self.__dict__.update(state)
        if model is not None:
            self._start().restore(**model)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the learner to a safetensors file, all at once or not at all.

        Training goes on from the loaded learner bit for bit as it would have without the stop.
        """
        persistence.write(path, *self._described())

    @classmethod
    def load(cls, path: str | os.PathLike[str], **yours: Any) -> Self:
        """The learner that `save` wrote to `path`.

        A file holds no code: options that are functions or classes of your own are given again.
        """
        return cls._restored(path, *persistence.read(path), yours)

    def _described(self) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
        """All there is to know of the learner, as text and arrays."""
        core = self._model or self._start()
        description = {
            "class": type(self).__name__,
            "options": {
                k: {"yours": repr(v)} if k in self._yours and is_yours(v) else _to_json(v, k)
                for k, v in self.get_params().items()
            },
            "lanes": core.lanes,
            "memory": _to_json(self._memory(), "y"),
        }
        if self._read_as is not None:
            description["reading"] = self._read_as
        if self._schema is not None:
            description["columns"] = self._schema.as_json()
        return description, core.state()

    @classmethod
    def _restored(
        cls,
        path: Any,
        description: dict[str, Any],
        arrays: dict[str, NDArray[Any]],
        yours: dict[str, Any] | None = None,
    ) -> Self:
        found = description.get("class")
        if found != cls.__name__:
            raise ValueError(f"{path} holds a {found}, not a {cls.__name__}")
        with blaming(path):
            described = {k: v for k, v in description.items() if k not in ("class", "format")}
            parts = Parts(described, arrays)
            learner = cls(**cls._saved_options(path, parts, yours or {}))
            lanes = parts.count("lanes")
            memory = _from_json(parts.take("memory"))
            learner._read_as = parts.take("reading") if parts.has("reading") else None
            if parts.has("columns"):
                learner._schema = Schema(parts.take("columns"))
            learner._start().restore(lanes=lanes, **parts.rest())
            learner._remember(memory)
            parts.done()
        return learner

    @classmethod
    def _saved_options(cls, path: Any, parts: Parts, given: dict[str, Any]) -> dict[str, Any]:
        """Those of a file, and those that no file can hold."""
        saved = parts.inside("options").options()
        wanted = {k: v["yours"] for k, v in saved.items() if isinstance(v, dict) and "yours" in v}
        for name in sorted(wanted.keys() ^ given.keys()):
            raise NotGiven(
                f"{path} was saved with {name}={wanted[name]}, which no file can hold; give it "
                f"again: {cls.__name__}.load(path, {name}=...)"
                if name in wanted
                else f"{name}={given[name]!r}: {path} holds all of its own; leave it out"
            )
        for name in sorted(set(cls._options()) - saved.keys()):
            raise ValueError(f"the option {name!r} is missing")
        for name in ("n", "size", "hidden"):  # nothing is made that is larger than the file
            size = saved.get(name)
            if isinstance(size, int) and size > parts.size:
                raise ValueError(f"{name}={size} is more than the file has numbers of")
        return given | {k: _from_json(v) for k, v in saved.items() if k not in wanted}


def is_yours(value: Any) -> bool:
    """Whether an option is a function or an object of a class that this library does not have."""
    from regretless.geometry import Geometry

    return callable(value) or (isinstance(value, Geometry) and _room_of(value) is None)


def weight_array(w: Any) -> Array | None:
    """Importance weights as the core takes them; None for all 1."""
    if w is None:
        return None
    weights = np.ascontiguousarray(numbers(w, "w", "a list of weights"))
    if weights.ndim != 1:
        raise ValueError(f"the weights have shape {weights.shape}: one per row is expected")
    return arguments.weights(weights, "weight")


def _to_json(value: Any, name: str) -> Any:
    """Plain values, and the small objects that options are made of, as JSON."""
    if isinstance(value, (str, bool, int, type(None))):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else {"float": repr(value)}
    if isinstance(value, (list, tuple)):
        return {type(value).__name__: [_to_json(v, name) for v in value]}
    if isinstance(value, dict):
        return {"dict": [[_to_json(k, name), _to_json(v, name)] for k, v in value.items()]}
    if isinstance(value, LinearLearner) and learner_class(type(value).__name__) is type(value):
        options = {k: _to_json(v, k) for k, v in value.get_params().items()}
        return {"learner": [type(value).__name__, options]}  # one that has seen nothing
    module = _room_of(value)
    if module is not None:
        parts = {f.name: getattr(value, f.name) for f in fields(value) if f.init}
        inside = {
            k: _to_json(v.tolist() if isinstance(v, np.ndarray) else v, name)
            for k, v in parts.items()
        }
        return {module: [type(value).__name__, inside]}
    raise ValueError(
        f"{name}={shown(value)}: a {type(value).__name__} cannot be saved; strings, "
        "numbers and tuples can"
    )


def _room_of(value: Any) -> str | None:
    """The room of this library that a part is from."""
    for name in _ROOMS:
        if type(value).__module__.startswith(f"regretless.{name}"):
            return name if getattr(_room(name), type(value).__name__, None) is type(value) else None
    return None


def _room(name: str) -> Any:
    return importlib.import_module(f"regretless.{name}")


def _from_json(value: Any) -> Any:
    if not isinstance(value, dict):
        return value
    ((kind, inside),) = value.items()
    if kind == "float":
        return float(inside)
    if kind in ("list", "tuple"):
        items = [_from_json(v) for v in inside]
        return items if kind == "list" else tuple(items)
    if kind == "dict":
        return {_from_json(k): _from_json(v) for k, v in inside}
    if kind not in (*_ROOMS, "learner"):
        raise ValueError(f"{kind} is not known")
    name, options = inside
    made: Any
    if kind == "learner":
        made = learner_class(name)
    else:
        made = getattr(_room(kind), name) if name in _room(kind).__all__ else None
    if made is None or not (kind == "learner" or (isinstance(made, type) and is_dataclass(made))):
        raise ValueError(f"{name} is not known")
    return made(**{k: _from_json(v) for k, v in options.items()})


def learner_class(name: str) -> type[LinearLearner] | None:
    """The learner of this library that is called so."""
    for room in _LEARNERS:
        found = getattr(_room(room), name, None) if name in _room(room).__all__ else None
        if isinstance(found, type) and issubclass(found, LinearLearner):
            return found
    return None


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


# --- `load`: a learner from its file, whichever it is ---------------------------------------------


def load_learner(path: str | os.PathLike[str]) -> Any:
    """The learner that was saved to `path`, of the class that it had.

    >>> import tempfile, pathlib
    >>> from regretless.linear import Perceptron
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "m.model"
    >>> Perceptron().save(path)
    >>> load(path)
    Perceptron()
    """
    return restored(path, *persistence.read(path))


def restored(path: Any, description: dict[str, Any], arrays: dict[str, NDArray[Any]]) -> Any:
    """The learner of a description and arrays that were read from `path`."""
    name = str(description.get("class"))
    found = learner_class(name)
    if found is None:
        raise ValueError(f"{path} holds a {name}, which is no learner of this version")
    return found._restored(path, description, arrays)
