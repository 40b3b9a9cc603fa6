"""Audits: lower bounds on the loss of all linear models of a given norm, beside any model.

>>> from regretless.audit import Audit
>>> audit = Audit("squared", norms=(1, 3))
>>> audit.learn_one({"heat": 1.0}, 2.0, 0.5)  # features, target, and the score of your model
>>> bool(audit.best_possible(norm=1) <= (2.0 - 1.0) ** 2)  # the best model of norm 1 predicts 1
True
"""

from regretless.audit.audit import Audit

__all__ = ["Audit"]
