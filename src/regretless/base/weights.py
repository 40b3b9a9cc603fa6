"""Learners with a weight for each feature, and certificates about all linear models."""

import math
from typing import Any

import numpy as np

from regretless import _core
from regretless._core import Total
from regretless.base.arguments import Array
from regretless.base.learner import Learner
from regretless.certificates import LinearCertificate

_EPS = float(np.finfo(float).eps)


class HasWeights(Learner):
    """A learner with weights by the names of features; three or more labels have weights each."""

    _certifies = "models"

    @property
    def _is_linear(self) -> bool:
        return True

    @property
    def weights_(self) -> dict[Any, Any]:
        """Names to weights; with three or more labels, labels to names to weights."""
        names, table, _ = self._weights()
        columns = [dict(zip(names, column)) for column in table.T.tolist()]
        return columns[0] if len(columns) == 1 else dict(zip(self._outputs(), columns))

    @property
    def intercept_(self) -> Any:
        """The weight of the constant feature; with three or more labels, by label."""
        first = self._weights()[2].tolist()
        return first[0] if len(first) == 1 else dict(zip(self._outputs(), first))

    def certificate(self, norm: float = 1.0, ord: float = 2) -> LinearCertificate:
        """What the run so far proves of all linear models whose norm is at most `norm`.

        Parameters: `norm >= 0`, measured by `ord`: 1, 2 or `math.inf`. See `LinearCertificate`.
        """
        return LinearCertificate.of(norm=norm, ord=ord, **self._sums())

    def _sums(self) -> dict[str, Any]:
        """What a `LinearCertificate` is made of."""
        core = self._model or self._start()
        if not core.has_gradient_sum:
            raise ValueError(
                f"this rule keeps no sum of gradients; make the learner with certify=True: "
                f"{type(self).__name__}(..., certify=True)"
            )
        l1, l2, largest, count = core.gradient_norms()
        rounds, error = self.examples_, core.total(Total.rounding)
        if self.certify:  # sums in double precision, of gradients whose squares add up to this
            error = (
                2.0 * _EPS * (rounds + 2) * math.sqrt(rounds * count * core.total(Total.squares))
            )
        return {
            "rounds": rounds,
            "weight": core.most(Total.weights),
            "loss": core.total(Total.loss),
            "linear": core.total(Total.linear),
            "gross": core.total(Total.gross),
            "gradient_norms": (l1, l2, largest),
            "error": error + 2.0 * _EPS * count * l1,
        }

    def _weights(self) -> tuple[list[Any], Array, Array]:
        """Names, weights (features x lanes) and intercepts (lanes)."""
        core = self._model or self._start()
        if self.features == "hashed" and isinstance(core, _core.Learner):
            used = np.union1d(core.used(), np.zeros(1, np.uint32))  # few of them, often
            table = core.weights(used).reshape(-1, core.lanes)
        else:
            table = core.weights().reshape(-1, core.lanes)
            used = np.arange(len(table), dtype=np.uint32)
        names, used, table, first = core.names(), used[1:], table[1:], table[0]
        if self.features == "hashed":
            moved = np.flatnonzero((table != self._unlearned()).any(axis=1))
            return [names.get(row, row - 1) for row in used[moved].tolist()], table[moved], first
        return list(names.values()), table, first

    def _unlearned(self) -> float:
        """The weight of a feature that nothing was learned of."""
        return 0.0
