"""The exceptions and warnings of the library.

Bad arguments raise a plain `ValueError` (or a `TypeError`) that names the argument, before anything has
changed. The classes of this module are for failures that a program may want to tell apart. Each is a
subclass of one of Python's own exceptions, so `except ValueError` catches most of them.

    Diverged         ArithmeticError  an example would make the model overflow
    NotRealizable    ValueError       no expert or hypothesis fits the labels
    NotGiven         ValueError       a file needs another argument to be loaded
    TooLarge         ValueError       a class is too large to enumerate
    WrongKind        ValueError       a column holds text where it held numbers, or numbers for text
    Exhausted        Exception        an adversary has played its last round
    ColumnsWarning   UserWarning      a table has other columns than the model has learned

A model rejects an example that would make it overflow, and stays as it was:

>>> from regretless.linear import LinearRegressor
>>> model = LinearRegressor(rule="ogd", rate=1e30)
>>> try:
...     for _ in range(100):
...         model.learn_one({"a": 1e6}, 1.0)
... except Diverged as error:
...     print(error.example)
0
>>> model.predict_one({"a": 0.0}) < float("inf")
True
"""

from regretless._core import Diverged

__all__ = [
    "ColumnsWarning",
    "Diverged",
    "Exhausted",
    "NotGiven",
    "NotRealizable",
    "TooLarge",
    "WrongKind",
]

# The compiled core defines this class; its public name and docstring are set here.
Diverged.__module__ = __name__
Diverged.__doc__ = """An example would make the model overflow, so it was not learned.

Attributes: `example`, its number in the call, from 0. The model is as it was before the example.

>>> from regretless.linear import LinearRegressor
>>> model = LinearRegressor(rule="ogd", rate=1e30)
>>> model.learn_many([[1e6]] * 100, [1.0] * 100)
Traceback (most recent call last):
regretless.errors.Diverged: the score overflowed at example ...
"""


class NotRealizable(ValueError):
    """No expert or hypothesis agrees with all labels, but the algorithm needs one that does.

    >>> from regretless.experts import Halving
    >>> player = Halving(2)
    >>> player.update([0, 0], 1)
    Traceback (most recent call last):
    regretless.errors.NotRealizable: no expert has been right in all 1 rounds; ...
    """


class NotGiven(ValueError):
    """A file is sound, but the object to be loaded with it is missing or does not fit.

    >>> import pathlib, tempfile
    >>> from regretless.experts import DriftingGame
    >>> from regretless.experts.chip_potentials import TwoNormPotential
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "player"
    >>> player = DriftingGame(2, TwoNormPotential())
    >>> player.update([0.0, 1.0])
    0.5
    >>> player.save(path)
    >>> DriftingGame.load(path)  # without the potential
    Traceback (most recent call last):
    regretless.errors.NotGiven: ...player was saved with potential=TwoNormPotential(), which a file ...
    """


class TooLarge(ValueError):
    """A class has too many hypotheses to enumerate, or its dimension was not found within the limit.

    Attributes: `lower` and `upper` bounds on the dimension; None if it was not searched for.

    >>> from regretless.classes import FiniteClass, littlestone_dimension
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
            "enough to find it; give a larger limit"
        )


class WrongKind(ValueError):
    """A column holds text where the model learned numbers, or numbers where it learned text.

    Attributes: `what`, the error in words; `row`, the first row with such a value.

    >>> raise WrongKind("column 'age' was a number when the model learned it, and is text", 3)
    Traceback (most recent call last):
    regretless.errors.WrongKind: column 'age' was a number when ... in row 3
    """

    def __init__(self, what: str, row: int) -> None:
        super().__init__(f"{what} in row {row}")
        self.what, self.row = what, row

    def __reduce__(self) -> tuple[type, tuple[str, int]]:
        return type(self), (self.what, self.row)


class Exhausted(Exception):
    """An adversary has played its last round: its `instance` raises this to end `play`.

    >>> from regretless.adversaries import UnitVectors, play
    >>> play(lambda x: 1, UnitVectors(3), rounds=100).rounds
    3
    """


class ColumnsWarning(UserWarning):
    """A table lacks columns that the model has learned, or has further ones.

    >>> import warnings
    >>> import pandas as pd
    >>> from regretless.linear import LinearRegressor
    >>> model = LinearRegressor().fit(pd.DataFrame({"age": [1.0], "size": [2.0]}), [1.0])
    >>> with warnings.catch_warnings(record=True) as caught:
    ...     warnings.simplefilter("always", ColumnsWarning)
    ...     _ = model.predict(pd.DataFrame({"age": [1.0]}))
    >>> print(caught[0].message)
    the model misses size
    """
