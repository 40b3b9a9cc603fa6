"""Contextual bandits: LinUCB agrees with linear systems, its intervals cover, copies go on."""

import math
import pickle

import numpy as np
import pytest
from reference.lin_ucb import LinUCBOracle

from regretless.bandits import ContextualRun, EpsilonGreedyLearner, LinUCB
from regretless.linear import LinearRegressor

N, D = 4, 3


def game(rounds, n=N, d=D, seed=0, noise=0.1):
    """Contexts and rewards that are linear in them, but for noise."""
    random = np.random.default_rng(seed)
    X = random.normal(size=(rounds, d))
    theta = random.normal(size=(n, d))
    theta /= np.linalg.norm(theta, axis=1, keepdims=True)
    return X, X @ theta.T + noise * random.normal(size=(rounds, n)), theta


# --- LinUCB ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("shared", [False, True])
@pytest.mark.parametrize(("alpha", "ridge"), [(1.0, 1.0), (0.3, 0.05), (0.0, 10.0)])
def test_it_is_the_oracle(alpha, ridge, shared):
    random = np.random.default_rng(3)
    _, R, _ = game(120)
    bandit = LinUCB(N, D, alpha=alpha, ridge=ridge, shared=shared)
    oracle = LinUCBOracle(N, D, alpha, ridge, shared)
    for t in range(120):
        x = random.normal(size=(N, D) if shared else D)
        estimates, widths = bandit._engine.look(x)
        expected = oracle.look(x)
        # a system of condition below 1e4 is solved to 1e4 eps
        np.testing.assert_allclose(estimates, expected[0], atol=1e-11)
        np.testing.assert_allclose(widths, expected[1], rtol=1e-11)
        arm = bandit.act(x)
        assert arm == oracle.act(x)
        assert bandit.probabilities(x)[arm] == 1.0
        bandit.update(reward=R[t, arm])
        oracle.update(arm, x, R[t, arm])
    assert bandit.rounds == 120
    for arm in range(N):
        A, b = oracle.system(arm)
        theta = bandit.weights[0 if shared else arm]
        np.testing.assert_allclose(theta, np.linalg.solve(A, b), atol=1e-11)
        slogdet = np.linalg.slogdet(A / ridge)[1]
        assert bandit._engine.log_determinant(arm) == pytest.approx(slogdet, abs=1e-10)


def test_a_round_by_hand():
    """alpha = 1, ridge = 1: after a reward of 1 at x = 1, A = 2 and theta = 1/2."""
    bandit = LinUCB(2, 1)
    assert bandit.act([1.0]) == 0  # both have the index 1
    bandit.update(reward=1.0)
    estimates, widths = bandit._engine.look(np.array([1.0]))
    np.testing.assert_allclose(estimates, [0.5, 0.0])
    np.testing.assert_allclose(widths, [math.sqrt(0.5), 1.0])
    assert bandit.act([1.0]) == 0  # 0.5 + 0.707 against 1
    assert LinUCB(2, 1, alpha=3.0).act([-1.0]) == 0


def test_a_run_is_its_rounds_and_goes_on():
    X, R, _ = game(300)
    one, many = LinUCB(N, D), LinUCB(N, D)
    arms = []
    for x, rewards in zip(X, R):
        arms.append(one.act(x))
        one.update(reward=rewards[arms[-1]])
    parts = [many.run(X[:100], R[:100]), many.run(X[100:], R[100:])]
    np.testing.assert_array_equal(np.concatenate([p.arms for p in parts]), arms)
    np.testing.assert_array_equal(one._engine.state(), many._engine.state())
    assert one.reward == pytest.approx(R[np.arange(300), arms].sum())
    whole = LinUCB(N, D).run(X, R)
    assert isinstance(whole, ContextualRun)
    assert whole.reward == pytest.approx(one.reward)
    best = int(np.argmax(R.sum(axis=0)))
    np.testing.assert_array_equal(whole.world.mix(whole.comparator()), -R[:, best])
    np.testing.assert_array_equal(whole.propensities, 1.0)
    one.delta, noise = 0.025, 2 * 0.5 * math.sqrt(2 * 300 * math.log(2 * N * 300 * 301 / 0.05))
    assert whole.certificate().bounds["self-normalised"] == pytest.approx(
        one.certificate().bound + noise
    )
    assert np.isfinite(whole.bound_curve()).all()
    assert (np.diff(whole.bound_curve()) >= 0).all()
    assert parts[1].regret() <= parts[1].bound()
    assert whole.plot().get_ylabel() == "regret"


