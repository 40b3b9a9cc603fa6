"""Models on disk: a safetensors file, which holds arrays and text and can run nothing when loaded."""

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["read", "read_a", "restoring", "write"]

FORMAT = 1
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
    header = json.dumps({"format": FORMAT, **description})
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
    import json

    from safetensors import SafetensorError, safe_open

    Path(path).stat()  # a missing file is an OSError that names it
    if Path(path).is_dir():
        raise ValueError(f"{path} is a directory, not a model file")
    if not os.access(path, os.R_OK):
        raise PermissionError(errno.EACCES, "no permission to read it", os.fspath(path))
    try:
        with safe_open(path, framework="numpy") as file:
            metadata = file.metadata() or {}
            arrays = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
    except (SafetensorError, ValueError, OSError) as error:
        raise ValueError(f"{path} is not a model file, or only part of one: {error}") from error
    try:
        description = json.loads(metadata[_KEY])
        version = description["format"]
    except (KeyError, RecursionError, TypeError, ValueError) as error:
        raise ValueError(f"{path} was not written by regretless") from error
    if version != FORMAT:
        raise ValueError(
            f"{path} has format {version}; this version of regretless reads format {FORMAT}"
        )
    return description, arrays


def read_a(
    kind: str, path: str | os.PathLike[str]
) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    """`read`, if what was written has `kind` as its "class"."""
    description, arrays = read(path)
    if description.get("class") != kind:
        raise ValueError(f"{path} holds a {description.get('class')}, not a {kind}")
    return description, arrays


@contextmanager
def restoring(path: str | os.PathLike[str]) -> Iterator[None]:
    """What goes wrong while something is made of what was read is the file's fault."""
    try:
        yield
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise ValueError(f"{path} is damaged: {error}") from error
