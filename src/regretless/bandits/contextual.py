"""Choices in a context: epsilon-greedy over any regressor, and LinUCB."""

import math
from collections.abc import Mapping
from functools import cached_property
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from regretless import _core
from regretless.bandits.environments import KeptLosses
from regretless.bandits.run import ArmRun, Rounds
from regretless.base.adapters import ForeignLearner, as_dict, as_matrix, fresh
from regretless.base.arguments import (
    Array,
    check_seed,
    finite,
    flag,
    instance,
    listed,
    number,
    positive,
    shown,
    table,
    whole,
    within,
)
from regretless.base.options import option
from regretless.base.randomness import Draws
from regretless.base.rows import checked
from regretless.base.state import Parts, Stateful
from regretless.base.threads import of_options
from regretless.base.waiting import Waiting, check_settled
from regretless.certificates import Certificate

# --- runs of contextual bandits -------------------------------------------------------------------


class ContextualRun(ArmRun):
    """The rounds of a contextual bandit; losses are rewards with the sign changed.

    It is compared with single arms, by default the best in hindsight. `regret` is what was really
    missed, and `bound` bounds the same number.

    Attributes: those of `Run`; `arms` chosen; `propensities` with which they were; `rewards` of all
    arms, a row a round; `before` and `after`, the bandit as it was then.

    >>> from regretless.bandits import LinUCB
    >>> run = LinUCB(2, 1).run([[1.0], [1.0], [1.0]], rewards=[[0.0, 1.0]] * 3)
    >>> run.arms, run.reward, run.regret()
    (array([0, 1, 1]), 2.0, 1.0)
    """

    world: KeptLosses

    def __init__(
        self,
        rewards: Array,
        arms: NDArray[np.int64],
        propensities: Array,
        *,
        before: Any,
        after: Any,
        widths: tuple[Array, Array, Array] | None = None,
    ) -> None:
        losses = -rewards[np.arange(len(arms)), arms]
        super().__init__(Rounds(losses, arms, propensities, KeptLosses(-rewards)), before, after)
        self.widths = widths  # of what was played, of the widest arm, and how much was learned

    @property
    def rewards(self) -> Array:
        """The rewards of all arms, a row for each round."""
        return -self.world.rows

    @property
    def reward(self) -> float:
        """The sum of the rewards."""
        return -self.loss

    def _columns(self) -> dict[str, Any]:
        return super()._columns() | {"reward": -self.losses}

    def __repr__(self) -> str:
        return f"<{self.rounds} rounds of {self.after!r}, reward {self.reward:.4g}>"


def arm_of(arm: Any, n: int) -> int:
    """One of `n` arms, or a `ValueError` in the words of the core.

    >>> arm_of(2, 2)
    Traceback (most recent call last):
    ValueError: arm=2 is none of the 2 arms, which are counted from 0
    """
    if isinstance(arm, bool) or not isinstance(arm, (int, np.integer)) or not 0 <= arm < n:
        raise ValueError(f"arm={shown(arm)} is none of the {n} arms, which are counted from 0")
    return int(arm)


# --- contextual epsilon-greedy around any online regressor ----------------------------------------


class Decision(NamedTuple):
    """A decision whose reward is not known."""

    arm: int
    context: Any