def test_shared_weights_in_a_run():
    random = np.random.default_rng(0)
    X, theta = random.normal(size=(200, N, D)), random.normal(size=D)
    R = X @ theta
    norm = float(np.linalg.norm(theta))
    one, many = (LinUCB(N, D, shared=True, norm=norm) for _ in range(2))
    for x, rewards in zip(X, R):
        one.update(reward=rewards[one.act(x)])
    run = many.run(X, R)
    np.testing.assert_array_equal(one.weights, many.weights)
    np.testing.assert_allclose(many.weights, [theta], atol=0.1)
    assert many.weights.shape == (1, D)
    assert one.certificate().bound < run.certificate().bounds["self-normalised"]
    assert run.regret() <= run.bound() < math.inf


def test_it_learns():
    """Rewards of unit weights: the regret to the best arm of each context flattens out."""
    X, R, theta = game(3000)
    run = LinUCB(N, D).run(X, R)
    means = X @ theta.T
    lost = means.max(axis=1) - means[np.arange(3000), run.arms]
    assert lost[-1000:].sum() < 0.05 * lost[:200].sum() * 5
    assert run.regret() < 0  # better than every single arm


def test_a_million_updates_stay_exact():
    """As a factorisation of all rows from scratch: an error of 1e6 eps would be 1e-10."""
    random = np.random.default_rng(8)
    d, T = 3, 1_000_000
    X = random.normal(size=(T, d)) * [1.0, 0.1, 10.0]
    y = X @ [0.5, -2.0, 0.1] + random.normal(size=T)
    bandit = LinUCB(1, d)
    bandit.run(X, y[:, None])
    A = np.eye(d) + X.T @ X
    np.testing.assert_allclose(bandit.weights[0], np.linalg.solve(A, X.T @ y), rtol=1e-9)
    x = np.array([1.0, 2.0, 3.0])
    _, widths = bandit._engine.look(x)
    assert widths[0] == pytest.approx(math.sqrt(x @ np.linalg.solve(A, x)), rel=1e-9)


def test_badly_scaled_contexts():
    """The triangle has the square root of the condition: 1e8 here, where A has 1e16 and is singular."""
    random = np.random.default_rng(9)
    X = 1e8 * random.normal(size=(200, 1)) + random.normal(size=(200, 2))
    y = X @ [1.0, -1.0]
    bandit = LinUCB(1, 2)
    bandit.run(X, y[:, None])
    # an exact solution: the rows under the square root of the ridge, by QR
    Q, R = np.linalg.qr(np.vstack([np.eye(2), X]))
    expected = np.linalg.solve(R, Q.T @ np.concatenate([np.zeros(2), y]))
    np.testing.assert_allclose(bandit.weights[0], expected, rtol=1e-6)
    # an inverse kept by rank-one corrections has three digits of it, the normal equations none
    V = np.eye(2)
    for x in X:
        V -= np.outer(V @ x, V @ x) / (1 + x @ V @ x)
    assert not np.allclose(V @ (X.T @ y), expected, rtol=1e-4)
    assert not np.allclose(np.linalg.solve(np.eye(2) + X.T @ X, X.T @ y), expected, rtol=1e-1)


