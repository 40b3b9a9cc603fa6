"""Labels that may come at any time, each against the rest, made of oracles of two labels."""

import numpy as np

from reference.auto import GridLane, Mixture
from reference.coin import Coin

__all__ = ["AutoOracle", "OneAgainstRest", "losses_since"]


class OneAgainstRest:
    """A learner of +1 and -1 for every label, `make()`, which begins with the label's first example.

    The first two labels are two sides of one learner, so both begin with the first example of all.
    What a later one knows of the examples before it is of the features alone, if the learner keeps
    that once for all labels (`shares`): which there are (`seen`), how large they have been (`largest`).
    Rounds, rates and penalties count from its beginning.
    """

    def __init__(self, make, shares=()):
        self.make, self.shares = make, shares
        self.learners = {}
        self.past = []  # the examples that came before the second label

    def learn(self, x, label, h=1.0):
        if label not in self.learners:
            self._begin(label)
        if len(self.learners) < 2:
            self.past.append((x, h))
        for each, learner in self.learners.items():
            learner.learn(x, 1.0 if each == label else -1.0, h)

    def _begin(self, label):
        learner = self.make()
        if len(self.learners) == 1:
            for x, h in self.past:
                learner.learn(x, -1.0, h)
        for name in self.shares if len(self.learners) > 1 else ():
            setattr(learner, name, getattr(next(iter(self.learners.values())), name).copy())
        self.learners[label] = learner


class AutoOracle:
    """Auto for one label: lanes, and the mixture of what they score."""

    def __init__(self, d, grid, loss, by_hand):
        self.lanes = [
            Coin(d, by_hand, lane.rate, classification=True)
            if lane.rule == "coin"
            else GridLane(d, lane.rate, lane.scale_invariant, lane.l2, loss)
            for lane in grid
        ]
        self.mixture = Mixture(len(grid), loss)

    @property
    def largest(self):
        return self.lanes[0].largest

    @largest.setter
    def largest(self, largest):
        for lane in self.lanes:
            lane.largest = largest.copy()

    def scores(self, x):
        return np.array(
            [
                lane.score(x) if isinstance(lane, GridLane) else lane.predict(x)
                for lane in self.lanes
            ]
        )

    def learn(self, x, y, h):
        self.mixture.learn(self.scores(x), y, h)
        for lane in self.lanes:
            lane.learn(x, y, h)


def losses_since(loss, X, y, labels, U):
    """The loss of the weights `U[k]` for each label, from where its learner begins."""
    total, y = 0.0, np.array(y)
    for k, label in enumerate(labels):
        first = int(np.argmax(y == label)) if k > 1 else 0
        targets = np.where(y[first:] == label, 1.0, -1.0)
        total += float(np.sum(loss.value(X[first:] @ U[k], targets)))
    return total
