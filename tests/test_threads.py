"""One object, one thread: whoever comes second is refused, and spoils nothing."""

import copy
import importlib
import inspect
import pickle
import threading
from contextlib import contextmanager

import numpy as np
import pytest
from fuzz.threads import PROTECTED
from roster import ROSTER

from regretless import _core, linear
from regretless.bandits import Exp3
from regretless.checks import difference, state_of
from regretless.classes import SOA, FiniteClass
from regretless.evaluate.training import Training
from regretless.experts import AdaNormalHedgeTV, Hedge, Mixture
from regretless.linear import KernelPerceptron, LinearClassifier, LinearRegressor
from regretless.oco import Linearized, OnlineGradientDescent

IN_USE = "is in use by another thread; give each thread its own, or use a lock"
CACHES = ("phi",)  # a potential, which remembers values that it has computed
everyone = pytest.mark.parametrize("entry", ROSTER, ids=lambda entry: entry.name)


@contextmanager
def held(player):
    """Another thread is inside a call of the player."""
    begun, done = threading.Event(), threading.Event()
    call = _core.Guarded(lambda _: begun.set() or done.wait(20))
    other = threading.Thread(target=call, args=(player,))
    other.start()
    assert begun.wait(20)
    try:
        yield
    finally:
        done.set()
        other.join()


def refused(call) -> bool:
    try:
        call()
    except RuntimeError as error:
        return IN_USE in str(error)
    except Exception:  # it got so far as to complain about something else
        return False
    return False


def public(player) -> list[str]:
    """Methods and properties of a player, but for those that need no object, or only its options."""
    kinds = [kind for kind in type(player).__mro__ if issubclass(kind, PROTECTED)]
    found = {
        name: inspect.getattr_static(type(player), name) for kind in kinds for name in vars(kind)
    }
    return sorted(
        name
        for name, value in found.items()
        if name[0] != "_" and any(vars(kind).get(name) is value for kind in kinds)
        if isinstance(value, (property, _core.Guarded)) or inspect.isfunction(value)
        if not hasattr(getattr(value, "fget", value), "is_of_options")
    )


def calls_of(player):
    """How each method is called, and each property asked."""
    for name in public(player):
        is_property = isinstance(inspect.getattr_static(player, name), property)
        if not is_property and not hasattr(
            inspect.getattr_static(type(player), name), "is_in_core"
        ):
            yield name, lambda name=name: getattr(player, name)()
        elif is_property:
            yield name, lambda name=name: getattr(player, name)


# --- everybody --------------------------------------------------------------------------------------


@everyone
def test_every_method_and_property_is_refused(entry):
    """... while another thread is inside, and leaves no trace."""
    player, twin = entry.played(5), entry.played(5)
    latest = entry.kind.stream(6)[5]
    assert [*calls_of(player)]
    with held(player):
        assert [name for name, call in calls_of(player) if not refused(call)] == []
        special = {
            "feed": lambda: entry.kind.feed(player, latest),
            "ask": lambda: entry.kind.ask(player, latest),
            "copy": lambda: copy.copy(player),
            "deepcopy": lambda: copy.deepcopy(player),
            "pickle": lambda: pickle.dumps(player),
        }
        assert [name for name, call in special.items() if not refused(call)] == []
        assert repr(player) == repr(twin)
    assert difference(entry.state(player), entry.state(twin)) == ""
    assert state_of(entry.kind.feed(player, latest)) == state_of(entry.kind.feed(twin, latest))
    assert difference(entry.state(player), entry.state(twin)) == ""


@everyone
def test_what_is_to_be_pickled_shares_nothing(entry):
    """The pickler looks at it when the turn is over, and another thread may play by then."""
    player = entry.played(5)
    _, _, kept = player.__reduce_ex__(4)
    before = pickle.dumps(kept)
    for each in entry.kind.stream(8)[5:]:
        entry.kind.feed(player, each)
    assert pickle.dumps(kept) == before


