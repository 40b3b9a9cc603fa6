"""docs/errata.md: what it names is there; and the misprints that no other test shows failing."""

import ast
import functools
import importlib
import itertools
import math
import re
from pathlib import Path

import numpy as np
import pytest
from reference.invariant import InvariantNewton
from reference.losses import CLASSIFICATION
from reference.newton import (
    EpochDirections,
    Oja,
    SketchedNewton,
    SparseEpochDirections,
    SparseOja,
    gaussians,
)
from scipy.stats import binom

from regretless import streams
from regretless.adversaries import CoinFlips
from regretless.bandits import OnePoint
from regretless.batch import online_to_batch
from regretless.boosting import AdaBoost
from regretless.experts import (
    Halving,
    Hedge,
    NormalHedgeDT,
    PolynomialWeights,
    RandomizedWeightedMajority,
    WeightedMajority,
)
from regretless.experts.regrets import to_quantile
from regretless.geometry import Entropy, Quadratic
from regretless.linear import Perceptron, PrimalDual, Winnow
from regretless.newton import NewtonClassifier
from regretless.oco import (
    DoublingTrick,
    ExponentiatedGradient,
    InvariantNewtonStep,
    OnlineGradientDescent,
    OnlineMirrorDescent,
)

TESTS = Path(__file__).parent
PAGE = TESTS.parent / "docs" / "errata.md"
TEXTS = ["survey", "textbook chapter", "lecture", "primal-dual paper", "thesis"]
NOT_SHOWN = "not shown by a test"


# -- the page -------------------------------------------------------------------------------------


def tables():
    """The rows of each text's table, cells by column; a | in a formula is written as \\|."""
    found, columns, heading = {}, None, None
    for line in PAGE.read_text(encoding="utf-8").splitlines():
        if line.startswith("## "):
            heading, columns = line[3:], None
        elif line.startswith("|"):
            cells = [c.strip().replace("\\|", "|") for c in re.split(r"(?<!\\)\|", line)[1:-1]]
            if columns is None:
                columns = cells
            elif set("".join(cells)) <= set("-:"):
                continue
            else:
                assert len(cells) == len(columns), line
                found.setdefault(heading, []).append(dict(zip(columns, cells)))
    return found


ROWS = [(text, row) for text, rows in tables().items() for row in rows]


def of_column(name):
    return [
        pytest.param(row[name], id=f"{text}: {row['where']}".replace(" ", "_"))
        for text, row in ROWS
    ]


@functools.cache
def functions(path):
    """The names of the functions of a test file, which is read and not run."""
    return {
        node.name
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.FunctionDef)
    }


def test_there_is_a_table_for_each_text():
    assert [next((t for t in TEXTS if t in heading), None) for heading in tables()] == TEXTS
    assert len(ROWS) >= 40


@pytest.mark.parametrize("cell", of_column("test"))
def test_the_tests_are_there(cell):
    """Each row names a test, or says that none shows the printed version failing, or both."""
    names = re.findall(r"`([^`]+)`", cell)
    assert names or cell.startswith(NOT_SHOWN)
    for name in names:
        file, _, test = name.partition("::")
        assert test.startswith("test_"), name
        assert test in functions(TESTS.parent / file), name


@pytest.mark.parametrize("cell", of_column("built in"))
def test_what_is_built_can_be_imported(cell):
    names = re.findall(r"`([^`]+)`", cell)
    assert names
    for name in names:
        module, _, attribute = name.rpartition(".")
        assert callable(getattr(importlib.import_module(f"regretless.{module}"), attribute)), name


# -- survey ---------------------------------------------------------------------------------------


def test_survey_the_sum_of_the_doubling_trick():
    """Periods 1 to ceil(log2 T) can add up to more than the bound; 0 to floor(log2 T) do not."""
    factor = math.sqrt(2) / (math.sqrt(2) - 1)
    exceeded = []
    for T in range(1, 300):
        printed = sum(2 ** (m / 2) for m in range(1, math.ceil(math.log2(T)) + 1))
        player = DoublingTrick(lambda horizon: OnlineGradientDescent(1))
        player.run(np.zeros((T, 1)))
        begun = sum(period.rounds > 0 for period in player.periods)
        assert begun == math.floor(math.log2(T)) + 1
        assert sum(2 ** (m / 2) for m in range(begun)) <= factor * math.sqrt(T)
        exceeded += [T] * (printed > factor * math.sqrt(T))
    assert {17, 18, 19, 20, 21} <= set(exceeded)


