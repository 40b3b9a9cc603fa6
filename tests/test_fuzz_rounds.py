"""Many rounds in short: some of each family, and few after a billion."""

import numpy as np
import pytest
from fuzz import rounds
from roster import ROSTER

from regretless import rules
from regretless.checks.numbers import numbers_told

LINES = {entry.name: entry for entry in ROSTER}
FAR = 1_000_000_000


def test_families_are_lines_of_the_roster():
    assert set(rounds.FAMILIES) <= set(LINES)


@pytest.mark.parametrize("name", rounds.FAMILIES)
def test_rounds(name):
    assert rounds.play(LINES[name], 600, size=150) > 0


ENGINES = [n for n in rounds.FAMILIES if hasattr(LINES[n].make(0), "_engine")]


# Of these other parts of the state tell how many rounds were played, and a file that says otherwise is
# damaged; only `tests/fuzz/rounds.py` takes them far.
TOLD = {"AdaNormalHedgeTV", "CoinBetting", *rounds.OF_ARMS}


@pytest.mark.parametrize("name", ENGINES)
def test_players_after_a_billion_rounds(name):
    """Counters are exact, and nothing that is computed from them overflows."""
    entry = LINES[name]
    player = entry.make(0)
    rounds.play(entry, 64, size=64, player=player)
    state = np.array(player._engine.state())
    later = np.where(state == 64.0, float(FAR), state)  # all that counts rounds
    if name in TOLD:
        with pytest.raises(ValueError, match=r"add up|rise from 1|is bet|are not whole"):
            player._engine.restore(later)
        assert player.rounds == 64
        return
    player._engine.restore(later)
    assert player.rounds == FAR
    next(rounds.batches(entry, 100))(player)
    assert player.rounds == FAR + 100
    numbers_told(entry, player)


LEARNERS = (*rules.RULES, "hashed")
LEARNERS = [*(f"LinearClassifier {rule}" for rule in LEARNERS), "Perceptron survival", "OnlineSVM"]


@pytest.mark.parametrize("name", [*LEARNERS, "AutoClassifier", "AutoRegressor", "Winnow"])
def test_learners_after_a_billion_rounds(name):
    entry = LINES[name]
    player = entry.make(0)
    rounds.play(entry, 64, size=64, player=player)
    state = player.__getstate__()
    for part in [key for key in state["_model"] if key.startswith("scalars")]:
        scalars = state["_model"][part]
        state["_model"][part] = np.where(scalars == 64.0, float(FAR), scalars)
    other = entry.make(0)
    other.__setstate__(state)
    assert other.examples_ == FAR
    next(rounds.batches(entry, 100))(other)
    assert other.examples_ == FAR + 100
    numbers_told(entry, other)
