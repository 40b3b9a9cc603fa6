"""Learners that move only when they are wrong, and are wrong only so often."""

import math
from abc import abstractmethod
from dataclasses import fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from regretless.arguments import positive
from regretless.certificates import MistakeBound, MistakeCertificate
from regretless.linear.cycling import Cycling
from regretless.linear.learner import TOTALS, LinearLearner
from regretless.linear.replay import Lane, Replay

__all__ = ["MistakeDriven", "root_bound"]

Array = NDArray[np.float64]


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

    def certificate(self, X: Any = None, y: Any = None) -> MistakeCertificate:
        """What the run so far proves: see `MistakeCertificate`.

        With the examples `X, y` that were learned, in their order and with weights of 1, they are
        played again, and the certificate can be asked for `mistake_bound(u)`. `X` is a batch or a list
        of dicts; all labels count as known from the start.
        """
        if X is None:
            return self._certificate_of(self, None)
        replay = Replay(self, self._twin(), X, y)
        return self._certificate_of(replay.twin, replay)

    def _certificate_of(self, run: Any, replay: Replay | None) -> MistakeCertificate:
        plain = LinearLearner.certificate(run)
        core = run._model
        return MistakeCertificate(
            **{f.name: getattr(plain, f.name) for f in fields(plain)},
            updates=run.updates_,
            norm=float(np.linalg.norm(np.vstack(run._weights()[1:]))),
            radius=core.most(TOTALS["radius"]) if run.certify else None,
            squares=core.total(TOTALS["squares"]) if run.certify else None,
            against=None if replay is None else lambda *u: self._against(replay, *u),
        )

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
                        "u is 0: it has no margin; leave out margin, or give another u"
                    )
                v = given / (positive(margin, "margin") * size)
            proved, asked = replay.twin._bounds(lane, v)
            bounds.append(proved)
            for what, held in asked.items():
                assumptions[what] = held and assumptions.get(what, True)
        shared = [name for name in bounds[0] if all(name in each for each in bounds)]
        total = {name: sum(each[name] for each in bounds) for name in shared}
        return MistakeBound(replay.twin.updates_, total, assumptions)

    def _size(self, u: Array) -> float:
        """The norm in which the theorem measures `u`."""
        return float(np.linalg.norm(u))

    @abstractmethod
    def _bounds(self, lane: Lane, u: Array) -> tuple[dict[str, float], dict[str, bool]]:
        """Bounds on the updates of a lane by the losses of `u` in them; what they ask of the data."""
