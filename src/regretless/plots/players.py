"""Pictures of players: experts, bandits, games and trees."""

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from regretless.base.arguments import Array, finite_numbers, number, numbers, vector, whole
from regretless.experts.regrets import rounds_by_experts
from regretless.plots.curves import COLOURS, LINES, MARKERS, compare, new_axes

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from regretless.bandits.run import BanditRun
    from regretless.bandits.simulation import Simulation
    from regretless.classes.finite_class import MistakeTree


# --- experts: weights, residuals, regrets, oracles ------------------------------------------------

_DRAWN = 2_000  # points of a line; more cannot be seen
_COLUMNS = 120  # of areas
_BARS = 30
_NAMED = 9  # experts that are told apart; the others are drawn alike
_LONGEST = 24  # letters of a name
_HATCHES = ("", "///", "...", "\\\\\\", "xxx", "---", "ooo", "|||", "++")
_FILLS = (
    "#9ecae1",
    "#fdd0a2",
    "#a1d99b",
    "#e7b9d6",
    "#fee391",
    "#c6dbef",
    "#fdae6b",
    "#c7e9c0",
    "#dadaeb",
)


def weights_over_time(
    weights: Any, ax: "Axes | None" = None, *, names: Sequence[Any] | None = None
) -> "Axes":
    """Draw the weights of the experts as areas on top of each other, the largest on average below.

    Experts beyond nine share one area. Neighbours among many rounds are drawn as their mean: experts
    that sleep now and then would hide the rest.

    Parameters: `weights` (T, N), not negative; `ax`, where to draw, a new picture by default; `names` of
    the experts (default: their numbers).

    >>> axes = weights_over_time([[0.5, 0.5], [0.2, 0.8]], names=["gam", "gbm"])
    >>> [text.get_text() for text in axes.get_legend().get_texts()]  # from above
    ['gam: 0.35', 'gbm: 0.65']
    """
    shares = finite_numbers(rounds_by_experts(weights, "weights"), "weights")
    if shares.min() < 0:
        t, i = np.argwhere(shares < 0)[0]
        raise ValueError(f"weights[{t}, {i}] = {shares[t, i]} is negative: it has no area")
    labels = _labels(names, shares.shape[1])
    axes = new_axes() if ax is None else ax
    order = np.argsort(-shares.mean(axis=0), kind="stable")
    named, others = order[:_NAMED], order[_NAMED:]
    edges = np.linspace(0, len(shares), min(len(shares), _COLUMNS) + 1).astype(np.int64)
    columns = np.add.reduceat(shares, edges[:-1], axis=0) / np.diff(edges)[:, None]
    rounds = (edges[:-1] + edges[1:] + 1) / 2
    streams = [(labels[i], columns[:, i], _FILLS[k], _HATCHES[k]) for k, i in enumerate(named)]
    if len(others):
        streams.append((_others(len(others)), columns[:, others].sum(axis=1), "0.9", ""))
    low, areas = np.zeros(len(rounds)), []
    for name, weight, colour, hatch in streams:
        style: dict[str, Any] = {
            "facecolor": colour,
            "hatch": hatch,
            "edgecolor": "0.35",
            "linewidth": 0.6,
        }
        area = axes.fill_between(rounds, low, low + weight, **style)
        mean = weight @ np.diff(edges) / len(shares)
        areas.append((area, f"{name}: {mean:.2f}"))
        low = low + weight
    _over_rounds(axes, "weight")
    axes.set_ylim(0.0, low.max() or 1.0)
    axes.set_title("Weights of the experts, with their means", loc="left")
    legend = axes.legend(
        *zip(*reversed(areas)),
        loc="upper left",
        bbox_to_anchor=(1.0, 1.0),
        handlelength=3,
        handleheight=1.8,
        frameon=False,
    )
    for text in legend.get_texts():
        text.set_parse_math(False)
    return axes


