"""Log random offers, evaluate policies from the log, then let a bandit decide.

python examples/choose_by_log.py [--rows 20000] [--plot reward.png]

A shop shows one of three offers at random and logs the sales. The log alone tells how much each single
offer would have sold, how much a rule by the customer's age, and how much a bandit that learns. Then the
bandit plays live, and the picture shows its sales.
"""

import argparse
from typing import Any

import numpy as np

from regretless.bandits import EpsilonGreedyLearner, LinUCB
from regretless.bandits.off_policy import Log, evaluate
from regretless.linear import LinearRegressor

OFFERS = ["bicycle", "armchair", "voucher"]


def customers(rows: int, seed: int) -> tuple[Any, Any]:
    """Contexts (age around 0, income around 0, a constant), and the reward of each offer."""
    random = np.random.default_rng(seed)
    X = np.column_stack([random.normal(size=(rows, 2)), np.ones(rows)])
    age, income = X[:, 0], X[:, 1]
    chance = np.column_stack([0.3 - 0.15 * age, 0.25 + 0.15 * age + 0.05 * income, 0.3 + 0 * age])
    return X, (random.random((rows, 3)) < np.clip(chance, 0, 1)).astype(float)


def main() -> None:
    """Log, evaluate, play."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=20_000)
    parser.add_argument("--plot", help="where to write the picture, .png or .svg")
    options = parser.parse_args()

    X, rewards = customers(options.rows, seed=0)
    shown = np.random.default_rng(1).integers(3, size=len(X))
    earned = rewards[np.arange(len(X)), shown]
    log = Log(shown, earned, np.full(len(X), 1 / 3), X, n=3)
    print(f"{len(X):,} offers shown at random, mean reward {earned.mean():.3f}\n")
    policies: dict[str, tuple[Any, str]] = {
        f"always the {offer}": (arm, "snips") for arm, offer in enumerate(OFFERS)
    }
    policies["by age"] = (lambda x: 1 if x[0] > 0 else 0, "dr")
    policies["LinUCB, replayed"] = (LinUCB(3, 3), "replay")
    for name, (policy, method) in policies.items():
        found = evaluate(log, policy, method)
        low, high = found.interval
        print(f"{name:20} {found.value:.3f}   {low:.3f} to {high:.3f}   ({method})")

    X, rewards = customers(options.rows, seed=2)
    print("\nlive, on the same number of new customers:")
    runs = {
        "LinUCB": LinUCB(3, 3).run(X, rewards),
        "epsilon-greedy": EpsilonGreedyLearner(LinearRegressor(), 3, epsilon=0.1).run(X, rewards),
    }
    for name, run in runs.items():
        single = run.rewards.mean(axis=0).max()
        print(f"{name:20} {run.reward / len(X):.3f}   best single offer {single:.3f}")
    if options.plot:
        draw(options.plot, runs)


def draw(path: str, runs: dict[str, Any]) -> None:
    """The sales beyond those of the best single offer."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8, 5), layout="constrained")
    axes = figure.add_subplot()
    for style, (name, run) in zip(("-", "--"), runs.items()):
        earned = -run.regret_curve()
        axes.plot(earned, linestyle=style, label=f"{name}: {earned[-1]:.0f}")
    axes.axhline(0.0, color="0.7", linewidth=0.8)
    axes.set(xlabel="customers", ylabel="sales beyond those of the best single offer")
    axes.set_title("The value of looking at the customer", loc="left")
    axes.grid(alpha=0.3)
    axes.legend()
    figure.savefig(path, dpi=150)
    print(f"\nwrote {path}")


if __name__ == "__main__":
    main()
