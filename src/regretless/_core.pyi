"""The compiled core: see core/bind/module.cpp."""

from collections.abc import Callable, Sequence
import enum
from typing import Any

import numpy
import numpy.typing
from numpy.typing import NDArray

class Diverged(ArithmeticError):
    """A score left the range of floating point."""

    example: int = 0

class LossKind(enum.Enum):
    """The losses that the core knows."""

    logistic = 0

    hinge = 1

    squared_hinge = 2

    exponential = 3

    perceptron = 4

    squared = 5

    absolute = 6

    quantile = 7

    epsilon_insensitive = 8

    log_wealth = 9

    power = 10

class Loss:
    """A loss: its kind and its parameter."""

    def __init__(self, kind: LossKind, parameter: float) -> None: ...
    @property
    def kind(self) -> LossKind:
        """The kind."""

    @property
    def parameter(self) -> float:
        """The margin, tau, epsilon or p."""

class Want(enum.Enum):
    """
    What a batch returns: nothing, scores, or the best class of each example.
    """

    nothing = 0

    scores = 1

    best = 2

class Total(enum.Enum):
    """The running totals that every learner keeps, per lane."""

    rounds = 0

    loss = 1

    linear = 2

    squares = 3

    weights = 4

    rounding = 5

    updates = 6

    radius = 7

    price = 8

    steps = 9

    gross = 10

class RateKind(enum.Enum):
    """How a learning rate falls with the rounds."""

    constant = 0

    inverse_sqrt = 1

    inverse = 2

class PassiveAggressiveMode(enum.Enum):
    """The variants of passive-aggressive learning."""

    exact = 0

    first = 1

    second = 2

class Averaging(enum.Enum):
    """How an averaged Perceptron predicts."""

    survival = 0

    uniform = 1

    vote = 2

class SketchKind(enum.Enum):
    """The sketches of second-order learners."""

    oja = 0

    frequent = 1

    random = 2

    full = 3

class Feed(enum.Enum):
    """What gradient boosting teaches its weak learners."""

    gradient = 0

    linearized = 1

    residual = 2

class LabelKind(enum.Enum):
    """The labels that a parser has met."""

    none = 0

    number = 1

    text = 2

class Schedule(enum.Enum):
    """How the rate of mirror descent falls."""

    constant = 0

    inverse_sqrt = 1

    inverse = 2

    adaptive = 3

class GeometryKind(enum.Enum):
    """The regularisers of mirror descent."""

    euclidean = 0

    entropy = 1

    unnormalized_entropy = 2

    pnorm = 3

    diagonal = 4

    quadratic = 5

class DomainKind(enum.Enum):
    """The sets that players project onto."""

    everything = 0

    ball = 1

    simplex = 2

    box = 3

    l1_ball = 4

class DensityPotential(enum.Enum):
    """The potentials of density players."""

    exponential = 0

    two_norm = 1

    normal_hedge_dt = 2

class HedgeSchedule(enum.Enum):
    """How the rate of Hedge is chosen."""

    fixed = 0

    anytime = 1

    doubling = 2

    small_loss = 3

    majority = 4

class ExpertPotential(enum.Enum):
    """The potentials of players with experts."""

    polynomial = 0

    two_norm = 1

    normal_hedge_dt = 2

    normal_hedge = 3

class ForecastLossKind(enum.Enum):
    """The losses of forecasts."""

    squared = 0

    absolute = 1

    quantile = 2

    log = 3

    percentage = 4

class EnvironmentKind(enum.Enum):
    """How the losses of arms are drawn."""

    bernoulli = 1

    gaussian = 2

class Guarded:
    """A method whose calls take a turn on their first argument."""

    def __init__(self, function: Callable[..., Any]) -> None: ...
    def __call__(self, *args: Any, **options: Any) -> Any: ...

class Changing:
    """An attribute that only the thread whose turn it is can see."""

    def __init__(self, name: str) -> None: ...
    def __get__(self, instance: Any, owner: type | None = None) -> Any: ...
    def __set__(self, instance: Any, value: Any) -> None: ...

def watch_turns(object: object | None) -> None:
    """Count the turns on an object, for tests."""

def latest_turn() -> int:
    """The number of the last turn that this thread took."""

