"""Kinds of learners and players: the rounds that they are given, and how each round is played.

A check does not depend on experts or gradients. It takes rounds from a `Kind`, asks for the choices,
plays the rounds, and makes the mistakes of users.
"""

import copy
import inspect
import math
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from regretless.base.randomness import generator

__all__ = [
    "Arms",
    "Calls",
    "Experts",
    "Gradients",
    "Kind",
    "Rows",
    "Takes",
    "find_kind",
    "hostile_losses",
    "scaled",
]

NAN, INF = math.nan, math.inf
SIZES = (1e-12, 1e-9, 1e-6, 1e-3, 1e3, 1e6, 1e9, 1e12)
Calls = dict[str, tuple[Callable[[Any], Any], str]]  # by name: a bad call, and words of the message
Takes = dict[
    str, tuple[Callable[[Any, Any], Any], Any]
]  # by argument: how it is given, a good value


class Kind:
    """A kind of learner or player. A round is any value that its `feed` takes."""

    length = 24  # rounds of a stream
    unit = 1.0  # of the numbers in a round
    absent = False  # whether None may stand for a number, for an expert that is asleep for example
    acts = ""  # whether a player of experts draws one: "aside", or "told" to `update`

    def stream(self, count: int, seed: int = 0) -> list[Any]:
        """The first rounds of a stream, the same for every player of the kind."""
        raise NotImplementedError

    def ask(self, player: Any, round: Any) -> Any:
        """Everything that can be asked before a round is played."""
        raise NotImplementedError

    def feed(self, player: Any, round: Any) -> Any:
        """Play a round and return the player's answer."""
        chosen = self.choose(player, round)
        self.settle(player, round, chosen)
        return chosen

    def many(self, player: Any, rounds: list[Any]) -> Any:
        """Play rounds at once."""
        raise NotImplementedError

    def has_many(self, player: Any) -> bool:
        """Whether the player can play rounds at once."""
        return hasattr(player, "run")

    def bad(self, rounds: list[Any]) -> Calls:
        """Calls that must be refused in any state of the player."""
        return {}

    def takes(self, rounds: list[Any]) -> Takes:
        """Arguments that are numbers, by name."""
        return {}

    def takes_waiting(self) -> Takes:
        """Arguments that are numbers in the second half of a round."""
        return {}

    def choose(self, player: Any, round: Any) -> Any:
        """The first half of a round: choose."""

    def settle(self, player: Any, round: Any, chosen: Any) -> None:
        """The second half of a round: tell the player what its choice cost."""

    def bad_waiting(self) -> Calls:
        """Calls that must be refused between the halves of a round."""
        return {}

    def weightless(self) -> dict[str, tuple[Callable[[Any], Any], Callable[[Any], Any]]]:
        """Calls with examples of weight 0, each beside the call without these examples."""
        return {}

    def extremes(self, sizes: Sequence[float]) -> list[list[Any]]:
        """Streams of rounds of all these sizes."""
        return []

    def hostile(self, player: Any, rng: np.random.Generator) -> list[Any]:
        """Rounds that are bad for the present choice, one for each hostile pattern."""
        return []

    def measured(self, rounds: list[Any], asked: list[Any], told: list[Any]) -> float | None:
        """The regret, computed from questions and answers; None if it cannot be computed."""
        return None

    def suffered(self, rounds: list[Any], asked: list[Any], told: list[Any]) -> float | None:
        """The sum of the losses, computed from questions and answers; None if it cannot be computed."""
        return None

    def largest(self, rounds: list[Any]) -> float:
        """The largest number in some rounds, the scale of rounding errors."""
        return self.unit

    def certificate(self, player: Any) -> Any:
        """The certificate that `measured` speaks of."""
        return player.certificate()


def scaled(
    plain: list[Any], times: Callable[[Any, float], Any], sizes: Sequence[float]
) -> list[list[Any]]:
    """A stream at several sizes: each alone, with alternating signs, mixed, and one after many.

    Six rounds of one size are enough to overflow squares and sums, or to lose them.
    """
    count = len(sizes)
    with np.errstate(over="ignore"):  # infinite rounds must be refused
        return [
            *([times(each, size) for each in plain[:6]] for size in sizes),
            [times(each, sizes[-1 - t % 3] * (-1) ** t) for t, each in enumerate(plain)],
            [times(each, sizes[5 * t % count]) for t, each in enumerate(plain)],
            [times(plain[0], 1.0)] * len(plain) + [times(plain[0], size) for size in sizes],
        ]


