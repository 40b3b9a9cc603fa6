"""Players for any losses, which weigh arms by estimated losses: Exp3, Exp3-IX, Exp4, Tsallis-INF."""

import math
from typing import Any, ClassVar

import numpy as np

from regretless import _core
from regretless.bandits.environments import KeptLosses
from regretless.bandits.player import ArmPlayer
from regretless.bandits.run import BanditRun, mixture
from regretless.base.arguments import (
    Array,
    distributions,
    named_or,
    one_of,
    positive,
    whole,
    within,
)
from regretless.base.columns import names_of
from regretless.base.options import option, options_of
from regretless.base.waiting import check_settled
from regretless.certificates import Certificate

# --- players that draw an arm by its weight, and the inequality of every run ----------------------

_EPS = float(np.finfo(float).eps)


class WeightedPlayer(ArmPlayer):
    """A player that learns from unbiased estimates z of the losses of all arms."""

    _regularised: ClassVar[str]  # the theorem behind the inequality of every run

    @property
    def regrets(self) -> Array:
        """The estimated regret to each arm: loss suffered less its estimated loss, while available."""
        return self._width * self._engine.figures

    def regret(self, comparator: Any = None) -> float:
        """The estimated regret to the best arm, by the estimates, or to `comparator`.

        Its mean over the draws is the regret itself, or more for the best arm. Parameters:
        `comparator`, "best" (default), the number of an arm (of an expert, for `Exp4`), or a
        distribution over them.
        """
        regrets = self.regrets
        return float(mixture(comparator, -regrets, self._compared_with) @ regrets)

    def certificate(self, comparator: Any = None) -> Certificate:
        """The regret inequality on the estimated losses, which holds in every run.

        Its `regret` is `regret(comparator)`: `sum y_t - z_t[i]` over the rounds in which arm i was
        there. "pathwise" bounds it with what was paid in this run: it holds surely, whatever the
        losses, the delays, and the arms that came and went. For what holds in the mean see
        `expectation()`. Parameters: see `regret`.
        """
        regrets = self.regrets
        u = mixture(comparator, -regrets, self._compared_with)
        regret, bounds = float(u @ regrets), self._pathwise()
        suffered = self._width * float(self._engine.losses.sum())
        if self._estimates_are_positive:
            bounds["trivial"] = suffered
        terms = 2.0 * suffered + abs(regret) + min(bounds.values())
        return Certificate(
            self.rounds,
            regret,
            bounds,
            self._regularised,
            {"losses are in their range": True},
            self._words(comparator, u),
            int(np.argmax(u)) if u.max() == 1.0 else u,
            4.0 * _EPS * (self.rounds + len(u)) * terms,
        )

    def _words(self, comparator: Any, u: Array) -> str:
        kind = self._compared_with
        if u.max() < 1.0:
            return f"the distribution {u} over the {kind}s, by their estimated losses"
        best = comparator is None or isinstance(comparator, str)
        return f"{f'the best {kind}, ' if best else ''}{kind} {np.argmax(u)}, by estimated losses"

    def _pathwise(self) -> dict[str, float]:
        engine = self._engine
        bound = self._penalty() + engine.paid + engine.drift if self.rounds else 0.0
        return {"pathwise": self._width * bound}

    @property
    def _estimates_are_positive(self) -> bool:
        """Whether no estimate is negative, so that no arm has a negative total loss."""
        return True

    def _penalty(self) -> float:
        """The part of the bound that is due to the regulariser, if the core does not count it."""
        return 0.0


def log_of(n: int) -> float:
    """The logarithm of the number of arms, and that of 2 for a single one.

    >>> log_of(1) == log_of(2)
    True
    """
    return math.log(max(n, 2))


# --- Exp3: exponential weights on losses estimated from one arm a round ---------------------------

# Shalev-Shwartz (2012), section 4.2.


