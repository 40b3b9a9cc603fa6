"""Pictures of experts are written, say what they show, and can be told apart without colour."""

from xml.etree import ElementTree

import numpy as np
import pytest
from matplotlib import pyplot
from reference.pictures import check_boxes

from regretless.plots import players as plots
from regretless.plots.curves import save

RNG = np.random.default_rng(0)
T, N = 60, 12
WEIGHTS = RNG.dirichlet(np.linspace(2.0, 0.2, N), size=T)
Y = RNG.normal(size=T)
EXPERTS = Y[:, None] + RNG.normal(size=(T, N))
FORECAST = EXPERTS.mean(axis=1)
REGRETS = np.cumsum(RNG.normal(size=(T, N)), axis=0)
BOUND = 5 * np.sqrt(np.arange(1, T + 1))
NAMES = [f"expert {i}" for i in range(N)]
NAMES[3], NAMES[4] = "_$x^$", "a name that is much too long to be written beside a line"
ORACLES = [("uniform", 3.0), ("$best$ expert", 2.0), ("best convex", 1.5)]

PICTURES = {
    "weights": lambda ax: plots.weights_over_time(WEIGHTS, ax, names=NAMES),
    "residuals": lambda ax: plots.cumulative_residuals(EXPERTS, Y, FORECAST, ax, names=NAMES),
    "regrets": lambda ax: plots.regret_to_experts(REGRETS, ax, bound=BOUND, names=NAMES),
    "final regrets": lambda ax: plots.regret_to_experts(
        REGRETS[-1], ax, bound=BOUND[-1], names=NAMES
    ),
    "oracles": lambda ax: plots.oracle_bars(ORACLES, 2.5, ax),
}


@pytest.fixture(params=PICTURES.values(), ids=PICTURES)
def draw(request):
    return request.param


@pytest.fixture(autouse=True)
def closed():
    yield
    pyplot.close("all")


# --- every picture ---------------------------------------------------------------------------------


def test_files(draw, tmp_path):
    """PNG that is not blank, and well-formed SVG with names as they are."""
    image = pytest.importorskip("PIL.Image")
    axes = draw(None)
    save(axes.figure, tmp_path / "picture.png")
    with image.open(tmp_path / "picture.png") as picture:
        assert picture.format == "PNG"
        assert len(picture.convert("L").getcolors()) > 10
    save(axes.figure, str(tmp_path / "picture.svg"))
    text = (tmp_path / "picture.svg").read_text()
    assert ElementTree.fromstring(text).tag.endswith("svg")
    assert f"<!-- {axes.get_xlabel()} -->" in text


def test_axes_of_ones_own(draw):
    figure, (left, right) = pyplot.subplots(1, 2)
    assert draw(right) is right
    assert right.get_xlabel()
    assert not left.get_xlabel()
    assert figure.axes == [left, right]


def test_labels_lie_inside_and_apart(draw):
    """Titles, names of axes, ticks, texts beside lines and legends."""
    axes = draw(None)
    figure = axes.figure
    figure.draw_without_rendering()
    assert axes._left_title.get_text()
    assert axes.get_xlabel()
    texts = [axes._left_title, axes.xaxis.label, axes.yaxis.label, *axes.texts]
    for axis in (axes.xaxis, axes.yaxis):
        low, high = sorted(axis.get_view_interval())
        pairs = zip(axis.get_ticklabels(), axis.get_ticklocs())
        texts += [label for label, place in pairs if low <= place <= high]
    # the extent of an annotation has its line in it, that of a text has not
    plain = type(axes._left_title)
    boxes = [plain.get_window_extent(text) for text in texts if text.get_text()]
    check_boxes(figure, boxes)


# --- weights ---------------------------------------------------------------------------------------


def edges(area):
    """The lower and the upper edge of an area, by round."""
    corners = np.unique(area.get_paths()[0].vertices, axis=0)
    rounds = np.unique(corners[:, 0])
    heights = [corners[corners[:, 0] == t, 1] for t in rounds]
    return rounds, np.array([h.min() for h in heights]), np.array([h.max() for h in heights])