class Learner:
    """A model with its features: reads examples, predicts and learns."""

    def __init__(
        self,
        loss: Loss,
        rule: str,
        options: dict[str, Any],
        bits: int,
        remembered: int,
        intercept: bool,
        certify: bool,
        precise: bool = False,
    ) -> None: ...
    def belongs_to(self, owner: object) -> None:
        """
        Name the Python object that the engine belongs to, for errors about threads.
        """

    def score(self, x: object) -> Any:
        """The score of one example: a number, or a list with one per class."""

    def probability(self, x: object) -> Any:
        """The probability of class 1, or a list with that of every class."""

    def probabilities(self, scores: NDArray[numpy.float64]) -> NDArray[numpy.float64]:
        """Turn the scores of a batch into probabilities."""

    def learn_class(self, x: object, label: int, importance: float) -> None:
        """Learn one example of a class."""

    def learn_target(self, x: object, target: float, importance: float) -> None:
        """Learn one example with a number as its target."""

    def step_class(self, x: object, label: int, importance: float) -> Any:
        """Return the score of one example, then learn its class."""

    def step_target(self, x: object, target: float, importance: float) -> Any:
        """Return the score of one example, then learn its target."""

    def learn_slope(self, x: object, slope: float, importance: float) -> None:
        """Teach a weak learner that its prediction v costs slope * v."""

    def trace(
        self,
    ) -> tuple[NDArray[numpy.float64], NDArray[numpy.float64], NDArray[numpy.float64]]:
        """
        Of the last boosted example: votes of the weak learners, partial sums y^0 to y^N, shrinkage.
        """

    def chosen(self, x: object) -> int:
        """
        The row of the feature by which a stump predicts for x; 0 if there is none.
        """

    def csr(
        self,
        width: int,
        starts: NDArray[numpy.int64],
        columns: NDArray[numpy.int32],
        values: NDArray[numpy.float64],
        has_zero: bool,
        labels: numpy.typing.NDArray[Any] | None,
        importance: NDArray[numpy.float64] | None,
        want: Want,
    ) -> Any:
        """Predict or learn the rows of a CSR matrix."""

    def table(
        self,
        size: int,
        columns: list[tuple[Any, ...]],
        labels: numpy.typing.NDArray[Any] | None,
        importance: NDArray[numpy.float64] | None,
        want: Want,
    ) -> Any:
        """Predict or learn a batch given by columns."""

    def examples(
        self,
        x: Examples,
        first: int,
        last: int,
        labels: numpy.typing.NDArray[Any] | None,
        importance: NDArray[numpy.float64] | None,
        want: Want,
    ) -> Any:
        """Predict or learn examples that a parser has read."""

    def locate(
        self, x: Examples
    ) -> tuple[NDArray[numpy.uint64], NDArray[numpy.uint32], numpy.typing.NDArray[Any]]:
        """Find the rows of the bank for examples: (starts, rows, values)."""

    def located(
        self,
        starts: NDArray[numpy.uint64],
        rows: NDArray[numpy.uint32],
        values: numpy.typing.NDArray[Any],
        labels: numpy.typing.NDArray[Any] | None,
        importance: NDArray[numpy.float64] | None,
        want: Want,
    ) -> Any:
        """Predict or learn examples whose rows `locate` has found."""

    @property
    def advice(self) -> str:
        """What an error recommends if the model diverges."""

    @advice.setter
    def advice(self, arg: str, /) -> None: ...
    @property
    def earlier(self) -> int:
        """The number of examples in earlier parts of this call, for errors."""

    @earlier.setter
    def earlier(self, arg: int, /) -> None: ...
    @property
    def wants_names(self) -> bool:
        """Whether feature names are stored: not if features are only hashed."""

    @property
    def lanes(self) -> int:
        """
        The number of scores of an example: one per class, or one for two classes.
        """

    def relane(self, sources: Sequence[int], signs: Sequence[int]) -> None:
        """
        Make new lanes from old ones: source -1 is a fresh lane, sign -1 exchanges the labels.
        """

    def extend(self, count: int) -> None:
        """Append fresh lanes."""

    def reserve(self, lanes: int) -> None:
        """
        Allocate memory for a number of lanes; MemoryError if there is too little.
        """

    def used(self) -> NDArray[numpy.uint32]:
        """The rows of the bank that hold anything."""

    def weights(self, rows: NDArray[numpy.uint32] | None = None) -> NDArray[numpy.float64]:
        """The weights of some rows or of all, rows by lanes, as a flat array."""

    def names(self) -> dict[int, Any]:
        """The names of the features, by row."""

    def total(self, total: Total) -> float:
        """A running total, summed over the lanes."""

    def most(self, total: Total) -> float:
        """A running total: the largest of all lanes."""

    def each(self, total: Total) -> NDArray[numpy.float64]:
        """A running total, lane by lane."""

    @property
    def has_gradient_sum(self) -> bool:
        """Whether the sum of gradients is known."""

    def gradient_norms(self) -> list[float]:
        """
        The l1, l2 and l-infinity norm of the sum of gradients, and how many entries are not 0.
        """

    @property
    def bytes(self) -> int:
        """The memory that the tables of weights, or the trees, take."""

    @property
    def nodes(self) -> int:
        """The number of nodes of a tree or a forest."""

    def state(self) -> dict[str, numpy.typing.NDArray[Any]]:
        """Everything learned, as named arrays."""

    def restore(self, lanes: int, **arrays: numpy.typing.NDArray[Any]) -> None:
        """Take over the arrays that `state` returned."""

    def lane_scores(self, x: object) -> NDArray[numpy.float64]:
        """The scores of all lanes of a mixture, class by class."""

    def retired(self) -> list[tuple[int, float, float]]:
        """(number, examples, loss) of the lanes that learn no more."""

    def measured(self, lane: int) -> dict[str, NDArray[numpy.float64]]:
        """What the votes of a class's weak learners have measured."""

    def spaces(self, lane: int) -> list[dict[str, Any]]:
        """What the spaces of a class's Newton steps have measured."""

    def mixing(self, lane: int) -> dict[str, Any]:
        """
        How the lanes of a class are mixed: losses, weights and the terms of the bound.
        """

def narrow(columns: NDArray[numpy.int64], to: NDArray[numpy.int32]) -> bool:
    """Copy int64 columns to int32; False if one does not fit."""

def survey(
    width: int,
    starts: NDArray[numpy.int64],
    columns: NDArray[numpy.int32],
    values: NDArray[numpy.float64],
    name: str,
) -> tuple[bool, bool]:
    """
    Check a CSR matrix: (whether columns increase in every row, whether a value is 0).
    """

