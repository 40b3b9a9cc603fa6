"""The harness of the fuzzers sees what it has to: errors, deaths, endless cases."""

import os
import time

import numpy as np
import pytest
from fuzz import harness


def draws(rng: np.random.Generator) -> str:
    return "even" if rng.integers(2) == 0 else "odd"


def test_cases_are_the_same_by_seed():
    one, two = (harness.run(draws, seed=3, cases=50) for _ in range(2))
    assert one.outcomes == two.outcomes
    assert one.cases == 50
    assert not one.failures
    assert harness.run(draws, seed=4, cases=50).outcomes != one.outcomes


@pytest.mark.parametrize(
    ("misbehave", "said"),
    [
        (lambda: 1 / 0, "ZeroDivisionError"),
        (os.abort, "died with exit code -6"),
        (lambda: time.sleep(60), "did not end"),
    ],
)
def test_failures_are_seen_and_the_rest_goes_on(misbehave, said, monkeypatch):
    monkeypatch.setattr(harness, "HANG", 1.0)

    def case(rng: np.random.Generator) -> str:
        if rng.integers(10) == 0:
            misbehave()
        return "used"

    bad = sum(np.random.default_rng([0, i]).integers(10) == 0 for i in range(20))
    campaign = harness.run(case, seed=0, cases=20)
    assert 0 < bad == len(campaign.failures)
    assert all(said in why for _, why in campaign.failures)
    assert campaign.cases == 20
    assert campaign.outcomes["used"] == 20 - bad


def test_time_ends_a_campaign():
    started = time.monotonic()
    assert harness.run(draws, seconds=0.5).cases > 0
    assert time.monotonic() - started < 30  # a bound on hanging, not on speed


def test_the_command_says_how_to_repeat_a_failure(capsys):
    def case(rng: np.random.Generator) -> str:
        raise RuntimeError("wrong")

    assert harness.main("files", case, ["--cases", "2"]) == 1
    assert "--seed 0 --only 1" in capsys.readouterr().out
    with pytest.raises(RuntimeError, match="wrong"):
        harness.main("files", case, ["--only", "1"])
