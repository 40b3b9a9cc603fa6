"""Players in lives of their own: runs, copies, files, pickles, refused rounds, in any order.

    python tests/fuzz/compositions.py --cases 100000
    python tests/fuzz/compositions.py --seed 3 --only 1234

Each case makes a convex player, a player of experts or one of arms, lets it live through up to six
things that users do, and after every run computes the regrets anew, to every kind of comparator that
the tests of compositions know: none may be above the bound that is printed. Those tests try each thing
with every player once; here they meet in all orders and sizes.
"""

import math
import pickle
import sys
import tempfile
from pathlib import Path

import numpy as np
import pytest

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parents[1]))

import test_bandits_compositions as bandits
import test_convex_compositions as convex
import test_experts_compositions as experts

from fuzz.harness import main

__all__ = ["case"]

LOSSES = (None, "squared", "absolute", "hinge", "logistic")
# leaders solve a problem of all rounds in each of them
SLOW = {"leader in a ball", "regularised", "regularised entropy", *convex.SLOW}


def case(rng: np.random.Generator) -> str:
    """One life."""
    kind = rng.choice(["convex", "experts", "arms"])
    {"convex": _convex, "experts": _experts, "arms": _arms}[kind](rng)
    return str(kind)


def _length(rng: np.random.Generator, most: int) -> int:
    return int(rng.integers(1, rng.choice([2, 8, most])))


def _reborn(player, rng: np.random.Generator, load=None):
    """The player, or one that must go on like it."""
    way = rng.choice(["itself", "copy", "pickle", "file"])
    if way == "copy":
        return player.copy()
    if way == "pickle":
        try:
            return pickle.loads(pickle.dumps(player))
        except (AttributeError, pickle.PicklingError):  # made of a function that has no name
            return player
    if way == "file" and hasattr(player, "save"):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "player")
            try:
                player.save(path)
            except ValueError:  # made of what cannot be written
                return player
            if load is not None:
                return load(player, path)
            again = {"factory": player.factory} if hasattr(player, "factory") else {}
            return type(player).load(path, **again)
    return player


def _convex(rng: np.random.Generator) -> None:
    name = str(rng.choice(list(convex.PLAYERS)))
    scale = 10.0 ** rng.integers(-6, 4)
    player = convex.PLAYERS[name](scale)
    for _ in range(rng.integers(1, 4 if name in SLOW else 6)):
        loss = rng.choice(LOSSES) if scale <= 1e3 else None
        X, y = convex.rows(_length(rng, 6 if name in SLOW else 30), scale, seed=rng.integers(2**32))
        if rng.random() < 0.3:
            X = np.sign(rng.normal(size=convex.D)) * np.abs(X)  # all one way
        if rng.random() < 0.2:
            with pytest.raises(ValueError, match="gradient"):
                player.update([math.nan] * convex.D)
        if rng.random() < 0.2:
            for z in X:
                if getattr(player, "slab", None):
                    player.look(z)
                player.update(z)
            convex.check_certificate(player.certificate())
        else:
            try:
                convex.check_run(player, X, y, loss)
            except (RuntimeError, ValueError) as error:
                # a leader that was not found, or a rate that leads nowhere, and they say so
                honest = ("the best point was found only up to", "no round was played")
                if not any(words in str(error) for words in honest):
                    raise
                return
        player = player.clone() if rng.random() < 0.1 else _reborn(player, rng)


def _experts(rng: np.random.Generator) -> None:
    name = str(rng.choice(list(experts.PLAYERS)))
    options = {}
    if name not in experts.NO_PRIOR and rng.random() < 0.3:
        options["prior"] = (
            experts.UNEVEN if rng.random() < 0.3 else rng.dirichlet(np.ones(experts.N))
        )
    player = experts.PLAYERS[name](experts.N, **options)
    left = 3 * experts.T  # the horizon that some are made for
    for _ in range(rng.integers(1, 6)):
        rounds = min(_length(rng, 18), left)
        left -= rounds
        if not rounds:
            return
        table = experts.streams(int(rng.integers(2**32)), max(rounds, 3))
        table = np.roll(table[str(rng.choice(list(table)))][:rounds], rng.integers(4), axis=1)
        if rng.random() < 0.2:
            with pytest.raises(ValueError, match="losses"):
                player.update([0.5, math.nan, 0.5, 0.5])
        if rng.random() < 0.2:
            for row in table:  # against what weighs most
                player.update(
                    np.eye(experts.N)[np.argmax(player.weights)] if rng.random() < 0.5 else row
                )
            assert player.certificate().holds is True
        else:
            run = player.run(table)
            asked = (
                list(experts.notions(rounds)) if rounds > 2 else list(experts.notions(rounds))[:4]
            )
            picked = [asked[k] for k in rng.integers(len(asked), size=3)]
            if "prior" not in options:
                experts.check(run, experts.regrets_of(run, table), picked)
            else:  # a best expert among equals is that of the largest prior
                _check_experts(run, experts.regrets_of(run, table))
        if rng.random() < 0.1:
            player, left = player.clone(), 3 * experts.T
        player = _reborn(player, rng)


def _check_experts(run, regrets) -> None:
    size = math.fsum(np.abs(run.losses)) + np.abs(regrets).sum()
    for i, regret in enumerate(regrets.sum(axis=0)):
        c = run.certificate(i)
        assert not any(map(math.isnan, [c.regret, c.bound, *c.bounds.values()]))
        assert regret <= c.bound + 64 * experts.EPS * size, (i, c)


def _arms(rng: np.random.Generator) -> None:
    name = str(rng.choice([*bandits.ARMS, *bandits.UNIT]))
    player = bandits.make(name, seed=int(rng.integers(2**31)))
    left = 60  # the horizon that some are made for
    for _ in range(rng.integers(1, 6)):
        rounds = min(_length(rng, 20), left)
        left -= rounds
        if not rounds:
            return
        table = bandits.costs(rounds, seed=int(rng.integers(2**31)))
        if rng.random() < 0.3:
            table = np.round(table)
        if rng.random() < 0.3:
            for row in table:
                arm = player.act()
                player.update(float(row[arm]))
            bandits.check(player.certificate())
        else:
            bandits.check_run(player.run(table), table)
        if rng.random() < 0.1:
            player, left = player.clone(), 60
        player = _reborn(player, rng, bandits.through_file)


if __name__ == "__main__":
    sys.exit(main("compositions", case))
