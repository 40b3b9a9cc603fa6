"""LinUCB: rewards that are linear in the context, and the arm whose reward could be the largest.

Li, Chu, Langford and Schapire 2010; the confidence sets are those of Abbasi-Yadkori, Pal and
Szepesvari 2011.
"""

import copy
import math
import os
from typing import Any, Self

import numpy as np

from regretless import _core, persistence, state
from regretless.arguments import number, positive, table, whole, within
from regretless.bandits.contextual_run import ContextualRun, arm_of, contextual_run
from regretless.certificates import Certificate
from regretless.run import Array
from regretless.threads import OneThread

__all__ = ["LinUCB"]

_MOST = 1e100  # as in core/bind/lin_ucb.cpp
_GIVEN = ("n", "dimension", "alpha", "ridge", "shared")


class LinUCB(OneThread):
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

    Parameters
    ----------
    n : how many arms.
    dimension : of the context; add a constant coordinate if rewards are not 0 at x = 0.
    alpha : how much is given for not knowing; at 0 the arm that looks best is played.
    ridge : the penalty on `||theta||^2`.
    shared : one regression for all arms, and a context has a row of features for each of them.

    Attributes: `rounds` learned from, `reward`, their sum, `weights`, the theta of each arm,
    `propensity` of what was chosen: always 1.

    >>> bandit = LinUCB(3, 2, alpha=0.5)
    >>> bandit.act([1.0, 0.0])
    0
    >>> bandit.update(0.2)
    >>> bandit.act([1.0, 0.0])  # of the others nothing is known yet
    1
    >>> bandit.update(1.0)
    >>> bandit.weights
    array([[0.1, 0. ],
           [0.5, 0. ],
           [0. , 0. ]])
    >>> bandit.update(2, 0.0, x=[0.0, 1.0])  # learned from a log
    >>> bandit.rounds
    3
    """

    def __init__(
        self,
        n: int,
        dimension: int,
        *,
        alpha: float = 1.0,
        ridge: float = 1.0,
        shared: bool = False,
    ) -> None:
        self.n, self.dimension = whole(n, "n"), whole(dimension, "dimension")
        self.alpha = within(alpha, "alpha", "[0, 1e100]")
        self.ridge = within(ridge, "ridge", "[1e-100, 1e100]")
        self.shared = bool(shared)
        self._engine = self._start()

    def _start(self) -> _core.LinUcb:
        return _core.LinUcb(self.n, self.dimension, self.alpha, self.ridge, self.shared)

    # --- the rounds --------------------------------------------------------------------------------

    propensity = 1.0

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
        """The theta of each arm, or of all if they share it, one a row."""
        return self._engine.weights.reshape(-1, self.dimension)

    def act(self, x: Any) -> int:
        """The arm for a context: a vector, or if they share the weights a row for each arm."""
        try:
            return self._engine.act(x)
        except TypeError:  # a list
            return self._engine.act(self._context(x))

    def update(self, arm: Any, reward: Any = None, *, x: Any = None) -> None:
        """Learn a reward: `update(reward)` of the last `act`, or `update(arm, reward)` of another arm.

        With `x` nothing needs to have been played: rewards that come late, or from a log.
        """
        if reward is None:
            if x is not None:
                raise ValueError(
                    "update(reward, x=...): the arm is needed; update(arm, reward, x=x)"
                )
            self._engine.update(_reward(arm))
        elif x is None:
            self._engine.update_arm(self._arm(arm), _reward(reward))
        else:
            self._engine.learn(self._arm(arm), self._context(x), _reward(reward))

    def probabilities(self, x: Any) -> Array:
        """With which an arm is played: 1 for one of them. Nothing is remembered.

        >>> LinUCB(3, 1).probabilities([1.0])
        array([1., 0., 0.])
        """
        estimates, widths = self._engine.look(self._context(x))
        return np.asarray(np.eye(self.n)[int(np.argmax(estimates + self.alpha * widths))])

    def run(self, contexts: Any, rewards: Any) -> ContextualRun:
        """Play many rounds: a row of `contexts` each, and of `rewards`, one for each arm.

        Only the rewards of the arms that are played are learned. `bound` is that of `certificate()` with
        its defaults, on what was lost in the mean to the best policy, hence to the best arm.
        """
        features = (self.n, self.dimension) if self.shared else (self.dimension,)
        X = table(contexts, "contexts", (None, *features), _MOST)
        R = table(rewards, "rewards", (len(X), self.n), _MOST)
        fresh = self._engine.decisions == 0  # the bound is on all decisions
        arms, played, widest, grown = self._engine.run(X.reshape(len(X), math.prod(features)), R)
        beta = self._radius(grown, 0.5, 1.0, 0.05)
        bound = (self.alpha + beta) * np.cumsum(played)
        bound += np.maximum(beta - self.alpha, 0.0) * np.cumsum(widest)
        if not fresh:
            bound[:] = math.nan
        return contextual_run(R, arms, np.ones(len(X)), bound, repr(self))

    def _context(self, x: Any) -> Array:
        return table(x, "x", (self.n, self.dimension) if self.shared else (self.dimension,), _MOST)

    def _arm(self, arm: Any) -> int:
        return arm_of(arm, self.n)

    # --- what is proven ----------------------------------------------------------------------------

    def confidence(
        self, x: Any, *, noise: float = 0.5, norm: float = 1.0, delta: float = 0.05
    ) -> Array:
        """Lower and upper end of what the mean reward of each arm can be, one row an arm.

        Parameters: `noise`, R (rewards in [0, 1] have 1/2); `norm`, S; `delta`, the probability with
        which an interval fails, ever and for any arm.

        >>> LinUCB(2, 1).confidence([1.0], noise=0.5, norm=1.0).round(3)
        array([[-2.358,  2.358],
               [-2.358,  2.358]])
        """
        estimates, widths = self._engine.look(self._context(x))
        radius = self._radius(self._grown(), noise, norm, delta) * widths
        return np.column_stack([estimates - radius, estimates + radius])

    def _grown(self) -> Array:
        """The log det(A / ridge) of each arm."""
        return np.array([self._engine.log_determinant(arm) for arm in range(self.n)])

    def _radius(self, grown: Array, noise: float, norm: float, delta: float) -> Array:
        """The betas of regressions that have grown so much."""
        R, S = positive(noise, "noise"), positive(norm, "norm")
        within(delta, "delta", "(0, 1)")
        models = 1 if self.shared else self.n
        return np.asarray(
            R * np.sqrt(grown + 2 * math.log(models / delta)) + math.sqrt(self.ridge) * S
        )

    def certificate(
        self, *, noise: float = 0.5, norm: float = 1.0, delta: float = 0.05
    ) -> Certificate:
        """How much less the arms played can have brought in the mean than the best for each context.

        Where the intervals of `confidence` hold, a round loses at most
        `(alpha + beta) w_played + max(beta - alpha, 0) max_a w_a`, as what was played had the largest
        index. These widths are added up as they come. Parameters: as of `confidence`. `regret` is not a
        number: the means are not known.
        """
        beta = float(self._radius(self._grown(), noise, norm, delta).max())
        engine = self._engine
        bound = (self.alpha + beta) * engine.played_widths
        bound += max(beta - self.alpha, 0.0) * engine.largest_widths
        return Certificate(
            engine.decisions,
            None,
            {"self-normalised": bound},
            f"Abbasi-Yadkori, Pal and Szepesvari 2011, Theorem 2, with probability {1 - delta:g}",
            {
                f"mean rewards are <theta_a, x> with ||theta_a|| <= {norm:g}": None,
                f"the noise is {noise:g}-sub-Gaussian, whatever came before": None,
            },
        )

    # --- copies ------------------------------------------------------------------------------------

    def clone(self) -> Self:
        """Another bandit with the same state."""
        return copy.deepcopy(self)

    def __getstate__(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in _GIVEN} | {"_state": self._engine.state()}

    def __setstate__(self, kept: dict[str, Any]) -> None:
        kept = dict(kept)
        learned = kept.pop("_state")
        LinUCB.__init__(self, **kept)
        self._engine.restore(learned)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the bandit to a safetensors file, all at once or not at all."""
        options = {name: getattr(self, name) for name in _GIVEN}
        described = {"class": type(self).__name__, "options": options}
        persistence.write(path, described, {"state": self._engine.state()})

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """The bandit that `save` wrote to `path`; it goes on as if it had never stopped."""
        with state.opening(path, cls.__name__) as parts:
            options, learned = parts.inside("options").options(), parts.array("state", (None,))
            n, dimension = whole(options["n"], "n"), whole(options["dimension"], "dimension")
            if n * dimension > learned.size or dimension**2 > learned.size:
                raise ValueError(f"n={n}, dimension={dimension}: the state has less numbers")
            for name in set(_GIVEN) - options.keys():
                raise ValueError(f"the option {name!r} is missing")
            bandit = cls(**options)
            bandit._engine.restore(learned)
            return bandit

    def __repr__(self) -> str:
        shared = ", shared=True" if self.shared else ""
        return f"LinUCB({self.n}, {self.dimension}, alpha={self.alpha:g}, ridge={self.ridge:g}{shared})"


def _reward(reward: Any) -> float:
    return reward if isinstance(reward, float) else number(reward, "reward")