class Exp3(WeightedPlayer):
    """Exponential weights without exploration: `p_i ~ e^{-eta S_i}`, S the sums of estimated losses.

    The estimate of a round is `z_A = loss / p_A` for the arm chosen and 0 for the others. In every run,
    whatever the losses, and for every arm i (Shalev-Shwartz (2012), Theorem 2.22 on the estimates)

        sum loss - sum z_t[i]  <=  ln n / eta_T + sum (eta_t / 2) loss_t^2 / p_t

    which is `certificate()`. In the mean over the draws the left is the regret, and the right at most

        ln n / eta_T + (n / 2) sum eta_t

    which is `expectation()` ("dual"; "forel" is Corollary 4.2 as it is printed, with n for n / 2;
    "luo" that of Algorithm 24, `(ln n + T ln(cosh eta + n eta^2 e^eta / 2)) / eta`). With a horizon
    that is `sqrt(2 n T ln n)`, otherwise `2 sqrt(n T ln n)`. Sums are kept small and weights above
    1e-300, so that the player can play 10^8 rounds.

    If arms come and go, an arm that is away counts as if it had lost as much as the player, so that the
    regret to it counts only the rounds in which it is available, and the inequality is the same. With
    delays, the weights q at the time when the loss comes take the place of p, and the measured
    `sum loss - <q, z>` is added.

    >>> bandit = Exp3(3, rate=0.2, seed=1)
    >>> arm = bandit.act()
    >>> bandit.update(0.6)
    >>> arm, bandit.probabilities.round(10)
    (1, array([0.37068939, 0.25862121, 0.37068939]))
    >>> bandit.certificate().holds
    True
    """

    rate: str | float = option(
        named_or,
        ("anytime", "horizon", "shalev-shwartz", "luo"),
        positive,
        default="anytime",
        text="""of losses in [0, 1]. "anytime": `eta_t = sqrt(ln n / (n t))`; for `horizon` rounds
        "horizon": `sqrt(2 ln n / (n T))`, "shalev-shwartz": `sqrt(ln n / (n T))`, or "luo":
        `sqrt(2 ln n / (T (1 + n sqrt e)))`; or a number""",
    )
    horizon: int | None = option(whole, default=None, text="how many rounds there will be")

    _theorem = "Shalev-Shwartz (2012), Corollary 4.2; Luo (2016), Theorem 21"
    _regularised = "Shalev-Shwartz (2012), Theorem 2.22, on the estimates that were drawn"

    def __post_init__(self) -> None:
        fixed = options_of(type(self))["rate"].limits[0][1:]  # all but "anytime"
        if (self.rate in fixed) != (self.horizon is not None):
            if self.horizon is None:
                raise ValueError(f"rate={self.rate!r} needs horizon=, the number of rounds")
            needed = " or ".join(f"rate={each!r}" for each in fixed)
            raise ValueError(f"horizon={self.horizon} needs {needed}, not rate={self.rate!r}")
        super().__post_init__()

    def _start(self) -> _core.Arms:
        return _core.exp3(*self._common, self._eta, self.rate == "anytime", 0.0)

    @property
    def _choices(self) -> int:
        """The number of weights."""
        return self.n

    @property
    def _eta(self) -> float:
        """The rate, or the rate of the first round if it falls."""
        if not isinstance(self.rate, str):
            return self.rate
        n, T, log = self.n, self.horizon or 1, log_of(self._choices)
        if self.rate == "luo":
            return math.sqrt(2.0 * log / (T * (1.0 + n * math.exp(0.5))))
        return math.sqrt((2.0 if self.rate == "horizon" else 1.0) * log / (n * T))

    def _rate_of_more(self) -> float:
        return self._eta

    def _last_rate(self, rounds: Array) -> Array:
        """The rate of the last round, if there are so many rounds."""
        rate, now = self._engine.rate, self.rounds + 1
        return np.asarray(rate * np.sqrt((now if self.rate == "anytime" else rounds) / rounds))

    def _rates(self, rounds: Array) -> Array:
        """An upper bound on the sum of the rates: sum 1 / sqrt(t) <= 2 sqrt(T) - 1."""
        first = self._last_rate(np.ones(1))
        return np.asarray(
            first * (2.0 * np.sqrt(rounds) - 1.0 if self.rate == "anytime" else rounds)
        )

    def _penalty(self) -> float:
        return math.log(self._choices) / float(self._last_rate(np.array(float(self.rounds))))

    def _expected(self, rounds: Array, gaps: Array | None) -> dict[str, Array]:
        start = math.log(self.n) / self._last_rate(rounds)
        paid = self.n * self._rates(rounds)
        bounds = {"dual": start + paid / 2.0, "forel": start + paid}
        if self.rate != "anytime":
            eta = self._engine.rate
            growth = (
                math.cosh(eta) + 0.5 * self.n * eta**2 * math.exp(eta) if eta < 300 else math.inf
            )
            bounds["luo"] = start + rounds / eta * math.log(growth)
        return bounds


