"""Bad input: an error that says what is wrong, before anything has changed."""

import copy
import math
import os
import subprocess
import sys
import textwrap
from functools import partial

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from scipy.sparse import csr_array

from regretless import linear, losses, rates, rules
from regretless._core import Diverged
from regretless.linear import LinearClassifier, LinearRegressor, PassiveAggressive, Perceptron
from regretless.linear import PassiveAggressiveRegressor as Aggressor

NAN, INF = math.nan, math.inf
HOLE = np.array([[1.0, 2.0, 3.0], [4.0, NAN, 6.0], [7.0, 8.0, 9.0]])
GOOD = np.ones((3, 9))  # of which columns 3 to 8 are new
SPAM, TARGET = ["spam", "ham", "spam"], [1.0, 2.0, 3.0]
DATES = np.array(["2020-01-01", "2021-01-01", "2022-01-01"], "M8[ns]")


def frame(**columns):
    return pd.DataFrame(columns)


def trained(make, labels):
    """A learner that knows two names, a category and columns 0 to 2."""
    model = make()
    for t in range(6):
        model.learn_one({"a": 1.0, "b": t, "colour": "red", t % 3: 2.0}, labels[t % 2])
    return model


# What is given as x, one row, and what the message says about it.
ROWS = {
    "list value": ({"a": [1, 2]}, r"x\['a'\] = \[1, 2\].*not a number"),
    "array value": ({"a": np.ones(2)}, r"x\['a'\] = array\(\[1., 1.\]\).*not a number"),
    "object value": ({"new": 1.0, "a": object()}, r"x\['a'\] = <object.*not a number"),
    "complex value": ({"a": 1j}, r"x\['a'\] = 1j.*not a number"),
    "infinite": ({"a": INF}, r"x\['a'\] = inf is not a finite number.*drop or scale"),
    "too large": ({"a": -1e300}, r"x\['a'\] = -1e\+300 is not a finite number"),
    "huge integer": ({"a": 10**400}, r"x\['a'\] = .*not a finite number"),
    "infinite after new names": (
        {"n1": 1.0, "n2": "x", -7: 1, 9: 1, 2: INF, "n3": 1.0},
        r"x\[2\] = inf",
    ),
    "infinite under a long name": ({"€" * 99: INF}, r"x\['€+.*inf is not a finite number"),
    "a sum too large": ({"new": 1.0, 7: 8e18, "7": 8e18}, r"the values of '7' add up to more"),
    "lone surrogate": ({"new": 1.0, "\ud800": 1.0}, r"'\\ud800' is not valid Unicode"),
    "surrogate category": ({"new": 1.0, "a": "\ud800"}, r"'\\ud800' is not valid Unicode"),
    "NaN in a vector": ([1.0, 1.0, 1.0, 1.0, NAN], r"x\[4\] = nan"),
    "ragged": ([[1.0, 2.0], [3.0]], r"x=\[\[1.0, 2.0\], \[3.0\]\] is not a row"),
    "3-d": (np.ones((1, 1, 3)), r"x has shape \(1, 1, 3\)"),
    "string": ("spam", r"x='spam' is not a row \(a dict, .*text"),
    "strings in a vector": (["1", "2"], r"x=.*is not a row"),
    "dates in a vector": (DATES, r"x=.*is not a row"),
    "complex vector": (np.array([1j, 2]), r"x=.*is not a row"),
    "huge integer in a vector": ([1, 10**400], r"x=.*is not a row"),
    "two sparse rows": (csr_array(HOLE), r"x has shape \(3, 3\)"),
    "NaN in a sparse row": (csr_array([[0.0, 1.0, NAN]]), r"x\[0, 2\] = nan"),
    "complex sparse row": (csr_array([[1j, 0.0]]), r"x.*complex"),
}
# What is given as X, three rows.
BATCHES = {
    "NaN": (HOLE, r"X\[1, 1\] = nan"),
    "too large": (np.where(np.isnan(HOLE), 1e39, HOLE), r"X\[1, 1\] = 1e\+39"),
    "NaN in a CSR matrix": (csr_array(HOLE), r"X\[1, 1\] = nan"),
    "infinite in a frame": (frame(new=[1, 2, 3], b=[NAN, 2, INF]), r"X\[2, 'b'\] = inf"),
    "infinite in a table": (pa.table({"new": [1, 2, 3], "b": [1.0, INF, 3]}), r"X\[1, 'b'\] = inf"),
    "1-d": (np.ones(3), r"X has shape \(3,\).*learn_one"),
    "masked": (np.ma.masked_equal(np.eye(3), 1.0), r"X has masked values; fill them in"),
    "3-d": (np.ones((3, 2, 2)), r"X has shape \(3, 2, 2\)"),
    "1-d sparse": (csr_array(np.ones(3)), r"X has shape \(3,\)"),
    "ragged": ([[1.0, 2.0], [3.0], [1.0]], r"X=\[\[1.0, 2.0\].*is not a batch"),
    "string": ("spam", r"X='spam' is not a batch \(a sparse matrix, .*text"),
    "dicts": ([{"a": 1.0}] * 3, r"X is a list of dicts: call learn_one"),
    "strings": ([["1"], ["2"], ["3"]], r"X=.*is not a batch"),
    "dates": (DATES[:, None], r"X=.*is not a batch"),
    "complex": (np.eye(3) * 1j, r"X=.*is not a batch"),
    "complex CSR": (csr_array(np.eye(3) * 1j), r"X.*complex"),
    "huge integers": ([[10**400], [1], [1]], r"X=.*is not a batch"),
    "date column": (frame(new=[1, 2, 3], d=DATES), r"X\['d'\] is of type datetime64"),
    "mixed column": (
        frame(new=[1, 2, 3], m=["x", 1, 2]),
        r"X\['m'\] holds 1 of type int: only str",
    ),
    "surrogate": (frame(s=pd.Series(["x", "\ud800", "y"], dtype=object)), r"not valid Unicode"),
    "timestamps": (pa.table({"new": [1, 2, 3], "d": DATES}), r"'d' is of type timestamp"),
    "one name twice": (pd.DataFrame(np.ones((3, 2)), columns=["n", "n"]), r"X.*'n'"),
    "one field twice": (pa.table([[1, 2, 3]] * 2, names=["n", "n"]), r"X.*'n'"),
    "too wide": (csr_array((3, 2**32)), r"X has 4294967296 columns"),
}
LABELS = {
    "None": (None, r"y=None is not a label"),
    "NaN": (NAN, r"y=nan is not a label"),
    "list": (["spam"], r"y=\['spam'\] is a list, which is not hashable"),
    "number": (1, r"y=1 is a number, but the labels so far are .*string.*'ham'"),
    "tuple": (("spam",), r"y=\('spam',\) is a tuple, but the labels so far"),
}
TARGETS = {
    "None": (None, r"y.*(None|nan)"),
    "string": ("3.5", r"y.*3.5"),
    "NaN": (NAN, r"y.*nan"),
    "infinite": (-INF, r"y.*-inf"),
    "list": ([1, 2], r"y.*(\[1, 2\]|inhomogeneous)"),
    "huge integer": (10**400, r"y.*(1000|too large)"),
}
WEIGHTS = {
    "negative": (-1.0, r"w.*-1"),
    "NaN": (NAN, r"w.*nan"),
    "string": ("2", r"w.*2"),
    "huge integer": (10**400, r"w.*(1000|too large)"),
}
CALLS = {
    "few labels": (lambda m: m.learn_many(GOOD, ["ham"]), r"X has 3 rows, y has 1"),
    "column of labels": (lambda m: m.learn_many(GOOD, np.array([SPAM]).T), r"y has shape \(3, 1\)"),
    "one label": (lambda m: m.learn_many(GOOD, 1), r"y.*1"),
    "unlike labels, fit": (lambda m: m.fit(GOOD, ["a", 1, 2]), r"y=.* so far are of the kind"),
    "list among labels, fit": (lambda m: m.fit(GOOD, ["a", "b", [1]]), r"y=\[1\] is a list"),
    "few weights": (lambda m: m.learn_many(GOOD, SPAM, [1.0]), r"weights"),
    "unknown option": (lambda m: m.set_params(rat=1.0), r"'rat' is not an option of LinearClass"),
}
REGRESSOR_CALLS = {
    "many targets": (lambda m: m.learn_many(GOOD, [1.0] * 4), r"X has 3 rows, y has .*4"),
    "column of targets": (lambda m: m.learn_many(GOOD, GOOD[:, :1]), r"y has shape \(3, 1\)"),
    "dates as targets": (lambda m: m.learn_many(GOOD, DATES), r"y.*numbers"),
    "column of weights": (lambda m: m.learn_many(GOOD, TARGET, GOOD[:, :1]), r"shape \(3, 1\)"),
    "one weight": (lambda m: m.learn_many(GOOD, TARGET, 2.0), r"weights"),
    "norm": (lambda m: m.certificate().best_possible(-1), r"norm=-1"),
}
C, R = LinearClassifier, partial(LinearRegressor, rule="adagrad", certify=True)
USES = [  # how bad input is used: a table of it, by which learner, in which call
    ("x, known label", ROWS, C, lambda m, x: m.learn_one(x, "ham")),
    ("x, new label", ROWS, C, lambda m, x: m.step(x, "new")),
    ("x, target", ROWS, R, lambda m, x: m.learn_one(x, 1.0)),
    ("x, predict", ROWS, C, lambda m, x: m.predict_proba_one(x)),
    ("X, known labels", BATCHES, C, lambda m, X: m.learn_many(X, SPAM)),
    ("X, new labels", BATCHES, C, lambda m, X: m.learn_many(X, ["ham", "x", "y"])),
    ("X, new classes", BATCHES, C, lambda m, X: m.partial_fit(X, SPAM, ["p", "q"])),
    ("X, fit", BATCHES, C, lambda m, X: m.fit(X, SPAM)),
    ("X, targets", BATCHES, R, lambda m, X: m.learn_many(X, TARGET)),
    ("X, predict", BATCHES, R, lambda m, X: m.predict(X)),
    ("label", LABELS, C, lambda m, y: m.learn_one({"new": 1.0}, y)),
    ("labels", LABELS, C, lambda m, y: m.learn_many(GOOD, ["new", "ham", y])),
    ("classes", LABELS, C, lambda m, y: m.partial_fit(GOOD, SPAM, ["p", y])),
    ("target", TARGETS, R, lambda m, y: m.learn_one({"new": 1.0}, y)),
    ("targets", TARGETS, R, lambda m, y: m.learn_many(GOOD, [1.0, 2.0, y])),
    ("w", WEIGHTS, R, lambda m, w: m.step({"new": 1.0}, 1.0, w)),
    ("w, known label", WEIGHTS, C, lambda m, w: m.learn_one({"new": 1.0}, "ham", w)),
    ("w, new label", WEIGHTS, C, lambda m, w: m.step({"new": 1.0}, "new", w)),
    ("weights", WEIGHTS, C, lambda m, w: m.learn_many(GOOD, SPAM, [1, w, 1])),
    ("weights, frame", WEIGHTS, R, lambda m, w: m.learn_many(frame(new=TARGET), TARGET, [1, w, 1])),
    ("classifier", CALLS, C, lambda m, call: call(m)),
    ("regressor", REGRESSOR_CALLS, R, lambda m, call: call(m)),
]
TABLE = {f"{name}: {k}": (*use, *case) for name, cases, *use in USES for k, case in cases.items()}


