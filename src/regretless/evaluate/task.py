"""What a learner predicts: labels or numbers."""

from typing import Any

from regretless.linear.learner import LinearLearner

__all__ = ["classifies"]


def classifies(learner: Any) -> bool:
    """Whether a learner of ours or River predicts labels; of a pipeline, whether its last step does.

    >>> from regretless.linear import LinearClassifier, LinearRegressor
    >>> classifies(LinearClassifier()), classifies(LinearRegressor())
    (True, False)
    """
    if isinstance(learner, LinearLearner):
        return learner._classifies
    steps = getattr(learner, "steps", None)
    if isinstance(steps, dict) and steps:  # River's pipelines have the methods of all estimators
        return classifies(list(steps.values())[-1])
    return hasattr(learner, "predict_proba_one")
