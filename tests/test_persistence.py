"""Copies, pickles and files: a learner that stopped goes on as if it never had."""

import copy
import datetime
import enum
import inspect
import json
import math
import os
import pickle
from functools import partial

import numpy as np
import pytest
from safetensors import safe_open
from safetensors.numpy import save_file

from regretless import geometry, losses, rates, rules
from regretless.linear import (
    AutoClassifier,
    AutoRegressor,
    BalancedWinnow,
    KernelPerceptron,
    LinearClassifier,
    LinearRegressor,
    MarginPerceptron,
    OnlineSVM,
    PassiveAggressive,
    Perceptron,
    PNormPerceptron,
    PrimalDual,
)
from regretless.linear import PassiveAggressiveRegressor as Aggressor

C, R = LinearClassifier, LinearRegressor
RULES = list(rules.RULES)
LEARNERS = [
    *(partial(C, rule=rule) for rule in RULES),
    *(partial(R, rule=rule) for rule in RULES),
    *(partial(C, loss=loss) for loss in ("hinge", "squared_hinge", "exponential", "perceptron")),
    *(partial(R, loss=loss) for loss in ("absolute", "quantile", "epsilon_insensitive")),
    partial(C, rule=rules.AdaGrad(0.5, scale_invariant=True), loss=losses.Hinge(0.5)),
    partial(C, rule=rules.OGD(rates.InverseSqrt(0.3), radius=2.0), loss=losses.SquaredHinge(2.0)),
    partial(C, rule=rules.OGD(rates.Inverse(0.3), lazy=True, radius=2.0), intercept=False),
    partial(C, rule=rules.OGD(invariant=True), rate=rates.Constant(0.3), l1=0.01, l2=0.1, seed=7),
    partial(C, rule=rules.FTRL(0.2, beta=0.5), l1=0.1, l2=0.2),
    partial(R, rule=rules.EG(radius=3.0, rate=0.1), loss=losses.Quantile(0.9)),
    partial(
        R, rule=rules.PNorm(p=3, rate=rates.Constant(0.01)), loss=losses.EpsilonInsensitive(0.2)
    ),
    *(partial(AutoClassifier, **options) for options in ({}, {"loss": "hinge"}, {"drift": 0.1})),
    partial(AutoRegressor, loss="absolute"),
    partial(Perceptron, rate=0.5),
    *(partial(Perceptron, average=average) for average in ("survival", "uniform", "vote")),
    partial(MarginPerceptron, margin=0.5),
    partial(PNormPerceptron, p=3),
    partial(BalancedWinnow, radius=2.0),
    partial(OnlineSVM, C=2.0, rate=rates.InverseSqrt(0.5), projection=True, at_kink="shrink"),
    partial(OnlineSVM, C=2.0),
    partial(KernelPerceptron, kernel="polynomial", gamma=0.5),
    partial(KernelPerceptron, kernel="linear", average="survival", budget=9),
    partial(PrimalDual, C=0.5, margin=2.0),
    partial(PrimalDual, geometry=geometry.PNorm(3), update="exact", seed=3),
    partial(PrimalDual, geometry=geometry.Entropy(2.0), update="block", window=2),
    partial(PrimalDual, update="sequential", order="random", steps=3),
    *(partial(PassiveAggressive, mode=mode, C=0.5, margin=2.0) for mode in ("exact", "I", "II")),
    partial(Aggressor, mode="II", epsilon=0.5),
]
every_learner = pytest.mark.parametrize(
    "make", LEARNERS, ids=lambda m: f"{m.func.__name__} {list(m.keywords.values())}"
)


def made(make, **options):
    """A learner with those of the options that it has."""
    known = inspect.signature(make.func).parameters
    return make(**{name: value for name, value in options.items() if name in known})


def on_disk(model, path):
    model.save(path / "model")
    return type(model).load(path / "model")


WAYS = {
    "pickle": lambda model, _: pickle.loads(pickle.dumps(model)),
    "deepcopy": lambda model, _: copy.deepcopy(model),
    "file": on_disk,
}
every_way = pytest.mark.parametrize("way", WAYS.values(), ids=WAYS)


