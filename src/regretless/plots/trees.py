"""A shattered tree, drawn: points in circles, labels on the edges, hypotheses below."""

from typing import TYPE_CHECKING, Any

from regretless.arguments import whole

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from regretless.classes.mistake_tree import MistakeTree

__all__ = ["mistake_tree"]

_COLOURS = ("#0072b2", "#d55e00")  # of labels 0 and 1


def mistake_tree(tree: "MistakeTree", ax: "Axes | None" = None, *, levels: int = 5) -> "Axes":
    """Draw a tree, or its upper `levels`, 1 to 7; edges of label 1 are dashed.

    `ax`, where to draw; by default a new picture that is as wide as the tree.

    >>> from regretless.classes import FiniteClass
    >>> len(mistake_tree(FiniteClass.cube(2).littlestone_tree()).lines)
    6
    """
    whole(levels, "levels", 1, 7, ": more cannot be read")
    shown = min(levels, tree.depth)
    width = 2**shown
    axes = ax if ax is not None else _as_wide(width, shown)
    _draw(axes, tree, 0, (0.0, float(width)), shown)
    d = tree.depth
    title = f"A shattered tree of depth {d}: no deterministic learner avoids {d} mistakes"
    if shown < d:
        title = f"The upper {shown} levels of a shattered tree of depth {d}"
    axes.set_title(title, loc="left")
    axes.set_xlim(0, width)
    axes.set_ylim(-shown - 0.6, 0.5)
    axes.axis("off")
    note = "white: the point asked; grey: a hypothesis that says the labels on its path"
    axes.text(0.5, 0.0, note, transform=axes.transAxes, ha="center", va="top")
    return axes


def _as_wide(width: int, levels: int) -> "Axes":
    from matplotlib import pyplot

    size = (max(6.5, 0.55 * width), 1.8 + 0.95 * levels)
    axes: Axes = pyplot.subplots(figsize=size, layout="constrained")[1]
    return axes


def _draw(
    axes: "Axes", tree: "MistakeTree", place: int, span: tuple[float, float], left: int
) -> tuple[float, float]:
    """A node with all below it, between two ends; returns where it is."""
    low, high = span
    level = (place + 1).bit_length() - 1
    x, y = (low + high) / 2, -float(level)
    if place >= len(tree.nodes):
        name = str(tree.leaves[place - len(tree.nodes)])
        _text(axes, x, y, name, {"boxstyle": "square,pad=0.25", "fc": "0.93", "ec": "0.6"})
        return x, y
    if left == 0:
        axes.text(x, y, "…", ha="center", va="center")
        return x, y
    for label, part in enumerate(((low, x), (x, high))):
        to = _draw(axes, tree, 2 * place + 1 + label, part, left - 1)
        style = "--" if label else "-"
        axes.plot((x, to[0]), (y, to[1]), color=_COLOURS[label], linestyle=style, zorder=1)
        axes.text(
            (x + to[0]) / 2, (y + to[1]) / 2, str(label), color=_COLOURS[label], ha="center",
            va="center", fontsize=9, bbox={"boxstyle": "circle,pad=0.1", "fc": "w", "ec": "none"},
        )  # fmt: skip
    _text(
        axes, x, y, str(tree.nodes[place]), {"boxstyle": "round,pad=0.35", "fc": "w", "ec": "0.2"}
    )
    return x, y


def _text(axes: "Axes", x: float, y: float, text: str, box: dict[str, Any]) -> None:
    short = text if len(text) <= 12 else text[:11] + "…"
    axes.text(x, y, short, ha="center", va="center", bbox=box, zorder=2, parse_math=False)
