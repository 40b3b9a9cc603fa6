"""Kinds of learners and players: what a round is, how to ask and feed them, and what they refuse."""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np

from regretless.oco import LinearLoss, SquaredDistance

__all__ = [
    "Advised",
    "Arms",
    "Chips",
    "Context",
    "ConvexLosses",
    "Costs",
    "Entry",
    "Experts",
    "Fitted",
    "Forecasts",
    "Functions",
    "Gradients",
    "Kind",
    "Labels",
    "Points",
    "Pruned",
    "Rows",
    "Votes",
]

NAN, INF = math.nan, math.inf
N = 4  # experts, arms, coordinates or features
Calls = dict[str, tuple[Callable[[Any], Any], str]]  # what is wrong, how it is done, what is said


def _hostile(weights: np.ndarray, rounds: int, rng: np.random.Generator) -> list[np.ndarray]:
    """Losses: of the heaviest, of all but one, at once or after rounds without any, and of anybody."""
    n = len(weights)
    others, coins = 1.0 - np.eye(n)[0], (rng.random(n) < 0.5) * 1.0
    return [np.eye(n)[np.argmax(weights)], others, others * (rounds > 2), coins]


class Kind:
    """A kind of player. Rounds are whatever `feed` takes; the library's own types stay out of them."""

    length = 24  # of a stream
    starts_over = False  # whether `clone` makes one that has seen nothing

    def stream(self, count: int, seed: int = 0) -> list[Any]:
        """Rounds, the same for every player of the kind."""
        raise NotImplementedError

    def ask(self, player: Any, round: Any) -> Any:
        """All that can be asked without being remembered."""
        raise NotImplementedError

    def feed(self, player: Any, round: Any) -> Any:
        """Play a round; what was answered."""
        chosen = self.choose(player, round)
        self.settle(player, round, chosen)
        return chosen

    def many(self, player: Any, rounds: list[Any]) -> None:
        """Play rounds at once."""
        raise NotImplementedError

    def bad(self, rounds: list[Any]) -> Calls:
        """Calls that must be refused, in whatever state the player is."""
        return {}

    def choose(self, player: Any, round: Any) -> Any:
        """Of players that choose, the first half of a round."""

    def settle(self, player: Any, round: Any, chosen: Any) -> None:
        """The second: what was chosen cost something."""

    def bad_waiting(self) -> Calls:
        """Calls that must be refused between the two."""
        return {}

    def extremes(self) -> list[list[Any]]:
        """Streams of rounds as large or small as numbers are."""
        return []

    def hostile(self, player: Any, rng: np.random.Generator) -> list[Any]:
        """Rounds that are bad for what is played now, each in a way of its own that may go on."""
        return []

    def measured(self, rounds: list[Any], asked: list[Any], told: list[Any]) -> float | None:
        """What the certificate's `regret` must be, from what was asked and told; None: not computed."""
        return None


# --- supervised learners ----------------------------------------------------------------------------


