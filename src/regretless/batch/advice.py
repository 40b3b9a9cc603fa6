"""Expert players as learners: an example is what the experts say, and the truth."""

from typing import Any

import numpy as np

from regretless import losses
from regretless.arguments import shown
from regretless.rows import row
from regretless.run import Array

__all__ = ["Forecaster", "Voter", "as_learner"]


def as_learner(player: Any, loss: Any) -> Any:
    """The learner itself, or one made of an expert player, whose experts suffer `loss`.

    >>> from regretless.experts import Hedge
    >>> learner = as_learner(Hedge(2, rate=1.0), "squared")
    >>> learner.learn_one([0.0, 1.0], 1.0)
    >>> learner.predict_one([0.0, 1.0]) > 0.7
    True
    """
    if hasattr(player, "learn_one") and hasattr(player, "predict_one"):
        return player
    if hasattr(player, "predict") and hasattr(player, "update") and hasattr(player, "n"):
        return Voter(player)
    if hasattr(player, "weights") and hasattr(player, "update") and hasattr(player, "n"):
        return Forecaster(player, loss)
    raise ValueError(
        f"learner={shown(player)} has no learn_one and predict_one; use one of regretless or River, "
        "or an expert player"
    )


class _Advised:
    def __init__(self, player: Any) -> None:
        self.player = player

    def _advice(self, x: Any) -> Array:
        """What each expert says; who is not in the row says 0."""
        names = self.player.names or range(self.player.n)
        said = row(x)
        told = said if isinstance(said, dict) else dict(zip(said[0].tolist(), said[1].tolist()))
        unknown = next((name for name in told if name not in names), None)
        if unknown is not None:
            raise ValueError(f"x has advice of {shown(unknown)}, who is none of the experts")
        return np.array([told.get(name, 0.0) for name in names], np.float64)


class Forecaster(_Advised):
    """Forecasts the mean of the forecasts of experts, by a player's weights."""

    def __init__(self, player: Any, loss: Any) -> None:
        super().__init__(player)
        plain = callable(loss) and not isinstance(loss, losses.Loss)
        self._loss = loss if plain else losses.get("squared" if loss is None else loss).value

    def predict_one(self, x: Any) -> float:
        """The mean of what the experts say."""
        return float(np.dot(self.player.weights, self._advice(x)))

    def learn_one(self, x: Any, y: float) -> None:
        """Tell the player what each of the experts lost."""
        self.player.update([float(self._loss(each, float(y))) for each in self._advice(x)])


class Voter(_Advised):
    """Predicts the label 0 or 1 that a player makes of the votes of experts."""

    def predict_one(self, x: Any) -> int:
        """The player's vote."""
        return int(self.player.predict(self._advice(x)))

    def predict_proba_one(self, x: Any) -> dict[int, float]:
        """All probability on its vote."""
        vote = self.predict_one(x)
        return {vote: 1.0, 1 - vote: 0.0}

    def learn_one(self, x: Any, y: int) -> None:
        """Tell the player the votes and the label."""
        self.player.update(self._advice(x), y)
