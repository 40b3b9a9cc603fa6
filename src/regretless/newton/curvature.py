"""How much losses curve: Luo (2016), assumption 2, from the loss and the slab alone."""

import math

from regretless.losses import Loss

__all__ = ["curvature"]


def curvature(loss: Loss, slab: float) -> float:
    """The largest sigma with `l(a) >= l(b) + l'(b) (a - b) + sigma / 2 (l'(b) (a - b))^2`.

    For all scores a and b in `[-slab, slab]`, and targets in it where they are numbers (Luo (2016),
    section 4.2, for the squared loss; the others are the least of the ratio, found at an end of the
    slab). 0 for losses without curvature, and without a slab.

    >>> from regretless import losses
    >>> curvature(losses.get("squared"), 1.0), round(curvature(losses.get("logistic"), 1.0), 4)
    (0.125, 0.3679)
    """
    if math.isinf(slab):
        return 0.0
    C = slab
    if loss.name == "squared":
        return 1.0 / (8.0 * C * C)
    if loss.name == "logistic":
        return math.exp(-C)
    if loss.name == "exponential":
        return math.exp(-C) * (math.expm1(-2.0 * C) + 2.0 * C) / (2.0 * C * C)
    if loss.name == "squared_hinge":
        margin = float(getattr(loss, "margin", 1.0))
        c = C / margin
        steep = 1.0 / (2.0 * (1.0 + c) ** 2)
        far = (3.0 * c - 1.0) / (8.0 * c * c * (1.0 + c)) if c >= 1.0 else math.inf
        return min(steep, far) / margin**2
    return 0.0