def hostile_losses(weights: np.ndarray, rounds: int, rng: np.random.Generator) -> list[np.ndarray]:
    """Losses of the heaviest, of all but the first, of these after two quiet rounds, and at random."""
    n = len(weights)
    others, coins = 1.0 - np.eye(n)[0], (rng.random(n) < 0.5) * 1.0
    return [np.eye(n)[np.argmax(weights)], others, others * (rounds > 2), coins]


# --- learners of examples -----------------------------------------------------------------------------


@dataclass(frozen=True)
class Rows(Kind):
    """Learners of examples `x, y`. Targets are numbers if there are no labels."""

    n: int = 4
    labels: tuple[Any, ...] = ("ham", "spam")
    dense: bool = False  # rows are vectors, not dicts
    named: bool = True  # the keys of dicts are text
    weighs: bool = False  # takes the importance of an example, `learn_one(x, y, w)`
    length: int = 24

    def stream(self, count: int, seed: int = 0) -> list[Any]:
        rng = generator(seed, "checks")
        X = np.where(rng.random((count, self.n)) < 0.2, 0.0, rng.normal(size=(count, self.n)))
        score = X @ np.resize([1.0, -0.5, 0.25, 0.0], self.n) + 0.3 * rng.normal(size=count)
        targets = np.tanh(score).tolist()
        if self.labels:
            targets = [self.labels[int(each > 0)] for each in targets]
        return [(self.row(x), y) for x, y in zip(X, targets)]

    def row(self, x: np.ndarray) -> Any:
        """An example in the form that the learner takes."""
        if self.dense:
            return x
        return {f"x{j}" if self.named else j: v for j, v in enumerate(x.tolist()) if v}

    def table(self, rounds: list[Any]) -> tuple[np.ndarray, list[Any]]:
        """The rounds as a matrix and its targets."""
        names = [f"x{j}" if self.named else j for j in range(self.n)]
        X = [x if self.dense else [x.get(name, 0.0) for name in names] for x, *_ in rounds]
        return np.array(X).reshape(-1, self.n), [y for _, y, *_ in rounds]

    def ask(self, player: Any, round: Any) -> Any:
        methods = ("predict_one", "decision_one", "predict_proba_one")
        return [getattr(player, m)(round[0]) for m in methods if hasattr(player, m)]

    def feed(self, player: Any, round: Any) -> Any:
        return player.learn_one(*round)

    def many(self, player: Any, rounds: list[Any]) -> Any:
        player.learn_many(*self.table(rounds))

    def has_many(self, player: Any) -> bool:
        if not hasattr(player, "learn_many") or (self.named and not self.dense):
            return False  # the columns of a matrix are numbered
        try:
            self.many(copy.deepcopy(player), self.stream(2))
        except Exception:  # takes data frames only, for example
            return False
        return True

    def bad(self, rounds: list[Any]) -> Calls:
        x, y = rounds[-1]
        calls: Calls = {}
        calls["x is infinite"] = (lambda p: p.learn_one(self._with(x, INF), y), r"\bx\b")
        if self.dense:  # in a dict, NaN is a missing value and text a category
            calls["x is NaN"] = (lambda p: p.learn_one(self._with(x, NAN), y), r"\bx\b")
            calls["x has text"] = (lambda p: p.learn_one(self._with(x, "spam"), y), r"\bx\b")
        calls["x is text"] = (lambda p: p.learn_one("spam", y), r"\bx\b")
        calls["y is None"] = (lambda p: p.learn_one(x, None), r"\by\b")
        calls["y is NaN"] = (lambda p: p.learn_one(x, NAN), r"\by\b")
        if not self.labels:
            calls["y is infinite"] = (lambda p: p.learn_one(x, INF), r"\by\b")
            calls["y is text"] = (lambda p: p.learn_one(x, "spam"), r"\by\b")
        if self.weighs:
            for w in (-1.0, NAN, INF, "2"):
                calls[f"w={w!r}"] = (partial(_learn, example=(x, y, w)), r"\bw\b")
        return calls

    def takes(self, rounds: list[Any]) -> Takes:
        x, y = rounds[-1]
        found: Takes = {} if self.labels else {"y": (lambda p, v: p.learn_one(x, v), y)}
        if self.weighs:
            found["w"] = (lambda p, v: p.learn_one(x, y, v), 2.0)
        return found

    def extremes(self, sizes: Sequence[float]) -> list[list[Any]]:
        plain = self.stream(self.length)[::2]
        features = scaled(plain, lambda r, size: (self._times(r[0], size), *r[1:]), sizes)
        targets = [] if self.labels else scaled(plain, lambda r, size: (r[0], r[1] * size), sizes)
        return [*features, *targets]

    def weightless(self) -> dict[str, tuple[Callable[[Any], Any], Callable[[Any], Any]]]:
        if not self.weighs:
            return {}
        x, y = self.stream(1, seed=2)[0]
        return {"learn_one": (lambda p: p.learn_one(x, y, 0.0), lambda _: None)}

    def _times(self, x: Any, size: float) -> Any:
        return x * size if self.dense else {k: v * size for k, v in x.items()}

    def _with(self, x: Any, value: Any) -> Any:
        """The example with another value of its last feature."""
        if self.dense:
            return [*x[:-1], value]
        return {**x, f"x{self.n - 1}" if self.named else self.n - 1: value}


