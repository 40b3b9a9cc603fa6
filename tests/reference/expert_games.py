"""Players of experts and losses for their tests."""

import numpy as np
import pytest

from regretless.experts import (
    BOA,
    AdaNormalHedge,
    AdaNormalHedgeTV,
    AdaptMLProd,
    FixedShare,
    Hedge,
    MLPoly,
    NormalHedge,
    NormalHedgeDT,
    PolynomialWeights,
    RandomizedWeightedMajority,
    SecondOrderHedge,
    Squint,
    TwoNorm,
)

__all__ = [
    "MAKE",
    "PRIOR",
    "PRIORS",
    "SLEEPERS",
    "STREAMS",
    "N",
    "awake_at_random",
    "every_player",
    "every_stream",
]

N = 5
MAKE = {
    "hedge": lambda **o: Hedge(N, rate=0.7, **o),
    "hedge anytime": lambda **o: Hedge(N, **o),
    "hedge horizon": lambda **o: Hedge(N, rate="horizon", horizon=60, **o),
    "hedge doubling": lambda **o: Hedge(N, rate="doubling", **o),
    "hedge small-loss": lambda **o: Hedge(N, rate="small-loss", **o),
    "randomized": lambda **o: RandomizedWeightedMajority(N, beta=0.6, **o),
    "second order": lambda **o: SecondOrderHedge(N, beta=0.6, **o),
    "fixed share": lambda **o: FixedShare(N, rate=0.7, share=0.1, **o),
    "polynomial": lambda **o: PolynomialWeights(N, alpha=3.0, **o),
    "two-norm": lambda **o: TwoNorm(N, **o),
    "normal-hedge-dt": lambda **o: NormalHedgeDT(N, **o),
    "normal-hedge-dt 5": lambda **o: NormalHedgeDT(N, d=5.0, **o),
    "normal-hedge": lambda **o: NormalHedge(N, **o),
    "ada-normal-hedge": lambda **o: AdaNormalHedge(N, **o),
    "ada-normal-hedge 0": lambda **o: AdaNormalHedge(N, power=0.0, **o),
    "ada-normal-hedge 0.5": lambda **o: AdaNormalHedge(N, power=0.5, **o),
    "tv": lambda **o: AdaNormalHedgeTV(N, streaming=False, **o),
    "tv streaming": lambda **o: AdaNormalHedgeTV(N, **o),
    "ml-prod": lambda **o: AdaptMLProd(N, **o),
    "boa": lambda **o: BOA(N, **o),
    "ml-poly": lambda **o: MLPoly(N, **o),
    "squint": lambda **o: Squint(N, **o),
}
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