# --- Exp3-IX: implicit exploration, for a small regret with high probability ----------------------

_OBLIVIOUS: dict[str, bool | None] = {"losses are fixed in advance": None}


class Exp3IX(Exp3):
    """`Exp3` that divides a loss by `p + gamma`: estimates are a little low, and never very large.

    With `gamma_t = eta_t / 2`, for every delta with probability `1 - delta`, to all arms at once,

        regret  <=  2 ln n / eta_T + n sum eta_t + (1 / eta_T + 1) ln(2 / delta)

    for losses that are fixed in advance (Neu (2015), Theorem 1, whose proof gives this): with a
    horizon `2 sqrt(2 n T ln n) + (sqrt(n T / (2 ln n)) + 1) ln(2 / delta)`. Estimates of a fixed
    arm exceed its losses by `ln(n / delta) / (2 gamma_T)` at most with that probability (his
    Corollary 1); added to `certificate()`, which holds surely, this is a bound by what was
    measured. Both are `high_probability()`.

    >>> bandit = Exp3IX(3, rate="horizon", horizon=1000)
    >>> run = bandit.run([[0.2, 0.5, 0.9]] * 1000)
    >>> certificate = bandit.high_probability(delta=0.01)
    >>> round(run.regret()), {name: round(b) for name, b in certificate.bounds.items()}
    (52, {'measured': 270, 'promised': 363, 'trivial': 1000})
    """

    rate: str | float = option(
        named_or,
        ("anytime", "horizon"),
        positive,
        default="anytime",
        text="""of losses in [0, 1]. "anytime": `eta_t = sqrt(ln n / (n t))`; "horizon": `sqrt(2 ln
        n / (n T))`; or a number""",
    )
    gamma: float | None = option(
        positive, default=None, text="needs a rate that is a number; None is half of the rate"
    )
    delta: float = option(
        within,
        "(0, 1)",
        default=0.05,
        text="the probability with which a bound may fail, also those of runs",
    )

    _theorem = "Neu (2015), Theorem 1"

    def __post_init__(self) -> None:
        if self.gamma is not None and isinstance(self.rate, str):
            raise ValueError(
                f"gamma={self.gamma} and rate={self.rate!r}: give the rate as a number too"
            )
        super().__post_init__()

    @property
    def _implicit(self) -> float:
        """The ratio of gamma to the rate."""
        return 0.5 if self.gamma is None else self.gamma / self._eta

    def _start(self) -> _core.Arms:
        return _core.exp3(*self._common, self._eta, self.rate == "anytime", self._implicit)

    def _expected(self, rounds: Array, gaps: Array | None) -> dict[str, Array]:
        # a regret that exceeds a + b x with probability 2 e^-x has a mean of at most a + b (ln 2 + 1)
        return {"promised": self._but_for(rounds, math.log(2.0) + 1.0)}

    def _but_for(self, rounds: Array, likely: float) -> Array:
        """A bound that the regret exceeds with probability at most `2 e^-likely`."""
        # sums of a_t (z_ti - loss_ti) over rounds and arms exceed max(a_t / (2 gamma_t)) ln(1 / delta)
        # with probability delta at most (Neu's Lemma 1), here a = eta / 2 + gamma for all arms
        share, eta = self._implicit, self._last_rate(rounds)
        paid = (0.5 + share) * self.n * self._rates(rounds)
        extra = max(1.0, (0.5 + share) / (2.0 * share)) * likely
        low = (math.log(self.n) + likely) / (2.0 * share * eta)
        return np.asarray(math.log(self.n) / eta + paid + extra + low)

    def _with_probability(self, rounds: Array) -> Array:
        return self._width * self._but_for(rounds, math.log(2.0 / self.delta))

    def high_probability(self, delta: float | None = None) -> Certificate:
        """Bounds on the regret to all arms at once, each with probability `1 - delta`.

        "measured" by what was paid in this run, "promised" beforehand. `regret` is None: what is seen
        does not tell it. `run.certificate()` has both for the rounds of a run, beside its regret.
        """
        other = self if delta is None else self.copy()
        if delta is not None:
            other.delta = within(delta, "delta", "(0, 1)")
        bounds = {"nothing played": 0.0}
        if self.rounds:
            bounds = {"measured": self._pathwise()["pathwise"] + other._luck()}
            if False not in self._conditions.values():
                bounds["promised"] = float(
                    other._with_probability(np.array([float(self.rounds)]))[0]
                )
            bounds["trivial"] = self._width * self.rounds
        return Certificate(
            self.rounds,
            None,
            bounds,
            other._likely,
            _OBLIVIOUS,
            "all arms at once, of their losses",
        )

    def _luck(self) -> float:
        """A bound that the estimates of an arm exceed its losses by with probability at most delta."""
        eta = float(self._last_rate(np.array(float(self.rounds))))
        return self._width * math.log(self.n / self.delta) / (2.0 * self._implicit * eta)

    @property
    def _likely(self) -> str:
        return f"{self._theorem}, with probability {1 - self.delta:g}"

    def _realised(
        self, run: BanditRun, u: Array
    ) -> tuple[dict[str, float], str, dict[str, bool | None]] | None:
        if self._engine.slept or not run.rounds:  # estimates of sleeping arms are not of losses
            return None
        carried = float(u @ run.before.regrets)  # the inequality is about all rounds
        bounds = {"measured": self._pathwise()["pathwise"] - carried + self._luck()}
        curve = self._realised_curve(run, u)
        if curve is not None:
            bounds["promised"] = float(curve[-1])
        return bounds, self._likely, _OBLIVIOUS

    def _realised_curve(self, run: BanditRun, u: Array) -> Array | None:
        if run.before.rounds or False in self._conditions.values():
            return None
        return self._with_probability(np.arange(1.0, run.rounds + 1.0))


