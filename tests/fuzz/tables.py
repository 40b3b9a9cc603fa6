"""Damaged tables and archives, read as a stream and learned.

    python tests/fuzz/tables.py --cases 20000

A file is written well and then spoilt: bits flipped, cut short, parts exchanged, numbers in it changed.
Reading it gives examples, or a ValueError that names the file.
"""

import bz2
import gzip
import io
import sys
import tempfile
from functools import cache
from pathlib import Path

import numpy as np
import pyarrow as pa
from pyarrow import feather, ipc, parquet

sys.path.insert(0, str(Path(__file__).parents[1]))

from fuzz.harness import main
from regretless import streams
from regretless.linear import LinearClassifier, LinearRegressor

__all__ = ["KINDS", "case"]

ROWS = 60
TEXTS = {
    ".csv": "y,a,b,colour\n"
    + "".join(f"{t % 2},{t / 7},{-t},{'rgb'[t % 3]}\n" for t in range(ROWS)),
    ".jsonl": "".join(
        f'{{"y": {t % 2}, "a": {t / 7}, "c": "{"rgb"[t % 3]}"}}\n' for t in range(ROWS)
    ),
    ".vw": "".join(f"{t % 2 * 2 - 1} {t % 3} tag{t}|f a:{t / 7} w{t % 5}\n" for t in range(ROWS)),
    ".svm": "".join(f"{t % 2} {1 + t % 4}:{t / 7} 9:{t}\n" for t in range(ROWS)),
}
PACKED = {
    ".gz": gzip.compress,
    ".bz2": bz2.compress,
    ".zst": lambda text: pa.compress(text, codec="zstd", asbytes=True),
}


def table() -> pa.Table:
    """A little of everything that columns can be."""
    count = np.arange(ROWS)
    text = pa.array([None if t % 11 == 0 else "rgb"[t % 3] * (t % 4) for t in count])
    return pa.table(
        {
            "y": (count % 2).astype(float),
            "number": pa.array([None if t % 7 == 0 else t / 3 for t in count.tolist()]),
            "whole": count,
            "flag": count % 3 == 0,
            "text": text,
            "large": text.cast(pa.large_string()),
            "coded": text.dictionary_encode(),
            "w": np.ones(ROWS),
            "tag": pa.array([f"row {t}" for t in count]),
        }
    )


def _ipc(open_writer, compression=None) -> bytes:
    sink, whole = io.BytesIO(), table()
    with open_writer(
        sink, whole.schema, options=ipc.IpcWriteOptions(compression=compression)
    ) as out:
        out.write_table(whole, max_chunksize=25)
    return sink.getvalue()


def _feather(**options) -> bytes:
    sink = io.BytesIO()
    feather.write_feather(table(), sink, **options)
    return sink.getvalue()


def _parquet(**options) -> bytes:
    sink = io.BytesIO()
    parquet.write_table(table(), sink, row_group_size=25, **options)
    return sink.getvalue()


KINDS = {  # suffix and content
    "stream": (".arrow", lambda: _ipc(ipc.new_stream)),
    "stream zstd": (".arrow", lambda: _ipc(ipc.new_stream, "zstd")),
    "stream gz": (".arrow.gz", lambda: gzip.compress(_ipc(ipc.new_stream))),
    "file": (".arrow", lambda: _ipc(ipc.new_file)),
    "file lz4": (".arrow", lambda: _ipc(ipc.new_file, "lz4")),
    "feather": (".feather", lambda: _feather(compression="uncompressed")),
    "feather lz4": (".feather", lambda: _feather(compression="lz4")),
    "parquet": (".parquet", lambda: _parquet(compression="none")),
    "parquet zstd": (".parquet", lambda: _parquet(compression="zstd")),
    "parquet plain": (".parquet", lambda: _parquet(use_dictionary=False, compression="none")),
    "parquet pages": (".parquet", lambda: _parquet(data_page_version="2.0", data_page_size=64)),
} | {
    f"{suffix}{archive}": (suffix + archive, lambda s=suffix, p=pack: p(TEXTS[s].encode()))
    for suffix in TEXTS
    for archive, pack in PACKED.items()
}


@cache
def good(kind: str) -> bytes:
    """The file as it should be."""
    return KINDS[kind][1]()


def damaged(data: bytes, other: bytes, rng: np.random.Generator) -> bytes:
    """A few of the things that happen to files, or that an enemy does to them."""
    out = bytearray(data)
    for _ in range(int(rng.choice([1, 1, 1, 2, 4]))):
        at = int(rng.integers(len(out) or 1))
        match int(rng.integers(8)):
            case 0 | 1 | 2 if out:
                out[at] ^= 1 << int(rng.integers(8))
            case 3:
                del out[at:]
            case 4:  # a number of four or eight bytes
                size = int(rng.choice([4, 8]))
                value = int(rng.choice([0, 1, -1, 2**31 - 1, -(2**31), 2**30, 255, 1000]))
                out[at : at + size] = value.to_bytes(size, "little", signed=True)
            case 5:  # a block of the same file, or of another
                source = bytes(out) if rng.integers(2) else other
                start, length = int(rng.integers(len(source) or 1)), int(rng.integers(1, 200))
                out[at : at + length] = source[start : start + length]
            case 6:
                del out[at : at + int(rng.integers(1, 64))]
            case _:
                out[at:at] = rng.bytes(int(rng.integers(1, 32)))
    return bytes(out)


def read(path: Path, rng: np.random.Generator) -> None:
    """Learn the file, in one of the ways there are."""
    options = {"label": "y"}
    if path.name.startswith(("a.arrow", "a.feather", "a.parquet")):
        for name in ("w", "tag"):
            if rng.integers(2):
                options[{"w": "weight", "tag": "tag"}[name]] = name
        if rng.integers(4) == 0:
            options["categorical"] = ["whole"]
    stream = streams.read(path, **options, skip_bad=bool(rng.integers(2)))
    hashed = {"features": "hashed", "bits": 6} if rng.integers(2) else {}
    model = (LinearClassifier if rng.integers(2) else LinearRegressor)(**hashed)
    for piece in stream.pieces(model.form()):
        try:
            model.learn_many(piece.X, piece.y, piece.w)
        except ValueError as error:  # a label, say, that is no number; the reader cannot know
            if len(str(error)) < 10:
                raise AssertionError(f"unclear: {error}") from error
            return


def case(rng: np.random.Generator) -> str:
    """Spoil a file, and read it."""
    kinds = list(KINDS)
    kind, other = (kinds[int(rng.integers(len(kinds)))] for _ in range(2))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"a{KINDS[kind][0]}"
        path.write_bytes(damaged(good(kind), good(other), rng))
        try:
            read(path, rng)
        except ValueError as error:
            if str(path) not in str(error):
                raise AssertionError(f"the message does not name the file: {error!r}") from error
            return "refused"
    return "used"


if __name__ == "__main__":
    # Arrow keeps the address space of gigabytes that a damaged file asked it for
    sys.exit(main("tables", case, per_child=100))
