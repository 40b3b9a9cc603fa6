"""What one pass over independent examples proves of the risk.

Mohri et al. (2018), section 8.4; Shalev-Shwartz (2012), section 5.

All hold with probability at least `1 - delta` over the examples, for losses in `[0, loss_bound]`.
`empirical` is the mean loss of hypotheses that were fixed before the example they were charged for.
"""

import math

from regretless.arguments import positive, within

__all__ = [
    "amplified_excess",
    "average_excess",
    "average_risk",
    "margin_risk",
    "penalty",
    "runs_needed",
    "selected_risk",
    "validated_risk",
]


def average_risk(
    empirical: float, rounds: int, delta: float, loss_bound: float = 1.0
) -> dict[str, float]:
    """Bounds on the mean risk of the hypotheses of all rounds.

        Lemma 8.14:        empirical + M sqrt(2 log(1 / delta) / T)
        Azuma:             empirical + M sqrt(log(1 / delta) / (2 T))

    The second, half as far, uses that a loss given the past lies in an interval of length M and not
    only that it is at most M away from its mean; whenever it holds, so does the first. The mean risk
    is the expected risk of a hypothesis drawn at random from the rounds, and if the loss is convex it
    is at least the risk of their average (Mohri et al. (2018), Theorem 8.15, eq. 8.27).

    >>> {name: round(bound, 4) for name, bound in average_risk(0.1, 1000, 0.05).items()}
    {'Mohri et al. (2018), Lemma 8.14': 0.1774, 'Azuma': 0.1387}
    """
    width = loss_bound * math.sqrt(2.0 * math.log(1.0 / _checked(delta)) / rounds)
    return {"Mohri et al. (2018), Lemma 8.14": empirical + width, "Azuma": empirical + width / 2.0}


def average_excess(
    regret: float, rounds: int, delta: float, loss_bound: float = 1.0
) -> dict[str, float]:
    """How much more risk the average has than the best of a class, at most, for a convex loss.

        eq. 8.28:             R_T / T + 2 M sqrt(2 log(2 / delta) / T)
        Azuma and Hoeffding:  R_T / T + M sqrt(2 log(2 / delta) / T)

    `R_T` is a bound on the regret against the class in that loss. The second takes `delta / 2` for the
    hypotheses played and as much for the best of the class, each in an interval of length M. In
    expectation `R_T / T` alone will do (Shalev-Shwartz (2012), Corollary 5.2).

    >>> bounds = average_excess(regret=20.0, rounds=1000, delta=0.05)
    >>> {name: round(bound, 4) for name, bound in bounds.items()}
    {'Mohri et al. (2018), eq. 8.28': 0.1918, 'Azuma and Hoeffding': 0.1059}
    """
    mean = regret / rounds
    width = loss_bound * math.sqrt(2.0 * math.log(2.0 / _checked(delta)) / rounds)
    return {
        "Mohri et al. (2018), eq. 8.28": mean + 2.0 * width,
        "Azuma and Hoeffding": mean + width,
    }


def penalty(tested: int, rounds: int, delta: float, loss_bound: float = 1.0) -> float:
    """What is added to the mean loss of a hypothesis over the `tested` rounds from its own one on.

    `M sqrt(log(T (T + 1) / delta) / (2 tested))` (Mohri et al. (2018), Exercise 8.10). So no
    hypothesis has a risk above its mean loss plus penalty, all T of them at once, but with
    probability `delta / (T + 1)`.

    >>> round(penalty(100, rounds=1000, delta=0.05), 4)
    0.2899
    """
    return loss_bound * math.sqrt(math.log(rounds * (rounds + 1) / _checked(delta)) / (2 * tested))


