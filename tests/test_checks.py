"""`regretless.checks` passes what is right and finds every fault by the check of the right name."""

import copy
import math
import random
import subprocess
import sys
from functools import partial

import numpy as np
import pytest

from regretless import bandits, checks, experts, linear, oco
from regretless.checks import CHECKS
from regretless.checks.kinds import Experts, find_kind

FEW = 8  # rounds: the faults below show at once

# --- players that are right, as users write them ------------------------------------------------------


def vector(value, n, name):
    value = np.asarray(value)
    if value.shape != (n,) or value.dtype.kind not in "iuf" or not np.isfinite(value).all():
        raise ValueError(f"{name} must be {n} finite numbers, got {value!r}")
    return value.astype(float)


def number(value, name):
    if isinstance(value, (bool, str, bytes, complex)) or not np.isreal(value) or value is None:
        raise ValueError(f"{name} must be a number, got {value!r}")
    if not math.isfinite(value):
        raise ValueError(f"{name} must be finite, got {value!r}")
    return float(value)


class MyHedge:
    """Only `weights` and `update`."""

    def __init__(self, n=3, rate=0.5):
        self.n, self.rate, self.losses = n, rate, np.zeros(n)

    @property
    def weights(self):
        w = np.exp(-self.rate * (self.losses - self.losses.min()))
        return w / w.sum()

    def update(self, losses):
        losses = vector(losses, self.n, "losses")
        suffered = float(self.weights @ losses)
        self.losses = self.losses + losses
        return suffered


class Certified(MyHedge):
    """With all that a player can have."""

    def __init__(self, n=3, rate=0.5):
        super().__init__(n, rate)
        self.rounds, self.loss, self.squares = 0, 0.0, 0.0

    def update(self, losses):
        losses = vector(losses, self.n, "losses")
        if (losses < 0).any() or losses.max() > 1e15:
            raise ValueError(f"losses must be at least 0 and at most 1e15, got {losses}")
        self.squares += float(self.weights @ losses**2)
        suffered = super().update(losses)
        self.rounds, self.loss = self.rounds + 1, self.loss + suffered
        return suffered

    @property
    def mean_loss(self):
        return self.loss / max(1, self.rounds)

    @property
    def regret(self):
        return self.loss - float(self.losses.min())

    @property
    def bound(self):
        return math.log(self.n) / self.rate + self.rate * self.squares

    def clone(self):
        return type(self)(self.n, self.rate)

    def copy(self):
        return copy.deepcopy(self)

    def run(self, losses):
        for row in np.asarray(losses):
            self.update(row)


class Descent:
    """Online gradient descent in a ball of radius 1."""

    def __init__(self, n=3, rate=0.3):
        self.n, self.rate, self.point, self.rounds = n, rate, np.zeros(n), 0

    def update(self, gradient):
        gradient = vector(gradient, self.n, "gradient")
        w = self.point - self.rate * gradient
        self.point = w / max(1.0, float(np.linalg.norm(w)))
        self.rounds += 1


class Coins:
    """Plays arms with equal probabilities."""

    def __init__(self, n=3, seed=0):
        self.n, self.seed, self.rng, self.arm = n, seed, np.random.default_rng(seed), None
        self.loss = 0.0

    @property
    def probabilities(self):
        return np.full(self.n, 1 / self.n)

    def act(self):
        self.arm = int(self.rng.integers(self.n))
        return self.arm

    def update(self, loss):
        if self.arm is None:
            raise ValueError("update needs a choice: call act first")
        self.loss += number(loss, "loss")
        self.arm = None


class NamedCoins(Coins):
    """`update(arm, loss)`."""

    def update(self, arm, loss):
        if arm not in range(self.n):
            raise ValueError(f"arm must be from 0 to {self.n - 1}, got {arm!r}")
        self.loss += number(loss, "loss")


class Mean:
    """Predicts the mean of the targets, as River's learners do."""

    def __init__(self):
        self.n, self.mean = 0, 0.0

    def learn_one(self, x, y):
        if not isinstance(x, dict) or not all(math.isfinite(v) for v in x.values()):
            raise ValueError(f"x must be a dict of finite numbers, got {x!r}")
        y = number(y, "y")
        self.n += 1
        self.mean += (y - self.mean) / self.n

    def predict_one(self, x):
        return self.mean


class Majority:
    """Predicts the label that came most often."""

    def __init__(self):
        self.counts = {}

    def learn_one(self, x, y):
        if not isinstance(x, dict) or not all(math.isfinite(v) for v in x.values()):
            raise ValueError(f"x must be a dict of finite numbers, got {x!r}")
        if y is None or y != y:
            raise ValueError(f"y must be a label, got {y!r}")
        self.counts[y] = self.counts.get(y, 0) + 1

    def predict_one(self, x):
        return max(self.counts, key=self.counts.get, default=None)


