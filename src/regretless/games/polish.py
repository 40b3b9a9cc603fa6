"""From strategies that are nearly optimal to the optimum near them, if there is one.

In an equilibrium the choices that are played are those that lose nothing against the other player. Which
they are is guessed from a nearly optimal pair, one by one: row i is played if `p_i` is more than a
multiple of what it loses beyond the best row, and columns alike. On these the strategies that make all
choices of the other player equally good solve two linear systems. Those with the least change from the
pair are taken, cut at 0 and scaled to 1. It is a guess: only what is measured afterwards counts.
"""

from collections.abc import Iterator

import numpy as np

from regretless.games.payoffs import Payoffs, Places
from regretless.run import Array

__all__ = ["polished"]

_MULTIPLES = 1.0, 0.1, 10.0
_SENSIBLE = 100.0
_MOST = 1_500  # choices in a linear system, whose work grows with their cube
_MOST_UNEVEN = 300  # if the players' are not equally many: least squares take ten times as long


def polished(game: Payoffs, row: Array, column: Array) -> Iterator[tuple[Array, Array]]:
    """Pairs of strategies that may be better than the one given, which is near to an equilibrium.

    >>> game = Payoffs(np.array([[0.0, 2.0], [1.0, 0.0]]))
    >>> (p, q), *_ = polished(game, np.array([0.3, 0.7]), np.array([0.6, 0.4]))
    >>> p.round(6), q.round(6)
    (array([0.333333, 0.666667]), array([0.666667, 0.333333]))
    """
    losses, gains = game.losses(column), game.gains(row)
    behind_row, behind_column = losses - losses.min(), gains.max() - gains
    unit = max(game.high - game.low, np.finfo(float).tiny)  # payoffs against probabilities
    tried = set()
    for multiple in _MULTIPLES:
        rows = np.flatnonzero(row * unit > multiple * behind_row)
        columns = np.flatnonzero(column * unit > multiple * behind_column)
        guess = (rows.tobytes(), columns.tobytes())
        most = _MOST if len(rows) == len(columns) else _MOST_UNEVEN
        if guess in tried or not 0 < len(rows) <= most or not 0 < len(columns) <= most:
            continue
        tried.add(guess)
        part = game.part(rows, columns) / unit
        yield (
            _spread(_equalising(part.T, row[rows]), rows, len(row)),
            _spread(_equalising(part, column[columns]), columns, len(column)),
        )


def _equalising(part: Array, strategy: Array) -> Array:
    """The weights x nearest to the strategy for which `part x` is the same everywhere."""
    k, n = part.shape
    system = np.block([[part, -np.ones((k, 1))], [np.ones((1, n)), np.zeros((1, 1))]])
    start = np.append(strategy, (part @ strategy).mean())
    return (start + _step(system, np.append(np.zeros(k), 1.0) - system @ start))[:n]


def _step(system: Array, target: Array) -> Array:
    """The smallest solution, or what is nearest to one."""
    if len(system) == system.shape[1]:  # as in most games; it takes a tenth of the time
        try:
            step = np.linalg.solve(system, target)
        except np.linalg.LinAlgError:
            step = np.full(len(target), np.inf)
        if np.abs(step).max() < _SENSIBLE:  # of a change of probabilities
            return np.asarray(step, np.float64)
    from scipy.linalg import lstsq

    # by a QR decomposition, which takes half the time of the default
    return np.asarray(lstsq(system, target, cond=1e-13, lapack_driver="gelsy")[0])


def _spread(weights: Array, places: Places, n: int) -> Array:
    strategy = np.zeros(n)
    strategy[places] = np.maximum(weights, 0.0)
    total = strategy.sum()
    return strategy / total if total > 0 else np.full(n, 1.0 / n)
