"""Several passes over the same examples, until nothing is wrong any more.

Mohri et al. (2018), section 8.3.1.
"""

from dataclasses import dataclass
from typing import Any

from regretless.arguments import whole
from regretless.linear.classifying import Classifying

__all__ = ["Cycling", "Passes"]


@dataclass(frozen=True)
class Passes:
    """What `cycle` did: `passes` over the examples, `updates` in all of them, `separated` at the end.

    >>> Passes(passes=2, updates=3, separated=True).updates
    3
    """

    passes: int
    updates: int
    separated: bool


class Cycling(Classifying):
    """A classifier that stands still when it is right: `updates_` counts when it was not."""

    def cycle(self, X: Any, y: Any, *, max_passes: int = 1000) -> Passes:
        """Learn `X` over and over until a pass brings no update, at most `max_passes` times.

        Goes on from what has been learned. Examples that can be separated are learned without error in
        the end; others never are, which `max_passes` is for.

        >>> from regretless.linear import Perceptron
        >>> Perceptron(intercept=False).cycle([[1.0, 2.0], [-1.0, 1.0]], [1, -1])
        Passes(passes=2, updates=2, separated=True)
        """
        whole(max_passes, "max_passes")
        start, passes, moved = self.updates_, 0, True
        while moved and passes < max_passes:
            before = self.updates_
            self.partial_fit(X, y, y)
            passes, moved = passes + 1, self.updates_ > before
        return Passes(passes, self.updates_ - start, not moved)