# --- Exp4: experts advise which arm to choose -----------------------------------------------------

# Auer, Cesa-Bianchi, Freund and Schapire (2002).


class Exp4(Exp3):
    """`Exp3` among experts, each of whom gives a distribution over the arms in every round.

    An arm is drawn from the mean advice p, weighted by `q_m ~ e^{-eta S_m}`. The estimated loss of
    expert m is `z_m = advice_m[A] loss / p_A`, S are the sums. In every run, for every expert,

        sum loss - sum z_m  <=  ln M / eta_T + sum (eta_t / 2) sum_m q_m z_m^2

    and in the mean over the draws the regret to the best expert is at most
    `ln M / eta_T + (n / 2) sum eta_t`, since `sum_m q_m z_m^2 <= loss^2 / p_A`: with a horizon
    `sqrt(2 n T ln M)`. The text mixes in exploration; this class does not. `regrets` are to the experts.

    If some arms are not available, the advice of each expert is restricted to the others; an expert who
    advises none of these counts as one who advises all of them alike.

    >>> bandit = Exp4(3, 2, rate=0.5, seed=0)
    >>> bandit.act([[0.8, 0.2, 0.0], [0.0, 0.0, 1.0]])
    0
    >>> bandit.update(1.0)
    >>> bandit.weights.round(4)
    array([0.2689, 0.7311])
    """

    experts: int = option(whole, kw_only=False, text="how many experts there are, M")
    rate: str | float = option(
        named_or,
        ("anytime", "horizon"),
        positive,
        default="anytime",
        text="""of losses in [0, 1]. "anytime": `eta_t = sqrt(ln M / (n t))`; "horizon": `sqrt(2 ln
        M / (n T))`; or a number""",
    )

    contextual: ClassVar[bool] = True  # the context is the advice
    _compared_with: ClassVar[str] = "expert"
    _theorem = "Auer, Cesa-Bianchi, Freund and Schapire (2002), Theorem 7.1, without exploration"

    def _start(self) -> _core.Arms:
        n, seed, low, high = self._common
        falls = self.rate == "anytime"
        return _core.exp4(n, self.experts, seed, low, high, self._eta, falls)

    @property
    def _choices(self) -> int:
        return self.experts

    @property
    def weights(self) -> Array:
        """The weights of the experts."""
        behind = self._engine.rate * (self.regrets - self.regrets.max()) / self._width
        weights = np.exp(np.maximum(behind, -690.0))
        return np.asarray(weights / weights.sum())

    def act(self, advice: Any, available: Any = None) -> int:  # type: ignore[override]
        """Choose an arm. `advice`: an array with a row for each expert, a distribution over the arms."""
        rows = self._advice(advice, (self.experts, self.n))
        if available is not None or not self.present.all():
            mask = self._mask(np.ones(self.n, np.bool_) if available is None else available)
            rows = _restricted(rows, mask)
            self._engine.advise(rows)
            return self._engine.act_among(mask)
        self._engine.advise(rows)
        return self._engine.act()

    def run(  # type: ignore[override]
        self, losses: Any, advice: Any, *, seed: int | None = None, delay: Any = None
    ) -> BanditRun:
        """Play many rounds: a row of `losses` each, and of `advice` (rounds, experts, n).

        Comparators are the experts, who lose in the mean over what they advise. Other arguments as of
        `Exp3`.
        """
        check_settled(self.waiting, "choices", "losses")
        rows = self._rows(losses)
        said = self._advice(advice, (len(rows), self.experts, self.n))
        if not self.present.all():
            said = _restricted(said, self.present.astype(np.float64))
        theirs = KeptLosses(
            np.einsum("tmn,tn->tm", said, rows), rows.max(axis=1, initial=-math.inf)
        )
        with self._seeded(seed):
            return self._table(rows, delay, None, said, theirs)

    def _advice(self, advice: Any, shape: tuple[int, ...]) -> Array:
        if names_of(advice) is not None:  # the names could be of arms or of experts
            raise ValueError(
                f"advice is a {type(advice).__name__}, whose names Exp4 does not match; give an array "
                "with a row for each expert and a column for each arm, in the same order every time"
            )
        return distributions(advice, "advice", shape)

    def expectation(self) -> Certificate:  # type: ignore[override]
        """Bounds on the expected regret, over the draws, to every expert fixed in advance."""
        return super().expectation()

    def _expected(self, rounds: Array, gaps: Array | None) -> dict[str, Array]:
        start = math.log(self.experts) / self._last_rate(rounds)
        return {"experts": start + self.n / 2.0 * self._rates(rounds)}


