"""The Littlestone dimension and its tree, against enumeration, the game itself and known classes."""

import itertools
import math
import signal
import threading

import numpy as np
import pytest
from reference import classes as oracle

from regretless import _core
from regretless.classes import (
    FiniteClass,
    MistakeTree,
    TooLarge,
    littlestone_dimension,
    vc_dimension,
)


def checked(H):
    """The dimension, after its tree has been checked by definition and by the hypotheses it names."""
    d = littlestone_dimension(H)
    tree = H.littlestone_tree()
    assert tree.depth == d
    index = {x: j for j, x in enumerate(H.points)}
    rows = dict(zip(H.names, oracle.rows(H)))
    for labels in itertools.product((0, 1), repeat=d):
        row = rows[tree.leaf(labels)]
        assert [row[index[x]] for x in tree.walk(labels)] == list(labels)
    return d


def random_class(random, most_points=7, most=40):
    shape = (int(random.integers(1, most)), int(random.integers(1, most_points + 1)))
    return FiniteClass(random.random(shape) < random.random())


# --- right ---------------------------------------------------------------------------------------


def test_all_classes_on_three_points():
    """All 255 of them; the dimension is the value of the game."""
    functions = list(itertools.product((0, 1), repeat=3))
    for size in range(1, 9):
        for chosen in itertools.combinations(functions, size):
            H, V = FiniteClass(chosen), frozenset(chosen)
            d = checked(H)
            assert d == oracle.ldim(V) == oracle.game_value(V)
            assert vc_dimension(H) == oracle.vc(V) <= d <= math.log2(size)


@pytest.mark.parametrize("seed", range(60))
def test_random_classes(seed):
    random = np.random.default_rng(seed)
    H = random_class(random)
    V = frozenset(oracle.rows(H))
    assert checked(H) == oracle.ldim(V)
    assert oracle.shattered(H.littlestone_tree().nodes, littlestone_dimension(H), V)
    assert vc_dimension(H) == oracle.vc(V)


@pytest.mark.parametrize("seed", range(8))
def test_search_and_table_agree(seed):
    """With no effort allowed the table decides, of up to 16 points; and its tree is shattered."""
    random = np.random.default_rng(seed)
    H = FiniteClass(random.random((1 << int(random.integers(4, 10)), 9)) < 0.4)
    found = checked(H)
    fresh = _core.Littlestone(H._bits, len(H.points))
    everybody = np.arange(len(H), dtype=np.uint32)
    assert fresh.dimension(everybody, 0) == (found, found)
    nodes, leaves = _core.Littlestone(H._bits, len(H.points)).tree(everybody, found, 0)
    rows = oracle.rows(H)
    tree = MistakeTree(nodes.tolist(), leaves.tolist())
    for labels in itertools.product((0, 1), repeat=found):
        assert [rows[tree.leaf(labels)][x] for x in tree.walk(labels)] == list(labels)


@pytest.mark.parametrize("seed", range(12))
def test_wide_classes(seed):
    """More than 64 points: several words a row, most of whose columns repeat others."""
    random = np.random.default_rng(seed)
    narrow = random_class(random, 6)
    wide = random.integers(0, len(narrow.points), size=150)
    flips = random.random(150) < 0.5
    H = FiniteClass(narrow.table[:, wide] ^ flips)
    V = frozenset(tuple(row[j] for j in sorted(set(wide.tolist()))) for row in oracle.rows(narrow))
    assert checked(H) == oracle.ldim(V)
    assert vc_dimension(H) == oracle.vc(V)


@pytest.mark.parametrize("seed", range(10))
def test_products_add_up(seed):
    """What is asked of one factor tells nothing of the other; nearly a product is none."""
    random = np.random.default_rng(seed)
    one, two = random_class(random, 4, 9), random_class(random, 4, 9)
    both = [a + b for a in oracle.rows(one) for b in oracle.rows(two)]
    assert checked(FiniteClass(both)) == littlestone_dimension(one) + littlestone_dimension(two)
    large = [FiniteClass(random.random((50, 6)) < p) for p in (0.5, 0.3)]
    both = [a + b for a in oracle.rows(large[0]) for b in oracle.rows(large[1])]
    assert checked(FiniteClass(both)) == sum(oracle.ldim(frozenset(oracle.rows(H))) for H in large)
    both = [a + b for a in oracle.rows(one) for b in oracle.rows(two)]
    less = [row for row in both if random.random() < 0.9] or both
    assert checked(FiniteClass(less)) == oracle.ldim(frozenset(less))


def piecewise_product(seed):
    """Products side by side: no product itself, but each of its pieces, with large factors."""
    random = np.random.default_rng(seed)
    width, sizes = int(random.integers(3, 6)), (random.integers(10, 50), random.integers(4, 20))
    table = []
    for piece in range(random.integers(2, 5)):
        one, two = (random.random((n, width)) < random.uniform(0.1, 0.5) for n in sizes)
        table += [[piece & 1, piece >> 1, *a, *b] for a in one.astype(int) for b in two.astype(int)]
    return FiniteClass(table)


@pytest.mark.parametrize("seed", [0, 1, 2, 1076, 7008])  # the last two are hard to get right
def test_products_among_the_version_spaces(seed):
    H = piecewise_product(seed)
    table = _core.Littlestone(H._bits, len(H.points)).dimension(H.everybody(), 0)
    assert table == (checked(H), checked(H))


