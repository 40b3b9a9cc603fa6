"""Streams: every format, plain and compressed, and the bundled data sets."""

import json
import threading
import time
from collections import Counter

import numpy as np
import polars as pl
import pyarrow as pa
import pytest
from pyarrow import feather, parquet
from reference.files import COMPRESSED, ROWS, as_csv, as_jsonl, as_table, as_vw, named, read
from scipy.sparse import csr_array

from regretless import streams
from regretless.errors import ColumnsWarning
from regretless.linear import LinearClassifier
from regretless.streams import bundled
from regretless.streams.cache import Cache
from regretless.streams.reading import TextStream
from regretless.streams.stream import ahead

# --- one format after the other ------------------------------------------------------------------

PLAIN = "+1 1:0.5 3:2\n-1 2:1\n1 1:-3.25\n"
SVMLIGHT = {
    "plain": PLAIN,
    "no newline at the end": PLAIN.rstrip(),
    "byte-order mark": "\ufeff" + PLAIN,
    "CRLF": PLAIN.replace("\n", "\r\n"),
    "tabs and blanks": PLAIN.replace(" ", " \t "),
    "blanks around": "".join(f"  {line} \n" for line in PLAIN.splitlines()),
    "blank lines": "\n\n" + PLAIN.replace("\n", "\n \t\n"),
    "comments": "# a file\n" + PLAIN.replace("\n", "  # 5:6 text\n") + "#end",
    "comments close by": PLAIN.replace("\n", "#5:6\n"),
    "query numbers": PLAIN.replace("1 ", "1 qid:7 "),
    "exponents": "1e0 1:5e-1 3:0.2E+1\n-1.0 2:+1\n+1.0 1:-325e-2\n",
    "points": "1. 1:.5 3:2.\n-1 2:1.000\n1 1:-3.25\n",
    "many digits": "1 1:0.5000000000000000000000 3:2\n-1 2:1\n1 1:-3.25\n",
    "leading zeros": "01 1:00.5 03:2\n-1 2:0001\n1 1:-3.25\n",
    "zeros": "1 1:0.5 2:0 3:2\n-1 2:1\n1 1:-3.25 3:-0\n",
}
VW = {
    "plain": "1 | 1:0.5 3:2\n-1 | 2\n1 | 1:-3.25\n",
    "no newline at the end": "1 | 1:0.5 3:2\n-1 | 2\n1 | 1:-3.25",
    "byte-order mark": "\ufeff1 | 1:0.5 3:2\n-1 | 2\n1 | 1:-3.25\n",
    "CRLF": "1 | 1:0.5 3:2\r\n-1 | 2\r\n1 | 1:-3.25\r\n",
    "blanks": " 1 \t|  1:0.5\t3:2  \n\n-1 |2:4 | 2\n  \n1 | 1:-3.25\t\n".replace("|2:4 ", ""),
    "no blank": "1|  1:0.5 3:2\n-1|  2\n1|  1:-3.25\n".replace("|", " |"),
    "zeros": "1 | 1:0.5 2:0 3:2\n-1 | 2\n1 | 1:-3.25 3:-0\n",
    "several bars": "1 | 1:0.5 | 3:2\n-1 | 2 |\n1 || 1:-3.25\n",
    "scales": "1 |:0.5 1 3:4\n-1 |:2 2:0.5\n1 |:-1 1:3.25\n",
    "numbers in many forms": "1e0 | 1:5e-1 3:+2.\n-1.0 | 2:1.000\n+1 | 1:-325E-2\n",
}
TWO = {"svm": SVMLIGHT, "vw": VW}


@pytest.mark.parametrize("suffix", COMPRESSED)
@pytest.mark.parametrize(
    ("kind", "text"),
    [pytest.param(k, t, id=f"{k}, {n}") for k, all_ in TWO.items() for n, t in all_.items()],
)
def test_every_shape_of_file(kind, text, suffix, tmp_path):
    """However it is written, compressed or not, and in pieces of any size."""
    path = tmp_path / f"data.{kind}{suffix}"
    path.write_bytes(COMPRESSED[suffix](text.encode()))
    for piece in (1, 2, 3, 5, 8, 13, None):
        rows = list(read(path, piece))
        assert rows == [({1: 0.5, 3: 2.0}, 1.0), ({2: 1.0}, -1.0), ({1: -3.25}, 1.0)]