@dataclass(frozen=True)
class Rows(Kind):
    """Learners of examples `x, y`: numbers if there are no labels."""

    labels: tuple[Any, ...] = ("ham", "spam", "eggs")  # the last comes late
    binary: bool = False  # features are 0 and 1
    weighs: bool = True  # takes the importance of an example
    batches: bool = True  # has learn_many
    dense: bool = False  # rows are vectors, not dicts
    starts_over: bool = True

    def stream(self, count: int, seed: int = 0) -> list[Any]:
        rng = np.random.default_rng(seed)
        X = np.where(rng.random((count, N)) < 0.2, 0.0, rng.normal(size=(count, N)))
        X = (X > 0).astype(float) if self.binary else X
        score = X @ np.array([1.0, -0.5, 0.25, 0.0]) + 0.3 * rng.normal(size=count)
        if not self.labels:
            return [(self._row(x), y) for x, y in zip(X, np.tanh(score).tolist())]
        known = np.where(np.arange(count) < 15, min(len(self.labels), 2), len(self.labels))
        which = [int(s * k / 2 + k / 2) % k for s, k in zip(np.tanh(score), known)]
        return [(self._row(x), self.labels[k]) for x, k in zip(X, which)]

    def _row(self, x: np.ndarray) -> Any:
        return x if self.dense else {j: v for j, v in enumerate(x.tolist()) if v}

    def two(self, count: int, seed: int = 0) -> list[Any]:
        """A stream of numbers, or of the first two labels."""
        return Rows(self.labels[:2], self.binary, dense=self.dense).stream(count, seed)

    def table(self, rounds: list[Any]) -> tuple[np.ndarray, list[Any]]:
        """The rounds as a matrix and its targets."""
        X = [x if self.dense else [x.get(j, 0.0) for j in range(N)] for x, _ in rounds]
        return np.array(X).reshape(-1, N), [y for _, y in rounds]

    def ask(self, player: Any, round: Any) -> Any:
        methods = ("predict_one", "decision_one", "predict_proba_one")
        asked = [getattr(player, m)(round[0]) for m in methods if hasattr(player, m)]
        if self.batches and player.examples_:
            asked.append(player.predict(self.table([round])[0]))
        return asked

    def feed(self, player: Any, round: Any) -> Any:
        return player.learn_one(*round)

    def many(self, player: Any, rounds: list[Any]) -> None:
        player.learn_many(*self.table(rounds))

    def bad(self, rounds: list[Any]) -> Calls:
        (x, y), wrong = rounds[-1], {0: 1.0, "new": 1.0, 1: NAN}
        if self.dense:
            wrong = np.where(np.arange(N) == 1, NAN, x)
        calls: Calls = {
            "x is NaN": (lambda p: p.learn_one(wrong, y), r"x\[1\] = nan"),
            "x asked is NaN": (lambda p: p.predict_one(wrong), r"x\[1\] = nan"),
            "x is text": (lambda p: p.learn_one("spam", y), "x"),
            "y is None": (lambda p: p.learn_one(x, None), "y"),
            "y is NaN": (lambda p: p.learn_one(x, NAN), "y"),
            "y is a list": (lambda p: p.learn_one(x, [y]), "y"),
        }
        if not self.labels:
            calls["y is infinite"] = (lambda p: p.learn_one(x, INF), "y.*inf")
        if self.weighs:
            for w in (-1.0, NAN, INF, "2"):
                calls[f"w={w!r}"] = (lambda p, w=w: p.learn_one(x, y, w), "w")
        if self.batches:
            X, targets = self.table(rounds)
            hole = X.copy()
            hole[-1, 1] = NAN
            last = [*targets[:-1], None]
            calls |= {
                "X has a hole": (lambda p: p.learn_many(hole, targets), r"X\[\d+, 1\] = nan"),
                "X asked has a hole": (lambda p: p.predict(hole), r"X\[\d+, 1\] = nan"),
                "y is short": (lambda p: p.learn_many(X, targets[:-1]), r"X has \d+ rows, y has"),
                "y ends in None": (lambda p: p.learn_many(X, last), "y"),
                "X is text": (lambda p: p.learn_many("spam", targets), "X"),
            }
        return calls

    def extremes(self) -> list[list[Any]]:
        plain, sizes = self.stream(self.length), (1e-150, 1e-40, 1e-20, 1e15, 1e37, 1e150)
        if self.binary:  # the only sizes there are
            sizes = (1e-150, 1e-40, 1e-20)
        scaled = [[(self._times(x, size), y) for x, y in plain] for size in sizes]
        mixed = [(self._times(x, sizes[t % len(sizes)]), y) for t, (x, y) in enumerate(plain)]
        targets = [
            [(x, y * size) for x, y in plain] for size in (() if self.labels else (1e-150, 1e150))
        ]
        return [*scaled, mixed, *targets]

    def _times(self, x: Any, size: float) -> Any:
        return x * size if self.dense else {k: v * size for k, v in x.items()}


@dataclass(frozen=True)
class Pruned(Kind):
    """`BestPruning`: examples with two features, targets in [0, 1]."""

    def stream(self, count: int, seed: int = 0) -> list[Any]:
        X = np.random.default_rng(seed).random((count, 2))
        return [(x, float((x > 0.5).all())) for x in X]

    def hostile(self, player: Any, rng: np.random.Generator) -> list[Any]:
        x = rng.random(2)
        return [(x, float(player.predict_one(x) < 0.5)), (x, float(rng.random() < 0.5))]

    def ask(self, player: Any, round: Any) -> Any:
        return player.predict_one(round[0]), player.weights_one(round[0]), player.best_pruning()

    def feed(self, player: Any, round: Any) -> Any:
        return player.learn_one(*round)

    def bad(self, rounds: list[Any]) -> Calls:
        x = rounds[-1][0]
        wrong = (2.5, NAN, INF, None, "1", [0.5])
        return {f"y={y!r}": (lambda p, y=y: p.learn_one(x, y), "y|loss") for y in wrong}

    def extremes(self) -> list[list[Any]]:
        return [[(x, y * 1e-150) for x, y in self.stream(self.length)]]


