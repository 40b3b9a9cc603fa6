"""The online boosters as River estimators."""

from typing import Any, ClassVar

from river import tree

from regretless import boosting, linear
from regretless.river.learner import RiverClassifier


class AdaBoostOL(RiverClassifier, boosting.AdaBoostOL):
    """`regretless.boosting.AdaBoostOL` as a River classifier.

    >>> from river import datasets, evaluate, metrics
    >>> evaluate.progressive_val_score(datasets.Phishing(), AdaBoostOL(n=5), metrics.Accuracy())
    Accuracy: 8...%
    """

    _checked_with: ClassVar[tuple[dict[str, Any], ...]] = (
        {"n": 5},
        {"n": 1, "weak": tree.HoeffdingTreeClassifier(leaf_prediction="mc")},
        {"n": 3, "last": True, "weak": linear.LinearClassifier(rule="adagrad")},
    )


class OnlineBBM(RiverClassifier, boosting.OnlineBBM):
    """`regretless.boosting.OnlineBBM` as a River classifier.

    >>> from river import datasets, evaluate, metrics
    >>> evaluate.progressive_val_score(datasets.Phishing(), OnlineBBM(n=5), metrics.Accuracy())
    Accuracy: 8...%
    """

    _checked_with: ClassVar[tuple[dict[str, Any], ...]] = (
        {"n": 5},
        {"n": 3, "edge": None, "sampled": True},
    )


class OSBoost(RiverClassifier, boosting.OSBoost):
    """`regretless.boosting.OSBoost` as a River classifier.

    >>> from river import datasets, evaluate, metrics
    >>> evaluate.progressive_val_score(datasets.Phishing(), OSBoost(n=5), metrics.Accuracy())
    Accuracy: 8...%
    """

    _checked_with: ClassVar[tuple[dict[str, Any], ...]] = (
        {"n": 5},
        {"n": 3, "edge": None, "sampled": True},
    )


class OSBoostOCP(RiverClassifier, boosting.OSBoostOCP):
    """`regretless.boosting.OSBoostOCP` as a River classifier.

    >>> from river import datasets, evaluate, metrics
    >>> evaluate.progressive_val_score(datasets.Phishing(), OSBoostOCP(n=5), metrics.Accuracy())
    Accuracy: 8...%
    """

    _checked_with: ClassVar[tuple[dict[str, Any], ...]] = (
        {"n": 5},
        {"n": 3, "edge": None, "sampled": True},
    )
