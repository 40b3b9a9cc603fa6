"""Decision stumps: the vote of a single feature."""

from regretless.boosting.weak_regression import WeakRegressor

__all__ = ["DecisionStump"]


class DecisionStump(WeakRegressor):
    """The one feature that tells most of the labels -1 and 1, and what its values vote for.

    A value is absent (0), below the mean of those seen, or not below it. Each of the three votes for
    the label that came with more weight, 1 if both are equal, and the feature whose votes have most
    weight on their side predicts, the first of several. So 0/1 features are asked for their presence,
    -1/1 features for their sign. Means are those when an example came. Predictions are -D and D, and
    constant ones are allowed, which Luo (2016) leaves open (docs/errata.md, section 2.2.1).

    Of a target or a slope only sign and size count: the label is that towards which the loss falls at
    0, and its weight how steeply. On slopes this is following the leader among all stumps.

    Learning takes time in the number of all features, predicting in that of the example's.

    Parameters
    ----------
    bound : D > 0, the size of predictions; None: the largest target so far, or 1 for slopes.

    >>> model = DecisionStump()
    >>> for colour, shape, y in [(1, 0, 1), (1, 1, 1), (0, 1, -1), (0, 0, -1), (1, 1, -1)]:
    ...     model.learn_one({"red": colour, "round": shape}, y)
    >>> model.feature_, model.predict_one({"red": 1}), model.predict_one({"round": 1})
    ('red', 1.0, -1.0)
    """

    _rule = "decision_stump"

    def __init__(self, *, bound: float | None = None) -> None:
        self.bound = bound
        self._reset()

    @property
    def feature_(self) -> object:
        """The feature that votes; None if all examples get the same vote."""
        return self._feature({})
