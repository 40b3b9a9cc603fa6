"""A short run of the fuzzer that kills trainings."""

import subprocess
import sys
from pathlib import Path

from command_line import ENVIRONMENT


def test_kills():
    """In a process of its own: it forks."""
    fuzzer = Path(__file__).parent / "fuzz" / "kills.py"
    result = subprocess.run(
        [sys.executable, fuzzer, "--kills", "5", "--seed", "1"],
        env=ENVIRONMENT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == 0, result.stderr
    assert "every model was the same" in result.stdout
