"""Training with progressive validation: predict, score, then learn, piece by piece."""

from collections.abc import Mapping
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from regretless import persistence, state
from regretless.arguments import not_negative, one_of, shown, whole
from regretless.evaluate.validation import Validation
from regretless.linear.loading import restored
from regretless.linear.outcome import Outcome
from regretless.linear.regressing import Regressing
from regretless.streams.stream import Piece, Place
from regretless.threads import OneThread

__all__ = ["Training"]


class Training(OneThread, changing=("validation", "held_out", "place", "passes", "certified")):
    """A learner on its way through a stream, with all that a checkpoint must hold.

    Parameters
    ----------
    model : a learner of `regretless.linear`.
    norm : if given, what is certified: the mean loss that no linear model of this norm can beat.
    holdout : if `k > 0`, every k-th example is scored apart and not learned, its label included: if
        the model does not know that, it counts as `validate_many` says.

    >>> from regretless import streams
    >>> from regretless.linear import LinearClassifier
    >>> training = Training(LinearClassifier(), holdout=10)
    >>> for piece in streams.read(streams.bundled("phishing")).pieces():
    ...     training.take(piece)
    >>> training.validation.examples, training.held_out.examples, training.held_out.mean_loss < 0.45
    (1125, 125, True)
    """

    def __init__(self, model: Any, norm: float | None = None, holdout: int = 0) -> None:
        self.model = model
        self.norm = None if norm is None else not_negative(norm, "norm")
        if norm is not None and model._certifies != "models":
            raise ValueError(
                f"norm={shown(norm)}: the certificate of {type(model).__name__} is not about linear "
                "models; leave norm out"
            )
        self.holdout = whole(holdout, "holdout", 0)
        kind: Any = "regression" if isinstance(model, Regressing) else "binary"
        self.validation = Validation(kind)
        self.held_out = Validation(kind)
        self.place = Place()
        self.passes = 0  # that are over
        self._seen = 0  # in this pass, held out or not
        self._next_certificate = 1.0
        self.certified: float | None = None  # the newest bound, of all examples until then

    def __repr__(self) -> str:
        norm = "" if self.norm is None else f", norm={self.norm:g}"
        holdout = f", holdout={self.holdout}" if self.holdout else ""
        return f"Training({self.model!r}{norm}{holdout})"

    @property
    def seen(self) -> int:
        """Examples met in the current pass, those held out among them."""
        return self._seen

    def take(self, piece: Piece, held: NDArray[np.bool_] | None = None) -> None:
        """Predict the examples of the piece, score the predictions, and learn the examples.

        `held`: which of them to hold out; by default every `holdout`-th.
        """
        self.place = piece.place
        if not len(piece):  # all of its lines were bad
            return
        weights = piece.w
        if self.holdout:
            held = (np.arange(self._seen, self._seen + len(piece)) + 1) % self.holdout == 0
        if held is not None:
            weights = np.where(held, 0.0, 1.0 if weights is None else weights)
        outcomes = self.model.validate_many(piece.X, piece.y, weights)
        self._seen += len(piece)
        if self.validation.kind == "binary" and len(self.model.classes_) > 2:
            self.validation.kind = self.held_out.kind = "multiclass"
        certified = self._certified()
        at = 0
        for outcome in outcomes:
            part = slice(at, at + len(outcome))
            at = part.stop
            weights = None if piece.w is None else piece.w[part]
            if held is not None:
                _add(self.held_out, outcome, weights, held[part])
            if not self.passes:  # later the examples are no news
                chosen = slice(None) if held is None else ~held[part]
                # a piece that a new label cuts is certified at its end, not at the cuts
                known = certified if at == len(piece) else None
                _add(self.validation, outcome, weights, chosen, known)

    def _certified(self) -> float | None:
        # The norm of the sum of gradients takes a pass over the bank: now and then only.
        if self.norm is None or self._seen < self._next_certificate:
            return None
        self._next_certificate = 1.1 * self._seen
        self.certified = self.best_possible()
        return self.certified

    def best_possible(self) -> float:
        """The mean loss that no linear model of the norm can beat, on all that has been learned."""
        found: float = self.model.certificate(norm=self.norm).best_possible(mean=True)
        return found

    def certify(self) -> None:
        """Ask for what is certified of all examples so far, which `take` does only now and then.

        It is the last point of the curve that gets it; in later passes, of which there is no curve,
        and without a `norm` nothing is asked.

        >>> from regretless import streams
        >>> from regretless.linear import LinearClassifier
        >>> training, pages = Training(LinearClassifier(), norm=3), list(streams.bundled("phishing"))
        >>> for part in (pages[:1200], pages[1200:]):
        ...     for piece in streams.read(part).pieces():
        ...         training.take(piece)
        >>> training.certify()
        >>> int(training.validation.curve.certified_at[-1])
        1250
        """
        if self.norm is not None and self.validation.examples and not self.passes:
            self.certified = self.best_possible()
            self.validation.certify(self.certified)

    def end_pass(self) -> None:
        """The stream has come to its end and begins again."""
        self.passes += 1
        self.place, self._seen = Place(), 0
        self.held_out = Validation(self.held_out.kind)  # of the newest pass alone

    # --- checkpoints -------------------------------------------------------------------------------

    def save(self, path: Any, command: Mapping[str, Any]) -> None:
        """Write everything to `path`, all at once or not at all; `command` says what it belongs to."""
        description, arrays = self.model._described()
        parts = {f"model.{k}": v for k, v in arrays.items()}
        parts |= {f"validation.{k}": v for k, v in self.validation.state().items()}
        parts |= {f"held_out.{k}": v for k, v in self.held_out.state().items()}
        described = {
            "command": dict(command),
            "model": description,
            "kind": self.validation.kind,
            "place": self.place.to_dict(),
            "counts": [self.passes, self._seen, self._next_certificate],
            "norm": self.norm,
            "holdout": self.holdout,
        }
        persistence.write(path, described, parts)

    @classmethod
    def load(cls, path: Any, command: Mapping[str, Any]) -> Self:
        """The training that `save` wrote, or `ValueError` if it belongs to another command."""
        with state.opening(path) as parts:
            if not parts.has("command"):
                raise state.NotGiven(f"{path} is not a checkpoint")
            old = parts.take("command")
            changed = sorted(k for k in old.keys() | command.keys() if old.get(k) != command.get(k))
            if changed:
                raise state.NotGiven(
                    f"{path} is a checkpoint of another command ({', '.join(changed)} differ); "
                    "remove it or choose another directory"
                )
            model = restored(path, parts.take("model"), parts.part("model").rest())
            training = cls(model, parts.take("norm"), parts.take("holdout"))
            kind = one_of(parts.take("kind"), "kind", ("binary", "multiclass", "regression"))
            for name in ("validation", "held_out"):
                setattr(training, name, Validation.restored(kind, parts.part(name).rest()))
            training.place = Place.from_dict(parts.inside("place").options())
            passes, seen, later = parts.take("counts")
            training.passes, training._seen = whole(passes, "counts", 0), whole(seen, "counts", 0)
            training._next_certificate = not_negative(later, "counts")
            return training


def _add(
    scores: Validation,
    outcome: Outcome,
    weights: NDArray[np.float64] | None,
    chosen: NDArray[np.bool_] | slice,
    certified: float | None = None,
) -> None:
    """Add the outcomes that are chosen."""
    p, positive = outcome.probability, outcome.positive
    if scores.kind != "binary":
        p = positive = None
    scores.add(
        outcome.losses[chosen],
        None if weights is None else weights[chosen],
        outcome.wrong[chosen],
        None if p is None else p[chosen],
        None if positive is None else positive[chosen],
        certified=certified,
    )
