"""Contextual epsilon-greedy around any online regressor."""

import copy
import math
import os
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from regretless import _core, persistence, state
from regretless.arguments import check_seed, finite, listed, shown, table, whole, within
from regretless.bandits.contextual_run import ContextualRun, arm_of
from regretless.calls import call_of
from regretless.foreign import Foreign, as_dict, as_matrix, fresh
from regretless.randomness import Draws
from regretless.run import Array
from regretless.sparse import checked
from regretless.threads import OneThread

__all__ = ["EpsilonGreedyLearner"]


class Decision(NamedTuple):
    """A decision whose reward is not known."""

    ticket: int
    arm: int
    context: Any


class EpsilonGreedyLearner(
    OneThread, changing=("decisions", "propensity", "rounds", "reward", "ticket")
):
    """Play the arm whose regressor predicts the largest reward; with probability epsilon, any arm.

    A copy of `learner` for each arm learns the rewards of that arm. The arm that looks best, the first
    of several, has the probability `1 - epsilon + epsilon / n`, every other `epsilon / n`; that of what
    was chosen is `propensity`, to be logged for `regretless.bandits.off_policy`.

    Parameters
    ----------
    learner : an online regressor, of this library or of River (`predict_one`, `learn_one`) or of
        scikit-learn (`predict`, `partial_fit`); it is copied, and not itself changed.
    n : how many arms.
    epsilon : how often to explore, from 0 to 1.
    seed : what is drawn for a decision depends on it and the number of the decision alone.

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

    feedback: ClassVar[str] = "reward"
    contextual: ClassVar[bool] = True

    def __init__(self, learner: Any, n: int, *, epsilon: float = 0.1, seed: int = 0) -> None:
        self.n = whole(n, "n")
        within(epsilon, "epsilon", "[0, 1]")
        self.epsilon, self.seed = float(epsilon), check_seed(seed)
        self._arms = [_arm(fresh(learner, "learner"), arm) for arm in range(self.n)]
        self.rounds = self.decisions = 0
        self.reward = 0.0
        self.propensity = math.nan
        self.ticket = -1
        self._waiting: list[Decision] = []  # the oldest first
        self._draws = Draws(self.seed, 1)

    # --- the rounds --------------------------------------------------------------------------------

    def probabilities(self, x: Any) -> Array:
        """With which each arm is played in a context."""
        return self._probabilities(self._checked(x))

    def _probabilities(self, x: Any) -> Array:
        p = np.full(self.n, self.epsilon / self.n)
        best = int(np.argmax([each.number(x) for each in self._arms]))
        p[best] = 1.0 - self.epsilon * (self.n - 1) / self.n
        return p

    def act(self, x: Any) -> int:
        """The arm for a context: a dict, or a vector. Its propensity is kept beside it."""
        x = self._checked(x)
        p = self._probabilities(x)
        ticket = self.ticket + 1
        arm = _core.drawn_index(p, self._draws[ticket][0])
        self._waiting.append(Decision(ticket, arm, x))
        self.ticket, self.propensity = ticket, float(p[arm])
        self.decisions += 1
        return arm

    @property
    def waiting(self) -> list[tuple[int, int]]:
        """Ticket and arm of the decisions whose reward is not known, the oldest first."""
        return [(decision.ticket, decision.arm) for decision in self._waiting]

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
            place = self._place(arm, ticket)
            decision = self._waiting[place]
            self._arms[decision.arm].teach(decision.context, value, 1.0)
            del self._waiting[place]
        self.rounds += 1
        self.reward += value

    def _place(self, arm: Any, ticket: int | None) -> int:
        """Where the decision is among those that wait."""
        if arm is not None and ticket is not None:
            raise ValueError(f"ticket={shown(ticket)} tells the arm: do not give it")
        of, wanted = "no decision", None
        if ticket is not None:
            of, wanted = (
                f"ticket={shown(ticket)}: no decision that had it",
                whole(ticket, "ticket", 0),
            )
        elif arm is not None:
            of, wanted = f"arm={shown(arm)}: no decision for it", arm_of(arm, self.n)
        for place, decision in enumerate(self._waiting):
            if wanted in (None, decision.arm if ticket is None else decision.ticket):
                return place
        raise ValueError(f"{of} waits for a reward; call act(x) first, or give arm= and x=")

    def forget(self, ticket: int) -> None:
        """Undo a decision whose reward will never come; its ticket is not given again."""
        del self._waiting[self._place(None, whole(ticket, "ticket", 0))]
        self.decisions -= 1

    def run(self, contexts: Any, rewards: Any) -> ContextualRun:
        """Play many rounds: a context each, and a row of `rewards`, one for each arm.

        Only the rewards of the arms that are played are learned. There is no theorem.
        """
        if hasattr(contexts, "tocsr"):
            contexts = checked(contexts, "contexts")
        X = [self._checked(x) for x in listed(contexts, "contexts")]
        R = table(rewards, "rewards", (len(X), self.n))
        if self._waiting:
            raise ValueError(
                f"{len(self._waiting)} decisions wait for their rewards; update or forget them first"
            )
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
        """One an arm."""
        return [each.model for each in self._arms]

    def _checked(self, x: Any) -> Any:
        return as_dict(x) if self._arms[0].takes_dicts else as_matrix(x)

    # --- copies ------------------------------------------------------------------------------------

    def clone(self) -> Self:
        """Another bandit with the same options that has learned nothing."""
        learner = self._arms[0].model
        return type(self)(learner, self.n, epsilon=self.epsilon, seed=self.seed)

    def copy(self) -> Self:
        """Another bandit that has learned the same."""
        return copy.deepcopy(self)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the bandit to a safetensors file, if its learners are of this library; else pickle it.

        Decisions that wait for their rewards are not kept: give `update` their contexts then.
        """
        from regretless.linear.learner import LinearLearner

        arrays: dict[str, NDArray[Any]] = {}
        learners = []
        for arm, learner in enumerate(self.learners):
            if not isinstance(learner, LinearLearner):
                raise ValueError(
                    f"learner={shown(learner)}: only learners of this library are saved to a file, "
                    "which can hold no code; pickle the bandit"
                )
            description, parts = learner._described()
            learners.append(description)
            arrays |= {f"{arm}.{name}": array for name, array in parts.items()}
        description = {
            "class": type(self).__name__,
            "options": {"n": self.n, "epsilon": self.epsilon, "seed": self.seed},
            "rounds": self.rounds,
            "decisions": self.decisions - len(self._waiting),
            "ticket": self.ticket,
            "reward": self.reward,
            "propensity": None if math.isnan(self.propensity) else self.propensity,
            "learners": learners,
            "learned": [each.learned for each in self._arms],
        }
        persistence.write(path, description, arrays)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """The bandit that `save` wrote to `path`; it goes on as if it had never stopped."""
        from regretless.linear.loading import restored

        with state.opening(path, cls.__name__) as parts:
            learners = [
                restored(path, described, parts.part(str(arm)).rest())
                for arm, described in enumerate(parts.take("learners"))
            ]
            bandit = cls(learners[0], **parts.inside("options").options(n=len(learners)))
            if len({type(each) for each in learners}) > 1:
                raise ValueError("the learners are not all of one class")
            learned = [flag is True for flag in parts.take("learned")]
            bandit._arms = [
                _arm(each, arm, learned=learned[arm]) for arm, each in enumerate(learners)
            ]
            bandit.rounds, bandit.decisions = parts.whole("rounds"), parts.whole("decisions")
            bandit.ticket = parts.whole("ticket", bandit.decisions - 1)
            bandit.reward = parts.number("reward")
            propensity = parts.take("propensity")
            if propensity is not None:
                bandit.propensity = within(propensity, "propensity", "[0, 1]")
            return bandit

    def __repr__(self) -> str:
        given = {"learner": self._arms[0].model, "n": self.n, "epsilon": self.epsilon}
        return call_of(self, given | {"seed": self.seed})


def _arm(learner: Any, arm: int, *, learned: bool = False) -> Foreign:
    return Foreign(learner, f"the learner of arm {arm}", learned=learned)