def selected_risk(
    empirical: float, penalised: float, rounds: int, delta: float, loss_bound: float = 1.0
) -> dict[str, float]:
    """Bounds on the risk of the hypothesis that has the least mean loss plus penalty, `penalised`.

        eq. 8.31:        empirical + 6 M sqrt(log(2 (T + 1) / delta) / T)
        penalised:       what the choice was made by, itself

    The first is known before the choice; the second is usually much smaller. Both hold at once: the
    penalties fail with probability at most `2 delta / (T + 1) <= delta / 2` on both sides, which
    leaves `delta / 2` for the mean of the losses. For `T <= 2` the first is above M, hence true.

    >>> bounds = selected_risk(0.1, 0.19, rounds=1000, delta=0.05)
    >>> {name: round(bound, 4) for name, bound in bounds.items()}
    {'Mohri et al. (2018), eq. 8.31': 0.7177, 'penalised': 0.19}
    """
    width = 6.0 * math.sqrt(math.log(2.0 * (rounds + 1) / _checked(delta)) / rounds)
    return {"Mohri et al. (2018), eq. 8.31": empirical + loss_bound * width, "penalised": penalised}


def margin_risk(
    hinge: float, margin: float, squared_norms: float, rounds: int, delta: float
) -> float:
    """A bound on the share of wrong labels of a hypothesis selected from a Perceptron's, by a margin.

    `hinge + sqrt(sum K(x_i, x_i)) / (rho T) + 6 sqrt(log(2 (T + 1) / delta) / T)` (Mohri et al.
    (2018), Exercise 8.11), for a margin `rho` fixed in advance.

    Parameters: `hinge`, the mean of `max(0, 1 - y h(x) / rho)` over all examples for any `h` of norm at
    most 1, the best for the bound; `margin` rho > 0; `squared_norms`, the sum of `K(x_i, x_i)`, or
    `||x_i||^2`, over the rounds with an update.

    >>> round(margin_risk(0.1, margin=0.5, squared_norms=100.0, rounds=10_000, delta=0.05), 4)
    0.3175
    """
    bound = selected_risk(hinge, math.inf, rounds, delta)["Mohri et al. (2018), eq. 8.31"]
    return bound + math.sqrt(squared_norms) / (positive(margin, "margin") * rounds)


def validated_risk(
    held_out: float, examples: int, candidates: int, delta: float, loss_bound: float = 1.0
) -> dict[str, float]:
    """A bound on the risk of the best of some candidates on examples that made none of them.

    `held_out + M sqrt(log(K / delta) / (2 m))`: Hoeffding's inequality for each of the K candidates.

    >>> {name: round(bound, 4) for name, bound in validated_risk(0.1, 500, 6, 0.05).items()}
    {'Hoeffding': 0.1692}
    """
    width = math.sqrt(math.log(candidates / _checked(delta)) / (2.0 * examples))
    return {"Hoeffding": held_out + loss_bound * width}


def runs_needed(delta: float) -> int:
    """How many runs make a guarantee in expectation one of high probability: `ceil(log2(2 / delta))`.

    By Markov's inequality a run has twice the expected excess, or less, every second time.

    >>> runs_needed(0.05)
    6
    """
    return math.ceil(math.log2(2.0 / _checked(delta)))


def amplified_excess(
    expected: float, examples: int, runs: int, delta: float, loss_bound: float = 1.0
) -> float:
    """How much more risk than the best of the class the best of several runs has, at most.

    `2 epsilon + 2 M sqrt(log(4 K / delta) / (2 m))` for K runs on examples of their own, each of
    expected excess risk `epsilon` or less, and m held out (Shalev-Shwartz (2012), section 5, made
    explicit). In expectation a run of T rounds has `epsilon = R_T / T`.

    >>> round(amplified_excess(0.02, examples=500, runs=6, delta=0.05), 4)
    0.1971
    """
    if runs < runs_needed(delta):
        raise ValueError(
            f"runs={runs} is too few for delta={delta}: {runs_needed(delta)} are needed"
        )
    width = math.sqrt(math.log(4.0 * runs / delta) / (2.0 * examples))
    return 2.0 * positive(expected, "expected") + 2.0 * loss_bound * width


def _checked(delta: float) -> float:
    within(delta, "delta", "(0, 1)", "; 0.05 means 19 times out of 20")
    return delta
