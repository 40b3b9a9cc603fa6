"""The compiled core: see core/bind/module.cpp."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

SCALARS: tuple[str, ...]

class Diverged(ArithmeticError): ...

class Learner:
    def __init__(
        self,
        loss: tuple[int, float],
        rule: str,
        options: dict[str, Any],
        bits: int,
        intercept: bool,
        certify: bool,
    ) -> None: ...
    def score(self, x: Any) -> Any: ...
    def probability(self, x: Any) -> Any: ...
    def probabilities(self, scores: NDArray[np.float64]) -> NDArray[np.float64]: ...
    def learn_class(self, x: Any, label: int, importance: float) -> None: ...
    def learn_target(self, x: Any, target: float, importance: float) -> None: ...
    def step_class(self, x: Any, label: int, importance: float) -> Any: ...
    def step_target(self, x: Any, target: float, importance: float) -> Any: ...
    def csr(
        self,
        width: int,
        starts: NDArray[np.int64],
        columns: NDArray[np.int32],
        values: NDArray[np.float64],
        has_zero: bool,
        labels: NDArray[Any] | None,
        importance: NDArray[np.float64] | None,
        want_scores: bool,
    ) -> Any: ...
    def table(
        self,
        size: int,
        columns: list[tuple[Any, ...]],
        labels: NDArray[Any] | None,
        importance: NDArray[np.float64] | None,
        want_scores: bool,
    ) -> Any: ...
    @property
    def lanes(self) -> int: ...
    def relane(self, sources: Sequence[int], signs: Sequence[int]) -> None: ...
    def weights(self) -> NDArray[np.float64]: ...
    def names(self) -> list[Any]: ...
    def total(self, scalar: int) -> float: ...
    @property
    def rounds(self) -> float: ...
    @property
    def has_gradient_sum(self) -> bool: ...
    def gradient_norms(self) -> list[float]: ...
    def state(self) -> dict[str, NDArray[Any]]: ...
    def restore(
        self,
        lanes: int,
        bank: NDArray[np.float32],
        scalars: NDArray[np.float64],
        names: NDArray[np.uint8],
        name_keys: NDArray[np.int64],
        name_kinds: NDArray[np.uint8],
    ) -> None: ...

def survey(
    width: int,
    starts: NDArray[np.int64],
    columns: NDArray[np.int32],
    values: NDArray[np.float64],
    name: str,
) -> tuple[bool, bool]: ...
def parse_svmlight(
    text: bytes, last: bool, first_line: int
) -> tuple[
    NDArray[np.float64], NDArray[np.int64], NDArray[np.int32], NDArray[np.float64], int, int
]: ...
