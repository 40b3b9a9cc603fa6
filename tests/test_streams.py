"""Streams: svmlight files in every shape, and the bundled data sets."""

import gzip
import re

import numpy as np
import pytest
from scipy.sparse import vstack

from regretless.linear import LinearClassifier, LinearRegressor
from regretless.streams import bundled, svmlight


def read(path, **options):
    """The whole file: labels and a dense matrix."""
    pieces = list(svmlight(path, **options))
    if not pieces:
        return [], []
    width = max(X.shape[1] for X, _ in pieces)
    for X, _ in pieces:
        X.resize(X.shape[0], width)
    return np.concatenate([y for _, y in pieces]).tolist(), vstack([X for X, _ in pieces]).toarray()


PLAIN = "+1 1:0.5 3:2\n-1 2:1\n1 1:-3.25\n"
ALIKE = {
    "plain": PLAIN,
    "no newline at the end": PLAIN.rstrip(),
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
    "unsorted": "1 3:2 1:0.5\n-1 2:1\n1 1:-3.25\n",
    "zeros": "1 1:0.5 2:0 3:2\n-1 2:1\n1 1:-3.25 3:-0\n",
}


@pytest.mark.parametrize("text", ALIKE.values(), ids=ALIKE)
@pytest.mark.parametrize("zipped", [False, True], ids=["", "gz"])
def test_every_shape_of_file(text, zipped, tmp_path):
    """However it is written, and in pieces of any size."""
    path = tmp_path / ("data.svm.gz" if zipped else "data.svm")
    path.write_bytes(gzip.compress(text.encode()) if zipped else text.encode())
    for piece in (1, 2, 3, 5, 8, 13, 1 << 20):
        y, X = read(path, piece=piece)
        assert y == [1.0, -1.0, 1.0]
        assert X.tolist() == [[0, 0.5, 0, 2], [0, 0, 1, 0], [0, -3.25, 0, 0]]
    assert read(str(path))[0] == y


def random_file(rng, lines, scale=30):
    """Numbers of every length and kind of notation, up to 10 to the power of `scale`."""
    text = []
    for _ in range(lines):
        columns = np.sort(rng.choice(40, rng.integers(0, 12), replace=False)) + 1
        values = rng.normal(size=columns.size) * 10.0 ** rng.integers(-scale, scale, columns.size)
        styles = rng.choice(["{}:{!r}", "{}:{:.3f}", "{}:{:g}", "{}:{:.17e}"], columns.size)
        pairs = [s.format(c, float(v)) for s, c, v in zip(styles, columns, values)]
        text.append(" ".join([str(rng.choice([-1, 1, 0.25, 1e-7])), *pairs]))
    return "\n".join(text) + "\n"


@pytest.mark.parametrize("seed", range(5))
def test_agrees_with_scikit_learn(seed, tmp_path):
    """On random files, to the last bit, whatever the size of the pieces."""
    datasets = pytest.importorskip("sklearn.datasets")
    rng = np.random.default_rng(seed)
    path = tmp_path / "data.svm"
    path.write_text(random_file(rng, 60))
    theirs, labels = datasets.load_svmlight_file(str(path), zero_based=True, n_features=41)
    for piece in (1, 7, 100, *rng.integers(1, 3000, 3).tolist(), 1 << 20):
        y, X = read(path, piece=piece)
        assert y == labels.tolist()
        expected = theirs.toarray()
        assert X.tolist() == expected[:, : X.shape[1]].tolist()
        assert not expected[:, X.shape[1] :].any()


@pytest.mark.parametrize("text", ["", "\n\n", "# nothing\n", "  "], ids=repr)
def test_files_without_examples(text, tmp_path):
    """They give no batch."""
    path = tmp_path / "empty.svm"
    path.write_text(text)
    assert list(svmlight(path)) == []


def test_lines_without_features(tmp_path):
    """A label alone is an example."""
    path = tmp_path / "labels.svm"
    path.write_text("1\n-1 # none\n")
    ((X, y),) = svmlight(path)
    assert (X.shape, y.tolist()) == ((2, 0), [1.0, -1.0])
    model = LinearClassifier()
    model.learn_many(X, y)
    assert model.examples_ == 2


