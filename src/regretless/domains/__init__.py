"""Convex sets to play in and to compare with: membership, projections, support functions.

The projectors are those of Shalev-Shwartz (2012), section 2.6, and, for the slab, of Luo (2016),
Lemma 11. Each domain projects in every geometry of `regretless.geometry`.

>>> from regretless.domains import Ball
>>> Ball(2.0).project([3.0, 4.0])
array([1.2, 1.6])
"""

from regretless.domains.ball import Ball
from regretless.domains.box import Box, Simplex, Slab
from regretless.domains.domain import Domain, Everything
from regretless.domains.inclusion import Sublevel
from regretless.domains.intersection import Intersection

__all__ = ["Ball", "Box", "Domain", "Everything", "Intersection", "Simplex", "Slab", "Sublevel"]