def test_numbers_are_what_python_reads(tmp_path):
    """Of every length and notation: the float nearest to the double nearest to the text."""
    random = np.random.default_rng(3)
    texts = []
    for _ in range(2000):
        digits = "".join(random.choice(list("0123456789"), size=random.integers(1, 22)))
        point = random.integers(0, len(digits) + 1)
        texts.append(
            random.choice(["", "-", "+"])
            + random.choice([digits, digits[:point] + "." + digits[point:]])
            + random.choice(["", "", "", f"e{random.integers(-15, 5)}", "E-3"])
        )
    texts = [t for t in texts if abs(float(t)) < 1e18]
    wanted = [np.float32(float(t)) for t in texts]
    path = tmp_path / "numbers.vw"
    path.write_text("".join(f"1 | {k}:{t} \n" for k, t in enumerate(texts)))
    for x, value in zip(read(path), wanted, strict=True):
        assert list(x[0].values()) == ([value] if value else [])
    # in one long line, where several are read at once, and between others of every length
    path.write_text("1 |" + "".join(f" {k}:{t}" for k, t in enumerate(texts)) + "\n")
    ((x, _),) = read(path)
    assert x == {k: v for k, v in enumerate(wanted) if v}
    short = [
        f"{random.integers(0, 10**w)}:{v:.{d}f}"
        for w in range(1, 8)
        for d in range(7)
        for v in random.normal(size=20) * 10.0 ** random.integers(0, 5)
    ]
    path.write_text("".join(f"1 | {' '.join(short[k:])} end\n" for k in range(0, len(short), 37)))
    for k, (x, _) in enumerate(read(path)):
        sums = Counter()  # what repeats is added up
        for text in short[37 * k :]:
            name, value = text.split(":")
            sums[int(name)] += float(np.float32(float(value)))
        assert x == {n: np.float32(v) for n, v in sums.items() if v} | {"end": 1.0}


def test_numbers_beyond_doubles(tmp_path):
    """Too small is 0, which is absent; too large is refused. Zeros before or after do not mislead."""
    many = "0" * 400
    (tmp_path / "a.vw").write_text(
        f"1 | a:1e-400 b:0.{many}1e5 c:0.{many}1 d:{many}1e-999999999999 e\n"
    )
    assert [x for x, _ in read(tmp_path / "a.vw")] == [{"e": 1.0}]
    for large in ("1e400", f"1{many}e-5", f"1{many}", "1e99999999999999999999", f"0.{many}1e900"):
        (tmp_path / "a.vw").write_text(f"1 | a:{large}\n")
        with pytest.raises(ValueError, match="line 1: the value of 'a' is not a finite number"):
            list(read(tmp_path / "a.vw"))


GRAMMAR = {
    "1 2 'tag |a x y:2 |b:0.5 z:4 x": (
        {"a|x": 1.0, "a|y": 2.0, "b|z": 2.0, "b|x": 0.5},
        1,
        2,
        "tag",
    ),
    "0.5 1 PFF/2009|T PFF |f t1:-0.02": (
        {"T|PFF": 1.0, "f|t1": np.float32(-0.02)},
        0.5,
        1,
        "PFF/2009",
    ),
    "-1 tag| x": ({"x": 1.0}, -1, 1, "tag"),
    "3 'a_b |f 13:2 013 x=y": ({"f|13": 2.0, "f|013": 1.0, "f|x=y": 1.0}, 3, 1, "a_b"),
    "1 | 0 00 1e3 -1": ({0: 1.0, "00": 1.0, "1e3": 1.0, "-1": 1.0}, 1, 1, ""),
    "1 | Ünï:2 日本": ({"Ünï": 2.0, "日本": 1.0}, 1, 1, ""),
}