class Reader:
    """
    Turns examples into rows of numbers for learners that are written in Python.
    """

    def __init__(self, bits: int, remembered: int, intercept: bool) -> None: ...
    def read(
        self, x: object, naming: bool
    ) -> tuple[
        NDArray[numpy.int64], NDArray[numpy.int64], NDArray[numpy.float64], NDArray[numpy.int64]
    ]:
        """Read one example: (starts, rows, values, features known)."""

    def csr(
        self,
        width: int,
        starts: NDArray[numpy.int64],
        columns: NDArray[numpy.int32],
        values: NDArray[numpy.float64],
        has_zero: bool,
        naming: bool,
        importance: NDArray[numpy.float64] | None,
    ) -> tuple[
        NDArray[numpy.int64], NDArray[numpy.int64], NDArray[numpy.float64], NDArray[numpy.int64]
    ]:
        """Read the rows of a CSR matrix."""

    def table(
        self,
        size: int,
        columns: list[tuple[Any, ...]],
        naming: bool,
        importance: NDArray[numpy.float64] | None,
    ) -> tuple[
        NDArray[numpy.int64], NDArray[numpy.int64], NDArray[numpy.float64], NDArray[numpy.int64]
    ]:
        """Read a batch given by columns."""

    def examples(
        self,
        x: Examples,
        first: int,
        last: int,
        naming: bool,
        importance: NDArray[numpy.float64] | None,
    ) -> tuple[
        NDArray[numpy.int64], NDArray[numpy.int64], NDArray[numpy.float64], NDArray[numpy.int64]
    ]:
        """Read examples that a parser has made."""

    def locate(
        self, x: Examples
    ) -> tuple[NDArray[numpy.uint64], NDArray[numpy.uint32], numpy.typing.NDArray[Any]]:
        """Find the rows of examples, to be kept: (starts, rows, values)."""

    def located(
        self,
        starts: NDArray[numpy.uint64],
        rows: NDArray[numpy.uint32],
        values: numpy.typing.NDArray[Any],
        naming: bool,
        importance: NDArray[numpy.float64] | None,
    ) -> tuple[
        NDArray[numpy.int64], NDArray[numpy.int64], NDArray[numpy.float64], NDArray[numpy.int64]
    ]:
        """Read examples whose rows `locate` has found."""

    @property
    def size(self) -> int:
        """The number of features known, the intercept included."""

    @property
    def wants_names(self) -> bool:
        """Whether feature names are stored: not if features are only hashed."""

    def truncate(self, size: int) -> None:
        """Forget the features that were named last."""

    def names(self) -> dict[int, Any]:
        """The names of the features, by row."""

    def state(self) -> dict[str, numpy.typing.NDArray[Any]]:
        """The names, as arrays."""

    def restore(
        self,
        names: NDArray[numpy.uint8],
        name_keys: NDArray[numpy.int64],
        name_kinds: NDArray[numpy.uint8],
        name_rows: NDArray[numpy.uint32],
    ) -> None:
        """Take over the names that `state` returned."""

def probabilities(loss: Loss, scores: NDArray[numpy.float64], lanes: int) -> NDArray[numpy.float64]:
    """Turn scores, `lanes` per example, into probabilities."""

class Examples:
    """Examples that a parser has read, or that were added one by one."""

    def __init__(self, bits: int, intercept: bool, named: bool, precise: bool = False) -> None: ...
    def __len__(self) -> int:
        """The number of examples."""

    @property
    def labels(self) -> NDArray[numpy.float64]:
        """The labels as numbers; NaN where there is none or it is text."""

    @property
    def label_texts(self) -> list[str] | None:
        """The labels as texts, if they are texts."""

    @property
    def importance(self) -> NDArray[numpy.float64] | None:
        """The weights of the examples, if there are any."""

    @property
    def tags(self) -> list[str] | None:
        """The tags of the examples, if there are any."""

    @property
    def bits(self) -> int:
        """The number of bits of hashed rows; 0 if names are kept instead."""

    @property
    def intercept(self) -> bool:
        """Whether every example has the constant feature."""

    @property
    def named(self) -> bool:
        """Whether the names of features are kept."""

    def row(self, t: int) -> dict[Any, float]:
        """One example as a dict."""

    def line(self, t: int) -> int | None:
        """The line on which an example begins, if it is known."""

    def columns(self) -> tuple[NDArray[numpy.int64], NDArray[numpy.int64], NDArray[numpy.float64]]:
        """All examples as a sparse matrix: (starts, columns, values)."""

    def add(self, row: dict[Any, Any]) -> None:
        """Append a dict as an example without a label."""

    def add_rows(
        self,
        starts: NDArray[numpy.int64],
        columns: NDArray[numpy.int64],
        values: NDArray[numpy.float64],
        names: Sequence[str],
    ) -> None:
        """Append sparse rows as examples without labels."""

def name(name: object) -> int | str:
    """A feature name as the core compares it: a column number, or text."""

MISSING: tuple[str, ...]

class Parser:
    """Reads lines of text into examples, a piece of a file at a time."""

    def parse(self, data: object, first: int, last: int, ends: bool, out: Examples) -> int:
        """Parse data[first:last] into `out`; returns the number of bytes used."""

    @property
    def line(self) -> int:
        """The number of the next line, counted from 1."""

    @property
    def skipped(self) -> int:
        """The number of bad lines skipped so far."""

    @property
    def labels(self) -> LabelKind:
        """Which kind of labels the lines have had."""

    def go_on_at(self, line: int, labels: LabelKind) -> None:
        """Continue at a line, with the kind of labels met before."""

class SvmlightParser(Parser):
    """Reads lines in svmlight format."""

    def __init__(self, skip_bad: bool, need_labels: bool) -> None: ...

class VwParser(Parser):
    """Reads lines in the format of Vowpal Wabbit."""

    def __init__(
        self, skip_bad: bool, need_labels: bool, interactions: Sequence[Sequence[str]]
    ) -> None: ...