@pytest.mark.parametrize("scale", [1e-100, 1e-20, 1e20, 1e99])
def test_extreme_contexts(scale):
    X, R, _ = game(100)
    bandit = LinUCB(N, D)
    run = bandit.run(scale * X / 10, R)
    assert np.isfinite(bandit.weights).all()
    assert np.isfinite(run.bound_curve()).all()
    assert bandit.act(np.zeros(D)) == 0


# --- what is proven of it --------------------------------------------------------------------------


def test_the_radius_is_that_of_the_theorem():
    X, R, _ = game(60)
    for shared in (False, True):
        told = {"noise": 0.2, "norm": 1.5, "delta": 0.1}
        bandit = LinUCB(N, D, ridge=0.5, shared=shared, **told)
        oracle = LinUCBOracle(N, D, 1.0, 0.5, shared)
        for x, rewards in zip(X, R):
            given = np.tile(x, (N, 1)) * np.arange(1, N + 1)[:, None] if shared else x
            arm = bandit.act(given)
            bandit.update(reward=rewards[arm])
            oracle.update(arm, given, rewards[arm])
        estimates, widths = oracle.look(given)
        beta = np.array([oracle.beta(arm, 0.2, 1.5, 0.1) for arm in range(N)])
        expected = np.column_stack([estimates - beta * widths, estimates + beta * widths])
        found = bandit.confidence(given)
        np.testing.assert_allclose(found, expected, rtol=1e-9)


def test_intervals_cover_at_all_times():
    """In 100 games of 60 rounds a bound that fails once in 10 games at most fails in few."""
    failed = 0
    for seed in range(100):
        X, R, theta = game(60, n=2, d=2, seed=seed, noise=0.5)
        bandit, missed = LinUCB(2, 2, alpha=0.5, delta=0.1), False
        for x, rewards in zip(X, R):
            low, high = bandit.confidence(x).T
            missed |= bool(((theta @ x < low) | (theta @ x > high)).any())
            bandit.update(reward=rewards[bandit.act(x)])
        failed += missed
    assert failed <= 10


@pytest.mark.parametrize("alpha", [0.1, 1.0, 5.0])
def test_the_regret_is_within_the_certificate(alpha):
    """Of the means, which the test knows; also where alpha is less than beta."""
    X, R, theta = game(400, noise=0.3)
    bandit = LinUCB(N, D, alpha=alpha, noise=0.3)
    means, regret, widths, widest = X @ theta.T, 0.0, 0.0, 0.0
    for x, rewards, mean in zip(X, R, means):
        _, w = bandit._engine.look(x)
        arm = bandit.act(x)
        widths, widest = widths + w[arm], widest + w.max()
        bandit.update(reward=rewards[arm])
        regret += mean.max() - mean[arm]
        assert regret <= bandit.certificate().bound
    found = bandit.certificate()
    beta = max(
        0.3 * math.sqrt(bandit._engine.log_determinant(a) + 2 * math.log(N / 0.05)) + 1.0
        for a in range(N)
    )
    expected = (alpha + beta) * widths + max(beta - alpha, 0.0) * widest
    assert found.bound == pytest.approx(expected)
    assert found.holds is None
    assert found.rounds == 400
    assert found.regret is None
    assert set(found.assumptions.values()) == {None}


# --- epsilon-greedy --------------------------------------------------------------------------------


def learners():
    found = {"ours": LinearRegressor(), "squared": LinearRegressor(rule="ogd", rate=0.1)}
    try:
        from river.linear_model import LinearRegression

        found["river"] = LinearRegression()
    except ImportError:
        pass
    try:
        from sklearn.linear_model import SGDRegressor

        found["sklearn"] = SGDRegressor(random_state=0)
    except ImportError:
        pass
    return found


def contexts(name, X):
    return [dict(enumerate(x.tolist())) for x in X] if name == "river" else list(X)


