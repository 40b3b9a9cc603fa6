"""Models on disk: a safetensors file, which holds arrays and text and can run nothing when loaded."""

import errno
import math
import os
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["plain", "read", "write"]

FORMAT = 2
_KEY = "regretless"


def write(
    path: str | os.PathLike[str], description: dict[str, Any], arrays: dict[str, NDArray[Any]]
) -> None:
    """Write a model so that `path` holds either the old file or the new one, never half of one."""
    import json
    import tempfile

    from safetensors.numpy import save

    target = Path(os.path.realpath(path))  # through a link, not in its place
    if target.exists() and not target.is_file():
        raise OSError(f"{path} is a directory or a device, not a file that can be replaced")
    header = json.dumps({"format": FORMAT, **description}, allow_nan=False)
    data = save({k: np.atleast_1d(v) for k, v in arrays.items()}, metadata={_KEY: header})
    handle, scratch = tempfile.mkstemp(prefix=f".{target.name}.", dir=target.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        umask = os.umask(0)
        os.umask(umask)
        os.chmod(scratch, 0o666 & ~umask)  # as an ordinary file; scratch files are private
        os.replace(scratch, target)
    except BaseException:
        os.unlink(scratch)
        raise


def read(path: str | os.PathLike[str]) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    """The description and the arrays of a model file, or `ValueError` if it is not one of ours."""
    from safetensors import safe_open

    Path(path).stat()  # a missing file is an OSError that names it
    if Path(path).is_dir():
        raise ValueError(f"{path} is a directory, not a model file")
    if not os.access(path, os.R_OK):
        raise PermissionError(errno.EACCES, "no permission to read it", os.fspath(path))
    try:
        with safe_open(path, framework="numpy") as file:
            metadata = file.metadata() or {}
            arrays = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
    except Exception as error:  # whatever a header says, and whatever safetensors makes of it
        raise ValueError(f"{path} is not a model file, or only part of one: {error}") from error
    try:
        description = plain(metadata[_KEY])
        version = description["format"]
    except (KeyError, RecursionError, TypeError, ValueError) as error:
        raise ValueError(f"{path} was not written by regretless") from error
    if version != FORMAT:
        raise ValueError(
            f"{path} has format {str(version)[:20]}, and this version of regretless reads format "
            f"{FORMAT}; models of 0.1 have to be trained again"
        )
    return description, arrays


def plain(text: str | bytes) -> Any:
    """The value of a JSON text in which every number is finite and every name is there once.

    >>> plain('{"a": [1, 2.5]}')
    {'a': [1, 2.5]}
    >>> plain('{"a": 1e999}')
    Traceback (most recent call last):
    ValueError: 1e999 is not a finite number
    >>> plain('{"a": 1, "a": 2}')
    Traceback (most recent call last):
    ValueError: 'a' is there twice
    """
    import json

    def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(pairs)
        for name in found if len(found) < len(pairs) else ():
            if sum(each == name for each, _ in pairs) > 1:
                raise ValueError(f"{name!r} is there twice")
        return found

    def finite(text: str) -> float:
        if not math.isfinite(number := float(text)):
            raise ValueError(f"{text} is not a finite number")
        return number

    return json.loads(text, object_pairs_hook=once, parse_float=finite, parse_constant=finite)
