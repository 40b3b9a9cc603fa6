"""Archives that hold far more than they seem to, and lines that do not end: bounded memory."""

import bz2
import gzip
import subprocess
import sys
from functools import cache

import pyarrow as pa
import pytest

from regretless.streams.opening import gunzip

LINE = b"1 | a:1" + b" " * 991 + b"\n"
PEAK = """
import sys
from regretless import streams
count = 0
try:
    for piece in streams.read(sys.argv[1]).pieces():
        count += len(piece)
except ValueError as error:
    print(error)
# not ru_maxrss, which begins with the memory of the process that started this one
print(count, int(open("/proc/self/status").read().split("VmHWM:")[1].split()[0]) // 1024)
"""
PACKED = {
    ".gz": lambda data: gzip.compress(data, 1),
    ".bz2": lambda data: bz2.compress(data, 1),
    ".zst": lambda data: pa.compress(data, codec="zstd", asbytes=True),
}


def peak(path) -> tuple[str, int, int]:
    """What reading says, how many examples there are, and the most memory, in megabytes, it takes."""
    out = subprocess.run(
        [sys.executable, "-c", PEAK, path], capture_output=True, text=True, check=True
    ).stdout.split("\n")
    count, most = out[-2].split()
    return out[0] if len(out) > 2 else "", int(count), int(most)


@pytest.fixture(scope="module")
def memory_of_one_line(tmp_path_factory):
    """The memory, in megabytes, that reading one line takes, by suffix: some load a library."""

    @cache
    def measured(suffix: str) -> int:
        path = tmp_path_factory.mktemp("small") / f"small.vw{suffix}"
        path.write_bytes(PACKED.get(suffix, bytes)(LINE))
        return peak(path)[2]

    return measured


@pytest.mark.parametrize("suffix", PACKED)
def test_an_archive_is_unpacked_in_bounded_blocks(tmp_path, suffix, memory_of_one_line):
    """Reading 64 MB of the same line, 0.1 MB of gzip, takes at most 40 MB more than reading one."""
    large, copies = tmp_path / f"large.vw{suffix}", 64_000_000 // len(LINE)
    large.write_bytes(PACKED[suffix](LINE * copies))
    _, count, most = peak(large)
    assert count == copies
    assert most < memory_of_one_line(suffix) + 40


@pytest.mark.parametrize("suffix", ["", *PACKED])
def test_a_line_without_end_is_an_error(tmp_path, suffix, memory_of_one_line):
    """The error names the file and the line, and reading takes bounded memory."""
    path = tmp_path / f"a.vw{suffix}"
    path.write_bytes(PACKED.get(suffix, bytes)(LINE * 3 + b" " * 120_000_000))
    said, count, most = peak(path)
    assert said == f"{path}, line 4: the line is longer than 16 MB"
    assert count == 3
    assert most < memory_of_one_line(suffix) + 100  # some copies of 16 MB, not all of the 120 MB


@pytest.mark.parametrize("library", ["isal", "zlib"])
@pytest.mark.parametrize("size", [0, 1, (1 << 20) - 1, 1 << 20, (1 << 20) + 1, 5_000_000])
def test_gunzip_gives_what_was_packed_whatever_the_size(tmp_path, monkeypatch, library, size):
    if library == "zlib":
        monkeypatch.setitem(sys.modules, "isal", None)
    data = bytes(size)
    one, two = gzip.compress(data), gzip.compress(b"more")
    for packed, expected in ((one, data), (one + b"\0" * 9 + two, data + b"more")):
        path = tmp_path / "a.gz"
        path.write_bytes(packed)
        with open(path, "rb") as file:
            blocks = list(gunzip(file))
        assert b"".join(blocks) == expected
        assert max(map(len, blocks), default=0) <= 1 << 20
        with open(path, "r+b") as file:
            file.truncate(len(packed) - 3)
        with open(path, "rb") as file, pytest.raises(OSError, match=r"truncated|damaged"):
            list(gunzip(file))