class CsvColumns:
    """What the columns of a CSV file are."""

    @property
    def names(self) -> list[str]:
        """The names of the columns."""

    @property
    def kinds(self) -> list[str]:
        """The kinds: number, category, label, weight, tag or ignored."""

def infer_csv(
    sample: bytes,
    whole: bool,
    delimiter: str,
    header: bool,
    label: str,
    weight: str,
    tag: str,
    categorical: Sequence[str],
    numeric: Sequence[str],
    ignored: Sequence[str],
    optional: bool,
) -> CsvColumns:
    """Find out from a sample what the columns of a CSV file are."""

class CsvParser(Parser):
    """Reads the records of a CSV file."""

    def __init__(self, skip_bad: bool, need_labels: bool, columns: CsvColumns) -> None: ...

class JsonlParser(Parser):
    """Reads JSON objects, one per line."""

    def __init__(
        self,
        skip_bad: bool,
        need_labels: bool,
        label: str,
        weight: str,
        tag: str,
        ignored: Sequence[str],
        numeric: Sequence[str],
    ) -> None: ...

def ordinary(
    numbers: NDArray[numpy.float64], least: float, most: float
) -> NDArray[numpy.float64] | None:
    """
    A copy in which numbers below `least` are 0; None if one is beyond `most` or NaN.
    """

class Player:
    """A player of online convex optimisation."""

    def update(self, gradient: NDArray[numpy.float64]) -> float:
        """Suffer <gradient, point> and move; returns that loss."""

    def run(
        self,
        rows: NDArray[numpy.float64],
        targets: NDArray[numpy.float64] | None,
        loss: Loss | None,
        keep: bool,
        bound: float = 0.0,
    ) -> tuple[
        NDArray[numpy.float64],
        NDArray[numpy.float64],
        NDArray[numpy.float64],
        NDArray[numpy.float64] | None,
    ]:
        """Play many rounds: (losses, strength, paid, points if `keep`)."""

    def look(self, x: NDArray[numpy.float64], bound: float) -> None:
        """Tell the player the next example before it plays."""

    @property
    def point(self) -> NDArray[numpy.float64]:
        """The point to play now."""

    @property
    def theta(self) -> NDArray[numpy.float64]:
        """Minus the sum of gradients."""

    @property
    def rounds(self) -> int:
        """The number of rounds played."""

    @property
    def linear(self) -> float:
        """The sum of <gradient, point>."""

    @property
    def gross(self) -> float:
        """The sum of |<gradient, point>|."""

    @property
    def peaks(self) -> float:
        """
        The sum of the largest entries of the gradients, for bounds on rounding.
        """

    @property
    def strength(self) -> float:
        """The strength of the regulariser in the bound."""

    @property
    def paid(self) -> float:
        """The part of the bound that does not depend on the comparator."""

    def sums(self) -> dict[str, Any]:
        """Further sums that the bound is made of, by name."""

    def state(self) -> NDArray[numpy.float64]:
        """Everything that changes while it plays, as one array."""

    def restore(self, state: NDArray[numpy.float64]) -> None:
        """Take over a state; nothing has changed if it is refused."""

def mirror_descent(
    dimension: int, twin: dict[str, Any], schedule: Schedule, eta: float, lazy: bool
) -> Player:
    """Online mirror descent, or dual averaging if lazy."""

def leaders(
    twin: dict[str, Any],
    first: NDArray[numpy.float64],
    theta: NDArray[numpy.float64],
    rows: NDArray[numpy.float64],
    eta: NDArray[numpy.float64],
) -> tuple[NDArray[numpy.float64], NDArray[numpy.float64]]:
    """
    The points of the regularised leader after each row: (points, squared dual norms).
    """

def density_weights(
    potential: DensityPotential, rate: float, scores: NDArray[numpy.float64], round: float
) -> NDArray[numpy.float64]:
    """The weights that a density player gives to scores."""

def density_run(
    potential: DensityPotential,
    rate: float,
    before: float,
    scores: NDArray[numpy.float64],
    points: NDArray[numpy.float64],
    values: NDArray[numpy.float64],
) -> tuple[NDArray[numpy.float64], NDArray[numpy.float64], NDArray[numpy.float64]]:
    """Play a density over points: (scores, losses, points played)."""

def invariant_newton(dimension: int, curvature: float) -> Player:
    """The Newton step that is invariant to linear maps of the examples."""

def adagrad_player(dimension: int, eta: float, box: dict[str, Any]) -> Player:
    """AdaGrad over a box."""

def newton_step(
    dimension: int,
    alpha: float,
    curvature: float,
    rate: float,
    domain: dict[str, Any],
    lazy: bool,
    delta: float,
) -> Player:
    """The online Newton step."""

def coin_player(dimension: int, wealth: float, gradient: float) -> Player:
    """Coin betting in every coordinate."""