@dataclass(frozen=True)
class Labels(Kind):
    """Learners of a finite class: points of it, and labels of one of its hypotheses."""

    noisy: bool = True  # whether some labels are those of nobody
    runs: bool = True
    points: int = 9

    def stream(self, count: int, seed: int = 0) -> list[Any]:
        rng = np.random.default_rng(seed)
        xs = rng.integers(self.points, size=count).tolist()
        flips = (rng.random(count) < 0.2) & self.noisy
        return [(x, int(x >= 4) ^ int(flip)) for x, flip in zip(xs, flips)]

    def ask(self, player: Any, round: Any) -> Any:
        methods = ("predict_one", "predict_proba_one", "probability")
        return [getattr(player, m)(round[0]) for m in methods if hasattr(player, m)]

    def feed(self, player: Any, round: Any) -> Any:
        return (player.learn_one if self.runs else player.update)(*round)

    def many(self, player: Any, rounds: list[Any]) -> None:
        player.run([x for x, _ in rounds], [y for _, y in rounds])

    def bad(self, rounds: list[Any]) -> Calls:
        feed, (x, y) = self.feed, rounds[-1]
        calls: Calls = {
            "x is not of the class": (lambda p: feed(p, ("nowhere", y)), "x='nowhere'"),
            "x asked is not of the class": (lambda p: self.ask(p, ("nowhere", y)), "x='nowhere'"),
            **{
                f"y={wrong!r}": (lambda p, y=wrong: feed(p, (x, y)), "y=")
                for wrong in (2, 0.5, NAN, None, "1")
            },
        }
        if self.runs:
            xs = [x for x, _ in rounds]
            calls |= {
                "ys ends in 2": (lambda p: p.run(xs, [*(y for _, y in rounds[:-1]), 2]), "y"),
                "ys is short": (lambda p: p.run(xs, [0]), "xs|ys"),
            }
        return calls

    def measured(self, rounds: list[Any], asked: list[Any], told: list[Any]) -> float | None:
        if not self.noisy:  # mistakes; nobody makes fewer than 0
            return sum(said[0] != y for said, (_, y) in zip(asked, rounds))
        lost = math.fsum(said[1][1 - y] for said, (_, y) in zip(asked, rounds))
        best = min(sum((x >= k) != y for x, y in rounds) for k in range(self.points + 1))
        return lost - best


@dataclass(frozen=True)
class Fitted(Kind):
    """What is fitted in batch: a round is a sample."""

    length = 3
    starts_over: bool = True
    numbers: bool = False  # targets are numbers, features the values of base functions

    def stream(self, count: int, seed: int = 0) -> list[Any]:
        rng = np.random.default_rng(seed)
        samples = []
        for _ in range(count):
            X = np.tanh(rng.normal(size=(30, N)))
            score = X[:, 0] - 0.5 * X[:, 1] + 0.3 * rng.normal(size=30)
            samples.append((X, score if self.numbers else np.where(score > 0, "spam", "ham")))
        return samples

    def ask(self, player: Any, round: Any) -> Any:
        if not hasattr(player, "_ensembles") and not hasattr(player, "coef_"):
            return None
        methods = ("predict", "decision_function", "predict_proba")
        return [getattr(player, m)(round[0]) for m in methods if hasattr(player, m)]

    def feed(self, player: Any, round: Any) -> Any:
        player.fit(*round)

    def bad(self, rounds: list[Any]) -> Calls:
        name, (X, y) = "base" if self.numbers else "X", rounds[-1]
        hole, other = X.copy(), y.astype(object)
        hole[3, 1], other[2] = NAN, None
        return {
            "a hole": (lambda p: p.fit(hole, y), name),
            "text": (lambda p: p.fit("spam", y), name),
            "short": (lambda p: p.fit(X, y[:-1]), name),
            "no rows": (lambda p: p.fit(X[:0], y[:0]), f"{name}|y"),
            "y has None": (lambda p: p.fit(X, other), "y"),
            **({} if self.numbers else {"one label": (lambda p: p.fit(X, y[:1].repeat(30)), "y")}),
        }

    def extremes(self) -> list[list[Any]]:
        if self.numbers:
            sizes = [(1e-150, 1.0), (1.0, 1e-150), (1.0, 1e60)]
            return [[(X * a, y * b) for X, y in self.stream(2)] for a, b in sizes]
        return [[(X * size, y) for X, y in self.stream(2)] for size in (1e-150, 1e30, 1e150)]


# --- players of convex losses -----------------------------------------------------------------------


