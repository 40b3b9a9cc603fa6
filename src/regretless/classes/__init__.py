"""Finite hypothesis classes: how many mistakes they cost, and learners that make no more.

If a hypothesis is right, `SOA` makes no more mistakes than an adversary can force; `AgnosticLearner` has
a bound on its regret whatever the labels are.

>>> from regretless.classes import SOA, FiniteClass, littlestone_dimension
>>> H = FiniteClass.thresholds(1000)
>>> littlestone_dimension(H)  # so many mistakes can be forced
9
>>> SOA(H).run([500, 250, 750], [True, False, True]).mistakes <= 9
True
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
