"""A short run of tests/fuzz/threads.py."""

from fuzz import threads
from fuzz.harness import run


def test_threads():
    campaign = run(threads.case, seed=1, cases=40)
    assert campaign.failures == []
    assert campaign.outcomes["refused some"] > 5  # else the threads did not meet