@pytest.mark.parametrize("right", [MyHedge, Certified, Descent, Coins, NamedCoins, Mean, Majority])
def test_players_of_users_pass(right):
    """Given as an object, as a class and as a function."""
    report = checks.check(right())
    assert report.passed
    assert {each.name for each in report} == set(CHECKS)
    assert report["asking"].passed
    assert report["bad_input"].passed
    assert report["scales"].passed
    assert checks.check(right, rounds=FEW).passed
    assert checks.check(partial(right), rounds=FEW).passed


def test_what_a_user_s_player_has_is_checked():
    report = checks.check(Certified())
    for name in ("clone", "copy", "run", "certificate", "vocabulary"):
        assert report[name].passed, report[name]
    assert checks.check(Coins())["another_seed"].passed
    assert checks.check(MyHedge())["certificate"].outcome == "not applicable"


@pytest.mark.parametrize(
    "player",
    [
        experts.Hedge(3),
        experts.AdaNormalHedge(3),
        experts.RandomizedWeightedMajority(3, horizon=99),
        bandits.Exp3(3),
        bandits.UCB1(3),
        oco.OnlineGradientDescent(3),
        linear.Perceptron(),
        linear.AutoRegressor(),
    ],
    ids=lambda player: type(player).__name__,
)
def test_players_of_the_library_pass(player):
    before = checks.state_of(player)
    assert checks.check(player, rounds=FEW).passed
    assert checks.difference(checks.state_of(player), before) == ""  # copies were checked


# --- players that are wrong ---------------------------------------------------------------------------


class LowBound(Certified):
    @property
    def bound(self):
        return 0.5 * super().regret


class OtherRegret(Certified):
    @property
    def regret(self):
        return 0.9 * super().regret


class FlatteringCertificate(Certified):
    def certificate(self):
        return type("C", (), {"regret": self.regret, "bound": self.bound, "holds": False})()


class LearnsByAsking(MyHedge):
    @property
    def weights(self):
        self.losses = self.losses + np.eye(self.n)[0] * 1e-9
        return super().weights


class PredictsAndLearns(Mean):
    def predict_one(self, x):
        self.n += 1
        return super().predict_one(x)


class KeepsState(Certified):
    def clone(self):
        return copy.deepcopy(self)


class ForgetsOptions(Certified):
    def clone(self):
        return type(self)(self.n)


class SharesState(Certified):
    def update(self, losses):
        losses = vector(losses, self.n, "losses")
        suffered = float(self.weights @ losses)
        self.losses += losses
        return suffered

    def copy(self):
        return copy.copy(self)


class ForgetsInPickles(MyHedge):
    def __getstate__(self):
        return {**vars(self), "losses": np.zeros(self.n)}


class ForgetsInFiles(MyHedge):
    def save(self, path):
        path.write_text(f"{self.n} {self.rate}")

    @classmethod
    def load(cls, path):
        n, rate = path.read_text().split()
        return cls(int(n), float(rate))


class TakesNaN(MyHedge):
    def update(self, losses):
        losses = np.asarray(losses, float)
        suffered = float(self.weights @ losses)
        self.losses = self.losses + losses
        return suffered


class HalfRound(MyHedge):
    def update(self, losses):
        self.losses = self.losses + 1.0
        return super().update(losses)


class SaysLittle(MyHedge):
    def update(self, losses):
        try:
            return super().update(losses)
        except ValueError:
            raise ValueError("wrong") from None


class RaisesKeyError(MyHedge):
    def update(self, losses):
        try:
            return super().update(losses)
        except ValueError as error:
            raise KeyError("losses") from error


class TakesText(MyHedge):
    def update(self, losses):
        return super().update(np.array(losses, dtype=np.float64))


class ForgetsChoice(Coins):
    def update(self, loss):
        chosen, self.arm = self.arm, None
        if chosen is None:
            raise ValueError("update needs a choice: call act first")
        self.loss += number(loss, "loss")


class IgnoresSeed(Coins):
    def act(self):
        self.arm = random.randrange(self.n)
        return self.arm


class OneSeed(Coins):
    def __init__(self, n=3, seed=0):
        super().__init__(n, 7)
        self.seed = seed


class RunsOtherwise(Certified):
    def run(self, losses):
        for row in np.asarray(losses)[1:]:
            self.update(row)


class Overflows(MyHedge):
    @property
    def weights(self):
        with np.errstate(all="ignore"):
            w = np.exp(self.rate * self.losses)
            return w / w.sum()


class NaNFirst(Mean):
    def predict_one(self, x):
        return self.mean if self.n else math.nan


class MeanAsSum(Certified):
    def update(self, losses):
        total = self.loss * max(1, self.rounds)
        self.loss = total
        suffered = super().update(losses)
        self.loss /= self.rounds
        return suffered

    regret = bound = property(lambda self: 0.0)


class CountsTwice(Certified):
    def update(self, losses):
        suffered = super().update(losses)
        self.rounds += 1
        return suffered


