"""How hard a class is to learn: the Littlestone and the Vapnik-Chervonenkis dimension."""

from regretless.arguments import shown
from regretless.classes.finite_class import FiniteClass
from regretless.classes.too_large import LIMIT

__all__ = ["littlestone_dimension", "vc_dimension"]


def littlestone_dimension(H: FiniteClass, *, limit: int = LIMIT) -> int:
    """The depth of the deepest tree that the class shatters: how many mistakes must be made.

    No deterministic learner makes fewer on every sequence that some hypothesis labels, and `SOA` never
    makes more (Shalev-Shwartz (2012), Lemmas 3.2, 3.3). It is found by

        Ldim(V) = max_x 1 + min(Ldim(V_x0), Ldim(V_x1)),  0 for a single hypothesis, -1 for none

    with `VC(H) <= Ldim(H) <= log2 |H|`. `H.littlestone_tree()` shows it. What was found of version
    spaces is kept with the class.

    Parameters: `H`; `limit`, how many version spaces may be split before `TooLarge` is raised, which
    says between which numbers the dimension is. With at most 16 points that split the class
    differently it is always found.

    >>> H = FiniteClass.random(60_000, 16, seed=0)  # some of which are equal
    >>> littlestone_dimension(H), littlestone_dimension(FiniteClass.intervals(100))
    (15, 11)
    """
    return _checked(H)._dimension(H._everybody(), limit)


def vc_dimension(H: FiniteClass, *, limit: int = LIMIT) -> int:
    """The most points that the class gives all labels. `H.shattered_set()` are such points.

    Parameters: `H`; `limit`, how many sets of points may be looked at before `TooLarge` is raised.

    >>> vc_dimension(FiniteClass.thresholds(100)), vc_dimension(FiniteClass.halfspaces(4))
    (1, 3)
    """
    return len(_checked(H).shattered_set(limit=limit))


def _checked(H: FiniteClass) -> FiniteClass:
    if not isinstance(H, FiniteClass):
        raise ValueError(
            f"H={shown(H)} is not a FiniteClass; FiniteClass(table) makes one of 0 and 1"
        )
    return H
