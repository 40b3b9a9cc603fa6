"""Labels of any hashable type, and the lanes that stand for them."""

from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from regretless.arguments import shown

__all__ = ["Labels"]


def _missing(label: Any) -> bool:
    """None, and everything that is not equal to itself or does not know: NaN, NaT, NA."""
    try:
        return label is None or bool(label != label)  # noqa: PLR0124
    except TypeError:
        return True


def _kind(label: Any) -> str:
    if isinstance(label, (bool, int, float, np.number, np.bool_)):
        return "number"
    return "string" if isinstance(label, str) else type(label).__name__


class Labels:
    """The labels seen, each with its class number.

    Two labels share one lane, which scores the second; the second is the larger where they can be
    compared, so that True, 1 and "yes" have positive scores whichever came first. Who says True knows
    of False: a first label that is a bool brings the other. From three on every label has a lane of its
    own, in order of appearance.
    """

    def __init__(self, labels: Sequence[Hashable] = ()) -> None:
        self.labels: list[Any] = list(labels)
        self.index: dict[Any, int] = {label: k for k, label in enumerate(self.labels)}

    def check(self, label: Any) -> Any:
        """The label, if it may join the others."""
        try:
            hash(label)
        except TypeError:
            raise ValueError(
                f"y={shown(label)} is a {type(label).__name__}, which is not hashable"
            ) from None
        if _missing(label):
            raise ValueError(f"y={shown(label)} is not a label; leave examples without a label out")
        if self.labels and _kind(label) != _kind(self.labels[0]):
            raise ValueError(
                f"y={shown(label)} is a {_kind(label)}, but the labels so far are of the kind "
                f"{_kind(self.labels[0])} ({self.labels[0]!r}); use one type of label"
            )
        return label.item() if isinstance(label, np.generic) else label

    def lanes(self, label: Any) -> tuple[list[int], list[int]] | None:
        """What a new label makes of the lanes (see `Learner.relane`), None if nothing."""
        count = len(self.labels)
        if count == 1 and _comes_first(label, self.labels[0]):
            return [0], [-1]
        if count == 2:
            return [0, 0, -1], [-1, 1, 1]
        return ([*range(count), -1], [1] * (count + 1)) if count > 2 else None

    def add(self, label: Any) -> None:
        """Take a new label in."""
        count = len(self.labels)
        self.labels += [False, True] if count == 0 and isinstance(label, bool) else [label]
        if count == 1 and _comes_first(label, self.labels[0]):
            self.labels.reverse()
        first = count if count > 1 else 0
        self.index.update((each, k) for k, each in enumerate(self.labels[first:], first))

    def take_back(self, label: Any) -> tuple[list[int], list[int]] | None:
        """Forget the label that `add` took in last; what the lanes become, None if nothing."""
        count = len(self.labels)
        lanes: tuple[list[int], list[int]] | None = None
        if count > 3:
            lanes = [*range(count - 1)], [1] * (count - 1)
        elif count == 3:
            lanes = [1], [1]
        elif count == 2 and self.labels[0] == label:
            lanes = [0], [-1]
        self.labels.remove(label)
        if isinstance(label, bool):  # it had brought the other
            self.labels, lanes = [], None
        self.index = {label: k for k, label in enumerate(self.labels)}
        return lanes

    def encode(self, labels: NDArray[Any]) -> tuple[NDArray[np.int32], list[tuple[int, Any]]]:
        """Class numbers, -1 for labels not seen yet; and those, with where each first occurs."""
        if len(labels) > 64 and len(self.labels) <= 16 and labels.dtype != object:
            codes = np.full(len(labels), -1, np.int32)
            known = self.labels if not self.labels or _matches(labels, self.labels[0]) else []
            for k, label in enumerate(known):
                codes += np.multiply(labels == label, k + 1, dtype=np.int32)
        else:
            get = self.index.get
            try:
                codes = np.array([get(label, -1) for label in labels.tolist()], np.int32)
            except TypeError:  # not hashable
                for label in labels:
                    self.check(label)
                raise
        if not codes.size or codes.min() >= 0:
            return codes, []
        unknown = np.flatnonzero(codes < 0)
        if labels.dtype != object:  # the first of each, without a Python loop
            _, first = np.unique(labels[unknown], return_index=True)
            unknown = unknown[np.sort(first)]
        fresh: dict[Any, int] = {}
        for t in unknown.tolist():
            label = labels[t]
            fresh.setdefault(label.item() if isinstance(label, np.generic) else label, t)
        return codes, [(t, label) for label, t in fresh.items()]


def _matches(labels: NDArray[Any], label: Any) -> bool:
    return (labels.dtype.kind in "biuf") == (_kind(label) == "number")


def _comes_first(a: Any, b: Any) -> bool:
    try:
        return bool(a < b)
    except TypeError:
        return False
