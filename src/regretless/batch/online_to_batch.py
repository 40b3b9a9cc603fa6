"""A pass of an online learner made into one predictor: `online_to_batch`.

Mohri et al. (2018), section 8.4 and Exercise 8.10; Shalev-Shwartz (2012), section 5.
"""

import copy
import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from regretless import losses, streams
from regretless.base.arguments import Array, one_of, positive, shown, whole, within
from regretless.base.classifier import Labels
from regretless.base.learner import Learner
from regretless.base.randomness import generator
from regretless.base.rows import Parsed
from regretless.batch.predictor import (
    MeanPredictor,
    Predictor,
    WeightMean,
    as_dict,
    average_risk,
    penalty,
    relaned,
    runs_needed,
    selected_risk,
    validated_risk,
)
from regretless.evaluate.validation import classifies

# --- expert players as learners: an example is what the experts say, and the truth ----------------


def as_learner(player: Any, loss: Any) -> Any:
    """The learner itself, or one made of an expert player, whose experts suffer `loss`.

    >>> from regretless.experts import Hedge
    >>> learner = as_learner(Hedge(2, rate=1.0), "squared")
    >>> learner.learn_one([0.0, 1.0], 1.0)
    >>> learner.predict_one([0.0, 1.0]) > 0.7
    True
    """
    if hasattr(player, "learn_one") and hasattr(player, "predict_one"):
        return player
    if hasattr(player, "predict") and hasattr(player, "update") and hasattr(player, "n"):
        return AdvisedVoter(player)
    if hasattr(player, "weights") and hasattr(player, "update") and hasattr(player, "n"):
        return Forecaster(player, loss)
    raise ValueError(
        f"learner={shown(player)} has no learn_one and predict_one; use one of regretless or River, "
        "or an expert player"
    )


class _Advised:
    def __init__(self, player: Any) -> None:
        self.player = player

    def _advice(self, x: Any) -> Array:
        """The advice of each expert; an expert that is missing in the row says 0."""
        names = self.player.names or range(self.player.n)
        told = as_dict(x)
        unknown = next((name for name in told if name not in names), None)
        if unknown is not None:
            raise ValueError(f"x has advice of {shown(unknown)}, which is not one of the experts")
        return np.array([told.get(name, 0.0) for name in names], np.float64)


class Forecaster(_Advised):
    """Forecasts the mean of the forecasts of experts, by a player's weights."""

    def __init__(self, player: Any, loss: Any) -> None:
        super().__init__(player)
        plain = callable(loss) and not isinstance(loss, losses.Loss)
        self._loss = loss if plain else losses.get("squared" if loss is None else loss).value

    def predict_one(self, x: Any) -> float:
        """The weighted mean of the forecasts."""
        return float(np.dot(self.player.weights, self._advice(x)))

    def learn_one(self, x: Any, y: float) -> None:
        """Tell the player the loss of each expert."""
        self.player.update([float(self._loss(each, float(y))) for each in self._advice(x)])


class AdvisedVoter(_Advised):
    """Predicts the label 0 or 1 by a player that weighs the votes of experts."""

    def predict_one(self, x: Any) -> int:
        """The player's vote."""
        return int(self.player.predict(self._advice(x)))

    def predict_proba_one(self, x: Any) -> dict[int, float]:
        """Put all probability on the player's vote."""
        vote = self.predict_one(x)
        return {vote: 1.0, 1 - vote: 0.0}

    def learn_one(self, x: Any, y: int) -> None:
        """Tell the player the votes and the label."""
        self.player.update(self._advice(x), y)


# --- what a hypothesis is charged for an example --------------------------------------------------

Example = tuple[Any, Any]


class KeptHypotheses:
    """Examples to judge many hypotheses by; linear learners are shown all of them at once."""

    def __init__(self, learner: Any, examples: Sequence[Example]) -> None:
        self.examples = examples
        self.batch: Parsed | None = None
        if isinstance(learner, Learner):
            form = learner.form()
            parsed = form.examples()
            for x, _ in examples:
                parsed.add(x)
            self.batch = Parsed(parsed, 0, len(examples))