class EpsilonGreedyLearner(Stateful, changing=("propensity", "rounds", "reward")):
    """Play the arm whose regressor predicts the largest reward; with probability epsilon, any arm.

    A copy of `learner` for each arm learns the rewards of that arm. The arm that looks best, the first
    of several, has the probability `1 - epsilon + epsilon / n`, every other `epsilon / n`; that of what
    was chosen is `propensity`, to be logged for `regretless.bandits.off_policy`.

    A reward may come late: every `act(x)` is a decision of its own and waits for its reward.
    `update(reward=r)` is that of the oldest, `update(arm, reward=r)` of the oldest for this arm,
    `update(reward=r, ticket=ticket)` of the decision that had this `ticket`. It is learned with the
    context of its own decision.

    Attributes: `decisions` made and not forgotten, `rounds` learned from, `reward`, the sum of those;
    `propensity` and `ticket` of the last decision, `waiting`, tickets and arms of those without a reward
    yet.

    >>> from regretless.linear import LinearRegressor
    >>> bandit = EpsilonGreedyLearner(LinearRegressor(), 2, epsilon=0.1, seed=3)
    >>> for t in range(200):
    ...     hot = t % 2
    ...     arm = bandit.act({"hot": hot})
    ...     bandit.update(reward=1.0 if arm == hot else 0.0)
    >>> bandit.probabilities({"hot": 1}), bandit.probabilities({"hot": 0})
    (array([0.05, 0.95]), array([0.95, 0.05]))
    """

    learner: Any = option(
        kw_only=False,
        text="""an online regressor, of this library or of River (`predict_one`, `learn_one`) or of
        scikit-learn (`predict`, `partial_fit`); it is copied, and not itself changed""",
    )
    n: int = option(whole, kw_only=False, text="how many arms there are")
    epsilon: float = option(within, "[0, 1]", default=0.1, text="how often to explore")
    seed: int = option(
        check_seed, default=0, text="draws depend on it and the number of the decision alone"
    )

    feedback: ClassVar[str] = "reward"
    contextual: ClassVar[bool] = True
    _not_copied = ("_draws",)

    def __post_init__(self) -> None:
        super().__post_init__()
        self._arms = [_arm(fresh(self.learner, "learner"), arm) for arm in range(self.n)]
        del self.learner  # the copies hold its options
        self.rounds, self.reward, self.propensity = 0, 0.0, math.nan
        self._waiting: Waiting[Decision] = Waiting("decision", "reward", "act(x)")

    @cached_property
    def _draws(self) -> Draws:
        return Draws(self.seed, 1)

    # --- the rounds --------------------------------------------------------------------------------

    def probabilities(self, x: Any) -> Array:
        """The probability of each arm in a context."""
        return self._probabilities(self._checked(x))

    def _probabilities(self, x: Any) -> Array:
        p = np.full(self.n, self.epsilon / self.n)
        best = int(np.argmax([each.number(x) for each in self._arms]))
        p[best] = 1.0 - self.epsilon * (self.n - 1) / self.n
        return p

    def act(self, x: Any) -> int:
        """Choose an arm for a context, a dict or a vector; `propensity` is then its probability."""
        x = self._checked(x)
        p = self._probabilities(x)
        arm = _core.drawn_index(p, self._draws[self._waiting.given][0])
        self._waiting.add(Decision(arm, x))
        self.propensity = float(p[arm])
        return arm

    @property
    def decisions(self) -> int:
        """Decisions made and not forgotten."""
        return self._waiting.decisions

    @property
    def ticket(self) -> int:
        """The number of the last decision, from 0 on: with it, its reward may come in any order."""
        return self._waiting.given - 1

    @property
    def waiting(self) -> list[tuple[int, int]]:
        """Ticket and arm of the decisions whose reward is not known, the oldest first."""
        return [(ticket, decision.arm) for ticket, decision in self._waiting.items()]

    def update(
        self, arm: Any = None, *, reward: Any, x: Any = None, ticket: int | None = None
    ) -> None:
        """Learn the reward of the oldest decision that waits, of the oldest for `arm`, or of `ticket`.

        With `arm` and `x` nothing needs to have been decided, and no decision is settled: from a log.
        """
        value = finite(reward, "reward")
        if x is not None:
            if arm is None or ticket is not None:
                raise ValueError(
                    "x= needs arm=, which was played there; update(arm, reward=r, x=x)"
                )
            self._arms[arm_of(arm, self.n)].teach(self._checked(x), value, 1.0)
        else:
            ticket = self._settled(arm, ticket)
            decision = self._waiting[ticket]
            self._arms[decision.arm].teach(decision.context, value, 1.0)
            self._waiting.take(ticket)
        self.rounds += 1
        self.reward += value

    def _settled(self, arm: Any, ticket: Any) -> int:
        """The ticket of the decision that a reward is for."""
        if arm is None:
            return self._waiting.find(ticket)
        if ticket is not None:
            raise ValueError(f"ticket={shown(ticket)} tells the arm: do not give it")
        arm = arm_of(arm, self.n)
        return self._waiting.find(which=lambda decision: decision.arm == arm)

    def forget(self, ticket: int) -> None:
        """Undo a decision whose reward will never come; its ticket is not used again."""
        self._waiting.forget(ticket)

    def run(self, contexts: Any, rewards: Any) -> ContextualRun:
        """Play many rounds: a context each, and a row of `rewards`, one for each arm.

        Only the rewards of the arms that are played are learned. There is no theorem.
        """
        if hasattr(contexts, "tocsr"):
            contexts = checked(contexts, "contexts")
        X = [self._checked(x) for x in listed(contexts, "contexts")]
        R = table(rewards, "rewards", (len(X), self.n))
        check_settled(self._waiting, "decisions", "rewards")
        arms, propensities = np.empty(len(X), np.int64), np.empty(len(X))
        before = self.copy()
        try:
            for t, x in enumerate(X):
                arms[t] = self.act(x)
                propensities[t] = self.propensity
                self.update(reward=R[t, arms[t]])
        except BaseException:
            self.__dict__.update(before.__dict__)
            raise
        return ContextualRun(R, arms, propensities, before=before, after=self.copy())

    @property
    def learners(self) -> list[Any]:
        """The learners, one for each arm."""
        return [each.model for each in self._arms]

    def _realised(self, run: ContextualRun, u: Array) -> None:
        """There is no theorem."""

    _realised_curve = _realised

    def _checked(self, x: Any) -> Any:
        return as_dict(x) if self._arms[0].takes_dicts else as_matrix(x)

    # --- state -------------------------------------------------------------------------------------

    @of_options
    def _options(self) -> dict[str, Any]:
        return {"learner": self._arms[0].model} | super()._options()

    def _learned(self) -> dict[str, Any]:
        kept = {name: getattr(self, name) for name in ("rounds", "reward", "propensity")}
        arms = [{"learner": each.model, "learned": each.learned} for each in self._arms]
        return kept | {"arms": arms} | self._waiting.learned(Decision._asdict)

    def _restore(self, parts: Parts) -> None:
        kind = type(self._arms[0].model)
        self._arms = [
            _arm(instance(each.take("learner"), "learner", kind), k, learned=each.flag("learned"))
            for k, each in enumerate(parts.records("arms"))
        ]
        if len(self._arms) != self.n:
            raise ValueError(f"n={self.n}, but there are learners of {len(self._arms)} arms")
        self.rounds, self.reward = parts.whole("rounds"), parts.number("reward")
        self.propensity = parts.take("propensity")
        if self.propensity == self.propensity:
            self.propensity = within(self.propensity, "propensity", "[0, 1]")
        self._waiting.restore(parts, 0, self._decision)

    def _decision(self, part: Parts) -> Decision:
        return Decision(part.whole("arm", 0, self.n - 1), self._checked(part.take("context")))