@pytest.mark.parametrize("line", GRAMMAR)
def test_vw_text(line, tmp_path):
    """Labels, importance, tags, namespaces, scales."""
    path = tmp_path / "a.vw"
    path.write_text(line + "\n")
    x, label, weight, tag = GRAMMAR[line]
    (piece,) = read(path).pieces()
    assert piece.X.row(0) == x
    assert piece.y.tolist() == [label]
    assert (piece.w is None and weight == 1) or piece.w.tolist() == [weight]
    assert (piece.tags or [""]) == [tag]


CROSSED = {
    ("ab",): {"a|x * b|u": 10.0, "a|x * b|v": 2.0, "a|y * b|u": 15.0, "a|y * b|v": 3.0},
    ("aa",): {"a|x * a|x": 4.0, "a|x * a|y": 6.0, "a|y * a|y": 9.0},
    (("b", "c"),): {"b|u * c|z": 35.0, "b|v * c|z": 7.0},
    ("acc",): {"a|x * c|z * c|z": 98.0, "a|y * c|z * c|z": 147.0},
    ("xy",): {},
    ("ac", "bc"): {"a|x * c|z": 14.0, "a|y * c|z": 21.0, "b|u * c|z": 35.0, "b|v * c|z": 7.0},
    ("c:",): {
        "c|z * a|x": 14.0,
        "c|z * a|y": 21.0,
        "c|z * b|u": 35.0,
        "c|z * b|v": 7.0,
        "c|z * c|z": 49.0,
    },
}


@pytest.mark.parametrize("interactions", CROSSED)
def test_interactions(interactions, tmp_path):
    """A feature for every choice, named after its parts, whose value is the product."""
    path = tmp_path / "a.vw"
    path.write_text("1 |a x:2 y:3 |b u:5 v |c z:7\n")
    ((x, _),) = read(path, interactions=interactions)
    plain = {"a|x": 2.0, "a|y": 3.0, "b|u": 5.0, "b|v": 1.0, "c|z": 7.0}
    assert x == plain | CROSSED[interactions]


# --- the same examples in every form -------------------------------------------------------------


def forms(folder):
    """The stream in every form, with the options to read it."""
    options = {"label": "y", "weight": "w"}
    for suffix, squeeze in COMPRESSED.items():
        for kind, text in (
            ("csv", as_csv(ROWS)),
            ("tsv", as_csv(ROWS, "\t")),
            ("jsonl", as_jsonl(ROWS)),
        ):
            path = folder / f"data.{kind}{suffix}"
            path.write_bytes(squeeze(text.encode()))
            yield f"{kind}{suffix}", path, options
    table = as_table(ROWS)
    parquet.write_table(table, folder / "data.parquet", row_group_size=100)
    feather.write_feather(table, folder / "data.feather")
    with (
        pa.OSFile(str(folder / "data.arrow"), "wb") as sink,
        pa.ipc.new_stream(sink, table.schema) as w,
    ):
        w.write_table(table, 64)
    for kind in ("parquet", "feather", "arrow"):
        yield kind, folder / f"data.{kind}", options
    for k in range(3):
        (folder / f"part{k}.csv").write_text(as_csv(ROWS[k * 250 : (k + 1) * 250]))
    yield "glob", folder / "part*.csv", options
    yield "table", table, options
    yield "pandas", table.to_pandas(), options
    yield "polars", pl.from_arrow(table), options
    yield "pairs", [(named(x), y, w) for x, y, w in ROWS], {}


LEARNERS = {
    "exact": {},
    "hashed": {"features": "hashed", "bits": 10},
    "hashed with names": {"features": "hashed", "bits": 10, "names": 5},
}


def trained(stream, options, threads=False):
    """A learner and its bytes."""
    model = LinearClassifier(**options)
    pieces = stream.pieces(model.form())
    for piece in ahead(pieces) if threads else pieces:
        model.learn_many(piece.X, piece.y, piece.w)
    return model


def state(model):
    """Everything a learner holds but the names of features."""
    arrays = model._model.state()
    return [arrays["bank"].tobytes(), arrays["scalars"].tobytes()]


