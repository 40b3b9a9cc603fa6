"""How much is enumerated, and the error that says how far it came."""

__all__ = ["LIMIT", "TooLarge", "check_size"]

LIMIT = 1_000_000  # version spaces, or sets of points
_VALUES = 2**29


class TooLarge(ValueError):
    """A class has too many hypotheses to enumerate, or its dimension was not found within the limit.

    Attributes: `lower` and `upper`, between which the dimension is; None if it was not looked for.

    >>> from regretless.classes import FiniteClass, TooLarge, littlestone_dimension
    >>> H = FiniteClass.random(3000, 20, density=0.2, seed=0)
    >>> try:
    ...     littlestone_dimension(H, limit=50)
    ... except TooLarge as error:
    ...     print(error.lower, "to", error.upper)
    6 to 10
    """

    lower: int | None = None
    upper: int | None = None

    def __init__(self, *given: object) -> None:
        super().__init__(*given)
        if len(given) > 1:
            self.lower, self.upper = given[3], given[4]  # type: ignore[assignment]

    def __str__(self) -> str:
        if len(self.args) == 1:
            return str(self.args[0])
        kind, hypotheses, points, lower, upper, limit, *what = self.args
        return (
            f"the {kind} dimension of these {hypotheses:,} hypotheses on {points:,} points is from "
            f"{lower} to {upper}: limit={limit:,} {what[0] if what else 'version spaces'} were not "
            "enough to tell; give a larger limit"
        )


def check_size(hypotheses: int, points: int) -> None:
    """Refuse a class that is too large to enumerate.

    >>> check_size(2**40, 40)
    Traceback (most recent call last):
    regretless.classes.too_large.TooLarge: 1,099,511,627,776 hypotheses on 40 points are too many to ...
    """
    if hypotheses * points > _VALUES:
        many, wide = (f"{n:,}" if n < 10**15 else "10^15 or more" for n in (hypotheses, points))
        raise TooLarge(
            f"{many} hypotheses on {wide} points are too many to enumerate: at most "
            f"{_VALUES:,} values, hypotheses times points"
        )
