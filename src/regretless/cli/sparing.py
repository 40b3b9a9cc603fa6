"""What is read is not written over."""

import os
from collections.abc import Iterable


def spare(sources: Iterable[str], **written: str | None) -> None:
    """`ValueError` if one of the files that a command writes, by their options, is one that it reads."""
    read = [path for path in sources if os.path.exists(path)]
    for option, path in written.items():
        if path is None or not os.path.exists(path):
            continue
        if any(os.path.samefile(path, source) for source in read):
            raise ValueError(f"--{option} {path} is a file that is read; give another to write")
