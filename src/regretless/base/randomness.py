"""Random numbers of our own: no generator that a user makes from the same seed repeats them.

Whoever draws outcomes with `numpy.random.default_rng(seed)` and gives a player the same seed must
find no connection between the two, or estimates from the player's choices would be worthless.
"""

import numpy as np

from regretless.base.arguments import Array

_OURS = 0x72656772  # a spawn key that no seed and no child of a seed has
_ROUNDS = 256  # drawn at once: to make a generator takes longer than to use it


def generator(seed: int, purpose: str, *numbers: int) -> np.random.Generator:
    """A generator that depends on the seed, on what it is for, and on `numbers` alone.

    >>> ours = generator(0, "arms").random(3)
    >>> bool((ours == generator(0, "arms").random(3)).all())
    True
    >>> bool(np.isin(ours, np.random.default_rng(0).random(1000)).any())
    False
    """
    key = (_OURS, len(purpose), *purpose.encode(), *numbers)
    return np.random.default_rng(np.random.SeedSequence(seed, spawn_key=key))


class Draws:
    """`draws[t]` is the row of round t: `width` numbers, normal or uniform in [0, 1).

    They depend on the seed and the round alone, so that play can stop and go on.

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
            random = generator(self.seed, "rounds", block)
            draw = random.standard_normal if self.normal else random.random
            self._block, self._rows = block, draw((_ROUNDS, self.width))
        return np.asarray(self._rows[place])