# --- players ------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Experts(Kind):
    """Players that mix experts: a round is the loss of each expert."""

    n: int = 4
    unit: float = 1.0  # of the losses
    acts: str = ""
    length: int = 24

    def stream(self, count: int, seed: int = 0) -> list[Any]:
        rng = generator(seed, "checks")
        return list(
            self.unit * rng.random((count, self.n)) * np.resize([0.5, 1.0, 1.0, 0.9], self.n)
        )

    def hostile(self, player: Any, rng: np.random.Generator) -> list[Any]:
        weights = np.asarray(player.weights)
        rounds = getattr(player, "rounds", 3)
        return [self.unit * row for row in hostile_losses(weights, rounds, rng)]

    def ask(self, player: Any, round: Any) -> Any:
        return player.weights

    def feed(self, player: Any, round: Any) -> Any:
        if not self.acts:
            return player.update(round)
        action = player.act()
        return action, player.update(round, *((action,) if self.acts == "told" else ()))

    def many(self, player: Any, rounds: list[Any]) -> Any:
        return player.run(np.array(rounds).reshape(-1, self.n))

    def has_many(self, player: Any) -> bool:
        return hasattr(player, "run") and not self.acts

    def bad(self, rounds: list[Any]) -> Calls:
        return {
            how: (partial(_call, arguments=(v,)), "loss(es)?")
            for how, v in _wrong(rounds[-1]).items()
        }

    def takes(self, rounds: list[Any]) -> Takes:
        return {"losses|loss": (lambda p, v: p.update(v), rounds[-1])}

    def extremes(self, sizes: Sequence[float]) -> list[list[Any]]:
        return scaled(self.stream(self.length), lambda row, size: row * size, sizes)

    def largest(self, rounds: list[Any]) -> float:
        return float(np.max(np.abs(rounds), initial=0.0))

    def measured(self, rounds: list[Any], asked: list[Any], told: list[Any]) -> float | None:
        suffered = self.suffered(rounds, asked, told)
        return None if suffered is None else suffered - np.sum(rounds, axis=0).min()

    def suffered(self, rounds: list[Any], asked: list[Any], told: list[Any]) -> float | None:
        if self.acts == "told":
            return math.fsum(row[action] for (action, _), row in zip(told, rounds))
        return math.fsum(float(np.asarray(p) @ row) for p, row in zip(asked, rounds))


@dataclass(frozen=True)
class Gradients(Kind):
    """Players of online convex optimisation: a round is a gradient."""

    n: int = 4
    size: float = 0.5  # of the gradients; some theorems need small ones
    length: int = 24
    comparator: tuple[float, ...] | None = None  # a point of the domain

    def stream(self, count: int, seed: int = 0) -> list[Any]:
        mean = np.resize([0.5, 0.0, 0.0, -0.5], self.n)
        Z = generator(seed, "checks").normal(mean, 1.0, (count, self.n))
        return list(self.size * Z / np.linalg.norm(Z, axis=1, keepdims=True))

    def hostile(self, player: Any, rng: np.random.Generator) -> list[Any]:
        point = np.asarray(player.point)
        away = point - point.mean() + 1e-3 * rng.normal(size=self.n)
        corner = 1.0 - 2.0 * np.eye(self.n)[0]  # the best point is far from the start
        found = [self.size * z / np.linalg.norm(z) for z in (away, corner, rng.normal(size=self.n))]
        return [*found, found[1] * (getattr(player, "rounds", 3) > 2)]  # quiet at first

    def ask(self, player: Any, round: Any) -> Any:
        return player.point

    def feed(self, player: Any, round: Any) -> Any:
        return player.update(round)

    def many(self, player: Any, rounds: list[Any]) -> Any:
        return player.run(np.array(rounds).reshape(-1, self.n))

    def bad(self, rounds: list[Any]) -> Calls:
        return {
            how: (partial(_call, arguments=(v,)), "gradients?|grad|g|z")
            for how, v in _wrong(rounds[-1]).items()
        }

    def takes(self, rounds: list[Any]) -> Takes:
        return {"gradient|gradients|grad|g|z": (lambda p, v: p.update(v), rounds[-1])}

    def extremes(self, sizes: Sequence[float]) -> list[list[Any]]:
        return scaled(self.stream(self.length), lambda z, size: z * size, sizes)

    def largest(self, rounds: list[Any]) -> float:
        return float(np.max(np.abs(rounds), initial=0.0))

    def _compared(self) -> np.ndarray:
        return np.eye(self.n)[0] if self.comparator is None else np.array(self.comparator)

    def certificate(self, player: Any) -> Any:
        return player.certificate(self._compared())

    def measured(self, rounds: list[Any], asked: list[Any], told: list[Any]) -> float | None:
        u = self._compared()
        return math.fsum(float((np.asarray(w) - u) @ z) for w, z in zip(asked, rounds))

    def suffered(self, rounds: list[Any], asked: list[Any], told: list[Any]) -> float | None:
        return math.fsum(float(np.asarray(w) @ z) for w, z in zip(asked, rounds))


