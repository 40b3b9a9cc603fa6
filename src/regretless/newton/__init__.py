"""Sketched online Newton: second-order learning at the cost of a first-order one.

Luo (2016), chapter 4.
"""

from regretless.newton.certificate import NewtonCertificate
from regretless.newton.newton import NewtonClassifier, NewtonLane, NewtonRegressor

__all__ = ["NewtonCertificate", "NewtonClassifier", "NewtonLane", "NewtonRegressor"]
