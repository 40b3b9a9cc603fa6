"""Choices that wait for their outcomes: tickets, late and repeated answers, delays, files."""

import numpy as np
import pytest

from regretless.base import waiting
from regretless.base.state import Parts
from regretless.base.waiting import Waiting, delayed, due_after


def choices(*made):
    found = Waiting("choice", "loss", "act()")
    for each in made:
        found.add(each)
    return found


def test_outcomes_in_any_order():
    kept = choices("a", "b", "a", "c")
    assert kept.find() == 0
    assert kept.find(which=lambda made: made == "b") == 1
    assert [kept.take(ticket) for ticket in (2, 0)] == ["a", "a"]
    kept.forget(1)
    assert (kept.take(), len(kept), kept.given, kept.decisions) == ("c", 0, 4, 3)
    assert kept.add("d") == 4  # the number of no earlier choice


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (
            lambda kept: kept.take(0),
            r"ticket=0: no choice that had it waits for a loss, as that",
        ),
        (
            lambda kept: kept.forget(0),
            r"ticket=0: .* the choice was forgotten; .* wait are \[1, 2\]",
        ),
        (lambda kept: kept.find(3), "ticket=3: .* the ticket has not been given yet"),
        (lambda kept: kept.find("spam"), "ticket='spam' must be a whole number"),
        (lambda kept: kept.find(which=lambda made: made == "a"), "no such choice waits for a loss"),
    ],
)
def test_what_does_not_wait(wrong, message):
    kept = choices("a", "b", "c")
    kept.take(0)
    with pytest.raises(ValueError, match=message):
        wrong(kept)
    assert list(kept.items()) == [(1, "b"), (2, "c")]


def test_nothing_waits():
    with pytest.raises(ValueError, match=r"no choice waits for a loss; call act\(\) first"):
        choices().take()


def test_no_more_wait_than_memory_holds(monkeypatch):
    monkeypatch.setattr(waiting, "_MOST", 2)
    kept = choices("a", "b")
    with pytest.raises(ValueError, match="2 choices wait for a loss; give or forget some first"):
        kept.add("c")
    kept.take()
    assert kept.add("c") == 2


def restored(parts, rounds=0):
    found = choices()
    found.restore(Parts(parts), rounds, lambda part: part.take("made"))
    return found


def test_files():
    kept = choices("a", "b", "c", "d")
    kept.take(1)
    kept.forget(2)
    parts = kept.learned(lambda made: {"made": made})
    again = restored(dict(parts), rounds=1)
    assert list(again.items()) == [(0, "a"), (3, "d")]
    assert (again.given, again.decisions) == (4, 3)
    for name, value in (
        ("decisions", 2),  # two wait, and one is known
        ("ticket", 1),  # three were made
        ("waiting", [{"ticket": 3, "made": "d"}, {"ticket": 0, "made": "a"}]),
        ("waiting", [{"ticket": 4, "made": "d"}]),
    ):
        with pytest.raises(ValueError, match=r"wait|ticket"):
            restored(parts | {name: value}, rounds=1)


@pytest.mark.parametrize("delay", [0, 1, 3, 20])
def test_streams_and_counted_rounds_know_outcomes_at_the_same_time(delay):
    known, streamed = due_after(delay, 9), [[] for _ in range(9)]
    for example, comes in delayed(range(9), delay):
        if comes:
            now = example
        else:
            streamed[now].append(example)
    assert streamed == known


def test_each_round_has_a_delay_of_its_own():
    delays = np.random.default_rng(0).integers(5, size=50)
    due = due_after(delays, 50)
    assert sorted(t for some in due for t in some) == list(range(50))
    assert all(min(t + delays[t], 49) == end for end, some in enumerate(due) for t in some)