@dataclass(frozen=True)
class Gradients(Kind):
    """Players of online convex optimisation: a round is a gradient."""

    size: float = 0.5  # of the gradients; some theorems want them to be small
    looks: bool = False  # whether it is shown the gradient before it plays, as `run` does
    length: int = 24

    def stream(self, count: int, seed: int = 0) -> list[Any]:
        Z = np.random.default_rng(seed).normal([0.5, 0.0, 0.0, -0.5], 1.0, (count, N))
        return list(self.size * Z / np.linalg.norm(Z, axis=1, keepdims=True))

    def hostile(self, player: Any, rng: np.random.Generator) -> list[Any]:
        away = player.point - player.point.mean() + 1e-3 * rng.normal(size=N)
        corner = 1.0 - 2.0 * np.eye(N)[0]  # which is the best point, and far from the start
        found = [self.size * z / np.linalg.norm(z) for z in (away, corner, rng.normal(size=N))]
        return [*found, found[1] * (player.rounds > 2)]  # at first nothing happens

    def ask(self, player: Any, round: Any) -> Any:
        return player.point

    def feed(self, player: Any, round: Any) -> Any:
        if self.looks:
            player.look(round)
        return player.update(round)

    def many(self, player: Any, rounds: list[Any]) -> None:
        player.run(np.array(rounds).reshape(-1, N))

    def bad(self, rounds: list[Any]) -> Calls:
        good, table = np.array(rounds), np.array(rounds)
        table[-1, 1] = NAN
        wrong = {
            "NaN": [0.0, NAN, 0.0, 0.0],
            "infinite": np.array([0.0, 0.0, INF, 0.0]),
            "short": [1.0] * (N - 1),
            "a table": np.zeros((2, N)),
            "text": "spam",
            "None": None,
        }
        return {
            **{k: (lambda p, z=z: p.update(z), "gradient") for k, z in wrong.items()},
            "run with NaN": (lambda p: p.run(table), rf"X\[{len(table) - 1}, 1\] = nan"),
            "run of another width": (lambda p: p.run(good[:, 1:]), "X has shape"),
            "run with short y": (lambda p: p.run(table[:-1], [1.0], "squared"), "y has shape"),
            "run of an unknown loss": (lambda p: p.run(table[:-1], None, "hing"), "loss='hing'"),
        }

    def extremes(self) -> list[list[Any]]:
        plain = self.stream(self.length)
        mixed = [z * (1e-150, 1.0, 1e50, 1e150)[t % 4] for t, z in enumerate(plain)]
        return [*([z * size for z in plain] for size in (0.0, 1e-300, 1e-150, 1e50, 1e150)), mixed]

    def measured(self, rounds: list[Any], asked: list[Any], told: list[Any]) -> float | None:
        """Against the first corner of the simplex, which is in every domain of the table."""
        if self.looks:  # what is played is not what was asked
            return None
        return math.fsum(float((w - np.eye(N)[0]) @ z) for w, z in zip(asked, rounds))


@dataclass(frozen=True)
class ConvexLosses(Gradients):
    """`Linearized`: a round is a convex loss."""

    def stream(self, count: int, seed: int = 0) -> list[Any]:
        linear = Gradients(self.size).stream(count, seed)
        return [SquaredDistance(z) if t % 2 else LinearLoss(z) for t, z in enumerate(linear)]

    def hostile(self, player: Any, rng: np.random.Generator) -> list[Any]:
        return [LinearLoss(z) for z in super().hostile(player, rng)]

    def feed(self, player: Any, round: Any) -> Any:
        return player.learn(round)

    def bad(self, rounds: list[Any]) -> Calls:
        return {
            "a value that is NaN": (lambda p: p.update(lambda w: NAN, lambda w: w), "value"),
            "a value that is text": (lambda p: p.update(lambda w: "1", lambda w: w), "value"),
            "a gradient that is NaN": (
                lambda p: p.update(lambda w: 0.0, lambda w: w + NAN),
                "grad",
            ),
            "a gradient that is short": (
                lambda p: p.update(lambda w: 0.0, lambda w: w[1:]),
                "grad",
            ),
        }

    def extremes(self) -> list[list[Any]]:
        return [[LinearLoss(z) for z in stream] for stream in Gradients(self.size).extremes()]

    def measured(self, rounds: list[Any], asked: list[Any], told: list[Any]) -> float | None:
        u = np.eye(N)[0]
        return math.fsum(float(f.value(w) - f.value(u)) for w, f in zip(asked, rounds))


@dataclass(frozen=True)
class Functions(Kind):
    """`DensityPlayer`: a round is the values of a loss at its points."""

    points: int = 16

    def stream(self, count: int, seed: int = 0) -> list[Any]:
        return list(np.random.default_rng(seed).random((count, self.points)))

    def hostile(self, player: Any, rng: np.random.Generator) -> list[Any]:
        return _hostile(player.weights, player.rounds, rng)

    def ask(self, player: Any, round: Any) -> Any:
        return player.weights, player.point

    def feed(self, player: Any, round: Any) -> Any:
        return player.update(round)

    def many(self, player: Any, rounds: list[Any]) -> None:
        player.run(np.array(rounds).reshape(-1, self.points))

    def bad(self, rounds: list[Any]) -> Calls:
        table, good = np.array(rounds), rounds[-1]
        table[-1, 1] = 1.5
        wrong = {
            "NaN": np.where(np.arange(self.points) == 3, NAN, good),
            "too large": good + 1.0,
            "short": good[1:],
            "text": "spam",
            "a function that is NaN": lambda w: NAN,
            "a function that is not convex": lambda w: 0.25 - min(0.25, float(w @ w)),
        }
        return {
            **{k: (lambda p, v=v: p.update(v), "loss") for k, v in wrong.items()},
            "at_point above the mean": (lambda p: p.update(good, 1.0), "at_point"),
            "run with 1.5": (lambda p: p.run(table), rf"losses\[{len(table) - 1}, 1\] = 1.5"),
        }

    def extremes(self) -> list[list[Any]]:
        plain = self.stream(self.length)
        return [[v * size for v in plain] for size in (0.0, 1e-300, 1e-150)]

    def measured(self, rounds: list[Any], asked: list[Any], told: list[Any]) -> float | None:
        table = np.array(rounds)
        suffered = math.fsum(float(p @ v) for (p, _), v in zip(asked, rounds))
        return suffered - table.sum(axis=0).min()


