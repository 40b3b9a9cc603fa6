"""Arrays that lie, and arrays that change after they were looked at: never a crash."""

import threading
from contextlib import suppress

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from fuzz.harness import run
from scipy import sparse

from regretless import _core, bandits, experts, games, oco, streams
from regretless.base import rows
from regretless.evaluate import progressive
from regretless.games.payoffs import Payoffs, read
from regretless.linear import KernelPerceptron, LinearClassifier, LinearRegressor
from regretless.newton import NewtonClassifier
from regretless.streams.cache import Cache

RNG = np.random.default_rng(0)
X = sparse.random_array((9000, 40), density=0.1, format="csr", rng=RNG)
Y = RNG.integers(0, 2, 9000)
LEARNERS = {
    "exact": LinearClassifier,
    "hashed": lambda: LinearClassifier(features="hashed", bits=6),
    "newton": NewtonClassifier,
    "kernel": KernelPerceptron,
}


def survives(attempt) -> None:
    """Run something in a process that may die, and see that it did not."""
    campaign = run(lambda rng: str(attempt()), cases=1)
    assert campaign.failures == []


# --- arrays that change ------------------------------------------------------------------------------


def changed(**parts):
    """A copy of the matrix of which a user changes something later."""
    matrix = X.copy()

    def change():
        for name, value in parts.items():
            getattr(matrix, name)[:] = value

    return matrix, change


@pytest.mark.parametrize("make", LEARNERS.values(), ids=LEARNERS)
@pytest.mark.parametrize("value", [2**30, -1, 40])
def test_indices_that_change_after_the_stream_was_made(make, value):
    matrix, change = changed(indices=value)
    stream = streams.read((matrix, Y))
    change()
    model = make()

    def attempt():
        for piece in stream.pieces():
            model.learn_many(piece.X, piece.y)

    with pytest.raises(ValueError, match=r"X\.indices has a column outside X.shape"):
        attempt()


def test_indices_that_change_between_pieces():
    matrix, change = changed(indices=2**30)

    def attempt():
        model, stream = LinearClassifier(), streams.read((matrix, Y))
        for piece in stream.pieces():
            model.learn_many(piece.X, piece.y)
            change()

    with pytest.raises(ValueError, match=r"X\.indices has a column outside X.shape"):
        attempt()


def test_progressive_over_a_matrix_that_changes():
    matrix, change = changed(indices=2**30)

    class Changes(LinearClassifier):
        def _validated(self, X, y, w, scores=False):
            out = super()._validated(X, y, w, scores)
            change()
            return out

    with pytest.raises(ValueError, match=r"X\.indices"):
        progressive(Changes(), streams.read((matrix, Y)))


def test_values_that_change_after_the_stream_was_made():
    matrix, change = changed(data=np.nan)
    stream = streams.read((matrix, Y))
    change()
    with pytest.raises(ValueError, match=r"X\[0, \d+\] = nan"):
        list(stream.pieces())


def test_a_matrix_may_change_its_rows_length_and_nothing_is_read_beyond_it():
    matrix, _ = changed()
    stream = streams.read((matrix, Y))
    matrix.indptr[:] = 2**30
    assert sum(len(piece) for piece in stream.pieces()) == 9000


@pytest.mark.parametrize("make", LEARNERS.values(), ids=LEARNERS)
def test_another_thread_changes_the_columns_while_they_are_learned(make):
    """The core works without the GIL: what it reads may change, where it writes may not."""

    def attempt():
        size, rounds = (50, 20) if make is KernelPerceptron else (9000, 30)
        matrix, y = X[:size].copy(), Y[:size]
        good, stop = matrix.indices.copy(), threading.Event()

        def meddle():
            while not stop.is_set():
                matrix.indices[:] = 2**31 - 1
                matrix.indices[:] = -(2**31)
                matrix.indices[:] = good

        thread = threading.Thread(target=meddle)
        thread.start()
        try:
            for _ in range(rounds):
                with suppress(ValueError):
                    make().learn_many(matrix, y)
        finally:
            stop.set()
            thread.join()

    survives(attempt)


def test_codes_of_categories_that_change():
    frame = pd.DataFrame({"colour": ["red", "green"] * 50})
    batch, model = rows.batch(frame), LinearClassifier()
    batch.columns[0][1][:] = 7
    with pytest.raises(ValueError, match="category code is out of range"):
        model.learn_many(batch, ["a", "b"] * 50)


