"""Audits: lower bounds on the loss of all linear models of a given norm, beside any model.

from regretless.audit import Audit

audit = Audit("logistic", norms=(1, 3))
audit.learn_one(x, y, score); audit.best_possible(norm=1); audit.certificate(norm=1)
"""

from regretless.audit.audit import Audit

__all__ = ["Audit"]