@pytest.mark.parametrize("options", LEARNERS.values(), ids=LEARNERS)
def test_the_same_data_in_each_format_gives_the_same_model(options, tmp_path):
    """Bit for bit, with one thread and with two, and as when learned one by one."""
    by_hand = LinearClassifier(**options)
    for x, y, w in ROWS:
        by_hand.learn_one(named(x), y, w)
    seen = set()
    for name, source, how in forms(tmp_path):
        for threads in (False, True):
            model = trained(streams.read(source, **how), options, threads)
            assert state(model) == state(by_hand), name
        seen.add(name)
    assert len(seen) == 20


@pytest.mark.parametrize("options", LEARNERS.values(), ids=LEARNERS)
def test_sparse_forms_give_the_same_model(options, tmp_path):
    """VW text, svmlight, CSR, dense arrays and rows."""
    random = np.random.default_rng(5)
    X = np.float32(random.normal(size=(300, 8)).round(3)) * (random.random((300, 8)) < 0.5)
    X, y = X.astype(float), random.choice([-1.0, 1.0], 300)
    rows = [{j: v for j, v in enumerate(x) if v} for x in X.tolist()]
    pairs = list(zip(rows, y.tolist()))
    (tmp_path / "a.vw").write_text(
        as_vw([({str(j): v for j, v in x.items()}, t, 1) for x, t in pairs])
    )
    (tmp_path / "a.svm").write_text(
        "".join(f"{t:g}{''.join(f' {j}:{v!r}' for j, v in x.items())}\n" for x, t in pairs)
    )
    sources = {
        "vw": tmp_path / "a.vw",
        "svmlight": tmp_path / "a.svm",
        "CSR": (csr_array(X), y),
        "dense": (X, y),
        "vectors": list(zip(X, y.tolist())),
        "rows": pairs,
    }
    states = {name: state(trained(streams.read(s), options)) for name, s in sources.items()}
    assert all(s == states["rows"] for s in states.values()), states.keys()


def test_text_labels(tmp_path):
    """In CSV and JSON labels may be words."""
    (tmp_path / "a.csv").write_text("kind,x\nspam,1\nham,2\nspam,3\n")
    (tmp_path / "a.jsonl").write_text('{"kind": "spam", "x": 1}\n{"x": 2, "kind": "ham"}\n')
    for name in ("a.csv", "a.jsonl"):
        pairs = list(streams.read(tmp_path / name, label="kind"))
        assert pairs[:2] == [({"x": 1.0}, "spam"), ({"x": 2.0}, "ham")]


def test_names_are_remembered_up_to_a_limit(tmp_path):
    """A hashed learner shows the names it met first, keeps them on disk, and numbers for the rest."""
    path = tmp_path / "a.vw"
    path.write_text("1 |a x y |b z\n-1 |a u 5\n")
    model = trained(read(path), {"features": "hashed", "bits": 18, "names": 3})
    names = set(model.weights_)
    assert {"a|x", "a|y", "b|z"} < names
    assert len(names) == 5
    assert all(isinstance(n, int) for n in names - {"a|x", "a|y", "b|z"})
    model.save(tmp_path / "m")
    again = LinearClassifier.load(tmp_path / "m")
    assert again.weights_ == model.weights_


# --- places and caches ---------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["a.vw", "a.vw.gz", "a.csv", "a.jsonl", "a.parquet", "pairs"])
def test_a_stream_goes_on_at_any_place(name, tmp_path):
    """What is read from the place of a piece on is what had not been read before."""
    text = {"a.vw": as_vw, "a.csv": as_csv, "a.jsonl": as_jsonl}
    options = {} if ".vw" in name or name == "pairs" else {"label": "y", "weight": "w"}
    if name == "a.parquet":
        parquet.write_table(as_table(ROWS), tmp_path / name)
    elif name != "pairs":
        data = text[name.removesuffix(".gz")](ROWS).encode()
        (tmp_path / name).write_bytes(COMPRESSED[".gz" if ".gz" in name else ""](data))
    source = [(x, y) for x, y, _ in ROWS] if name == "pairs" else tmp_path / name
    stream = streams.read(source, **options)
    if isinstance(stream, TextStream):
        stream._piece = 5000
    pieces = list(stream.pieces())
    whole = [(p.X.row(t), y) for p in pieces for t, y in enumerate(p.y.tolist())]
    done = 0
    for piece in pieces:
        done += len(piece)
        fresh = streams.read(source, **options)
        rest = [
            (p.X.row(t), y)
            for p in fresh.pieces(start=piece.place)
            for t, y in enumerate(p.y.tolist())
        ]
        assert rest == whole[done:]


