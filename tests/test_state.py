"""What a file says is checked before an object is made of it."""

import contextlib
import json
import pickle

import numpy as np
import pytest
from fuzz.files import ENTRIES, parsed, written

from regretless import bandits, boosting, experts, oco
from regretless._core import Diverged
from regretless.base import persistence, state
from regretless.classes import SOA, FiniteClass
from regretless.linear import LinearClassifier, PrimalDual
from regretless.newton import NewtonClassifier


def damaged(player, path, *, arrays=None, **values):
    """Save a player with some values and arrays changed, given as functions of what they were."""
    player.save(path)
    description, tensors = parsed(path.read_bytes())
    for name, change in values.items():
        description[name] = change(description[name])
    tensors |= {name: change(tensors[name]) for name, change in (arrays or {}).items()}
    path.write_bytes(written(description, tensors))
    return path


def put(at, value):
    """An array with another number in a place."""

    def change(array):
        out = array.copy()
        out.flat[at] = value
        return out

    return change


MIXING = [
    entry
    for entry in ENTRIES
    if isinstance(entry.make(0), experts.ExpertPlayer)
    if hasattr(experts, type(entry.make(0)).__name__)
    if "prior" in entry.make(0)._options()
]


@pytest.mark.parametrize("entry", MIXING, ids=lambda entry: entry.name)
@pytest.mark.parametrize("value", [-5.0, np.nan, np.inf, 0.0, 2.0])
def test_a_prior_that_is_not_one(entry, value, tmp_path):
    """One number of the prior is another: it was a crash when the weights were asked for."""
    player, path = entry.make(1), tmp_path / "player"
    player.save(path)
    description, tensors = parsed(path.read_bytes())
    description["options"]["prior"] = {"array": "options.prior"}
    path.write_bytes(written(description, tensors | {"options.prior": put(0, value)(player.prior)}))
    with pytest.raises(ValueError, match=r"player is damaged: .*prior"):
        type(player).load(path)


@pytest.mark.parametrize("model", ["bernoulli", "gaussian"])
def test_numbers_of_thompson_sampling(model, tmp_path):
    """Every number of the state, one after the other: some were endless loops and crashes."""
    player = bandits.ThompsonSampling(4, model=model, seed=3)
    player.run(np.random.default_rng(0).random((20, 4)))
    player.act()
    good = player._engine.state()
    refused = 0
    for at in range(len(good)):
        for value in (np.nan, -1.0, 0.5, 1e300, good[at] + 1):
            path = damaged(player, tmp_path / "player", arrays={"state": put(at, value)})
            try:
                other = bandits.ThompsonSampling.load(path)
            except ValueError as error:
                assert "is damaged" in str(error)  # noqa: PT017
                refused += 1
                continue
            other.update(0.5)
            assert 0 <= other.act() < 4
            assert np.isfinite(other.beliefs).all()
    assert refused > 3 * len(good)


LEARNERS = {
    "ftrl": lambda: LinearClassifier(rule="ftrl", certify=True),
    "pnorm": lambda: LinearClassifier(rule="pnorm"),
    "dual": PrimalDual,
    "oja": lambda: NewtonClassifier(size=2, diagonal=False, alpha=1.0),
    "fd": lambda: NewtonClassifier(sketch="fd", size=2, diagonal=False, alpha=1.0),
    "boosted": lambda: boosting.OnlineBBM(n=2),
}


