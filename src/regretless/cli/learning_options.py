"""The options that say how to learn, which `train` and `compare` share."""

from dataclasses import dataclass
from typing import Annotated, Any

import typer

from regretless.cli.learners import Kind, LearnerOptions, LossName, Sketch
from regretless.cli.options import LEARNING, between, positive

__all__ = ["LearningOptions"]


@dataclass(frozen=True, kw_only=True)
class LearningOptions:
    """The options as they are typed."""

    loss: Annotated[
        LossName | None,
        typer.Option(
            help="By default logistic, or squared if the labels are numbers that are not all whole.",
            rich_help_panel=LEARNING,
        ),
    ] = None
    tau: Annotated[
        float | None,
        typer.Option(
            help="Which quantile --loss quantile predicts; by default 0.5, the median.",
            callback=between(0, 1),
            show_default=False,
            rich_help_panel=LEARNING,
        ),
    ] = None
    sketch: Annotated[
        Sketch | None,
        typer.Option(
            help="How newton keeps the directions of large gradients; by default oja.",
            show_default=False,
            rich_help_panel=LEARNING,
        ),
    ] = None
    size: Annotated[
        int | None,
        typer.Option(
            help="How many directions newton keeps; by default 10.",
            min=0,
            max=1000,
            show_default=False,
            rich_help_panel=LEARNING,
        ),
    ] = None
    alpha: Annotated[
        float | None,
        typer.Option(
            help="newton's inverse step; by default several are mixed.",
            callback=positive,
            show_default=False,
            rich_help_panel=LEARNING,
        ),
    ] = None
    kind: Annotated[
        Kind | None,
        typer.Option(
            help="How boost combines its weak learners; by default adaboost-ol.",
            show_default=False,
            rich_help_panel=LEARNING,
        ),
    ] = None
    weak: Annotated[
        int | None,
        typer.Option(
            help="How many weak learners boost has; by default 20.",
            min=1,
            max=10_000,
            show_default=False,
            rich_help_panel=LEARNING,
        ),
    ] = None
    edge: Annotated[
        float | None,
        typer.Option(
            help="How much better than 1/2 boost may count on them to be; by default 0.1.",
            callback=between(0, 0.5),
            show_default=False,
            rich_help_panel=LEARNING,
        ),
    ] = None
    sampled: Annotated[
        bool,
        typer.Option(
            "--sampled",
            help="boost gives examples away with a probability, not with a weight.",
            rich_help_panel=LEARNING,
        ),
    ] = False
    bits: Annotated[
        int,
        typer.Option(
            help="2^bits weights, shared by hashing.", min=1, max=31, rich_help_panel=LEARNING
        ),
    ] = 18
    exact: Annotated[
        bool,
        typer.Option(
            "--exact", help="A weight for every feature instead.", rich_help_panel=LEARNING
        ),
    ] = False
    no_intercept: Annotated[
        bool,
        typer.Option("--no-intercept", help="No constant feature.", rich_help_panel=LEARNING),
    ] = False
    certify: Annotated[
        float | None,
        typer.Option(
            metavar="NORM",
            help="Certify the mean loss that no linear model of this norm can beat.",
            callback=positive,
            rich_help_panel=LEARNING,
        ),
    ] = None
    seed: Annotated[
        int, typer.Option(help="For learners that draw random numbers.", rich_help_panel=LEARNING)
    ] = 0

    def options(self, **others: Any) -> LearnerOptions:
        """All that a learner is made of, with what only one of the commands asks for."""
        if self.tau is not None and self.loss is not LossName.QUANTILE:
            loss = "without it" if self.loss is None else f"for {self.loss.value}"
            raise typer.BadParameter(f"--tau is for --loss quantile, and says nothing {loss}")
        return LearnerOptions(
            loss=self.loss and self.loss.value,
            tau=self.tau,
            sketch=self.sketch and self.sketch.value,
            size=self.size,
            alpha=self.alpha,
            kind=self.kind and self.kind.value,
            weak=self.weak,
            edge=self.edge,
            sampled=self.sampled,
            bits=self.bits,
            exact=self.exact,
            intercept=not self.no_intercept,
            certify=self.certify,
            seed=self.seed,
            **others,
        )
