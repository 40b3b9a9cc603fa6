"""Contextual bandits: LinUCB against MABWiser and bare NumPy, decision by decision.

    python benchmarks/contextual.py [--smoke]

MABWiser is compared with if it is installed. The reward reached stands where other tables have a loss,
with its sign changed.
"""

import argparse
import sys
from importlib.util import find_spec
from typing import Any

import numpy as np
from harness import Row, best_of, finish, interleaved

from regretless.bandits import EpsilonGreedyLearner, LinUCB
from regretless.linear import LinearRegressor

ARMS, D = 10, 20


def game(count: int, seed: int = 0) -> tuple[Any, Any]:
    """Contexts, and rewards of all arms."""
    random = np.random.default_rng(seed)
    X = random.normal(size=(count, D))
    theta = random.normal(size=(ARMS, D)) / np.sqrt(D)
    return X, X @ theta.T + 0.1 * random.normal(size=(count, ARMS))


def ours(X: Any, R: Any, bandit: Any = None) -> float:
    """One decision after the other, from Python; the mean reward."""
    bandit, total = bandit or LinUCB(ARMS, D), 0.0
    for x, rewards in zip(X, R):
        reward = rewards[bandit.act(x)]
        bandit.update(reward=reward)
        total += reward
    return total / len(X)


def bare(X: Any, R: Any) -> float:
    """The NumPy that the decision replaces: all inverses at once, Sherman and Morrison."""
    V, b, total = np.tile(np.eye(D), (ARMS, 1, 1)), np.zeros((ARMS, D)), 0.0
    for x, rewards in zip(X, R):
        U = V @ x
        arm = int(np.argmax(np.einsum("ad,ad->a", U, b) + np.sqrt(U @ x)))
        u = U[arm]
        V[arm] -= np.outer(u, u) / (1.0 + u @ x)
        b[arm] += rewards[arm] * x
        total += rewards[arm]
    return total / len(X)


def mabwiser(X: Any, R: Any) -> float:
    """As its users call it online: predict one, then partial_fit one."""
    from mabwiser.mab import MAB, LearningPolicy

    mab = MAB(list(range(ARMS)), LearningPolicy.LinUCB(alpha=1.0, l2_lambda=1.0))
    mab.fit([0], [R[0, 0]], X[:1])
    total = R[0, 0]
    for x, rewards in zip(X[1:], R[1:]):
        row = x[None, :]
        arm = mab.predict(row)
        mab.partial_fit([arm], [rewards[arm]], row)
        total += rewards[arm]
    return total / len(X)


def main() -> None:
    """Measure, print, keep."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--smoke", action="store_true", help="a few rounds, nothing kept")
    smoke = parser.parse_args().smoke
    count, repeats = (300, 1) if smoke else (5_000, 5)
    X, R = game(count)
    rows = []
    mine, theirs = interleaved(lambda: ours(X, R), lambda: bare(X, R), repeats)
    us = [1e6 * s / count for s in (mine, theirs)]
    work = f"LinUCB, {ARMS} arms, d = {D}, decision and update from Python"
    rows.append(Row(work, "NumPy", *us, -ours(X, R), -bare(X, R), 5.0))
    if find_spec("mabwiser") is None:
        print("MABWiser is left out: it is not installed", file=sys.stderr)
    else:
        mabwiser(X[:2], R[:2])  # imports it
        few = X[: count // 5], R[: count // 5]
        mine, theirs = interleaved(lambda: ours(*few), lambda: mabwiser(*few), max(1, repeats // 2))
        us = [1e6 * s / len(few[0]) for s in (mine, theirs)]
        rows.append(Row(work, "MABWiser", *us, -ours(*few), -mabwiser(*few), 50.0))
    taken = best_of(lambda: LinUCB(ARMS, D).run(X, R), repeats)
    greedy = best_of(lambda: ours(X, R, EpsilonGreedyLearner(LinearRegressor(), ARMS)), 1)
    long = np.random.default_rng(1).normal(size=(2_000 if smoke else 1_000_000, D))
    grown = best_of(lambda: LinUCB(1, D).run(long, long[:, :1]), 1)
    notes = {
        "losses": "minus the mean reward",
        "us a decision of LinUCB in run": f"{1e6 * taken / count:.3f}",
        "us a decision of epsilon-greedy around LinearRegressor": f"{1e6 * greedy / count:.1f}",
        f"us a decision and update of one arm, over {len(long):,}": f"{1e6 * grown / len(long):.3f}",
    }
    finish("contextual", rows, notes, keep=not smoke)


if __name__ == "__main__":
    main()