class Experts:
    """A player that distributes weight over experts."""

    def belongs_to(self, owner: object) -> None:
        """
        Name the Python object that the engine belongs to, for errors about threads.
        """

    def weights(self, confidence: NDArray[numpy.float64] | None) -> NDArray[numpy.float64]:
        """The weights to play now, given the confidence in each expert."""

    def update(
        self, losses: NDArray[numpy.float64], confidence: NDArray[numpy.float64] | None
    ) -> float:
        """Suffer the weighted mean of the losses and learn; returns that loss."""

    def update_within(self, losses: NDArray[numpy.float64], low: float, high: float) -> float:
        """
        The same as `update`, with losses from `low` to `high` instead of 0 to 1.
        """

    def run(
        self,
        losses: NDArray[numpy.float64],
        confidence: NDArray[numpy.float64] | None,
        low: float,
        high: float,
        keep: bool,
    ) -> tuple[int, NDArray[numpy.float64], NDArray[numpy.float64] | None]:
        """Play many rounds: (rounds played, losses suffered, weights if `keep`)."""

    @property
    def size(self) -> int:
        """The number of experts."""

    @property
    def rounds(self) -> int:
        """The number of rounds played."""

    @property
    def loss(self) -> float:
        """The sum of the losses suffered."""

    @property
    def gross(self) -> float:
        """The sum of the sizes of the losses suffered."""

    @property
    def regrets(self) -> NDArray[numpy.float64]:
        """The regret to every expert."""

    @property
    def spread(self) -> NDArray[numpy.float64] | None:
        """The sums of |instantaneous regret|, if the player keeps them."""

    @property
    def paid(self) -> float:
        """The part of the bound that has been paid so far."""

    @property
    def rate(self) -> float:
        """The learning rate now."""

    def state(self) -> NDArray[numpy.float64]:
        """Everything that changes while it plays, as one array."""

    def restore(self, state: NDArray[numpy.float64], most: float = 1.0) -> None:
        """Take over a state in which the regret of a round is at most `most`."""

    def grow(self, count: int) -> None:
        """Add experts to AdaNormalHedge."""

    def rescale(self, by: float) -> None:
        """Multiply the regrets of AdaNormalHedge by a factor."""

def mixture_run(
    experts: Experts,
    loss: ForecastLossKind,
    tau: float,
    gradient: bool,
    unit: float,
    low: float,
    gross: float,
    forecasts: NDArray[numpy.float64],
    targets: NDArray[numpy.float64],
) -> tuple[int, bool, float, NDArray[numpy.float64], NDArray[numpy.float64]]:
    """
    Mix forecasts: (rounds, whether the last was refused, gross losses, forecasts, weights).
    """

def learn_within(
    experts: Experts,
    losses: Sequence[float],
    confidence: NDArray[numpy.float64] | None,
    suffered: float,
    unit: float,
    low: float,
    gross: float,
) -> tuple[bool, float]:
    """
    One round with losses in units of `unit` above `low`: (whether it was learned, gross losses).
    """

def hedge(prior: Sequence[float], schedule: HedgeSchedule, eta: float) -> Experts:
    """Hedge with a schedule of rates."""

def linear_hedge(prior: Sequence[float], beta: float) -> Experts:
    """Weighted majority with linear updates."""

def fixed_share(prior: Sequence[float], eta: float, share: float) -> Experts:
    """Fixed Share: Hedge that tracks the best expert."""

def potential_player(prior: Sequence[float], kind: ExpertPotential, parameter: float) -> Experts:
    """A player that follows the gradient of a potential."""

def ada_normal_hedge(prior: Sequence[float], power: float) -> Experts:
    """AdaNormalHedge."""

def ada_normal_hedge_tv(prior: Sequence[float], streaming: bool) -> Experts:
    """AdaNormalHedge.TV, for comparators that change."""

def adapt_ml_prod(prior: Sequence[float], known_range: bool) -> Experts:
    """Adapt-ML-Prod."""

def boa(prior: Sequence[float]) -> Experts:
    """Bernstein online aggregation."""

def ml_poly(prior: Sequence[float]) -> Experts:
    """ML-Poly: polynomial weights with a rate per expert."""

def squint(prior: Sequence[float]) -> Experts:
    """Squint with the improper prior."""

def regret_matching_plus(prior: Sequence[float], predictive: bool) -> Experts:
    """Regret matching+, with a prediction of the next losses if predictive."""

def optimistic_hedge(prior: Sequence[float], complexity: float) -> Experts:
    """Optimistic Hedge."""

class Payoffs:
    """The matrix of a zero-sum game: what the row player loses."""

    def losses(self, column: NDArray[numpy.float64]) -> NDArray[numpy.float64]:
        """The losses of the rows against a column player's mixed strategy."""

    def gains(self, row: NDArray[numpy.float64]) -> NDArray[numpy.float64]:
        """The gains of the columns against a row player's mixed strategy."""

def dense_payoffs(matrix: NDArray[numpy.float64]) -> Payoffs:
    """A game given by a matrix."""

def sparse_payoffs(
    starts: NDArray[numpy.int64],
    places: NDArray[numpy.int32],
    values: NDArray[numpy.float64],
    columns: int,
) -> Payoffs:
    """A game given by a sparse matrix."""

class SelfPlay:
    """Two players of one game against each other."""

    def __init__(
        self,
        row: Experts,
        column: Experts,
        payoffs: Payoffs,
        low: float,
        high: float,
        alternating: bool,
        power: float,
    ) -> None: ...
    def play(self, rounds: int, enough: float) -> None:
        """Play so many rounds, or until the gap is at most `enough`."""

    @property
    def rounds(self) -> int:
        """The number of rounds played."""

    @property
    def weight(self) -> float:
        """The sum of the weights of the rounds in the average."""

    @property
    def last_weight(self) -> float:
        """The weight of the last round in the average."""

    @property
    def played(self) -> float:
        """The weighted sum of the payoffs p'A q."""

    @property
    def guessed(self) -> float:
        """The same sum with the column player's strategy before it saw p."""

    @property
    def gap(self) -> float:
        """The gap between the bounds on the value of the game."""

    @property
    def average_bounds(self) -> tuple[float, float]:
        """The bounds on the value by the average strategies."""

    @property
    def last_bounds(self) -> tuple[float, float]:
        """The bounds on the value by the last strategies."""

    @property
    def row(self) -> NDArray[numpy.float64]:
        """The last strategy of the row player."""

    @property
    def column(self) -> NDArray[numpy.float64]:
        """The last strategy of the column player."""

    @property
    def average_row(self) -> NDArray[numpy.float64]:
        """The average strategy of the row player."""

    @property
    def average_column(self) -> NDArray[numpy.float64]:
        """The average strategy of the column player."""

    def history(
        self,
    ) -> tuple[NDArray[numpy.float64], NDArray[numpy.float64], NDArray[numpy.float64]]:
        """
        (rounds, gaps of the averages, gaps of the last strategies) at some rounds.
        """

