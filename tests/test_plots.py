"""Pictures are written, say what they show, can be told apart without colour and change nothing else."""

import inspect
import os
import subprocess
import sys
from xml.etree import ElementTree

import numpy as np
import pytest
from reference.pictures import check_boxes

from regretless import plots
from regretless.evaluate import Calibration, Curve, Validation
from regretless.plots.curves import picture_path


def validation(size=3000, seed=0, certified=0.1, batch=500):
    random = np.random.default_rng(seed)
    scores = Validation("binary", norms=() if certified is None else (3, 10))
    both = None if certified is None else (certified + 0.05, certified)
    for _ in range(0, size, batch):
        p = random.random(min(batch, size))
        y = random.random(len(p)) < p
        scores.add(-np.log(np.where(y, p, 1 - p)), None, (p > 0.5) != y, p, y, certified=both)
    return scores


def curves(count=3):
    return {f"learner {k}": validation(seed=k).curve for k in range(count)}


EMPTY = Curve(*[np.empty(0)] * 5)

PICTURES = {
    "learning_curves": lambda path: plots.learning_curves(curves(), path),
    "calibration": lambda path: plots.calibration(validation().calibration, path),
    "weight_bars": lambda path: plots.weight_bars({"a": 1.0, "b": -2.0}, path),
}


@pytest.fixture(params=PICTURES.values(), ids=PICTURES)
def draw(request):
    return request.param


# --- files -----------------------------------------------------------------------------------------


def test_png(draw, tmp_path):
    """A picture that is not blank."""
    image = pytest.importorskip("PIL.Image")
    draw(tmp_path / "picture.png")
    with image.open(tmp_path / "picture.png") as picture:
        assert picture.format == "PNG"
        assert min(picture.size) >= 250
        assert len(picture.convert("L").getcolors()) > 10


def test_svg(draw, tmp_path):
    """Well-formed, whatever the case of the suffix, and with the axes' names."""
    figure = draw(str(tmp_path / "picture.SVG"))
    text = (tmp_path / "picture.SVG").read_text()
    assert ElementTree.fromstring(text).tag.endswith("svg")
    assert f"<!-- {figure.axes[-1].get_xlabel()} -->" in text


@pytest.mark.parametrize("name", ["picture.pdf", "picture", ".png", "picture.png.gz"])
def test_other_suffixes(draw, tmp_path, name):
    """They are named together with those allowed, and nothing is written."""
    with pytest.raises(ValueError, match=r"ends in '[.a-z]*', but must end in \.png or \.svg"):
        draw(tmp_path / name)
    assert not list(tmp_path.iterdir())
    assert picture_path("x/y.PNG").name == "y.PNG"


def test_without_a_path_nothing_is_written(draw, tmp_path, monkeypatch):
    """There is only the figure."""
    monkeypatch.chdir(tmp_path)
    assert type(draw(None)).__name__ == "Figure"
    assert not list(tmp_path.iterdir())


