"""What a player draws has nothing to do with what a user draws from the same seed."""

import re
from functools import cache
from pathlib import Path

import numpy as np
import pytest

import regretless
from regretless.bandits import (
    BanditGradientDescent,
    BanditMirrorDescent,
    EpsilonGreedy,
    EpsilonGreedyLearner,
    Exp3,
    Exp3IX,
    ThompsonSampling,
    TsallisINF,
)
from regretless.base.randomness import Draws, generator
from regretless.classes import AgnosticLearner, FiniteClass
from regretless.experts import DriftingGame, RandomizedWeightedMajority
from regretless.experts.chip_potentials import ExponentialPotential
from regretless.geometry import Entropy
from regretless.linear import LinearRegressor

ROUNDS = 600
# The users' generators: what they would write, each with as many numbers as rounds
USERS = {
    "default_rng(s)": lambda s: np.random.default_rng(s).random(ROUNDS),
    "default_rng([s])": lambda s: np.random.default_rng([s]).random(ROUNDS),
    "default_rng([s, 0])": lambda s: np.random.default_rng([s, 0]).random(ROUNDS),
    "default_rng([0, s])": lambda s: np.random.default_rng([0, s]).random(ROUNDS),
    "RandomState(s)": lambda s: np.random.RandomState(s).random_sample(ROUNDS),
    "a child": lambda s: np.random.default_rng(np.random.SeedSequence(s).spawn(1)[0]).random(
        ROUNDS
    ),
    "normal": lambda s: np.random.default_rng(s).standard_normal(ROUNDS),
    "RandomState's normal": lambda s: np.random.RandomState(s).standard_normal(ROUNDS),
    "new for each round": lambda s: np.array(
        [np.random.default_rng([s, t]).random() for t in range(ROUNDS)]
    ),
}


def arms(make):
    """Actions of a player that is told nothing it could learn from."""

    def actions(seed):
        player = make(seed)
        out = []
        for _ in range(ROUNDS):
            out.append(player.act())
            player.update(0.5)
        return np.array(out, float)

    return actions


def experts(make):
    def actions(seed):
        player = make(seed)
        return np.array([player.act() for _ in range(ROUNDS)], float)

    return actions


def convex(make):
    def points(seed):
        player = make(seed)
        out = []
        for _ in range(ROUNDS):
            out.append(float(np.atleast_1d(player.act())[0]))
            player.update(0.5)
        return np.array(out)

    return points


def contextual(seed):
    model = EpsilonGreedyLearner(LinearRegressor(), 2, epsilon=1.0, seed=seed)
    out = []
    for _ in range(ROUNDS):
        out.append(model.act({"a": 1.0}))
        model.update(out[-1], reward=0.5)
    return np.array(out, float)


def agnostic(seed):
    learner = AgnosticLearner(FiniteClass.cube(1), horizon=ROUNDS, seed=seed)
    out = []
    for t in range(ROUNDS):
        out.append(learner.predict_one(0))
        learner.learn_one(0, t % 2)
    return np.array(out, float)


PLAYERS = {
    "EpsilonGreedyLearner": contextual,
    "AgnosticLearner": agnostic,
    "EpsilonGreedy": arms(lambda s: EpsilonGreedy(2, epsilon=1.0, seed=s)),
    "Exp3": arms(lambda s: Exp3(2, seed=s)),
    "Exp3IX": arms(lambda s: Exp3IX(2, seed=s)),
    "TsallisINF": arms(lambda s: TsallisINF(2, seed=s)),
    "ThompsonSampling": arms(lambda s: ThompsonSampling(2, seed=s)),
    "BanditGradientDescent": convex(lambda s: BanditGradientDescent(1, horizon=ROUNDS, seed=s)),
    "BanditMirrorDescent": convex(lambda s: BanditMirrorDescent(Entropy(), 2, rate=1e-9, seed=s)),
    "RandomizedWeightedMajority": experts(
        lambda s: RandomizedWeightedMajority(2, beta=0.9, seed=s)
    ),
    "DriftingGame": experts(lambda s: DriftingGame(2, ExponentialPotential(0.1), seed=s)),
}


@cache
def drawn(name, seed):
    """The draws of a player, compared with those of each user in turn."""
    return PLAYERS[name](seed)


@pytest.mark.parametrize("user", USERS)
@pytest.mark.parametrize("name", PLAYERS)
def test_no_connection_to_the_users_draws(name, user):
    """The correlation of independent draws is normal with deviation 1 / sqrt(rounds)."""
    for seed in (0, 1, 7):
        ours, theirs = drawn(name, seed), USERS[user](seed)
        assert ours.std() > 0, "it did not draw"
        for shift in range(3):
            found = np.corrcoef(ours[shift:], theirs[: ROUNDS - shift])[0, 1]
            assert abs(found) < 5 / np.sqrt(ROUNDS - shift)


def test_nothing_is_drawn_elsewhere():
    """All random numbers of the package come from `randomness` or from the core."""
    folder = Path(regretless.__file__).parent
    drawn = re.compile(
        r"default_rng|RandomState|np\.random\.(?!Generator|SeedSequence)|^import random", re.M
    )
    for path in folder.rglob("*.py"):
        lines = path.read_text().splitlines()
        code = "\n".join(line for line in lines if not line.lstrip().startswith((">>>", "...")))
        assert path.name == "randomness.py" or not drawn.search(code), path


def test_purposes_and_numbers_are_told_apart():
    """Also where one purpose begins with another, or a number could be a letter."""
    keys = [("ab",), ("a", ord("b")), ("a",), ("a", 0), ("a", 0, 0), ("b",), ("rounds", 0)]
    draws = {key: generator(3, *key).integers(2**62) for key in keys}
    assert len(set(draws.values())) == len(keys)
    assert not (Draws(3, 2)[0] == Draws(4, 2)[0]).any()
