"""A guessing game: how many wrong guesses a class of rules costs, and what noise adds.

Shalev-Shwartz (2012), section 3.2.

python examples/guessing_game.py [--plot game.png] [--tree tree.png]
"""

import argparse

import numpy as np

from regretless.adversaries import play
from regretless.classes import (
    SOA,
    AgnosticLearner,
    FiniteClass,
    littlestone_dimension,
    vc_dimension,
)
from regretless.experts import Consistent, Halving

ROUNDS = 2000


class Voting:
    """A voter of `regretless.experts` that takes the labels of all hypotheses as advice."""

    def __init__(self, voter: type[Halving], H: FiniteClass) -> None:
        self.H, self.voter = H, voter(len(H))

    def predict_one(self, x: int) -> int:
        """The answer to the hypotheses' advice."""
        return self.voter.predict(self.H.at(x))

    def learn_one(self, x: int, y: int) -> None:
        """Tell the voter the label."""
        self.voter.update(self.H.at(x), y)


def main() -> None:
    """Print the mistakes that can be forced in each class; then learn from noisy labels."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--plot", help="where to write the regret, .png or .svg")
    parser.add_argument("--tree", help="where to write the tree of the thresholds, .png or .svg")
    options = parser.parse_args()
    classes = {
        "thresholds on 15 points": FiniteClass.thresholds(15),
        "thresholds on 1000 points": FiniteClass.thresholds(1000),
        "singletons, 64 points": FiniteClass.singletons(64),
        "intervals on 20 points": FiniteClass.intervals(20),
        "lines through a 4 x 4 grid": FiniteClass.halfspaces(4),
        "all functions on 8 points": FiniteClass.cube(8),
    }
    print("The adversary walks down the class's tree and always answers the opposite of the guess;")
    print("yet some hypothesis is right in every round.\n")
    print(
        f"{'class':27} {'size':>5} {'VC':>3} {'Ldim':>4} {'SOA':>4} {'Halving':>8} {'Consistent':>11}"
    )
    for name, H in classes.items():
        tree, d = H.littlestone_tree(), littlestone_dimension(H)
        learners = (SOA(H), Voting(Halving, H), Voting(Consistent, H))
        mistakes = [int(play(learner, tree.adversary(), d + 1).loss) for learner in learners]
        one, two, three = mistakes
        print(f"{name:27} {len(H):5} {vc_dimension(H):3} {d:4} {one:4} {two:8} {three:11}")
    in_order = FiniteClass.singletons(64)
    labels = [0] * 63 + [1]
    consistent = int(Consistent(64).run(in_order.advice(range(64)), labels).loss)
    print("\nSingletons in order, and the last one is right:", end=" ")
    print(f"SOA makes 1 mistake, Consistent {consistent}.")
    assert SOA(in_order).run(range(64), labels).mistakes == 1

    H = classes["thresholds on 15 points"]
    random = np.random.default_rng(0)
    xs = random.integers(15, size=ROUNDS)
    ys = (xs >= 6) ^ (random.random(ROUNDS) < 0.2)
    learner = AgnosticLearner(H, horizon=ROUNDS)
    run = learner.run(xs.tolist(), ys.astype(int).tolist())
    best = run.loss - run.regret()
    print(
        f"\n{ROUNDS:,} rounds, one label in five flipped: the best threshold is {run.best}, with "
        f"{best:.0f} mistakes."
    )
    print(
        f"The learner makes {run.loss:.1f} mistakes in expectation, {run.regret():.1f} more; "
        f"its theorem allows {run.bound():.1f} more."
    )
    if options.plot:
        run.plot().figure.savefig(options.plot, dpi=150)
        print(f"\nwrote {options.plot}")
    if options.tree:
        H.littlestone_tree().plot().figure.savefig(options.tree, dpi=150)
        print(f"\nwrote {options.tree}")


if __name__ == "__main__":
    main()
