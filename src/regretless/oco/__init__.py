"""Online convex optimisation: players that choose a point and then see a gradient of the loss there.

Shalev-Shwartz (2012), section 2.

A geometry, a domain and rates make `OnlineMirrorDescent`; gradient descent, exponentiated gradient, the
p-norm algorithm and preconditioned descent are choices of these. Every player can `run` over many
rounds at once and certifies its regret.

>>> from regretless.domains import Ball
>>> from regretless.oco import OnlineGradientDescent
>>> player = OnlineGradientDescent(2, domain=Ball(1.0), rate=0.5)
>>> loss = player.update([1.0, 0.0])  # the gradient at the point (0, 0)
>>> player.point
array([-0.5,  0. ])
"""

from regretless.oco.convex_losses import (
    ConvexLoss,
    LinearLoss,
    ScoreLoss,
    SquaredDistance,
    check_convex,
)
from regretless.oco.density import DensityPlayer
from regretless.oco.leader import FollowTheLeader, FollowTheRegularizedLeader
from regretless.oco.mirror import (
    AdaGrad,
    CoinBetting,
    ExponentiatedGradient,
    OnlineGradientDescent,
    OnlineMirrorDescent,
)
from regretless.oco.newton import InvariantNewtonStep, OnlineNewtonStep
from regretless.oco.player import Player, PlayerInPython
from regretless.oco.sketched_newton import SketchedOnlineNewton
from regretless.oco.wrappers import DoublingTrick, Linearized, MistakeOnly

__all__ = [
    "AdaGrad",
    "CoinBetting",
    "ConvexLoss",
    "DensityPlayer",
    "DoublingTrick",
    "ExponentiatedGradient",
    "FollowTheLeader",
    "FollowTheRegularizedLeader",
    "InvariantNewtonStep",
    "LinearLoss",
    "Linearized",
    "MistakeOnly",
    "OnlineGradientDescent",
    "OnlineMirrorDescent",
    "OnlineNewtonStep",
    "Player",
    "PlayerInPython",
    "ScoreLoss",
    "SketchedOnlineNewton",
    "SquaredDistance",
    "check_convex",
]
