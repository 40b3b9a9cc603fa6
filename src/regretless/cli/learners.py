"""Learners on the command line: names, options, how they are made, their files and first examples."""

from __future__ import annotations

import signal
import warnings
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import fields, replace
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING, Any

from regretless.cli.declare import Options, option
from regretless.cli.options import Reading, learning_option

if TYPE_CHECKING:
    from regretless.base.learner import Learner
    from regretless.base.rows import Batch, Form
    from regretless.evaluate.validation import FirstLabels
    from regretless.streams import Piece, Stream


# the class, the option that --rate sets, and the loss it may be called by
_OWN_LOSS: dict[str, tuple[str, str | None, str]] = {
    "perceptron": ("Perceptron", "rate", "hinge"),
    "margin-perceptron": ("MarginPerceptron", None, "hinge"),
    "pnorm-perceptron": ("PNormPerceptron", None, "hinge"),
    "winnow": ("Winnow", "rate", "hinge"),
    "balanced-winnow": ("BalancedWinnow", "rate", "hinge"),
    "pa": ("PassiveAggressive", "C", "hinge"),
    "svm": ("OnlineSVM", "C", "hinge"),
    "primal-dual": ("PrimalDual", "C", "hinge"),
}
_BOOSTERS = {
    "adaboost-ol": "AdaBoostOL",
    "bbm": "OnlineBBM",
    "osboost": "OSBoost",
    "osboost-ocp": "OSBoostOCP",
}
_BASES = ("linear", "tree", "stump")
_MATRIX_BITS = 11  # the core has matrices of up to 4,096 features
_DOUBLE = ("newton", "primal-dual")  # these have no option `precision`
_REGRESSORS = {"pa": ("PassiveAggressiveRegressor", "C", "epsilon_insensitive")}


def learner_names() -> list[str]:
    """`auto`, the update rules, and the algorithms that have a rule and a loss of their own.

    AdaGrad as it was published is called adagrad-plain.

    >>> learner_names()[:5]
    ['auto', 'coin', 'adagrad', 'adagrad-plain', 'ogd']
    """
    from regretless.rules import RULES

    names = [name for rule in RULES for name in (rule, "adagrad-plain")[: 1 + (rule == "adagrad")]]
    return ["auto", *names, *_OWN_LOSS, "newton", "boost", "forest"]


def only_classifies(learner: str) -> bool:
    """Whether there is no regressor of that name."""
    return learner == "boost" or (learner in _OWN_LOSS and learner not in _REGRESSORS)


_auto_option = partial(option, panel="Options of auto")
_newton_option = partial(option, panel="Options of newton")
_boost_option = partial(option, panel="Options of boost")
_forest_option = partial(option, panel="Options of forest")
_OWNERS = {f"Options of {name}": name for name in ("auto", "newton", "boost", "forest")}


def _norms(text: str) -> tuple[float, ...]:
    """The numbers of `--certify`."""
    try:
        found = tuple(float(each) for each in text.split(","))
    except ValueError:
        raise ValueError(f"{text!r} is not a number, or several like 1,3,10") from None
    for norm in found:
        if not 1e-19 <= norm <= 1e19:
            raise ValueError(f"a norm must be above 0, from 1e-19 to 1e19, got {norm:g}")
    if len(found) > 64:
        raise ValueError(f"{len(found)} norms are too many; give at most 64")
    return found