def _arm(learner: Any, arm: int, *, learned: bool = False) -> ForeignLearner:
    return ForeignLearner(learner, f"the learner of arm {arm}", learned=learned)


# --- LinUCB: linear rewards, and the arm with the largest upper confidence bound ------------------

# Li, Chu, Langford and Schapire (2010); the confidence sets are those of Abbasi-Yadkori, Pal and
# Szepesvari (2011).

_MOST = 1e100  # as in core/bind/lin_ucb.cpp


class LinUCB(Stateful):
    """Ridge regression of the reward on the context, one for each arm, and optimism.

    `act(x)` is `argmax_a <theta_a, x> + alpha w_a(x)`, the first of several, where

        theta_a = A_a^{-1} sum reward x,   A_a = ridge I + sum x x',   w_a(x) = sqrt(x' A_a^{-1} x)

    with the sums over the rounds in which arm a was played. If mean rewards are `<theta*_a, x>` with
    `||theta*_a|| <= S`, and the noise is R-sub-Gaussian, then with probability `1 - delta`, at all
    times and for all arms (Abbasi-Yadkori et al., Theorem 2)

        |<theta_a - theta*_a, x>| <= beta w_a(x),
        beta = R sqrt(log det(A_a / ridge) + 2 log(n / delta)) + sqrt(ridge) S

    which is `confidence(x)`; what follows from it for the regret is `certificate()`. A triangular factor
    of each A is kept and rotated, which stays exact over millions of updates. A decision takes
    `O(n d^2)` operations, an update `O(d^2)`.

    A reward may come late: every `act(x)` is a decision of its own and waits for its reward.
    `update(reward=r)` is that of the oldest, `update(arm, reward=r)` of the oldest for this arm,
    `update(reward=r, ticket=ticket)` of the decision that had this `ticket`. It is learned with the
    context of its own decision.

    Attributes: `decisions` made and not forgotten, `rounds` learned from, `reward`, their sum,
    `weights`, the theta of each arm, `ticket` of the last decision, `waiting`, tickets and arms of those
    without a reward yet, `propensity` of what was chosen: always 1.

    >>> bandit = LinUCB(3, 2, alpha=0.5)
    >>> bandit.act([1.0, 0.0])
    0
    >>> bandit.update(reward=0.2)
    >>> bandit.act([1.0, 0.0])  # of the others nothing is known yet
    1
    >>> bandit.update(reward=1.0)
    >>> bandit.weights
    array([[0.1, 0. ],
           [0.5, 0. ],
           [0. , 0. ]])
    >>> bandit.update(2, reward=0.0, x=[0.0, 1.0])  # learned from a log
    >>> bandit.rounds
    3
    """

    n: int = option(whole, kw_only=False, text="how many arms there are")
    dimension: int = option(
        whole,
        kw_only=False,
        text="of the context; add a constant coordinate if rewards are not 0 at x = 0",
    )
    alpha: float = option(
        within,
        "[0, 1e100]",
        default=1.0,
        text="the weight of what is not known yet; with 0 the arm that looks best is played",
    )
    ridge: float = option(
        within, "[1e-100, 1e100]", default=1.0, text="the penalty on `||theta||^2`"
    )
    shared: bool = option(
        flag,
        default=False,
        text="one regression for all arms; a context then has a row of features for each arm",
    )
    noise: float = option(
        positive,
        default=0.5,
        text="""R of `confidence`, `certificate` and the bounds of runs (rewards in [0, 1] have
        1/2); it does not change what is played""",
    )
    norm: float = option(positive, default=1.0, text="S of the same")
    delta: float = option(
        within, "(0, 1)", default=0.05, text="the probability with which these may fail"
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        self._engine = self._start()

    def _start(self) -> _core.LinUcb:
        return _core.LinUcb(self.n, self.dimension, self.alpha, self.ridge, self.shared)

    # --- the rounds --------------------------------------------------------------------------------

    feedback: ClassVar[str] = "reward"
    contextual: ClassVar[bool] = True
    propensity: ClassVar[float] = 1.0

    @property
    def decisions(self) -> int:
        """Decisions made and not forgotten."""
        return self._engine.decisions

    @property
    def ticket(self) -> int:
        """The number of the last decision, from 0 on: with it, its reward may come in any order."""
        return self._engine.tickets - 1

    @property
    def waiting(self) -> list[tuple[int, int]]:
        """Ticket and arm of the decisions whose reward is not known, the oldest first."""
        return self._engine.waiting

    @property
    def rounds(self) -> int:
        """Rewards learned."""
        return self._engine.updates

    @property
    def reward(self) -> float:
        """The sum of the rewards."""
        return self._engine.reward

    @property
    def weights(self) -> Array:
        """The theta of each arm as a row; one row if all arms share it."""
        return self._engine.weights.reshape(-1, self.dimension)

    def act(self, x: Any) -> int:
        """Choose an arm for a context: a vector, or with `shared=True` a row for each arm."""
        if type(x) is list:
            return self._engine.act(self._context(x))
        try:
            return self._engine.act(x)
        except TypeError:  # not an array of floats
            return self._engine.act(self._context(x))

    def update(
        self, arm: Any = None, *, reward: Any, x: Any = None, ticket: int | None = None
    ) -> None:
        """Learn the reward of the oldest decision that waits, of the oldest for `arm`, or of `ticket`.

        With `arm` and `x` nothing needs to have been decided, and no decision is settled: from a log.
        """
        value = reward if isinstance(reward, float) else number(reward, "reward")
        if ticket is not None:
            if arm is not None or x is not None:
                raise ValueError(f"ticket={shown(ticket)} tells arm and x: do not give them")
            self._engine.update_ticket(whole(ticket, "ticket", 0), value)
        elif arm is None:
            if x is not None:
                raise ValueError(
                    "x= needs arm=, which was played there; update(arm, reward=r, x=x)"
                )
            self._engine.update(value)
        elif x is None:
            self._engine.update_arm(arm_of(arm, self.n), value)
        else:
            self._engine.learn(arm_of(arm, self.n), self._context(x), value)

    def forget(self, ticket: int) -> None:
        """Undo a decision whose reward will never come; its ticket is not used again."""
        self._engine.forget(whole(ticket, "ticket", 0))

    def probabilities(self, x: Any) -> Array:
        """The probability of each arm in a context: 1 for the arm that `act` would choose, else 0.

        >>> LinUCB(3, 1).probabilities([1.0])
        array([1., 0., 0.])
        """
        estimates, widths = self._engine.look(self._context(x))
        return np.asarray(np.eye(self.n)[int(np.argmax(estimates + self.alpha * widths))])

    def run(self, contexts: Any, rewards: Any) -> ContextualRun:
        """Play many rounds: a row of `contexts` each, and of `rewards`, one for each arm.

        Only the rewards of the arms that are played are learned. The bound of the run is that of
        `certificate()`, on what is missed in the mean, and what noise can add to that.
        """
        features = (self.n, self.dimension) if self.shared else (self.dimension,)
        X = table(contexts, "contexts", (None, *features), _MOST)
        R = table(rewards, "rewards", (len(X), self.n), _MOST)
        check_settled(self.waiting, "decisions", "rewards")
        before = self.copy()
        arms, *widths = self._engine.run(X.reshape(len(X), math.prod(features)), R)
        chances, played = np.ones(len(X)), arms.astype(np.int64)
        return ContextualRun(
            R,
            played,
            chances,
            before=before,
            after=self.copy(),
            widths=(widths[0], widths[1], widths[2]),
        )

    def _context(self, x: Any) -> Array:
        return table(x, "x", (self.n, self.dimension) if self.shared else (self.dimension,), _MOST)

    # --- guarantees --------------------------------------------------------------------------------

    def confidence(self, x: Any) -> Array:
        """A confidence interval for the mean reward of each arm: a row with its lower and upper end.

        With probability `1 - delta` none of these intervals ever fails, if `noise` and `norm` are right.

        >>> LinUCB(2, 1, noise=0.5, norm=1.0).confidence([1.0]).round(3)
        array([[-2.358,  2.358],
               [-2.358,  2.358]])
        """
        estimates, widths = self._engine.look(self._context(x))
        radius = self._radius(self._grown(), self.delta) * widths
        return np.column_stack([estimates - radius, estimates + radius])

    def _grown(self) -> Array:
        """The log det(A / ridge) of each arm."""
        return np.array([self._engine.log_determinant(arm) for arm in range(self.n)])

    def _radius(self, grown: Array, delta: float) -> Array:
        """The beta of each regression, by its log det(A / ridge)."""
        models = 1 if self.shared else self.n
        return np.asarray(
            self.noise * np.sqrt(grown + 2 * math.log(models / delta))
            + math.sqrt(self.ridge) * self.norm
        )

    def certificate(self) -> Certificate:
        """A bound on the expected reward lost by not playing the best arm for each context.

        Where the intervals of `confidence` hold, a round loses at most
        `(alpha + beta) w_played + max(beta - alpha, 0) max_a w_a`, as what was played had the largest
        index. These widths are added up as rewards come. `regret` is None: the means are not known.
        """
        engine = self._engine
        beta = float(self._radius(self._grown(), self.delta).max())
        bound = self._missed(beta, engine.played_widths, engine.largest_widths)
        return Certificate(
            engine.decisions - len(engine.waiting),
            None,
            {"self-normalised": float(bound)},
            self._theorem,
            self._assumptions(self.delta),
            "the best arm for each context, in the mean over the noise",
        )

    @property
    def _theorem(self) -> str:
        return (
            "Abbasi-Yadkori, Pal and Szepesvari (2011), Theorem 2, with probability "
            f"{1 - self.delta:g}"
        )

    def _missed(self, beta: Any, played: Any, largest: Any) -> Any:
        """The bound on the expected reward lost, from the sums of the widths."""
        return (self.alpha + beta) * played + np.maximum(beta - self.alpha, 0.0) * largest

    def _assumptions(self, delta: float) -> dict[str, bool | None]:
        """None, as the model cannot be checked; False if no theta of this norm fits the data."""
        what = (
            f"mean rewards are <theta_a, x> with ||theta_a|| <= {self.norm:g}, and their noise is "
            f"{self.noise:g}-sub-Gaussian, whatever came before"
        )
        return {what: None if self._is_possible(delta) else False}

    def _is_possible(self, delta: float) -> bool:
        """Whether every confidence set has a theta of norm at most S.

        Where the theorem holds, theta* is one.
        """
        d = self.dimension
        roots = self._engine.roots.reshape(-1, d, d)
        betas = self._radius(self._grown(), delta)
        return all(
            _distance(root, theta, self.norm) <= beta * (1.0 + 1e-6)
            for root, theta, beta in zip(roots, self.weights, betas)
        )

    def _realised(
        self, run: ContextualRun, u: Array
    ) -> tuple[dict[str, float], str, dict[str, bool | None]]:
        curve = self._realised_curve(run, u, disproved=False)
        bounds = {"self-normalised": float(curve[-1]) if len(curve) else 0.0}
        return bounds, self._theorem, self._assumptions(self.delta / 2.0)

    def _realised_curve(self, run: ContextualRun, u: Array, *, disproved: bool = True) -> Array:
        """A bound on the regret to every arm: half of delta is spent on the means, half on the noise.

        The noise of two arms differs by a 2R-sub-Gaussian number a round, so in round t their sum is
        above `2 R sqrt(2 t log(1 / p))` with probability p, here `delta / (2 n t (t + 1))`.
        """
        assert run.widths is not None
        if disproved and not self._is_possible(self.delta / 2.0):
            return np.full(run.rounds, math.inf)
        played, largest, grown = run.widths
        beta = self._radius(grown, self.delta / 2.0)
        missed = self._missed(beta, np.cumsum(played), np.cumsum(largest))
        t = np.arange(1.0, run.rounds + 1.0)
        chance = np.log(2.0 * self.n * t * (t + 1.0) / self.delta)
        return np.asarray(missed + 2.0 * self.noise * np.sqrt(2.0 * t * chance))

    # --- state -------------------------------------------------------------------------------------

    @classmethod
    def _check_size(cls, options: Mapping[str, Any], numbers: int) -> None:
        n, dimension = whole(options["n"], "n"), whole(options["dimension"], "dimension")
        if n * dimension > numbers or dimension**2 > numbers:
            raise ValueError(f"n={n}, dimension={dimension}: the state has fewer numbers")


def _distance(root: Array, theta: Array, norm: float) -> float:
    """The least `||R (u - theta)||` of a u of norm at most `norm`: 0 if theta is such a u itself.

    It is at `u = (A + m I)^{-1} A theta` with the m > 0 for which u has that norm, `A = R'R`.
    """
    if not np.linalg.norm(theta) > norm:
        return 0.0
    _, sizes, axes = np.linalg.svd(root)
    inside, curved = axes @ theta, sizes**2
    low, high = 0.0, float(curved.max()) * (float(np.linalg.norm(theta)) / norm)
    for _ in range(200):  # the norm falls with m; at `high` it is at most `norm`
        middle = (low + high) / 2.0
        far = np.linalg.norm(curved / (curved + middle) * inside) > norm
        low, high = (middle, high) if far else (low, middle)
    return float(np.linalg.norm(sizes * low / (curved + low) * inside))
