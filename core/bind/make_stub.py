"""Write src/regretless/_core.pyi from the compiled core: `python core/bind/make_stub.py`.

The stub is generated from the signatures and docstrings of the bindings, so a binding is declared
once, in C++. Run this after a change to core/bind; tests/test_stub.py fails if it was forgotten.
"""

import importlib
import subprocess
import sys
from pathlib import Path

from nanobind.stubgen import StubGen, load_pattern_file

HERE = Path(__file__).parent
STUB = HERE.parents[1] / "src" / "regretless" / "_core.pyi"


def generated() -> str:
    """The text of the stub, not formatted."""
    module = importlib.import_module("regretless._core")
    stub = StubGen(module, patterns=load_pattern_file(str(HERE / "stub_patterns.txt")))
    stub.put(module)
    return stub.get()


def formatted(text: str) -> str:
    """The same as `ruff format` leaves it."""
    command = ["ruff", "format", "--stdin-filename", str(STUB), "-"]
    return subprocess.run(command, input=text, capture_output=True, text=True, check=True).stdout


if __name__ == "__main__":
    STUB.write_text(formatted(generated()), encoding="utf-8")
    sys.stdout.write(f"{STUB}: {len(STUB.read_text().splitlines())} lines\n")