class LearningOptions(Options):
    """The options of learning that `train` and `compare` share."""

    loss: str | None = learning_option(
        "--loss",
        choices="losses:LEARNED",
        help="Loss to minimise; by default logistic, or squared if the labels are numbers that are not "
        "all whole. Whole numbers with many values need --loss or --classes.",
    )
    classes: bool = learning_option(
        "--classes",
        default=False,
        help="Treat every number among the labels as a class, however many there are.",
    )
    tau: float | None = learning_option(
        "--tau",
        check=("within", "(0, 1)", "; 0.5 is the median"),
        help="Quantile that --loss quantile predicts; by default 0.5, the median.",
    )
    second_order: bool = _auto_option(
        "--second-order", default=False, like="linear.auto:Auto.second_order"
    )
    sketch: str | None = _newton_option(
        "--sketch",
        like="newton:NewtonClassifier.sketch",
        help="Sketch of the matrix of all gradients: {text}.",
    )
    size: int | None = _newton_option("--size", like="newton:NewtonClassifier.size")
    alpha: float | None = _newton_option("--alpha", like="newton:NewtonClassifier.alpha")
    kind: str | None = _boost_option(
        "--kind",
        choices=_BOOSTERS,
        help="How the weak learners are combined; by default adaboost-ol.",
    )
    weak: int | None = _boost_option("--weak", like="boosting:OSBoost.n")
    base: str | None = _boost_option(
        "--base",
        choices=_BASES,
        help="What is boosted: linear learners, decision trees, or stumps, which are trees with one "
        "split; by default linear.",
    )
    depth: int | None = _boost_option(
        "--depth",
        like="boosting.trees:Tree.depth",
        help="Largest depth of the trees of --base tree.",
    )
    edge: float | None = _boost_option(
        "--edge",
        like="boosting:OSBoost.edge",
        help="How much better than chance weak learners are, in (0, 1/2): on examples of any weights, "
        "they are right on 1/2 + edge of the weight. Not for adaboost-ol, which measures it.",
    )
    sampled: bool = _boost_option("--sampled", default=False, like="boosting:AdaBoostOL.sampled")
    trees: int | None = _forest_option(
        "--trees",
        like="boosting.trees:Forest.n",
        help="Number of trees; more are better and slower.",
    )
    bits: int | None = learning_option(
        "--bits", like="linear:LinearClassifier.bits", help="Hash the features to 2^N weights."
    )
    exact: bool = learning_option(
        "--exact", default=False, help="Give every feature a weight of its own; do not hash."
    )
    intercept: bool = learning_option(
        "--no-intercept",
        default=True,
        parse=lambda given: not given,
        help="Leave out the constant feature.",
    )
    certify: tuple[float, ...] | None = learning_option(
        "--certify",
        metavar="NORM,...",
        parse=_norms,
        help="Report, for each norm, a mean loss that no linear model of this norm could have gone "
        "below. Each feature is measured in units of its largest value.",
    )
    seed: int | None = learning_option("--seed", like="linear:LinearClassifier.seed")
    precision: str | None = learning_option(
        "--precision",
        like="linear:LinearClassifier.precision",
        help="How many digits of features and weights are kept: single (24 bits) or double (53 bits, in "
        "twice the memory).",
    )

    def __post_init__(self) -> None:
        """Check options that belong together."""
        if self.tau is not None and self.loss != "quantile":
            loss = "without it" if self.loss is None else f"for {self.loss}"
            raise ValueError(f"--tau is for --loss quantile, and means nothing {loss}")


