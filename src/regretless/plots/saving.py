"""New axes to draw on, and writing a figure to a file."""

from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING

from regretless.persistence import naming

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure

__all__ = ["new_axes", "picture_path", "save"]

SUFFIXES = (".png", ".svg")


def new_axes(height: float = 5.0) -> "Axes":
    """The axes of a new picture of this height, which a notebook shows at the end of the cell.

    >>> new_axes().figure.get_size_inches().tolist()
    [8.0, 5.0]
    """
    from matplotlib import pyplot

    axes: Axes = pyplot.subplots(figsize=(8, height), layout="constrained")[1]
    return axes


def picture_path(path: str | PathLike[str]) -> Path:
    """The path of a picture, if its suffix is one we write: check it before a long run.

    >>> picture_path("curve.svg").name
    'curve.svg'
    >>> picture_path("curve")
    Traceback (most recent call last):
    ValueError: path='curve' ends in '', but must end in .png or .svg
    """
    path = Path(path)
    if path.suffix.lower() not in SUFFIXES:
        allowed = " or ".join(SUFFIXES)
        raise ValueError(f"path='{path}' ends in {path.suffix!r}, but must end in {allowed}")
    return path


def save(figure: "Figure | SubFigure", path: str | PathLike[str] | None) -> "Figure":
    """Write a figure as PNG or SVG, by the suffix of `path`, or not at all if it is None.

    >>> import tempfile
    >>> from matplotlib.figure import Figure
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = save(Figure(), Path(folder, "empty.svg"))
    ...     Path(folder, "empty.svg").read_text().startswith("<?xml")
    True
    """
    whole = figure.figure  # which a part of one belongs to
    if path is not None:
        path = picture_path(path)
        # no date: the same figure is the same file
        metadata = {"Date": None} if path.suffix.lower() == ".svg" else None
        with naming(path):
            whole.savefig(path, dpi=150, metadata=metadata)
    return whole
