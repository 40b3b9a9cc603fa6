"""The player who sees what the other one plays, and answers it best."""

from typing import Any

import numpy as np

from regretless.run import Array

__all__ = ["BestResponse"]


class BestResponse:
    """Plays what loses least against what the other player plays in this round (ties: the first).

    Its regret is never positive, so that against it the gap is at most the other's mean regret
    (Mohri et al. (2018), Theorem 8.16).

    Parameters
    ----------
    n : how many choices.

    >>> BestResponse(3).respond([0.5, 0.2, 0.2])
    array([0., 1., 0.])
    """

    def __init__(self, n: int, *, range: Any = None) -> None:
        self.n = n

    def respond(self, losses: Any) -> Array:
        """The answer: all weight on the choice that loses least."""
        return np.asarray(np.eye(1, self.n, int(np.argmin(losses)))[0])

    def __repr__(self) -> str:
        return f"BestResponse({self.n})"