# --- players of experts -----------------------------------------------------------------------------


@dataclass(frozen=True)
class Experts(Kind):
    """Players that mix experts: a round is the loss of each."""

    sleeps: bool = True
    unit: float = 1.0  # of the losses
    acts: str = ""  # whether it draws an expert: "aside", or "told" which loss is then suffered

    def stream(self, count: int, seed: int = 0) -> list[Any]:
        rng = np.random.default_rng(seed)
        return list(self.unit * rng.random((count, N)) * [0.5, 1.0, 1.0, 0.9])

    def hostile(self, player: Any, rng: np.random.Generator) -> list[Any]:
        return [self.unit * row for row in _hostile(player.weights, player.rounds, rng)]

    def ask(self, player: Any, round: Any) -> Any:
        return player.weights

    def feed(self, player: Any, round: Any) -> Any:
        if not self.acts:
            return player.update(round)
        action = player.act()
        return action, player.update(round, *((action,) if self.acts == "told" else ()))

    def many(self, player: Any, rounds: list[Any]) -> None:
        player.run(np.array(rounds).reshape(-1, N))

    def bad(self, rounds: list[Any]) -> Calls:
        good, table = np.array(rounds), np.array(rounds)
        table[-1, 1] = NAN
        wrong = {
            "NaN": [0.5, NAN, 0.5, 0.5],
            "infinite": np.array([0.5, -INF, 0.5, 0.5]),
            "too large": [0.5, 1e200, 0.5, 0.5],
            "short": rounds[-1][1:],
            "text": "spam",
            "None": None,
        }
        calls = {
            **{k: (lambda p, v=v: p.update(v), "losses") for k, v in wrong.items()},
            "run with NaN": (lambda p: p.run(table), rf"losses\[{len(table) - 1}, 1\] = nan"),
            "run of another width": (lambda p: p.run(good[:, 1:]), "losses has shape"),
        }
        if self.sleeps:
            calls |= {
                "confidence of 2": (lambda p: p.update(rounds[-1], [1, 1, 1, 2]), "confidence"),
                "all asleep": (lambda p: p.update(rounds[-1], [0] * N), "asleep"),
                "short confidence": (lambda p: p.update(rounds[-1], [1]), "confidence"),
            }
        return calls

    def extremes(self) -> list[list[Any]]:
        plain = self.stream(self.length)
        return [[row * size for row in plain] for size in (0.0, 1e-300, 1e-150)]

    def measured(self, rounds: list[Any], asked: list[Any], told: list[Any]) -> float | None:
        if self.acts == "told":
            suffered = math.fsum(row[action] for (action, _), row in zip(told, rounds))
        else:
            suffered = math.fsum(float(p @ row) for p, row in zip(asked, rounds))
        return suffered - np.sum(rounds, axis=0).min()


@dataclass(frozen=True)
class Chips(Kind):
    """Players of drifting games: `move` is told where the chips go."""

    def stream(self, count: int, seed: int = 0) -> list[Any]:
        return list(np.random.default_rng(seed).choice([1.0, 1.0, -1.0], (count, N)))

    def ask(self, player: Any, round: Any) -> Any:
        return player.weights, player.potential

    def feed(self, player: Any, round: Any) -> Any:
        """The adversary must move the weighted mean by beta: the heaviest chips go on."""
        z = np.where(player.weights >= np.median(player.weights), 1.0, round)
        return player.move(z)

    def bad(self, rounds: list[Any]) -> Calls:
        wrong = {
            "NaN": [1, 1, 1, NAN],
            "too far": [1, 1, 1, 2],
            "short": [1, 1],
            "text": "spam",
            "all back": [-1] * N,
        }
        return {k: (lambda p, z=z: p.move(z), "movements") for k, z in wrong.items()}


