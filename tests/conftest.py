"""What all tests share: how they are run."""

import gc


def pytest_collection_finish() -> None:
    """Keep the thousands of tests out of every collection of garbage, half a second each."""
    gc.collect()
    gc.freeze()