class LearnerOptions(LearningOptions):
    """All options of a learner but its task, which the labels may tell."""

    learner: str = learning_option(
        "--learner",
        default="auto",
        choices="cli.learners:learner_names",
        help="Algorithm to learn with.",
    )
    rate: float | None = learning_option(
        "--rate",
        check=("positive",),
        help="Learning rate, for learners that have one and for the weak learners of boost; C of pa, "
        "svm and primal-dual.",
    )
    l1: float | None = learning_option(
        "--l1",
        like="linear:LinearClassifier.l1",
        help="Penalty l1 ||w||_1 in each round, for adagrad-plain, ogd and ftrl.",
    )
    l2: float | None = learning_option(
        "--l2",
        like="linear:LinearClassifier.l2",
        help="Penalty l2 / 2 ||w||^2 in each round, for the same learners.",
    )
    names: int = learning_option(
        "--names",
        like="linear:LinearClassifier.names",
        default=100_000,
        help="Number of feature names that a hashed model remembers for inspect.",
    )

    def form(self, learners: Iterable[str] = ()) -> Form:
        """How these learners, by default the one of the options, want their examples.

        Trees know features by their names, linear learners as the options say.
        """
        from regretless.linear import LinearClassifier

        has_trees = self._boosts_trees or "forest" in (self.learner, *learners)
        by_name = {"features": "exact"} if has_trees else {}
        return LinearClassifier(**self._shared() | by_name).form()

    @property
    def decided(self) -> bool:
        """Whether the options say what is predicted, labels or numbers."""
        return self.loss is not None or self.classes

    @property
    def asks_for_regression(self) -> bool | None:
        """Whether the options say that numbers are predicted; None if the labels decide."""
        if self.loss is None:
            return False if self.classes else None
        from regretless import losses

        regression = not losses.get(self.loss).classification
        if regression and self.classes:
            raise ValueError(
                f"--classes makes labels of numbers, and --loss {self.loss} predicts numbers; leave "
                "out one of them"
            )
        return regression

    def is_regression(self, labels: FirstLabels) -> bool:
        """What the options say; without any, whether the labels are numbers that are not all whole.

        `ValueError` if they are whole numbers with so many values that they may be either.
        """
        asked = self.asks_for_regression
        if asked is not None:
            return asked
        if labels.are_many and labels.are_whole:
            learner = "--learner coin " if only_classifies(self.learner) else ""
            raise ValueError(
                f"the labels are numbers with many values ({labels.shown}): {learner}--loss squared "
                "predicts a number, --classes makes a label of each"
            )
        return labels.are_numbers and not labels.are_whole

    def advice(self) -> str:
        """What to do if a score overflows, in options that are not yet in use."""
        if self.learner in ("auto", "coin"):
            return "scale the features and the labels: these numbers are too large"
        if self.learner == "newton" and self.alpha is not None:
            return "raise --alpha, scale the features, or leave --alpha out"
        if self.learner == "adagrad":
            return "lower --rate, or use --learner coin, which has none"
        from regretless.rules import RULES

        if self.learner in RULES or self.learner == "adagrad-plain":
            return (
                "lower --rate, scale the features, or use --learner adagrad, which needs no scale, or "
                "coin, which needs no rate either"
            )
        return "scale the features, or use --learner coin, which needs no scale"

    def of(self, learner: str) -> LearnerOptions:
        """The same for another learner, without what is not for it."""
        left_out = {each.name: each.default for each, owner in self._owned() if owner != learner}
        if learner in _OWN_LOSS or learner == "forest":
            left_out |= {"loss": None, "tau": None}
        if learner == "forest":
            left_out |= {"bits": None, "precision": None}
        return replace(self, learner=learner, **left_out)

    def refuse_options_of_others(self, learners: list[str]) -> None:
        """`ValueError` if there are options of a learner that is not among these."""
        for each, owner in self._owned():
            if owner not in learners and getattr(self, each.name) != each.default:
                typed = each.metadata["declared"][0].names[0]
                raise ValueError(f"{typed} is for --learner {owner}, not for {', '.join(learners)}")

    def _owned(self) -> list[tuple[Any, str]]:
        """The options that only one learner has, with its name."""
        panels = [(each, each.metadata["declared"][0].panel) for each in fields(self)]
        return [(each, _OWNERS[panel]) for each, panel in panels if panel in _OWNERS]

    def make(self, regression: bool) -> Learner:
        """The learner, or `ValueError` if its options do not fit."""
        from regretless import linear

        self.refuse_options_of_others([self.learner])
        if self.precision and self.learner in _DOUBLE:
            raise ValueError(
                f"--learner {self.learner} keeps all but the features in double precision anyway; leave "
                f"out --precision {self.precision}"
            )
        if self.learner == "newton":
            return self._newton(regression)
        if self.learner == "boost":
            return self._boost(regression)
        if self.learner == "forest":
            return self._forest(regression)
        if self.learner == "auto":
            return self._auto(regression)
        if self.learner in _OWN_LOSS:
            return self._with_its_own_loss(regression)
        learner = linear.LinearRegressor if regression else linear.LinearClassifier
        return learner(
            loss=self._loss() or ("squared" if regression else "logistic"),
            rule=self._rule(),
            rate=self.rate,
            **self._shared(),
        )

    def _rule(self) -> Any:
        """By its name; AdaGrad is scale invariant unless it is asked for as it was published."""
        from regretless import rules

        if self.learner == "adagrad-plain":
            return rules.AdaGrad()
        if self.learner != "adagrad":
            return self.learner
        if self.l1 or self.l2:
            raise ValueError(
                "--learner adagrad takes no penalty; use --learner adagrad-plain, ftrl or ogd, or leave "
                "out --l1 and --l2"
            )
        return rules.AdaGrad(scale_invariant=True)

    def _loss(self) -> Any:
        """By its name, or made if it is not the one of that name."""
        from regretless import losses

        return self.loss if self.tau is None else losses.Quantile(self.tau)

    def _auto(self, regression: bool) -> Learner:
        from regretless import linear

        for name in ("rate", "l1", "l2"):
            if getattr(self, name):
                remedy = "adagrad" if name == "rate" else "ftrl"
                raise ValueError(
                    f"--{name} is for a single learner, and auto mixes many; use --learner {remedy}"
                )
        kind = linear.AutoRegressor if regression else linear.AutoClassifier
        return kind(loss=self._loss(), **self.for_class("linear.auto"), **self._shared())

    def _newton(self, regression: bool) -> Learner:
        from regretless import newton

        if self.l1 or self.l2:
            raise ValueError("--learner newton takes no penalty; leave out --l1 and --l2")
        if self.alpha is None and self.rate is not None:
            raise ValueError(
                "--rate is for a single model, and newton without --alpha mixes several; give --alpha"
            )
        if self.sketch == "full" and not self.exact and (self.bits or 18) > _MATRIX_BITS:
            raise ValueError(
                "--sketch full keeps a matrix of all pairs of features, and hashing makes "
                f"2^{self.bits or 18} of them; add --exact, or --bits {_MATRIX_BITS}"
            )
        kind = newton.NewtonRegressor if regression else newton.NewtonClassifier
        given = self.for_class("newton")
        return kind(loss=self._loss(), rate=self.rate, **given, **self._shared())

    def _boost(self, regression: bool) -> Learner:
        from regretless import boosting

        self._refuse_regression(regression)
        kind = self.kind or "adaboost-ol"
        if kind == "adaboost-ol" and self.edge is not None:
            raise ValueError(
                f"--edge {self.edge:g}: adaboost-ol needs to know none; leave it out, or give --kind bbm"
            )
        weak = self._tree_to_boost() if self._boosts_trees else self._linear_to_boost()
        given = self.for_class("boosting") | ({} if self.seed is None else {"seed": self.seed})
        made: Learner = getattr(boosting, _BOOSTERS[kind])(weak, **given)
        return made

    @property
    def _boosts_trees(self) -> bool:
        return self.base not in (None, "linear")

    def _linear_to_boost(self) -> Learner:
        from regretless.linear import LinearClassifier

        if self.depth is not None:
            raise ValueError(f"--depth {self.depth} is for --base tree")
        tuned = self.rate is not None or self.l1 or self.l2  # which coins take no account of
        return LinearClassifier(
            loss=self.loss or "logistic",
            rule="adagrad" if tuned else "coin",
            rate=self.rate,
            **self._shared(),
        )

    def _tree_to_boost(self) -> Learner:
        from regretless.boosting import Tree

        for name in ("loss", "rate", "l1", "l2", "bits"):
            if getattr(self, name):
                raise ValueError(
                    f"--{name} is for linear weak learners, not for --base {self.base}"
                )
        if self.base == "tree":
            return Tree(depth=self.depth)
        if self.depth is not None:
            raise ValueError(f"--depth {self.depth}: a stump has one split; give --base tree")
        return Tree(depth=1)

    def _forest(self, regression: bool) -> Learner:
        from regretless import boosting

        own = "squared" if regression else "logistic"
        if self.loss not in (None, own):
            raise ValueError(
                f"--learner forest has a loss of its own, the {own} loss; leave out --loss {self.loss}"
            )
        for name in ("rate", "l1", "l2", "bits", "precision"):
            if getattr(self, name):
                raise ValueError(f"--{name} is for linear learners, not for --learner forest")
        given = {"n": self.trees, "seed": self.seed}
        kind = boosting.ForestRegressor if regression else boosting.Forest
        made: Learner = kind(**{k: v for k, v in given.items() if v is not None})
        return made

    def _with_its_own_loss(self, regression: bool) -> Learner:
        from regretless import linear

        if only_classifies(self.learner):
            self._refuse_regression(regression)
        name, option, own = (_REGRESSORS if regression else _OWN_LOSS)[self.learner]
        if self.loss not in (None, own):
            raise ValueError(
                f"--learner {self.learner} has a loss of its own, a {own.replace('_', '-')} loss; "
                f"leave out --loss {self.loss}"
            )
        if self.l1 or self.l2:
            raise ValueError(f"--learner {self.learner} takes no penalty; leave out --l1 and --l2")
        if self.rate is not None and option is None:
            raise ValueError(f"--learner {self.learner} has no learning rate; leave out --rate")
        rate = {} if self.rate is None or option is None else {option: self.rate}
        learner: Learner = getattr(linear, name)(**rate, **self._shared())
        return learner

    def _refuse_regression(self, regression: bool) -> None:
        if regression:
            raise ValueError(
                f"the labels are numbers that are not all whole, and the {self.learner} only "
                "classifies; use --learner pa or coin, or --classes to make a label of each"
            )

    def _shared(self) -> dict[str, Any]:
        """The options that were given of those that all learners have; no penalty of 0."""
        given = {k: v for k, v in self.for_class("linear").items() if v or k not in ("l1", "l2")}
        has_intercept = self.learner != "winnow"  # it has a threshold instead
        return (
            given
            | ({"intercept": self.intercept} if has_intercept else {})
            | {"features": "exact" if self.exact else "hashed"}
        )