@dataclass(frozen=True)
class Votes(Kind):
    """Players of advice: 0 or 1 by each expert, one of whom is always right."""

    def stream(self, count: int, seed: int = 0) -> list[Any]:
        advice = np.random.default_rng(seed).integers(0, 2, (count, 6))
        return [(row, int(row[2])) for row in advice]

    def ask(self, player: Any, round: Any) -> Any:
        return player.predict(round[0]), player.weights

    def feed(self, player: Any, round: Any) -> Any:
        return player.update(*round)

    def many(self, player: Any, rounds: list[Any]) -> None:
        advice = np.array([a for a, _ in rounds]).reshape(-1, 6)
        player.run(advice, [y for _, y in rounds])

    def bad(self, rounds: list[Any]) -> Calls:
        (advice, y), table = rounds[-1], np.array([a for a, _ in rounds])
        labels, odd = [y for _, y in rounds], table.copy()
        odd[-1, 3] = 2
        return {
            "advice of 2": (lambda p: p.update(odd[-1], y), "advice"),
            "advice is text": (lambda p: p.update("spam", y), "advice"),
            "advice is short": (lambda p: p.update(advice[1:], y), "advice"),
            "advice asked is short": (lambda p: p.predict(advice[1:]), "advice"),
            **{
                f"label={v!r}": (lambda p, v=v: p.update(advice, v), "label")
                for v in (2, NAN, None, "1")
            },
            "run with advice of 2": (lambda p: p.run(odd, labels), "advice"),
            "run with a label of 2": (lambda p: p.run(table, [*labels[:-1], 2]), "label"),
            "run with few labels": (lambda p: p.run(table, labels[:-1]), "labels"),
        }

    def measured(self, rounds: list[Any], asked: list[Any], told: list[Any]) -> float | None:
        return float(sum(told))  # mistakes: the best expert has none


@dataclass(frozen=True)
class Forecasts(Kind):
    """`Mixture`: a round is the forecasts of the experts and the target.

    `loss` and `slope` of a forecast and a target; without a slope the experts' own losses are learned.
    """

    loss: Callable[[Any, Any], Any] = lambda forecast, y: (forecast - y) ** 2
    slope: Callable[[Any, Any], Any] | None = lambda forecast, y: 2.0 * (forecast - y)

    def stream(self, count: int, seed: int = 0) -> list[Any]:
        rng = np.random.default_rng(seed)
        y = rng.normal(size=count)
        return list(zip(y[:, None] + rng.normal(size=(count, N)) * [0.2, 1.0, 1.0, 3.0], y))

    def ask(self, player: Any, round: Any) -> Any:
        return (player.weights, player.regrets) if player.player else None

    def choose(self, player: Any, round: Any) -> Any:
        return player.predict(round[0])

    def settle(self, player: Any, round: Any, chosen: Any) -> None:
        player.update(round[1])

    def bad_waiting(self) -> Calls:
        wrong = (INF, "much", [0.5, 0.5])
        return {f"y={v!r}": (lambda p, v=v: p.update(v), "y") for v in wrong}

    def many(self, player: Any, rounds: list[Any]) -> None:
        player.run(np.array([f for f, _ in rounds]).reshape(-1, N), [y for _, y in rounds])

    def bad(self, rounds: list[Any]) -> Calls:
        X, y = np.array([f for f, _ in rounds]), [y for _, y in rounds]
        hole = X.copy()
        hole[-1, 1] = INF
        return {
            "infinite forecast": (lambda p: p.predict([1.0, INF, 0.0, 0.0]), "forecast|experts"),
            "nobody awake": (lambda p: p.predict([NAN] * N), "asleep|awake"),
            "text": (lambda p: p.predict("spam"), "forecasts"),
            "nothing to learn": (lambda p: p.update(1.0), "predict"),
            "run with infinity": (lambda p: p.run(hole, y), "experts"),
            "run with an infinite target": (lambda p: p.run(X, [*y[:-1], INF]), "y"),
            "run with few targets": (lambda p: p.run(X, y[:-1]), "y"),
            "run with text": (lambda p: p.run(X, ["spam"] * len(y)), "y"),
            "run with a delay below 0": (lambda p: p.run(X, y, delay=-1), "delay"),
        }

    def extremes(self) -> list[list[Any]]:
        plain = self.stream(self.length)
        return [[(f * size, y * size) for f, y in plain] for size in (0.0, 1e-100, 1e30, 1e60)]

    def hostile(self, player: Any, rng: np.random.Generator) -> list[Any]:
        said = rng.normal(size=N)
        mean = said @ player.weights if player.player else 0.0
        return [(said, 10.0 * np.sign(said[0] - mean))]  # the first is always on the right side

    def measured(self, rounds: list[Any], asked: list[Any], told: list[Any]) -> float | None:
        regrets = np.zeros(N)
        for (said, y), forecast in zip(rounds, told):
            if self.slope is None:
                regrets += self.loss(forecast, y) - self.loss(said, y)
            else:
                regrets += self.slope(forecast, y) * (forecast - said)
        return float(regrets.max())