@everyone
def test_what_is_quick_is_refused_too(entry):
    """Methods that leave the turn to the core, called as users call them."""
    player = entry.played(5)
    latest = entry.kind.stream(6)[5]
    arguments = {
        "learn_one": latest,
        "predict_one": latest[:1] if isinstance(latest, tuple) else (),
        "decision_one": latest[:1] if isinstance(latest, tuple) else (),
        "update": (0.5,) if hasattr(player, "act") else (latest,),
        "act": (),
    }
    quick = [
        n for n in public(player) if hasattr(inspect.getattr_static(type(player), n), "is_in_core")
    ]
    with held(player):
        assert [
            n for n in quick if not refused(lambda n=n: getattr(player, n)(*arguments[n]))
        ] == []


@everyone
def test_attributes_that_change_are_refused(entry):
    """What playing changes, and everybody may read, cannot be seen in mid-call either."""
    player = entry.make(0)
    parts = dict(vars(player))
    before = {name: state_of(value) for name, value in parts.items() if name[0] != "_"}
    for each in entry.kind.stream(entry.kind.length):
        entry.kind.feed(player, each)
    changed = [
        name
        for name, value in vars(player).items()
        if name[0] != "_" and name not in CACHES and state_of(value) != before.get(name)
        # a player inside is guarded itself, if it is the same one for ever
        if not (isinstance(value, PROTECTED) and value is parts.get(name))
    ]
    with held(player):
        assert [
            name for name in changed if not refused(lambda name=name: getattr(player, name))
        ] == []


@pytest.mark.parametrize("room", ["river", "sklearn"])
def test_facades(room):
    module = importlib.import_module(f"regretless.{room}")
    for name in module.__all__:
        kind = getattr(module, name)
        if not inspect.isclass(kind) or inspect.isabstract(kind):
            continue
        options = {"dimension": 3} if name == "Winnow" else {}
        try:
            model = kind(**options)
        except (TypeError, ValueError):
            continue
        with held(model):
            assert [n for n, call in calls_of(model) if not refused(call)] == [], name
            for n in ("learn_one", "predict_one"):
                call, given = getattr(model, n, None), ({"a": 1.0}, 1.0)[: 1 + (n == "learn_one")]
                assert call is None or refused(lambda f=call, x=given: f(*x)), (name, n)


def test_training_is_refused():
    training = Training(LinearClassifier())
    with held(training):
        assert [name for name, call in calls_of(training) if not refused(call)] == []


# --- really inside ----------------------------------------------------------------------------------


class Slow:
    """A number that takes its time."""

    def __init__(self, value: float = 1.0) -> None:
        self.value, self.begun, self.done = value, threading.Event(), threading.Event()

    def __float__(self) -> float:
        self.begun.set()
        assert self.done.wait(20)
        return self.value

    def __array__(self, *_, **__) -> np.ndarray:
        return np.full(3, float(self))