@pytest.mark.parametrize(("make", "use", "bad", "says"), TABLE.values(), ids=TABLE)
def test_bad_calls(make, use, bad, says, tmp_path):
    """ValueError, nothing has changed, and learning goes on as if nothing had happened."""
    labels = ("ham", "spam", SPAM) if make is C else (1.0, 2.0, TARGET)
    model = trained(make, labels)
    twin = copy.deepcopy(model)
    with pytest.raises(ValueError, match=f"(?s){says}"):
        use(model, bad)
    for _ in range(2):
        files = []
        for each in (model, twin):
            each.save(tmp_path / "model")
            files.append((tmp_path / "model").read_bytes())
            for name in ("a", "new", 7, "n1", -7):
                each.learn_one({name: 1.0, "b": 2.0}, labels[0])
            each.learn_many(GOOD, labels[2])
        assert files[0] == files[1]


@pytest.mark.parametrize(("make", "y"), [(C, True), (LinearRegressor, 1.0)])
def test_what_is_empty_is_good(make, y):
    """An empty row learns the intercept, an empty batch nothing."""
    model = make()
    for X in (
        np.ones((0, 999)),
        csr_array((0, 9)),
        frame(c=pd.Series([], dtype=object)),
        pa.table({}),
    ):
        model.learn_many(X, [])
    assert (model.examples_, model.weights_, model.decision_one({500: 1.0})) == (0, {}, 0.0)
    for x in ({}, [], csr_array((1, 5)), {"a": None}):
        model.learn_one(x, y)
    model.learn_many(np.ones((2, 0)), [y, y])
    assert (model.examples_, model.weights_) == (6, {})
    assert model.decision_one({}) > 0