def test_a_file_is_learned_as_its_rows_are(tmp_path):
    """Batches go into a learner as they come; their widths may differ."""
    rng = np.random.default_rng(0)
    path = tmp_path / "data.svm"
    path.write_text(random_file(rng, 40, scale=3))
    whole, pieces = LinearClassifier(), LinearClassifier()
    for X, y in svmlight(path):
        for t in range(y.size):
            whole.learn_one(X[[t]], y[t])
    for X, y in svmlight(path, piece=100):
        pieces.learn_many(X, y)
    assert pieces.weights_ == whole.weights_
    assert pieces.loss_ == whole.loss_


BAD = {
    "label": ("spam 1:1", "a label", "spam 1:1"),
    "no label": ("1:1 2:1", "a feature index", ":1 2:1"),
    "several labels": ("1,2 1:1", "", ",2 1:1"),
    "NaN label": ("nan 1:1", "a label", "nan"),
    "infinite value": ("1 1:inf", "a value", "inf"),
    "value": ("1 1:x", "a value", "x"),
    "no value": ("1 1: 2:1", "a value", " 2:1"),
    "two values": ("1 1:2:3", "", ":3"),
    "rest of a value": ("1 1:2x 2:1", "", "x 2:1"),
    "value too large": ("1 1:1e999", "a value", "1e999"),
    "two signs": ("1 1:+-2", "a value", "+-2"),
    "no colon": ("1 1 2:1", "index:value", " 2:1"),
    "name": ("1 a:1", "a feature index from 0 to", "a:1"),
    "negative index": ("1 -1:1", "a feature index from 0 to", "-1:1"),
    "index too large": ("1 99999999999:1", "a feature index from 0 to", "99999999999:1"),
    "fractional index": ("1 1.5:1", "index:value", ".5:1"),
    "NUL": ("1 \0:1", "a feature index", ""),
}


@pytest.mark.parametrize(("line", "expected", "at"), BAD.values(), ids=BAD)
@pytest.mark.parametrize("piece", [1, 4, 1 << 20])
def test_lines_that_cannot_be_read(line, expected, at, piece, tmp_path):
    """The error gives file, line number, what was expected, and what was there."""
    path = tmp_path / "bad.svm"
    path.write_text(f"1 1:1\n\n# comment\n-1 2:1\n{line}\n1 1:1\n")
    with pytest.raises(ValueError, match=f"(?s)bad.svm, line 5: expected .*{expected}.* at '") as e:
        list(svmlight(path, piece=piece))
    assert at in str(e.value)


def test_a_bad_line_comes_after_what_is_good(tmp_path):
    """The examples of the pieces before have been given."""
    path = tmp_path / "bad.svm"
    path.write_text("1 1:1\n" * 100 + "oops\n")
    given = 0
    with pytest.raises(ValueError, match="line 101: expected a label at 'oops'"):  # noqa: PT012
        for _, y in svmlight(path, piece=64):
            given += y.size
    assert given >= 90


def test_the_last_index(tmp_path):
    """What the reader takes the learner takes."""
    path = tmp_path / "wide.svm"
    path.write_text("1 2147483646:1\n")
    ((X, y),) = svmlight(path)
    model = LinearRegressor(intercept=False)
    model.learn_many(X, y)
    assert list(model.weights_) == [2147483646]


def test_files_that_cannot_be_read(tmp_path):
    """Missing files, sizes that are none, and broken archives are named."""
    with pytest.raises(FileNotFoundError, match="missing"):
        next(svmlight(tmp_path / "missing.svm"))
    for piece in (0, -1):
        with pytest.raises(ValueError, match=f"piece={piece} must be at least 1"):
            next(svmlight(tmp_path / "missing.svm", piece=piece))
    path = tmp_path / "broken.svm.gz"
    whole = gzip.compress(random_file(np.random.default_rng(0), 50).encode())
    for content in (whole[:-20], b"1 1:1\n", whole[:50] + b"\0" * 50 + whole[100:]):
        path.write_bytes(content)
        with pytest.raises((ValueError, OSError), match=re.escape(str(path))):
            list(svmlight(path))


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
