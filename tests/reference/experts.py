"""Players that mix experts, one function each: weights from all that has been seen, as in the texts.

Each takes the losses (rounds so far, experts), the regrets per round `r` (the same shape) and the
prior, and answers unnormalised weights for the next round.
"""

import math

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.optimize import brentq

from regretless import experts

__all__ = [
    "MAKE",
    "ORACLES",
    "PRIOR",
    "PRIORS",
    "SLEEPERS",
    "STREAMS",
    "N",
    "ada_normal",
    "awake_at_random",
    "every_player",
    "every_stream",
    "game",
    "ml_prod_of_any_range",
]


def game(weigh, losses, prior, confidence=None):
    """Play; returns weights, suffered, and regrets of every round."""
    T, n = losses.shape
    awake = np.ones((T, n)) if confidence is None else confidence
    p, suffered, r = np.zeros((T, n)), np.zeros(T), np.zeros((T, n))
    for t in range(T):
        w = np.asarray(weigh(losses[:t], r[:t], prior), float) * awake[t]
        if not w.sum() > 0:
            w = prior * awake[t]
        p[t] = w / w.sum()
        on = awake[t] > 0
        suffered[t] = p[t, on] @ losses[t, on]
        r[t, on] = awake[t, on] * (suffered[t] - losses[t, on])
    return p, suffered, r


def plus(x):
    return np.maximum(x, 0.0)


def hedge(eta):
    def weigh(losses, r, prior):
        scores = eta(len(losses) + 1) * r.sum(axis=0)
        return prior * np.exp(scores - scores.max())

    return weigh


def doubling(losses, r, prior):
    t = len(losses) + 1
    k = int(math.log2(t))
    scores = math.sqrt(8 * math.log(len(prior)) / 2**k) * r[2**k - 1 :].sum(axis=0)
    return prior * np.exp(scores - scores.max())


def ada_hedge(losses, r, prior):
    """Delta anew from the first round on."""
    log_n, delta = math.log(1 / prior.min()), 0.0
    total = np.zeros(len(prior))

    def weights():
        if delta > 0:
            p = prior * np.exp(-log_n / delta * (total - total.min()))
        else:
            p = prior * (total == total.min())
        return p / p.sum()

    for row in losses:
        p = weights()
        if delta > 0:
            eta = log_n / delta
            mix = row.min() - math.log(p @ np.exp(-eta * (row - row.min()))) / eta
        else:
            mix = row[p > 0].min()
        delta += max(p @ row - mix, 0.0)
        total = total + row
    return weights()


def linear(beta):
    return lambda losses, r, prior: prior * np.prod(1 - (1 - beta) * losses, axis=0)


def fixed_share(eta, share):
    def weigh(losses, r, prior):
        p = prior
        for row in losses:
            v = p * np.exp(-eta * row)
            p = (1 - share) * v / v.sum() + share / len(prior)
        return p

    return weigh


def polynomial(alpha):
    return lambda losses, r, prior: prior * plus(r.sum(axis=0)) ** (alpha - 1)


def two_norm(losses, r, prior):
    R = r.sum(axis=0)
    return prior * (plus(R + 1) ** 2 - plus(R - 1) ** 2)


def normal_hedge_dt(d):
    def weigh(losses, r, prior):
        R, t = r.sum(axis=0), len(losses) + 1
        return prior * (np.exp(plus(R + 1) ** 2 / (d * t)) - np.exp(plus(R - 1) ** 2 / (d * t)))

    return weigh


def normal_hedge(losses, r, prior):
    s = plus(r.sum(axis=0)) ** 2
    if not s.max() > 0:
        return prior
    c = brentq(lambda c: prior @ np.exp(s / c) - math.e, s.max() / 500, 2 * s.max(), xtol=1e-14)
    return prior * np.sqrt(s) * np.exp(s / c)


def ada_normal(R, C):
    a, b = plus(R + 1) ** 2 / (3 * (C + 1)), plus(R - 1) ** 2 / (3 * (C + 1))
    return -np.exp(a) * np.expm1(b - a) / 2


def ada_normal_hedge(power):
    def weigh(losses, r, prior):
        C = (np.abs(r) ** power).sum(axis=0) if power else np.full(len(prior), float(len(r)))
        return prior * ada_normal(r.sum(axis=0), C)

    return weigh


def tv(streaming):
    def lives(tau, t):
        return not streaming or t <= tau + 4 * (tau & -tau)

    def weigh(losses, r, prior):
        t, w = len(losses) + 1, np.zeros(len(prior))
        for tau in range(1, t + 1):
            if lives(tau, t):
                part = r[tau - 1 :]
                w += ada_normal(part.sum(axis=0), np.abs(part).sum(axis=0)) / tau**2
        return prior * w

    return weigh


def ml_prod(losses, r, prior):
    n = len(prior)
    eta = np.minimum(0.5, np.sqrt(math.log(n) / np.ones(n)))
    w = prior.copy()
    for t in range(len(r)):
        new = np.minimum(0.5, np.sqrt(math.log(n) / (1 + (r[: t + 1] ** 2).sum(axis=0))))
        w = (w * (1 + eta * r[t])) ** (new / eta)
        eta = new
    return eta * w


def ml_prod_of_any_range(losses, r, prior):
    """As opera has it: the new rate in the product, and at most one over twice the largest |r|."""
    n, eta, w = len(prior), None, np.zeros(len(prior))
    for t in range(len(r)):
        V, most = (r[: t + 1] ** 2).sum(axis=0), np.abs(r[: t + 1]).max(axis=0)
        new = np.minimum(0.5 / most, np.sqrt(math.log(n) / (1 + V)))
        w = (0 if eta is None else new / eta * w) + np.log1p(new * r[t])
        eta = new
    return prior if eta is None else eta * np.exp(w - w.max())