SCALED = rules.AdaGrad(scale_invariant=True)
OPTIONS = [
    (C, {"rule": "cion"}, r"rule='cion' is not one of 'coin'"),
    (C, {"loss": "hing"}, r"loss='hing'.*did you mean 'hinge'"),
    (C, {"loss": "squared"}, r"loss='squared' is not a loss for classification"),
    (LinearRegressor, {"loss": losses.Hinge()}, r"loss='hinge' is not a loss for regression"),
    (C, {"rule": "ftrl", "l1": -1.0}, r"l1=-1.0 must be finite"),
    (C, {"l1": 0.1}, r"l1=0.1: rule='coin' takes no penalty.*'ftrl'"),
    (C, {"rule": rules.OGD(radius=1.0), "l1": 1.0}, r"radius=1.0 and l1=1.0"),
    (C, {"rule": SCALED, "l2": 1.0}, r"l2=1.0.*scale_invariant=False"),
    (C, {"rule": "ftrl", "l1": "much"}, r"l1='much' is not a number"),
    (C, {"rule": "ogd", "l2": None}, r"l2=None is not a number"),
    (C, {"rule": 3}, r"rule=3 is not one of"),
    (C, {"rate": 0.1}, r"rate=0.1: rule='coin' has no learning rate"),
    (C, {"rule": "ogd", "rate": 0.0}, r"eta=0.0 must be positive"),
    (C, {"rule": "ftrl", "rate": rates.Inverse(1)}, r"rate=Inverse"),
    (Perceptron, {"rate": -1.0}, r"-1.0 must be positive"),
    (Perceptron, {"rate": -1.0, "average": "vote"}, r"rate=-1.0 must be positive"),
    (
        Perceptron,
        {"average": "mean"},
        r"average='mean' is not one of 'none', 'survival', 'uniform'",
    ),
    (linear.MarginPerceptron, {"margin": 0.0}, r"margin=0.0 must be positive"),
    (linear.PNormPerceptron, {"p": 1.0}, r"p=1.0 is outside \[2, 100\]"),
    (linear.Winnow, {"rate": 0.5}, r"rate=0.5 is outside \(0, 1/2\)"),
    (linear.Winnow, {"dimension": 0}, r"dimension=0 must be a whole number"),
    (linear.BalancedWinnow, {"radius": -1.0}, r"radius=-1.0 must be positive"),
    (linear.BalancedWinnow, {"rate": 0.0}, r"rate=0.0 must be positive"),
    (linear.OnlineSVM, {"C": 0.0}, r"C=0.0 must be positive"),
    (linear.OnlineSVM, {"rate": 1.0}, r"rate=1.0 must be a number in \(0, 1\)"),
    (linear.OnlineSVM, {"rate": rates.Inverse(2.0)}, r"must be a schedule with eta at most 1"),
    (linear.OnlineSVM, {"at_kink": "jump"}, r"at_kink='jump' is not one of 'none', 'shrink'"),
    (C, {"features": "hashed", "bits": 0}, r"bits=0 must be a whole number"),
    (C, {"features": "hashed", "bits": 40}, r"bits=40 must be .* 31"),
    (Perceptron, {"features": "hashed", "bits": 1.5}, r"bits=1.5 must be a whole number"),
    (Perceptron, {"features": "hash"}, r"features='hash' is not one of 'exact', 'hashed'"),
    (PassiveAggressive, {"C": 0.0}, r"C=0.0 must be positive"),
    (PassiveAggressive, {"C": "a"}, r"C='a' is not a number"),
    (PassiveAggressive, {"margin": "a"}, r"margin='a' is not a number"),
    (Aggressor, {"epsilon": []}, r"epsilon=\[\] is not a number"),
    (rates.Constant, {"eta": "fast"}, r"eta='fast' is not a number"),
    (PassiveAggressive, {"margin": 0.0}, r"margin=0.0 must be positive"),
    (Aggressor, {"mode": "III"}, r"mode='III' is not one of 'exact', 'I', 'II'"),
    (Aggressor, {"epsilon": -1.0}, r"epsilon=-1.0 must be finite"),
    (rules.PNorm, {"p": 1.5}, r"p=1.5 is outside \[2, 100\]"),
    (rules.OGD, {"lazy": True, "invariant": True}, r"invariant=True needs lazy=False"),
]


