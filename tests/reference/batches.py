"""What is made one predictor of: data, learners, and the hypotheses that they have on the way."""

import copy

import numpy as np

from regretless.linear import LinearClassifier, PassiveAggressive, Perceptron

__all__ = ["CLASSIFIERS", "blobs", "iterates", "rows_of"]

CLASSIFIERS = [
    LinearClassifier(),
    LinearClassifier(rule="adagrad", loss="hinge"),
    LinearClassifier(rule="ogd", l2=0.01),
    LinearClassifier(rule="ftrl", l1=0.01),
    LinearClassifier(features="hashed", bits=10),
    Perceptron(),
    PassiveAggressive(),
]


def blobs(rounds, dimension=4, labels=("no", "yes"), seed=0):
    """Points around one centre for each label; the labels come one after the other at first."""
    rng = np.random.default_rng(seed)
    centres = rng.standard_normal((len(labels), dimension))
    codes = np.append(np.arange(len(labels)), rng.integers(len(labels), size=rounds))[:rounds]
    X = centres[codes] + 0.7 * rng.standard_normal((rounds, dimension))
    return X, np.array([labels[k] for k in codes], object)


def rows_of(X):
    return [dict(enumerate(row)) for row in X.tolist()]


def iterates(learner, examples):
    """Copies of the learner before each example."""
    learner = copy.deepcopy(learner)
    for x, y in examples:
        yield copy.deepcopy(learner)
        learner.learn_one(x, y)
