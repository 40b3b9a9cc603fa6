"""Players that see only the outcome of their own choice: an arm, an arm in a context, or a point.

Shalev-Shwartz (2012), section 4.

`regretless.bandits.off_policy` judges a policy by what another one has logged.

>>> from regretless.bandits import Exp3
>>> player = Exp3(3, seed=1)
>>> for _ in range(1000):
...     arm = player.act()
...     player.update([0.5, 0.2, 0.8][arm])  # the loss of this arm; those of the others stay unknown
>>> int(player.probabilities.argmax())
1
"""

from regretless.bandits.adversarial import Exp3, Exp3IX, Exp4, TsallisINF
from regretless.bandits.contextual import ContextualRun, EpsilonGreedyLearner, LinUCB
from regretless.bandits.convex import BanditGradientDescent, BanditMirrorDescent, ConvexBanditRun
from regretless.bandits.environments import Bernoulli, Gaussian
from regretless.bandits.estimators import Estimator, OneArm, OnePoint, TwoPoint
from regretless.bandits.player import ArmPlayer
from regretless.bandits.potential_bandit import BanditPotential, PotentialBandit
from regretless.bandits.run import BanditRun
from regretless.bandits.simulation import Simulation, Simulations, simulate
from regretless.bandits.stochastic import UCB1, EpsilonGreedy, ThompsonSampling

__all__ = [
    "UCB1",
    "ArmPlayer",
    "BanditGradientDescent",
    "BanditMirrorDescent",
    "BanditPotential",
    "BanditRun",
    "Bernoulli",
    "ContextualRun",
    "ConvexBanditRun",
    "EpsilonGreedy",
    "EpsilonGreedyLearner",
    "Estimator",
    "Exp3",
    "Exp3IX",
    "Exp4",
    "Gaussian",
    "LinUCB",
    "OneArm",
    "OnePoint",
    "PotentialBandit",
    "Simulation",
    "Simulations",
    "ThompsonSampling",
    "TsallisINF",
    "TwoPoint",
    "simulate",
]
