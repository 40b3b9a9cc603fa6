"""Zero-sum games, solved by players that learn from each other, with a measured gap.

Mohri et al. (2018), section 8.5.

from regretless.games import solve

eq = solve(A)                             # A[i, j]: the loss of the row player to the column player
eq.value, eq.row, eq.column, eq.gap       # the value is certain to lie in [eq.lower, eq.upper]
run = play(Hedge, BestResponse, A, 1000)  # any two players
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
