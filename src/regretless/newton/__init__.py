"""Sketched online Newton: second-order learning at the cost of a first-order one (thesis 4)."""

from regretless.newton.newton import NewtonClassifier, NewtonRegressor

__all__ = ["NewtonClassifier", "NewtonRegressor"]
