"""Random generators that are independent of those that a user makes from the same seed.

A user can draw outcomes with `numpy.random.default_rng(seed)` and give a player the same seed. If the
player drew the same numbers, its choices would depend on the outcomes and estimates would be wrong.
"""

import numpy as np

from regretless.base.arguments import Array

_OURS = 0x72656772  # the start of a spawn key that seeds and their children do not have
_ROUNDS = 256  # drawn at once, because making a generator takes longer than drawing


def generator(seed: int, purpose: str, *numbers: int) -> np.random.Generator:
    """A generator that depends only on the seed, its purpose and the `numbers`.

    >>> ours = generator(0, "arms").random(3)
    >>> bool((ours == generator(0, "arms").random(3)).all())
    True
    >>> bool(np.isin(ours, np.random.default_rng(0).random(1000)).any())
    False
    """
    key = (_OURS, len(purpose), *purpose.encode(), *numbers)
    return np.random.default_rng(np.random.SeedSequence(seed, spawn_key=key))


class Draws:
    """Random numbers for each round: `draws[t]` has `width` of them, normal or uniform in [0, 1).

    They depend on the seed and the round only, so a run can be interrupted and continued.

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