def cumulative_residuals(
    experts: Any,
    y: Any,
    forecast: Any,
    ax: "Axes | None" = None,
    *,
    names: Sequence[Any] | None = None,
) -> "Axes":
    """Draw the running sums of `y - forecast`, of the mixture and of the experts.

    A line that climbs belongs to forecasts that are too low. While an expert sleeps, its line is level.
    Of more than nine experts, those that end nearest to 0 are drawn without a name.

    Parameters: `experts` (T, N), their forecasts, NaN where one sleeps; `y` (T,), the outcomes;
    `forecast` (T,), of the mixture; `ax`, where to draw, a new picture by default; `names` of the
    experts (default: their numbers).

    >>> experts = [[0.0, 1.0], [2.0, 1.0]]
    >>> axes = cumulative_residuals(experts, [1.0, 2.0], [1.0, 1.5], names=["a", "b"])
    >>> [text.get_text() for text in axes.texts]
    ['a', 'b', 'mixture']
    """
    theirs = rounds_by_experts(experts, "experts")
    finite_numbers(
        np.where(np.isnan(theirs), 0.0, theirs), "experts", "; NaN is for sleeping experts"
    )
    truth, ours = vector(y, "y", len(theirs)), vector(forecast, "forecast", len(theirs))
    sums = np.cumsum(np.where(np.isnan(theirs), 0.0, truth[:, None] - theirs), axis=0)
    labels = _labels(names, theirs.shape[1])
    axes = new_axes() if ax is None else ax
    rounds = _drawn(len(theirs))
    named = _lines(axes, rounds, sums, np.argsort(-np.abs(sums[-1]), kind="stable"))
    total = np.cumsum(truth - ours)
    axes.plot(rounds, total[rounds - 1], color="black", linewidth=2.5)
    _over_rounds(axes, "sum of residuals")
    axes.set_title(f"What came true less what was forecast, summed up{_rest(sums)}", loc="left")
    ends, texts = [*sums[-1, named], total[-1]], [*(labels[i] for i in named), "mixture"]
    _name_ends(axes, np.array(ends), texts)
    return axes


def regret_to_experts(
    regrets: Any,
    ax: "Axes | None" = None,
    *,
    bound: Any = None,
    names: Sequence[Any] | None = None,
) -> "Axes":
    """Draw the regret to every expert, over the rounds or at the end, and the bound on it.

    Of more than nine experts, those with the largest regret at the end have a name.

    Parameters: `regrets` after each round (T, N), running sums of what `regrets.instantaneous` gives,
    or at the end (N,); `ax`, where to draw, a new picture by default; `bound` on all of them, after each
    round (T,), NaN or infinite where it is unknown, or a number at the end; `names` of the experts
    (default: their numbers).

    >>> axes = regret_to_experts([[0.5, -0.5], [1.0, -1.0]], bound=[2.0, 3.0], names=["a", "b"])
    >>> [text.get_text() for text in axes.texts]
    ['a: 1', 'b: -1', 'bound: 3']
    >>> regret_to_experts([1.0, -1.0], bound=3.0).get_xlabel()
    'regret at the end'
    """
    values = finite_numbers(regrets, "regrets")
    if values.ndim == 1:
        return _final_regrets(values, bound, names, ax)
    values = rounds_by_experts(values, "regrets")
    labels = _labels(names, values.shape[1])
    above = np.full(len(values), np.nan) if bound is None else numbers(bound, "bound")
    if above.shape != (len(values),):
        raise ValueError(f"bound has shape {above.shape}, not ({len(values)},)")
    known = above[np.isfinite(above)]
    axes = new_axes() if ax is None else ax
    rounds = _drawn(len(values))
    named = _lines(axes, rounds, values, np.argsort(-values[-1], kind="stable"))
    ends, texts = list(values[-1, named]), [f"{labels[i]}: {values[-1, i]:.3g}" for i in named]
    if len(known):
        axes.plot(rounds, above[rounds - 1], color="black", linewidth=2.5, linestyle="--")
        ends.append(known[-1])
        texts.append(f"bound: {known[-1]:.3g}")
    axes.axhline(0.0, color="0.5", linewidth=0.8, zorder=0)
    _over_rounds(axes, "regret")
    axes.set_title(f"Loss above that of each expert{_rest(values)}", loc="left")
    _name_ends(axes, np.array(ends), texts)
    return axes


