"""Weak learners that vote: False and True are -1 and 1."""

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np

from regretless.arguments import shown
from regretless.foreign import Foreign
from regretless.linear.classifying import Classifying

__all__ = ["Voter"]


class Voter(Foreign):
    """A classifier of False and True. Until it has learned something it votes -1 and is not asked."""

    first: ClassVar[Mapping[str, Any]] = {"classes": np.array([False, True])}

    def vote(self, row: Any, sign: int) -> float:
        """1 for True, -1 for False; with sign -1 the other way round.

        One of this library votes by its score, so that a score of 0 is for -1 either way.
        """
        if not self.learned:
            return -1.0
        if self.is_ours:
            return 1.0 if sign * self.model.decision_one(row) > 0 else -1.0
        label = self.ask(row)
        if isinstance(label, (int, float, np.number, np.bool_)) and label in (0, 1):
            return float(sign if label else -sign)
        raise ValueError(
            f"{self.name} predicts {shown(label)}: False or True was expected of a classifier "
            "that learns "
            "these two"
        )

    @property
    def is_ours(self) -> bool:
        """Whether it is a classifier of this library, with scores, and files."""
        return isinstance(self.model, Classifying)