def in_threads(count: int, call) -> None:
    """The call made in so many threads at once."""
    threads = [threading.Thread(target=call) for _ in range(count)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()


def inside(call, slow: Slow) -> threading.Thread:
    thread = threading.Thread(target=call)
    thread.start()
    assert slow.begun.wait(20)
    return thread


@pytest.mark.parametrize("make", [LinearClassifier, LinearRegressor, KernelPerceptron])
def test_a_feature_is_being_read(make):
    model, twin, slow = make(), make(), Slow()
    for each in (model, twin):
        each.learn_one({"a": 1.0}, 0)
        each.learn_one({"a": -1.0}, 1)
    thread = inside(lambda: model.learn_one({"a": 2.0, "b": slow}, 1), slow)
    for call in (
        lambda: model.learn_one({"a": 1.0}, 0),
        lambda: model.learn_one({"a": 1.0}, 2),
        lambda: model.predict_one({"a": 1.0}),
        lambda: model.fit([[1.0]], [1]),
        lambda: model.loss_,
        lambda: model.set_params(intercept=False),
        lambda: pickle.dumps(model),
    ):
        assert refused(call)
    slow.done.set()
    thread.join()
    twin.learn_one({"a": 2.0, "b": 1.0}, 1)
    assert difference(state_of(model), state_of(twin)) == ""


def test_losses_are_being_read():
    player, twin, slow = Hedge(3), Hedge(3), Slow(0.5)
    thread = inside(lambda: player.update(slow), slow)
    assert refused(lambda: player.update(np.ones(3)))
    assert refused(lambda: player.weights)
    assert refused(lambda: player.rounds)
    slow.done.set()
    thread.join()
    twin.update(np.full(3, 0.5))
    assert difference(state_of(player), state_of(twin)) == ""


@pytest.mark.parametrize(
    "make", [lambda: Hedge(50), lambda: AdaNormalHedgeTV(20)], ids=["Hedge", "TV"]
)
def test_many_threads_run_one_player(make):
    """Runs without the GIL: only whole ones count."""
    player, twin = make(), make()
    losses = np.random.default_rng(0).random((2000, player.n))
    successes, errors = [], []

    def play():
        for _ in range(20):
            try:
                player.run(losses, weights=False)
                successes.append(1)
            except RuntimeError as error:
                errors.append(str(error))

    in_threads(8, play)
    assert all(IN_USE in each for each in errors)
    for _ in successes:
        twin.run(losses, weights=False)
    assert difference(state_of(player), state_of(twin)) == ""


def test_one_player_of_a_mixture():
    """Also by the back door: while the mixture runs, nobody gets at its player."""
    mix, said = Mixture(AdaNormalHedgeTV), []
    X = np.random.default_rng(0).normal(size=(3000, 30))
    mix.run(X[:2], X[:2].mean(axis=1))
    player = mix.player

    def look():
        for _ in range(2000):
            try:
                player.update(np.zeros(30))
            except RuntimeError as error:
                said.append(str(error))

    thread = threading.Thread(target=look)
    thread.start()
    try:
        mix.run(X, X.mean(axis=1))
    except RuntimeError as error:
        said.append(str(error))
    thread.join()
    assert all(IN_USE in each for each in said)
    assert np.isfinite(player.weights).all()


def test_two_learners_share_a_class():
    """The search for dimensions remembers what it found, and is one for all learners of the class."""
    H = FiniteClass.random(60, 40, seed=1)
    found = []

    def play():
        try:
            for t in range(40):
                SOA(H).predict_one(t)
        except RuntimeError as error:
            found.append(str(error))

    in_threads(4, play)
    assert all("is in use by another thread" in each for each in found)


# --- the same thread --------------------------------------------------------------------------------


class Calls:
    """A number that does something before it tells what it is."""

    def __init__(self, call) -> None:
        self.call = call

    def __float__(self) -> float:
        self.call()
        return 1.0


@pytest.mark.parametrize("make", [LinearClassifier, LinearRegressor, KernelPerceptron])
@pytest.mark.parametrize("many", [False, True])
def test_a_value_that_calls_back_is_refused(make, many):
    """It would write over the row that is being read."""
    model, twin = make(), make()
    for each in (model, twin):
        each.learn_one({"a": 1.0}, 0)
        each.learn_one({"a": -1.0}, 1)
    wide = {f"f{j}": 1.0 for j in range(10_000)}
    said = []

    def back():
        for call in (lambda: model.learn_one(wide, 1), lambda: model.predict_one(wide)):
            with pytest.raises(RuntimeError) as error:
                call()
            said.append(str(error.value))

    x = {"b": Calls(back), "c": 3.0}
    if many and make is not KernelPerceptron:
        model.step(x, 1)
    else:
        model.learn_one(x, 1)
    assert set(said) == {"a value in x uses the learner that is reading it; compute it before"}
    twin.learn_one({"b": 1.0, "c": 3.0}, 1)
    assert difference(state_of(model), state_of(twin)) == ""


def test_losses_that_call_back_are_learned_first():
    """Nothing has been looked at when losses are read: whoever calls back plays a round before."""
    player, twin = Hedge(3), Hedge(3)

    class Losses:
        def __array__(self, *_, **__):
            player.update(np.array([0.0, 0.5, 1.0]))
            return np.ones(3)

    player.update(Losses())
    twin.update(np.array([0.0, 0.5, 1.0]))
    twin.update(np.ones(3))
    assert difference(state_of(player), state_of(twin)) == ""


def test_a_loss_that_moves_the_player_is_refused():
    """Its gradient would be of another point than the one it is given for."""
    player = Linearized(OnlineGradientDescent(2))

    def value(w):
        if player.rounds == 0:
            player.update(lambda w: float(w.sum()), np.ones_like)
        return float(w @ w)

    with pytest.raises(RuntimeError, match="the loss moved the player that is learning it"):
        player.update(value, lambda w: 2.0 * w)
    assert player.losses == [0.0]  # of the inner one
    assert player.player.rounds == 1


def test_a_thread_that_fails_gives_its_turn_back():
    player = Exp3(3)
    for _ in range(3):
        with pytest.raises(ValueError, match="losses"):
            player.run([[1.0, 2.0, 3.0]])
    thread = threading.Thread(target=player.act)
    thread.start()
    thread.join()
    assert player.decisions == 1


# --- what the guard must not change -----------------------------------------------------------------


def test_methods_are_still_methods():
    method = LinearClassifier.fit
    assert (
        str(inspect.signature(method))
        == "(self, X: Any, y: Any, sample_weight: Any = None) -> Self"
    )
    assert (
        str(inspect.signature(LinearClassifier().fit))
        == "(X: Any, y: Any, sample_weight: Any = None) -> Self"
    )
    assert method.__name__ == "fit"
    assert method.__doc__.startswith("Start afresh")
    assert inspect.isroutine(method)
    assert linear.LinearClassifier.weights_.__doc__.startswith("The weights by name")
    model = LinearClassifier()
    assert pickle.loads(pickle.dumps(model.fit)).__self__.get_params() == model.get_params()
    with pytest.raises(TypeError, match="missing 3 required positional arguments: 'self'"):
        method()


def test_a_subclass_of_your_own_is_guarded():
    class Mine(Hedge):
        def twice(self, losses):
            return self.update(losses) + self.update(losses)

    player = Mine(2)
    assert player.twice([0.0, 1.0]) > 0
    with held(player):
        assert refused(lambda: player.twice([0.0, 1.0]))


# --- several objects that belong together -----------------------------------------------------------


def test_options_are_for_all():
    """Searches for options copy one learner in many threads."""
    model = LinearClassifier(intercept=False)
    with held(model):
        assert model.get_params()["intercept"] is False
        assert model.clone().intercept is False


class Copied:
    """A point whose copy is made while another thread copies the class that it is in."""

    def __init__(self):
        self.meanwhile = None

    def __deepcopy__(self, memo):
        if self.meanwhile is not None:
            other, self.meanwhile = threading.Thread(target=self.meanwhile), None
            other.start()
            other.join()
        return self


def test_all_threads_may_copy_an_object_that_never_changes():
    point, copies = Copied(), []
    H = FiniteClass.from_functions({"yes": lambda _: True, "no": lambda _: False}, [point])
    point.meanwhile = lambda: copies.append(copy.deepcopy(H))
    assert copy.deepcopy(H) == H
    assert copies == [H]
    methods = {name: inspect.getattr_static(FiniteClass, name) for name in dir(FiniteClass)}
    assert not [name for name, each in methods.items() if isinstance(each, _core.Guarded)]
