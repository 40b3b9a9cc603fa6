"""The standard optimal algorithm: never more mistakes than the dimension, and nobody can do better."""

import itertools

import numpy as np
import pytest
from reference import classes as oracle

from regretless.adversaries import ConsistentKiller, play, threshold_tree
from regretless.classes import SOA, FiniteClass, TooLarge, littlestone_dimension
from regretless.experts import Consistent, Halving, NotRealizable


class Voting:
    """A voter of the experts' room as a learner of a class."""

    def __init__(self, H, player):
        self.H, self.player = H, player(len(H))

    def predict_one(self, x):
        return self.player.predict(self.H.at(x))

    def learn_one(self, x, y):
        self.player.update(self.H.at(x), y)


def state(learner):
    return (
        learner.rounds,
        learner.mistakes,
        learner.dimension,
        learner._ids.tolist(),
        learner.certificate(),
    )


def small_classes():
    functions = list(itertools.product((0, 1), repeat=3))
    for size in range(1, 9):
        yield from itertools.combinations(functions, size)


# --- right ---------------------------------------------------------------------------------------


def test_predicts_as_the_oracle_and_is_optimal():
    """On all 255 classes on three points, whatever may come: the mistakes are the value of the game."""

    def worst(learner, V):
        """The most mistakes that can still be forced."""
        most = 0
        for x in range(3):
            if not (oracle.part(V, x, 0) and oracle.part(V, x, 1)):
                continue
            predicted = learner.predict_one(x)
            assert predicted == oracle.soa(V, x)
            for y in (0, 1):
                after = learner.copy()
                after.learn_one(x, y)
                assert after.certificate().holds
                most = max(most, (predicted != y) + worst(after, oracle.part(V, x, y)))
        return most

    for chosen in small_classes():
        V = frozenset(chosen)
        assert worst(SOA(FiniteClass(chosen)), V) == oracle.game_value(V)


@pytest.mark.parametrize("tie", [0, 1])
def test_either_rule_for_ties_is_optimal(tie):
    """Of the text's two; the oracle plays both."""
    for chosen in small_classes():
        V = frozenset(chosen)
        assert oracle.mistakes(V, lambda V, x: oracle.soa(V, x, tie)) == oracle.ldim(V)


@pytest.mark.parametrize(
    "H",
    [
        FiniteClass.thresholds(100),
        FiniteClass.singletons(20),
        FiniteClass.cube(6),
        FiniteClass.intervals(20),
        FiniteClass.random(150, 25, seed=5),
        FiniteClass.halfspaces(3),
        FiniteClass.k_term(3, 2),
    ],
    ids=repr,
)
def test_the_tree_forces_as_many_mistakes_as_it_is_deep(H):
    """Of every deterministic learner, although a hypothesis makes none.

    Shalev-Shwartz (2012), Lemma 3.2.
    """
    d = littlestone_dimension(H)
    tree = H.littlestone_tree()
    learners = (SOA(H), Voting(H, Halving), Voting(H, Consistent), lambda x: 1, lambda x: 0)
    for learner in learners:
        game = play(learner, tree.adversary(), rounds=d + 5)
        assert game.loss == len(game.losses) == d
    soa = SOA(H)
    play(soa, tree.adversary(), rounds=d)
    assert (soa.mistakes, soa.dimension, soa.certificate().bound) == (d, 0, d)
    assert tree.leaf(tuple(soa_labels(H, tree))) in soa.version_space.names


def soa_labels(H, tree):
    soa, labels = SOA(H), []
    for _ in range(tree.depth):
        x = tree.at(labels)
        labels.append(1 - soa.predict_one(x))
        soa.learn_one(x, labels[-1])
    return labels