def test_survey_the_largest_value_does_not_bound_the_square():
    """A loss of -10 is below F = 1; its estimate is longer than d (F / delta + L)."""
    d, delta, L = 2, 0.5, 1.0
    for value, F, within in ((-10.0, 1.0, False), (-10.0, 10.0, True)):
        told = OnePoint(delta, lipschitz=L, most=F).estimate(np.zeros(d), np.ones(d), value)
        assert (np.linalg.norm(told.gradient) <= d * (F / delta + L)) == within == told.expected


def test_survey_the_perceptron_on_disjunctions():
    """x -> (2 x, -1) and u = (indicator, 1): R^2 ||u||^2 is (4 d + 1)(k + 1), above 4 (d + 1) k."""
    d, k = 5, 2
    X = np.array(list(itertools.product([0.0, 1.0], repeat=d)))
    y, rows = np.where(X[:, :k].any(axis=1), 1, -1), np.hstack([2 * X, np.full((2**d, 1), -1.0)])
    u = np.array([1.0] * k + [0.0] * (d - k) + [1.0])
    assert (y * (rows @ u) >= 1).all()
    assert (rows**2).sum(axis=1).max() * (u @ u) == (4 * d + 1) * (k + 1) > 4 * (d + 1) * k
    found = Perceptron(intercept=False).fit(rows, y).certificate(rows, y, comparator=u)
    assert found.holds
    assert found.updates <= (4 * d + 1) * (k + 1)


def test_survey_the_rate_of_theorem_1_3():
    """sqrt(T log d / 2) is not reached with the later sections' sqrt(log d / T) but with Hoeffding's."""
    T, log_d = 5000, math.log(2)
    losses = np.where((np.arange(T) % 2 == 0)[:, None], [1.0, 0.0], [0.0, 1.0])
    losses[-500:] = [1.0, 0.0]
    promised = math.sqrt(T * log_d / 2)
    printed = Hedge(2, rate=math.sqrt(log_d / T)).run(losses)
    mended = Hedge(2, rate="horizon", horizon=T).run(losses)
    assert printed.regret() > 1.4 * promised
    assert mended.regret() <= promised


def test_survey_half_is_not_a_rate_of_winnow():
    with pytest.raises(ValueError, match=r"rate=0.5 is outside \(0, 1/2\)"):
        Winnow(rate=0.5).learn_one({"a": 1}, True)


# -- textbook chapter -----------------------------------------------------------------------------


def test_textbook_8_8_weights_count_mistakes_only_if_always_updated():
    """w_i = beta^(mistakes of i) is an equality for mode="always"; else weights may be larger."""
    advice, labels = np.array([[1, 0, 1], [1, 1, 0], [0, 1, 1], [1, 0, 0]]), [0, 1, 1, 0]
    for mode, equal in (("always", True), ("on_mistake", False)):
        player = WeightedMajority(3, beta=0.5, mode=mode)
        for row, label in zip(advice, labels):
            player.update(row, label)
        mistakes = (advice != np.array(labels)[:, None]).sum(axis=0)
        assert (player.weights >= 0.5**mistakes).all()
        assert (player.weights == 0.5**mistakes).all() == equal


def test_textbook_8_10_short_games():
    """For T < 4 log N eq. 8.11 is above 2 sqrt(T log N); the regret is below T, and T is not."""
    N, T = 16, 4
    promised = 2 * math.sqrt(T * math.log(N))
    assert math.log(N) / 0.5 + 0.5 * T > promised >= T
    losses = np.eye(N)[:T]
    player = RandomizedWeightedMajority(N, horizon=T)
    assert player.run(losses).regret() <= T


