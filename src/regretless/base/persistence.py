"""Models on disk: a safetensors file, which holds arrays and text and can run nothing when loaded."""

import errno
import glob
import math
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import IO, TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from pathlib import Path

FORMAT = 3
_KEY = "regretless"
_SCRATCH = ".saving"


def write(
    path: str | os.PathLike[str], description: dict[str, Any], arrays: dict[str, NDArray[Any]]
) -> None:
    """Write a model so that `path` holds either the old file or the new one, never half of one.

    The file is written beside its place under a scratch name, then moved there. Scratch files that a
    killed process has left are removed.
    """
    import json
    from pathlib import Path

    from safetensors.numpy import save

    target = Path(os.path.realpath(path))  # through a link, not in its place
    if target.exists() and not target.is_file():
        raise OSError(f"{path} is {_kind(target)}, not a file that can be replaced")
    header = json.dumps({"format": FORMAT, **description}, allow_nan=False)
    data = save({k: np.atleast_1d(v) for k, v in arrays.items()}, metadata={_KEY: header})
    with naming(path):
        remove_scratch(target)
        with _scratch(target) as (file, name):
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
            umask = os.umask(0)
            os.umask(umask)
            os.chmod(name, 0o666 & ~umask)  # as an ordinary file; scratch files are private
            os.replace(name, target)


@contextmanager
def naming(path: str | os.PathLike[str]) -> Iterator[None]:
    """An `OSError` that names the file, also if the disk is full.

    >>> with naming("m.model"):
    ...     raise OSError(errno.ENOSPC, "No space left on device")
    Traceback (most recent call last):
    OSError: [Errno 28] No space left on device: 'm.model'
    """
    try:
        yield
    except OSError as error:
        why = error.strerror or str(error)
        raise OSError(error.errno or errno.EIO, why, os.fspath(path)) from error


def remove_scratch(target: "Path") -> None:
    """Remove what killed processes have left beside `target`; who still writes holds a lock."""
    for path in target.parent.glob(f".{glob.escape(target.name)}.*{_SCRATCH}"):
        with suppress(OSError), open(path, "rb") as file:
            if _locked(file):
                path.unlink()


@contextmanager
def _scratch(target: "Path") -> Iterator[tuple[IO[bytes], str]]:
    """A locked file beside `target`, and its name; the block moves it to its place, or it is removed."""
    import tempfile

    while True:
        handle, name = tempfile.mkstemp(_SCRATCH, f".{target.name}.", target.parent)
        file = open(handle, "wb")  # noqa: SIM115, closed below
        if _locked(file) is not False and os.fstat(handle).st_nlink:
            break
        file.close()  # another process took it for one that was left, before it was locked
    try:
        with file:
            yield file, name
    except BaseException:
        with suppress(FileNotFoundError):
            os.unlink(name)
        raise


def _locked(file: IO[bytes]) -> bool | None:
    """Lock a file until it is closed, by a kill too: False if another has, None if nobody can."""
    try:
        import fcntl

        fcntl.flock(file.fileno(), fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except (ImportError, OSError):  # not Unix; a disk without locks
        return None
    return True


def _kind(path: str | os.PathLike[str]) -> str:
    """What a path is that is not a file."""
    kinds = {"a directory": stat.S_ISDIR, "a pipe": stat.S_ISFIFO, "a socket": stat.S_ISSOCK}
    mode = os.stat(path).st_mode
    return next((name for name, is_one in kinds.items() if is_one(mode)), "a device")


def read(path: str | os.PathLike[str]) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    """The description and the arrays of a model file, or `ValueError` if it is not one of ours."""
    from safetensors import safe_open

    os.stat(path)  # a missing file is an OSError that names it
    if not os.path.isfile(path):
        raise ValueError(f"{path} is {_kind(path)}, not a model file")
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
