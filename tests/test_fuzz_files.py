"""A short run of the fuzzer of files; `python tests/fuzz/files.py --cases 100000` is a long one."""

from fuzz import files, harness


def test_damaged_files_are_refused_or_give_objects_that_work():
    campaign = harness.run(files.case, seed=1, cases=150)
    assert not campaign.failures, campaign.failures[0][1]
    assert campaign.outcomes["refused"] > 20
    assert campaign.outcomes["used"] > 5
