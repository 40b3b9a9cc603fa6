"""Colonel Blotto: how to distribute soldiers over hills while the enemy does the same.

The side with more soldiers on a hill takes it and wins its worth. The best strategy is not obvious. Two
players who learn from each other find it, and prove how good it is.

python examples/minimax.py [--plot blotto.png]
"""

import argparse
import itertools
from typing import Any

import numpy as np

from regretless.experts import AdaNormalHedge, Hedge
from regretless.games import BestResponse, play, solve

SOLDIERS, WORTH = 10, (2.0, 3.0, 4.0)
ROUNDS = 2000


def shares() -> Any:
    """All ways to distribute the soldiers, one in each row."""
    ways = itertools.product(range(SOLDIERS + 1), repeat=len(WORTH))
    return np.array([way for way in ways if sum(way) == SOLDIERS])


def payoffs(ways: Any) -> Any:
    """What the row player loses: the worth of the hills lost minus that of the hills taken."""
    return np.sign(ways[None, :, :] - ways[:, None, :]) @ np.array(WORTH)


def main() -> None:
    """Solve it, let learners play it, and draw."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--plot", help="where to write the picture, .png or .svg")
    options = parser.parse_args()
    ways = shares()
    A = payoffs(ways)
    eq = solve(A)
    print(f"{SOLDIERS} soldiers, hills worth {WORTH}: {len(ways)} ways to send them\n")
    print(f"value {eq.value:+.9f}, proved to lie between {eq.lower:+.1e} and {eq.upper:+.1e}")
    print(f"{eq!r}{', polished' * eq.polished}\n")
    for i in np.argsort(-eq.row)[:8]:
        print(f"  send {ways[i]} with probability {eq.row[i]:.3f}")
    even = np.full(len(ways), 1.0 / len(ways))
    print(
        f"\nsending them at random loses {(even @ A).max():.2f} to an enemy who knows it, the strategy"
    )
    print(f"above at most {eq.upper:.1e}. Two learners, {ROUNDS:,} rounds:\n")
    runs = {
        "Hedge against best responses": play(Hedge, BestResponse, A, ROUNDS),
        "AdaNormalHedge against Hedge": play(AdaNormalHedge, Hedge, A, ROUNDS),
    }
    for name, run in runs.items():
        bound = run.bound() / ROUNDS
        print(
            f"  {name}: {run.lower:+.4f} <= value <= {run.upper:+.4f}; gap <= {bound:.3f} by theory"
        )
    if options.plot:
        draw(options.plot, A, eq, runs)


def draw(path: str, A: Any, eq: Any, runs: dict[str, Any]) -> None:
    """All gaps in one picture."""
    from regretless.plots import gap_curves

    rounds = np.arange(1.0, ROUNDS + 1)
    curves = {f"{name}, averages": run.gaps for name, run in runs.items()}
    at, average, _ = solve(A, rounds=ROUNDS, polish=False).history
    curves["predictive regret matching+, averages"] = np.interp(rounds, at, average)
    title = f"Blotto with {SOLDIERS} soldiers: how far from optimal"
    axes = gap_curves(rounds, curves, reached=(eq.rounds, eq.gap), title=title)
    axes.figure.savefig(path, dpi=150)
    print(f"\nwrote {path}")


if __name__ == "__main__":
    main()