def test_textbook_8_7_the_last_period():
    """After T = 7 rounds floor(log2(T + 1)) = 3 is the number of a period that has not begun."""
    player = DoublingTrick(lambda horizon: OnlineGradientDescent(1))
    player.run(np.zeros((7, 1)))
    last = sum(period.rounds > 0 for period in player.periods) - 1
    assert last == math.floor(math.log2(7)) < math.floor(math.log2(7 + 1))


def test_textbook_voted_perceptron_without_the_last_vector():
    """As printed 0 and (1, 2) vote, which made mistakes, and (2, 1), right to the end, does not."""
    X = np.array([[1, 2], [-1, 1], [2, -1], [-1, -1], [1, -1]], float)
    y = np.array([1, -1, 1, -1, 1])
    model = Perceptron(average="vote", intercept=False).fit(X, y)
    w, printed, asked = np.zeros(2), 0.0, np.array([1.0, -1.0])
    for x, label in zip(X, y):
        if label * (w @ x) <= 0:
            printed += np.sign(w @ asked)
            w = w + label * x
    assert printed < 0 < model.decision_one(asked)


def test_textbook_exercise_8_10_the_sum_bounds_no_risk():
    """A risk is at most 1, and so is the bound made of the mean; with the sum it says nothing."""
    rows, model, wrong = list(streams.bundled("phishing")), Perceptron(), []
    for x, y in rows:
        wrong.append(model.predict_one(x) != y)
        model.learn_one(x, y)
    width = math.sqrt(math.log(20) / (2 * len(rows)))
    found = online_to_batch(Perceptron(), rows, "random", delta=0.05, loss="zero_one")
    assert found.mean_risk_bounds["Azuma"] == pytest.approx(np.mean(wrong) + width, rel=1e-12)
    assert np.sum(wrong) + width > 1 > found.mean_risk_bounds["Azuma"]


def test_textbook_exercise_8_8_the_power():
    """Weights [R]^alpha are not the gradient of the potential: one round can then raise it too far."""
    alpha, R = 3.0, np.array([2.0, 1.0])

    def excess(power, losses):
        w = R**power / np.sum(R**power)
        r = w @ losses - losses
        raised = np.sum(np.maximum(R + r, 0) ** alpha) ** (2 / alpha)
        raised -= np.sum(R**alpha) ** (2 / alpha)
        return raised - (alpha - 1) * np.sum(np.abs(r) ** alpha) ** (2 / alpha)

    small = np.array([0.0, 0.01])  # the first order decides
    assert excess(alpha - 1, small) <= 0
    assert excess(alpha - 1, 0.01 - small) <= 0
    assert max(excess(alpha, small), excess(alpha, 0.01 - small)) > 0
    player = PolynomialWeights(3, alpha=alpha)
    player.update([0.0, 0.25, 1.0])
    ahead = np.maximum(player.regrets, 0) ** (alpha - 1)
    assert np.count_nonzero(ahead) == 2
    np.testing.assert_allclose(player.weights, ahead / ahead.sum(), rtol=1e-12)


# -- lecture --------------------------------------------------------------------------------------


def test_lecture_the_sign_of_the_link():
    """The link at v_t, the sum of the costs, plays what has cost most."""
    T, costs = 50, np.array([1.0, 0.0])
    bound = math.sqrt(32 * math.log(2) * T)
    player = ExponentiatedGradient(2, rate=math.sqrt(2 * math.log(2) / T))
    mended, printed, v = 0.0, 0.0, np.zeros(2)
    for _ in range(T):
        mended += player.update(costs)
        printed += np.exp(v - v.max()) @ costs / np.exp(v - v.max()).sum()
        v = v + costs
    assert mended <= bound < printed


def test_lecture_no_player_has_the_printed_rate():
    """Times m the printed rate is sqrt(log d log m); coins cost every player at least sqrt(m / 8)."""
    m = 10**4
    assert 10 * math.sqrt(math.log(2) * math.log(m)) < math.sqrt(m / 8)
    assert math.sqrt(m / 8) <= CoinFlips(seed=0).expected_regret(m) < math.sqrt(m * math.log(2))