def _restricted(rows: Array, mask: Array) -> Array:
    """Advice restricted to the available arms."""
    kept = rows * mask
    sums = kept.sum(axis=-1, keepdims=True)
    even = np.broadcast_to(mask / mask.sum(), rows.shape)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.ascontiguousarray(np.where(sums > 0, kept / sums, even))


# --- Tsallis-INF: optimal against adversaries and against random losses ---------------------------

# Zimmert and Seldin (2021).

_CELLS = 4000  # of a sum over very many rounds


class TsallisINF(WeightedPlayer):
    """Follow the leader with Tsallis entropy: `w = argmin <w, S> - 2 sum sqrt(w_i) / eta_t`.

    That is `w_i = 1 / (eta_t (S_i - x))^2` with the x that makes them add up to 1, `eta_t = 1 / sqrt t`,
    and S the sums of the estimated losses. Nothing has to be known. For arbitrary losses

        expected regret  <=  4 sqrt(n T)

    which is optimal up to a constant factor, and if losses are drawn with gaps `D_i` to a single best
    arm, the regret of the same player is about `sum 4 ln T / D_i` (their Theorem 1). The bounds here are
    computed from the proof, with all terms: in every run, whatever the losses, for every arm
    (`certificate()`)

        sum loss - sum z_t[i]  <=  sum (1 / eta_t - 1 / eta_{t-1}) (2 sum_j sqrt(w_tj) - 2)
                                   + sum eta_t w^{3/2} z^2 / (1 + eta_t sqrt(w) z)

    Arms may come and go and losses come late, as for `Exp3`; what a new arm costs is measured.

    >>> from regretless.bandits import Bernoulli
    >>> bandit = TsallisINF(3, seed=1)
    >>> run = bandit.run(Bernoulli([0.3, 0.5, 0.7]), 10_000)
    >>> bandit.certificate().holds, bandit.probabilities.round(2)
    (True, array([1., 0., 0.]))
    >>> round(run.pseudo_regret()), round(run.expectation().bound)
    (47, 308)
    """

    estimator: str = option(
        one_of,
        ("importance", "reduced"),
        default="importance",
        text="""of losses. "importance": `z_A = loss / w_A`. "reduced" estimates losses of likely
        arms from 1/2 on; it has less variance and the rate `min(1, 2 / sqrt t)`, and for
        arbitrary losses the expected regret is at most `2 sqrt(n T) + 6 n ln T`, from T = 5
        on""",
    )

    _theorem = "Zimmert and Seldin (2021), Theorem 1, with the constants of its proof"
    _regularised = "Shalev-Shwartz (2012), Lemma 2.20, on the estimates, with Tsallis entropy"

    def _start(self) -> _core.Arms:
        return _core.tsallis_inf(*self._common, self.estimator == "reduced")

    @property
    def _estimates_are_positive(self) -> bool:
        return self.estimator == "importance"

    def _expected(self, rounds: Array, gaps: Array | None) -> dict[str, Array]:
        n, root = self.n, np.sqrt(rounds)
        if self.estimator == "reduced":
            # Of an arm with w >= eta^2, z is (loss - 1/2) / w + 1/2 if it is chosen, and 1/2 otherwise:
            # eta w^{3/2} d^2 / (1 + eta sqrt(w) d), d = z - 1/2, has a mean of at most
            # eta (sqrt(w) + eta) / 4; of the others at most 3 eta^2 / 2. Sums over rounds by integrals.
            rates = np.where(rounds > 4, 4.0 * root - 4.0, rounds)
            squares = np.where(
                rounds > 4, 4.0 + 4.0 * np.log(np.maximum(rounds, 4.0) / 4.0), rounds
            )
            start = 2.0 * (math.sqrt(n) - 1.0) * np.maximum(1.0, root / 2.0)
            return {"adversarial": start + math.sqrt(n) * rates / 4.0 + 1.5 * n * squares}
        start = 2.0 * (math.sqrt(n) - 1.0) * root
        bounds = {"adversarial": start + math.sqrt(n) * (2.0 * root - 1.0)}
        if gaps is not None:
            bounds["stochastic"] = _stochastic(rounds, gaps)
        return bounds