@pytest.mark.parametrize("name", ["ours", "squared", "river", "sklearn"])
def test_any_learner(name):
    """Each arm's copy learns its own rewards only; what is greedy is the best prediction."""
    if name not in learners():
        pytest.skip(f"{name} is not installed")
    X, R, _ = game(150)
    learner = learners()[name]
    bandit = EpsilonGreedyLearner(learner, N, epsilon=0.2, seed=1)
    copies = [type(bandit)(learner, 1).learners[0] for _ in range(N)]
    seen = [False] * N
    for x, rewards in zip(contexts(name, X), R):
        predictions = [
            (c.predict_one(x) if name != "sklearn" else c.predict(x[None])[0] if seen[a] else 0.0)
            for a, c in enumerate(copies)
        ]
        p = bandit.probabilities(x)
        expected = np.full(N, 0.05)
        expected[int(np.argmax(predictions))] = 0.85
        np.testing.assert_allclose(p, expected)
        arm = bandit.act(x)
        assert bandit.propensity == p[arm]
        bandit.update(reward=rewards[arm])
        if name == "sklearn":
            copies[arm].partial_fit(x[None], rewards[[arm]])
        else:
            copies[arm].learn_one(x, rewards[arm])
        seen[arm] = True
    assert bandit.rounds == bandit.decisions == 150
    assert not getattr(learner, "examples_", 0)  # the one given has learned nothing


def test_arms_are_drawn_as_told():
    """Of 4,000 decisions, within 5 standard deviations."""
    bandit = EpsilonGreedyLearner(LinearRegressor(), 4, epsilon=0.4, seed=2)
    counts = np.bincount([bandit.act([1.0]) for _ in range(4000)], minlength=4)
    p = np.array([0.7, 0.1, 0.1, 0.1])
    assert (np.abs(counts - 4000 * p) < 5 * np.sqrt(4000 * p * (1 - p))).all()
    greedy = EpsilonGreedyLearner(LinearRegressor(), 4, epsilon=0.0)
    assert {greedy.act([1.0]) for _ in range(100)} == {0}
    assert greedy.propensity == 1.0
    anyhow = EpsilonGreedyLearner(LinearRegressor(), 4, epsilon=1.0, seed=3)
    assert {anyhow.act([1.0]) for _ in range(100)} == {0, 1, 2, 3}
    assert anyhow.propensity == 0.25


def test_epsilon_greedy_run_is_its_rounds():
    X, R, _ = game(200)
    one, many = (EpsilonGreedyLearner(LinearRegressor(), N, seed=7) for _ in range(2))
    arms, propensities = [], []
    for x, rewards in zip(X, R):
        arms.append(one.act(x))
        propensities.append(one.propensity)
        one.update(reward=rewards[arms[-1]])
    run = many.run(X, R)
    np.testing.assert_array_equal(run.arms, arms)
    np.testing.assert_array_equal(run.propensities, propensities)
    assert run.reward == pytest.approx(one.reward)
    assert np.isinf(run.bound_curve()).all()
    assert run.reward > R.sum(axis=0).max()
    other = EpsilonGreedyLearner(LinearRegressor(), N, seed=8).run(X, R)
    assert (other.arms != run.arms).any()


# --- feedback in other orders ----------------------------------------------------------------------


def bandits():
    return {
        "lin-ucb": LinUCB(N, D, alpha=0.4),
        "shared": LinUCB(N, D, shared=True),
        "greedy": EpsilonGreedyLearner(LinearRegressor(), N, epsilon=0.3, seed=4),
    }


def look(name, x):
    return np.outer(np.arange(1.0, N + 1), x) if name == "shared" else x


