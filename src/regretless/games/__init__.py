"""Zero-sum games, solved by players that learn from each other, with a measured gap.

Mohri et al. (2018), section 8.5.

`solve` finds an equilibrium, `play` lets any two players play.

>>> from regretless.games import solve
>>> game = solve([[0.0, 2.0], [1.0, 0.0]])  # losses of the row player to the column player
>>> round(game.value, 6), game.row.round(4), game.column.round(4)
(0.666667, array([0.3333, 0.6667]), array([0.6667, 0.3333]))
>>> game.lower <= game.value <= game.upper  # this is certain
True
"""

from regretless.games.payoffs import BestResponse
from regretless.games.play import GameRun, SeatRun, play
from regretless.games.solve import (
    Equilibrium,
    GameCertificate,
    OptimisticHedge,
    RegretMatchingPlus,
    solve,
)

__all__ = [
    "BestResponse",
    "Equilibrium",
    "GameCertificate",
    "GameRun",
    "OptimisticHedge",
    "RegretMatchingPlus",
    "SeatRun",
    "play",
    "solve",
]