@pytest.mark.parametrize("name", LEARNERS)
def test_numbers_of_learners(name, tmp_path):
    """Every number, one after the other: what is told is a number or an error, also later."""
    model, random = LEARNERS[name](), np.random.default_rng(0)
    X, y = random.normal(size=(12, 3)), random.integers(0, 2, 12)
    model.learn_many(X[:6], y[:6])
    model.save(tmp_path / "model")
    _, tensors = parsed((tmp_path / "model").read_bytes())
    for part, numbers in tensors.items():
        if numbers.dtype.kind != "f":
            continue
        for at in range(numbers.size):
            for value in (5e-324, 1e-300, 1e30, 3e38, -1e45, 1e300):
                with np.errstate(over="ignore"):
                    changed = put(at, numbers.dtype.type(value))
                path = damaged(model, tmp_path / "model", arrays={part: changed})
                with contextlib.suppress(ValueError, Diverged):
                    other = type(model).load(path)
                    for t in range(6, 9):
                        told = other.decision_one(dict(enumerate(X[t])))
                        assert np.isfinite(told).all(), (part, at, value)
                        other.learn_one(dict(enumerate(X[t])), y[t])
                    assert np.isfinite(other.decision_function(X)).all(), (part, at, value)


def test_estimates_times_a_wide_range(tmp_path):
    """Regrets are numbers, or the file is refused."""
    player = bandits.Exp3(3, range=(0.0, 1e150), seed=1)
    player.run(1e150 * np.random.default_rng(0).random((5, 3)))
    for at in range(len(player._engine.state())):
        path = damaged(player, tmp_path / "player", arrays={"state": put(at, 1e250)})
        with contextlib.suppress(ValueError):
            other = bandits.Exp3.load(path)
            assert np.isfinite(other.regrets).all(), at
            assert np.isfinite(other.loss), at


def test_a_version_space_that_is_not_of_the_class(tmp_path):
    soa = SOA(FiniteClass.thresholds(9))
    soa.learn_one(3, 1)
    for at, value in ((0, 2**31), (0, 3), (-1, 10)):
        path = damaged(soa, tmp_path / "soa", arrays={"ids": put(at, value)})
        with pytest.raises(ValueError, match="soa is damaged: ids"):
            SOA.load(path)


def test_notes_of_another_length(tmp_path):
    """The advice of a choice that waits was read beyond its end."""
    player = bandits.Exp4(3, 2)
    player.act(np.full((2, 3), 1 / 3))
    assert player._engine.state()[-3] == 2  # how many notes
    cut = {"state": lambda s: np.append(s[:-3], 0.0)}
    path = damaged(player, tmp_path / "exp4", arrays=cut)
    with pytest.raises(ValueError, match="notes of a waiting choice"):
        bandits.Exp4.load(path)


def test_a_rank_beyond_the_dimension(tmp_path):
    player = oco.InvariantNewtonStep(3)
    player.update([0.5, 0.0, 0.0])
    for at in range(len(player._engine.state())):
        path = damaged(player, tmp_path / "newton", arrays={"state": put(at, 1e9)})
        try:
            other = oco.InvariantNewtonStep.load(path)
        except ValueError:
            continue
        for z in np.eye(3):
            other.look(z)
            other.update(z / 4)
        assert np.isfinite(other.point).all()


def test_parts_that_are_unknown_or_missing(tmp_path):
    path = tmp_path / "hedge"
    experts.Hedge(3).save(path)
    description, arrays = parsed(path.read_bytes())
    options = {k: v for k, v in description["options"].items() if k != "rate"}
    for wrong, more, said in (
        (description | {"spam": 1}, {}, "'spam' is unknown"),
        (description, {"spam": np.zeros(1)}, "'spam' is unknown"),
        (description | {"options": options}, {}, "'rate' is missing"),
        ({k: v for k, v in description.items() if k != "names"}, {}, "'names' is missing"),
        (
            description | {"options": description["options"] | {"n": 10**12}},
            {},
            "n=10+ is more than",
        ),
    ):
        path.write_bytes(written(wrong, arrays | more))
        with pytest.raises(ValueError, match=f"hedge is damaged: .*{said}"):
            experts.Hedge.load(path)