@pytest.mark.parametrize(("make", "options", "says"), OPTIONS)
def test_bad_options(make, options, says):
    """Parts are checked when they are made, learners when they are first used."""
    with pytest.raises(ValueError, match=says):
        make(**options).learn_one({"a": 1.0}, 1)


@pytest.mark.parametrize("rule", ["adagrad", "ogd", "ftrl"])
def test_certificates_need_a_sum_of_gradients(rule):
    """The message says how to get one."""
    with pytest.raises(ValueError, match=r"LinearClassifier\(..., certify=True\)"):
        LinearClassifier(rule=rule).certificate()


# --- numbers that run away -----------------------------------------------------------------------

EXTREMES = [({"a": 1e18}, 1e10), ({"a": 1e-20}, 1e19), ({"a": 1e19}, 1.0), ({"a": 1e-38}, 0.0)]
RUNAWAYS = [
    *(partial(m, rule=r) for m in (LinearRegressor, C) for r in [*rules.RULES, SCALED]),
    *(partial(m, mode="exact", intercept=False) for m in (PassiveAggressive, Aggressor)),
    *(partial(Perceptron, average=average) for average in ("survival", "uniform", "vote")),
    *(
        partial(m)
        for m in (
            linear.MarginPerceptron,
            linear.PNormPerceptron,
            linear.BalancedWinnow,
            linear.OnlineSVM,
        )
    ),
]


