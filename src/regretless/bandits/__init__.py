"""Choices of which only the outcome is seen (survey 4): points, arms, and arms in a context.

`regretless.bandits.off_policy` judges a policy by what another one has logged.
"""

from regretless.bandits.contextual_run import ContextualRun
from regretless.bandits.epsilon_greedy_learner import EpsilonGreedyLearner
from regretless.bandits.estimators import Estimator, OneArm, OnePoint, TwoPoint
from regretless.bandits.gradient_descent import BanditGradientDescent
from regretless.bandits.lin_ucb import LinUCB
from regretless.bandits.mirror_descent import BanditMirrorDescent

__all__ = [
    "BanditGradientDescent",
    "BanditMirrorDescent",
    "ContextualRun",
    "EpsilonGreedyLearner",
    "Estimator",
    "LinUCB",
    "OneArm",
    "OnePoint",
    "TwoPoint",
]