def test_as_large_as_the_size_allows():
    """The tree shows the dimension, and log2 of the size that there is no more: no oracle needed."""
    for seed in range(3):
        H = FiniteClass.random(700, 30, seed=seed)
        assert checked(H) == 9 == math.floor(math.log2(len(H)))
        shuffled = np.random.default_rng(seed).permutation(512)
        assert checked(FiniteClass(FiniteClass.cube(9).table[shuffled])) == 9


def test_names_of_points_and_labels_do_not_matter():
    random = np.random.default_rng(3)
    table = random.random((60, 20)) < 0.3
    d = littlestone_dimension(FiniteClass(table))
    order, flips = random.permutation(20), random.random(20) < 0.5
    assert checked(FiniteClass(table[:, order] ^ flips)) == d
    assert checked(FiniteClass(table[random.permutation(60)])) == d


@pytest.mark.parametrize("n", [1, 2, 3, 4, 7, 8, 15, 16, 100])
def test_known_classes(n):
    """Shalev-Shwartz (2012), Examples 3.1 to 3.3; the dimension of thresholds grows, their VC
    dimension does not.
    """
    H = FiniteClass.thresholds(n)
    assert checked(H) == math.floor(math.log2(n + 1))
    assert vc_dimension(H) == 1
    if n > 1:
        assert checked(FiniteClass.singletons(n)) == vc_dimension(FiniteClass.singletons(n)) == 1
    if n <= 8:
        assert checked(FiniteClass.cube(n)) == vc_dimension(FiniteClass.cube(n)) == n
        assert checked(FiniteClass.parities(n)) == n


def test_more_known_classes():
    assert checked(FiniteClass.subsets(12, 4)) == vc_dimension(FiniteClass.subsets(12, 4)) == 4
    assert vc_dimension(FiniteClass.intervals(30)) == 2
    assert vc_dimension(FiniteClass.halfspaces(3)) == 3
    assert vc_dimension(FiniteClass.conjunctions(3)) == 3
    assert littlestone_dimension(FiniteClass.thresholds(3000)) == 11
    for n in (3, 5, 8):
        V = frozenset(oracle.rows(FiniteClass.intervals(n)))
        assert checked(FiniteClass.intervals(n)) == oracle.ldim(V)
    H = FiniteClass.k_term(3, 2)
    assert checked(H) == oracle.ldim(frozenset(oracle.rows(H)))


def test_gap_between_the_dimensions_and_the_size():
    """VC <= Ldim <= log2 |H| (Shalev-Shwartz (2012), Theorem 3.5, Example 3.1) on classes that are
    too large above.
    """
    for H in (
        FiniteClass.random(500, 30, seed=1),
        FiniteClass.random(3000, 16, density=0.2, seed=2),
        FiniteClass.random(2**15, 16, seed=3),
        FiniteClass.intervals(60),
        FiniteClass.halfspaces(4),
    ):
        d = littlestone_dimension(H)
        assert vc_dimension(H) <= d <= math.log2(len(H))


def test_hard_for_the_search():
    """Half of the functions of 13 points: the table decides, the same as the search if let."""
    random = np.random.default_rng(0)
    H = FiniteClass(
        (np.sort(random.choice(2**13, 2**12, replace=False))[:, None] >> np.arange(13)) & 1
    )
    everybody = np.arange(len(H), dtype=np.uint32)
    d = littlestone_dimension(H)
    assert _core.Littlestone(H._bits, 13).dimension(everybody, 0) == (d, d)
    assert checked(H) == d


# --- limits --------------------------------------------------------------------------------------


def test_the_limit_says_how_far_it_came():
    H = FiniteClass.random(3000, 20, density=0.2, seed=0)
    with pytest.raises(TooLarge, match=r"from \d+ to \d+: limit=30 version spaces") as caught:
        littlestone_dimension(H, limit=30)
    d = littlestone_dimension(H)
    assert caught.value.lower <= d <= caught.value.upper
    assert caught.value.lower < caught.value.upper
    with pytest.raises(TooLarge, match="limit=5 sets of points") as caught:
        vc_dimension(H, limit=5)
    assert caught.value.lower <= vc_dimension(H) <= caught.value.upper
    for limit in (0, -1, 2.5, True):
        with pytest.raises(ValueError, match="limit="):
            littlestone_dimension(H, limit=limit)


def test_interrupted():
    """Ctrl-C ends a search that would take minutes."""
    H = FiniteClass.intervals(400)
    before = signal.signal(
        signal.SIGINT, signal.default_int_handler
    )  # who runs tests may ignore it
    timer = threading.Timer(0.3, signal.raise_signal, [signal.SIGINT])
    timer.start()
    try:
        with pytest.raises(KeyboardInterrupt):
            vc_dimension(H, limit=10**9)
    finally:
        timer.cancel()
        signal.signal(signal.SIGINT, before)
    assert littlestone_dimension(FiniteClass.cube(3)) == 3


def test_the_core_refuses_what_it_cannot_use():
    H = FiniteClass.cube(3)
    search = _core.Littlestone(H._bits, 3)
    for ids in ([1, 0], [0, 0], [8]):
        with pytest.raises(ValueError, match="rising order"):
            search.dimension(np.array(ids, np.uint32), 10)
    assert search.dimension(np.array([], np.uint32), 10) == (-1, -1)
    with pytest.raises(ValueError, match="shapes"):
        _core.Littlestone(H._bits, 65)
    with pytest.raises(ValueError, match="shapes"):
        _core.vc_dimension(H._bits[:0], 3, 10)
    with pytest.raises(ValueError, match="FiniteClass"):
        littlestone_dimension([[0, 1]])
