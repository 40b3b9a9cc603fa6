"""Every booster with its options, and examples for it."""

import numpy as np
import pytest

from regretless.boosting import AdaBoostOL, OnlineBBM, OSBoost, OSBoostOCP
from regretless.linear import Perceptron

__all__ = ["BOOSTERS", "THREE", "W", "X", "Y", "every_booster"]

BOOSTERS = {
    "bbm": lambda **o: OnlineBBM(**{"n": 5} | o),
    "bbm, edge learned": lambda **o: OnlineBBM(**{"n": 3, "edge": None} | o),
    "bbm of objects": lambda **o: OnlineBBM(**{"weak": Perceptron(), "n": 5} | o),
    "adaboost of objects": lambda **o: AdaBoostOL(**{"weak": Perceptron(), "n": 5} | o),
    "adaboost": lambda **o: AdaBoostOL(**{"n": 5} | o),
    "adaboost, last": lambda **o: AdaBoostOL(**{"n": 5, "last": True} | o),
    "osboost": lambda **o: OSBoost(**{"n": 5} | o),
    "ocp": lambda **o: OSBoostOCP(**{"n": 5} | o),
    "ocp, edge learned": lambda **o: OSBoostOCP(**{"n": 3, "edge": None} | o),
}
every_booster = pytest.mark.parametrize("make", BOOSTERS.values(), ids=BOOSTERS)

rng = np.random.default_rng(0)
X = rng.normal(size=(120, 4))
SCORES = X @ rng.normal(size=4) + 0.3 * rng.normal(size=120)
Y = SCORES > 0
THREE = np.array(["apple", "pear", "plum"])[np.digitize(SCORES, [-1.0, 1.0])]
W = rng.choice([0.5, 1.0, 2.0], 120)