def loss_name(model: Learner) -> str:
    """What the learner's loss is called."""
    return model._parts()[0].name


# --- model files -----------------------------------------------------------------------------------


def save_model(model: Learner, reading: Reading, path: str, *, classes: bool = False) -> None:
    """Write a model that `regretless.load` reads too, all at once or not at all.

    The file records how the examples were read. `classes` says that the labels are numbers of which
    there may be many.
    """
    recorded = reading.recorded(model._read_as or {})
    model._read_as = recorded | ({"classes": True} if classes else {})
    if reading.has_names_only:  # the features tell the columns
        from regretless.base.schema import Schema, columns_of_features

        model._schema = model._schema or Schema()
        model._schema.add(columns_of_features(model._start().names().values()))
    model.save(path)


def load_model(path: str) -> tuple[Any, dict[str, Any]]:
    """A model, and how its examples were read; nothing if the file was not written by a command."""
    from regretless.base import learner, state

    model = state.load(path)
    if not isinstance(model, learner.Learner):
        raise ValueError(f"{path} holds a {type(model).__name__}, which is not a learner")
    return model, model._read_as or {}


# --- the first examples ----------------------------------------------------------------------------


def first_labels(
    pieces: Iterator[Piece], reading: Reading, decided: bool, known: Iterable[Any] = ()
) -> tuple[FirstLabels, Iterator[Piece]]:
    """The first labels without those that are `known`, and all pieces.

    Pieces are held back until there are enough labels to tell the task, unless it is `decided`.
    """
    from regretless.evaluate.validation import FirstLabels

    labels = FirstLabels(known)
    held: list[Piece] = []
    for piece in pieces:
        if held and not len(held[-1]):
            held.pop()  # only bad lines, which the next piece's place counts too
        held.append(piece)
        labels.add(piece.y)
        if len(piece) and (decided or labels.enough):
            break
    if not any(map(len, held)):
        raise ValueError(f"{' '.join(reading.sources)}: there are no examples")
    return labels, chain(held, pieces)