def test_lecture_preconditioned_descent_has_a_step():
    """- Q^{-1} grad, without 1 / (t lambda_t): zigzags cost 1/2 a round, more than the bound."""
    T, G, B = 400, 1.0, 1.0
    z = np.where(np.arange(T) % 2 == 0, 1.0, -1.0)[:, None]
    bound = math.sqrt(32 * G**2 * B**2 * T)
    for rate, within in ((1.0, False), (B / (G * math.sqrt(T)), True)):
        run = OnlineMirrorDescent(Quadratic(np.eye(1)), rate=rate).run(z)
        linear = float(np.sum(run.points * z)) - float(np.array([B]) @ z.sum(axis=0))
        assert (linear <= bound) == within


def test_lecture_strong_convexity_of_the_squared_norm():
    """||w||^2 curves by 2, not 1: with lambda_t = sqrt(G^2 / (B^2 t)) 16 stands for 32."""
    t = np.arange(1, 401)
    lam = np.sqrt(1 / t)
    spent = np.mean(lam + 1 / (lam * t))  # lambda_t B^2 + 2 G^2 / (alpha lambda_t t)
    assert spent <= math.sqrt(16 / 400) < math.sqrt(32 / 400)


def test_lecture_the_entropy_is_not_bounded_by_a_norm():
    """All points of the simplex have norm 1; the luckiest of many is further ahead than sqrt(2 T)."""
    T, d = 400, 2000
    costs = np.random.default_rng(0).integers(0, 2, (T, d)).astype(float)
    run = ExponentiatedGradient(d, rate="horizon", horizon=T, lipschitz=1.0).run(costs)
    printed, mended = math.sqrt(2 * T), math.sqrt(2 * T * math.log(d))
    assert printed < run.regret() <= mended


def test_lecture_halving_counts_in_bits():
    """Eight experts can be wrong three times, which is log2 8, and more than the natural log 2.08."""
    player = Halving(8)
    for advice in np.array(list(itertools.product([0, 1], repeat=3))).T:
        player.update(advice, 1 - player.predict(advice))
    assert player.mistakes == math.log2(8) > math.log(8)


# -- primal-dual paper ----------------------------------------------------------------------------


def test_primal_dual_curvature_is_that_of_the_examples():
    """In the simplex of the weights <x, H x> <= 1; the example (10, -10) makes the dual fall."""
    C = margin = 1.0
    for size, rises in ((10.0, False), (1.0, True)):
        model = PrimalDual(Entropy(), update="conservative", C=C, margin=margin, intercept=False)
        model.partial_fit([[size, -size]], [1], classes=[-1, 1])
        found = model.certificate()
        assert found.mistakes == 1
        assert (found.dual >= margin * C - C**2 / 2) == rises == found.holds


def test_primal_dual_theorem_1_without_a_mistake():
    """The mean of no numbers is none; the bound on no mistakes is 0."""
    with pytest.warns(RuntimeWarning):
        assert math.isnan(np.mean([]))
    assert PrimalDual().certificate().mistake_bound(1.0) == 0


def test_primal_dual_6_the_distance_falls():
    """Lemma 1 wants 0 = v_1 <= v_2: ||w_t - u||^2 begins above 0 and falls; its decrease does not."""
    x, u = np.array([0.6, 0.8]), np.array([1.0, 1.0])
    model = PrimalDual(update="conservative", intercept=False)
    points = [np.zeros(2)]
    model.partial_fit([x], [1], classes=[-1, 1])
    points.append(np.array([model.weights_[0], model.weights_[1]]))
    printed = [float(np.sum((w - u) ** 2)) for w in points]
    mended = [u @ u / 2 - each / 2 for each in printed]
    assert printed[0] > printed[1] > 0
    assert 0 == mended[0] < mended[1] <= u @ u / 2
    assert mended[1] == pytest.approx(x @ u - x @ x / 2)


# -- thesis ---------------------------------------------------------------------------------------