@pytest.mark.parametrize(
    "text",
    [
        '{"format": 3, "class": "Hedge", "class": "Hedge"}',
        '{"format": 3, "class": NaN}',
        '{"format": 3, "loss": 1e999}',
        '{"format": 3, "loss": ' + "9" * 5000 + "}",
        '{"format": ' + "[" * 10**5 + "]" * 10**5 + "}",
        "[2]",
        "null",
        "",
    ],
)
def test_text_that_no_writer_writes(text, tmp_path):
    (tmp_path / "hedge").write_bytes(written(None, {"state": np.zeros(3)}, text))
    with pytest.raises(ValueError, match="hedge was not written by regretless"):
        experts.Hedge.load(tmp_path / "hedge")


def test_a_file_of_the_version_before(tmp_path):
    """It says so."""
    header = json.dumps({"format": 1, "class": "Hedge"})
    (tmp_path / "old").write_bytes(written(None, {"state": np.zeros(3)}, header))
    with pytest.raises(ValueError, match=r"format 1, .* 0\.1 have to be trained again"):
        experts.Hedge.load(tmp_path / "old")


def test_a_pickle_goes_the_same_way():
    """An engine's state is checked wherever it comes from."""
    player = experts.Hedge(3)
    player.update([0.0, 1.0, 1.0])
    kept = player.__getstate__()
    kept["_engine"][0] = -1.0
    with pytest.raises(ValueError, match="rounds = -1"):
        experts.Hedge.__new__(experts.Hedge).__setstate__(kept)
    assert pickle.loads(pickle.dumps(player)).rounds == 1


def test_a_state_that_is_refused_changes_nothing():
    player = experts.Hedge(3)
    player.update([0.0, 1.0, 1.0])
    good = player._engine.state()
    for at in range(len(good)):
        with pytest.raises(ValueError, match="is not a"):
            player._engine.restore(put(at, np.nan)(good))
        assert (player._engine.state() == good).all()


def test_experts_of_whom_nobody_can_play():
    """The core does not look into nothing."""
    from regretless import _core

    for prior in ([0.0, 0.0], [-1.0, 2.0], [np.nan, 1.0]):
        with pytest.raises(ValueError, match="prior"):
            _core.hedge(prior, _core.HedgeSchedule.fixed, 1.0)
    with pytest.raises(ValueError, match="somebody must be awake"):
        _core.hedge([0.0, 1.0], _core.HedgeSchedule.fixed, 1.0).weights(np.array([1.0, 0.0]))


def test_many_lanes_in_a_small_file(tmp_path):
    """Nothing is made that is larger than the file."""
    model = LinearClassifier()
    model.learn_one({"a": 1.0}, "spam")
    path = damaged(model, tmp_path / "model", lanes=lambda _: 10**6)
    with pytest.raises(ValueError, match="model is damaged: lanes"):
        LinearClassifier.load(path)


def test_every_class_refuses_a_part_that_it_does_not_know(tmp_path):
    for entry in ENTRIES:
        player = entry.make(1)
        for each in entry.kind.stream(3):
            entry.kind.feed(player, each)
        player.save(tmp_path / "one")
        description, arrays = persistence.read(tmp_path / "one")
        for more, those in ((({"spam": 1}), {}), ({}, {"spam": np.zeros(2)})):
            persistence.write(tmp_path / "two", description | more, arrays | those)
            with pytest.raises(ValueError, match=r"two is damaged: .*spam"):
                entry.load(type(player), tmp_path / "two")


def test_parts_are_checked():
    parts = state.Parts({"a": True, "b": 2**60, "c": 0.5, "x": np.zeros((2, 2))})
    with pytest.raises(ValueError, match="a=True is not a number"):
        parts.number("a")
    with pytest.raises(ValueError, match="b=1152921504606846976 must be a whole number"):
        parts.count("b")
    with pytest.raises(ValueError, match=r"c=0\.5 is not true or false"):
        parts.flag("c")
    with pytest.raises(
        ValueError, match=r"x has float64 of shape \(2, 2\), not int64 of \(any, 3\)"
    ):
        parts.array("x", (None, 3), kind=np.int64)