@pytest.mark.parametrize("order", [1, -1])
@pytest.mark.parametrize("make", RUNAWAYS, ids=lambda m: f"{m.func.__name__} {m.keywords}")
def test_weights_stay_finite(make, order):
    """Whatever the scale of features and targets: learned, or refused as divergence."""
    model = make()
    for x, y in EXTREMES[::order] * 3:
        try:
            model.learn_one(x, y > 1 if hasattr(model, "classes_") else y)
        except Diverged as error:
            assert "Lower" in str(error) or "Scale" in str(error)  # noqa: PT017
        assert all(map(math.isfinite, [*model.weights_.values(), model.intercept_, model.loss_]))
        assert math.isfinite(model.decision_one({"a": 1.0}))


def test_divergence():
    """An ArithmeticError with advice; what came before it in the batch has been learned."""
    model, twin = (LinearRegressor(rule="ogd", rate=1.0) for _ in range(2))
    X = np.array([[1e3], [1e6], [1e18], [1e19], [1e19], [1.0]])
    with pytest.raises(Diverged, match=r"at example \d.*Lower the rate, scale the feat") as caught:
        model.learn_many(X, np.ones(6))
    assert isinstance(caught.value, ArithmeticError)
    assert 0 < model.examples_ < 6
    twin.learn_many(X[: model.examples_], np.ones(model.examples_))
    assert (model.weights_, model.loss_) == (twin.weights_, twin.loss_)
    assert all(map(math.isfinite, [*model.weights_.values(), model.intercept_, model.loss_]))


WILD = {0: 1.0, 1: 1e19, 2: 1e19}


