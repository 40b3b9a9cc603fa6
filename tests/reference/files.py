"""Files to read: a stream with all that can be in one, written in every format."""

import bz2
import gzip
import json

import numpy as np
import pyarrow as pa

from regretless import streams

__all__ = [
    "COMPRESSED",
    "ROWS",
    "as_csv",
    "as_jsonl",
    "as_table",
    "as_vw",
    "named",
    "read",
]


def read(path, piece=None, **options):
    """The stream of a file, in pieces of so many bytes."""
    stream = streams.read(path, **options)
    if piece:
        stream._piece = piece
    return stream


def zstd(data):
    """Compressed as .zst."""
    sink = pa.BufferOutputStream()
    with pa.CompressedOutputStream(sink, "zstd") as file:
        file.write(data)
    return sink.getvalue().to_pybytes()


COMPRESSED = {"": bytes, ".gz": gzip.compress, ".bz2": bz2.compress, ".zst": zstd}

COUNT = 700
NAMES = ["age", "7", "height", "x y"]


def examples():
    """Numbers, a category, things that are missing, labels and weights."""
    random = np.random.default_rng(11)
    rows = []
    for _ in range(COUNT):
        x = {n: float(np.float32(v)) for n, v in zip(NAMES, random.normal(size=4).round(3))}
        for n in NAMES:
            if random.random() < 0.2:
                del x[n]
        if random.random() < 0.8:
            x["colour"] = str(random.choice(["red", "green", "blue"]))
        rows.append((x, float(random.choice([-1, 1])), float(random.integers(1, 4))))
    return rows


ROWS = examples()
COLUMNS = [*NAMES, "colour"]


def named(x):
    """A row as readers of text name it."""
    return {int(n) if n.isdigit() else n: v for n, v in x.items()}


def as_vw(rows):
    def feature(n, v):
        return f"{n}={v}" if isinstance(v, str) else f"{n}:{v!r}"

    return "".join(
        f"{y:g} {w:g} |{''.join(' ' + feature(n.replace(' ', '_'), v) for n, v in x.items())}\n"
        for x, y, w in rows
    )


def as_csv(rows, split=","):
    head = split.join(["y", *COLUMNS, "w"])
    return (
        head
        + "\n"
        + "".join(
            split.join([f"{y:g}", *(str(x.get(n, "")) for n in COLUMNS), f"{w:g}"]) + "\n"
            for x, y, w in rows
        )
    )


def as_jsonl(rows):
    return "".join(json.dumps({"y": y, **x, "w": w}) + "\n" for x, y, w in rows)


def as_table(rows):
    columns = {n: [x.get(n) for x, _, _ in rows] for n in COLUMNS}
    return pa.table({"y": [y for _, y, _ in rows], **columns, "w": [w for _, _, w in rows]})