@dataclass(frozen=True)
class Arms(Kind):
    """Bandits: a round is the loss of each arm, and the player learns one of them."""

    n: int = 4
    unit: float = 1.0  # of the losses
    length: int = 24
    names_arm: bool = False  # `update(arm, loss)` instead of `update(loss)`

    def stream(self, count: int, seed: int = 0) -> list[Any]:
        rng = generator(seed, "checks")
        return list(
            self.unit * rng.random((count, self.n)) * np.resize([0.4, 1.0, 1.0, 0.9], self.n)
        )

    def hostile(self, player: Any, rng: np.random.Generator) -> list[Any]:
        if not hasattr(player, "probabilities"):
            return []
        rounds = getattr(player, "rounds", 3)
        found = hostile_losses(np.asarray(player.probabilities), rounds, rng)
        return [self.unit * row for row in found]

    def ask(self, player: Any, round: Any) -> Any:
        return getattr(player, "probabilities", None)

    def choose(self, player: Any, round: Any) -> Any:
        return player.act()

    def settle(self, player: Any, round: Any, chosen: Any) -> None:
        self._tell(player, float(round[chosen]), chosen)

    def _tell(self, player: Any, loss: Any, arm: Any = 0) -> None:
        player.update(*((arm, loss) if self.names_arm else (loss,)))

    def many(self, player: Any, rounds: list[Any]) -> Any:
        return player.run(np.array(rounds).reshape(-1, self.n))

    def bad(self, rounds: list[Any]) -> Calls:
        if self.names_arm:
            wrong = {"an arm too many": self.n, "an arm of 0.5": 0.5, "an arm of text": "spam"}
            return {how: (partial(_call, arguments=(v, 0.5)), "arm") for how, v in wrong.items()}
        return {"a loss before a choice": (lambda p: p.update(0.5), "")}

    def bad_waiting(self) -> Calls:
        wrong = (NAN, INF, "much", None)
        says = "loss|reward|value|cost"
        return {f"loss={v!r}": (partial(self._tell, loss=v), says) for v in wrong}

    def takes_waiting(self) -> Takes:
        return {"loss|reward|value|cost": (self._tell, 0.5)}

    def extremes(self, sizes: Sequence[float]) -> list[list[Any]]:
        return scaled(self.stream(self.length), lambda row, size: row * size, sizes)

    def suffered(self, rounds: list[Any], asked: list[Any], told: list[Any]) -> float | None:
        return math.fsum(float(row[arm]) for row, arm in zip(rounds, told))


def _learn(player: Any, example: tuple[Any, ...]) -> Any:
    return player.learn_one(*example)


def _call(player: Any, arguments: tuple[Any, ...]) -> Any:
    return player.update(*arguments)


def _wrong(good: np.ndarray) -> dict[str, Any]:
    """Vectors that are not as good as this one."""
    nan, infinite = good.copy(), good.copy()
    nan[-1], infinite[-1] = NAN, -INF
    return {
        "NaN": nan,
        "infinite": infinite,
        "too short": good[1:],
        "too long": np.append(good, good[:1]),
        "a table": np.vstack([good, good]),
        "text": "spam",
        "None": None,
    }


# --- which kind it is ---------------------------------------------------------------------------------

_PROTOCOLS = """
    learner of examples   learn_one(x, y) and predict_one(x)
    player of experts     weights and update(losses)
    convex optimisation   point and update(gradient)
    bandit                act() and update(loss) or update(arm, loss), with probabilities or n"""
NAMES = ("classifier", "regressor", "experts", "oco", "bandit")


