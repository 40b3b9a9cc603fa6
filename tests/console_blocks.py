"""Run the shell commands that pages show: a pytest plugin.

A page shows a command as a reader would type it, with what it prints:

    ```console
    $ regretless predict new.csv --model clicks.model
    yes
    ```

The commands of a page are run in one folder: the page's own `folder`, if it makes one, or else an empty
one. What they print is compared as in any other example of the page.
"""

import contextlib
import doctest
import io
import re
import shlex
import subprocess
import sys

import pytest

MAKES_FOLDER = re.compile(r"\bfolder\b.* = ")
BLOCK = re.compile(r"^```console\n(.*?)^```$", re.MULTILINE | re.DOTALL)
NEW_FOLDER = ">>> import tempfile; folder = tempfile.mkdtemp()"
SHELL = 'regretless() { "$0" -m regretless "$@"; }; '  # $0 is this Python


def as_examples(page):
    """The page with its commands as examples that doctest runs, each on the line where it was.

    >>> as_examples("folder = 1\\n```console\\n$ regretless game\\nA\\n\\nB\\n```\\n").splitlines()
    ['folder = 1', '', ">>> console('regretless game', folder)", 'A', '<BLANKLINE>', 'B', '']
    """
    if "```console" not in page:
        return page
    first_lines = iter([] if MAKES_FOLDER.search(page) else [NEW_FOLDER])

    def examples(block):
        lines = [
            f">>> console({line[2:]!r}, folder)" if line.startswith("$ ") else line or "<BLANKLINE>"
            for line in block[1].splitlines()
        ]
        return "\n".join([next(first_lines, ""), *lines, ""])

    return BLOCK.sub(examples, page)


class Parser(doctest.DocTestParser):
    """The parser of doctest, which sees the commands too."""

    def parse(self, string, name="<string>"):
        return super().parse(as_examples(string), name)


def console(command, folder):
    """Run a command in the folder; print what it prints, and its errors if it fails.

    Commands of ours that need no shell are run in this process.
    """
    if not command.startswith("regretless ") or set(command) & set("<>|;&$"):
        words = ["bash", "-c", SHELL + command, sys.executable]
        done = subprocess.run(words, cwd=folder, capture_output=True, text=True, check=False)
        print(done.stdout + (done.stderr if done.returncode else ""), end="")
        return
    from regretless.cli import main

    out, errors, failed = io.StringIO(), io.StringIO(), 0
    before, sys.argv = sys.argv, shlex.split(command)
    to_strings = contextlib.redirect_stdout(out), contextlib.redirect_stderr(errors)
    try:
        with contextlib.chdir(folder), to_strings[0], to_strings[1]:
            main()
    except SystemExit as end:
        failed = end.code
    finally:
        sys.argv = before
    print(out.getvalue() + (errors.getvalue() if failed else ""), end="")


@pytest.fixture(autouse=True, scope="session")
def pages_have_a_console(doctest_namespace):
    """Give `console` to the examples of pages."""
    doctest_namespace["console"] = console


def pytest_configure():
    """Let pytest read pages with the parser above."""
    doctest.DocTestParser = Parser
