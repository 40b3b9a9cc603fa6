"""Where the edge of a weak learner comes from (Luo (2016), Lemma 7)."""

from collections.abc import Callable

from regretless.arguments import function, within

__all__ = ["excess_loss"]

_FAR = 2**62  # rounds


def excess_loss(regret: Callable[[int], float], edge: float) -> float:
    """The excess loss S of a learner of small regret, used as a weak learner of edge `edge`.

    If some hypothesis of a class has an edge of `2 edge`, whatever the weights, and a learner of the
    class has regret at most `regret(T)` in T rounds of any kind, which grows slower than T and is
    concave, then it is a weak learner of edge `edge` and excess loss `max_T (regret(T) - edge T)`
    (Luo (2016), Lemma 7). Boosters need S only in their theorems.

    Parameters: `regret`, of a number of rounds; `edge` in (0, 1/2].

    >>> round(excess_loss(lambda T: 3.0 * T**0.5, edge=0.1), 9)  # c sqrt(T): c^2 / (4 edge)
    22.5
    """
    function(regret, "regret", "; it makes a bound of a number of rounds")
    within(edge, "edge", "(0, 0.5]")

    def more(rounds: int) -> float:
        return float(regret(rounds)) - edge * rounds

    far = 1
    while more(2 * far) > more(far):
        far *= 2
        if far > _FAR:
            raise ValueError(
                f"regret grows by more than edge={edge} a round for ever: no edge is left"
            )
    low, high = far // 2, 2 * far  # the largest is between: what is concave rises, then falls
    while high - low > 2:
        third = (high - low) // 3
        left, right = low + third, high - third
        low, high = (left, high) if more(left) < more(right) else (low, right)
    return max(0.0, *(more(rounds) for rounds in range(low, high + 1)))
