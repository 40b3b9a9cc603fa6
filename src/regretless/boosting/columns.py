"""Examples as a boosting algorithm looks at them: feature by feature."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from regretless import rows

__all__ = ["Columns"]


@dataclass(frozen=True)
class Columns:
    """A sparse matrix by columns, each with the name of its feature.

    A column of strings is a feature for each of them, as everywhere in this library: "red" in the
    column "colour" is the feature "colour=red" with the value 1. `sources` are the columns as given,
    `is_dense` whether they came as numbers in memory rather than as a sparse matrix.
    """

    matrix: Any
    names: list[Any]
    sources: list[Any]
    is_dense: bool

    @classmethod
    def of(cls, X: Any) -> "Columns":
        """The columns of an array, a sparse matrix or a data frame of finite numbers.

        >>> Columns.of([[0.0, 2.0], [1.0, 0.0]]).matrix.shape
        (2, 2)
        """
        from scipy.sparse import csc_array, csr_array

        batch = rows.batch(X)
        if isinstance(batch, rows.CSR):
            shape = batch.size, batch.width
            first, last = batch.starts[0], batch.starts[-1]
            starts = _short(batch.starts - first)
            inside = batch.values[first:last], batch.columns[first:last], starts
            numbers: list[Any] = list(range(batch.width))
            return cls(csr_array(inside, shape=shape).tocsc(), numbers, numbers, False)
        if not isinstance(batch, rows.Table):
            raise ValueError(
                f"X is a {type(X).__name__}: give an array, a sparse matrix or a data frame"
            )
        names, parts = list[Any](), list[tuple[NDArray[np.int64], NDArray[np.float64]]]()
        for name, values, *categories in batch.columns:
            if categories:
                for code, category in enumerate(categories[0]):
                    where = np.flatnonzero(values == code)
                    names.append(f"{name}={category}")
                    parts.append((where, np.ones(len(where))))
                continue
            if not np.isfinite(values).all():
                t = int(np.argmin(np.isfinite(values)))
                raise ValueError(
                    f"X[{t}, {name!r}] = {values[t]} is not finite; leave the row out or fill it in"
                )
            where = np.flatnonzero(values)
            names.append(name)
            parts.append((where, values[where]))
        inside = (
            np.concatenate([np.empty(0), *(values for _, values in parts)]),
            np.concatenate(
                [np.empty(0, np.int32), *(where.astype(np.int32) for where, _ in parts)]
            ),
            _short(np.cumsum([0, *(len(where) for where, _ in parts)])),
        )
        matrix = csc_array(inside, shape=(batch.size, len(names)))
        return cls(matrix, names, [column[0] for column in batch.columns], True)

    @property
    def size(self) -> int:
        """Number of examples."""
        return int(self.matrix.shape[0])

    def column(self, name: Any) -> tuple[NDArray[Any], NDArray[np.float64]]:
        """Rows and values of a feature; none if it is not there."""
        j = self._places.get(name)
        if j is None:
            return np.empty(0, np.int64), np.empty(0)
        part = slice(self.matrix.indptr[j], self.matrix.indptr[j + 1])
        return self.matrix.indices[part], self.matrix.data[part]

    def keep(self, rows: NDArray[np.bool_]) -> "Columns":
        """Some of the rows."""
        return Columns(self.matrix[np.flatnonzero(rows)], self.names, self.sources, self.is_dense)

    def table(self, names: list[Any]) -> Any:
        """These features as a 2-d array, or as a CSR matrix if they came as a sparse one."""
        found = [self._places.get(name, -1) for name in names]
        matrix = self.matrix
        if found != list(range(matrix.shape[1])):
            from scipy.sparse import csc_array, hstack

            padded = hstack([matrix, csc_array((self.size, 1))], format="csc")
            matrix = padded[:, found]
        return matrix.toarray() if self.is_dense else matrix.tocsr()

    @cached_property
    def _places(self) -> dict[Any, int]:
        return {name: j for j, name in enumerate(self.names)}


def _short(starts: NDArray[np.int64]) -> NDArray[Any]:
    """In 32 bits if they fit: many classifiers read no others."""
    return starts.astype(np.int32) if starts[-1] < 2**31 else starts
