"""Bandit convex optimisation as the survey prints it, with errata mended (4.2, 4.3)."""

import math

import numpy as np

__all__ = ["bandit_gradient_descent", "exp3", "into_ball", "into_box", "tuned"]


def exp3(arms, costs, eta, d):
    """The distributions of the multi-armed bandit algorithm that is dealt these arms and costs."""
    w, played = np.full(d, 1.0 / d), []
    for arm, cost in zip(arms, costs):
        played.append(w)
        w = w.copy()
        w[arm] *= math.exp(-eta * cost / w[arm])
        w = w / w.sum()
    return np.array([*played, w])


def into_ball(x, radius=1.0):
    return x * min(1.0, radius / max(np.sqrt((x**2).sum()), 1e-300))


def into_box(x, low, high):
    return np.minimum(np.maximum(x, low), high)


def bandit_gradient_descent(functions, directions, eta, delta, project, points=1):
    """The points w_1, ..., w_{T+1}, the losses, and the estimated gradients."""
    d = len(directions[0])
    theta, ws, losses, zs = np.zeros(d), [], [], []
    for f, v in zip(functions, directions):
        w = project(eta * theta)
        ws.append(w)
        if points == 1:
            value = f(w + delta * v)
            z = d / delta * value * v
        else:
            ahead, behind = f(w + delta * v), f(w - delta * v)
            value = (ahead + behind) / 2
            z = d / (2 * delta) * (ahead - behind) * v
        losses.append(value)
        zs.append(z)
        theta = theta - z
    return np.array([*ws, project(eta * theta)]), np.array(losses), np.array(zs)


def tuned(B, d, L, F, T):
    """eta and delta of the sharp bound, and its value.

    Shalev-Shwartz (2012), Corollary 4.5, "dual".
    """
    delta = math.sqrt(B * d * F / (3 * L)) / T**0.25
    eta = B / (d * (F / delta + L) * math.sqrt(T))
    return eta, delta, 3 * L * delta * T + B * d * (F / delta + L) * math.sqrt(T)