class Environment:
    """The losses of arms, drawn by number or read from a table."""

    def __init__(
        self, kind: EnvironmentKind, means: Sequence[float], scale: float, seed: int
    ) -> None: ...
    def rows(self, first: int, count: int) -> NDArray[numpy.float64]:
        """The losses of all arms in some rounds."""

    def column(self, arm: int, first: int, count: int) -> NDArray[numpy.float64]:
        """The losses of one arm in some rounds."""

def table(rows: NDArray[numpy.float64]) -> Environment:
    """An environment that reads the losses from a table."""

def drawn_index(weights: NDArray[numpy.float64], u: float) -> int:
    """The index that the uniform number u draws with these weights."""

def uniform(seed: int, round: int) -> float:
    """The uniform number of a round."""

class Arms:
    """A player that chooses arms."""

    def belongs_to(self, owner: object) -> None:
        """
        Name the Python object that the engine belongs to, for errors about threads.
        """

    def act(self) -> int:
        """Choose an arm."""

    def act_among(self, awake: NDArray[numpy.float64]) -> int:
        """Choose an arm among those that are awake."""

    def update(self, loss: float) -> None:
        """Learn the loss of the oldest choice that waits."""

    def update_arm(self, arm: int, loss: float) -> None:
        """Learn the loss of the oldest choice of an arm that waits."""

    def update_ticket(self, ticket: int, loss: float) -> None:
        """Learn the loss of the choice with a ticket."""

    def forget(self, ticket: int) -> None:
        """Drop the choice with a ticket."""

    def probabilities(self, awake: NDArray[numpy.float64] | None) -> NDArray[numpy.float64]:
        """The probabilities of the arms now."""

    def advise(self, advice: NDArray[numpy.float64]) -> None:
        """Give the experts' advice for the next choice."""

    def grow(self, rate: float) -> None:
        """Add an arm."""

    def retire(self, arm: int) -> None:
        """Remove an arm."""

    def reseed(self, seed: int) -> None:
        """Start another sequence of random numbers."""

    def run(
        self,
        world: Environment,
        first: int,
        count: int,
        advice: NDArray[numpy.float64] | None,
        delays: NDArray[numpy.int64] | None,
    ) -> tuple[
        int,
        NDArray[numpy.int64],
        NDArray[numpy.float64],
        NDArray[numpy.float64],
        NDArray[numpy.float64],
    ]:
        """
        Play rounds: (rounds, arms, losses, propensities, sums of losses by arm).
        """

    def watch(
        self, world: Environment, checkpoints: Sequence[int], delays: NDArray[numpy.int64] | None
    ) -> tuple[
        int,
        NDArray[numpy.float64],
        NDArray[numpy.float64],
        NDArray[numpy.float64],
        NDArray[numpy.float64],
    ]:
        """
        Play rounds: (rounds, and at each checkpoint loss, best arm, pseudo-regret, choices).
        """

    @property
    def tickets(self) -> int:
        """The number of tickets given."""

    @property
    def decisions(self) -> int:
        """The number of choices made."""

    @property
    def updates(self) -> int:
        """The number of losses learned."""

    @property
    def loss(self) -> float:
        """The sum of the losses learned."""

    @property
    def propensity(self) -> float:
        """The probability with which the last arm was chosen."""

    @property
    def slept(self) -> bool:
        """Whether an arm was ever asleep."""

    @property
    def delayed(self) -> bool:
        """Whether a loss ever came late."""

    @property
    def present(self) -> NDArray[numpy.float64]:
        """Which arms are there: 1 or 0."""

    @property
    def seen(self) -> NDArray[numpy.float64]:
        """How often the loss of each arm was learned."""

    @property
    def losses(self) -> NDArray[numpy.float64]:
        """The sum of the losses learned, scaled to 0 to 1, by arm."""

    @property
    def waiting(self) -> list[tuple[int, int]]:
        """(ticket, arm) of the choices that wait for their losses."""

    @property
    def rate(self) -> float:
        """The learning rate now."""

    @property
    def paid(self) -> float:
        """The part of the bound that has been paid so far."""

    @property
    def drift(self) -> float:
        """The sum of y - <q, z>; 0 if every loss comes at once."""

    @property
    def figures(self) -> NDArray[numpy.float64]:
        """One number per arm or expert: its estimated regret, or the ones seen."""

    def state(self) -> NDArray[numpy.float64]:
        """Everything that changes while it plays, as one array."""

    def restore(self, state: NDArray[numpy.float64]) -> None:
        """Take over a state; nothing has changed if it is refused."""

def exp3(
    n: int, seed: int, low: float, high: float, eta: float, falls: bool, implicit: float
) -> Arms:
    """Exp3, or Exp3-IX with implicit exploration."""

def tsallis_inf(n: int, seed: int, low: float, high: float, reduced: bool) -> Arms:
    """Tsallis-INF."""

