"""Random numbers that depend on the seed and the round alone, so that play can stop and go on."""

import numpy as np

from regretless.run import Array

__all__ = ["Draws"]

_ROUNDS = 256  # drawn at once: to make a generator takes longer than to use it


class Draws:
    """`draws[t]` is the row of round t: `width` numbers, normal or uniform in [0, 1).

    >>> draws = Draws(seed=7, width=3)
    >>> again = Draws(seed=7, width=3)
    >>> _ = again[1000]
    >>> bool((draws[5] == again[5]).all()), bool((draws[5] == draws[6]).any())
    (True, False)
    """

    def __init__(self, seed: int, width: int, *, normal: bool = False) -> None:
        self.seed, self.width, self.normal = seed, width, normal
        self._block, self._rows = -1, np.empty((0, width))

    def __getitem__(self, round: int) -> Array:
        block, place = divmod(round, _ROUNDS)
        if block != self._block:
            random = np.random.default_rng([self.seed, block])
            draw = random.standard_normal if self.normal else random.random
            self._block, self._rows = block, draw((_ROUNDS, self.width))
        return np.asarray(self._rows[place])