@pytest.mark.parametrize(
    "refused",
    [
        lambda m: m.learn_one(WILD, 1e19),
        lambda m: m.learn_many(np.array([list(WILD.values())] * 2), [1e19, 1.0]),
    ],
    ids=["one", "many"],
)
def test_divergence_takes_names_back(refused, tmp_path):
    """What came only with the refused example is not known afterwards; the rest goes on."""
    model = LinearRegressor(rule="ogd", rate=1.0)
    model.learn_one({0: 1e3}, 1.0)
    model.learn_one({0: 1e6}, 1.0)
    with pytest.raises(Diverged):
        refused(model)
    assert list(model.weights_) == [0]
    model.save(tmp_path / "m")
    twin = LinearRegressor.load(tmp_path / "m")
    for learner in (model, twin):
        learner.learn_one({0: 1e-9, 2: 1e-9, 1: 2e-9}, 1.0)
    assert model.weights_ == twin.weights_
    assert list(model.weights_) == [0, 2, 1]


# --- what must not bring the process down --------------------------------------------------------

DAMAGE = {
    "indptr too large": "X.indptr[1] = 10**9",
    "indptr decreases": "X.indptr[1:3] = [8, 2]",
    "indptr negative": "X.indptr[0] = -10**8",
    "indptr empty": "X.indptr = X.indptr[:0]",
    "index too large": "X.indices[1] = 10**9",
    "csc index too large": "X = X.tocsc(); X.indices[1] = 10**8",
    "csc indptr decreases": "X = X.tocsc(); X.indptr[1:3] = [10**8, 2]",
    "row": "x = X[[0]]; x.indptr[1] = 10**9; f = lambda: m.learn_one(x, 1.0)",
    "csc row": "x = X[[0]].tocsc(); x.indptr[1] = 10**9; f = lambda: m.learn_one(x, 1.0)",
    "predict": "X.indptr[1] = 10**9; f = lambda: m.predict(X)",
}
MEDDLING = {
    "clears": "d.clear()",
    "adds": "d.update((f'z{i}', 1.0) for i in range(10**4))",
    "deletes": "[d.pop(k, None) for k in list(d)[::2]]",
    "predicts": "m.predict_one({f'n{i}': 1.0 for i in range(10**5)})",
    "learns": "m.learn_one({f'q{i}': 1.0 for i in range(10**4)}, 1.0)",
}


def run(code):
    """Run in a process of its own, which must end well."""
    start = """
        import numpy as np
        from scipy.sparse import csr_array
        from regretless.linear import LinearRegressor
        m, X = LinearRegressor(rule="ogd", rate=0.001), csr_array(np.ones((3, 3)))
    """
    path = {"PYTHONPATH": os.pathsep.join(filter(None, sys.path)), "MALLOC_PERTURB_": "85"}
    command = [sys.executable, "-c", textwrap.dedent(start) + textwrap.dedent(code)]
    pipe = {"stderr": subprocess.PIPE, "text": True, "timeout": 120}
    done = subprocess.run(command, env=path, check=False, **pipe)
    assert done.returncode == 0, f"exit {done.returncode}: {done.stderr[-1000:]}"


def test_malformed_sparse_matrices():
    """Arrays that contradict each other: ValueError, and the learner is as it was."""
    run(f"""
        import sys
        for name, damage in {DAMAGE}.items():
            print(name, file=sys.stderr, flush=True)
            m, X = LinearRegressor(rule="ogd", rate=0.001), csr_array(np.ones((3, 3)))
            f = lambda: m.learn_many(X, [1.0, 2.0, 3.0])
            exec(damage)
            try:
                f()
            except ValueError as error:
                assert str(error), error
            else:
                raise AssertionError("no error")
            assert m.examples_ == 0 and not m.weights_
    """)


def test_numbers_that_meddle():
    """A number whose conversion changes the dict it is in, or uses the learner, does no harm."""
    run(f"""
        import sys
        class Meddler:
            def __float__(self):
                exec(change)
                return 1.0
        for name, change in {MEDDLING}.items():
            print(name, file=sys.stderr, flush=True)
            m = LinearRegressor(rule="ogd", rate=0.001)
            for place in range(0, 20, 3):
                for use in (lambda: m.learn_one(d, 1.0), lambda: m.predict_one(d)):
                    d = {{f"n{{i}}": 1.0 for i in range(20)}}
                    use()
                    d[f"n{{place}}"] = Meddler()
                    try:
                        use()
                    except (ValueError, RuntimeError):
                        pass
            assert np.isfinite(list(m.weights_.values())).all()
    """)