def test_payoffs_of_a_game_are_the_games_own():
    """Indices of a sparse game are copied before they are checked for the last time."""
    matrix = sparse.csr_array(np.array([[0.0, 1.0], [1.0, 0.0]]))
    game = Payoffs(read(matrix))
    matrix.indices[:] = 2**30
    assert game.losses(np.array([1.0, 0.0])).tolist() == [0.0, 1.0]


# --- sparse matrices that lie -----------------------------------------------------------------------


def lying():
    """Sparse matrices of every format, each with something in it that is not true."""
    good = sparse.random_array((30, 8), density=0.3, format="csr", rng=np.random.default_rng(1))

    def one(format, name, change, kind=sparse.csr_array):
        made = kind(good).asformat(format)
        change(made)
        return pytest.param(made, id=f"{kind.__name__[:3]}-{format}-{name}")

    def put(part, value):
        def change(m):
            array = np.array(getattr(m, part))
            array[array.shape[0] // 2] = value
            setattr(m, part, array)

        return change

    def coo(axis, value):
        def change(m):
            coords = [np.array(c) for c in m.coords]
            coords[axis] = coords[axis] + value
            m.coords = tuple(coords)

        return change

    for kind in (sparse.csr_array, sparse.csr_matrix):
        for axis in (0, 1):
            for value in (100, -100, 2**31 - 60):
                yield one("coo", f"axis {axis} {value}", coo(axis, value), kind)
        for layout in ("csr", "csc", "bsr"):
            for part in ("indices", "indptr"):
                for value in (10**6, -3, 2**30):
                    yield one(layout, f"{part} {value}", put(part, value), kind)
        for layout in ("csr", "csc", "bsr", "coo"):
            yield one(layout, "short data", lambda m: setattr(m, "data", m.data[:3]), kind)
        yield one("csr", "short indices", lambda m: setattr(m, "indices", m.indices[:3]), kind)
        yield one("csr", "float indices", lambda m: setattr(m, "indices", m.indices * 1.5), kind)
        yield one("csr", "text data", lambda m: setattr(m, "data", m.data.astype(str)), kind)
        yield one("csr", "2-d data", lambda m: setattr(m, "data", m.data[:, None]), kind)
        yield one("dia", "short offsets", lambda m: setattr(m, "offsets", m.offsets[:1]), kind)
        yield one("lil", "row", lambda m: m.rows.__setitem__(3, [99]), kind)
        yield one("lil", "data", lambda m: m.data.__setitem__(3, [1.0] * 20), kind)
        yield one("dok", "key", lambda m: m._dict.__setitem__((99, 99), 1.0), kind)
        yield one("csr", "shape", lambda m: setattr(m, "_shape", (30, 3)), kind)
        yield one("csr", "rows", lambda m: setattr(m, "_shape", (10**9, 8)), kind)
        yield one("coo", "shape", lambda m: setattr(m, "_shape", (10, 8)), kind)


@pytest.mark.parametrize("matrix", list(lying()))
def test_sparse_matrices_that_lie(matrix):
    """Refused with a ValueError, by learners and games, in whatever format they came."""
    y = (np.arange(30) % 2).astype(float)

    def attempt():
        model = LinearRegressor()
        for call in (
            lambda: model.learn_many(matrix, y),
            lambda: model.predict(matrix),
            lambda: list(streams.read((matrix, y)).pieces()),
            lambda: games.solve(matrix, rounds=3),
        ):
            with pytest.raises(ValueError, match=r".{10}"):
                call()
        assert model.examples_ == 0

    survives(attempt)


# --- Arrow arrays that lie --------------------------------------------------------------------------


def text(offsets, data=b"redgreen"):
    return pa.Array.from_buffers(
        pa.string(),
        len(offsets) - 1,
        [None, pa.py_buffer(np.array(offsets, np.int32)), pa.py_buffer(data)],
    )


def dictionary(codes):
    return pa.DictionaryArray.from_arrays(pa.array(codes, pa.int32()), ["red", "green"], safe=False)


LIES = {  # the ends are looked at by pyarrow itself, what is between them is not
    "beyond": text([0, 2**30, 8]),
    "negative": text([0, -(2**30), 8]),
    "falling": text([0, 7, 2, 8])[1:],
    "not Unicode": text([0, 3, 8], b"\xff\xfe\xfdgreen"),
    "codes": dictionary([0, 2**20]),
    "large": pa.Array.from_buffers(
        pa.large_string(),
        2,
        [None, pa.py_buffer(np.array([0, 2**60, 8], np.int64)), pa.py_buffer(b"redgreen")],
    ),
}


def arrow_frames(column):
    """What a user can put such a column into."""
    table = pa.table({"a": column, "y": [1.0, 2.0]})
    yield "table", lambda: table.select(["a"]), lambda: table
    yield "batch", lambda: table.select(["a"]).to_batches()[0], lambda: table.to_batches()[0]
    yield (
        "chunks",
        lambda: pa.table({"a": pa.chunked_array([column, column])}),
        lambda: pa.table({"a": pa.chunked_array([column, column]), "y": [1.0, 2.0] * 2}),
    )
    backed = pd.Series(pd.arrays.ArrowExtensionArray(column))
    yield (
        "pandas",
        lambda: pd.DataFrame({"a": backed}),
        lambda: pd.DataFrame({"a": backed, "y": 1.0}),
    )


@pytest.mark.parametrize("column", LIES.values(), ids=LIES)
def test_arrow_arrays_that_lie(column):
    def attempt():
        for name, features, whole in arrow_frames(column):
            size = 4 if name == "chunks" else 2
            with pytest.raises(ValueError, match="'a'"):
                LinearRegressor().learn_many(features(), np.ones(size))
            with pytest.raises(ValueError, match="'a'"):
                LinearRegressor().predict(features())
            with pytest.raises(ValueError, match="'a'"):
                streams.read(whole(), label="y")

    survives(attempt)


@pytest.mark.parametrize("name", ["label", "weight", "tag"])
def test_labels_and_weights_of_a_table_that_lie(name):
    table = pa.table({"a": [1.0, 2.0], "b": [1.0, 2.0], "c": LIES["beyond"]})

    def attempt():
        with pytest.raises(ValueError, match="'c'"):
            streams.read(table, **({"label": "b"} | {name: "c"}))

    survives(attempt)


# --- frames that are odd ----------------------------------------------------------------------------


def test_a_column_named_by_a_huge_number():
    frame = pd.DataFrame({10**30: [1.0, 2.0]})
    model = LinearRegressor()
    model.learn_many(frame, [1.0, 2.0])  # it is a name like any other
    assert list(model.weights_) == [str(10**30)]


def test_a_lazy_frame():
    polars = pytest.importorskip("polars")
    frame = polars.LazyFrame({"a": [1.0, 2.0]})
    with pytest.raises(ValueError, match=r"collect\(\)"):
        LinearRegressor().learn_many(frame, [1.0, 2.0])
    with pytest.raises(ValueError, match=r"collect\(\)"):
        streams.read(frame, label="a")


def test_a_column_of_mixed_objects():
    frame = pd.DataFrame({"m": [1.0, "x", b"y", None], "y": [1.0, 2.0, 3.0, 4.0]})
    with pytest.raises(ValueError, match="'m'"):
        streams.read(frame, label="y")
    lists = pd.DataFrame({"m": [[1], {2: 3}, None, object()], "y": [1.0, 2.0, 3.0, 4.0]})
    for call in (
        lambda: streams.read(lists, label="y"),
        lambda: LinearRegressor().learn_many(lists[["m"]], lists["y"]),
    ):
        with pytest.raises(ValueError, match="'m'"):
            call()


def test_class_numbers_beyond_the_lanes_do_not_reach_the_core():
    core = LinearClassifier()._start()
    starts, columns, values = np.array([0, 1]), np.zeros(1, np.int32), np.ones(1)
    nothing = _core.Want.nothing
    for label in (2, -1, 2**30):
        with pytest.raises(ValueError, match="a class number is out of range"):
            core.csr(1, starts, columns, values, False, np.array([label], np.int32), None, nothing)
    with pytest.raises(ValueError, match="malformed"):
        core.csr(1, np.array([0, 5]), columns, values, False, None, None, _core.Want.scores)
    assert isinstance(core, _core.Learner)


def test_what_must_not_be_printed_is_not_printed():
    """An array that lies, where a number is expected: the message names its class only."""

    def attempt():
        with pytest.raises(ValueError, match="<StringArray> is not a number"):
            LinearRegressor().learn_one({"a": LIES["beyond"]}, 1.0)
        with pytest.raises(ValueError, match="w=<StringArray> is not a number"):
            LinearRegressor().learn_one({"a": 1.0}, 1.0, LIES["beyond"])
        with pytest.raises(ValueError, match="y is a damaged Arrow array"):
            LinearClassifier().learn_one({"a": 1.0}, LIES["beyond"])

    survives(attempt)


# --- caches ------------------------------------------------------------------------------------------


def test_a_cache_that_is_damaged(tmp_path):
    """Each byte changed, or the file cut: the same examples, others, or an error that names the file."""
    (tmp_path / "a.svm").write_text("".join(f"{t % 2} {1 + t % 5}:{t} 7:1\n" for t in range(40)))
    model, cache = LinearRegressor(), Cache(tmp_path / "a.cache")
    for piece in streams.read(tmp_path / "a.svm").pieces(model.form()):
        model.learn_many(piece.X, piece.y)
        cache.add(model, piece)
    cache.finish()
    data = cache.path.read_bytes()

    def case(rng):
        spoilt = bytearray(data)
        spoilt[int(rng.integers(len(data)))] = int(rng.integers(256))
        cache.path.write_bytes(spoilt[: len(data) - int(rng.integers(2) * rng.integers(len(data)))])
        try:
            pieces = list(cache.stream().pieces())
        except ValueError as error:
            assert str(cache.path) in str(error)  # noqa: PT017
            return "refused"
        with suppress(
            ValueError, _core.Diverged
        ):  # what the learner finds: other rows, or numbers that are none
            for piece in pieces:
                model.learn_many(piece.X, piece.y)
        return "used"

    campaign = run(case, cases=300)
    assert campaign.failures == []
    assert campaign.outcomes.keys() == {"refused", "used"}


def unaligned(array):
    """The same numbers in a view of bytes, where no number of their type may lie."""
    array = np.ascontiguousarray(array)
    view = np.zeros(array.nbytes + 1, np.uint8)[1:].view(array.dtype).reshape(array.shape)
    view[...] = array
    assert not view.flags.aligned
    return view


def shifted(X):
    """A sparse matrix whose arrays are such."""
    X = sparse.csr_array(X)
    X.data, X.indices, X.indptr = map(unaligned, (X.data, X.indices, X.indptr))
    return X


TABLE = np.random.default_rng(0).random((30, 3))
SIGNS = (TABLE[:, 0] > 0.5).astype(int)
# by what is done with a table, or with what becomes of it
ANYWHERE = {
    "updates of a player": lambda of: [
        player.update(of(row)) for player in [oco.OnlineGradientDescent(3)] for row in TABLE
    ],
    "updates of experts": lambda of: [
        player.update(of(row)) for player in [experts.Hedge(3)] for row in TABLE
    ],
    "gradients": lambda of: oco.OnlineGradientDescent(3).run(of(TABLE)).losses,
    "targets": lambda of: (
        oco.OnlineGradientDescent(3).run(of(TABLE), of(TABLE[:, 0]), "squared").losses
    ),
    "losses of experts": lambda of: experts.MLPoly(3).run(of(TABLE)).losses,
    "sleepers": lambda of: experts.AdaNormalHedge(3).run(of(TABLE), of(np.ceil(TABLE))).losses,
    "forecasts": lambda of: experts.Mixture().run(of(TABLE), of(TABLE[:, 0])).forecasts,
    "losses of arms": lambda of: bandits.Exp3(3, seed=1).run(of(TABLE)).losses,
    "advice": lambda of: (
        bandits.Exp4(3, 2, seed=1).run(of(TABLE), of(np.full((30, 2, 3), 1 / 3))).losses
    ),
    "contexts": lambda of: bandits.LinUCB(3, 2).run(of(TABLE[:, :2]), of(TABLE)).losses,
    "payoffs": lambda of: games.solve(of(TABLE)).value,
    "a batch": lambda of: LinearClassifier().fit(of(TABLE), of(SIGNS)).predict(of(TABLE)),
    "weights": lambda of: (
        LinearRegressor()
        .partial_fit(of(TABLE), of(TABLE[:, 0]), of(TABLE[:, 1]))
        .predict(of(TABLE))
    ),
    "a frame": lambda of: (
        LinearRegressor()
        .fit(pd.DataFrame({"a": of(TABLE[:, 0]), "b": of(TABLE[:, 1])}), of(TABLE[:, 2]))
        .intercept_
    ),
    "a sparse batch": lambda of: (
        LinearClassifier()
        .fit(shifted(TABLE) if of is unaligned else sparse.csr_array(TABLE), SIGNS)
        .loss_
    ),
    "rows": lambda of: [
        model.step(of(row), y)
        for model in [LinearRegressor()]
        for row, y in zip(TABLE, TABLE[:, 0].tolist())
    ],
}


@pytest.mark.parametrize("use", ANYWHERE.values(), ids=ANYWHERE)
def test_a_view_of_bytes_that_begins_anywhere(use):
    """Numbers where none of their type may lie are copied, not read."""
    np.testing.assert_array_equal(use(unaligned), use(np.array))
