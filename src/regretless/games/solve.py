"""`solve`: the value and optimal strategies of a zero-sum game, with a measured gap."""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from regretless import _core
from regretless.base.arguments import Array, flag, one_of, positive, whole
from regretless.base.options import option
from regretless.certificates import Certificate
from regretless.experts import AdaNormalHedge, Hedge
from regretless.experts.player import ExpertPlayer
from regretless.games.payoffs import Measured, Payoffs, Places, read

if TYPE_CHECKING:
    from matplotlib.axes import Axes


# --- what the regrets of two players prove of the game they played --------------------------------

AVERAGES = "Mohri et al. (2018), Theorem 8.16"


@dataclass(frozen=True)
class GameCertificate(Certificate):
    """A `Certificate` of the regrets of both players together, which are the gap of their averages.

    Attributes: those of `Certificate`, `regret` being `row_regret + column_regret - answered`;
    `row_regret` and `column_regret`, of all rounds (of weighted ones, as many times the weighted mean);
    `answered`, the gain of the column player from answering the row player instead of moving at the same
    time. The gap of their averages is `gap`, the regret per round.

    >>> from regretless.games import solve
    >>> c = solve([[0, 1, 0.4], [1, 0, 0.7]], tolerance=0.01, polish=False).certificate()
    >>> abs(c.regret - (c.row_regret + c.column_regret - c.answered)) < 1e-12, c.holds
    (True, True)
    """

    row_regret: float = 0.0
    column_regret: float = 0.0
    answered: float = 0.0

    @property
    def gap(self) -> float:
        """How far apart the players' averages put the value of the game."""
        return float("inf") if self.regret is None or not self.rounds else self.regret / self.rounds


# --- a game that was solved: strategies, value, and bounds on the value ---------------------------


@dataclass(frozen=True, eq=False, kw_only=True)
class Equilibrium:
    """Strategies of both players, and how far they can be from optimal ones.

    Attributes
    ----------
    value : the middle of `lower` and `upper`, between which the value of the game is; it is what the row
        player loses (wins, with `row_maximises`) per round if both play optimally.
    row, column : the strategies, probabilities of the choices.
    gap : `upper - lower`, how much one player at most could gain by a better strategy than these, the
        rounding of the arithmetic included.
    tolerance, converged : the target of the gap, and whether it was reached.
    rounds : played.
    method, polished : the kind of players; whether the strategies come from the linear systems that the
        last rounds suggested.
    average_row, average_column, average_gap : the weighted averages of all rounds.
    last_row, last_column, last_gap : the strategies of the last round.
    history : arrays of rounds, and of the gaps of averages and of last strategies after each of them.

    >>> from regretless.games import solve
    >>> eq = solve([[0, 2], [1, 0]])
    >>> eq
    Equilibrium(value=0.666667, gap=9.1e-07, converged after 46 rounds)
    >>> eq.lower <= 2 / 3 <= eq.upper, eq.row.round(4)
    (True, array([0.3333, 0.6667]))
    """

    value: float
    row: Array
    column: Array
    gap: float
    lower: float
    upper: float
    tolerance: float
    converged: bool
    rounds: int
    method: str
    polished: bool
    average_row: Array
    average_column: Array
    average_gap: float
    last_row: Array
    last_column: Array
    last_gap: float
    history: tuple[Array, Array, Array]
    _certificate: GameCertificate = field(repr=False)

    def certificate(self) -> GameCertificate:
        """The regrets of both players, which bound the gap of their averages, and the theorems' bounds.

        >>> from regretless.games import solve
        >>> solve([[0, 2], [1, 0]], method="hedge", rounds=1000).certificate().holds
        True
        """
        return self._certificate

    def plot(self, ax: "Axes | None" = None) -> "Axes":
        """Draw the gap over the rounds; `ax`, where to, or a new picture.

        >>> from regretless.games import solve
        >>> solve([[0, 2], [1, 0]]).plot().get_ylabel()
        'gap'
        """
        from regretless.plots.players import gap_curves

        rounds, average, last = self.history
        return gap_curves(
            rounds,
            {"averages": average, "last strategies": last},
            ax,
            reached=(self.rounds, self.gap) if self.polished else None,
            tolerance=self.tolerance,
            title=f"{self.method} to a gap of {self.gap:.2g}",
        )

    def __repr__(self) -> str:
        after = f"{'' if self.converged else 'not '}converged after {self.rounds:,} rounds"
        return f"Equilibrium(value={self.value:.6g}, gap={self.gap:.2g}, {after})"