def boa(losses, r, prior):
    V, S = np.zeros(len(prior)), np.zeros(len(prior))
    for row in r:
        V = V + row**2
        eta = np.where(V > 0, 1 / np.sqrt(2.2 * np.where(V > 0, V, 1)), 0)
        S = S + row - eta * row**2
    if not V.any():
        return prior
    known = V > 0
    w = np.where(known, prior * eta * np.exp(eta * S - (eta * S).max()), 0)
    w *= prior[known].sum() / w.sum()
    return np.where(known, w, prior)


def ml_poly(losses, r, prior):
    B = (r**2).max() if r.size else 0.0
    if not B:
        return prior
    return prior * plus(r.sum(axis=0)) / ((r**2).sum(axis=0) + B)


def squint(losses, r, prior):
    R, V = r.sum(axis=0), (r**2).sum(axis=0)
    rates = [0.0, 0.5, *(min(0.5, max(0.0, a / (2 * v))) for a, v in zip(R, V) if v)]
    most = max(e * a - e * e * v for e in rates for a, v in zip(R, V))
    return prior * [
        quad(
            lambda e, a=a, v=v: math.exp(e * a - e * e * v - most), 0, 0.5, epsabs=0, epsrel=1e-12
        )[0]
        for a, v in zip(R, V)
    ]


# --- the players and their transcriptions ----------------------------------------------------------

N = 5
PLAYERS = {
    "hedge": (lambda **o: experts.Hedge(N, rate=0.7, **o), hedge(lambda t: 0.7)),
    "hedge anytime": (
        lambda **o: experts.Hedge(N, **o),
        hedge(lambda t: math.sqrt(8 * math.log(5) / t)),
    ),
    "hedge horizon": (
        lambda **o: experts.Hedge(N, rate="horizon", horizon=60, **o),
        hedge(lambda t: math.sqrt(8 * math.log(5) / 60)),
    ),
    "hedge doubling": (lambda **o: experts.Hedge(N, rate="doubling", **o), doubling),
    "hedge small-loss": (lambda **o: experts.Hedge(N, rate="small-loss", **o), ada_hedge),
    "randomized": (
        lambda **o: experts.RandomizedWeightedMajority(N, beta=0.6, **o),
        hedge(lambda t: -math.log(0.6)),
    ),
    "second order": (lambda **o: experts.SecondOrderHedge(N, beta=0.6, **o), linear(0.6)),
    "fixed share": (
        lambda **o: experts.FixedShare(N, rate=0.7, share=0.1, **o),
        fixed_share(0.7, 0.1),
    ),
    "polynomial": (lambda **o: experts.PolynomialWeights(N, alpha=3.0, **o), polynomial(3.0)),
    "two-norm": (lambda **o: experts.TwoNorm(N, **o), two_norm),
    "normal-hedge-dt": (lambda **o: experts.NormalHedgeDT(N, **o), normal_hedge_dt(3.0)),
    "normal-hedge-dt 5": (lambda **o: experts.NormalHedgeDT(N, d=5.0, **o), normal_hedge_dt(5.0)),
    "normal-hedge": (lambda **o: experts.NormalHedge(N, **o), normal_hedge),
    "ada-normal-hedge": (lambda **o: experts.AdaNormalHedge(N, **o), ada_normal_hedge(1)),
    "ada-normal-hedge 0": (
        lambda **o: experts.AdaNormalHedge(N, power=0.0, **o),
        ada_normal_hedge(0),
    ),
    "ada-normal-hedge 0.5": (
        lambda **o: experts.AdaNormalHedge(N, power=0.5, **o),
        ada_normal_hedge(0.5),
    ),
    "tv": (lambda **o: experts.AdaNormalHedgeTV(N, streaming=False, **o), tv(False)),
    "tv streaming": (lambda **o: experts.AdaNormalHedgeTV(N, **o), tv(True)),
    "ml-prod": (lambda **o: experts.AdaptMLProd(N, **o), ml_prod),
    "boa": (lambda **o: experts.BOA(N, **o), boa),
    "ml-poly": (lambda **o: experts.MLPoly(N, **o), ml_poly),
    "squint": (lambda **o: experts.Squint(N, **o), squint),
}
MAKE = {name: make for name, (make, _) in PLAYERS.items()}
ORACLES = {name: oracle for name, (_, oracle) in PLAYERS.items()}
SLEEPERS = [name for name in MAKE if MAKE[name]()._sleeps]
PRIORS = [name for name in MAKE if name not in ("polynomial", "ml-prod")]
every_player = pytest.mark.parametrize("name", MAKE)
random = np.random.default_rng(0)
STREAMS = {
    "uniform": random.random((60, N)),
    "signs": (random.random((60, N)) < 0.5) * 1.0,
    "one is best": np.tile([0.0, 1.0, 1.0, 1.0, 1.0], (60, 1)),
    "turns": np.repeat(1.0 - np.eye(N), 12, axis=0),
    "alternating": np.tile([[0, 1, 1, 0, 0.5], [1, 0, 0, 1, 0.5]], (30, 1)),
    "equal": np.full((60, N), 0.3),
    "small": 0.01 * random.random((60, N)),
}
every_stream = pytest.mark.parametrize("stream", STREAMS)
PRIOR = np.array([0.5, 0.2, 0.15, 0.1, 0.05])


def awake_at_random(seed=1):
    confidence = np.random.default_rng(seed).choice([0.0, 0.3, 1.0], (60, N))
    confidence[:, 2] = 1.0
    return confidence
