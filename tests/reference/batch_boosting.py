"""Batch boosting as in Luo (2016), section 2.2, with stumps found by trying all of them."""

import itertools
import math

import numpy as np
from scipy.optimize import brentq

__all__ = ["best_stump", "boost", "predictions", "weights"]

TIE = 2.0**-40


def predictions(stump, X):
    """`stump` is (feature, threshold, label below, label above); without a feature it is constant."""
    feature, threshold, below, above = stump
    if feature is None:
        return np.full(len(X), float(below))
    return np.where(X[:, feature] <= threshold, float(below), float(above))


def best_stump(X, signs, p):
    """The stump of the largest edge: constant ones, then by feature, by threshold."""
    stumps = [(None, 0.0, label, label) for label in (1, -1)]
    for j in range(X.shape[1]):
        values = np.unique(X[:, j])
        for low, high in itertools.pairwise(values):
            middle = low / 2 + high / 2
            threshold = middle if low <= middle < high else low
            stumps += [(j, threshold, a, b) for a in (1, -1) for b in (1, -1)]
    best, most = None, -math.inf
    for stump in stumps:
        edge = 0.5 * np.sum(p * signs * predictions(stump, X)) / p.sum()
        if edge > most + TIE / 2:
            best, most = stump, edge
    return best, most


def weights(kind, prior, agreed, edges, alphas):
    """The weights of round t + 1 from the t rounds before.

    `agreed` has a row for each, +1 where `h = y` and -1 elsewhere.
    """
    t = len(edges) + 1
    if kind == "AdaBoost":
        w = prior * np.exp(-sum((a * row for a, row in zip(alphas, agreed)), np.zeros(len(prior))))
        return w / w.sum()
    s = sum((0.5 * row - g for row, g in zip(agreed, edges)), np.zeros(len(prior)))
    if kind == "NHBoostDT":
        w = np.exp(np.minimum(s - 1, 0) ** 2 / (3 * t)) - np.exp(
            np.minimum(s + 1, 0) ** 2 / (3 * t)
        )
        return prior * w / (prior * w).sum()
    minus = np.minimum(s, 0)
    largest = np.max(minus**2)
    if not largest > 0:
        return prior
    c = brentq(
        lambda c: prior @ np.exp(minus**2 / c) - math.e,
        largest / (1 + math.log(1 / prior.min())) * 0.999,
        largest * 1.001,
        rtol=1e-14,
    )
    w = prior * -minus * np.exp(minus**2 / c) / c
    return w / w.sum()


def boost(kind, X, signs, prior, rounds):
    """All rounds: weights, stumps, edges, votes, errors; for data on which no round is special."""
    agreed, edges, alphas, all_p, stumps, errors = [], [], [], [], [], []
    score = np.zeros(len(X))
    for _ in range(rounds):
        p = weights(kind, prior, agreed, edges, alphas)
        stump, _ = best_stump(X, signs, p)
        h = predictions(stump, X)
        edge = 0.5 * np.sum(p * signs * h)
        alpha = 0.5 * math.log((0.5 + edge) / (0.5 - edge)) if kind == "AdaBoost" else 1.0
        score += alpha * h
        agreed.append(signs * h)
        edges.append(edge)
        alphas.append(alpha)
        all_p.append(p)
        stumps.append(stump)
        errors.append(prior @ ((score >= 0) != (signs > 0)))
    margins = signs * score / np.sum(np.abs(alphas))
    return np.array(all_p), stumps, np.array(edges), np.array(alphas), np.array(errors), margins