def _final_regrets(
    values: Array, bound: Any, names: Sequence[Any] | None, ax: "Axes | None"
) -> "Axes":
    if not len(values):
        raise ValueError("regrets is empty: there is nothing to draw")
    labels = _labels(names, len(values))
    order = np.argsort(-values, kind="stable")[:_BARS]
    axes = new_axes(1.5 + 0.26 * len(order)) if ax is None else ax
    bars = axes.barh(range(len(order)), values[order], 0.7, color=_FILLS[0], edgecolor="0.2")
    _name_bars(axes, bars, [labels[i] for i in order], values[order])
    title = "Loss above that of each expert"
    if len(values) > _BARS:
        title += f", the {_BARS} largest of {len(values)}"
    if bound is not None:
        limit = float(np.ravel(finite_numbers(bound, "bound"))[-1])
        axes.axvline(limit, color="black", linewidth=2.5, linestyle="--")
        title += f"; dashed: bound {limit:.4g}"
    axes.set_title(title, loc="left")
    axes.set_xlabel("regret at the end")
    return axes


def oracle_bars(
    oracles: Iterable[tuple[Any, float]], mixture_loss: float, ax: "Axes | None" = None
) -> "Axes":
    """Draw the losses of oracles and of the mixture as bars, the least above.

    Parameters: `oracles`, pairs of name and loss; `mixture_loss`, hatched and with a dashed line at
    its height; `ax`, where to draw, a new picture by default.

    >>> axes = oracle_bars([("uniform", 3.0), ("best expert", 1.0)], mixture_loss=2.0)
    >>> [label.get_text() for label in axes.get_yticklabels()]
    ['best expert', 'mixture', 'uniform']
    """
    found = [(str(name), number(loss, f"the loss of {name}")) for name, loss in oracles]
    if not found:
        raise ValueError("oracles is empty: there is nothing to compare with")
    ours = number(mixture_loss, "mixture_loss")
    pairs = sorted([*found, ("mixture", ours)], key=lambda pair: pair[1])
    for name, loss in pairs:
        if not math.isfinite(loss):
            raise ValueError(f"the loss of {name} is {loss}: it must be finite to be drawn")
    names, values = [name for name, _ in pairs], np.array([loss for _, loss in pairs])
    axes = new_axes(1.5 + 0.3 * len(pairs)) if ax is None else ax
    bars = axes.barh(range(len(pairs)), values, 0.7, color=_FILLS[0], edgecolor="0.2")
    bars[names.index("mixture")].set(facecolor=_FILLS[1], hatch="///")
    _name_bars(axes, bars, names, values)
    axes.axvline(ours, color="0.2", linewidth=1.0, linestyle="--")
    axes.set_xlabel("mean loss")
    axes.set_title("What was lost, and what could have been", loc="left")
    return axes


# --- parts of pictures -----------------------------------------------------------------------------


def _labels(names: Sequence[Any] | None, count: int) -> list[str]:
    labels = [str(name) for name in (range(count) if names is None else names)]
    if len(labels) != count:
        raise ValueError(f"names has {len(labels)} of them, but there are {count} experts")
    return [name if len(name) <= _LONGEST else f"{name[: _LONGEST - 1]}…" for name in labels]


def _drawn(T: int) -> NDArray[np.int64]:
    return np.unique(np.linspace(1, T, _DRAWN).round().astype(np.int64))


def _over_rounds(axes: "Axes", what: str) -> None:
    axes.set_xlabel("rounds")
    axes.set_ylabel(what)
    axes.set_xlim(1, max(2.0, axes.dataLim.x1))


def _rest(curves: Array) -> str:
    count = curves.shape[1] - _NAMED
    return f"; grey: {_others(count)}" if count > 0 else ""


def _others(count: int) -> str:
    return "1 other" if count == 1 else f"{count} others"


