"""For all tests, those in docstrings and pages too."""

import sys

import pytest

pytest_plugins = ["console_blocks"]  # of tests/: shell commands of pages are run


@pytest.fixture(autouse=True)
def no_open_figures():
    """Pictures that nobody looks at are closed: matplotlib warns of more than twenty."""
    yield
    if "matplotlib.pyplot" in sys.modules:
        sys.modules["matplotlib.pyplot"].close("all")
