"""What is checked of a certificate: that it holds, that it is about this run, that the bound is kept."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from regretless.checks.numbers import follow
from roster.kinds import Entry, N

__all__ = [
    "by_boosting",
    "by_duality",
    "by_kernel",
    "by_margins",
    "by_mistakes",
    "by_regret",
    "by_second_run",
    "by_svm",
    "first_order",
]

U = np.array([1.0, -0.5, 0.25, 0.0])  # what the streams of `Rows` are made with


def within(measured: float, bound: float) -> bool:
    """Up to the rounding that certificates allow themselves."""
    return measured <= bound + 1e-9 * (1.0 + abs(bound) + abs(measured))


def by_regret(
    certificate: Callable[[Any], Any] | None = None, *, assume: bool | None = True
) -> Callable[[Entry], None]:
    """The public check, and more: there is a bound after every round, and it is known whether it holds.

    `assume`: whether all assumptions hold on these streams, None if a player cannot tell.
    """

    def proof(entry: Entry) -> None:
        def each_time(c: Any, rounds: list[Any]) -> None:
            assert c.holds is assume, c
            assert math.isfinite(c.bound), c
            assert c.rounds == len(rounds)

        follow(entry, each_time, certificate)

    return proof


def _learned(
    entry: Entry, count: int = 60, margin: float = -math.inf
) -> tuple[Any, np.ndarray, list[Any], list[float]]:
    """A learner of two labels or of numbers, the examples, and its scores before each.

    With a `margin`, only examples that U tells apart with it.
    """
    kind: Any = entry.kind
    player, rounds, scores = entry.make(1), kind.two(count, seed=7), []
    if margin > 0:
        scale = margin * np.linalg.norm(U)
        signs = [1.0 if y == kind.labels[1] else -1.0 for _, y in rounds]
        far = kind.table(rounds)[0] @ U * signs >= scale
        rounds = [each for each, kept in zip(rounds, far) if kept]
    if kind.labels:
        player.partial_fit(np.zeros((0, N)), [], classes=list(kind.labels[:2]))
    for x, y in rounds:
        scores.append(player.decision_one(x))
        player.learn_one(x, y)
    return player, *kind.table(rounds), scores


def _signs(player: Any, y: list[Any]) -> np.ndarray:
    classes = getattr(player, "classes_", None)
    return np.array(y if classes is None else [1.0 if label == classes[1] else -1.0 for label in y])


def first_order(entry: Entry) -> None:
    """The loss is the sum of those suffered, and no more is promised than the last weights show."""
    player, X, y, scores = _learned(entry)
    c, targets, loss = player.certificate(), _signs(player, y), player._parts()[0]
    assert c.holds
    suffered = math.fsum(map(float, loss.value(np.array(scores), targets)))
    assert c.loss == player.loss_
    assert abs(c.loss - suffered) <= 1e-6 * (1.0 + suffered)  # weights are floats
    assert c.rounds == player.examples_ == len(y)
    weights = [*player.weights_.values(), player.intercept_]
    final = np.array([player.decision_one(x) for x in X])
    theirs = math.fsum(map(float, loss.value(final, targets)))
    norm = math.sqrt(math.fsum(w * w for w in weights))
    assert norm > 0
    # the last weights are one of the models that the certificate speaks of
    assert within(c.best_possible(norm), theirs * (1.0 + 1e-6))
    assert within(c.loss - theirs, c.within(norm).bound + 1e-6 * theirs)


def by_mistakes(u: np.ndarray = U, margin: float = -math.inf) -> Callable[[Entry], None]:
    """How often it updated is within the bounds of a comparator, after few examples and many."""

    def proof(entry: Entry) -> None:
        for count in (1, 5, 60):
            player, X, y, scores = _learned(entry, count, margin)
            c = player.certificate(X, np.array(y))
            assert c.holds
            assert c.updates == player.updates_
            found = player.certificate(X, np.array(y), comparator=u)
            assert found.holds is True, found
            assert found.updates == c.updates
            assert math.isfinite(found.bound)
            if getattr(player, "average", "none") == "none":  # else the average is asked
                assert c.updates >= np.count_nonzero(np.sign(scores) != _signs(player, y))

    return proof


def by_svm(entry: Entry) -> None:
    """The regret in the objective of the SVM."""
    for count in (1, 5, 60):
        player, X, y, _ = _learned(entry, count)
        found = player.certificate(X, np.array(y), comparator=U)
        assert found.holds
        assert math.isfinite(found.bound)


def by_duality(entry: Entry) -> None:
    """Weak duality against the comparator and the last weights, and Theorem 3."""
    player, X, y, scores = _learned(entry)
    c, targets = player.certificate(), _signs(player, y)
    assert c.holds
    assert c.mistakes == np.count_nonzero(np.array(scores) * targets <= 0)
    hinge = [max(0.0, c.margin - s * t) for s, t in zip(X @ U, targets)]
    assert c.euclidean
    complexity = float(U @ U) / 2
    objective = complexity + c.C * math.fsum(hinge)
    assert within(c.dual, objective)
    assert within(c.mistakes, c.mistake_bound(objective))
    assert within(c.loss, c.loss_bound(complexity, math.fsum(hinge)))
    assert within(
        c.loss_bound(complexity, math.fsum(hinge)) - math.fsum(hinge), c.regret_bound(complexity)
    )


def by_kernel(entry: Entry) -> None:
    """Updates are counted, and within the bounds."""
    player, _, y, scores = _learned(entry)
    c = player.certificate()
    assert c.holds
    assert (
        c.updates == player.updates_ == np.count_nonzero(np.array(scores) * _signs(player, y) <= 0)
    )
    assert math.isfinite(c.bound)


def by_boosting(entry: Entry) -> None:
    """Mistakes are counted, and within what the edges allow."""
    player, _, y, scores = _learned(entry)
    c = player.certificate()
    assert c.holds, c
    assert c.rounds == len(y)
    assert math.isfinite(c.bound)
    assert c.identity_gap is None or abs(c.identity_gap) <= 1e-9 * len(y) * player.n
    if "OL" not in type(player).__name__:  # whose votes are drawn
        assert c.mistakes == np.count_nonzero(np.array(scores) * _signs(player, y) <= 0)


def by_second_run(entry: Entry) -> None:
    """Gradient boosting measures the regret of its copies by running again."""
    player, X, y, _ = _learned(entry)
    base = np.clip(X, -1.0, 1.0)
    c = player.certificate(X, y, base)
    assert c.holds, c
    assert math.isfinite(c.bound)


def by_margins(entry: Entry) -> None:
    """Training error and margins of a sample, counted again."""
    for seed in range(3):
        (X, y), player = entry.kind.stream(1, seed)[0], entry.make(0)
        player.fit(X, y)
        c = player.certificate()
        assert c.holds, c
        assert c.error == np.mean(player.predict(X) != y)
        margins = player.margins(X, y)
        for theta in (0.0, 0.1, 0.3):
            assert abs(c.margin_error(theta) - np.mean(margins <= theta)) <= 1e-12
            assert within(c.margin_error(theta), c.margin_bound(theta))