def test_areas_are_the_weights_the_largest_below():
    axes = plots.weights_over_time(WEIGHTS, names=NAMES)
    areas = axes.collections
    order = np.argsort(-WEIGHTS.mean(axis=0))
    streams = [*WEIGHTS.T[order[:9]], WEIGHTS[:, order[9:]].sum(axis=1)]
    assert len(areas) == 10
    low = np.zeros(T)
    for area, weight in zip(areas, streams):
        rounds, below, above = edges(area)
        np.testing.assert_array_equal(rounds, np.arange(1, T + 1))
        np.testing.assert_allclose(below, low, atol=1e-14)  # sums of ten numbers below 1
        np.testing.assert_allclose(above, low + weight, atol=1e-14)
        low = low + weight
    texts = [text.get_text() for text in axes.get_legend().get_texts()][::-1]
    shown = [name if len(name) < 25 else name[:23] + "…" for name in NAMES]
    expected = [f"{shown[i]}: {WEIGHTS[:, i].mean():.2f}" for i in order[:9]]
    assert texts == [*expected, f"3 others: {streams[-1].mean():.2f}"]
    # without colour: every named area has a hatch of its own
    assert len({area.get_hatch() for area in areas[:9]}) == 9


def test_few_experts_have_no_others():
    axes = plots.weights_over_time(WEIGHTS[:, :9])
    texts = [text.get_text().split(":")[0] for text in axes.get_legend().get_texts()]
    assert sorted(texts) == [str(i) for i in range(9)]


def test_neighbours_of_long_runs_are_drawn_as_their_mean():
    weights = np.tile([[1.0, 0.0], [0.5, 0.5]], (600, 1))  # as if one slept every second round
    rounds, _, above = edges(plots.weights_over_time(weights).collections[0])
    np.testing.assert_array_equal(rounds, 5.5 + 10 * np.arange(120))
    np.testing.assert_allclose(above, 0.75)


# --- lines -----------------------------------------------------------------------------------------


def ends(axes):
    """The texts beside the lines, with the heights that they point to."""
    return {text.get_text(): text.xy[1] for text in axes.texts}


def test_residuals_are_summed_and_level_while_asleep():
    sleepy = EXPERTS[:, :2].copy()
    sleepy[20:30, 1] = np.nan
    axes = plots.cumulative_residuals(sleepy, Y, FORECAST, names=["a", "b"])
    *lines, mixture = (line.get_xydata() for line in axes.lines)
    expected = np.zeros((T, 3))
    total = np.zeros(3)
    for t in range(T):
        for i, forecast in enumerate([*sleepy[t], FORECAST[t]]):
            total[i] += 0.0 if np.isnan(forecast) else Y[t] - forecast
        expected[t] = total
    order = [0, 1] if abs(total[0]) >= abs(total[1]) else [1, 0]
    np.testing.assert_array_equal(mixture[:, 0], np.arange(1, T + 1))
    for curve, i in zip((*lines, mixture), (*order, 2)):
        np.testing.assert_allclose(curve[:, 1], expected[:, i], atol=1e-12)  # 60 numbers of size 1
    assert ends(axes) == pytest.approx(dict(zip(["a", "b", "mixture"], total)), abs=1e-12)
    widths = [line.get_linewidth() for line in axes.lines]
    assert widths[-1] > max(widths[:-1])


def test_the_largest_regrets_have_names():
    axes = plots.regret_to_experts(REGRETS, bound=BOUND, names=NAMES)
    order = np.argsort(-REGRETS[-1])
    shown = [name if len(name) < 25 else name[:23] + "…" for name in NAMES]
    expected = {f"{shown[i]}: {REGRETS[-1, i]:.3g}": REGRETS[-1, i] for i in order[:9]}
    assert ends(axes) == expected | {f"bound: {BOUND[-1]:.3g}": BOUND[-1]}
    assert "grey: 3 others" in axes.get_title(loc="left")
    curves = [line.get_ydata() for line in axes.lines[:13]]
    drawn = [REGRETS[:, i] for i in (*order[9:], *order[:9])]
    np.testing.assert_array_equal(curves, [*drawn, BOUND])
    styles = {(str(line._dash_pattern), line.get_linewidth()) for line in axes.lines[3:12]}
    assert len(styles) == 9


@pytest.mark.parametrize("bound", [None, np.full(T, np.nan), np.full(T, np.inf)])
def test_no_bound_no_line(bound):
    axes = plots.regret_to_experts(REGRETS[:, :3], bound=bound)
    assert not any("bound" in text for text in ends(axes))
    assert len(ends(axes)) == 3


def test_a_bound_that_ends_early():
    bound = np.where(np.arange(T) < 40, BOUND, np.nan)
    assert (
        ends(plots.regret_to_experts(REGRETS, bound=bound))[f"bound: {BOUND[39]:.3g}"] == BOUND[39]
    )


