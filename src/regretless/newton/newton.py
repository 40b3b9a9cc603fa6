"""NewtonClassifier and NewtonRegressor."""
import math
from typing import Any
from regretless import losses, rates
from regretless.linear.classifying import Classifying
from regretless.linear.regressing import Regressing
from regretless.linear.learner import LinearLearner

_KINDS = ("oja", "fd", "rp", "full")
LANES = {False: [(0.1, 0.25)], True: [(0.1, .25)]}

class _Newton(LinearLearner):
    def __init__(self, *, loss=None, sketch="oja", size=10, diagonal=None, alpha=None, curvature=None, rate=None, slab=None,
                 intercept=True, features="exact", bits=18, names=0, certify=False, seed=0):
        self.loss=loss; self.sketch=sketch; self.size=size; self.diagonal=diagonal; self.alpha=alpha
        self.curvature=curvature; self.rate=rate; self.slab=slab
        self._share(intercept, features, bits, names, certify=certify, seed=seed)
    def _parts(self):
        loss = losses.get(self.loss or ("logistic" if self._classifies else "squared"))
        o = dict(sketch=_KINDS.index(self.sketch), size=self.size, seed=self.seed, tuned=self.alpha is None,
            slab=math.inf if self.slab is None else self.slab, curvature=self.curvature or 1.0)
        if self.alpha is not None: o["spaces"]=[(bool(self.diagonal),[(float(self.alpha),1.0)])]
        else: o["spaces"]=[(d, LANES[d]) for d in ((False,True) if self.diagonal is None else (self.diagonal,))]
        return loss, "newton", o
class NewtonClassifier(_Newton, Classifying): pass
class NewtonRegressor(_Newton, Regressing): pass