WRONG = {
    LowBound: "certificate",
    OtherRegret: "certificate",
    FlatteringCertificate: "certificate",
    LearnsByAsking: "asking",
    PredictsAndLearns: "asking",
    KeepsState: "clone",
    SharesState: "copy",
    ForgetsInPickles: "pickle",
    ForgetsInFiles: "file",
    TakesNaN: "bad_input",
    HalfRound: "bad_input",
    SaysLittle: "bad_input",
    RaisesKeyError: "bad_input",
    TakesText: "only_numbers",
    ForgetsChoice: "bad_loss",
    IgnoresSeed: "same_seed",
    OneSeed: "another_seed",
    RunsOtherwise: "run",
    Overflows: "scales",
    NaNFirst: "first_round",
    MeanAsSum: "vocabulary",
    CountsTwice: "vocabulary",
}


@pytest.mark.parametrize(("wrong", "name"), WRONG.items(), ids=[w.__name__ for w in WRONG])
def test_every_fault_is_found(wrong, name):
    report = checks.check(wrong(), rounds=FEW, raises=False)
    assert report[name].failed, report
    with pytest.raises(AssertionError, match=rf"(?s)^{wrong.__name__} fails \d+ .*{name}: "):
        checks.check(wrong(), rounds=FEW)


def test_a_clone_with_other_options_is_found():
    report = checks.check(ForgetsOptions(3, rate=0.25), raises=False)
    assert report["clone"].failed
    assert checks.check(ForgetsOptions(3), raises=False)["clone"].passed  # these are the defaults


@pytest.mark.parametrize("wrong", [LowBound, KeepsState, TakesText, RunsOtherwise, OtherRegret])
def test_a_fault_is_found_by_few_checks(wrong):
    """Only by its own: the others pass what they should."""
    failed = [each.name for each in checks.check(wrong(), raises=False).failures]
    assert WRONG[wrong] in failed
    assert len(failed) <= 2, failed


# --- options and the report ---------------------------------------------------------------------------


def test_failures_say_what_is_wrong():
    with pytest.raises(AssertionError) as caught:
        checks.check(TakesNaN())
    assert "bad_input: NaN: accepted without an error" in str(caught.value)
    report = checks.check(HalfRound(), raises=False)
    assert "refused, but the state has changed" in report["bad_input"].message
    report = checks.check(LowBound(), raises=False)
    assert "is below the regret" in report["certificate"].message


def test_checks_are_skipped_with_a_reason():
    skip = {"bad_input": "others check", "bad_input_first": "others check", "scales": "small only"}
    skip["only_numbers"] = "others check"
    report = checks.check(TakesNaN(), skip=skip)
    assert report["scales"].message == "skipped: small only"
    with pytest.raises(ValueError, match="skip='spam' is not one of"):
        checks.check(TakesNaN(), skip={"spam": "?"})


def test_the_report_is_a_table():
    report = checks.check(TakesNaN(), raises=False)
    lines = str(report).splitlines()
    assert lines[0].startswith("TakesNaN: ")
    assert len(lines) == 1 + len(report) == 1 + len(CHECKS)
    assert repr(report) == str(report)
    assert [each.name for each in report.failures] == [
        each.name for each in report if each.outcome == "failed"
    ]
    with pytest.raises(KeyError):
        report["spam"]


def test_a_cache_may_be_filled():
    class Lazy(MyHedge):
        known = None

        @property
        def weights(self):
            self.known = (self.known or 0) + 1
            return super().weights

    assert checks.check(Lazy(), raises=False, rounds=FEW)["asking"].failed
    assert checks.check(Lazy(), caches=("known",), raises=False, rounds=FEW)["asking"].passed


def test_kinds_are_found():
    assert find_kind(Majority()).labels == ("ham", "spam")
    assert find_kind(Mean()).labels == ()
    assert find_kind(linear.LinearRegressor()).labels == ()
    assert find_kind(NamedCoins(5)).names_arm
    assert not find_kind(bandits.Exp3(5)).names_arm
    assert find_kind(MyHedge(7)) == Experts(7)
    with pytest.raises(TypeError, match="a dict is not a learner or player that can be checked"):
        find_kind({})
    with pytest.raises(ValueError, match="kind='spam' is not one of"):
        checks.check(MyHedge(), kind="spam")
    with pytest.raises(TypeError, match=r"as experts: TypeError"):
        checks.check(type("Odd", (MyHedge,), {"update": lambda self: None})())
    with pytest.raises(ValueError, match="rounds=1 must be"):
        checks.check(MyHedge(), rounds=1)


def test_nothing_else_is_imported():
    """Neither pytest nor River nor scikit-learn."""
    code = "import sys; sys.modules.update(pytest=None, river=None, sklearn=None)\n"
    code += "from regretless import checks, experts; print(checks.check(experts.Hedge(2)).passed)"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd="."
    )
    assert done.stdout == "True\n"
