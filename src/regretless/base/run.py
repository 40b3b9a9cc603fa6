"""A run: the losses of every round, the regret against a comparator, and the bound on it."""

import math
from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any

import numpy as np

from regretless.base.arguments import Array

if TYPE_CHECKING:
    import pyarrow
    from matplotlib.axes import Axes

    from regretless.certificates import Certificate

__all__ = ["Run"]


class Run(ABC):
    """What every `run`, `play`, `simulate` and `progressive` returns.

    `regret`, `bound`, `regret_curve`, `bound_curve` and `certificate` take the same arguments, which
    say who the run is compared with; by default it is the best fixed choice in hindsight. They speak of
    the rounds of this run, also if the player had played before.

    Attributes: `losses` suffered, one a round; `index`, what the rounds are called (dates, for
    example), or None: 1, 2, ...

    >>> from regretless.oco import OnlineGradientDescent
    >>> run = OnlineGradientDescent(1, rate=0.5).run([[2.0], [-1.0], [2.0]])
    >>> run.loss, run.regret(comparator=[-1.0]), round(run.bound(comparator=[-1.0]), 9)
    (0.0, 3.0, 3.25)
    >>> run.regret_curve(comparator=[-1.0])
    array([2., 2., 3.])
    """

    losses: Array
    index: Any = None

    @property
    def rounds(self) -> int:
        """How many rounds there were."""
        return len(self.losses)

    @property
    def loss(self) -> float:
        """The sum of the losses suffered."""
        return math.fsum(self.losses)

    @property
    def mean_loss(self) -> float:
        """The mean of the losses suffered; 0 if there were no rounds."""
        return self.loss / (self.rounds or 1)

    @abstractmethod
    def regret_curve(self, *who: Any, **asked: Any) -> Array:
        """After each round, how much more was lost than by the comparator."""

    @abstractmethod
    def bound_curve(self, *who: Any, **asked: Any) -> Array:
        """After each round, the theorem's bound on that; infinite where there is none."""

    @abstractmethod
    def certificate(self, *who: Any, **asked: Any) -> "Certificate":
        """The regret at the end, the bounds on it, and what they assume."""

    def regret(self, *who: Any, **asked: Any) -> float:
        """How much more was lost than by the comparator."""
        curve = self.regret_curve(*who, **asked)
        return float(curve[-1]) if len(curve) else 0.0

    def bound(self, *who: Any, **asked: Any) -> float:
        """The theorem's bound on the regret; infinite if it has none."""
        return self.certificate(*who, **asked).bound

    def _compared(self) -> dict[str, Any]:
        """Regret and bound after each round, by name; not of a run that cannot tell its regret."""
        return {"regret": self.regret_curve(), "bound": self.bound_curve()}

    def _columns(self) -> dict[str, Any]:
        """What else is known of each round, by name."""
        return {}

    def to_arrow(self) -> "pyarrow.Table":
        """An Arrow table of the rounds: loss, regret, bound, and what was played.

        >>> from regretless.oco import OnlineGradientDescent
        >>> OnlineGradientDescent(2).run([[2.0, 1.0]]).to_arrow().column_names
        ['round', 'loss', 'regret', 'bound', 'point 0', 'point 1']
        """
        import pyarrow as pa

        rounds = np.arange(1, self.rounds + 1) if self.index is None else self.index
        name = getattr(self.index, "name", None) or "round"
        columns = {name: rounds, "loss": self.losses}
        return pa.table(columns | self._compared() | self._columns())

    def to_frame(self) -> Any:
        """The table of `to_arrow` as a pandas frame, if pandas is installed; else as it is.

        >>> from regretless.oco import OnlineGradientDescent
        >>> len(OnlineGradientDescent(1).run([[2.0], [1.0]]).to_frame())
        2
        """
        table = self.to_arrow()
        try:
            import pandas  # noqa: F401 to know whether it is there
        except ImportError:
            return table
        return table.to_pandas().set_index(table.column_names[0])

    def plot(self, ax: "Axes | None" = None) -> "Axes":
        """Draw the regret and its bound over the rounds.

        `ax`, where to draw; a new picture by default. To write it to a file:
        `run.plot().figure.savefig(path)`.

        >>> from regretless.oco import OnlineGradientDescent
        >>> OnlineGradientDescent(1).run([[2.0], [1.0]]).plot().get_ylabel()
        'regret'
        """
        from regretless.plots.curves import compare

        return compare({"": self}, ax)