def test_thesis_the_potential_looks_at_one_side():
    """With s^2 for [s]_-^2 an expert that is behind gets a negative weight."""
    player, t = NormalHedgeDT(2), 3
    player.update([0.0, 1.0])
    player.update([0.0, 1.0])
    s = -player.regrets
    assert s[0] < 0 < s[1]
    printed = np.exp((s - 1) ** 2 / (3 * t)) - np.exp((s + 1) ** 2 / (3 * t))
    right = np.exp(np.minimum(s - 1, 0) ** 2 / (3 * t))
    right -= np.exp(np.minimum(s + 1, 0) ** 2 / (3 * t))
    assert printed[1] < 0 <= right[1]
    np.testing.assert_allclose(player.weights, right / right.sum(), rtol=1e-12)


def test_thesis_a_share_of_experts_is_at_least_one():
    """With the integer below, a tenth of five experts is none of them."""
    assert math.floor(5 * 0.1) == 0
    assert to_quantile([[4.0, 1.0, 3.0, 2.0, 0.0]], 0.1) == 4.0


def test_thesis_a_stump_may_be_constant():
    """Four of five labels are equal: each stump with two different sides errs twice, a constant once."""
    X, y = np.array([[0.0], [0.0], [1.0], [1.0], [1.0]]), np.array([1, 1, 1, 1, -1])
    unequal = [np.sum(np.where(X[:, 0] <= 0.5, side, -side) != y) for side in (-1, 1)]
    assert min(unequal) == 2
    assert AdaBoost(rounds=1).fit(X, y).errors_[0] == 1 / 5


def test_thesis_the_weight_does_not_see_its_own_vote():
    """Phi_i(s + z) - Phi_{i-1}(s) = w (gamma - z) / 2 with the w of s; with that of s + z it is not."""
    n, gamma = 9, 0.2

    def potential(i, s):  # Pr[Bin(n - i, 1/2 + gamma/2) <= (n - i - s) / 2]
        return binom.cdf(math.floor((n - i - s) / 2), n - i, 0.5 + gamma / 2)

    def weight(i, s):
        return binom.pmf(math.floor((n - i - s + 1) / 2), n - i, 0.5 + gamma / 2)

    gaps = {"right": 0.0, "printed": 0.0}
    for votes in itertools.product([-1, 1], repeat=4):
        s = 0
        for i, z in enumerate(votes, 1):
            rise = potential(i, s + z) - potential(i - 1, s)
            for name, at in (("right", s), ("printed", s + z)):
                gaps[name] = max(gaps[name], abs(rise - weight(i, at) * (gamma - z) / 2))
            s += z
    assert gaps["right"] < 1e-12
    assert gaps["printed"] > 0.01


@pytest.mark.parametrize("seed", range(5))
def test_thesis_as_printed_coordinates_are_seen(seed):
    """The slab for examples outside of the range, as printed, is another one after x -> M x."""

    class Printed(InvariantNewton):
        def look(self, x):
            outside, score = x - self.pseudo_inverse()[1] @ x, self.w @ x
            if outside @ outside <= 1e-16 * (x @ x):
                super().look(x)
            elif abs(score) > self.bound:
                beyond = score - np.sign(score) * self.bound
                self.w = self.w - beyond / (x @ outside) * outside

        point = property(lambda self: self.w)

    random = np.random.default_rng(seed)
    X, M = random.normal(size=(40, 4)), random.normal(size=(4, 4)) + 3 * np.eye(4)
    y = np.sign(X @ random.normal(size=4))
    for make, same in (
        (lambda: Printed(4, 1.0, 4.0), False),
        (lambda: InvariantNewtonStep(4, curvature=1.0, slab=4.0), True),
    ):
        scores = []
        for rows in (X, X @ M.T):
            player = make()
            scores.append([])
            for x, label in zip(rows, y):
                player.look(x)
                scores[-1].append(float(player.point @ x))
                player.update(2 * (scores[-1][-1] - label) * x)
        assert np.allclose(*scores, atol=1e-4) == same