def _stochastic(rounds: Array, gaps: Array) -> Array:
    """The bound for losses that are drawn, by the gaps.

    In round t the regret is at most, with b = 2 (sqrt t - sqrt(t - 1)), eta = 1 / sqrt t, and for t > 1
    f = 1 / (1 - eta) (estimates less the loss of the round are at least -1),
    `b sum' sqrt(w_i) + f eta sum_i sqrt(w_i) (1 - w_i)`, where sum' leaves out the best arm. Its own
    term of the last sum is at most `sum' w_i`. So the regret R, which is `sum_t sum' D_i w_ti`, is
    `2 R - R <= sum_t sum' max_w 2 (b + f eta) sqrt(w) + (2 f eta - D_i) w`, and in no round more than
    twice what holds for arbitrary losses. All of that falls with t: rounds are taken together in cells
    that are as long as a thousandth of the rounds before, each as large as its first.
    """
    last = int(rounds.max())
    edges = np.unique(np.geomspace(1, last + 1, min(last + 1, _CELLS)).astype(np.int64))
    t = edges[:-1].astype(np.float64)
    n, eta, b = len(gaps), 1.0 / np.sqrt(t), 2.0 * (np.sqrt(t) - np.sqrt(t - 1.0))
    with np.errstate(divide="ignore", invalid="ignore"):
        extra = eta / (1.0 - eta)
        others = np.delete(gaps, np.argmin(gaps))[:, None]
        slope = others - 2.0 * extra
        inside = (slope > 0) & (b + extra < slope)  # the largest is at a sqrt(w) < 1
        most = np.where(inside, (b + extra) ** 2 / slope, 2.0 * (b + extra) - slope).sum(axis=0)
    always = 2.0 * ((math.sqrt(n) - 1.0) * b + math.sqrt(n) * eta)
    each = np.where(np.isfinite(most), np.fmin(most, always), always)
    sums = np.concatenate([[0.0], np.cumsum(each * np.diff(edges))])
    return np.asarray(np.interp(rounds, edges - 1, sums))
