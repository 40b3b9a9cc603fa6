"""The options that say how to learn, which `train` and `compare` share."""

from dataclasses import dataclass
from typing import Annotated, Any

import typer

from regretless.cli.learners import Kind, LearnerOptions, LossName, Sketch
from regretless.cli.options import between, certified, learning_option, norms, positive


@dataclass(frozen=True, kw_only=True)
class LearningOptions:
    """The options as they are typed."""

    loss: Annotated[
        LossName | None,
        learning_option(
            help="By default logistic, or squared if the labels are numbers that are not all whole; "
            "whole numbers with many values need it, or --classes."
        ),
    ] = None
    classes: Annotated[
        bool,
        learning_option(
            "--classes", help="Make a label of each number, however many values there are."
        ),
    ] = False
    tau: Annotated[
        float | None,
        learning_option(
            help="Which quantile --loss quantile predicts; by default 0.5, the median.",
            callback=between(0, 1),
        ),
    ] = None
    sketch: Annotated[
        Sketch | None,
        learning_option(help="How newton keeps the directions of large gradients; by default oja."),
    ] = None
    size: Annotated[
        int | None,
        learning_option(help="How many directions newton keeps; by default 10.", min=0, max=1000),
    ] = None
    alpha: Annotated[
        float | None,
        learning_option(
            help="newton's inverse step; by default several are mixed.", callback=positive
        ),
    ] = None
    kind: Annotated[
        Kind | None,
        learning_option(help="How boost combines its weak learners; by default adaboost-ol."),
    ] = None
    weak: Annotated[
        int | None,
        learning_option(help="How many weak learners boost has; by default 20.", min=1, max=10_000),
    ] = None
    edge: Annotated[
        float | None,
        learning_option(
            help="How much better than 1/2 boost may count on them to be; by default 0.1.",
            callback=between(0, 0.5),
        ),
    ] = None
    sampled: Annotated[
        bool,
        learning_option(
            "--sampled", help="boost gives examples away with a probability, not with a weight."
        ),
    ] = False
    bits: Annotated[
        int,
        learning_option(help="2^bits weights, shared by hashing.", min=1, max=31),
    ] = 18
    exact: Annotated[
        bool,
        learning_option("--exact", help="A weight for every feature instead."),
    ] = False
    no_intercept: Annotated[
        bool,
        learning_option("--no-intercept", help="No constant feature."),
    ] = False
    certify: Annotated[
        str | None,
        learning_option(
            metavar="NORM,...",
            help="Prove which mean loss no linear model of this norm, or these, could have gone below; "
            "features are measured in units of their largest size.",
            callback=certified,
        ),
    ] = None
    seed: Annotated[int, learning_option(help="For learners that draw random numbers.")] = 0

    def options(self, **others: Any) -> LearnerOptions:
        """All that a learner is made of, with what only one of the commands asks for."""
        if self.tau is not None and self.loss is not LossName.QUANTILE:
            loss = "without it" if self.loss is None else f"for {self.loss.value}"
            raise typer.BadParameter(f"--tau is for --loss quantile, and says nothing {loss}")
        return LearnerOptions(
            loss=self.loss and self.loss.value,
            classes=self.classes,
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
            certify=None if self.certify is None else norms(self.certify),
            seed=self.seed,
            **others,
        )