def stream(model, start, stop):
    """Rows that bring new names, categories, columns and labels all the time."""
    for t in range(start, stop):
        rng = np.random.default_rng(t)
        x = {f"f{j}": float(v) for j, v in enumerate(rng.normal(size=3))}
        x |= {f"new {t // 3}": 1.0, "kind": "abc"[t % 3], t: 0.5, "é\0": True}
        number = int(rng.integers(2 + t // 10))
        yield x, f"label {number}" if hasattr(model, "classes_") else float(number)


def state(model):
    """Everything a learner has learned, as bytes."""
    arrays = {name: array.tobytes() for name, array in model._model.state().items()}
    return arrays, model._model.lanes, list(getattr(model, "classes_", []))


# --- going on ------------------------------------------------------------------------------------


# how features are kept matters to files; in memory all is copied alike
@pytest.mark.parametrize(
    ("features", "way"),
    [*(("exact", way) for way in WAYS.values()), ("hashed", WAYS["file"])],
    ids=[*WAYS, "hashed, file"],
)
@pytest.mark.parametrize("certify", [False, True], ids=["", "certified"])
@every_learner
def test_going_on_is_never_having_stopped(make, certify, features, way, tmp_path):
    """Bit for bit, also for features and labels that appear afterwards."""
    whole, model = (made(make, certify=certify, features=features, bits=5) for _ in range(2))
    for x, y in stream(model, 0, 12):
        whole.learn_one(x, y)
        model.learn_one(x, y)
    resumed = way(model, tmp_path)
    assert resumed.get_params() == model.get_params()
    assert state(resumed) == state(model)
    for x, _ in stream(model, 9, 15):
        assert resumed.decision_one(x) == whole.decision_one(x)
    stopped = state(model)
    for x, y in stream(model, 12, 24):
        whole.learn_one(x, y)
        resumed.learn_one(x, y)
    assert state(resumed) == state(whole)
    assert state(model) == stopped != state(whole)
    for name in ("weights_", "intercept_", "support_vectors_"):
        assert getattr(resumed, name, None) == getattr(whole, name, None)
    assert (resumed.loss_, resumed.examples_) == (whole.loss_, 24)
    if whole.certify:
        assert resumed.certificate() == whole.certificate()


@every_way
@every_learner
def test_learners_that_have_seen_nothing(make, way, tmp_path):
    """They can be stored, too."""
    model = way(make(), tmp_path)
    fresh = make()
    for x, y in stream(model, 0, 5):
        assert model.step(x, y) == fresh.step(x, y)
    assert state(model) == state(fresh)


def test_a_shallow_copy_is_a_learner_of_its_own():
    """Nothing that it learns reaches the one it was copied from, new labels neither."""
    model = LinearClassifier()
    for x, y in stream(model, 0, 20):
        model.learn_one(x, y)
    before, twin = state(model), copy.copy(model)
    for x, y in stream(model, 20, 40):
        twin.learn_one(x, y)
    assert state(model) == before != state(twin)


@every_learner
def test_options(make):
    """`clone` keeps the options and nothing else; `set_params` starts afresh."""
    model = make()
    for x, y in stream(model, 0, 5):
        model.learn_one(x, y)
    twin = model.clone()
    assert (twin.examples_, getattr(twin, "weights_", {}), twin.loss_) == (0, {}, 0.0)
    assert twin.get_params() == model.get_params() == make().get_params()
    assert {name: model.get_params()[name] for name in make.keywords} == make.keywords
    assert model.set_params(intercept=False) is model
    assert (model.examples_, model.intercept) == (0, False)


@every_way
@pytest.mark.parametrize(
    "labels",
    [
        [False, True],
        [0, 1, -(2**70)],
        [0.1, 1e-300, -math.inf],
        ["", "😀", "a\0b", "\ud800"],
        [(1, "a"), (), (2.5, None, (True, "b"))],
    ],
    ids=ascii,
)
def test_labels_survive(labels, way, tmp_path):
    """With their types."""
    model = LinearClassifier()
    for k, label in enumerate(labels * 3):
        model.learn_one({k % len(labels): 1.0}, label)
    resumed = way(model, tmp_path)
    for k, label in enumerate(labels):
        assert resumed.predict_one({k: 1.0}) == label
        assert type(resumed.predict_one({k: 1.0})) is type(label)
    assert list(resumed.predict_proba_one({})) == list(model.predict_proba_one({}))


Mood = enum.Enum("Mood", "SAD GLAD")


@pytest.mark.parametrize("label", [b"raw", datetime.date(2020, 1, 1), frozenset(), Mood.SAD, 1j])
def test_labels_that_no_file_can_hold(label, tmp_path):
    """The error names the label; pickles hold anything."""
    model = LinearClassifier()
    model.learn_one({"a": 1.0}, label)
    with pytest.raises(
        ValueError, match=rf"labels.0=.*: a {type(label).__name__} cannot be saved to a file"
    ):
        model.save(tmp_path / "model")
    assert not list(tmp_path.iterdir())


# --- files that are not what they should be ------------------------------------------------------


@pytest.fixture
def file(tmp_path):
    """A small model, with three labels, categories, names and columns."""
    model = LinearClassifier(rule="ogd", rate=rates.InverseSqrt(0.5))
    for x, y in [({"a": 1.0}, "p"), ({"é": "x", 7: 1}, "q"), ({"a": 2.0, -(2**50): 1.0}, "r")]:
        model.learn_one(x, y)
    model.save(tmp_path / "model")
    return tmp_path / "model"


def refused_or_usable(path):
    """A ValueError that names the file, or a learner that works."""
    try:
        model = LinearClassifier.load(path)
    except ValueError as error:
        assert str(path) in str(error)  # noqa: PT017
        return False
    assert isinstance(model.weights_, dict)
    model.predict_proba_one({"a": 1.0, "é": "x", "new": 1.0, 7: 2.0})
    model.predict(np.ones((2, 9)))
    try:
        for label in dict.fromkeys([*model.classes_.tolist(), "p", "new"]):
            model.learn_one({"a": 1.0, "new": 1.0, 7: 1.0}, label)
    except (ArithmeticError, ValueError):  # a weight or a label may have become anything
        pass
    return True


def test_every_truncation(file):
    """A file cut short anywhere is refused; so is one with more than belongs to it."""
    whole = file.read_bytes()
    assert refused_or_usable(file)
    for length in range(len(whole)):
        file.write_bytes(whole[:length])
        assert not refused_or_usable(file), length
    file.write_bytes(whole + b"\0" * 8)
    assert not refused_or_usable(file)


@pytest.mark.parametrize("seed", range(8))
def test_flipped_bits(file, seed):
    """A file with random damage is refused or gives a learner; the process lives on."""
    whole, rng = file.read_bytes(), np.random.default_rng(seed)
    for _ in range(100):
        damaged = bytearray(whole)
        for place in rng.integers(0, len(whole), rng.integers(1, 4)):
            damaged[place] = (
                rng.integers(256) if seed % 2 else damaged[place] ^ 1 << rng.integers(8)
            )
        file.write_bytes(damaged)
        refused_or_usable(file)


def rewrite(path, change):
    """Change the description of a model file, which may be replaced by a text, or its arrays."""
    with safe_open(path, framework="numpy") as stored:
        description = json.loads(stored.metadata()["regretless"])
        arrays = {name: stored.get_tensor(name) for name in stored.keys()}  # noqa: SIM118
    text = change(description, arrays)
    text = text if isinstance(text, str) else json.dumps(description)
    save_file(arrays, path, metadata={"regretless": text})


def labelled(*items):
    return {"labels": list(items)}


DAMAGE = {
    "one lane": lambda d, a: d.update(lanes=1),
    "list of options": lambda d, a: d.update(options=[1]),
    "other features": lambda d, a: d["options"].update(features="hashed", bits=20),
    "few labels": lambda d, a: d.update(labelled("p", "q")),
    "many labels": lambda d, a: d.update(labelled(*"pqrs")),
    "one label twice": lambda d, a: d.update(labelled("p", "p", "q")),
    **{
        f"no {name}": lambda d, a, name=name: d.pop(name) for name in ("lanes", "options", "labels")
    },
    "deep list": lambda d, a: "[" * 10**5 + "]" * 10**5,
}


@pytest.mark.parametrize("change", DAMAGE.values(), ids=DAMAGE)
def test_damaged_descriptions(file, change):
    """Each part is checked against the others."""
    rewrite(file, change)
    with pytest.raises(ValueError, match=str(file)):
        LinearClassifier.load(file)


CHANGES = [
    lambda a: a[:-1],
    np.zeros_like,
    lambda a: np.frombuffer(b"\xff" * a.nbytes, a.dtype),
]


@pytest.mark.parametrize("name", LinearClassifier()._start().state())
def test_damaged_arrays(file, name):
    """Whatever has become of an array, the file is refused or gives a learner that works."""
    whole = file.read_bytes()
    for change in CHANGES:
        file.write_bytes(whole)
        rewrite(file, lambda _, arrays, change=change: arrays.update({name: change(arrays[name])}))
        refused_or_usable(file)


def test_files_of_others(file, tmp_path):
    """The message says what the file is, or that it is not ours."""
    with pytest.raises(ValueError, match=r"model holds a LinearClassifier, not a LinearRegressor"):
        LinearRegressor.load(file)
    rewrite(file, lambda d, a: d.update(format=99))
    with pytest.raises(ValueError, match=r"model has format 99, and this .* reads format 3"):
        LinearClassifier.load(file)
    save_file({"weights": np.ones(3)}, file)
    with pytest.raises(ValueError, match="model was not written by regretless"):
        LinearClassifier.load(file)
    for content in (b"", b"just text\n", b"\x93NUMPY", pickle.dumps(1), b"\xff" * 1000):
        file.write_bytes(content)
        with pytest.raises(ValueError, match="model is not a model file"):
            LinearClassifier.load(str(file))
    with pytest.raises((ValueError, OSError), match=str(tmp_path)):
        LinearClassifier.load(tmp_path)
    with pytest.raises(FileNotFoundError, match="missing"):
        LinearClassifier.load(tmp_path / "missing")


# --- saving --------------------------------------------------------------------------------------


@pytest.mark.parametrize("fails", ["replace", "fsync"])
def test_saving_is_all_or_nothing(file, fails, monkeypatch):
    """When it fails the old file is as it was, and nothing else is left."""
    before = file.read_bytes()

    def full(*_):
        raise OSError("disk full")

    monkeypatch.setattr(os, fails, full)
    with pytest.raises(OSError, match="disk full"):
        LinearClassifier().save(file)
    assert file.read_bytes() == before
    assert list(file.parent.iterdir()) == [file]


def test_where_to_save(file, tmp_path):
    """Over an existing file, under any name; a directory that is missing is named."""
    model = LinearRegressor()
    model.save(file)
    assert LinearRegressor.load(file).examples_ == 0
    model.save(str(tmp_path / "name with späces.safetensors"))
    with pytest.raises(OSError, match="missing"):
        model.save(tmp_path / "missing" / "model")
    (tmp_path / "folder").mkdir()
    with pytest.raises(OSError, match="folder"):
        model.save(tmp_path / "folder")
    os.mkfifo(tmp_path / "pipe")  # as for /dev/stdout: what is no file is not replaced by one
    with pytest.raises((OSError, ValueError), match="pipe"):
        model.save(tmp_path / "pipe")
    assert (tmp_path / "pipe").is_fifo()
    assert len(list(tmp_path.iterdir())) == 4


def test_who_may_read_the_file(tmp_path):
    """As with any other file, the umask says."""
    (tmp_path / "plain").touch()
    LinearRegressor().save(tmp_path / "model")
    assert (tmp_path / "model").stat().st_mode == (tmp_path / "plain").stat().st_mode
