"""Finite classes: how they are made, what they say, their trees as text and pictures, bad input."""

import itertools
import pickle
from fractions import Fraction

import numpy as np
import pytest

from regretless.classes import FiniteClass, MistakeTree, TooLarge, littlestone_dimension
from regretless.experts import NotRealizable
from regretless.plots import mistake_tree


def rows(H):
    return {tuple(row) for row in H.table.astype(int).tolist()}


def same(one, two):
    return (
        one.points == two.points
        and one.names == two.names
        and np.array_equal(one.table, two.table)
        and [type(x) for x in one.points] == [type(x) for x in two.points]
    )


# --- made ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("width", [1, 8, 63, 64, 65, 130])
def test_the_table_comes_back(width):
    random = np.random.default_rng(width)
    table = random.random((30, width)) < 0.5
    H = FiniteClass(table)
    first = {tuple(row): i for i, row in reversed(list(enumerate(table.tolist())))}
    assert H.names == tuple(sorted(first.values()))
    np.testing.assert_array_equal(H.table, table[list(H.names)])
    for j in (0, width // 2, width - 1):
        np.testing.assert_array_equal(H.at(j), table[list(H.names), j])
    xs = random.integers(width, size=7).tolist()
    np.testing.assert_array_equal(H.advice(xs), H.table[:, xs].T)
    assert H.advice([]).shape == (0, len(H))


def test_functions_and_names():
    points = ["a", 3, (1, 2), None, Fraction(1, 2)]
    H = FiniteClass.from_functions(
        [lambda x: x == 3, lambda x: x is None, lambda x: x == 3], points
    )
    assert (H.points, H.names) == (tuple(points), (0, 1))
    assert H.at((1, 2)).tolist() == [False, False]
    assert H.at(None).tolist() == [False, True]
    H = FiniteClass.from_functions({"never": lambda x: 0, "also": lambda x: False}, [1])
    assert H.names == ("never",)
    ints, floats = FiniteClass([[0, 1], [1, 0]]), FiniteClass(np.array([[0.0, 1.0], [1.0, 0.0]]))
    assert same(ints, floats)
    assert same(ints, FiniteClass([[False, True], [True, False]]))


def test_restrict():
    H = FiniteClass.intervals(6)
    V = H.restrict(2, 1).restrict(4, 0)
    assert V.points == H.points
    assert set(V.names) == {(a, b) for a, b in H.names if a <= 2 < b <= 4}
    assert littlestone_dimension(V) == 2
    assert all(V.at(2))
    assert not any(V.at(4))
    with pytest.raises(NotRealizable, match="no hypothesis says 0 at x=2"):
        V.restrict(2, 0)
    with pytest.raises(ValueError, match="label=2 is not one of 0, 1"):
        V.restrict(2, 2)
    assert len(H.restrict(2, 1)) + len(H.restrict(2, 0)) == len(H)


def test_generators():
    """By definition, from outside."""
    assert rows(FiniteClass.thresholds(4)) == {
        tuple(int(x >= a) for x in range(4)) for a in range(5)
    }
    assert rows(FiniteClass.intervals(5)) == {
        tuple(int(a <= x < b) for x in range(5)) for a in range(6) for b in range(6)
    }
    for (a, b), row in zip(FiniteClass.intervals(5).names, FiniteClass.intervals(5).table):
        assert row.tolist() == [a <= x < b for x in range(5)]
    assert rows(FiniteClass.singletons(4)) == set(itertools.permutations((1, 0, 0, 0)))
    assert rows(FiniteClass.subsets(5, 2)) == {
        r for r in itertools.product((0, 1), repeat=5) if sum(r) <= 2
    }
    assert rows(FiniteClass.cube(4)) == set(itertools.product((0, 1), repeat=4))
    parities = FiniteClass.parities(3)
    for name, row in zip(parities.names, parities.table):
        assert row.tolist() == [np.dot(name, x) % 2 == 1 for x in parities.points]
    assert len(parities) == 8


@pytest.mark.parametrize(("n", "k"), [(1, 1), (2, 1), (3, 1), (2, 2), (3, 2), (2, 4)])
def test_formulas_mean_what_they_are_called(n, k):
    """Their names, evaluated by Python, say what they say."""
    H = FiniteClass.k_term(n, k)
    for name, row in zip(H.names, H.table):
        formula = name.replace("true", "True").replace("false", "False")
        said = [bool(eval(formula, {f"x{i}": v for i, v in enumerate(x)})) for x in H.points]
        assert said == row.tolist()
    if k == 1:
        assert len(H) == 3**n + 1  # all conjunctions are different, and "false"
    if k >= 2**n:
        assert len(H) == 2**2**n


@pytest.mark.parametrize("n", [1, 2, 3, 4, 5])
def test_lines_divide_a_grid(n):
    """As many ways as are known (OEIS A114043, twice), and each by a line that is found."""
    H = FiniteClass.halfspaces(n)
    assert len(H) == [2, 14, 58, 174, 402][n - 1]
    random, found = np.random.default_rng(0), set()
    grid = np.array(H.points)
    for _ in range(4000):
        weights = random.normal(size=2)
        found.add(tuple((grid @ weights > weights @ random.uniform(-1, n, size=2)).astype(int)))
    assert found <= rows(H)
    if n <= 3:
        assert found == rows(H)


def test_random_classes_are_fixed_by_the_seed():
    one, two = FiniteClass.random(50, 20, seed=7), FiniteClass.random(50, 20, seed=7)
    assert same(one, two)
    assert not same(one, FiniteClass.random(50, 20, seed=8))
    assert FiniteClass.random(2000, 50, density=0.1, seed=0).table.mean() == pytest.approx(
        0.1, abs=4 * (0.09 / 1e5) ** 0.5
    )
    assert len(FiniteClass.random(10, 3, density=0.0)) == 1


# --- bad input -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (([],), r"shape \(0,\)"),
        ((np.empty((0, 3)),), "at least one of both"),
        ((np.empty((3, 0)),), "at least one of both"),
        (([[0, 1], [1, 2]],), r"table\[1, 1\] = .*2.* is not 0 or 1"),
        (([[0.0, np.nan]],), r"table\[0, 1\] = .*nan.* is not 0 or 1"),
        (([["0", "1"]],), "is not 0 or 1"),
        (([[0, 1]], ["a"]), "points has 1 entries for 2"),
        (([[0, 1]], ["a", "a"]), "points has 'a' twice"),
        (([[0, 1]], None, ["a", "b"]), "names has 2 entries for 1"),
    ],
)
def test_tables_that_are_none(given, message):
    with pytest.raises(ValueError, match=message):
        FiniteClass(*given)


