"""Settings for all tests, those in docstrings and pages too."""

import gc
import os
import sys

import pytest

pytest_plugins = ["console_blocks"]  # of tests/: shell commands of pages are run
# Each worker has a core; the threads of linear algebra would only get into each other's way.
for name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS"):
    os.environ.setdefault(name, "1")


def pytest_addoption(parser: pytest.Parser, pluginmanager: pytest.PytestPluginManager) -> None:
    """Let `pytest -p no:xdist` ignore the options of pytest-xdist that pyproject.toml gives."""
    if not pluginmanager.hasplugin("xdist"):
        for option in ("--numprocesses", "--dist"):
            parser.addoption(option, help="ignored without pytest-xdist")


@pytest.hookimpl(wrapper=True)
def pytest_collection():
    """Collect tests without collecting garbage: almost everything made here stays."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.enable()


def pytest_collection_finish() -> None:
    """Keep the thousands of tests out of every garbage collection, half a second each."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000, 20, 20)


@pytest.fixture(autouse=True)
def no_open_figures():
    """Close the figures of each test: matplotlib warns of more than twenty."""
    yield
    if "matplotlib.pyplot" in sys.modules:
        sys.modules["matplotlib.pyplot"].close("all")