@pytest.mark.parametrize("seed", range(10))
def test_never_more_than_the_dimension(seed):
    random = np.random.default_rng(seed)
    H = FiniteClass.random(60, 12, density=random.random(), seed=seed)
    truth = H.table[random.integers(len(H))]
    xs = random.integers(12, size=60).tolist()
    soa = SOA(H)
    left = soa.dimension
    for x in xs:
        wrong = soa.predict_one(x) != truth[x]
        soa.learn_one(x, int(truth[x]))
        assert soa.dimension <= left - wrong
        left = soa.dimension
        assert soa.certificate().holds
        assert soa.dimension == littlestone_dimension(soa.version_space)
    assert soa.mistakes <= littlestone_dimension(H)
    again = SOA(H).run(xs, truth[xs].astype(int))
    assert again.mistakes == soa.mistakes
    assert again.version_space.names == soa.version_space.names
    assert again.regret() <= again.bound() <= littlestone_dimension(H) + 1e-9
    assert (again.regret_curve() <= again.bound_curve()).all()
    assert again.certificate().holds
    assert again.loss - again.regret() == 0.0  # the best is right
    wrong = H.names[-1]  # bounded against those who err, too
    assert (again.regret_curve(wrong) <= again.bound_curve(wrong)).all()


def test_beside_the_voters():
    """Singletons in order: one mistake, where Consistent makes n - 1; on the cube it is Halving."""
    killer = ConsistentKiller(16)
    H = FiniteClass(killer.table)
    assert play(SOA(H), killer, 20).loss <= 1.0
    assert play(Voting(H, Consistent), ConsistentKiller(16), 20).loss == 15.0
    cube = FiniteClass.cube(4)
    for row in cube.table:
        soa, halving = SOA(cube), Voting(cube, Consistent)
        halving.player = Halving(16)
        for x in (2, 0, 3, 1, 2):
            assert soa.predict_one(x) == halving.predict_one(x)
            # Halving filters only when it errs, SOA always: on the cube that tells nothing of others
            for learner in (soa, halving):
                learner.learn_one(x, int(row[x]))


def test_the_streams_of_the_adversaries_are_trees_of_thresholds():
    """The tree of thresholds on [0, 1], cut at depth 3, is that of a finite class of ours."""
    tree = threshold_tree(3)
    points = [k / 8 for k in range(1, 8)]
    H = FiniteClass.from_functions(
        [lambda x, a=a: x > a for a in np.arange(8) / 8 + 1 / 16], points
    )
    ours = H.littlestone_tree()
    for labels in itertools.product((0, 1), repeat=2):
        for t in range(3):
            assert {"x": ours.at(labels[:t])} == tree.at(labels[:t])


# --- use -----------------------------------------------------------------------------------------


def test_what_no_hypothesis_says_changes_nothing():
    H = FiniteClass.thresholds(7)
    soa = SOA(H)
    soa.learn_one(3, 1)
    before = state(soa)
    for x, y, error in (
        (5, 0, NotRealizable),
        (7, 0, ValueError),
        ([], 0, ValueError),
        (1, 2, ValueError),
        (1, None, ValueError),
    ):
        with pytest.raises(error):
            soa.learn_one(x, y)
        assert state(soa) == before
    with pytest.raises(NotRealizable, match="use AgnosticLearner"):
        soa.run([1, 2, 5], [0, 1, 0])
    assert state(soa) == before
    with pytest.raises(ValueError, match="xs has 2 entries and ys 1"):
        soa.run([1, 2], [0])
    with pytest.raises(ValueError, match=r"ys\[1\]=0.5 is not one of 0, 1"):
        soa.run([1, 2], [0, 0.5])
    with pytest.raises(ValueError, match="none of the 7 points"):
        soa.run([1, "a"], [0, 0])
    assert state(soa) == before
    soa.predict_one(2)
    assert state(soa) == before


def test_empty_and_single_rounds():
    H = FiniteClass.thresholds(3)
    run = SOA(H).run([], [])
    assert (run.mistakes, len(run.bound_curve()), run.version_space.names) == (0, 0, H.names)
    assert SOA(H).run([1], [True]).mistakes == 0
    one = SOA(FiniteClass([[0, 1]]))
    assert (one.predict_one(0), one.predict_one(1), one.dimension) == (0, 1, 0)
    with pytest.raises(NotRealizable):
        one.learn_one(0, 1)
    with pytest.raises(ValueError, match="FiniteClass"):
        SOA([[0, 1]])
    with pytest.raises(TooLarge):
        SOA(FiniteClass.random(3000, 20, density=0.2, seed=0), limit=1)
