"""A short run of the fuzzer of calls, and every option of every constructor with hostile values."""

import math
from contextlib import suppress

import numpy as np
import pytest
from fuzz import calls
from fuzz.harness import run
from roster import ROSTER

from regretless.bandits import ThompsonSampling
from regretless.boosting import AdaBoostOL
from regretless.linear import LinearClassifier, Perceptron, Winnow

HOSTILE = [10**400, 10**5000, math.nan, math.inf, -1, None, "x", "\ud800", [], {}, 1j, object()]
HOSTILE += [np.ones((3, 3)), np.array("x"), True, b"x", 1e200, 5e-324]
KINDS = {type(entry.make(0)): entry for entry in ROSTER}


def test_fuzz_calls():
    campaign = run(calls.case, cases=200)
    assert campaign.failures == []
    assert campaign.outcomes.keys() == {"refused", "used"}


@pytest.mark.parametrize("entry", KINDS.values(), ids=[kind.__name__ for kind in KINDS])
def test_every_option_refuses_what_is_not_one(entry):
    """Works, or a ValueError that is clear; of more work than one can wait for only what is refused."""
    player = entry.make(0)
    for option in calls.options(type(player)):
        for value in HOSTILE:
            with suppress(calls.Refused):
                calls.build(entry, player, option.name, value)


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda: Winnow(dimension=10**400).learn_one({0: 1.0}, 1), "dimension=1000.*to 9007"),
        (lambda: Perceptron(rate=10**400).learn_one({0: 1.0}, 1), "rate=1000.* is too large"),
        (lambda: Perceptron(rate=None).learn_one({0: 1.0}, 1), "rate=None is not a number"),
        (lambda: ThompsonSampling(3, model="gaussian", noise=1e200), r"noise=1e\+200 is outside"),
    ],
)
def test_numbers_beyond_reason(make, says):
    with pytest.raises(ValueError, match=says):
        make()


def test_a_certificate_of_enormous_weights():
    model = AdaBoostOL(LinearClassifier(), n=3)
    for t in range(4):
        with suppress(ValueError):
            model.learn_one({0: 1.0, 1: float(t)}, t % 2, 1e300)
    with suppress(ValueError):
        assert not any(math.isnan(bound) for bound in model.certificate().bounds.values())