_LOOKED_AT = 1000  # examples


def check_features(
    pieces: Iterator[Piece], model: Learner, *, named: bool, strict: bool
) -> Iterator[Piece]:
    """The pieces; `ValueError` if the model knows no feature of the first 1,000 examples.

    Pieces are held back until it knows one. Features of `named` formats are called like columns, so
    there is a warning if they differ from those that the model has learned; `strict` holds all pieces
    back until this is known.
    """
    look: _FirstFeatures | None = _FirstFeatures(model, named) if model.examples_ else None
    held: list[Piece] = []
    for piece in pieces:
        if look is not None and len(piece):
            look.add(piece)
            if look.has_seen_enough:
                look.conclude()
                look = None
        if look is not None and (strict or not look.knows):
            if held and not len(held[-1]):
                held.pop()  # only bad lines, which the next piece's place counts too
            held.append(piece)
            continue
        yield from held
        held.clear()
        yield piece
    if look is not None:
        look.conclude()
    yield from held


class _FirstFeatures:
    """The features of the first examples, compared with those that a model has learned."""

    def __init__(self, model: Learner, named: bool) -> None:
        core = model._start()
        self._model, self._named, self._schema = model, named, model._schema
        self._names = set(core.names().values())
        self._all_named = not model.form().bits or core.wants_names
        self._seen = 0
        self._without_names = False  # the examples were read without
        self._given: dict[Any, None] = {}  # features, in order of appearance
        self.knows = False
        self.has_seen_enough = False

    def add(self, piece: Piece) -> None:
        """Look at a piece, as far as it is among the first examples."""
        from regretless.base.schema import columns_of

        batch = piece.X[: _LOOKED_AT - self._seen]
        self._seen += batch.size
        self.has_seen_enough = self._seen >= _LOOKED_AT
        if self._schema is not None and columns_of(batch) is not None:
            self.knows = self.has_seen_enough = True  # the learner compares columns itself
            self._given.clear()
            return
        features = _features(batch)
        self._given |= features or {}
        self._without_names = self._without_names or features is None
        self.knows = self.knows or any(map(self._knows, features or ()))
        if not self.knows and (self._without_names or not self._all_named):
            # a feature that the model knows makes a difference
            core = self._model._start()
            self.knows = bool((self._model._batch_scores(batch) != core.score({})).any())

    def conclude(self) -> None:
        """Report what differs."""
        from regretless.base.schema import columns_of_features, listed
        from regretless.errors import ColumnsWarning

        if not self.knows and (self._given or self._without_names):
            known = self._names if self._schema is None else self._schema.kinds
            raise ValueError(
                "the model knows none of the features"
                + (f": {listed(self._given)}" if self._given else " of the first examples")
                + (f"; it has learned {listed(sorted(known, key=str))}" if known else "")
            )
        if self._named and self._schema is not None and self._given:
            text = self._schema.differences(columns_of_features(self._given), lambda _: True)
            if text:
                warnings.warn(text, ColumnsWarning, stacklevel=2)

    def _knows(self, feature: Any) -> bool:
        from regretless.base.schema import columns_of_features

        if feature in self._names:
            return True
        ((column, _),) = columns_of_features([feature])
        return self._schema is not None and column in self._schema.kinds


