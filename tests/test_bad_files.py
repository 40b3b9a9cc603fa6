"""Files that cannot be read: every bad line is named or counted, nothing is taken silently."""

import os

import pyarrow as pa
import pytest
from pyarrow import parquet
from reference.files import COMPRESSED, ROWS, as_vw, read

from regretless import streams

BAD = {
    "svm": {
        "spam 1:1": "expected a label",
        "1:1 2:1": "expected a blank after the label",
        "1,2 1:1": "expected a blank after the label",
        "nan 1:1": "expected a label",
        "1 1:inf": "expected a value",
        "1 1:nan": "expected a value",
        "1 1:x": "expected a value",
        "1 1: 2:1": "expected a value",
        "1 1:2:3": "expected a blank after the value",
        "1 1:2x 2:1": "expected a blank after the value",
        "1 1:1e999": "expected a value",
        "1 1:1e30": "the value of '1' is not a finite number of at most 1e19",
        "1 1:+-2": "expected a value",
        "1 1 2:1": "expected index:value",
        "1 a:1": "expected a feature index",
        "1 -1:1": "expected a feature index",
        "1 99999999999:1": "expected a feature index",
        "1 1.5:1": "expected index:value",
        "1 \0:1": "NUL byte",
        "1 1:1 \udcff": "not valid UTF-8",
    },
    "vw": {
        "1 a b c": "expected '\\|' before the features",
        "spam | a": "expected a label, not 'spam'",
        "1 x | a": "expected an importance weight, not 'x'",
        "1 1 1 | a": "a base score",
        "1 1 x | a": "expected a base score",
        "1 1 0 5 | a": "expected a tag",
        "1 -2 | a": "the importance weight is negative",
        "nan | a": "expected a label",
        "inf | a": "expected a label",
        "1 nan | a": "expected an importance weight",
        "| a": "expected a label before",
        "'tag | a": "expected a label before",
        "1 'tag x | a": "expected '\\|' after the tag",
        "1 | a:": "expected a number after 'a:'",
        "1 | a:x": "expected a number after 'a:'",
        "1 | a:1:2": "expected a number after 'a:'",
        "1 | a:1x": "expected a number after 'a:'",
        "1 | a:nan": "the value of 'a' is not a finite number",
        "1 | a:inf": "the value of 'a' is not a finite number",
        "1 | a:1e20": "the value of 'a' is not a finite number",
        "1 | 7:-1e20": "the value of '7' is not a finite number",
        "1 | :2": "expected a name before ':'",
        "1 |n: a": "expected a number after 'n:'",
        "1 |n:x a": "expected a number after 'n:'",
        "1 |n:1e300 a:1e300": "the value of 'n\\|a' is not a finite number",
        "1 | a\0b": "NUL byte",
        "1 | \udcc3(": "not valid UTF-8",
        "1 | \udced\udca0\udc80": "not valid UTF-8",
        "1 | \udcf5": "not valid UTF-8",
        "1 | \udce2\udc82": "not valid UTF-8",
    },
    "csv": {
        "1,2": "expected 3 fields, found 2",
        "1,2,3,4": "expected 3 fields, found 4",
        "1,x,3": "",
        "1,inf,3": "",
        ",2,3": "",
        '1,"2,3': "",
        '1,"2"x,3': "",
        "1,2,\0": "NUL byte",
        "1,2,\udcff": "not valid UTF-8",
        "1,1e25,3": "finite number",
    },
    "jsonl": {
        "": None,
        "{": "",
        "[]": "",
        "1": "",
        '{"y": 1, "a": [1]}': "array",
        '{"y": 1, "a": 01}': "",
        '{"y": 1, "a": 1e30}': "",
        '{"y": 1, "a": 1} x': "",
        '{"y": 1, "a": 1, "a": 2}': "",
        '{"y": {}, "a": 1}': "",
        '{"a": 1}': "",
        '{"y": 1, "a": "\\q"}': "",
        '{"y": 1, "a": "open}': "",
        "{'y': 1}": "",
        '{"y": 1, "a" 1}': "",
        '{"y": 1,}': "",
        '{"y": "a", "a": 1}': "",
        '{"y": 1, "a": ' + '{"b":' * 70 + "1" + "}" * 70 + "}": "",
        '{"y": 1, "a": "\udcff"}': "not valid UTF-8",
    },
}
GOOD = {
    "svm": ("1 1:1\n\n# comment\n-1 2:1\n", "1 3:1\n"),
    "vw": ("1 | 1\n\n\n-1 | 2\n", "1 | 3\n"),
    "csv": ("y,a,b\n1,2,3\n\n-1,4,5\n", "1,2,3\n"),
    "jsonl": ('{"y": 1, "a": 2}\n\n\n{"y": -1, "a": 3}\n', '{"y": 1, "a": 2}\n'),
}
LINES = [
    (k, line, says) for k, all_ in BAD.items() for line, says in all_.items() if says is not None
]


