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


def empirical_bernstein(terms, length, confidence):
    """Maurer and Pontil 2009, Theorem 4, for both sides: half the interval."""
    m = len(terms)
    mean = sum(terms) / m
    variance = sum((x - mean) ** 2 for x in terms) / (m - 1)
    log = math.log(2 / ((1 - confidence) / 2))
    return math.sqrt(2 * variance * log / m) + 7 * length * log / (3 * (m - 1))
