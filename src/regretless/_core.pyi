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
        remembered: int,
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
    def examples(
        self,
        x: Examples,
        first: int,
        last: int,
        labels: NDArray[Any] | None,
        importance: NDArray[np.float64] | None,
        want_scores: bool,
    ) -> Any: ...
    def locate(
        self, x: Examples
    ) -> tuple[NDArray[np.uint64], NDArray[np.uint32], NDArray[np.float32]]: ...
    def located(
        self,
        starts: NDArray[np.uint64],
        rows: NDArray[np.uint32],
        values: NDArray[np.float32],
        labels: NDArray[Any] | None,
        importance: NDArray[np.float64] | None,
        want_scores: bool,
    ) -> Any: ...
    @property
    def wants_names(self) -> bool: ...
    @property
    def lanes(self) -> int: ...
    def relane(self, sources: Sequence[int], signs: Sequence[int]) -> None: ...
    def weights(self) -> NDArray[np.float64]: ...
    def names(self) -> dict[int, Any]: ...
    def total(self, scalar: int) -> float: ...
    def most(self, scalar: int) -> float: ...
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
        name_rows: NDArray[np.uint32],
    ) -> None: ...

def survey(
    width: int,
    starts: NDArray[np.int64],
    columns: NDArray[np.int32],
    values: NDArray[np.float64],
    name: str,
) -> tuple[bool, bool]: ...

class Examples:
    def __init__(self, bits: int, intercept: bool, named: bool) -> None: ...
    def __len__(self) -> int: ...
    @property
    def labels(self) -> NDArray[np.float64]: ...
    @property
    def label_texts(self) -> list[str] | None: ...
    @property
    def importance(self) -> NDArray[np.float64] | None: ...
    @property
    def tags(self) -> list[str] | None: ...
    @property
    def bits(self) -> int: ...
    @property
    def intercept(self) -> bool: ...
    @property
    def named(self) -> bool: ...
    def row(self, t: int) -> dict[Any, float]: ...
    def add(self, row: dict[Any, Any]) -> None: ...

class Parser:
    @property
    def line(self) -> int: ...
    @property
    def skipped(self) -> int: ...
    def parse(
        self, data: bytes | bytearray, first: int, last: int, ends: bool, out: Examples
    ) -> int: ...
    @property
    def labels(self) -> int: ...
    def go_on_at(self, line: int, labels: int) -> None: ...

class SvmlightParser(Parser):
    def __init__(self, skip_bad: bool, need_labels: bool) -> None: ...

class CsvColumns:
    @property
    def names(self) -> list[str]: ...
    @property
    def kinds(self) -> list[str]: ...

def infer_csv(
    sample: bytes,
    whole: bool,
    delimiter: str,
    header: bool,
    label: str,
    weight: str,
    tag: str,
    categorical: list[str],
    numeric: list[str],
    ignored: list[str],
    optional: bool,
) -> CsvColumns: ...

class CsvParser(Parser):
    def __init__(self, skip_bad: bool, need_labels: bool, columns: CsvColumns) -> None: ...

class JsonlParser(Parser):
    def __init__(
        self,
        skip_bad: bool,
        need_labels: bool,
        label: str,
        weight: str,
        tag: str,
        ignored: list[str],
    ) -> None: ...

class VwParser(Parser):
    def __init__(
        self, skip_bad: bool, need_labels: bool, interactions: list[list[str]]
    ) -> None: ...

def tally(
    probability: NDArray[np.float64],
    positive: NDArray[np.bool_],
    weight: NDArray[np.float64],
    reach: float,
    ranks: NDArray[np.float64],
    shares: NDArray[np.float64],
) -> None: ...

class Player:
    @property
    def point(self) -> NDArray[np.float64]: ...
    @property
    def theta(self) -> NDArray[np.float64]: ...
    @property
    def rounds(self) -> int: ...
    @property
    def linear(self) -> float: ...
    @property
    def strength(self) -> float: ...
    @property
    def paid(self) -> float: ...
    def update(self, gradient: NDArray[np.float64]) -> float: ...
    def look(self, x: NDArray[np.float64], bound: float) -> None: ...
    def run(
        self,
        rows: NDArray[np.float64],
        targets: NDArray[np.float64] | None,
        loss: tuple[int, float] | None,
        keep: bool,
        bound: float = 0.0,
    ) -> tuple[
        NDArray[np.float64], NDArray[np.float64], NDArray[np.float64], NDArray[np.float64] | None
    ]: ...
    def sums(self) -> dict[str, Any]: ...
    def state(self) -> NDArray[np.float64]: ...
    def restore(self, state: NDArray[np.float64]) -> None: ...

def mirror_descent(
    dimension: int, twin: dict[str, Any], schedule: int, eta: float, lazy: bool
) -> Player: ...
def adagrad_player(dimension: int, eta: float, box: dict[str, Any]) -> Player: ...
def coin_player(dimension: int, wealth: float, gradient: float) -> Player: ...
def newton_step(
    dimension: int,
    alpha: float,
    curvature: float,
    rate: float,
    domain: dict[str, Any],
    lazy: bool,
) -> Player: ...
def invariant_newton(dimension: int, curvature: float) -> Player: ...
def leaders(
    twin: dict[str, Any],
    first: NDArray[np.float64],
    theta: NDArray[np.float64],
    rows: NDArray[np.float64],
    eta: NDArray[np.float64],
) -> tuple[NDArray[np.float64], NDArray[np.float64]]: ...
def density_weights(
    potential: int, rate: float, scores: NDArray[np.float64], round: float
) -> NDArray[np.float64]: ...
def density_run(
    potential: int,
    rate: float,
    before: float,
    scores: NDArray[np.float64],
    points: NDArray[np.float64],
    values: NDArray[np.float64],
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]: ...