def test_too_large_to_enumerate():
    for make in (
        lambda: FiniteClass.cube(40),
        lambda: FiniteClass.cube(10**9),
        lambda: FiniteClass.k_term(10**9, 10**9),
        lambda: FiniteClass.subsets(10**6, 10**5),
        lambda: FiniteClass.intervals(2000),
        lambda: FiniteClass.thresholds(10**6),
        lambda: FiniteClass.parities(20),
        lambda: FiniteClass.k_term(6, 4),
        lambda: FiniteClass.subsets(100, 8),
        lambda: FiniteClass.halfspaces(60),
        lambda: FiniteClass.random(10**6, 10**4),
    ):
        with pytest.raises(TooLarge, match="too many to enumerate") as caught:
            make()
        assert (caught.value.lower, caught.value.upper) == (None, None)
    for make in (FiniteClass.cube, FiniteClass.thresholds, FiniteClass.intervals):
        for n in (0, -1, 2.0, "3", True):
            with pytest.raises(ValueError, match="n="):
                make(n)
    with pytest.raises(ValueError, match="density"):
        FiniteClass.random(3, 3, density=1.5)
    error = TooLarge("VC", 5, 4, 1, 2, 9)
    assert str(pickle.loads(pickle.dumps(error))) == str(error)
    assert pickle.loads(pickle.dumps(error)).upper == 2


def test_points_that_are_not_there():
    H = FiniteClass.thresholds(3)
    for x in (3, "0", [1], None):
        with pytest.raises(ValueError, match="none of the 3 points"):
            H.at(x)
    with pytest.raises(ValueError, match="is not hashable; a tuple would be"):
        FiniteClass([[0, 1]], points=[[1], [2]])