class Judge:
    """The loss of a hypothesis on an example, and whether it is convex in what is averaged.

    Averages are of scores for linear classifiers, of probabilities for others, and of numbers for
    regressors. `convex` is None if a function of the user makes it unknown.
    """

    def __init__(self, learner: Any, loss: Any, *, averaging: bool) -> None:
        self._linear = isinstance(learner, Learner)
        self._labels = classifies(learner)
        self._loss = self._default(learner, averaging) if loss is None else loss
        self.convex: bool | None
        if callable(self._loss) and not isinstance(self._loss, losses.Loss):
            self.name, self.convex = getattr(self._loss, "__name__", repr(self._loss)), None
            self._charge: Callable[[Any, Any, Any], float] = self._by_function
            return
        self._loss = losses.get(self._loss)
        self.name = self._loss.name
        self._charge, self.convex = self._chosen(self._loss, learner)

    def __call__(self, hypothesis: Any, x: Any, y: Any) -> float:
        """The loss of the prediction of `hypothesis` for `x` when `y` is the truth."""
        charged = self._charge(hypothesis, x, y)
        if not charged >= 0:
            raise ValueError(
                f"loss={self.name} is {charged} at y={shown(y)}: it must not be negative"
            )
        return charged

    def many(self, hypothesis: Any, kept: KeptHypotheses, start: int = 0) -> Array:
        """The losses of a hypothesis on the examples from `start` on."""
        examples = kept.examples[start:]
        if isinstance(hypothesis, Learner) and kept.batch is not None:
            told: Any = hypothesis
            batch = kept.batch[start:]
            if self._charge is _wrong:
                known = told._labels.labels
                said = told.predict(batch).tolist() if known else [None] * len(examples)
                return np.array([float(one != y) for one, (_, y) in zip(said, examples)])
            if not self._labels and isinstance(self._loss, losses.Loss):
                targets = np.array([y for _, y in examples], np.float64)
                return self._loss.value(told.predict(batch), targets)
        return np.array([self(hypothesis, x, y) for x, y in examples])

    def _default(self, learner: Any, averaging: bool) -> Any:
        if not self._labels:
            return "squared"
        if not averaging:
            return "zero_one"
        if not self._linear:
            return "absolute"
        own, _, _ = learner._parts()
        # the Perceptron's jumps at 0, and is the hinge loss where it is not 0
        return losses.Hinge() if isinstance(own, losses.Perceptron) else own

    def _chosen(
        self, loss: losses.Loss, learner: Any
    ) -> tuple[Callable[[Any, Any, Any], float], bool]:
        if not self._labels:
            if loss.classification:
                raise ValueError(
                    f"loss={loss.name!r} is for labels, but {shown(learner)} predicts numbers"
                )
            return self._by_number, True
        if isinstance(loss, losses.ZeroOne):
            return _wrong, False
        if isinstance(loss, losses.Absolute):
            return _missed, not self._linear  # linear in the probability, not convex in the score
        if self._linear and loss.classification:
            return self._by_score, not isinstance(loss, losses.Perceptron)
        if isinstance(loss, losses.Logistic):
            return _surprise, True
        allowed = "zero_one, absolute (1 - probability) or logistic"
        raise ValueError(
            f"loss={loss.name!r} needs scores, which {shown(learner)} lacks: use {allowed}"
        )

    def _by_function(self, hypothesis: Any, x: Any, y: Any) -> float:
        return float(self._loss(hypothesis.predict_one(x), y))

    def _by_number(self, hypothesis: Any, x: Any, y: Any) -> float:
        # a learner that has seen nothing may say None
        return float(self._loss.value(float(hypothesis.predict_one(x) or 0.0), float(y)))

    def _by_score(self, hypothesis: Any, x: Any, y: Any) -> float:
        """The loss that the learner charges itself: with three or more labels, the sum of all lanes."""
        labels: Labels = hypothesis._labels
        scores = np.atleast_1d(np.asarray(hypothesis.decision_one(x), np.float64))
        if y not in labels.index:
            labels = Labels(labels.labels)
            scores = relaned(scores, labels.lanes(labels.check(y)))
            labels.add(labels.check(y))
        targets = np.full(len(scores), -1.0)
        k = labels.index[y]
        if len(scores) > 1 or k == 1:  # two labels share a lane, which is about the second
            targets[k if len(scores) > 1 else 0] = 1.0
        return float(np.sum(self._loss.value(scores, targets)))


def _wrong(hypothesis: Any, x: Any, y: Any) -> float:
    return float(hypothesis.predict_one(x) != y)


def _missed(hypothesis: Any, x: Any, y: Any) -> float:
    """The probability given to other labels: the chance to be wrong when drawing a label by it."""
    return max(0.0, 1.0 - float(hypothesis.predict_proba_one(x).get(y, 0.0)))


def _surprise(hypothesis: Any, x: Any, y: Any) -> float:
    return -math.log(min(1.0, max(hypothesis.predict_proba_one(x).get(y, 0.0), 1e-15)))