# --- from strategies that are nearly optimal to the optimum near them, if there is one ------------

# In an equilibrium only the best choices against the other player are played. A nearly
# optimal pair suggests which these are: row i is played if `p_i` is more than a multiple of its loss
# beyond the best row; columns likewise. On the chosen rows and columns, the strategies that make all
# choices of the other player equally good solve two linear systems. Take the solution that changes the
# pair least, cut it at 0 and scale it to 1. It is a guess, which is then measured.

_MULTIPLES = 1.0, 0.1, 10.0
_SENSIBLE = 100.0
_MOST = 1_500  # choices in a linear system, whose work grows with their cube
_MOST_UNEVEN = 300  # if the numbers of both differ: least squares take ten times as long


def polished(game: Payoffs, row: Array, column: Array) -> Iterator[tuple[Array, Array]]:
    """Pairs of strategies that may be better than the one given, which is near to an equilibrium.

    >>> game = Payoffs(np.array([[0.0, 2.0], [1.0, 0.0]]))
    >>> (p, q), *_ = polished(game, np.array([0.3, 0.7]), np.array([0.6, 0.4]))
    >>> p.round(6), q.round(6)
    (array([0.333333, 0.666667]), array([0.666667, 0.333333]))
    """
    losses, gains = game.losses(column), game.gains(row)
    behind_row, behind_column = losses - losses.min(), gains.max() - gains
    unit = max(game.high - game.low, np.finfo(float).tiny)  # payoffs against probabilities
    tried = set()
    for multiple in _MULTIPLES:
        rows = np.flatnonzero(row * unit > multiple * behind_row)
        columns = np.flatnonzero(column * unit > multiple * behind_column)
        guess = (rows.tobytes(), columns.tobytes())
        most = _MOST if len(rows) == len(columns) else _MOST_UNEVEN
        if guess in tried or not 0 < len(rows) <= most or not 0 < len(columns) <= most:
            continue
        tried.add(guess)
        part = game.part(rows, columns) / unit
        yield (
            _spread(_equalising(part.T, row[rows]), rows, len(row)),
            _spread(_equalising(part, column[columns]), columns, len(column)),
        )


def _equalising(part: Array, strategy: Array) -> Array:
    """The weights x nearest to the strategy for which `part x` is the same everywhere."""
    k, n = part.shape
    system = np.block([[part, -np.ones((k, 1))], [np.ones((1, n)), np.zeros((1, 1))]])
    start = np.append(strategy, (part @ strategy).mean())
    return (start + _step(system, np.append(np.zeros(k), 1.0) - system @ start))[:n]


def _step(system: Array, target: Array) -> Array:
    """The smallest solution, or the nearest point to one."""
    if len(system) == system.shape[1]:  # as in most games; it takes a tenth of the time
        try:
            step = np.linalg.solve(system, target)
        except np.linalg.LinAlgError:
            step = np.full(len(target), np.inf)
        if np.abs(step).max() < _SENSIBLE:  # of a change of probabilities
            return np.asarray(step, np.float64)
    from scipy.linalg import lstsq

    # by a QR decomposition, which takes half the time of the default
    return np.asarray(lstsq(system, target, cond=1e-13, lapack_driver="gelsy")[0])


def _spread(weights: Array, places: Places, n: int) -> Array:
    strategy = np.zeros(n)
    strategy[places] = np.maximum(weights, 0.0)
    total = strategy.sum()
    return strategy / total if total > 0 else np.full(n, 1.0 / n)


# --- hedge that expects the last losses once more -------------------------------------------------