def find_kind(player: Any, name: str | None = None, rounds: int = 24) -> Kind:
    """The kind of a learner or player, from its methods and properties.

    Each kind that fits is tried for a round on a copy. `name` chooses one of them.

    >>> from regretless.experts import Hedge
    >>> find_kind(Hedge(3))
    Experts(n=3, unit=1.0, acts='', length=24)
    >>> find_kind("spam")
    Traceback (most recent call last):
    TypeError: a str is not a learner or player that can be checked: it needs ...
    """
    failed = []
    for label, kind in _candidates(player, rounds):
        if name is not None and name != label:
            continue
        tried, first = copy.deepcopy(player), kind.stream(1)[0]
        try:
            kind.ask(tried, first)
            kind.feed(tried, first)
        except Exception as error:  # whatever a user's object raises
            failed.append(f"\nas {label}: {type(error).__name__}: {error}")
            continue
        return reached(kind, tried) if isinstance(kind, Gradients) else kind
    raise TypeError(
        f"a {type(player).__name__} is not a learner or player that can be checked: it needs the "
        f"methods and properties of one of{_PROTOCOLS}{''.join(failed)}"
    )


def _candidates(player: Any, rounds: int) -> list[tuple[str, Kind]]:
    """Kinds whose methods and properties are there, the likeliest first."""
    has = {name for name in _ASKED if hasattr(player, name)}
    found: list[tuple[str, Kind]] = []
    if {"learn_one", "predict_one"} <= has:
        found += _learners(player, has, rounds)
    if {"point", "update"} <= has and "act" not in has:
        found.append(("oco", Gradients(n=np.size(player.point), length=rounds)))
    if {"act", "update"} <= has and ("probabilities" in has or "weights" not in has):
        n = _arms(player, has)
        found += [
            ("bandit", Arms(n=n, length=rounds, names_arm=names))
            for names in ((True, False) if _required(player.update) > 1 else (False, True))
            if n
        ]
    if {"weights", "update"} <= has:
        n, draws = np.size(player.weights), ("aside",) if "act" in has else ("",)
        found += [("experts", Experts(n=n, acts=acts, length=rounds)) for acts in draws]
    return found


_ASKED = (
    *("learn_one", "predict_one", "predict_proba_one", "classes_", "point", "update", "act"),
    *("probabilities", "weights", "n", "n_arms"),
)
_LABELS: tuple[tuple[Any, ...], ...] = (("ham", "spam"), (False, True), (-1, 1), (0, 1))


def _learners(player: Any, has: set[str], rounds: int) -> list[tuple[str, Kind]]:
    """Classifiers give probabilities, have a telling name, or learn text; others learn numbers."""
    told = has & {"predict_proba_one", "classes_"} or "Classifier" in type(player).__name__
    rows: list[dict[str, Any]] = [{"named": False}, {}, {"dense": True}]
    if not hasattr(player, "learn_many"):
        rows = [{}, {"dense": True}]
    options: dict[str, Any] = {"length": rounds, "weighs": "w" in _parameters(player.learn_one)}
    labels: list[tuple[str, Kind]] = [
        ("classifier", Rows(labels=each, **how, **options)) for how in rows for each in _LABELS
    ]
    numbers: list[tuple[str, Kind]] = [
        ("regressor", Rows(labels=(), **how, **options)) for how in rows
    ]
    text = labels[:: len(_LABELS)]
    return [*labels, *numbers] if told else [*text, *numbers, *labels]


def _arms(player: Any, has: set[str]) -> int:
    """How many arms there are; 0 if that is unknown."""
    if "probabilities" in has and not callable(player.probabilities):
        return int(np.size(player.probabilities))
    return int(next((getattr(player, name) for name in ("n", "n_arms") if name in has), 0))


def _parameters(method: Callable[..., Any]) -> dict[str, inspect.Parameter]:
    try:
        return dict(inspect.signature(method).parameters)
    except (TypeError, ValueError):  # compiled, without a signature
        return {}


def _required(method: Callable[..., Any]) -> int:
    """How many arguments a method needs."""
    parameters = _parameters(method).values()
    return sum(p.default is p.empty and p.kind in (0, 1) for p in parameters)


def reached(kind: Gradients, player: Any) -> Gradients:
    """The kind with a comparator that the player can play: the point that it reaches on a slope."""
    with suppress(Exception):  # whatever a user's object raises: the checks find out
        for _ in range(kind.length):
            player.update(-kind.size * np.eye(kind.n)[0])
        point = np.asarray(player.point, float)
        if point.shape == (kind.n,) and np.isfinite(point).all():
            return replace(kind, comparator=tuple(point.tolist()))
    return kind