@pytest.mark.parametrize("name", list(bandits()))
def test_feedback_by_arm_by_context_and_late(name):
    X, R, _ = game(50)
    usual, told, late = (bandits()[name] for _ in range(3))
    waiting = []
    for x, rewards in zip(X, R):
        arm = usual.act(look(name, x))
        usual.update(reward=rewards[arm])
        told.act(look(name, x))
        told.update(arm, reward=rewards[arm])
        waiting.append((arm, rewards[arm], look(name, x)))
    for arm, reward, x in waiting:
        late.update(arm, reward=reward, x=x)
    for other in (told, late):
        p = [usual.probabilities(look(name, x)) for x in X[:10]]
        q = [other.probabilities(look(name, x)) for x in X[:10]]
        np.testing.assert_array_equal(p, q)
        assert other.rounds == 50
        assert other.reward == usual.reward


@pytest.mark.parametrize("name", list(bandits()))
@pytest.mark.parametrize("way", ["file", "pickle", "clone"])
def test_copies_go_on_alike(name, way, tmp_path):
    X, R, _ = game(120)
    bandit = bandits()[name]
    for x, rewards in zip(X[:60], R):
        bandit.update(reward=rewards[bandit.act(look(name, x))])
    bandit.act(look(name, X[60]))
    if way == "file":
        bandit.save(tmp_path / "bandit")
        other = type(bandit).load(tmp_path / "bandit")
    else:
        other = pickle.loads(pickle.dumps(bandit)) if way == "pickle" else bandit.copy()
    assert repr(other) == repr(bandit)
    assert other.propensity == bandit.propensity
    assert other.waiting == bandit.waiting
    assert other == bandit
    bandit.update(reward=0.5)
    other.update(reward=0.5)
    for x, rewards in zip(X[60:], R[60:]):
        arm = bandit.act(look(name, x))
        assert other.act(look(name, x)) == arm
        bandit.update(reward=rewards[arm])
        other.update(reward=rewards[arm])
    assert (other.rounds, other.reward) == (bandit.rounds, bandit.reward)
    if name != "greedy":
        assert repr(other.certificate()) == repr(bandit.certificate())


def test_a_file_of_a_bandit_that_has_done_nothing(tmp_path):
    bandit = EpsilonGreedyLearner(LinearRegressor(), 2)
    bandit.save(tmp_path / "bandit")
    assert math.isnan(EpsilonGreedyLearner.load(tmp_path / "bandit").propensity)


def test_files_that_are_none(tmp_path):
    path = tmp_path / "bandit"
    bandit = LinUCB(3, 2)
    bandit.act([1.0, 2.0])
    bandit.save(path)
    with pytest.raises(ValueError, match="holds a LinUCB, not a EpsilonGreedyLearner"):
        EpsilonGreedyLearner.load(path)
    data = path.read_bytes()
    path.write_bytes(data.replace(rb"n\": 3", rb"n\": 2"))
    with pytest.raises(ValueError, match="is damaged: the state is of another bandit"):
        LinUCB.load(path)
    state = bandit._engine.state()
    state[-5] = 7.0  # the arm that waits, before its width, the largest and the context
    with pytest.raises(ValueError, match="arm = 7 is not a whole number from 0 to 2"):
        LinUCB(3, 2)._engine.restore(state)


def test_foreign_learners_are_pickled_not_saved(tmp_path):
    pytest.importorskip("river")
    bandit = EpsilonGreedyLearner(learners()["river"], 2)
    with pytest.raises(ValueError, match=r"cannot be saved to a file, .* a pickle can"):
        bandit.save(tmp_path / "bandit")
    assert not list(tmp_path.iterdir())
    assert pickle.loads(pickle.dumps(bandit)).act({"a": 1.0}) == bandit.act({"a": 1.0})


def test_empty_and_single_rounds():
    for bandit in (LinUCB(N, D), EpsilonGreedyLearner(LinearRegressor(), N)):
        run = bandit.run(np.empty((0, D)), np.empty((0, N)))
        assert run.reward == 0.0
        assert len(run.arms) == 0
        assert bandit.run(np.ones((1, D)), np.ones((1, N))).reward == 1.0
    assert LinUCB(N, D).certificate().bound == 0.0
    assert LinUCB(1, 1).act([2.0]) == 0


