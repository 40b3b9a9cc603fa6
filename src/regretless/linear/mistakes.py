"""Learners that move only when they are wrong, and are wrong only so often."""

import math
from abc import abstractmethod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from regretless._core import Total
from regretless.arguments import positive, shown
from regretless.certificates import MistakeBound, MistakeCertificate
from regretless.linear.cycling import Cycling
from regretless.linear.replay import Lane, Replay

__all__ = ["MistakeDriven", "root_bound"]

Array = NDArray[np.float64]
_SINGLE = 4.0 * float(np.finfo(np.float32).eps)


def root_bound(size: float, suffered: float) -> float:
    """`((a + sqrt(a^2 + 4 F)) / 2)^2`: the most M can be if `M <= F + a sqrt(M)`.

    The same number as `F + a^2 / 2 (1 + sqrt(1 + 4 F / a^2))`.

    >>> root_bound(2.0, 0.0)
    4.0
    """
    root = (size + math.sqrt(size * size + 4.0 * suffered)) / 2.0
    return root * root


class MistakeDriven(Cycling):
    """A classifier with a bound on the number of its updates."""

    def certificate(  # type: ignore[override]
        self,
        X: Any = None,
        y: Any = None,
        *,
        comparator: Any = None,
        margin: float | None = None,
        intercept: Any = 0.0,
        norm: float = 1.0,
        ord: float = 2,
    ) -> MistakeCertificate | MistakeBound:
        """What the run so far proves of all models of a norm, or of the mistakes, by one of them.

        Without a comparator, a `MistakeCertificate` for all models whose norm `ord` is at most `norm`.
        With the examples `X, y` that were learned, in their order and with weights of 1, they are played
        again, in as many passes as there were. `X` is a batch or a list of dicts; all labels count as
        known from the start.

        With a comparator u, a `MistakeBound`: what the theorems say of the number of updates, by the
        losses of u on the examples.

        Parameters: `comparator`, a dict of names to weights or an array of the weights of columns; with
        three or more labels, a dict of labels to such. `margin` rho > 0: take `u / (rho ||u||)`, whose
        hinge losses are `max(0, 1 - y <u, x> / (rho ||u||))`; None takes u as it is. `intercept`: u's
        weight of the constant feature (by label, if there are three or more).
        """
        replay = None if X is None else Replay(self, self._twin(), X, y)
        if comparator is None:
            run = self if replay is None else replay.twin
            return MistakeCertificate.of(norm=norm, ord=ord, **run._sums())
        if replay is None:
            raise ValueError(
                f"comparator={shown(comparator)} needs the examples, which are not kept: call "
                "certificate(X, y, comparator=...) with those learned"
            )
        return self._against(replay, comparator, margin, intercept)

    def _sums(self) -> dict[str, Any]:
        core = self._model or self._start()
        return super()._sums() | {
            "updates": self.updates_,
            "weight_norm": float(np.linalg.norm(np.vstack(self._weights()[1:]))),
            "radius": core.most(Total.radius) if self.certify else None,
            "squares": core.total(Total.squares) if self.certify else None,
        }

    def _twin(self) -> Any:
        """A learner of exact features that would have made the same updates, and certifies them."""
        options = self.get_params() | {"certify": True, "features": "exact"}
        return type(self)(**options)

    def _against(
        self, replay: Replay, u: Any, margin: float | None, intercept: Any
    ) -> MistakeBound:
        bounds: list[dict[str, float]] = []
        assumptions: dict[str, bool | None] = {"X, y are what was learned, in order": replay.same}
        for lane, given in replay.comparators(u, intercept):
            v = given
            if margin is not None:
                size = self._size(given)
                if not size:
                    raise ValueError(
                        "comparator is 0: it has no margin; leave out margin, or give another one"
                    )
                v = given / (positive(margin, "margin") * size)
            proved, asked = replay.twin._bounds(lane, v)
            bounds.append(proved)
            for what, held in asked.items():
                assumptions[what] = held and assumptions.get(what, True)
        shared = [name for name in bounds[0] if all(name in each for each in bounds)]
        total = {name: math.fsum(each[name] for each in bounds) for name in shared}
        updates = replay.twin.updates_
        return MistakeBound(
            rounds=len(replay.lanes[0].y),
            regret=None,
            bounds=total,
            theorem="; ".join(shared),
            assumptions=assumptions,
            comparators="the given weights",
            against=u,
            # weights are in single precision: every update moves them by that much more or less
            rounding=_SINGLE * (updates + 1) * min(total.values()),
            updates=updates,
        )

    def _size(self, u: Array) -> float:
        """The norm in which the theorem measures `u`."""
        return float(np.linalg.norm(u))

    @abstractmethod
    def _bounds(self, lane: Lane, u: Array) -> tuple[dict[str, float], dict[str, bool]]:
        """Bounds on the updates of a lane by the losses of `u` in them; what they ask of the data."""