def ucb1(n: int, low: float, high: float, noise: float) -> Arms:
    """UCB1."""

def epsilon_greedy(
    n: int, seed: int, low: float, high: float, epsilon: float, scale: float
) -> Arms:
    """Epsilon-greedy."""

def bernoulli_thompson(n: int, seed: int, low: float, high: float, a: float, b: float) -> Arms:
    """Thompson sampling with Beta posteriors."""

def gaussian_thompson(
    n: int, seed: int, low: float, high: float, mean: float, scale: float, noise: float
) -> Arms:
    """Thompson sampling with Gaussian posteriors."""

def exp4(n: int, experts: int, seed: int, low: float, high: float, eta: float, falls: bool) -> Arms:
    """Exp4: Exp3 over experts that advise."""

class LinUcb:
    """LinUCB: upper confidence bounds of linear rewards."""

    def __init__(
        self, arms: int, dimension: int, alpha: float, ridge: float, shared: bool
    ) -> None: ...
    def act(self, x: NDArray[numpy.float64]) -> int:
        """Choose an arm for a context."""

    def update(self, reward: float) -> None:
        """Learn the reward of the oldest decision that waits."""

    def update_arm(self, arm: int, reward: float) -> None:
        """Learn the reward of the oldest decision for an arm that waits."""

    def update_ticket(self, ticket: int, reward: float) -> None:
        """Learn the reward of the decision with a ticket."""

    def forget(self, ticket: int) -> None:
        """Drop the decision with a ticket."""

    def learn(self, arm: int, x: NDArray[numpy.float64], reward: float) -> None:
        """Learn the reward of an arm that somebody else chose."""

    def look(
        self, x: NDArray[numpy.float64]
    ) -> tuple[NDArray[numpy.float64], NDArray[numpy.float64]]:
        """(estimates, widths) of all arms for a context."""

    def run(
        self, contexts: NDArray[numpy.float64], rewards: NDArray[numpy.float64]
    ) -> tuple[
        NDArray[numpy.int64], NDArray[numpy.float64], NDArray[numpy.float64], NDArray[numpy.float64]
    ]:
        """
        Play rounds: (arms, their widths, the largest widths, the largest log determinants).
        """

    def log_determinant(self, arm: int) -> float:
        """The log determinant of A / ridge in the regression of an arm."""

    @property
    def weights(self) -> NDArray[numpy.float64]:
        """The estimated weights of the arms."""

    @property
    def roots(self) -> NDArray[numpy.float64]:
        """The triangles R of A = R'R, one per regression."""

    @property
    def tickets(self) -> int:
        """The number of tickets given."""

    @property
    def decisions(self) -> int:
        """The number of decisions made."""

    @property
    def updates(self) -> int:
        """The number of rewards learned."""

    @property
    def reward(self) -> float:
        """The sum of the rewards learned."""

    @property
    def played_widths(self) -> float:
        """The sum of the widths of the arms played."""

    @property
    def largest_widths(self) -> float:
        """The sum of the largest widths of the rounds."""

    @property
    def waiting(self) -> list[tuple[int, int]]:
        """(ticket, arm) of the decisions that wait for their rewards."""

    def state(self) -> NDArray[numpy.float64]:
        """Everything that changes while it plays, as one array."""

    def restore(self, state: NDArray[numpy.float64]) -> None:
        """Take over a state; nothing has changed if it is refused."""

class Littlestone:
    """Searches a finite class for its Littlestone dimension."""

    def __init__(self, bits: NDArray[numpy.uint64], points: int) -> None: ...
    def dimension(self, ids: NDArray[numpy.uint32], limit: int) -> tuple[int, int]:
        """
        (lower, upper) bounds on the dimension; equal if the limit on states sufficed.
        """

    def tree(
        self, ids: NDArray[numpy.uint32], depth: int, limit: int
    ) -> tuple[NDArray[numpy.uint32], NDArray[numpy.uint32]]:
        """A mistake tree of a depth: (points, leaves)."""

    @property
    def states(self) -> int:
        """The number of sub-classes looked at."""

def vc_dimension(
    bits: NDArray[numpy.uint64], points: int, limit: int
) -> tuple[int, int, NDArray[numpy.uint32]]:
    """
    (lower, upper, points): bounds on the VC dimension, and points that are shattered.
    """

class Ensembles:
    """
    Combines the scores of weak learners, and weighs the example for each of them.
    """

    def __init__(self, kind: str, options: dict[str, Any]) -> None: ...
    @property
    def lanes(self) -> int:
        """The number of labels with voters of their own."""

    @property
    def voters(self) -> int:
        """The number of weak learners of a lane."""

    def relane(self, sources: Sequence[int]) -> None:
        """Make new lanes from old ones; source -1 is a fresh lane."""

    def margins(self, raw: NDArray[numpy.float64]) -> NDArray[numpy.float64]:
        """
        By how much the vote is for each label, from the scores of the weak learners.
        """

    def score(self, raw: NDArray[numpy.float64]) -> NDArray[numpy.float64]:
        """The log-odds of each label, on the side of the vote."""

    def learn(
        self, raw: NDArray[numpy.float64], y: NDArray[numpy.float64], h: float
    ) -> NDArray[numpy.float64]:
        """Learn the labels; returns the example's weight for each weak learner."""

    def measured(self, lane: int) -> dict[str, NDArray[numpy.float64]]:
        """What has been measured of the weak learners of a lane, by name."""

    def state(self) -> NDArray[numpy.float64]:
        """Everything that changes while it plays, as one array."""

    def restore(self, state: NDArray[numpy.float64]) -> None:
        """
        Take over a state of as many lanes; nothing has changed if it is refused.
        """

    def clone(self) -> Ensembles:
        """A copy."""

    def __getstate__(self) -> tuple[str, dict[str, Any], int, NDArray[numpy.float64]]:
        """What pickle keeps."""

    def __setstate__(self, arg: tuple[str, dict[str, Any], int, NDArray[numpy.float64]], /) -> None:
        """Rebuild from what pickle kept."""