def _lines(axes: Any, rounds: NDArray[np.int64], curves: Array, order: Any) -> list[int]:
    """Draw all curves, the first ones of `order` each in its style; those are returned."""
    for i in order[_NAMED:]:
        axes.plot(rounds, curves[rounds - 1, i], color="0.8", linewidth=0.7)
    for k, i in enumerate(order[:_NAMED]):
        width = 1.3 + 1.2 * (k // len(LINES))
        style = {"color": COLOURS[k % len(COLOURS)], "linestyle": LINES[k % len(LINES)]}
        axes.plot(rounds, curves[rounds - 1, i], linewidth=width, **style)
    axes.grid(alpha=0.3)
    return [int(i) for i in order[:_NAMED]]


def _name_ends(axes: "Axes", heights: Array, texts: list[str]) -> None:
    """Write a text beside the height that each line has after the last round."""
    low, high = axes.get_ylim()
    axes.set_ylim(low, high)
    gap = 0.055 * (high - low)
    order = np.argsort(heights, kind="stable")
    steps = gap * np.arange(len(heights))
    # Texts that would overlap are spread around their mean: isotonic regression of heights less steps.
    blocks = list[list[float]]()
    for height in heights[order] - steps:
        blocks.append([float(height)])
        while len(blocks) > 1 and np.mean(blocks[-2]) >= np.mean(blocks[-1]):
            blocks[-2:] = [blocks[-2] + blocks[-1]]
    centres = np.repeat([np.mean(block) for block in blocks], [len(block) for block in blocks])
    places = np.clip(centres, low, high - steps[-1]) + steps
    for i, place in sorted(zip(order, places)):
        axes.annotate(
            texts[i],
            (1.0, heights[i]),
            (1.04, place),
            axes.get_yaxis_transform(),
            axes.get_yaxis_transform(),
            arrowprops={
                "arrowstyle": "-",
                "color": "0.5",
                "shrinkA": 2,
                "shrinkB": 0,
                "relpos": (0, 0.5),
            },
            verticalalignment="center",
            annotation_clip=False,
            parse_math=False,
        )


def _name_bars(axes: "Axes", bars: Any, names: list[str], values: Array) -> None:
    white = {"facecolor": "white", "edgecolor": "none", "pad": 1.0}  # a line may pass behind
    axes.bar_label(bars, [f"{value:.4g}" for value in values], padding=4, bbox=white)
    axes.set_yticks(range(len(names)), names, parse_math=False)
    axes.set_ylim(len(names) - 0.4, -0.6)
    axes.margins(x=0.12)
    axes.axvline(0.0, color="0.2", linewidth=0.8)


# --- regret of players of arms: of one run, and over many seeds -----------------------------------


def bandit_regret(run: "BanditRun", ax: "Axes | None" = None) -> "Axes":
    """Draw the regret of a run, the bound on its mean, and the pseudo-regret if it is known.

    Parameters: `run`, of at least one round; `ax`, where to draw; a new picture by default.

    >>> from regretless.bandits import Bernoulli, Exp3
    >>> axes = bandit_regret(Exp3(2).run(Bernoulli([0.4, 0.6]), 50))
    >>> [text.get_text().split(":")[0] for text in axes.get_legend().get_texts()]
    ['regret 3', 'pseudo-regret', 'bound on the mean']
    """
    axes = compare({"": run}, ax)
    at = np.unique(np.linspace(0, run.rounds - 1, _DRAWN).round().astype(int))
    curves = {"bound on the mean": (run.expectation_curve(), "--", "#d55e00")}
    if run.means is not None:
        curves = {"pseudo-regret": (run.pseudo_regret_curve(), "-.", "#009e73")} | curves
    for name, (curve, style, colour) in curves.items():
        if np.isfinite(curve).any():
            label = f"{name}: {curve[-1]:.4g}"
            axes.plot(at + 1, curve[at], color=colour, linestyle=style, label=label)
    axes.set_title("Loss above that of the best arm", loc="left")
    axes.legend(title=repr(run.after)[:70])
    return axes


def regret_bands(simulations: "Mapping[str, Simulation]", ax: "Axes | None" = None) -> "Axes":
    """Draw the mean regret of each player over the seeds, with its 95% band, against the rounds.

    Parameters: `simulations` by name, from `simulate`; `ax`, where to draw; a new picture by default.

    >>> from regretless.bandits import Bernoulli, UCB1, simulate
    >>> result = simulate([UCB1(2)], Bernoulli([0.4, 0.6]), 50, seeds=3)
    >>> regret_bands(result).get_ylabel()
    'pseudo-regret'
    """
    if not simulations:
        raise ValueError("simulations={} is empty: there is nothing to draw")
    axes = new_axes() if ax is None else ax
    first = next(iter(simulations.values()))
    many = len(first.seeds) > 1
    for k, (name, simulation) in enumerate(simulations.items()):
        low, mean, high = simulation.band()
        colour, end = COLOURS[k % len(COLOURS)], f" ± {high[-1] - mean[-1]:.1f}" if many else ""
        axes.plot(
            simulation.index,
            mean,
            color=colour,
            linestyle=LINES[k % len(LINES)],
            marker=MARKERS[k % len(MARKERS)],
            markevery=(k % 5, 8),
            markersize=5,
            label=f"{name}: {mean[-1]:.1f}{end}",
        )
        if many:
            axes.fill_between(simulation.index, low, high, color=colour, alpha=0.2, linewidth=0)
    if first.rounds > 1:
        axes.set_xscale("log")
        axes.set_xlim(1, first.rounds)
    axes.axhline(0.0, color="0.7", linewidth=0.8)
    axes.set_xlabel("rounds")
    what = "regret" if first.means is None else "pseudo-regret"
    axes.set_ylabel(what)
    over = f"over {len(first.seeds)} seeds, with 95% bands" if many else "of 1 seed"
    axes.set_title(f"{'Mean ' if many else ''}{what} {over}", loc="left")
    axes.grid(alpha=0.3)
    legend = axes.legend(loc="upper left")
    for text in legend.get_texts():
        text.set_parse_math(False)
    return axes


# --- the gap of a game over the rounds ------------------------------------------------------------

_STYLES = ("#0072b2", "-"), ("#d55e00", "--"), ("#009e73", ":")


def gap_curves(
    rounds: Array,
    curves: dict[str, Array],
    ax: "Axes | None" = None,
    *,
    reached: tuple[float, float] | None = None,
    tolerance: float | None = None,
    title: str = "",
) -> "Axes":
    """Draw gaps, or mean regrets, against the rounds, both in logarithms, without values that are not
    positive.

    Parameters: `reached`, the rounds after which the strategies were polished and the gap then;
    `tolerance`, the target of the gap; `ax`, where to draw; a new picture by default.

    >>> gap_curves(np.array([1.0, 2.0]), {"averages": np.array([0.5, 0.2])}).get_xscale()
    'log'
    """
    if not len(rounds):
        raise ValueError("no rounds were played: there is nothing to draw")
    axes = new_axes() if ax is None else ax
    for (name, values), (colour, line) in zip(curves.items(), _STYLES):
        label = f"{name}: {values[-1]:.2g}"
        shown = np.where(values > 0, values, np.nan)
        axes.plot(rounds, shown, color=colour, linestyle=line, linewidth=1.2, label=label)
    if reached is not None:
        label = f"polished: {reached[1]:.2g}"
        axes.plot(*reached, marker="*", markersize=12, color="black", linestyle="", label=label)
    if tolerance is not None:
        axes.axhline(tolerance, color="0.6", linewidth=0.8, label=f"tolerance: {tolerance:.2g}")
    positive = any((values > 0).any() for values in curves.values())
    axes.set(xscale="log", yscale="log" if positive else "linear", xlabel="rounds", ylabel="gap")
    axes.set_title(title, loc="left")
    axes.grid(alpha=0.3)
    axes.legend()
    return axes


# --- A shattered tree, drawn: points in circles, labels on the edges, hypotheses below ------------

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
    """Draw a node with all below it, between two ends; return its position."""
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
