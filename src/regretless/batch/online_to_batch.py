"""`online_to_batch`: Mohri et al. (2018), section 8.4 and Exercise 8.10; Shalev-Shwartz (2012),
section 5.
"""

import copy
import math
from collections.abc import Iterable, Iterator
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from regretless import streams
from regretless.arguments import one_of, positive, shown, whole, within
from regretless.batch import bounds
from regretless.batch.advice import as_learner
from regretless.batch.averages import Ensemble, WeightMean
from regretless.batch.judging import Example, Judge, Kept
from regretless.batch.predictor import Predictor
from regretless.evaluate.task import classifies
from regretless.linear.learner import LinearLearner
from regretless.randomness import generator

__all__ = ["online_to_batch"]

HOWS = ("average", "random", "last", "select", "validate", "amplify")


def online_to_batch(
    learner: Any,
    data: Any,
    how: str = "average",
    *,
    delta: float = 0.05,
    loss: Any = None,
    loss_bound: float = 1.0,
    seed: int = 0,
    holdout: float = 0.2,
    runs: int | None = None,
    copies: int = 32,
) -> Predictor:
    """Make one predictor of the hypotheses that an online learner has in one pass, and bound its risk.

    The hypothesis `h_t` predicts example t before it is learned. If examples are independent and all
    of one distribution, the losses suffered on the way tell what the hypotheses are worth on the next
    example, with nothing held out.

    With probability `1 - delta`, for losses in `[0, M]`, the risk of the predictor is at most:

    "average" : the mean of `h_1 .. h_T`, of their weights if linear, else of what they predict. Not
        for kernels other than "linear": `KernelPerceptron(average="survival")` is that mean itself.
        Mean loss `+ M sqrt(2 log(1 / delta) / T)`, and half of that, for a convex loss.
    "random" : one of `h_1 .. h_T`, drawn by `seed`. Nothing is known of the one that is drawn: the same
        bound is on the mean risk over all draws, for any loss, and is told as `mean_risk_bounds`.
    "last" : `h_{T+1}`. Nothing is known.
    "select" : the `h_i` of least mean loss from round i on plus penalty. That sum, for any loss.
    "validate" : the best of `h_1 .. h_{T+1}` and, if linear, their average, K in all, on m examples
        held out. Mean loss there `+ M sqrt(log(K / delta) / (2 m))`.
    "amplify" : the best of K averages, each of examples of its own, on m held out. The same.

    Parameters
    ----------
    learner : one of regretless or River: `learn_one`, `predict_one`, and `predict_proba_one` of a
        classifier. It is copied, not changed; what it knows before is its own affair. Or a player of
        `regretless.experts`: x is then what its experts forecast, and each of them suffers `loss`
        ("squared" by default), or, of `Halving` and its kin, what they vote, 0 or 1.
    data : what `streams.read` takes: pairs `(x, y)`, `(X, y)` with X an array or sparse matrix, a
        stream, a path. Importance weights are not used: all examples count the same in the theorems.
    how : see above.
    delta : in (0, 1), the probability that the bound may fail.
    loss : a name, one of `regretless.losses`, or a function of what `predict_one` says and of y.
        "zero_one" is 1 for a wrong label, "absolute" of a classifier 1 - probability of the right one.
        Default: "squared" of numbers and "zero_one" of labels, but for "average" it is "absolute" or,
        if linear, the learner's own loss, which are convex in what is averaged.
    loss_bound : M; whether a larger loss was seen is told in `assumptions`.
    seed : for "random".
    holdout : in (0, 1), the share held out, evenly spread ("validate", "amplify").
    runs : for "amplify"; by default as many as `delta` needs, `ceil(log2(2 / delta))`.
    copies : the learner is copied in each of the first `2 copies` rounds and then every `t // copies`
        rounds, t being the number so far; until the next, a copy is what plays. This bounds time and
        memory where hypotheses must be kept ("select", "validate", an average of what is not linear),
        and the theorems hold for what plays. With `copies >= T / 2` every `h_t` is kept.

    >>> from regretless import streams
    >>> from regretless.linear import LinearClassifier
    >>> pages = streams.bundled("phishing")
    >>> predictor = online_to_batch(LinearClassifier(), pages, "select")
    >>> predictor.loss, predictor.examples
    ('zero_one', 1250)
    >>> predictor.assumptions
    {'examples are independent and of one distribution': None, 'loss is in [0, 1]': True}
    >>> predictor.empirical < predictor.risk_bound < 0.4
    True
    """
    one_of(how, "how", HOWS)
    learner = as_learner(learner, loss)
    within(holdout, "holdout", "(0, 1)", ": it is a share of the examples")
    needed = bounds.runs_needed(delta)  # and a check of delta
    runs = needed if runs is None else whole(runs, "runs")
    judge = Judge(learner, loss, averaging=how == "average")
    run = _Pass(learner, judge, positive(loss_bound, "loss_bound"), delta, whole(copies, "copies"))
    if how in ("average", "amplify"):
        _check_averaging(run.learner, how)
    examples = iter(streams.read(data))
    match how:
        case "average":
            found = run.average(examples)
        case "random":
            found = run.random(examples, generator(seed, "round"))
        case "last":
            found = run.last(examples)
        case "select":
            found = run.select(examples)
        case "validate":
            found = run.validate(examples, holdout)
        case _:
            found = run.amplify(examples, holdout, runs)
    hypothesis, proved, theorem = found
    assumptions: dict[str, bool | None] = {
        "examples are independent and of one distribution": None,
        f"loss is in [0, {run.loss_bound:g}]": run.largest <= run.loss_bound,
    }
    if how == "average":
        assumptions["loss is convex in what is averaged"] = judge.convex
    return Predictor(
        hypothesis,
        how,
        run.rounds,
        run.total / run.rounds,
        proved,
        theorem,
        assumptions,
        float(delta),
        judge.name,
        run.loss_bound,
        run.learner,
        run.over_draws,
    )


