"""The stub of the compiled core is what its bindings say."""

import ast
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
STUB = ROOT / "src" / "regretless" / "_core.pyi"


def tree(text):
    """The text as a syntax tree: layout does not matter."""
    return ast.dump(ast.parse(text), indent=1)


@pytest.fixture(scope="module")
def generated():
    pytest.importorskip("nanobind")
    # in a process of its own: `regretless.errors` gives `Diverged` another module here
    path = str(ROOT / "core" / "bind" / "make_stub.py")
    make = f"import runpy; print(runpy.run_path({path!r})['generated']())"
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    return subprocess.check_output([sys.executable, "-c", make], env=environment, text=True)


def test_the_stub_is_up_to_date(generated):
    assert tree(generated) == tree(STUB.read_text()), "run python core/bind/make_stub.py"


def test_everything_bound_has_a_docstring(generated):
    lacking = [
        node.name
        for node in ast.walk(ast.parse(generated))
        if isinstance(node, ast.ClassDef | ast.FunctionDef)
        and not node.name.startswith("__")
        and not any(".setter" in ast.unparse(d) for d in node.decorator_list)
        and not ast.get_docstring(node)
    ]
    assert lacking == []