def test_rows_of_many_numbers(tmp_path):
    """Zeros in them are absent, and columns that the model has never met change no prediction."""
    random = np.random.default_rng(0)
    X = random.integers(-2, 3, (60, 6)) / 4
    y = random.integers(0, 2, 60)
    (tmp_path / "a.csv").write_text(
        "a,b,c,d,e,f,y\n" + "".join(f"{','.join(map(str, x))},{t}\n" for x, t in zip(X, y))
    )
    rows = [({n: float(v) for n, v in zip("abcdef", x)}, float(t)) for x, t in zip(X, y)]
    model, twin = LinearClassifier(rule="ftrl"), LinearClassifier(rule="ftrl")
    for piece in streams.read(tmp_path / "a.csv", label="y").pieces(model.form()):
        assert all(
            piece.X.row(t) == {k: v for k, v in x.items() if v} for t, (x, _) in enumerate(rows)
        )
        model.learn_many(piece.X, piece.y)
    for row in rows:
        twin.learn_one(*row)
    assert state(model) == state(twin)
    (tmp_path / "b.csv").write_text(
        "a,b,new,c,d,e,f\n" + "".join(",".join(map(str, [*x[:2], 3.5, *x[2:]])) + "\n" for x in X)
    )
    (piece,) = streams.read(tmp_path / "b.csv").pieces(model.form(), labelled=False)
    with pytest.warns(ColumnsWarning, match="does not know the column new$"):
        scores = model.decision_function(piece.X)
    np.testing.assert_array_equal(scores, [twin.decision_one(x) for x, _ in rows])


def test_examples_that_follow_each_other_share_names_or_do_not(tmp_path):
    """Without an intercept an example without features has its names where those of the next begin."""
    rows = [{}, {"a": 1, "b": 2, "c": 3}, {}, {}, {"c": 1}, {"a": 2, "b": 1, "c": 1}]
    rows += [{"a": 1, "b": 5, "c": 7}, {"a": 3, "c": 7}, {"a": 1, "b": 2, "d": 3}, {"b": 1}] * 2
    labels = [1 if t % 3 else -1 for t in range(len(rows))]
    path = tmp_path / "rows.csv"
    lines = [",".join(str(row.get(name, "")) for name in "abcd") for row in rows]
    path.write_text("a,b,c,d,y\n" + "".join(f"{x},{y}\n" for x, y in zip(lines, labels)))
    one_by_one, in_pieces = (LinearClassifier(intercept=False) for _ in range(2))
    for row, label in zip(rows, labels):
        one_by_one.learn_one(row, label)
    for piece in streams.read(path, label="y").pieces(in_pieces.form()):
        assert [piece.X.row(t) for t in range(len(piece))] == rows
        in_pieces.learn_many(piece.X, piece.y)
    assert in_pieces.weights_ == one_by_one.weights_


def test_a_stream_that_goes_on_knows_what_labels_are(tmp_path):
    """The kind that they had before the stop: a text among numbers stays a bad line."""
    path = tmp_path / "a.jsonl"
    labels = [1, 0] * 40 + ["late"] * 3 + [1] * 20
    path.write_text("".join(json.dumps({"y": y, "x": 1.0}) + "\n" for y in labels))
    stream = streams.read(path, label="y", skip_bad=True)
    stream._piece = 25  # a line or two
    pieces = list(stream.pieces())
    whole = [y for p in pieces for y in p.y.tolist()]
    assert whole == [y for y in labels if y != "late"]
    done = 0
    for piece in pieces[:-1]:
        done += len(piece)
        fresh = streams.read(path, label="y", skip_bad=True)
        rest = list(fresh.pieces(start=piece.place))
        assert [y for p in rest for y in p.y.tolist()] == whole[done:]
        assert rest[-1].place.skipped == 3