def drawn(seed: int, round: int, place: int) -> float:
    """The uniform number by which an example is drawn for a weak learner."""

class StumpSearch:
    """Finds the best stump for weighted examples."""

    def __init__(
        self,
        starts: NDArray[numpy.int64],
        rows: NDArray[numpy.int32],
        values: NDArray[numpy.float64],
        signs: NDArray[numpy.float64],
    ) -> None: ...
    def best(self, weights: NDArray[numpy.float64]) -> tuple[int, float, int, int, float]:
        """The best stump: (feature, threshold, below, above, edge)."""

class Stages:
    """The stages of gradient boosting, for weak learners in Python."""

    def __init__(self, loss: Loss, options: dict[str, Any]) -> None: ...
    def combine(self, votes: NDArray[numpy.float64]) -> NDArray[numpy.float64]:
        """The partial sums y^0 to y^N of votes."""

    def learn(
        self, sums: NDArray[numpy.float64], y: float, importance: float
    ) -> tuple[NDArray[numpy.float64], NDArray[numpy.float64], NDArray[numpy.float64]]:
        """(slopes, offsets, steps) of what the weak learners are to learn."""

    def shown(self, v: float) -> float:
        """A number of the stages in the units of the targets."""

    def placed(self, y: float) -> float:
        """A target in the units of the stages."""

    @property
    def shrink(self) -> NDArray[numpy.float64]:
        """The shrinkage of every stage."""

    def state(self) -> NDArray[numpy.float64]:
        """Everything that changes while it plays, as one array."""

    def restore(self, state: NDArray[numpy.float64]) -> None:
        """Take over a state; nothing has changed if it is refused."""

def tally(
    probability: NDArray[numpy.float64],
    positive: NDArray[numpy.bool_],
    weight: NDArray[numpy.float64],
    reach: float,
    ranks: NDArray[numpy.float64],
    shares: NDArray[numpy.float64],
) -> None:
    """Add probabilities and outcomes to the bins of ranks and of shares."""

class Audit:
    """Bounds what any linear model of a norm could have won on a stream."""

    def __init__(
        self,
        loss: Loss,
        norms: Sequence[float],
        rates: Sequence[float],
        scaled: bool,
        intercept: bool,
        bits: int,
        memory: int,
        revisits: int,
    ) -> None: ...
    def belongs_to(self, owner: object) -> None:
        """
        Name the Python object that the engine belongs to, for errors about threads.
        """

    def learn(
        self,
        x: object,
        target: float,
        importance: float,
        scores: NDArray[numpy.float64] | None,
        exchanges: bool,
        outputs: int,
    ) -> None:
        """Take in one example with its scores."""

    def csr(
        self,
        width: int,
        starts: NDArray[numpy.int64],
        columns: NDArray[numpy.int32],
        values: NDArray[numpy.float64],
        has_zero: bool,
        targets: NDArray[numpy.float64] | None,
        importance: NDArray[numpy.float64] | None,
        scores: NDArray[numpy.float64] | None,
    ) -> None:
        """Take in the rows of a CSR matrix."""

    def table(
        self,
        size: int,
        columns: list[tuple[Any, ...]],
        targets: NDArray[numpy.float64] | None,
        importance: NDArray[numpy.float64] | None,
        scores: NDArray[numpy.float64] | None,
    ) -> None:
        """Take in a batch given by columns."""

    def examples(
        self,
        x: Examples,
        first: int,
        last: int,
        targets: NDArray[numpy.float64] | None,
        importance: NDArray[numpy.float64] | None,
        scores: NDArray[numpy.float64] | None,
    ) -> None:
        """Take in examples that a parser has read."""

    def located(
        self,
        starts: NDArray[numpy.uint64],
        rows: NDArray[numpy.uint32],
        values: numpy.typing.NDArray[Any],
        targets: NDArray[numpy.float64] | None,
        importance: NDArray[numpy.float64] | None,
        scores: NDArray[numpy.float64] | None,
    ) -> None:
        """Take in examples whose rows a learner's `locate` has found."""

    def exchange(self) -> None:
        """Exchange the two labels."""

    def extend(self, outputs: int) -> None:
        """Add outputs for new labels."""

    def start_pass(self) -> None:
        """Start another pass over the same examples."""

    @property
    def outputs(self) -> int:
        """The number of outputs."""

    @property
    def seen(self) -> float:
        """The number of examples."""

    @property
    def weight(self) -> float:
        """The sum of their weights."""

    @property
    def suffered(self) -> float:
        """The sum of the losses of the scores."""

    @property
    def scored(self) -> float:
        """The number of examples that came with scores."""

    @property
    def bytes(self) -> int:
        """The memory that the audit takes."""

    def parts(self) -> dict[str, NDArray[numpy.float64]]:
        """The parts of the bound of every lane, and of the model."""

    def moments(self) -> NDArray[numpy.float64] | None:
        """The second moments of the examples, if they are kept."""

    def state(self) -> dict[str, numpy.typing.NDArray[Any]]:
        """Everything known, as named arrays."""

    def restore(self, outputs: int, **arrays: numpy.typing.NDArray[Any]) -> None:
        """Take over the arrays that `state` returned."""
