"""Mirror descent, AdaGrad, coin betting and Newton steps, written down from the formulas."""

import math

import numpy as np

__all__ = ["LINKS", "adagrad", "agile_euclidean", "coin", "lazy", "newton"]


def softmax(theta):
    e = np.exp(theta - theta.max())
    return e / e.sum()


def p_link(theta, p):
    norm = np.sum(np.abs(theta) ** p) ** (1 / p)
    return (
        np.zeros_like(theta)
        if norm == 0
        else (np.sign(theta) * np.abs(theta) ** (p - 1) / norm ** (p - 2))
    )


# name: (link, squared dual norm, strong convexity)
LINKS = {
    "euclidean": (lambda th: th, lambda z: z @ z, 1.0),
    "entropy": (softmax, lambda z: np.abs(z).max() ** 2, 1.0),
    "entropy 3": (lambda th: 3 * softmax(th), lambda z: np.abs(z).max() ** 2, 1 / 3),
    "p 3": (
        lambda th: p_link(th, 3.0),
        lambda z: np.sum(np.abs(z) ** 3) ** (2 / 3),
        0.5,
    ),
    "p 2.5 B": (
        lambda th: p_link(th, 2.5) / 1.5,
        lambda z: np.sum(np.abs(z) ** 2.5) ** 0.8,
        1.0,
    ),
}


def lazy(Z, link, square, sigma, rate, project=lambda w: w):
    """Points and, after each round, what has been paid and the strength: Srebro (lecture 16), slide
    Dual Averaging.

    `rate(t, squares)` is `eta_t`; round t is played with `eta_{t-1}`, the first with `eta_1`.
    """
    theta, squares, paid, eta = np.zeros(Z.shape[1]), 0.0, 0.0, None
    points, accounts = [], []
    for t, z in enumerate(Z, 1):
        points.append(project(link(theta if eta is None else eta * theta)))
        squares += square(z)
        theta = theta - z
        new = rate(t, squares)
        played = new if eta is None else eta
        paid += played * square(z) / (2 * sigma)
        accounts.append((1 / played if played else 0.0, paid))
        eta = new
    return np.array(points), np.array(accounts)


def agile_euclidean(Z, rate, project):
    """`w <- P(w - eta_t z)`."""
    w, squares, points = project(np.zeros(Z.shape[1])), 0.0, []
    for t, z in enumerate(Z, 1):
        points.append(w)
        squares += z @ z
        w = project(w - rate(t, squares) * z)
    return np.array(points)


def adagrad(Z, eta, low=-math.inf, high=math.inf):
    w, G, points = np.clip(np.zeros(Z.shape[1]), low, high), np.zeros(Z.shape[1]), []
    for z in Z:
        points.append(w)
        G = G + z * z
        w = np.clip(
            w - eta * np.divide(z, np.sqrt(G), out=np.zeros_like(z), where=G > 0), low, high
        )
    return np.array(points)


def coin(Z, wealth, L):
    """Krichevsky and Trofimov's bets, one coordinate at a time."""
    points = np.zeros(Z.shape)
    for i in range(Z.shape[1]):
        money, heads = wealth, 0.0  # heads: the sum of outcomes -z / L
        for t, z in enumerate(Z[:, i], 1):
            bet = heads / t * money
            points[t - 1, i] = bet / L
            money += -z / L * bet
            heads += -z / L
    return points


def newton(Z, alpha, curvature, rate, lazy=False):
    w, A, points = np.zeros(Z.shape[1]), alpha * np.eye(Z.shape[1]), []
    b = np.zeros(Z.shape[1])
    for t, g in enumerate(Z, 1):
        points.append(w)
        weight = curvature + rate / math.sqrt(t)
        A = A + weight * np.outer(g, g)
        b = b + (weight * (g @ w) - 1) * g
        w = np.linalg.solve(A, b) if lazy else w - np.linalg.solve(A, g)
    return np.array(points)