# --- bad input -------------------------------------------------------------------------------------

NAN = [1.0, math.nan, 2.0]


@pytest.mark.parametrize(
    ("name", "call", "message"),
    [
        ("lin-ucb", lambda b: b.act(NAN), r"x\[1\] = nan is not finite"),
        ("lin-ucb", lambda b: b.act(np.array(NAN)), r"x\[1\] = nan is not finite"),
        ("lin-ucb", lambda b: b.act(np.array([0.0, 1.0, 1e101])), r"x\[2\] = 1e\+101 .* beyond"),
        ("lin-ucb", lambda b: b.act([1.0]), r"x has shape \(1,\), not \(3,\)"),
        ("lin-ucb", lambda b: b.act(np.ones(4)), r"x has shape \(4,\), not \(3,\)"),
        ("lin-ucb", lambda b: b.act(np.ones((1, 3))), r"x has shape \(1, 3\), not \(3,\)"),
        ("lin-ucb", lambda b: b.act(np.float64(1.0)), r"x has shape \(\), not \(3,\)"),
        ("lin-ucb", lambda b: b.act(["a", "b", "c"]), "x=.* is not made of numbers"),
        ("lin-ucb", lambda b: b.act({"a": 1.0}), "x=.* is not made of numbers"),
        ("shared", lambda b: b.act(np.ones(3)), r"x has shape \(3,\), not \(4, 3\)"),
        ("shared", lambda b: b.act(np.ones((3, 3))), r"x has shape \(3, 3\), not \(4, 3\)"),
        ("shared", lambda b: b.act(np.full((4, 3), np.inf)), r"x\[0, 0\] = inf is not finite"),
        ("lin-ucb", lambda b: b.update(reward=math.nan), "reward=nan is not finite"),
        ("lin-ucb", lambda b: b.update(reward="much"), "reward='much' is not a number"),
        ("lin-ucb", lambda b: b.update(4, reward=1.0), "arm=4 is none of the 4 arms"),
        ("lin-ucb", lambda b: b.update(-1, reward=1.0), "arm=-1 is none of the 4 arms"),
        ("lin-ucb", lambda b: b.update(1.5, reward=1.0), "arm=1.5 is none of"),
        ("lin-ucb", lambda b: b.update(True, reward=1.0), "arm=True is none of"),
        ("lin-ucb", lambda b: b.update(1, reward=math.inf), "reward=inf is not finite"),
        ("lin-ucb", lambda b: b.update(1, reward=1.0, x=NAN), r"x\[1\] = nan"),
        ("lin-ucb", lambda b: b.update(reward=1.0, x=np.ones(3)), "x= needs arm="),
        ("lin-ucb", lambda b: b.run([NAN], [[0.0] * 4]), r"contexts\[0, 1\] = nan is not finite"),
        ("lin-ucb", lambda b: b.run(np.ones((2, 2)), np.ones((2, 4))), "contexts has shape"),
        ("lin-ucb", lambda b: b.run(np.ones((2, 3)), np.ones((3, 4))), "rewards has shape"),
        ("lin-ucb", lambda b: b.run(np.ones((1, 3)), [[1, 2, 3, NAN[1]]]), r"rewards\[0, 3\]"),
        ("lin-ucb", lambda b: LinUCB(2, 1, delta=0), r"delta=0 is outside \(0, 1\)"),
        ("lin-ucb", lambda b: LinUCB(2, 1, noise=0), "noise=0 must be positive"),
        ("greedy", lambda b: b.act(NAN), r"x\[1\] = nan is not finite"),
        ("greedy", lambda b: b.act({"a": math.nan}), r"x\['a'\] = nan is not finite"),
        ("greedy", lambda b: b.update(reward=math.nan), "reward=nan is not finite"),
        ("greedy", lambda b: b.update(4, reward=1.0), "arm=4 is none of the 4 arms"),
        ("greedy", lambda b: b.update(1.0, reward=1.0), "arm=1.0 is none of the 4 arms"),
        ("greedy", lambda b: b.update(reward=1.0, x=np.ones(3)), "x= needs arm="),
        ("greedy", lambda b: b.run(np.ones((2, 3)), np.ones((2, 3))), "rewards has shape"),
        ("greedy", lambda b: b.run([np.ones(3), NAN], np.ones((2, 4))), r"x\[1\] = nan"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_bad_input_changes_nothing(name, call, message):
    bandit = bandits()[name]
    X, R, _ = game(20)
    for x, rewards in zip(X, R):
        bandit.update(reward=rewards[bandit.act(look(name, x))])
    bandit.act(look(name, X[0]))
    before = bandit.__getstate__() if name != "greedy" else (bandit.rounds, bandit.decisions)
    with pytest.raises(ValueError, match=message):
        call(bandit)
    after = bandit.__getstate__() if name != "greedy" else (bandit.rounds, bandit.decisions)
    np.testing.assert_equal(after, before)
    bandit.update(reward=1.0)  # the decision still waits


@pytest.mark.parametrize("name", list(bandits()))
def test_update_needs_act(name):
    bandit = bandits()[name]
    for arm in ((), (1,)):
        with pytest.raises(ValueError, match=r"no decision.* waits for a reward; call act"):
            bandit.update(*arm, reward=1.0)
    bandit.act(look(name, np.ones(D)))
    bandit.update(reward=1.0)
    with pytest.raises(ValueError, match="no decision waits"):
        bandit.update(reward=1.0)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ((0, 2, {}), "n=0"),
        ((2, 0, {}), "dimension=0"),
        ((2, 2, {"alpha": -1.0}), "alpha=-1.0 is outside"),
        ((2, 2, {"alpha": math.nan}), "alpha=nan is outside"),
        ((2, 2, {"ridge": 0.0}), "ridge=0.0 is outside"),
        ((2, 2, {"ridge": "much"}), "ridge='much' is not a number"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_bad_options(options, message):
    n, d, others = options
    with pytest.raises(ValueError, match=message):
        LinUCB(n, d, **others)


def test_bad_options_of_epsilon_greedy():
    with pytest.raises(ValueError, match=r"epsilon=1.5 is outside \[0, 1\]"):
        EpsilonGreedyLearner(LinearRegressor(), 2, epsilon=1.5)
    with pytest.raises(ValueError, match="n=0"):
        EpsilonGreedyLearner(LinearRegressor(), 0)
    with pytest.raises(ValueError, match=r"learner=.* is a class: give an object, LinearRegressor"):
        EpsilonGreedyLearner(LinearRegressor, 2)
    with pytest.raises(ValueError, match=r"learner='tree' has neither learn_one"):
        EpsilonGreedyLearner("tree", 2)


def test_learners_that_predict_no_rewards():
    class Says:
        def __init__(self, what):
            self.what = what

        def predict_one(self, x):
            return self.what

        def learn_one(self, x, y):
            pass

    with pytest.raises(ValueError, match="learner of arm 0, a Says, predicts 'yes', a str"):
        EpsilonGreedyLearner(Says("yes"), 2).act([1.0])
    with pytest.raises(ValueError, match="predicts True, a bool"):
        EpsilonGreedyLearner(Says(True), 2).act([1.0])
    with pytest.raises(ValueError, match="arm 0, a Says, predicts nan; lower its"):
        EpsilonGreedyLearner(Says(math.nan), 2).act([1.0])
    by_rows = pytest.importorskip("sklearn.linear_model").SGDRegressor()
    with pytest.raises(ValueError, match="give x as a vector"):
        EpsilonGreedyLearner(by_rows, 2).act({"a": 1.0})