def test_nothing_global_changes(tmp_path):
    """No matplotlib before something is drawn, no pyplot after, and its settings as they were."""
    code = """
        import sys
        from regretless import evaluate, plots
        assert "matplotlib" not in sys.modules
        import matplotlib
        before = matplotlib.rcParams.copy()  # to look at all of it would load pyplot
        plots.weight_bars({"a": 1.0}, sys.argv[1])
        assert "matplotlib.pyplot" not in sys.modules
        assert matplotlib.rcParams.copy() == before
    """
    path = {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    command = [sys.executable, "-c", inspect.cleandoc(code), tmp_path / "weights.png"]
    subprocess.run(command, env=path, check=True)


# --- every picture is labelled ---------------------------------------------------------------------


def test_labels(draw):
    """A title, and a name for each axis that is not shared."""
    figure = draw(None)
    assert figure.axes[0].get_title(loc="left")
    assert figure.axes[-1].get_xlabel()
    if len(figure.axes[0].patches) == 0:  # bars are named one by one
        assert all(axes.get_ylabel() for axes in figure.axes)


def test_no_text_overlaps(draw, tmp_path):
    """Titles, axis names, ticks and legends do not touch, and lie inside of the picture."""
    figure = draw(tmp_path / "picture.png")
    figure.draw_without_rendering()
    boxes = [
        text.get_window_extent()
        for axes in figure.axes
        for text in (axes.title, axes._left_title, axes.xaxis.label, axes.yaxis.label)
        if text.get_text()
    ]
    boxes += [
        label.get_window_extent()
        for axes in figure.axes
        for axis in (axes.xaxis, axes.yaxis)
        for label, place in zip(axis.get_ticklabels(), axis.get_ticklocs())
        if label.get_text()
        and min(axis.get_view_interval()) <= place <= max(axis.get_view_interval())
    ]
    check_boxes(figure, boxes)


# --- learning curves -------------------------------------------------------------------------------


def test_curves_are_drawn_as_they_are():
    """The line is the mean so far, the markers are the means between."""
    curve = validation(certified=None).curve
    faint, line = plots.learning_curves({"coin": curve}).axes[0].lines
    np.testing.assert_array_equal(line.get_xydata(), np.c_[curve.examples, curve.mean_loss])
    np.testing.assert_array_equal(
        faint.get_xydata(), np.c_[curve.examples, curve.interval_mean_loss]
    )
    assert faint.get_linestyle() == "None"
    assert faint.get_alpha() < 0.5


def test_curves_differ_without_colour():
    """Up to 35 learners have a pair of dashes and marker of their own."""
    curve = validation(size=20, batch=20, certified=None).curve
    axes = plots.learning_curves({f"{k}": curve for k in range(35)}).axes[0]
    styles = {(str(line._dash_pattern), line.get_marker()) for line in axes.lines[1::2]}
    assert len(styles) == 35


def test_legend_has_names_and_last_values():
    """Also names that matplotlib would hide, or take for a formula."""
    named = dict(zip(["_hidden", "$x^$", "plain"], curves().values()))
    figure = plots.learning_curves(named)
    figure.draw_without_rendering()
    texts = [text.get_text() for text in figure.legends[0].get_texts()]
    assert texts == [f"{name}: {curve.mean_loss[-1]:.4g}" for name, curve in named.items()] + [
        "no linear model of norm 3, 10 is below: 0.15, 0.1"
    ]


def test_band_is_the_best_certificate_where_it_is_known():
    """Drawn at the ends of batches, not at the points inside of them; the highest of all curves."""
    low, high = validation(certified=0.1).curve, validation(certified=0.2, batch=1000).curve
    figure = plots.learning_curves({"low": low, "high": high})
    (band,) = figure.axes[0].collections
    assert band.get_hatch()
    corners = {tuple(corner) for corner in band.get_paths()[0].vertices.tolist()}
    top = {x: max(y for at, y in corners if at == x) for x, _ in corners}
    three, ten = (line for line in figure.axes[0].lines if line.get_color() == "0.45")
    assert ten.get_xdata().tolist() == [500, 1000, 1500, 2000, 2500, 3000]
    np.testing.assert_allclose(three.get_ydata(), ten.get_ydata() + 0.05)
    names = [text.get_text() for text in figure.axes[0].texts]
    assert names == ["norm 3", "norm 10"]
    assert top == {500: 0.1, 1000: 0.2, 1500: 0.1, 2000: 0.2, 2500: 0.1, 3000: 0.2}


def test_no_band_without_a_certificate():
    """Nor a line in the legend."""
    figure = plots.learning_curves({"coin": validation(certified=None).curve})
    assert not figure.axes[0].collections
    assert len(figure.legends[0].get_texts()) == 1


def test_the_end_of_every_curve_is_inside():
    """However badly some of them began."""
    good = validation().curve
    wild = Curve(
        good.examples,
        1e6 / good.examples + good.mean_loss,
        *[good.mean_loss] * 3,
        good.certified,
        norms=good.norms,
    )
    axes = plots.learning_curves({"good": good, "wild": wild}).axes[0]
    (left, right), (bottom, top) = axes.get_xlim(), axes.get_ylim()
    for curve in (good, wild):
        assert left < curve.examples[-1] < right
        assert bottom < curve.mean_loss[-1] < top
        assert bottom < curve.certified[-1].min()
    assert bottom >= 0


def test_a_report_draws_where_it_is_told():
    """On axes of the user's own, or on new ones, which are returned."""
    from matplotlib.figure import Figure

    report = validation(certified=None).report(1.0, "coin")
    ax = Figure().add_subplot()
    assert report.plot(ax, loss_name="log loss") is ax
    assert ax.get_ylabel() == "log loss, mean per example"
    faint, line = ax.lines
    np.testing.assert_array_equal(line.get_ydata(), report.curve.mean_loss)
    assert len(faint.get_xdata()) == report.rounds
    assert report.plot().get_xlabel() == "examples seen"


def test_odd_curves():
    """One example, all the same, no weight, infinite losses: drawn without a warning."""
    one, same = np.array([1]), np.full(3, 0.5)
    plots.learning_curves({"one": Curve(one, *[np.array([0.5])] * 4)})
    plots.learning_curves({"same": Curve(np.array([1, 2, 3]), *[same] * 4)})
    for value in (np.nan, np.inf, 0.0):
        plots.learning_curves({"odd": Curve(np.array([1, 2, 3]), *[np.full(3, value)] * 4)})


def test_empty_curves():
    """There is nothing to draw, and that is said."""
    with pytest.raises(ValueError, match=r"curves\['coin'\] is empty: nothing has been predicted"):
        plots.learning_curves({"coin": EMPTY})
    with pytest.raises(ValueError, match="curves is empty"):
        plots.learning_curves({})
    with pytest.raises(ValueError, match="is empty"):
        Validation("binary").report(0.0, "coin").plot()


# --- calibration -----------------------------------------------------------------------------------


def wilson(share, weight):
    """The interval by its definition: the p that are within two standard errors of the share."""
    p = np.linspace(0, 1, 200_001)
    inside = p[np.abs(share - p) <= 2 * np.sqrt(p * (1 - p) / weight) + 1e-12]
    return inside[0], inside[-1]


def test_calibration_is_drawn_as_it_is():
    """Points, intervals and counts."""
    bins = Calibration(
        np.array([40.0, 0.0, 10.0, 3.0]),
        np.array([5.0, 0.0, 6.0, 2.9]),
        np.array([4.0, 0.0, 5.0, 3.0]),
    )
    above, below = plots.calibration(bins).axes
    (points, _, (bars,)) = above.containers[0]
    full = [0, 2, 3]
    np.testing.assert_allclose(points.get_xydata(), np.c_[bins.predicted, bins.observed][full])
    for bar, k in zip(bars.get_segments(), full):
        np.testing.assert_allclose(bar[:, 1], wilson(bins.observed[k], bins.weight[k]), atol=1e-5)
    assert [bar.get_height() for bar in below.patches] == [40, 0, 10, 3]
    assert [bar.get_x() for bar in below.patches] == [0, 0.25, 0.5, 0.75]
    assert f"{bins.error:.3f}" in above.get_title(loc="left")


def test_calibration_of_a_report():
    """The learner is named; without probabilities there is no picture."""
    report = validation().report(1.0, "coin $1$")
    assert "coin $1$" in plots.calibration(report).axes[0].get_title(loc="left")
    with pytest.raises(ValueError, match="has no probabilities"):
        plots.calibration(Validation("regression").report(1.0, "coin"))


# --- weights ---------------------------------------------------------------------------------------


def test_the_strongest_weights_from_above():
    """By absolute value, negative ones hatched, each with its number."""
    random = np.random.default_rng(0)
    weights = {f"feature {k}": value for k, value in enumerate(random.normal(size=100))}
    axes = plots.weight_bars(weights, top=7).axes[0]
    expected = sorted(weights, key=lambda name: abs(weights[name]), reverse=True)[:7]
    assert [label.get_text() for label in axes.get_yticklabels()] == expected
    for bar, name in zip(axes.patches, expected):
        assert bar.get_width() == weights[name]
        assert bool(bar.get_hatch()) == (weights[name] < 0)
    assert [text.get_text() for text in axes.texts] == [f"{weights[name]:.3g}" for name in expected]
    low, high = axes.get_ylim()
    assert low > high  # the first one is on top
    assert "7 strongest of 100" in axes.get_title(loc="left")


def test_names_of_all_sorts(tmp_path):
    """Tuples, numbers, formulas, and such as are too long, shortened in the middle."""
    long = "a" * 50 + "*" + "b" * 50
    figure = plots.weight_bars({("a", 1): 4.0, 3: 3.0, "$x^$": 2.0, long: 1.0}, tmp_path / "w.svg")
    names = [label.get_text() for label in figure.axes[0].get_yticklabels()]
    assert names[:3] == ["('a', 1)", "3", "$x^$"]
    assert names[3] == "a" * 20 + "…" + "b" * 19


@pytest.mark.parametrize(
    ("weights", "top", "message"),
    [
        ({}, 20, "weights is empty"),
        ({"a": 1.0}, 0, "top=0 must be a whole number"),
        ({"a": 1.0, "b": np.nan}, 20, r"weights\['b'\] = nan"),
    ],
)
def test_bad_weights(weights, top, message):
    """Named before anything is drawn."""
    with pytest.raises(ValueError, match=message):
        plots.weight_bars(weights, top=top)
