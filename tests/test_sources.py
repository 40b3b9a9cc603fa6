"""The bibliography and the table of the texts: what their pages name is there."""

import ast
import functools
import importlib
import re
from operator import itemgetter
from pathlib import Path

import pytest
from together import all_of

from regretless import sources

TESTS = Path(__file__).parent
DOCS = TESTS.parent / "docs"
BIBLIOGRAPHY = DOCS / "bibliography.md"
PAGE = DOCS / "texts.md"
NAME = re.compile(r"[a-z]\w*(?:\.\w+)+")  # `experts.Hedge(n, rate="horizon")` is `experts.Hedge`


# -- the bibliography ------------------------------------------------------------------------------


def test_the_page_lists_every_source():
    """As `str` has them, the five texts first, the others by their authors."""
    lines = [line[2:] for line in BIBLIOGRAPHY.read_text("utf-8").splitlines() if line[:2] == "- "]
    assert lines == [str(source) for source in sources.SOURCES.values()]
    assert lines[: len(sources.TEXTS)] == [str(source) for source in sources.TEXTS]


def test_keys_are_what_find_looks_for():
    for key, source in sources.SOURCES.items():
        assert sources.find(key) == sources.find(f"{key}, Theorem 1") == source
    for unknown in ("survey Theorem 2.21", "Nobody (2000)", ""):
        with pytest.raises(ValueError, match="does not begin with a key"):
            sources.find(unknown)


# -- the table of the texts ------------------------------------------------------------------------


def tables():
    """The rows below each heading, cells by column; a | in a formula is written as \\|."""
    found, columns, heading = {}, None, None
    for line in PAGE.read_text(encoding="utf-8").splitlines():
        if line.startswith("## "):
            heading, columns = line[3:], None
        elif line.startswith("|"):
            cells = [c.strip().replace("\\|", "|") for c in re.split(r"(?<!\\)\|", line)[1:-1]]
            if columns is None:
                columns = cells
            elif not set("".join(cells)) <= set("-:"):
                assert len(cells) == len(columns), line
                found.setdefault(heading, []).append(dict(zip(columns, cells)))
    return found


def rows(*columns):
    """Rows that have these columns, each with a name."""
    return [
        row | {"name": f"{text.split(':')[0]}: {row.get('where', row.get('word'))}"}
        for text, found in tables().items()
        for row in found
        if all(column in row for column in columns)
    ]


def quoted(cell):
    return re.findall(r"`([^`]+)`", cell)


@functools.cache
def functions(path):
    """The names of the functions of a test file, which is read and not run."""
    return {
        node.name
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.FunctionDef)
    }


def resolve(name):
    """What a dotted name under `regretless` is."""
    parts = ["regretless", *name.split(".")]
    for end in range(len(parts), 0, -1):
        try:
            found = importlib.import_module(".".join(parts[:end]))
        except ModuleNotFoundError as error:
            if not ".".join(parts[:end]).startswith(error.name or ""):
                raise  # something else is missing
            continue
        return functools.reduce(getattr, parts[end:], found)
    raise AssertionError(name)


def test_there_is_a_table_for_each_text():
    headings = [heading for heading, found in tables().items() if "test" in found[0]]
    assert [sources.find(heading.split(": ")[1]) for heading in headings] == list(sources.TEXTS)


@all_of(rows("here"), itemgetter("name"))
def test_what_a_row_names_can_be_imported(row):
    names = [match[0] for code in quoted(row["here"]) if (match := NAME.match(code))]
    assert names or row["here"].startswith(("not here", "the same"))
    for name in names:
        resolve(name)


@all_of(rows("here", "test"), itemgetter("name"))
def test_the_test_of_a_row_is_there(row):
    """What is not here needs none."""
    names = quoted(row["test"])
    assert names or row["here"].startswith("not here")
    assert names or row["test"] == "-"
    for name in names:
        file, _, test = name.partition("::")
        assert test.startswith("test_"), name
        assert test in functions(TESTS.parent / file), name


@all_of(rows("here", "test"), itemgetter("name"))
def test_what_is_not_here_has_a_reason(row):
    if row["here"].startswith("not here"):
        assert re.match(r"not here( yet)?( as [a-z ]+)?:", row["here"]), row["here"]


@pytest.mark.parametrize(
    "word",
    ["Weighted Majority", "EWA", "doubling", "p-norm", "dual averaging", "surrogate", "chip game"],
)
def test_words_of_the_texts_are_found(word):
    assert any(word in row["word"] for row in rows("word"))
