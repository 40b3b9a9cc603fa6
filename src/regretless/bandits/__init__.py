"""Choices of which only the outcome is seen: points, arms, and arms in a context.

Shalev-Shwartz (2012), section 4.

`regretless.bandits.off_policy` judges a policy by what another one has logged.
"""

from regretless.bandits.bandit_run import BanditRun
from regretless.bandits.contextual_run import ContextualRun
from regretless.bandits.convex_run import ConvexBanditRun
from regretless.bandits.environments import Bernoulli, Gaussian
from regretless.bandits.epsilon_greedy import EpsilonGreedy
from regretless.bandits.epsilon_greedy_learner import EpsilonGreedyLearner
from regretless.bandits.estimators import Estimator, OneArm, OnePoint, TwoPoint
from regretless.bandits.exp3 import Exp3
from regretless.bandits.exp3_ix import Exp3IX
from regretless.bandits.exp4 import Exp4
from regretless.bandits.gradient_descent import BanditGradientDescent
from regretless.bandits.lin_ucb import LinUCB
from regretless.bandits.mirror_descent import BanditMirrorDescent
from regretless.bandits.player import ArmPlayer
from regretless.bandits.potential_bandit import BanditPotential, PotentialBandit
from regretless.bandits.simulation import Simulation, Simulations, simulate
from regretless.bandits.thompson import ThompsonSampling
from regretless.bandits.tsallis_inf import TsallisINF
from regretless.bandits.ucb1 import UCB1

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