Found = tuple[Any, dict[str, float], str]


class _Pass:
    """One pass: the learner, what it was charged, and the ways to make a predictor of it."""

    def __init__(
        self, learner: Any, judge: Judge, loss_bound: float, delta: float, copies: int
    ) -> None:
        self.learner: Any = copy.deepcopy(learner)
        self.judge, self.loss_bound, self.delta, self.copies = judge, loss_bound, delta, copies
        self.rounds, self.total, self.largest = 0, 0.0, 0.0
        self.over_draws: dict[str, float] = {}  # bounds on the mean risk of what is drawn from

    def charge(self, hypothesis: Any, x: Any, y: Any) -> float:
        """The loss of a hypothesis on an example, which is noted if it is the largest."""
        charged = self.judge(hypothesis, x, y)
        self.largest = max(self.largest, charged)
        return charged

    def charge_many(self, hypothesis: Any, kept: Kept, start: int = 0) -> NDArray[np.float64]:
        """The same for all examples kept, from `start` on."""
        charged = self.judge.many(hypothesis, kept, start)
        self.largest = max(self.largest, float(charged.max()))
        return charged

    def suffer(self, charged: float) -> None:
        """End a round in which this was lost."""
        self.rounds += 1
        self.total += charged

    def mean_bounds(self) -> dict[str, float]:
        if not self.rounds:
            raise ValueError("data is empty: there is nothing to learn from")
        return bounds.average_risk(
            self.total / self.rounds, self.rounds, self.delta, self.loss_bound
        )

    def weight_mean(self) -> WeightMean | None:
        linear = isinstance(self.learner, LinearLearner) and self.learner._is_linear
        return WeightMean(self.learner) if linear else None

    def average(self, examples: Iterable[Example]) -> Found:
        mean = self.weight_mean()
        if mean:
            for x, y in examples:
                self.suffer(self.charge(mean.add(), x, y))
                self.learner.learn_one(x, y)
            proved = self.mean_bounds()
            return mean.mean(), proved, "Mohri et al. (2018), Theorem 8.15"
        played: list[Any] = []
        counts: list[int] = []
        for playing, x, y in self.playing(examples):
            self.suffer(self.charge(playing, x, y))
            if not played or playing is not played[-1]:
                played.append(playing)
                counts.append(0)
            counts[-1] += 1
        proved = self.mean_bounds()
        return (
            Ensemble(played, counts, classifies(self.learner)),
            proved,
            "Mohri et al. (2018), Theorem 8.15",
        )

    def playing(self, examples: Iterable[Example]) -> Iterator[tuple[Any, Any, Any]]:
        """The copy that plays, and the example it plays on, which the learner learns afterwards."""
        due, playing = 1, None
        for t, (x, y) in enumerate(examples, 1):
            if t == due:
                playing = copy.deepcopy(self.learner)
                due = t + max(1, t // self.copies)
            yield playing, x, y
            self.learner.learn_one(x, y)

    def random(self, examples: Iterable[Example], rng: np.random.Generator) -> Found:
        drawn = None
        for x, y in examples:
            self.suffer(self.charge(self.learner, x, y))
            if rng.random() * self.rounds < 1.0:  # 1 / t: each of h_1 .. h_t is as likely
                drawn = copy.deepcopy(self.learner)
            self.learner.learn_one(x, y)
        self.over_draws = self.mean_bounds()
        return (
            drawn,
            {},
            "Mohri et al. (2018), Lemma 8.14, of the mean over all draws, not of the one that was made",
        )

    def last(self, examples: Iterable[Example]) -> Found:
        for x, y in examples:
            self.suffer(self.charge(self.learner, x, y))
            self.learner.learn_one(x, y)
        self.mean_bounds()
        return self.learner, {}, "none: the losses on the way do not tell of the last hypothesis"

    def select(self, examples: Iterable[Example]) -> Found:
        played: list[Any] = []
        first: list[int] = []
        kept: list[Example] = []
        for playing, x, y in self.playing(examples):
            if not played or playing is not played[-1]:
                played.append(playing)
                first.append(len(kept))
            kept.append((x, y))
        best, least = None, math.inf
        told = Kept(self.learner, kept)
        for hypothesis, (start, stop) in zip(played, pairwise([*first, len(kept)])):
            charged = self.charge_many(hypothesis, told, start)
            for each in charged[: stop - start].tolist():
                self.suffer(each)
            # the same hypothesis in rounds start .. stop - 1, each judged on all that came from there
            ahead = np.cumsum(charged[::-1])[::-1]
            for i in range(stop - start):
                tested = len(charged) - i
                allowance = bounds.penalty(tested, len(kept), self.delta, self.loss_bound)
                if ahead[i] / tested + allowance < least:
                    best, least = hypothesis, float(ahead[i] / tested + allowance)
        self.mean_bounds()
        proved = bounds.selected_risk(
            self.total / self.rounds, least, self.rounds, self.delta, self.loss_bound
        )
        return best, proved, "Mohri et al. (2018), Exercise 8.10"

    def validate(self, examples: Iterable[Example], holdout: float) -> Found:
        held: list[Example] = []
        candidates: list[Any] = []
        mean = self.weight_mean()
        for playing, x, y in self.playing(_without(examples, holdout, held)):
            self.suffer(self.charge(playing, x, y))
            if mean:
                mean.add()
            if not candidates or playing is not candidates[-1]:
                candidates.append(playing)
        self.mean_bounds()
        candidates += [self.learner, *([mean.mean()] if mean else [])]
        best, proved = self.best(candidates, held)
        return (
            candidates[best],
            proved,
            "Shalev-Shwartz (2012), section 5, by Hoeffding's inequality",
        )

    def best(self, candidates: list[Any], held: list[Example]) -> tuple[int, dict[str, float]]:
        """The candidate of least mean loss on the examples held out, and the bound on its risk."""
        if not held:
            raise ValueError("no example was held out: data is too short for holdout=")
        told = Kept(self.learner, held)
        means = [float(self.charge_many(each, told).mean()) for each in candidates]
        least = min(means)
        proved = bounds.validated_risk(
            least, len(held), len(candidates), self.delta, self.loss_bound
        )
        return means.index(least), proved

    def amplify(self, examples: Iterable[Example], holdout: float, runs: int) -> Found:
        held: list[Example] = []
        parts: list[list[Example]] = [[] for _ in range(runs)]
        for t, example in enumerate(_without(examples, holdout, held)):
            parts[t % runs].append(example)
        if not parts[-1]:
            raise ValueError(f"runs={runs}: there are too few examples for one each")
        passes = [
            _Pass(self.learner, self.judge, self.loss_bound, self.delta, self.copies) for _ in parts
        ]
        averages = [run.average(part)[0] for run, part in zip(passes, parts)]
        best, proved = self.best(averages, held)
        chosen = passes[best]
        self.learner, self.rounds, self.total = chosen.learner, chosen.rounds, chosen.total
        self.largest = max(self.largest, *(run.largest for run in passes))
        return averages[best], proved, "Shalev-Shwartz (2012), section 5, by Hoeffding's inequality"


def _check_averaging(learner: Any, how: str) -> None:
    """Refuse a kernel without weights of features: copies for an average would hold all examples."""
    if not isinstance(learner, LinearLearner) or learner._is_linear:
        return
    from regretless.linear.kernel_perceptron import KernelPerceptron

    if isinstance(learner, KernelPerceptron):
        raise ValueError(
            f"how={how!r} averages the weights of features, which {shown(learner)} has not; use "
            "how='select' or how='random', or how='last' with average='survival' of the learner, "
            "which predicts with that average"
        )


def _without(examples: Iterable[Example], share: float, held: list[Example]) -> Iterator[Example]:
    """The examples but for a share of them, evenly spread, which is put into `held`."""
    for t, example in enumerate(examples):
        if math.floor((t + 1) * share) > math.floor(t * share):
            held.append(example)
        else:
            yield example