@pytest.mark.parametrize("options", LEARNERS.values(), ids=LEARNERS)
def test_a_pass_from_the_cache_is_a_pass(options, tmp_path):
    """Bit for bit, and from any place in it."""
    path = tmp_path / "a.vw"
    path.write_text(as_vw(ROWS))
    model, twin = (LinearClassifier(**options) for _ in range(2))
    cache = Cache(tmp_path / "a.cache")
    for piece in read(path, 3000).pieces(model.form()):
        model.learn_many(piece.X, piece.y, piece.w)
        cache.add(model, piece)
        twin.learn_many(piece.X, piece.y, piece.w)
    cache.finish()
    pieces = list(cache.stream().pieces())
    for piece in pieces:
        model.learn_many(piece.X, piece.y, piece.w)
    for piece in read(path).pieces(twin.form()):
        twin.learn_many(piece.X, piece.y, piece.w)
    assert state(model) == state(twin)
    rest = list(cache.stream().pieces(start=pieces[1].place))
    assert [len(p) for p in rest] == [len(p) for p in pieces[2:]]
    with pytest.raises(ValueError, match="the cache is damaged"):
        LinearClassifier().learn_many(pieces[0].X, pieces[0].y)
    cache.discard()
    assert not (tmp_path / "a.cache").exists()


# --- threads -------------------------------------------------------------------------------------


def test_errors_of_the_other_thread_arrive_in_their_place():
    """After the items before them."""

    def items():
        yield from range(10)
        raise ValueError("no more")

    got = []
    with pytest.raises(ValueError, match="no more"):  # noqa: PT012
        for item in ahead(items()):
            got.append(item)
    assert got == list(range(10))


def test_who_stops_early_stops_the_other_thread():
    """The buffer is bounded, and nothing is left running."""
    made = []

    def items():
        for k in range(10**9):
            made.append(k)
            yield k

    before = threading.active_count()
    stream = ahead(items(), depth=3)
    assert [next(stream), next(stream)] == [0, 1]
    time.sleep(0.05)
    assert len(made) <= 2 + 3 + 2
    stream.close()
    assert threading.active_count() == before


# --- bundled data --------------------------------------------------------------------------------

SETS = {
    "phishing": (1250, 9, bool, {True, False}),
    "breast_cancer": (569, 30, str, {"malignant", "benign"}),
    "digits": (1797, 64, int, set(range(10))),
    "diabetes": (442, 10, float, None),
}


@pytest.mark.parametrize(("name", "what"), SETS.items(), ids=SETS)
def test_bundled(name, what):
    """As many examples as stated, of the stated types, the same each time."""
    size, width, kind, labels = what
    data = list(bundled(name))
    assert len(data) == size
    assert {len(x) for x, _ in data} == {width}
    assert {type(y) for _, y in data} == {kind}
    assert labels is None or {y for _, y in data} == labels
    assert all(type(v) is float and np.isfinite(v) for x, _ in data for v in x.values())
    assert data == list(bundled(name))


def test_bundled_numbers_are_those_of_scikit_learn():
    """Where a set comes from there, its targets and columns are the same."""
    datasets = pytest.importorskip("sklearn.datasets")
    images = datasets.load_digits()
    data = list(bundled("digits"))
    assert [y for _, y in data] == images.target.tolist()
    assert np.array_equal([list(x.values()) for x, _ in data], images.data)
    cells = datasets.load_breast_cancer()
    names = cells.target_names[cells.target].tolist()
    assert sorted(names) == sorted(y for _, y in bundled("breast_cancer"))


def test_bundled_names():
    """An unknown name is refused, with those that are known."""
    with pytest.raises(ValueError, match=r"name='mnist' is not one of 'breast_cancer', 'diabetes'"):
        next(bundled("mnist"))
