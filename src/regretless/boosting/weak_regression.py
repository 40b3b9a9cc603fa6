"""What weak learners of numbers share: targets or slopes in, predictions in [-bound, bound] out."""

from typing import Any, NoReturn

from regretless import rows
from regretless.arguments import number, positive
from regretless.boosting.not_linear import NotLinear
from regretless.losses import Loss, Squared

__all__ = ["WeakRegressor"]


class WeakRegressor(NotLinear):
    """A learner that a booster can ask to keep a linear loss small (Luo (2016), section 3.2.1).

    A subclass says which rule of the core it is (`_rule`) and with which options.
    """

    _rule: str
    bound: float | None
    intercept, features, bits, names, certify = False, "exact", 18, 0, False

    def _numbers(self) -> dict[str, Any]:
        """The options besides the bound, checked."""
        return {}

    def _parts(self) -> tuple[Loss, str, dict[str, Any]]:
        bound = 0.0 if self.bound is None else positive(self.bound, "bound")
        return Squared(), self._rule, {"bound": bound, **self._numbers()}

    @property
    def _is_linear(self) -> bool:
        return False

    def learn_slope(self, x: Any, slope: float, w: float = 1.0) -> None:
        """Learn that a prediction v for `x` costs `slope * v`: a linear loss.

        Luo (2016), section 3.2.1.

        Parameters: `slope`, finite, in [-1, 1] where a theorem is about it; `w >= 0`, importance.
        """
        core: Any = self._model or self._start()
        core.learn_slope(
            x if isinstance(x, dict) else rows.row(x), number(slope, "slope"), number(w, "w")
        )

    _certifies = ""

    def certificate(self, norm: float = 1.0, ord: float = 2) -> NoReturn:
        """Refused: what a weak learner is worth is seen by what becomes of it when boosted."""
        raise ValueError(
            f"{type(self).__name__} has no certificate: no theorem speaks of it alone; that of "
            "GradientBoostingHull or GradientBoostingSpan measures its regret"
        )

    def _feature(self, x: Any) -> Any:
        """The name of the feature on which the prediction rests; None if it is none."""
        core: Any = self._model or self._start()
        row = core.chosen(x if isinstance(x, dict) else rows.row(x))
        return core.names()[row] if row else None