# --- `online_to_batch`: Mohri et al. (2018), section 8.4 and Exercise 8.10; Shalev-Shwartz --------

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
    """Turn one pass of an online learner into a single predictor, with a bound on its risk.

    The hypothesis `h_t` predicts example t before it is learned. If examples are independent and all
    of one distribution, the losses suffered on the way estimate the risks of the hypotheses, without
    held-out examples.

    With probability `1 - delta`, for losses in `[0, M]`, the risk of the predictor is at most:

    "average" : the mean of `h_1 .. h_T`, of their weights if linear, else of what they predict. Not
        for kernels other than "linear": `KernelPerceptron(average="survival")` is that mean itself.
        Mean loss `+ M sqrt(2 log(1 / delta) / T)`, and half of that, for a convex loss.
    "random" : one of `h_1 .. h_T`, drawn by `seed`. The same bound, for any loss, is on the
        mean risk over all draws, not on that of the one drawn: see `mean_risk_bounds`.
    "last" : `h_{T+1}`. A bound on its risk is not known.
    "select" : the `h_i` of least mean loss from round i on plus penalty. That sum, for any loss.
    "validate" : the best of `h_1 .. h_{T+1}` and, if linear, their average, K in all, on m examples
        held out. Mean loss there `+ M sqrt(log(K / delta) / (2 m))`.
    "amplify" : the best of K averages, each of examples of its own, on m held out. The same.

    Parameters
    ----------
    learner : one of regretless or River: `learn_one`, `predict_one`, and `predict_proba_one` of a
        classifier. It is copied, not changed, and may have learned before. Or a player of
        `regretless.experts`: x then has the forecasts of its experts, each of which suffers `loss`
        ("squared" by default), or, for voters such as `Halving`, their votes, 0 or 1.
    data : what `streams.read` takes: pairs `(x, y)`, `(X, y)` with X an array or sparse matrix, a
        stream, a path. Importance weights are not used: all examples count the same in the theorems.
    how : see above.
    delta : in (0, 1), the probability that the bound may fail.
    loss : a name, one of `regretless.losses`, or a function of the prediction of `predict_one` and of y.
        "zero_one" is 1 for a wrong label, "absolute" of a classifier 1 - probability of the right one.
        Default: "squared" of numbers and "zero_one" of labels, but for "average" it is "absolute" or,
        if linear, the learner's own loss, which are convex in what is averaged.
    loss_bound : M; `assumptions` says whether a larger loss was seen.
    seed : for "random".
    holdout : in (0, 1), the share held out, evenly spread ("validate", "amplify").
    runs : for "amplify"; by default as many as `delta` needs, `ceil(log2(2 / delta))`.
    copies : the learner is copied in each of the first `2 copies` rounds and then every `t // copies`
        rounds, t being the number so far; a copy plays until the next one. This bounds time and
        memory where hypotheses must be kept ("select", "validate", an average of nonlinear learners),
        and the theorems hold for the copies that play. With `copies >= T / 2` every `h_t` is kept.

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
    needed = runs_needed(delta)  # and a check of delta
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
    """One pass: the learner, its losses, and the ways to make a predictor of it."""

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

    def charge_many(self, hypothesis: Any, kept: KeptHypotheses, start: int = 0) -> Array:
        """The losses of a hypothesis on all examples kept, from `start` on."""
        charged = self.judge.many(hypothesis, kept, start)
        self.largest = max(self.largest, float(charged.max()))
        return charged

    def suffer(self, charged: float) -> None:
        """End a round with this loss."""
        self.rounds += 1
        self.total += charged

    def mean_bounds(self) -> dict[str, float]:
        if not self.rounds:
            raise ValueError("data is empty: there is nothing to learn from")
        return average_risk(self.total / self.rounds, self.rounds, self.delta, self.loss_bound)

    def weight_mean(self) -> WeightMean | None:
        linear = isinstance(self.learner, Learner) and self.learner.is_linear
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
            MeanPredictor(played, counts, classifies(self.learner)),
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
        return self.learner, {}, "none: the losses do not bound the last risk"

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
        told = KeptHypotheses(self.learner, kept)
        for hypothesis, (start, stop) in zip(played, pairwise([*first, len(kept)])):
            charged = self.charge_many(hypothesis, told, start)
            for each in charged[: stop - start].tolist():
                self.suffer(each)
            # the same hypothesis in rounds start .. stop - 1, each judged on all that came from there
            ahead = np.cumsum(charged[::-1])[::-1]
            for i in range(stop - start):
                tested = len(charged) - i
                allowance = penalty(tested, len(kept), self.delta, self.loss_bound)
                if ahead[i] / tested + allowance < least:
                    best, least = hypothesis, float(ahead[i] / tested + allowance)
        self.mean_bounds()
        proved = selected_risk(
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
        told = KeptHypotheses(self.learner, held)
        means = [float(self.charge_many(each, told).mean()) for each in candidates]
        least = min(means)
        proved = validated_risk(least, len(held), len(candidates), self.delta, self.loss_bound)
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
    if not isinstance(learner, Learner) or learner.is_linear:
        return
    from regretless.linear.kernel_perceptron import KernelPerceptron

    if isinstance(learner, KernelPerceptron):
        raise ValueError(
            f"how={how!r} averages the weights of features, which {shown(learner)} lacks; use "
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
