"""Small real data sets that come with the package, for a first try; sources in data/README.md."""

from collections.abc import Iterator
from typing import Any

from regretless.arguments import one_of

__all__ = ["bundled"]

_SETS: dict[str, type] = {"breast_cancer": str, "diabetes": float, "digits": int, "phishing": bool}


def bundled(name: str) -> Iterator[tuple[dict[str, float], Any]]:
    """Read a bundled data set as a stream of `(x, y)`, `x` a dict of named features.

    `"phishing"` (1,250 web pages, True if phishing), `"breast_cancer"` (569, "malignant" or
    "benign"), `"digits"` (1,797 pictures, 0 to 9) and `"diabetes"` (442, a number).

    >>> x, y = next(bundled("phishing"))
    >>> x["is_popular"], y
    (0.5, True)
    """
    import csv
    import gzip
    from importlib import resources

    one_of(name, "name", _SETS)
    kind = _SETS[name]
    path = resources.files("regretless.streams") / "data" / f"{name}.csv.gz"
    with path.open("rb") as raw, gzip.open(raw, "rt", newline="") as file:
        names, *lines = csv.reader(file)
    for line in lines:
        x = dict(zip(names[:-1], map(float, line)))
        yield x, kind(int(line[-1])) if kind is bool else kind(line[-1])
