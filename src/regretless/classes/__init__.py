"""Finite hypothesis classes: how many mistakes they cost, and learners that make no more.

from regretless.classes import SOA, AgnosticLearner, FiniteClass, littlestone_dimension

H = FiniteClass.thresholds(1000)
littlestone_dimension(H)                     # 9: so many mistakes can be forced,
SOA(H).run(xs, ys).mistakes                  # and no more are made, if a hypothesis is right
AgnosticLearner(H, horizon=1000).run(xs, ys) # whatever the labels: regret and bound
print(H.littlestone_tree())                  # the adversary's plan
"""

from regretless.classes.agnostic import AgnosticLearner
from regretless.classes.finite_class import (
    FiniteClass,
    MistakeTree,
    littlestone_dimension,
    vc_dimension,
)
from regretless.classes.learner import ClassRun
from regretless.classes.soa import SOA, LdimExperts
from regretless.errors import TooLarge

__all__ = [
    "SOA",
    "AgnosticLearner",
    "ClassRun",
    "FiniteClass",
    "LdimExperts",
    "MistakeTree",
    "TooLarge",
    "littlestone_dimension",
    "vc_dimension",
]