class OptimisticHedge(ExpertPlayer):
    """Exponential weights of the total loss, the last one counted twice: `p_i ~ e^{-eta (L_i + l_i)}`.

    (Rakhlin and Sridharan (2013); Syrgkanis, Agarwal, Luo and Schapire (2015).) Losses that change
    slowly, as those of a game whose other player learns too, cost little: with `d_t` the span of
    `l_t - l_{t-1}` and `eta_t = sqrt(8 ln n / (4 + sum_{s<t} d_s^2))`

        R(u) <= RE(u || prior) / eta_T + sum_t eta_t d_t^2 / 8

    >>> player = OptimisticHedge(2)
    >>> run = player.run([[0.2, 0.8]] * 20)
    >>> round(run.loss - 20 * 0.2, 3), player.certificate().holds  # the regret stops growing
    (0.571, True)
    """

    _sleeps = False
    _theorem = "Rakhlin and Sridharan (2013); Syrgkanis, Agarwal, Luo and Schapire (2015)"

    def _start(self) -> _core.Experts:
        return _core.optimistic_hedge(self.prior.tolist(), math.log(max(self.n, 2)))

    def _bounds(self, u: Array, relative: float) -> dict[str, float]:
        if not self.rounds:
            return {"surprises": 0.0}
        return {"surprises": relative / self._engine.rate + self._engine.paid}


# --- regret matching+, and the one that predicts --------------------------------------------------


class RegretMatchingPlus(ExpertPlayer):
    """Weights in proportion to regrets that never fall below 0: `p ~ z`, `z <- [z + r]_+`.

    `r_i = <p, l> - l_i` are the regrets of the round (Tammelin (2014)). With `predictive` they are
    expected once more, `p ~ [z + r]_+` (Farina, Kroer and Sandholm (2021)). For every `u`

        R(u) <= max_i z_i <= ||z||_2 <= sqrt(sum_t ||r_t - m_t||^2)

    with `m_t = 0`, or `r_{t-1}` if predictive; it also holds for every stretch of rounds up to now, and
    so for rounds that count ever more. (The first step holds for all players, so that only the last is a
    theorem.) The scale of the losses does not matter, and parameters are not needed.

    >>> player = RegretMatchingPlus(3)
    >>> suffered = player.update([0.0, 0.5, 1.0])
    >>> suffered, player.weights, player.certificate().holds
    (0.5, array([1., 0., 0.]), True)
    """

    predictive: bool = option(
        flag, default=False, text="whether the regrets of the last round are expected once more"
    )
    prior: Any = None  # the analysis is of even ones

    _sleeps = False
    _scale_free: ClassVar[bool] = True
    _theorem = "Farina, Kroer and Sandholm (2021); Tammelin, Burch, Johanson and Bowling (2015)"

    def _start(self) -> _core.Experts:
        return _core.regret_matching_plus(self.prior.tolist(), self.predictive)

    def _bounds(self, u: Array, relative: float) -> dict[str, float]:
        return {"surprises": math.sqrt(self._engine.paid)}


# --- `solve`: the value and optimal strategies of a zero-sum game, with a measured gap ------------

_FIRST = 256  # rounds before the first polish; then at twice as many each time
_AT_ONCE = 2e8  # numbers looked at between two chances to be interrupted


@dataclass(frozen=True)
class Method:
    """A pair of players: whether they alternate, and by which power of t round t counts."""

    player: Callable[[int], ExpertPlayer]
    alternating: bool = False
    power: float = 0.0


METHODS = {
    "predictive-regret-matching+": Method(
        lambda n: RegretMatchingPlus(n, predictive=True), alternating=True, power=2.0
    ),
    "regret-matching+": Method(RegretMatchingPlus, alternating=True, power=1.0),
    "optimistic-hedge": Method(OptimisticHedge),
    "hedge": Method(Hedge),
    "ada-normal-hedge": Method(AdaNormalHedge),
}