# --- copies --------------------------------------------------------------------------------------


def test_files_and_pickles(tmp_path):
    table = np.random.default_rng(0).random((9, 4)) < 0.5
    for points, names in (
        (None, None),
        (["a", 1, 2.5, (1, (2, "b"))], [f"h{i}" for i in range(9)]),
        ([np.int64(4), np.float64(0.5), True, None], None),
    ):
        H = FiniteClass(table, points, names)
        littlestone_dimension(H)
        H.save(tmp_path / "class")
        back = FiniteClass.load(tmp_path / "class")
        assert back.points == H.points
        assert back.names == H.names
        np.testing.assert_array_equal(back.table, H.table)
        assert littlestone_dimension(back) == littlestone_dimension(H)
        assert same(pickle.loads(pickle.dumps(H)), H)
    odd = FiniteClass(table, [Fraction(i, 3) for i in range(4)])
    with pytest.raises(ValueError, match="cannot be saved to a file"):
        odd.save(tmp_path / "odd")
    assert not (tmp_path / "odd").exists()
    assert same(pickle.loads(pickle.dumps(odd)), odd)
    content = (tmp_path / "class").read_bytes()
    (tmp_path / "half").write_bytes(content[: len(content) // 2])
    with pytest.raises(ValueError, match="part of one"):
        FiniteClass.load(tmp_path / "half")


# --- trees ---------------------------------------------------------------------------------------


def test_walks():
    tree = MistakeTree(["root", "left", "right"], [0, 1, 2, 3])
    assert (tree.at([]), tree.at([0]), tree.at([1])) == ("root", "left", "right")
    assert tree.walk([1, 0]) == ("root", "right")
    assert [tree.leaf(y) for y in itertools.product((0, 1), repeat=2)] == [0, 1, 2, 3]
    for labels, ask in (
        ([0, 0], tree.at),
        ([0], tree.leaf),
        ([0, 0, 0], tree.walk),
        ([2], tree.at),
    ):
        with pytest.raises(ValueError, match="labels="):
            ask(labels)
    for nodes, leaves in (([], []), ([1], [1]), ([1, 2], [1, 2, 3]), ([1, 2, 3], [1, 2])):
        with pytest.raises(ValueError, match="not a complete tree"):
            MistakeTree(nodes, leaves)
    alone = FiniteClass([[0, 1]]).littlestone_tree()
    assert (alone.depth, str(alone), alone.leaf([])) == (0, "hypothesis 0", 0)
    with pytest.raises(ValueError, match="no points"):
        alone.adversary()


def test_text_shows_all():
    tree = FiniteClass.intervals(6).littlestone_tree()
    lines = str(tree).splitlines()
    assert len(lines) == len(tree.nodes) + len(tree.leaves)
    assert [line.split("hypothesis ")[1] for line in lines if "hypothesis" in line] == [
        str(leaf) for leaf in tree.leaves
    ]
    assert repr(tree) == f"MistakeTree(depth {tree.depth})"


@pytest.mark.parametrize("levels", [1, 2, 5])
def test_pictures(levels):
    tree = FiniteClass.thresholds(20).littlestone_tree()  # depth 4
    axes = tree.plot(levels=levels)
    assert tree.plot(axes.figure.add_subplot(), levels=levels) is not axes
    shown = min(levels, 4)
    texts = [text.get_text() for text in axes.texts]
    assert len(axes.lines) == 2 ** (shown + 1) - 2
    assert texts.count("0") + texts.count("1") >= 2 ** (shown + 1) - 2
    assert texts.count("…") == (2**shown if shown < 4 else 0)
    assert all(str(x) in texts for x in tree.nodes[: 2**shown - 1])
    # label 1 is dashed, and to the right
    for line in axes.lines:
        start, end = line.get_xdata()
        assert (end > start) == (line.get_linestyle() == "--")


def test_pictures_refused():
    tree = FiniteClass.cube(2).littlestone_tree()
    with pytest.raises(ValueError, match="levels=0"):
        tree.plot(levels=0)
    names = FiniteClass(np.eye(2), ["$x$", "a name that is much too long"]).littlestone_tree()
    mistake_tree(names)
