"""Which arm is the best? Five players find out, with random losses and with losses made against UCB1.

python examples/which_arm.py [--plot which_arm.png]
"""

import argparse

import numpy as np

from regretless.bandits import UCB1, Bernoulli, Exp3, Exp3IX, ThompsonSampling, TsallisINF, simulate

ROUNDS, SEEDS = 20_000, 100
MEANS = (0.45, 0.5, 0.55, 0.6, 0.6)  # losses: the first is the best


def made_against_ucb1(rounds: int) -> np.ndarray:
    """UCB1's next choice is known in advance: that arm costs 1, the others nothing."""
    player, losses = UCB1(len(MEANS)), np.zeros((rounds, len(MEANS)))
    for row in losses:
        row[player.act()] = 1.0
        player.update(1.0)
    return losses


def main() -> None:
    """Play, print regrets with their bounds, and draw."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--plot", help="where to write the picture, .png or .svg")
    options = parser.parse_args()
    n = len(MEANS)
    players = {
        "Exp3": Exp3(n),
        "Exp3IX": Exp3IX(n),
        "TsallisINF": TsallisINF(n),
        "UCB1": UCB1(n),
        "Thompson": ThompsonSampling(n),
    }
    chance = simulate(players, Bernoulli(MEANS), ROUNDS, seeds=SEEDS)
    print(f"Random losses with means {MEANS}\n\n{chance}\n")
    print("Losses made against UCB1, which has no bound there\n")
    print(simulate(players, made_against_ucb1(ROUNDS), seeds=SEEDS))
    if options.plot:
        chance.plot().figure.savefig(options.plot, dpi=150)
        print(f"\nwrote {options.plot}")


if __name__ == "__main__":
    main()