def solve(
    payoffs: Any,
    *,
    shape: tuple[int, int] | None = None,
    tolerance: float | None = None,
    method: str = "auto",
    rounds: int = 100_000,
    row_maximises: bool = False,
    polish: bool = True,
    progress: Callable[[int, float], None] | None = None,
) -> Equilibrium:
    """The value of a zero-sum game and strategies that reach it, up to a gap that is measured.

    `min_p max_q p'Aq = max_q min_p p'Aq` (the minimax theorem): two players whose mean regrets vanish in
    the long run find both. In every case, the averages `p`, `q` of their strategies prove that the value
    is in `[min_i (A q)_i, max_j (p'A)_j]`, an interval as long as the sum of their mean regrets (Mohri
    et al. (2018), Theorem 8.16). `gap` is its length, computed from the payoffs, with an allowance for
    rounding.

    Parameters
    ----------
    payoffs : `A[i, j]` is the loss of the row player, and the gain of the column player, if they choose
        i and j: anything that NumPy can make into a matrix, a scipy sparse matrix (which stays sparse),
        or a function of i and j, which is asked for all of them once.
    shape : of a function, how many rows and columns.
    tolerance : how large the gap may be, in units of the payoffs. By default 1e-6, but at most a
        millionth and at least a billionth of the range of the payoffs.
    method : "predictive-regret-matching+" ("auto" is this), "regret-matching+", "optimistic-hedge",
        "hedge" or "ada-normal-hedge": the algorithm of both players. The first two alternate and later
        rounds count more, by t^2 and t; the others move at the same time and all rounds count alike.
    rounds : at most so many. If the gap is larger then, `converged` is False, and gap and bounds are
        still what was measured.
    row_maximises : `A[i, j]` is the gain of the row player instead, as in books on game theory.
    polish : whether to try, after 256, 512, 1024, ... rounds, the strategies that make the other
        player's choices equally good on the supports that the rounds suggest. They are taken only if the
        measured bounds are better. Without it, 1e-6 takes thousands of rounds, or more than there are.
    progress : called now and then with the rounds played and the gap.

    >>> eq = solve([[0, 1, -1], [-1, 0, 1], [1, -1, 0]])  # paper, stone, scissors
    >>> eq.row.round(6), abs(eq.value) < 1e-6, eq.gap < 1e-6
    (array([0.333333, 0.333333, 0.333333]), True, True)
    >>> solve([[3, 1], [4, 2]], row_maximises=True).value  # a saddle point
    2.0
    >>> round(solve(lambda i, j: (i - j) ** 2, shape=(11, 11)).value, 9)
    25.0
    """
    by = _method(method)
    limit = whole(rounds, "rounds")
    if tolerance is not None:
        positive(tolerance, "tolerance", ": how large the gap may be")
    if callable(payoffs):
        m, n = _shape(shape)
        payoffs = [[payoffs(i, j) for j in range(n)] for i in range(m)]
    elif shape is not None:
        raise ValueError(f"shape={shape} is for payoffs that are a function; a matrix has its own")
    matrix = read(payoffs)
    game = Payoffs(-matrix if row_maximises else matrix)
    search = Search(game, by, tolerance)
    search.run(limit, polish, progress)
    return search.equilibrium(next(n for n, m in METHODS.items() if m is by), row_maximises)


