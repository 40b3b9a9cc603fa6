"""Contextual epsilon-greedy around any online regressor."""

import copy
import math
import os
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from regretless import _core, persistence, state
from regretless.arguments import check_seed, finite, listed, shown, table, whole, within
from regretless.bandits.contextual_run import ContextualRun, arm_of, contextual_run
from regretless.foreign import Foreign, as_dict, as_matrix, fresh
from regretless.randomness import Draws
from regretless.run import Array
from regretless.sparse import checked
from regretless.threads import OneThread

__all__ = ["EpsilonGreedyLearner"]


class EpsilonGreedyLearner(OneThread, changing=("decisions", "propensity", "rounds", "reward")):
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

    Attributes: `decisions` made, `rounds` learned from, `reward`, the sum of
    those; `propensity` of the last choice.

    >>> from regretless.linear import LinearRegressor
    >>> bandit = EpsilonGreedyLearner(LinearRegressor(), 2, epsilon=0.1, seed=3)
    >>> for t in range(200):
    ...     hot = t % 2
    ...     arm = bandit.act({"hot": hot})
    ...     bandit.update(1.0 if arm == hot else 0.0)
    >>> bandit.probabilities({"hot": 1}), bandit.probabilities({"hot": 0})
    (array([0.05, 0.95]), array([0.95, 0.05]))
    """

    def __init__(self, learner: Any, n: int, *, epsilon: float = 0.1, seed: int = 0) -> None:
        self.n = whole(n, "n")
        within(epsilon, "epsilon", "[0, 1]")
        self.epsilon, self.seed = float(epsilon), check_seed(seed)
        self._arms = [_arm(fresh(learner, "learner"), arm) for arm in range(self.n)]
        self.rounds = self.decisions = 0
        self.reward = 0.0
        self.propensity = math.nan
        self._arm = -1  # that waits for its reward
        self._context: Any = None
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
        arm = _core.drawn_index(p, self._draws[self.decisions][0])
        self._arm, self._context, self.propensity = arm, x, float(p[arm])
        self.decisions += 1
        return arm

    def update(self, arm: Any, reward: Any = None, *, x: Any = None) -> None:
        """Learn a reward: `update(reward)` of the last `act`, or `update(arm, reward)` of another arm.

        With `x` nothing needs to have been played: rewards that come late, or from a log.
        """
        if x is None and self._arm < 0:
            raise ValueError(
                "update: no decision waits for a reward; call act(x) first, or give x="
            )
        if reward is None:
            if x is not None:
                raise ValueError(
                    "update(reward, x=...): the arm is needed; update(arm, reward, x=x)"
                )
            arm, reward = self._arm, arm
        arm = arm_of(arm, self.n)
        value = finite(reward, "reward")
        x = self._context if x is None else self._checked(x)
        self._arms[arm].teach(x, value, 1.0)
        self._arm, self._context = -1, None
        self.rounds += 1
        self.reward += value

    def run(self, contexts: Any, rewards: Any) -> ContextualRun:
        """Play many rounds: a context each, and a row of `rewards`, one for each arm.

        Only the rewards of the arms that are played are learned. There is no bound.
        """
        if hasattr(contexts, "tocsr"):
            contexts = checked(contexts, "contexts")
        X = [self._checked(x) for x in listed(contexts, "contexts")]
        R = table(rewards, "rewards", (len(X), self.n))
        arms, propensities = np.empty(len(X), np.int64), np.empty(len(X))
        before = self.clone()
        try:
            for t, x in enumerate(X):
                arms[t] = self.act(x)
                propensities[t] = self.propensity
                self.update(R[t, arms[t]])
        except BaseException:
            self.__dict__.update(before.__dict__)
            raise
        return contextual_run(R, arms, propensities, np.full(len(X), math.nan), repr(self))

    @property
    def learners(self) -> list[Any]:
        """One an arm."""
        return [each.model for each in self._arms]

    def _checked(self, x: Any) -> Any:
        return as_dict(x) if self._arms[0].takes_dicts else as_matrix(x)

    # --- copies ------------------------------------------------------------------------------------

    def clone(self) -> Self:
        """Another bandit with the same state."""
        return copy.deepcopy(self)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the bandit to a safetensors file, if its learners are of this library; else pickle it.

        A decision that waits for its reward is not kept: give its context to `update` then.
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
            "decisions": self.decisions,
            "reward": self.reward,
            "propensity": None if math.isnan(self.propensity) else self.propensity,
            "learners": learners,
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
            bandit._arms = [_arm(each, arm, learned=True) for arm, each in enumerate(learners)]
            bandit.rounds, bandit.decisions = parts.whole("rounds"), parts.whole("decisions")
            bandit.reward = parts.number("reward")
            propensity = parts.take("propensity")
            if propensity is not None:
                bandit.propensity = within(propensity, "propensity", "[0, 1]")
            return bandit

    def __repr__(self) -> str:
        learner = type(self._arms[0].model).__name__
        return f"EpsilonGreedyLearner({learner}(...), {self.n}, epsilon={self.epsilon:g})"


def _arm(learner: Any, arm: int, *, learned: bool = False) -> Foreign:
    return Foreign(learner, f"the learner of arm {arm}", learned=learned)
