"""Off-policy estimates, row by row, as their formulas read."""

import math

__all__ = ["doubly_robust", "empirical_bernstein", "ips", "replay", "snips"]


def ips(actions, rewards, propensities, policy, cap=math.inf):
    """(value, the terms)"""
    terms = [
        min(policy[t][a] / p, cap) * r
        for t, (a, r, p) in enumerate(zip(actions, rewards, propensities))
    ]
    return sum(terms) / len(terms), terms


def snips(actions, rewards, propensities, policy, cap=math.inf):
    """(value, standard error by the delta method)"""
    weights = [min(policy[t][a] / p, cap) for t, (a, p) in enumerate(zip(actions, propensities))]
    total = sum(weights)
    value = sum(w * r for w, r in zip(weights, rewards)) / total
    squares = sum((w * (r - value)) ** 2 for w, r in zip(weights, rewards))
    return value, math.sqrt(squares) / total


def doubly_robust(actions, rewards, propensities, policy, predictions, cap=math.inf):
    """(value, the terms)"""
    terms = []
    for t, (a, r, p) in enumerate(zip(actions, rewards, propensities)):
        direct = sum(pi * q for pi, q in zip(policy[t], predictions[t]))
        terms.append(direct + min(policy[t][a] / p, cap) * (r - predictions[t][a]))
    return sum(terms) / len(terms), terms


def replay(actions, rewards, chosen):
    matched = [r for a, r, c in zip(actions, rewards, chosen) if a == c]
    return sum(matched) / len(matched), matched


def empirical_bernstein(terms, ends, confidence):
    """Howard and others 2021: exp(r sum (x - v) - psi(r) sum (x - mean before)^2) has a mean of at most
    1, for 14 rates r = 1/2, 1/4, ..., on both sides."""
    (low, high), m = ends, len(terms)
    x = [(each - low) / (high - low) for each in terms]
    variance, total = 0.0, 0.0
    for t, each in enumerate(x):
        before = total / t if t else 0.5
        variance += (each - before) ** 2
        total += each
    needed = math.log(14 * 2 / (1 - confidence))
    half = min(
        (needed + (-math.log(1 - r) - r) * variance) / r for r in (0.5**k for k in range(1, 15))
    )
    below, above = max(0.0, total / m - half / m), min(1.0, total / m + half / m)
    return low + (high - low) * below, low + (high - low) * above


def chernoff(terms, ends, confidence):
    """The v with `m kl(mean, v) <= log(2 / (1 - confidence))`, by Brent's method."""
    from scipy.optimize import brentq

    (low, high), m = ends, len(terms)
    p = sum((each - low) / (high - low) for each in terms) / m

    def beyond(q):
        parts = [(p, q), (1 - p, 1 - q)]
        return m * sum(a * math.log(a / b) for a, b in parts if a) - math.log(2 / (1 - confidence))

    below = brentq(beyond, 1e-15, p) if p > 0 else 0.0
    above = brentq(beyond, p, 1 - 1e-15) if p < 1 else 1.0
    return low + (high - low) * below, low + (high - low) * above
