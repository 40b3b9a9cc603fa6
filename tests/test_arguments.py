"""Checks of arguments: what each lets pass, and the words in which it refuses."""

import math
import re
from decimal import Decimal
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from regretless.base import arguments

SOURCES = Path(arguments.__file__).parents[1]


@pytest.mark.parametrize(
    ("interval", "passes", "refused"),
    [
        ("(0, 1)", [1e-300, 0.5], [0, 1, -1, math.nan, math.inf]),
        ("[0, 1]", [0, 0.5, 1, True], [-1e-300, 1.0000001, math.nan]),
        ("(0, 1]", [1, 0.5], [0, 2]),
        ("[1/2, 1)", [0.5, 0.75], [0.499, 1]),
        ("[2, inf)", [2, 1e300], [1.999, math.inf, math.nan]),
        ("[1, inf]", [1, math.inf], [0.5, -math.inf, math.nan]),
        ("[1e-100, 1e100]", [1e-100, 1.0, 1e100], [0.0, 1e-101, 1e101]),
    ],
)
def test_within(interval, passes, refused):
    for value in passes:
        assert arguments.within(value, "x", interval) == value
    for value in refused:
        with pytest.raises(ValueError, match=re.escape(f"x={value} is outside {interval}; why")):
            arguments.within(value, "x", interval, "; why")
    with pytest.raises(ValueError, match="x='one' is not a number"):
        arguments.within("one", "x", interval)


@pytest.mark.parametrize("value", [True, 1.0, "1", None, 0, -1, np.float64(2.0)])
def test_whole_numbers_are_whole(value):
    with pytest.raises(ValueError, match=re.escape(f"n={value!r} must be a whole number")):
        arguments.whole(value, "n")


def test_whole_numbers():
    assert arguments.whole(np.int32(3), "n", 1, 3) == 3
    with pytest.raises(ValueError, match="n=4 must be a whole number from 1 to 3, or None"):
        arguments.whole(4, "n", 1, 3, ", or None")


@pytest.mark.parametrize("value", ["b", None, 3, ["a"], {"a"}, np.array(["a", "b"])])
def test_one_of(value):
    assert arguments.one_of("a", "kind", {"a": 1}) == "a"
    with pytest.raises(ValueError, match=r"kind=.* is not one of 'a'$"):
        arguments.one_of(value, "kind", {"a": 1})


@pytest.mark.parametrize("n", [1, 2, 3, 10, 1000])
def test_ranks_count_a_share_of_all(n):
    """The share `k / n` is k of them, also where `n (k / n)` is rounded up."""
    assert [arguments.rank(k / n, n) for k in range(1, n + 1)] == list(range(1, n + 1))
    assert arguments.rank(0.5 / n, n) == 1
    assert arguments.rank(0.1 * 3, 10) == 3 < 10 * (0.1 * 3)


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ([[1.0, math.nan]], "x[0, 1] = nan is not finite"),
        ([[1.0], [2.0, 3.0]], "x=[[1.0], [2.0, 3.0]] is not made of numbers"),
        ("words", "x='words' is not made of numbers: it is text; convert it"),
        (["0", "1"], "x[0]='0' is not a number: it is text; convert it with float()"),
        ([0.0, b"1"], "x[1]=b'1' is not a number: it is text"),
        ([0.0, None], "x[1]=None is not a number: it is missing; fill it in"),
        ([0.0, 1j], "x[1]=1j is not a number: it is complex"),
        (np.array([1.0, 1j]), "is not a number: it is complex"),
        (np.array(["2020-01-01"], "M8[ns]"), "is not a number: it is a time"),
        ([1.0, 2.0], "x has shape (2,), not (rounds, 2)"),
        ([[1.0]], "x has shape (1, 1), not (rounds, 2)"),
    ],
)
def test_tables(values, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        arguments.matrix(values, "x", 2)


def test_tables_pass_as_they_are():
    given = np.asfortranarray(np.arange(6.0).reshape(3, 2))
    found = arguments.matrix(given, "x", 2)
    assert found.flags.c_contiguous
    np.testing.assert_array_equal(found, given)
    assert arguments.table(3.0, "x", ()) == 3.0


@pytest.mark.parametrize("row", [[0.5, 0.6], [1.5, -0.5], [0.0, 0.0]])
def test_distributions(row):
    with pytest.raises(ValueError, match=r"p\[1\] = \[.*\] is not a distribution"):
        arguments.distributions([[0.5, 0.5], row], "p", (None, 2))
    with pytest.raises(ValueError, match=r"p = \[.*\] is not a distribution"):
        arguments.distributions(row, "p", (2,))
    sums = arguments.distributions([0.5, 0.5 + 1e-7], "p", (2,)).sum()
    assert sums == pytest.approx(1.0, abs=2 * np.finfo(float).eps)


def test_nobody_else_refuses_in_these_words():
    """Whoever checks a whole number, an interval or a name by hand says it in other words one day."""
    words = (
        r"must be a whole number(?!,)|must be positive and finite|must be finite and not negative\""
    )
    words += r"|is not made of numbers:|\{\w+!r\} is not one of \{"
    found = [
        str(path.relative_to(SOURCES))
        for path in sorted(SOURCES.rglob("*.py"))
        if path.name != "arguments.py" and "cli" not in path.relative_to(SOURCES).parts
        if any(re.search(words, line) for line in path.read_text().splitlines() if 'f"' in line)
    ]
    assert found == []


def test_one_function_makes_numbers():
    places = [
        str(path.relative_to(SOURCES))
        for path in SOURCES.rglob("*.py")
        if "\ndef numbers(" in path.read_text()
    ]
    assert places == ["base/arguments.py"]


@pytest.mark.parametrize(
    "value", ["3", b"3", bytearray(b"3"), np.array("3"), np.complex128(3), None]
)
def test_one_number(value):
    with pytest.raises(ValueError, match=r"w=.*is not a number: it is"):
        arguments.number(value, "w")


@pytest.mark.parametrize(
    "values", [[True, 2], [Fraction(1), 2], [Decimal(1), 2.0], np.array([1, 2], np.uint8), (1, 2)]
)
def test_numbers_of_every_kind(values):
    assert arguments.numbers(values, "x").tolist() == [1.0, 2.0]
    objects = np.array(list(values), object)
    assert arguments.numbers(objects, "x").tolist() == [1.0, 2.0]
