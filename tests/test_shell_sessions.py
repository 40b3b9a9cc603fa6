"""The shell sessions of the documentation: blocks called `console`, run by a shell in one folder."""

import doctest
import os
import subprocess
import sys
from pathlib import Path

import pytest
from command_line import ENVIRONMENT
from console_blocks import MAKES_FOLDER

DOCS = Path(__file__).parents[1] / "docs"
FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


def sessions(page):
    """The commands of a page, each with the output that it shows."""
    found, inside = [], False
    for line in page.read_text().splitlines():
        if line.startswith("```"):
            inside = line == "```console"
        elif inside and line.startswith("$ "):
            found.append((line[2:], []))
        elif inside:
            found[-1][1].append(line)
    return [(command, "\n".join(lines)) for command, lines in found]


# pages that make a folder for their sessions are run by `console_blocks`
PAGES = [
    page
    for page in sorted(DOCS.rglob("*.md"))
    if sessions(page) and not MAKES_FOLDER.search(page.read_text())
]


def test_there_are_sessions():
    assert DOCS / "command_line.md" in PAGES


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_commands_print_what_the_page_shows(page, tmp_path):
    program = tmp_path / "bin" / "regretless"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m regretless "$@"\n')
    program.chmod(0o755)
    path = f"{program.parent}{os.pathsep}{os.environ['PATH']}"
    for command, expected in sessions(page):
        shown = subprocess.run(
            ["bash", "-c", command],
            cwd=tmp_path,
            env=ENVIRONMENT | {"PATH": path, "PYTHONIOENCODING": "utf-8"},
            capture_output=True,
            text=True,
            check=False,
        )
        same = doctest.OutputChecker().check_output(expected + "\n", shown.stdout, FLAGS)
        assert same, f"$ {command}\n{shown.stdout}{shown.stderr}"