def _features(batch: Batch) -> dict[Any, None] | None:
    """The names of the features; None if the batch has been read without."""
    from regretless.base.rows import Parsed, Table

    if isinstance(batch, Parsed) and not batch.examples.named:
        return None
    found: dict[Any, None] = {}
    for t in range(batch.size):
        for name, value in batch.row(t).items():
            is_text = isinstance(batch, Table) and isinstance(value, str)
            found[f"{name}={value}" if is_text else name] = None
    return found


@contextmanager
def naming_the_line(
    stream: Stream, piece: Piece, seen: int = 0, advice: str = ""
) -> Iterator[None]:
    """Add file and line to errors about an example of the piece, before which so many were `seen`.

    `advice` says what to do about a score that overflowed, in options of the command line.
    """
    from regretless._core import Diverged

    try:
        yield
    except ValueError as error:
        # set by `WrongKind`, and by the core when it refuses an example
        row, what = getattr(error, "row", None), getattr(error, "what", None)
        if row is None:
            raise
        raise ValueError(f"{stream.where(piece, row)}: {what}") from error
    except Diverged as error:
        t = error.example
        where = f"{stream.where(piece, t)} (example {seen + t + 1:,})"
        raise ArithmeticError(f"{where}: the score overflowed; {advice}") from error


@contextmanager
def uninterrupted() -> Iterator[None]:
    """Let Ctrl-C wait for the end of the block, so that no piece is half learned."""
    came: list[int] = []
    usual = signal.signal(signal.SIGINT, lambda number, _: came.append(number))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, usual)
    if came:
        raise KeyboardInterrupt