# --- bandits ----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Arms(Kind):
    """Players of arms: a round is the loss of each, of which one is told."""

    unit: float = 1.0  # of the losses
    length: int = 24

    def stream(self, count: int, seed: int = 0) -> list[Any]:
        rng = np.random.default_rng(seed)
        return list(self.unit * rng.random((count, N)) * [0.4, 1.0, 1.0, 0.9])

    def hostile(self, player: Any, rng: np.random.Generator) -> list[Any]:
        return [self.unit * row for row in _hostile(player.probabilities, player.rounds, rng)]

    def ask(self, player: Any, round: Any) -> Any:
        return player.probabilities

    def choose(self, player: Any, round: Any) -> Any:
        return player.act()

    def settle(self, player: Any, round: Any, chosen: Any) -> None:
        player.update(float(round[chosen]))

    def many(self, player: Any, rounds: list[Any]) -> None:
        player.run(np.array(rounds).reshape(-1, N))

    def bad(self, rounds: list[Any]) -> Calls:
        good, table, wide = (np.array(rounds) for _ in range(3))
        table[-1], wide[-1] = NAN, 1e200
        return {
            "nothing waits": (lambda p: p.update(0.5), "act|waits"),
            "run with NaN": (lambda p: p.run(table), rf"losses\[{len(table) - 1}, 0\] = nan"),
            "run beyond all ranges": (lambda p: p.run(wide), "losses"),
            "run of another width": (lambda p: p.run(good[:, 1:]), "losses has shape"),
            "run of text": (lambda p: p.run([["spam"] * N]), "losses"),
        }

    def bad_waiting(self) -> Calls:
        wrong = (NAN, INF, 1e200, "much", None)
        return {f"loss={v!r}": (lambda p, v=v: p.update(v), "loss") for v in wrong}

    def extremes(self) -> list[list[Any]]:
        plain = self.stream(self.length)
        return [[row * size for row in plain] for size in (0.0, 1e-300, 1e-150)]


@dataclass(frozen=True)
class Costs(Arms):
    """`BanditMirrorDescent` over arms."""

    def ask(self, player: Any, round: Any) -> Any:
        return player.probabilities, player.point

    def bad_waiting(self) -> Calls:
        return {
            f"value={v!r}": (lambda p, v=v: p.update(v), "value")
            for v in (NAN, INF, "much", None, [0.5, 0.5, 0.5])
        }


@dataclass(frozen=True)
class Points(Costs):
    """Bandits that play points: a round is where a square has its minimum."""

    def stream(self, count: int, seed: int = 0) -> list[Any]:
        return list(0.2 * np.random.default_rng(seed).normal(size=(count, N)))

    def hostile(self, player: Any, rng: np.random.Generator) -> list[Any]:
        return []

    def ask(self, player: Any, round: Any) -> Any:
        return player.point

    @staticmethod
    def _loss(goal: np.ndarray, w: np.ndarray) -> float:
        return float(min(1.0, 0.25 * ((w - goal) ** 2).sum()))

    def settle(self, player: Any, round: Any, chosen: Any) -> None:
        values = [self._loss(round, w) for w in np.atleast_2d(chosen)]
        player.update(values if len(values) > 1 else values[0])

    def many(self, player: Any, rounds: list[Any]) -> None:
        player.run([partial(self._loss, goal) for goal in rounds])

    def bad(self, rounds: list[Any]) -> Calls:
        return {
            "nothing waits": (lambda p: p.update(0.5), "act"),
            "run of no losses": (lambda p: p.run(3.0), "losses"),
            "run of another width": (lambda p: p.run([[1.0]]), "losses has shape"),
            "run with NaN": (lambda p: p.run([[1.0, NAN, 0.0, 0.0]]), r"losses\[0, 1\] = nan"),
            "run without rounds": (lambda p: p.run(lambda w: 0.0), "rounds"),
        }

    def extremes(self) -> list[list[Any]]:
        return [[goal * size for goal in self.stream(self.length)] for size in (1e-300, 1e-150)]


@dataclass(frozen=True)
class Advised(Arms):
    """`Exp4`: a round is the loss of each arm, and what each expert says."""

    def stream(self, count: int, seed: int = 0) -> list[Any]:
        rng = np.random.default_rng(seed)
        return list(zip(super().stream(count, seed), rng.dirichlet(np.ones(N), (count, 3))))

    def hostile(self, player: Any, rng: np.random.Generator) -> list[Any]:
        advice = rng.dirichlet(np.ones(N), 3)
        return [(row, advice) for row in _hostile(player.weights @ advice, player.rounds, rng)]

    def ask(self, player: Any, round: Any) -> Any:
        return player.weights

    def choose(self, player: Any, round: Any) -> Any:
        return player.act(round[1])

    def settle(self, player: Any, round: Any, chosen: Any) -> None:
        player.update(float(round[0][chosen]))

    def many(self, player: Any, rounds: list[Any]) -> None:
        table = np.array([row for row, _ in rounds]).reshape(-1, N)
        player.run(table, np.array([said for _, said in rounds]).reshape(-1, 3, N))

    def bad(self, rounds: list[Any]) -> Calls:
        table, advice = (np.array([r[i] for r in rounds]) for i in (0, 1))
        hole, odd = table.copy(), advice.copy()
        hole[-1], odd[-1, 1] = NAN, 0.7
        return {
            "nothing waits": (lambda p: p.update(0.5), "act|waits"),
            "advice is no distribution": (lambda p: p.act(odd[-1]), "advice"),
            "advice has NaN": (lambda p: p.act(np.full((3, N), NAN)), "advice"),
            "advice is short": (lambda p: p.act(advice[-1][1:]), "advice"),
            "run with NaN": (lambda p: p.run(hole, advice), "losses"),
            "run with bad advice": (lambda p: p.run(table, odd), "advice"),
            "run with short advice": (lambda p: p.run(table, advice[1:]), "advice"),
        }

    def extremes(self) -> list[list[Any]]:
        plain = self.stream(self.length)
        return [[(row * size, said) for row, said in plain] for size in (0.0, 1e-300, 1e-150)]


