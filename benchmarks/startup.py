"""The CPU time that a command needs to start, beside that of `import numpy` and of Vowpal Wabbit.

    python startup.py [--repeats 11]

Each command runs in a process of its own, on a file of three lines. The runs are interleaved, and the
median of user and system time is shown, also as a ratio to `import numpy`. The aim: `train` and
`predict` take at most twice as long as `import numpy`, and `--help` less than that import.
"""

import argparse
import os
import resource
import statistics
import subprocess
import sys
import tempfile
from importlib.util import find_spec
from pathlib import Path

LINES = "1 |w free offer\n-1 |w meeting today\n1 |w free today\n"
OURS = [sys.executable, "-m", "regretless"]
VW = "import sys, vowpalwabbit as v; m = v.Workspace('--quiet'); [m.learn(x) for x in open(sys.argv[1])]"


def cpu(command, environment):
    """User and system seconds of a command that has to succeed."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, env=environment, check=True, capture_output=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def commands(folder):
    """What is measured, by name."""
    text, model = str(folder / "three.vw"), str(folder / "model")
    Path(text).write_text(LINES)
    found = {
        "python -c pass": [sys.executable, "-c", "pass"],
        "import numpy": [sys.executable, "-c", "import numpy"],
        "regretless --help": [*OURS, "--help"],
        "regretless train": [*OURS, "train", text, "--save", model],
        "regretless train --quiet": [*OURS, "train", text, "--quiet"],
        "regretless predict": [*OURS, "predict", text, "--model", model],
        "regretless inspect": [*OURS, "inspect", model],
    }
    if find_spec("vowpalwabbit"):
        found["vowpalwabbit in Python"] = [sys.executable, "-c", VW, text]
    return found


def main():
    """Measure all of them, and print a table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repeats", type=int, default=11)
    repeats = parser.parse_args().repeats
    # as installed: with compiled modules
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    with tempfile.TemporaryDirectory() as folder:
        measured = commands(Path(folder))
        for command in measured.values():
            cpu(command, environment)  # compiles what is not compiled yet
        times = {name: [] for name in measured}
        for _ in range(repeats):
            for name, command in measured.items():
                times[name].append(cpu(command, environment))
    numpy = statistics.median(times["import numpy"])
    print(f"CPU seconds, median of {repeats}")
    for name, each in times.items():
        median = statistics.median(each)
        print(f"{name:26} {median:.3f}  {median / numpy:.2f} x import numpy")


if __name__ == "__main__":
    main()