def test_thesis_the_variance_of_a_projection():
    """E ||r||^2 = 1, so that E[S^T S] is the sum of g g^T; variance 1/sqrt(m) makes it sqrt(m)."""
    m = 16
    seen = np.mean([np.sum(gaussians(0, t, m) ** 2) for t in range(2000)])
    assert seen == pytest.approx(1.0, abs=5 * math.sqrt(2 / m / 2000))
    assert m * (1 / math.sqrt(m)) == math.sqrt(m) == 4.0


def farthest(form, m, sketch):
    """How far a sparse form of sketched Newton steps is from the dense one, at most."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(120, 8)) * (rng.random((120, 8)) < 0.5)
    y, off = np.sign(X @ rng.normal(size=8) + 0.1), []
    dense = SketchedNewton(8, CLASSIFICATION["logistic"], sketch(m), 2.0, 0.7)
    sparse = form(8, CLASSIFICATION["logistic"], m, alpha=2.0, slab=0.7)
    for x, label in zip(X, y):
        off.append(abs(sparse.predict(x) - dense.predict(x)))
        dense.learn(x, label, 1.0)
        sparse.learn(x, label, 1.0)
    return max(off)


def test_thesis_the_inverse_of_another_matrix():
    """A is d x d and fits no m x m matrix; with A as the sketch has it, m x m, other steps are made."""

    class Printed(SparseOja):
        def turned_back(self, step):
            return step / (self.alpha + self.lambdas)

    by_rule = functools.partial(Oja, exact=0)  # as the thesis has it, from the first gradient on
    right, printed = (farthest(form, 2, by_rule) for form in (SparseOja, Printed))
    assert right < 1e-9 < 1e-3 < printed


def test_thesis_what_the_deleted_rows_have_moved():
    """With the rows deleted first, the epochs move the weights, which a change of form must not."""

    class Printed(SparseEpochDirections):
        def shrink(self):
            before, rebases = self.v, self.rebases
            super().shrink()
            if self.rebases == rebases:
                self.v = before  # b Delta G of no rows is 0

    right, printed = (
        farthest(form, 3, EpochDirections) for form in (SparseEpochDirections, Printed)
    )
    assert right < 1e-9 < 1e-3 < printed


def test_thesis_algorithm_16_has_twice_the_rows():
    """Before it shrinks, a sketch of epochs has up to 2 m - 1 rows, and that rank."""
    m, sketch, rng = 4, EpochDirections(4), np.random.default_rng(0)
    ranks = []
    for _ in range(20):
        sketch.update(rng.normal(size=30))
        ranks.append(int(np.linalg.matrix_rank(sketch.S)))
    assert m < max(ranks) < 2 * m


def test_thesis_a_feature_that_was_not_seen():
    """The sum of its gradients before is 0: nothing to divide by. With a start there is."""
    rng = np.random.default_rng(0)
    X = np.hstack([rng.normal(size=(20, 2)), (np.arange(20) == 19)[:, None] * 1.0])
    y = X[:, 0] > 0
    assert (np.sum(X[1:19] ** 2, axis=0) == 0).tolist() == [False, False, True]
    model = NewtonClassifier(diagonal=True, alpha=1.0).fit(X, y)
    assert all(math.isfinite(w) for w in model.weights_.values())


def test_thesis_the_inverse_of_algorithm_19():
    """V = N1 Z + N2 G after an epoch: N1 is 0 after the first, and has rank m - 1 after the second."""
    m, d = 4, 30
    rng = np.random.default_rng(0)
    V, lengths, ranks = np.linalg.qr(rng.normal(size=(d, m)))[0].T, np.zeros(m), []
    for _ in range(2):
        G = rng.normal(size=(m, d))
        S = np.vstack([lengths[:, None] * V, G])
        _, s, directions = np.linalg.svd(S, full_matrices=False)
        new = directions[:m]
        N1 = np.linalg.lstsq(np.vstack([V, G]).T, new.T, rcond=None)[0][:m].T
        ranks.append(int(np.sum(np.linalg.svd(N1, compute_uv=False) > 1e-10)))
        V, lengths = new, np.sqrt(s[:m] ** 2 - s[m - 1] ** 2)
    assert ranks == [0, m - 1]