class Search:
    """The players at work, and the best strategies so far."""

    def __init__(self, game: Payoffs, method: Method, tolerance: float | None) -> None:
        self.game, self.method = game, method
        # of constant payoffs any unit will do
        self.unit = game.high - game.low or 1.0
        self.tolerance = (
            min(max(1e-6, self._real(1e-9 * self.unit)), self._real(1e-6 * self.unit))
            if tolerance is None
            else float(tolerance)
        )
        self.players = tuple(method.player(n) for n in game.shape)
        row, column = (player._engine for player in self.players)
        self.play = _core.SelfPlay(
            row,
            column,
            game.core,
            game.low,
            game.low + self.unit,
            method.alternating,
            method.power,
        )
        # gaps below the allowance for rounding count as 0
        self.wanted = max(_ldexp(self.tolerance, -game.exponent), game.rounding)
        self.best = game.measured(*game.pure())  # which is all if there is a saddle point
        self.polished = False

    def _real(self, amount: float) -> float:
        """The amount in the units of the payoffs that were given."""
        return _ldexp(amount, self.game.exponent)

    def run(
        self, limit: int, polish: bool, progress: Callable[[int, float], None] | None = None
    ) -> None:
        """Play until the gap is small enough or the rounds are over."""
        play, step = self.play, max(1, int(_AT_ONCE / max(self.game.work, 1)))
        check, enough = _FIRST, self.wanted - self.game.rounding
        while self.best.gap > self.wanted and play.rounds < limit:
            stop = min(check, limit, play.rounds + step)
            play.play(stop - play.rounds, enough)
            self._take(play.average_row, play.average_column)
            self._take(play.row, play.column)
            if play.rounds < stop and self.best.gap > self.wanted:
                enough = -math.inf  # the core's sums have lost digits: the measured gap decides
            if polish and play.rounds in (check, limit) and self.best.gap > self.wanted:
                self._polish()
            if play.rounds == check:
                check *= 2
            if progress is not None:
                progress(play.rounds, self._real(self.best.gap))

    def _take(self, row: Any, column: Any) -> bool:
        """Keep the better strategy of each player; returns whether a new one was better."""
        new = self.game.measured(row, column)
        better_row, better_column = new.upper < self.best.upper, new.lower > self.best.lower
        self.best = Measured(
            new.row if better_row else self.best.row,
            new.column if better_column else self.best.column,
            max(new.lower, self.best.lower),
            min(new.upper, self.best.upper),
        )
        return better_row or better_column

    def _polish(self) -> None:
        play = self.play
        for near in ((play.row, play.column), (play.average_row, play.average_column)):
            for row, column in polished(self.game, *near):
                self.polished |= self._take(row, column)
                if self.best.gap <= self.wanted:
                    return

    def certificate(self) -> GameCertificate:
        """The certificate of the averages, in the units of the matrix."""
        play, width = self.play, self.unit
        if not play.rounds:
            return GameCertificate(0, 0.0, {}, AVERAGES)
        lower, upper = play.average_bounds
        mean, guessed = play.played / play.weight, play.guessed / play.weight
        of_players = [player.certificate() for player in self.players]
        # their regrets in all rounds up to any, and so weighted by what grows, are within the bound
        regrets = sum(c.bound for c in of_players) * width * play.last_weight / play.weight
        answered = mean - guessed

        def real(amount: float) -> float:
            return play.rounds * self._real(amount)

        return GameCertificate(
            play.rounds,
            real(upper - lower),
            {"regrets of both": real(regrets + max(-answered, 0.0)), "trivial": real(width)},
            f"{AVERAGES}; {of_players[0].theorem}",
            {what: held for c in of_players for what, held in c.assumptions.items()},
            "the best choices of both players in hindsight",
            rounding=real(2.0 * self.game.rounding),
            row_regret=real(mean - lower),
            column_regret=real(upper - guessed),
            answered=real(answered),
        )

    def equilibrium(self, method: str, row_maximises: bool) -> Equilibrium:
        """The equilibrium that was found."""
        game, play, best = self.game, self.play, self.best
        lower, upper = self._outward(best)
        average, last = best, best
        if play.rounds:
            average = game.measured(play.average_row, play.average_column)
            last = game.measured(play.row, play.column)
        rounds, averages, lasts = play.history()
        if row_maximises:
            lower, upper = -upper, -lower
        gap = upper - lower
        with np.errstate(over="ignore"):
            history = (
                rounds,
                np.ldexp(averages, game.exponent),
                np.ldexp(lasts, game.exponent),
            )
        return Equilibrium(
            value=lower / 2 + upper / 2,
            row=best.row,
            column=best.column,
            gap=gap,
            lower=lower,
            upper=upper,
            tolerance=self.tolerance,
            converged=gap <= self.tolerance,
            rounds=play.rounds,
            method=method,
            polished=self.polished,
            average_row=average.row,
            average_column=average.column,
            average_gap=self._real(average.gap),
            last_row=last.row,
            last_column=last.column,
            last_gap=self._real(last.gap),
            history=history,
            _certificate=self.certificate(),
        )

    def _outward(self, bounds: Measured) -> tuple[float, float]:
        """The bounds in the units of the payoffs that were given, moved apart if that rounds."""
        lower, upper = self._real(bounds.lower), self._real(bounds.upper)
        if _ldexp(lower, -self.game.exponent) != bounds.lower:
            lower = math.nextafter(lower, -math.inf)
        if _ldexp(upper, -self.game.exponent) != bounds.upper:
            upper = math.nextafter(upper, math.inf)
        return lower, upper


def _ldexp(amount: float, exponent: int) -> float:
    """`amount 2^exponent`, infinite if it is too large."""
    try:
        return math.ldexp(amount, exponent)
    except OverflowError:
        return math.copysign(math.inf, amount)


def _method(name: str) -> Method:
    one_of(name, "method", ("auto", *METHODS))
    return METHODS["predictive-regret-matching+" if name == "auto" else name]


def _shape(shape: Any) -> tuple[int, int]:
    try:
        rows, columns = (int(n) for n in shape)
    except (TypeError, ValueError):
        rows = columns = 0
    if min(rows, columns) < 1:
        raise ValueError(
            f"shape={shape!r}: of a function give (rows, columns), both at least 1"
        ) from None
    return rows, columns