@pytest.mark.parametrize(
    ("kind", "line", "says"), LINES, ids=[f"{k} {n!r:.40}" for k, n, _ in LINES]
)
def test_lines_that_cannot_be_read(kind, line, says, tmp_path):
    """The error gives file, line number and what is wrong; or the line is left out and counted."""
    before, after = GOOD[kind]
    path = tmp_path / f"bad.{kind}"
    unclosed = kind == "csv" and line.count('"') == 1  # takes all that follows
    text = before + line + "\n" + ("" if unclosed else after)
    path.write_bytes(text.encode("utf-8", "surrogateescape"))
    options = {"label": "y"} if kind in ("csv", "jsonl") else {}
    if kind == "csv":
        options["numeric"] = ["a"]
    for piece in (1, 4, None):
        given = []
        with pytest.raises(ValueError, match=f"(?s)bad.{kind}, line 5: .*{says}"):  # noqa: PT012
            for got in read(path, piece, **options).pieces():
                given += got.y.tolist()
        assert given == [1.0, -1.0]
        pieces = list(read(path, piece, skip_bad=True, **options).pieces())
        assert sum(len(p) for p in pieces) == 2 + (not unclosed)
        assert unclosed or pieces[-1].place.skipped == 1
    assert len(LINES) >= 60


@pytest.mark.parametrize("kind", GOOD)
def test_a_line_that_is_too_long(kind, tmp_path):
    """Memory is bounded: it is an error, or left out."""
    before, after = GOOD[kind]
    path = tmp_path / f"long.{kind}"
    path.write_text(before + "9" * (50 << 20) + "\n" + after)
    options = {"label": "y"} if kind in ("csv", "jsonl") else {}
    with pytest.raises(ValueError, match="line 5: the line is longer than 16 MB"):
        list(read(path, **options).pieces())
    assert sum(len(p) for p in read(path, skip_bad=True, **options).pieces()) == 3


def test_files_that_cannot_be_read(tmp_path, monkeypatch):
    """Missing files, folders, no permission, unknown suffixes, mixed formats: each is named."""
    with pytest.raises(FileNotFoundError, match="missing"):
        streams.read(tmp_path / "missing.svm")
    with pytest.raises(FileNotFoundError, match="a pattern"):
        streams.read(tmp_path / "*.vw")
    with pytest.raises(ValueError, match="tells no format; give format="):
        streams.read(__file__)
    with pytest.raises(ValueError, match="format='vv' is not one of 'vw', 'svmlight'"):
        streams.read(__file__, format="vv")
    for name in ("a.vw", "a.svm"):
        (tmp_path / name).write_text("1 1:1\n")
    with pytest.raises(ValueError, match="several formats, svmlight, vw"):
        streams.read(tmp_path / "a.*")
    with pytest.raises(ValueError, match="is a directory; give its files"):
        list(streams.read(tmp_path, format="vw"))
    with pytest.raises(ValueError, match="only VW text has namespaces"):
        streams.read(tmp_path / "a.svm", interactions=["ab"])

    def refuse(*_, **__):
        raise PermissionError

    monkeypatch.setattr("builtins.open", refuse)
    with pytest.raises(ValueError, match=r"a.svm: no permission"):
        list(streams.read(tmp_path / "a.svm"))


@pytest.mark.parametrize("suffix", [".gz", ".bz2", ".zst"])
def test_damaged_archives(suffix, tmp_path):
    """What is cut off or no archive at all is an error that names the file."""
    path = tmp_path / f"a.vw{suffix}"
    whole = COMPRESSED[suffix](as_vw(ROWS * 20).encode())
    middle = len(whole) // 2
    torn = whole[:middle] + b"\0" * 9 + whole[middle + 9 :]
    for content in (whole[:middle], whole[:-5], b"1 | a\n", torn):
        path.write_bytes(content)
        with pytest.raises(ValueError, match=r"a.vw"):
            list(read(path).pieces())


def test_a_file_that_shrinks(tmp_path):
    """Is an error: what had been there cannot be learned any more."""
    path = tmp_path / "a.vw"
    path.write_text(as_vw(ROWS))
    pieces = read(path, 4096).pieces()
    next(pieces)
    os.truncate(path, 5000)
    with pytest.raises(ValueError, match=r"after line .*shorter while it was read"):
        list(pieces)


def test_empty_files(tmp_path):
    """Have no examples; a CSV file has at least a header."""
    for name in ("a.vw", "a.svm", "a.jsonl", "a.csv"):
        (tmp_path / name).write_text("")
        if name == "a.csv":
            with pytest.raises(ValueError, match=r"a.csv.*the file is empty"):
                list(streams.read(tmp_path / name, label="y"))
        else:
            assert list(streams.read(tmp_path / name, label="y")) == []


def test_tables_that_do_not_fit(tmp_path):
    """Columns that are not there, labels that are missing, types that are no features."""
    path = tmp_path / "a.parquet"
    parquet.write_table(pa.table({"a": [1.0, 2.0], "y": [1, None]}), path)
    with pytest.raises(ValueError, match=r"a.parquet: there is no column 'z'; there are a, y"):
        list(streams.read(path, label="z"))
    with pytest.raises(ValueError, match="label= is needed"):
        list(streams.read(path))
    with pytest.raises(ValueError, match="row 1 has no label in the column 'y'"):
        list(streams.read(path, label="y"))
    parquet.write_table(pa.table({"a": [[1.0], [2.0]], "y": [1, 2]}), path)
    with pytest.raises(ValueError, match="column 'a' is of type list"):
        list(streams.read(path, label="y"))
    path.write_bytes(b"nothing")
    with pytest.raises(ValueError, match=r"a.parquet"):
        list(streams.read(path, label="y"))
    with pytest.raises(ValueError, match="source is a int"):
        streams.read(3)
    with pytest.raises(ValueError, match="example 1 of the stream"):
        list(streams.read([({"a": 1}, 1), ({"a": [1]}, 1)]).pieces())
