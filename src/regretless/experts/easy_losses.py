"""What a bound in the sizes of regrets says where losses are easy (Luo (2016), Theorem 5)."""

import math

from regretless.arguments import not_negative, positive

__all__ = ["gap_bound", "small_loss_bound"]


def small_loss_bound(factor: float, loss: float) -> float:
    """The regret of a player whose regret is at most `sqrt(C factor)`, C the sum of its sizes.

    If the comparator lost `loss` in all, of losses in [0, 1], it is at most
    `sqrt(2 loss factor) + factor` (Luo (2016), Theorem 5, part 1). Of `AdaNormalHedge`, the factor is
    `3 ln(B / q)` for an expert of prior q; of `TwoNorm` and others there is none. `loss` may also be the
    sum of what the comparator lost more than the player, in the rounds where it did.

    >>> round(small_loss_bound(12.0, loss=0.0), 9), round(small_loss_bound(12.0, loss=150.0), 9)
    (12.0, 72.0)
    """
    a = not_negative(factor, "factor")
    return math.sqrt(2.0 * not_negative(loss, "loss") * a) + a


def gap_bound(factor: float, gap: float) -> float:
    """The expected regret of such a player to the best expert, if chance makes it the best by a gap.

    In every round the others lose at least `gap` more in expectation, whatever happened before. Then
    it is at most `factor / gap`, however many rounds there are (Luo (2016), Theorem 5, part 2).

    >>> gap_bound(12.0, gap=0.2)
    60.0
    """
    return not_negative(factor, "factor") / positive(gap, "gap")
