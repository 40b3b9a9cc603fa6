"""svmlight / libsvm files: `label index:value index:value ...  # comment`, one example a line."""

import gzip
import os
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from regretless import _core

__all__ = ["svmlight"]


def svmlight(
    path: str | os.PathLike[str], *, piece: int = 1 << 20
) -> Iterator[tuple[Any, NDArray[np.float64]]]:
    """Read an svmlight file, plain or gzip, as batches `(X, y)` of a sparse matrix and its labels.

    Column numbers are kept as they are written (libsvm counts from 1). The file is read in pieces of
    `piece` bytes, so memory does not grow with it. A line that cannot be read raises `ValueError`
    with file and line number; the batches before it have been given.

    >>> import tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "two.svm"
    >>> _ = path.write_text("+1 1:0.5 3:2  # first\\n-1 2:1\\n")
    >>> for X, y in svmlight(path):
    ...     print(X.shape, y)
    (2, 4) [ 1. -1.]
    """
    from scipy.sparse import csr_array

    if piece < 1:
        raise ValueError(f"piece={piece} must be at least 1 byte")
    line, rest = 1, b""
    opener = gzip.open if Path(path).suffix == ".gz" else open
    with opener(path, "rb") as file:
        while True:
            try:
                fresh = file.read(piece)
            except (EOFError, zlib.error, gzip.BadGzipFile) as error:
                raise ValueError(f"{path}, after line {line - 1}: {error}") from None
            text = rest + fresh
            try:
                y, starts, columns, values, used, lines = _core.parse_svmlight(
                    text, not fresh, line
                )
            except ValueError as error:
                raise ValueError(f"{path}, {error}") from None
            line, rest = line + lines, text[used:]
            if y.size:
                width = int(columns.max(initial=-1)) + 1
                yield csr_array((values, columns, starts), shape=(y.size, width)), y
            if not fresh:
                return
