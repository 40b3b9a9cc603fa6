"""How the core describes the geometries and domains that it has twins of."""

import math
from typing import Any

import numpy as np

from regretless import _core
from regretless.domains import Ball, Box, Domain, Everything, Simplex
from regretless.geometry import (
    Entropy,
    Euclidean,
    Geometry,
    PNorm,
    Quadratic,
    Restricted,
    UnnormalizedEntropy,
)

__all__ = ["domain_twin", "leader_twin", "mirror_twin"]

_Domain, _Geometry = _core.DomainKind, _core.GeometryKind


def domain_twin(domain: Domain, dimension: int) -> dict[str, Any] | None:
    """A domain onto which the core can project; None if it cannot.

    >>> from regretless.domains import Simplex, Slab
    >>> domain_twin(Simplex(2.0), 3)
    {'domain': DomainKind.simplex, 'size': 2.0, 'low': [], 'high': []}
    >>> domain_twin(Slab([1.0, 1.0], 1.0), 2) is None
    True
    """
    options: dict[str, Any] = {"domain": _Domain.everything, "size": 1.0, "low": [], "high": []}
    if isinstance(domain, Everything):
        return options
    if isinstance(domain, Simplex):
        return options | {"domain": _Domain.simplex, "size": domain.scale}
    if isinstance(domain, Box):
        sides = (np.broadcast_to(side, (dimension,)) for side in (domain.low, domain.high))
        low, high = (side.tolist() for side in sides)
        return options | {"domain": _Domain.box, "low": low, "high": high}
    if isinstance(domain, Ball) and domain.center is None and domain.p in (1.0, 2.0):
        kind = _Domain.ball if domain.p == 2.0 else _Domain.l1_ball
        return options | {"domain": kind, "size": domain.radius}
    return None


def leader_twin(domain: Domain, dimension: int) -> dict[str, Any] | None:
    """A bounded domain in which the core finds the leader of linear losses; None if it cannot.

    >>> leader_twin(Box(0.0, math.inf), 2) is None
    True
    """
    ends = isinstance(domain, Box) and not np.isfinite([*domain.low.flat, *domain.high.flat]).all()
    if ends or isinstance(domain, Everything):
        return None
    return domain_twin(domain, dimension)


def mirror_twin(geometry: Geometry, domain: Domain, dimension: int) -> dict[str, Any] | None:
    """A geometry over a domain whose link the core has; None if it has not.

    >>> from regretless.geometry import Euclidean, PNorm
    >>> twin = mirror_twin(Euclidean().on(Simplex()), Simplex(), 2)
    >>> twin["geometry"], twin["domain"]
    (GeometryKind.euclidean, DomainKind.simplex)
    >>> mirror_twin(PNorm(3.0), Simplex(), 2) is None
    True
    """
    if isinstance(geometry, Restricted) and domain == geometry.domain:
        return mirror_twin(geometry.geometry, domain, dimension)
    psi = _geometry_twin(geometry, dimension)
    around = domain_twin(Everything() if domain == geometry.domain else domain, dimension)
    if psi is None or around is None:
        return None
    # where the Euclidean projection is the one of the geometry
    diagonal = type(geometry) is Quadratic and geometry.matrix.ndim == 1
    kind = around["domain"]
    fits = (
        kind is _Domain.everything
        or type(geometry) is Euclidean
        or (kind is _Domain.box and diagonal)
    )
    return psi | around if fits else None


def _geometry_twin(geometry: Geometry, dimension: int) -> dict[str, Any] | None:
    options: dict[str, Any] = {
        "convexity": geometry.strong_convexity or math.inf,
        "scale": 1.0,
        "p": 2.0,
        "factor": 1.0,
        "matrix": [],
    }
    if type(geometry) is Euclidean:
        return options | {"geometry": _Geometry.euclidean}
    if type(geometry) is Entropy:
        return options | {"geometry": _Geometry.entropy, "scale": geometry.scale}
    if type(geometry) is UnnormalizedEntropy:
        return options | {"geometry": _Geometry.unnormalized_entropy, "scale": geometry.initial}
    if type(geometry) is PNorm:
        factor = 1.0 if geometry.convention == "A" else 1.0 / (geometry.p - 1.0)
        return options | {"geometry": _Geometry.pnorm, "p": geometry.p, "factor": factor}
    if type(geometry) is Quadratic and len(geometry.matrix) == dimension:
        full = geometry.matrix.ndim == 2
        inverse = np.linalg.inv(geometry.matrix) if full else 1.0 / geometry.matrix
        kind = _Geometry.quadratic if full else _Geometry.diagonal
        return options | {"geometry": kind, "matrix": inverse.ravel().tolist()}
    return None
