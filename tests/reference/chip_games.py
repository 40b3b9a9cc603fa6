"""Final losses of chips, a horizon and a rate for the tests of drifting games."""

import numpy as np

__all__ = ["ETA", "LOSSES", "T"]

T = 40
ETA = 0.3
LOSSES = {
    "step": lambda s: 1.0 * (s <= 0),
    "hinge": lambda s: np.maximum(1.0 - s, 0.0),
    "exponential": lambda s: np.exp(-0.5 * s),
    "steps": lambda s: 1.0 * (s <= -2) + 0.3 * (s <= 0) + 0.1 * (s < 1.9),
}
