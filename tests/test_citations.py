"""Citations: every one is `authors (year)` as in `regretless.sources`, with the number in the text."""

import ast
import re
from pathlib import Path

import pytest
from roster import ROSTER
from together import all_of

from regretless import sources

ROOT = Path(__file__).parents[1]
FILES = [
    path
    for place in ("src", "docs", "core", "examples")
    for suffix in ("*.py", "*.md", "*.hpp", "*.cpp")
    for path in sorted((ROOT / place).rglob(suffix))
    if path.name not in ("sources.py", "changelog.md")
]
NAME = r"(?:(?:de |van |Van )*[A-Z][\w'-]+)"
CITED = re.compile(rf"{NAME}(?:(?:, | and | & ){NAME})*(?: et al\.)? \(((?:19|20)\d\d)\)")
AUTHORS = {
    (name, key[-5:-1])
    for key in sources.SOURCES
    if key[-5:-1].isdigit()
    for name in re.split(r", | and | et al\.", key[:-7])
    if name
}
KIND = r"(?:Thm|Theorem|Lemma|Cor|Prop|Exercise|Example|Definition|Alg|[Ss]ection|[Ee]q\.)"
PRIVATE = {
    "a nickname with a number": re.compile(
        r"(?<!the )\b(?:survey|thesis|lecture|primal-dual(?: paper| text)?),? "
        rf"(?:{KIND}|[A-F]?\d)(?!6\)|[\d.]* %)"
    ),
    "a nickname": re.compile(r"\bmohri\b"),
    "a number of ours": re.compile(r"\b[Ee]rratum E\d+|\(E\d+\)|\bCHK-"),
}
PLACE = re.compile(
    r"(?:Theorem|Lemma|Corollar(?:y|ies)|Proposition|Exercise|Figure|Algorithm|eq\.)s? \d"
)


def plain(path):
    """The text of a file as one line, without the marks of comments."""
    return re.sub(r"\s+(?:(?://|#) )?", " ", path.read_text(encoding="utf-8"))


def keys_in(text):
    """What is cited in a text, as far as it could be a key: names before it may be none of its own."""
    for match in CITED.finditer(text):
        whole = match[0].replace("'s (", " (")
        starts = [0, *(m.end() for m in re.finditer(r", | and | & ", whole[:-7]))]
        yield whole, [whole[start:] for start in starts]


def inside(path):
    """The path of a file inside the repository."""
    return str(path.relative_to(ROOT))


every_file = all_of(FILES, inside)


@every_file
def test_citations_are_in_the_bibliography(path):
    text = plain(path)
    for whole, candidates in keys_in(text):
        assert any(candidate in sources.SOURCES for candidate in candidates), whole
    for name, year in re.findall(
        r"\b([A-Z][\w-]+)(?: et al\.| and others)?,? ((?:19|20)\d\d)\b", text
    ):
        assert (name, year) not in AUTHORS, f"{name} {year}: the year is in parentheses"


@every_file
def test_no_private_words(path):
    text = plain(path)
    for what, pattern in PRIVATE.items():
        found = pattern.search(text)
        assert found is None, f"{what}: {text[max(0, found.start() - 40) : found.end() + 40]}"


def strings(tree):
    """All strings but docstrings; of f-strings the parts between."""
    documented = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    docs = {
        id(node.body[0].value)
        for node in ast.walk(tree)
        if isinstance(node, documented) and ast.get_docstring(node) is not None
    }
    return [
        node.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in docs
    ]


@all_of([path for path in FILES if path.suffix == ".py" and "src" in path.parts], inside)
def test_strings_that_name_a_theorem_name_its_text(path):
    for each in strings(ast.parse(path.read_text(encoding="utf-8"))):
        for part in each.split("; "):
            place = PLACE.search(part)
            if place and place.start():
                named = [key for key in sources.SOURCES if key in part[: place.start()]]
                assert named, f"{part!r}: of which text?"


@pytest.mark.parametrize("entry", ROSTER, ids=lambda entry: entry.name)
def test_certificates_of_runs_name_their_text(entry):
    player = entry.make(1)
    for each in entry.kind.stream(entry.kind.length, seed=7):
        entry.kind.feed(player, each)
    try:
        certificate = player.certificate()
    except (AttributeError, TypeError, ValueError) as error:
        pytest.skip(f"no certificate of a run alone: {error}")
    for part in getattr(certificate, "theorem", "").split("; "):
        proved_by_the_run = part.startswith(("none", "convexity"))
        assert not part or proved_by_the_run or sources.find(part)
