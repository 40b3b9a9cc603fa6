"""What became of examples that were predicted before they were learned."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["Outcome"]


@dataclass(frozen=True, slots=True)
class Outcome:
    """Losses and errors of examples that follow each other, in their order.

    `losses` are the learner's own. `wrong` says whether the predicted label was another one, or is the
    squared error of a regressor. `probability` is that of the second of two labels, and `positive`
    whether it was the one; None while there are not two, NaN where the label is neither.

    `scores` are those that the predictions were made of, a column for each lane, if they were asked
    for; `codes` the place of each label among the `labels` known, -1 where it was not.
    """

    losses: NDArray[np.float64]
    wrong: NDArray[np.float64]
    probability: NDArray[np.float64] | None = None
    positive: NDArray[np.bool_] | None = None
    scores: NDArray[np.float64] | None = None
    codes: NDArray[np.int32] | None = None
    labels: tuple[Any, ...] = ()

    def __len__(self) -> int:
        return len(self.losses)