def test_names_of_lines_that_end_together_are_in_order():
    close = np.tile([1.0, 1.001, 0.999, 9.0, 1.0], (T, 1))
    texts = plots.regret_to_experts(close, names="abcde").texts
    places = {text.get_text()[0]: text.xyann[1] for text in texts}
    assert sorted(places, key=places.get) == ["c", "a", "e", "b", "d"]
    assert np.diff(sorted(places.values())).min() > 0.3  # a line of text, of 8 that are shown


def test_names_do_not_leave_the_height_of_the_axes():
    for end in (-1.0, 1.0):
        axes = plots.regret_to_experts(np.linspace(0.0, end, T)[:, None] + np.zeros(9))
        low, high = axes.get_ylim()
        places = [text.xyann[1] for text in axes.texts]
        assert low <= min(places)
        assert max(places) <= high + 1e-12


def test_one_round():
    for axes in (
        plots.weights_over_time(WEIGHTS[:1]),
        plots.cumulative_residuals(EXPERTS[:1], Y[:1], FORECAST[:1]),
        plots.regret_to_experts(REGRETS[:1], bound=BOUND[:1]),
    ):
        axes.figure.draw_without_rendering()


# --- bars ------------------------------------------------------------------------------------------


def bars(axes):
    assert axes.yaxis_inverted()  # the first one is on top
    names = [label.get_text() for label in axes.get_yticklabels()]
    return dict(zip(names, (bar.get_width() for bar in axes.patches)))


def test_final_regrets_from_above():
    axes = plots.regret_to_experts([1.0, 3.0, -2.0], bound=4.0, names=["a", "b", "c"])
    assert list(bars(axes).items()) == [("b", 3.0), ("a", 1.0), ("c", -2.0)]
    assert "bound 4" in axes.get_title(loc="left")
    assert 4.0 in [line.get_xdata()[0] for line in axes.lines]
    many = plots.regret_to_experts(np.arange(100.0))
    assert list(bars(many).values()) == list(np.arange(100.0)[:69:-1])
    assert "the 30 largest of 100" in many.get_title(loc="left")


def test_oracles_and_the_mixture_among_them():
    axes = plots.oracle_bars(ORACLES, 2.5)
    assert list(bars(axes).items()) == [
        ("best convex", 1.5),
        ("$best$ expert", 2.0),
        ("mixture", 2.5),
        ("uniform", 3.0),
    ]
    assert [bool(bar.get_hatch()) for bar in axes.patches] == [False, False, True, False]
    assert [text.get_text() for text in axes.texts] == ["1.5", "2", "2.5", "3"]


# --- bad arguments ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: plots.weights_over_time([0.5, 0.5]), r"weights has shape \(2,\)"),
        (lambda: plots.weights_over_time([[1.5, -0.5]]), r"weights\[0, 1\] = -0.5 is negative"),
        (lambda: plots.weights_over_time([[np.nan]]), r"weights\[0, 0\] = nan"),
        (lambda: plots.weights_over_time([[1.0]], names=["a", "b"]), "names has 2 of them"),
        (lambda: plots.cumulative_residuals(EXPERTS, Y[:5], FORECAST), r"y has shape \(5,\)"),
        (lambda: plots.cumulative_residuals(EXPERTS, Y, FORECAST[:5]), r"forecast has shape \(5,\)"),
        (lambda: plots.cumulative_residuals(EXPERTS + np.inf, Y, FORECAST), r"experts\[0, 0\] = inf"),
        (lambda: plots.regret_to_experts(REGRETS, bound=BOUND[:5]), r"bound has shape \(5,\), not"),
        (lambda: plots.regret_to_experts(REGRETS * np.nan), r"regrets\[0, 0\] = nan"),
        (lambda: plots.regret_to_experts([]), "regrets is empty"),
        (lambda: plots.regret_to_experts(3.0), r"regrets has shape \(\)"),
        (lambda: plots.regret_to_experts([1.0], bound="high"), "bound=.* is not made of numbers"),
        (lambda: plots.regret_to_experts(REGRETS, bound="high"), "bound=.* is not made of numbers"),
        (lambda: plots.oracle_bars([], 1.0), "oracles is empty"),
        (lambda: plots.oracle_bars(ORACLES, "low"), "mixture_loss='low' is not a number"),
        (lambda: plots.oracle_bars([("best", np.nan)], 1.0), "the loss of best is nan"),
        (lambda: plots.oracle_bars(ORACLES, np.inf), "the loss of mixture is inf"),
    ],
)  # fmt: skip
def test_bad_arguments(call, message):
    with pytest.raises(ValueError, match=message):
        call()
