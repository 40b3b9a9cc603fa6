"""Geometries (regularisers), by which players measure their moves.

A geometry is a convex function `psi` with its conjugate `psi*(theta) = sup_w <w, theta> - psi(w)`,
the link `theta -> w` that attains it, the Bregman divergences of both, and the norm in which `psi`
is strongly convex. The table is that of Shalev-Shwartz (2012), section 2, with the quadratic one of
Srebro (lecture 16). They do not hold a step size: a player with step `eta` uses `psi / eta`, and plays
`link(eta * theta)`.

>>> from regretless.geometry import Entropy
>>> Entropy().link([1.0, 1.0, 1.0]).round(3)
array([0.333, 0.333, 0.333])
"""

from regretless.geometry.entropy import Entropy, UnnormalizedEntropy
from regretless.geometry.euclidean import Euclidean, Quadratic
from regretless.geometry.geometry import Geometry, Restricted, Sum, check_geometry
from regretless.geometry.pnorm import PNorm

__all__ = [
    "Entropy",
    "Euclidean",
    "Geometry",
    "PNorm",
    "Quadratic",
    "Restricted",
    "Sum",
    "UnnormalizedEntropy",
    "check_geometry",
]
