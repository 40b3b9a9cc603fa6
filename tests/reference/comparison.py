"""Walk a learner and its oracle through the same stream, side by side."""

import numpy as np

__all__ = ["agree", "weights_of", "with_intercept"]

TINY = 1e-30


def with_intercept(x, intercept=True):
    return np.append(x, 1.0) if intercept else np.asarray(x, float)


def weights_of(learner, dimension):
    """The weights of columns 0 to `dimension - 1`, and of the intercept if there is one."""
    named = learner.weights_
    columns = [named.get(i, 0.0) for i in range(dimension)]
    return np.array([*columns, learner.intercept_] if learner.intercept else columns)


def _forked(loss, a, b, y):
    """Whether two scores, equal up to rounding, lie on two sides of a kink of the loss."""
    left, right = loss.derivative(a, y), loss.derivative(b, y)
    return abs(left - right) > 1e-3 * (1.0 + abs(left))


def agree(learner, oracle, stream, tolerance, every=1):
    """Scores agree in every round (or every few), weights at the end; the number of rounds compared.

    Errors are measured against the largest magnitude that each weight ever had, for that is what was
    rounded. Where a kink separates two equal scores the two runs may part, and the comparison ends.
    """
    dimension = stream.X.shape[1]
    peak = np.zeros(dimension + learner.intercept)
    for t, (row, y, h) in enumerate(stream):
        x = with_intercept(row, learner.intercept)
        if t % every == 0:
            weights, got = oracle.weights(x), learner.decision_one(row)
            expected, peak = float(weights @ x), np.maximum(peak, np.abs(weights))
            allowed = tolerance * float(peak @ np.abs(x)) + TINY
            assert abs(got - expected) <= allowed, (t, got, expected)
            if _forked(oracle.loss, expected, got, y):
                return t
        oracle.learn(x, y, h)
        learner.learn_one(row, y, h)
    expected = oracle.weights(np.zeros_like(peak))
    peak = np.maximum(peak, np.abs(expected))
    error = np.abs(weights_of(learner, dimension) - expected)
    assert np.all(error <= tolerance * peak + TINY), (error, peak)
    return len(stream.y)