@dataclass(frozen=True)
class Context(Kind):
    """Bandits with a context: a round is a context and the reward of each arm."""

    def stream(self, count: int, seed: int = 0) -> list[Any]:
        rng = np.random.default_rng(seed)
        X = rng.normal(size=(count, 3))
        return list(zip(X, X @ rng.normal(size=(3, N)) / 3 + 0.1 * rng.normal(size=(count, N))))

    def ask(self, player: Any, round: Any) -> Any:
        return player.probabilities(round[0])

    def choose(self, player: Any, round: Any) -> Any:
        return player.act(round[0])

    def settle(self, player: Any, round: Any, chosen: Any) -> None:
        player.update(float(round[1][chosen]))

    def many(self, player: Any, rounds: list[Any]) -> None:
        X, R = (np.array([r[i] for r in rounds]).reshape(-1, w) for i, w in ((0, 3), (1, N)))
        player.run(X, R)

    def bad(self, rounds: list[Any]) -> Calls:
        X, R = (np.array([r[i] for r in rounds]) for i in (0, 1))
        hole, few = R.copy(), X.copy()
        hole[-1], few[-1, 1] = NAN, NAN
        return {
            "nothing waits": (lambda p: p.update(0.5), "act"),
            "context of NaN": (lambda p: p.act([1.0, NAN, 0.0]), "x"),
            "context asked of NaN": (lambda p: p.probabilities([1.0, NAN, 0.0]), "x"),
            "context of text": (lambda p: p.act("spam"), "x"),
            "an arm too many": (lambda p: p.update(N, 0.5, x=X[0]), "arm"),
            "an arm of 0.5": (lambda p: p.update(0.5, 0.5, x=X[0]), "arm"),
            "reward of NaN": (lambda p: p.update(0, NAN, x=X[0]), "reward"),
            "reward of text": (lambda p: p.update(0, "much", x=X[0]), "reward"),
            "an unknown arm": (lambda p: p.update(1.0, x=X[0]), "arm"),
            "run with NaN rewards": (lambda p: p.run(X, hole), "rewards"),
            "run with NaN contexts": (lambda p: p.run(few, R), "contexts|x"),
            "run with few rewards": (lambda p: p.run(X, R[1:]), "rewards"),
        }

    def bad_waiting(self) -> Calls:
        wrong = (NAN, INF, "much", None)
        return {f"reward={v!r}": (lambda p, v=v: p.update(v), "reward") for v in wrong}

    def extremes(self) -> list[list[Any]]:
        sizes = ((1e-150, 1.0), (1e15, 1.0), (1e60, 1.0), (1.0, 1e-150), (1.0, 1e15), (1.0, 1e60))
        return [[(x * a, r * b) for x, r in self.stream(self.length)] for a, b in sizes]


# --- an entry ---------------------------------------------------------------------------------------


def _load(kind: type, path: Any) -> Any:
    return kind.load(path)  # type: ignore[attr-defined]


@dataclass(frozen=True)
class Entry:
    """A line of the table.

    `make` of a seed; `oracle` and `identity`, where they are tested, as "file::test" without "test_"
    and ".py"; `draws`, whether another seed plays otherwise; `proof`, what is checked of the
    certificate; `load`, if more than a path is needed; `caches`, attributes that asking may fill;
    `prepares`, whether asking does work of the round in advance, and keeps it; `rounding`,
    why many rounds at once are not one by one to the last bit; `fails`, checks that are known to fail,
    and why; `without`, the checks that do not apply, each with the reason.
    """

    name: str
    make: Callable[[int], Any]
    kind: Kind
    oracle: str
    identity: str = ""
    proof: Callable[["Entry"], None] | None = None
    draws: bool = False
    load: Callable[[type, Any], Any] = _load
    caches: tuple[str, ...] = ()
    prepares: bool = False
    rounding: str = ""
    fails: Mapping[str, str] = field(default_factory=dict)
    without: Mapping[str, str] = field(default_factory=dict)
