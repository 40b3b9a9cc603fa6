"""What a training came to: as a table, as a line and as JSON."""

import json
import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from regretless.base.regressor import Regressor
from regretless.boosting.booster import Booster
from regretless.cli.learners import loss_name
from regretless.cli.memory import peak_rss_mb
from regretless.evaluate.report import audited_rows
from regretless.evaluate.training import Training
from regretless.linear.auto import Auto
from regretless.newton import Newton


@dataclass(frozen=True)
class Summary:
    """The figures of a training that is over."""

    training: Training
    learner: str
    seconds: float
    taken: int  # examples in these seconds, fewer than all if an earlier process has taken some
    guessed: bool = False  # that it is regression, from the labels
    saved: str | None = None

    @property
    def examples(self) -> int:
        """Examples met, in all passes, those held out among them."""
        return self.training.seen * max(self.training.passes, 1)

    @property
    def is_regression(self) -> bool:
        """Whether numbers were predicted and not labels."""
        return isinstance(self.training.model, Regressor)

    @cached_property
    def best_possible(self) -> dict[float, float]:
        """The mean losses that no linear model of each norm asked for can beat."""
        return dict(zip(self.training.norms, self.training.bounds()))

    @property
    def holdout_mean_loss(self) -> float | None:
        """The mean loss on the examples that were not learned."""
        return self.training.held_out.mean_loss if self.training.holdout else None

    def as_dict(self) -> dict[str, Any]:
        """All of it, ready for JSON; what is not finite is None."""
        scores = self.training.validation
        values = {
            "examples": self.examples,
            "skipped": self.training.place.skipped,
            "passes": self.training.passes,
            "seconds": self.seconds,
            "examples_per_second": self.taken / self.seconds,
            "task": "regression" if self.is_regression else "classification",
            "loss_name": loss_name(self.training.model),
            "loss": scores.loss,
            "mean_loss": scores.mean_loss,
            "error": scores.error,
            "auc": scores.auc,
            "holdout_mean_loss": self.holdout_mean_loss,
            "certificates": [
                {"norm": norm, "best_possible": best, "audited_mean_loss": self._audited_mean}
                for norm, best in self.best_possible.items()
            ],
            "peak_rss_mb": peak_rss_mb(),
            "learner": self.learner,
            "model": self.saved,
        }
        return {name: _finite(value) for name, value in values.items()}

    def rows(self) -> list[tuple[str, str]]:
        """What a person wants to know, name by name."""
        training, scores = self.training, self.training.validation
        task = "regression" if self.is_regression else "classification"
        loss = f"{loss_name(training.model)} loss".replace("_", " ")
        rows = [
            ("learner", f"{self.learner}, {loss}, {task}"),
            ("examples", f"{self.examples:,}" + _in_passes(training.passes)),
            ("skipped bad lines", f"{training.place.skipped:,}" if training.place.skipped else ""),
            ("seconds", f"{self.seconds:.2f}"),
            ("examples per second", f"{self.taken / self.seconds:,.0f}" if self.taken else ""),
            ("mean loss", short(scores.mean_loss)),
            *self._certified(),
            ("regret to the best lane", self._against_lanes()),
            ("mistakes", self._mistakes()),
            ("holdout loss", short(self.holdout_mean_loss)),
            ("error", "" if self.is_regression else percent(scores.error)),
            ("root mean square error", short(scores.rmse)),
            ("AUC", short(scores.auc)),
            ("peak memory", _megabytes(peak_rss_mb())),
            ("model", self.saved or "not saved (--save PATH)"),
        ]
        if self.guessed:
            why = "the labels are numbers that are not all whole; --classes would make a label of each"
            rows.insert(1, ("", why))
        return [(name, text) for name, text in rows if text]

    @property
    def _audited_mean(self) -> float | None:
        """The mean loss as the audit measures it."""
        audit, loss = self.training.audit, self.training.audited_loss
        return None if audit is None or loss is None else loss / (audit.weight_ or 1.0)

    def _certified(self) -> list[tuple[str, str]]:
        audit = self.training.audit
        if audit is None:
            return []
        scores, bounds = self.training.validation, list(self.best_possible.values())
        return audited_rows(audit, self.training.audited_loss, scores.mean_loss, bounds)

    def _against_lanes(self) -> str:
        model = self.training.model
        if not isinstance(model, (Auto, Newton)) or model._certifies != "itself":
            return ""  # one model, nothing mixed
        certificate = model.certificate()
        return f"{short(certificate.regret)}, certified at most {short(certificate.bound)}"

    def _mistakes(self) -> str:
        model = self.training.model
        if not isinstance(model, Booster):
            return ""
        c, edges = model.certificate(), model.edges_
        each = np.concatenate(list(edges.values()) if isinstance(edges, dict) else [edges])
        drawn = " in expectation" if c.expected != c.mistakes else ""
        return (
            f"{c.mistakes:,.0f}, certified at most {c.bound:,.0f}{drawn}; edges of the weak learners "
            f"{each.min():.3f} to {each.max():.3f}"
        )

    def line(self) -> str:
        """The essentials."""
        scores = self.training.validation
        parts = [f"{self.examples:,} examples", f"mean loss {short(scores.mean_loss)}"]
        if not self.is_regression:
            parts.append(f"error {percent(scores.error)}")
        if scores.auc is not None:
            parts.append(f"AUC {short(scores.auc)}")
        if self.saved:
            parts.append(f"saved to {self.saved}")
        return ", ".join(parts)

    def show(self, as_json: bool, quiet: bool) -> None:
        """Print it in the form that was asked for."""
        if as_json:
            print_json(self.as_dict())
        elif quiet:
            print(self.line())
        else:
            from regretless.cli.tables import print_pairs

            print_pairs(self.rows())


def print_json(values: Any) -> None:
    """One object on standard output."""
    print(json.dumps(values, allow_nan=False, indent=2))


def short(value: float | None) -> str:
    """Four digits; nothing where there is no value."""
    return "" if value is None or math.isnan(value) else f"{value:#.4g}"


def percent(value: float) -> str:
    """A share; nothing where there is none."""
    return "" if math.isnan(value) else f"{value:.2%}"


def _in_passes(passes: int) -> str:
    return f" in {passes} passes" if passes > 1 else ""


def _megabytes(value: float | None) -> str:
    return "" if value is None else f"{value:,.0f} MB"


def _finite(value: Any) -> Any:
    return None if isinstance(value, float) and not math.isfinite(value) else value
