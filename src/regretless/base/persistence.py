"""Model files: safetensors files, which hold arrays and text but no code that could run when loaded."""

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
    """Write a model file, so that `path` holds either the whole old file or the whole new one.

    The file is written to a scratch file in the same folder, which is then renamed. Scratch files that
    killed processes have left are removed.
    """
    import json
    from pathlib import Path

    from safetensors.numpy import save

    target = Path(os.path.realpath(path))  # replace the target of a link, not the link
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
            os.chmod(
                name, 0o666 & ~umask
            )  # permissions of ordinary files; scratch files are private
            os.replace(name, target)


@contextmanager
def naming(path: str | os.PathLike[str]) -> Iterator[None]:
    """Make every `OSError` of the block name the file.

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
    """Remove scratch files of killed processes; a process that still writes one holds a lock on it."""
    for path in target.parent.glob(f".{glob.escape(target.name)}.*{_SCRATCH}"):
        with suppress(OSError), open(path, "rb") as file:
            if _locked(file):
                path.unlink()


@contextmanager
def _scratch(target: "Path") -> Iterator[tuple[IO[bytes], str]]:
    """A locked scratch file beside `target`, and its name; it is removed if the block raises."""
    import tempfile

    while True:
        handle, name = tempfile.mkstemp(_SCRATCH, f".{target.name}.", target.parent)
        file = open(handle, "wb")  # noqa: SIM115, closed below
        if _locked(file) is not False and os.fstat(handle).st_nlink:
            break
        file.close()  # before it was locked, another process removed it as left over
    try:
        with file:
            yield file, name
    except BaseException:
        with suppress(FileNotFoundError):
            os.unlink(name)
        raise


def _locked(file: IO[bytes]) -> bool | None:
    """Lock a file until it is closed. False: another process has locked it. None: locks do not work."""
    try:
        import fcntl

        fcntl.flock(file.fileno(), fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except (ImportError, OSError):  # not Unix, or a disk without locks
        return None
    return True


def _kind(path: str | os.PathLike[str]) -> str:
    """The kind of a path that is not a file, in words."""
    kinds = {"a directory": stat.S_ISDIR, "a pipe": stat.S_ISFIFO, "a socket": stat.S_ISSOCK}
    mode = os.stat(path).st_mode
    return next((name for name, is_one in kinds.items() if is_one(mode)), "a device")


def read(path: str | os.PathLike[str]) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    """The description and the arrays of a model file; `ValueError` for any other file."""
    from safetensors import safe_open

    os.stat(path)  # raises an OSError that names a missing file
    if not os.path.isfile(path):
        raise ValueError(f"{path} is {_kind(path)}, not a model file")
    if not os.access(path, os.R_OK):
        raise PermissionError(errno.EACCES, "no permission to read it", os.fspath(path))
    try:
        with safe_open(path, framework="numpy") as file:
            metadata = file.metadata() or {}
            arrays = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
    except Exception as error:  # safetensors raises various errors for damaged headers
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
    """The value of a JSON text; `ValueError` for a number that is not finite or a repeated name.

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
