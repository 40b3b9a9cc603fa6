"""The options that say how files are read: what they leave out, and where they have no use."""

import io

import command_line
import pytest
from command_line import run, same_weights

from regretless.base.state import load
from regretless.streams.reading import Without


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return command_line.written(tmp_path)


@pytest.mark.parametrize(
    ("ignored", "left"),
    [("u", {"ad", "age"}), ("user", {"ad", "age"}), ("use", {"user", "ad", "age"}), ("u,a", set())],
)
def test_ignore_leaves_namespaces_out(folder, ignored, left):
    """By a letter, as in VW, or by the whole name; from interactions too."""
    lines = (folder / "clicks.vw").read_text().splitlines()
    lines = [f"{line} |age:2 x{k % 3}" for k, line in enumerate(lines)]
    (folder / "three.vw").write_text("\n".join(lines) + "\n")
    command = ["train", "three.vw", "--exact", "-q", "ua", "-q", "aa"]
    run(*command, "--save", "m", "--ignore", ignored)
    parts = {
        name.strip().split("|")[0] for names in load("m").weights_ for name in names.split("*")
    }
    assert parts == left
    kept = [
        "|".join([head, *(part for part in parts if part.split()[0].split(":")[0] in left)])
        for head, *parts in (line.split("|") for line in lines)
    ]
    (folder / "kept.vw").write_text("".join(f"{line}|\n" for line in kept))
    run("train", "kept.vw", "--exact", "-q", "ua", "-q", "aa", "--save", "k")
    assert same_weights(load("m"), load("k"))
    # new examples are read like those of the training
    assert (
        run("predict", "three.vw", "--model", "m", "--raw").stdout
        == run("predict", "kept.vw", "--model", "k", "--raw").stdout
    )


@pytest.mark.parametrize(
    ("source", "options", "message"),
    [
        ("three.svm", ["--ignore", "3"], "--ignore is for vw, csv"),
        ("three.svm", ["--label", "y"], "--label is for csv"),
        (
            "three.svm",
            ["-q", "ab"],
            "-q or --cubic is for vw and does not apply to svm",
        ),
        ("clicks.vw", ["--label", "y"], "--label is for csv"),
        ("clicks.vw", ["--tag", "y"], "--tag is for csv"),
        (
            "clicks.vw",
            ["--delimiter", ";"],
            "--delimiter is for csv, tsv and does not apply to vw",
        ),
        ("clicks.vw", ["--no-header"], "--no-header is for csv, tsv"),
        ("live.jsonl", ["--numeric", "age"], "--numeric is for csv, tsv"),
        ("live.jsonl", ["--categorical", "age"], "--categorical is for csv, tsv, parquet, arrow"),
    ],
)
def test_options_without_a_use_are_refused(folder, source, options, message):
    """They would do nothing, and say nothing."""
    result = run("train", source, *options, code=1)
    assert message in result.stderr
    assert result.stderr.count("\n") == 1


class Trickle(io.BytesIO):
    """A few bytes at a time."""

    def readinto(self, view):
        return super().readinto(memoryview(view)[:7])


@pytest.mark.parametrize("end", [b"", b"\n", b"\r\n"])
def test_namespaces_are_blanked_wherever_the_text_is_cut(end):
    text = b"1 'x|user:2 u7 age:3\t|us a |user|u\n\n-1 | user us |user\tb" + end
    # what follows the bar up to the next, or to the end of the line, is blanks
    expected = b"1 'x|" + b" " * 16 + b"|us a |    |u\n\n-1 | user us |" + b" " * 6
    expected += {b"": b"", b"\n": b"\n", b"\r\n": b" \n"}[end]
    for size in (1, 5, 100):
        file, found = Without(Trickle(text), ["user"]), bytearray()
        view = memoryview(bytearray(size))
        while count := file.readinto(view):
            found += view[:count]
        assert bytes(found) == expected
