"""Runs: the losses of all rounds, the regret to a comparator, and the bound on it."""

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
    """The result of `run`, `play`, `simulate` and `progressive`.

    `regret`, `bound`, `regret_curve`, `bound_curve` and `certificate` take the same arguments, which
    name the comparator; by default it is the best fixed choice in hindsight. They are about the rounds
    of this run, even if the player had played before.

    Attributes: `losses`, the loss of each round; `index`, the names of the rounds (dates, for example),
    or None if they are numbered 1, 2, ...

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
        """The number of rounds."""
        return len(self.losses)

    @property
    def loss(self) -> float:
        """The sum of the losses."""
        return math.fsum(self.losses)

    @property
    def mean_loss(self) -> float:
        """The mean of the losses; 0 for a run without rounds."""
        return self.loss / (self.rounds or 1)

    def __repr__(self) -> str:
        return f"<{self.rounds} rounds of {vars(self)['after']!r}, loss {self.loss:.4g}>"

    @abstractmethod
    def regret_curve(self, *who: Any, **asked: Any) -> Array:
        """The regret after each round: the loss of the player minus that of the comparator."""

    @abstractmethod
    def bound_curve(self, *who: Any, **asked: Any) -> Array:
        """The theorem's bound on the regret after each round; infinite where it has none."""

    @abstractmethod
    def certificate(self, *who: Any, **asked: Any) -> "Certificate":
        """The regret at the end, the bounds on it, and their assumptions."""

    def regret(self, *who: Any, **asked: Any) -> float:
        """The regret at the end: the loss of the player minus that of the comparator."""
        curve = self.regret_curve(*who, **asked)
        return float(curve[-1]) if len(curve) else 0.0

    def bound(self, *who: Any, **asked: Any) -> float:
        """The theorem's bound on the regret; infinite if there is none."""
        return self.certificate(*who, **asked).bound

    def _compared(self) -> dict[str, Any]:
        """Regret and bound after each round, by name; empty for runs whose regret is unknown."""
        return {"regret": self.regret_curve(), "bound": self.bound_curve()}

    def _columns(self) -> dict[str, Any]:
        """Further columns of the table of rounds, by name."""
        return {}

    def to_arrow(self) -> "pyarrow.Table":
        """An Arrow table with a row per round: loss, regret, bound, and the choice of the player.

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
        """The table of `to_arrow` as a pandas frame; unchanged if pandas is not installed.

        >>> from regretless.oco import OnlineGradientDescent
        >>> len(OnlineGradientDescent(1).run([[2.0], [1.0]]).to_frame())
        2
        """
        table = self.to_arrow()
        try:
            import pandas  # noqa: F401 to know whether it is installed
        except ImportError:
            return table
        return table.to_pandas().set_index(table.column_names[0])

    def plot(self, ax: "Axes | None" = None) -> "Axes":
        """Draw the regret and its bound over the rounds.

        `ax`: the axes to draw on; by default those of a new figure. To write it to a file:
        `run.plot().figure.savefig(path)`.

        >>> from regretless.oco import OnlineGradientDescent
        >>> OnlineGradientDescent(1).run([[2.0], [1.0]]).plot().get_ylabel()
        'regret'
        """
        from regretless.plots.curves import compare

        return compare({"": self}, ax)
