"""Finite classes as sets of tuples: dimensions, SOA, its experts and the game itself, by definition.

For reading, not for speed: everything is enumerated. Written from the survey, section 3.2.
"""

import functools
import itertools
import math


def rows(H):
    """The hypotheses as tuples of labels, one for each point."""
    return [tuple(row) for row in H.table.astype(int).tolist()]


def part(V, x, label):
    return frozenset(h for h in V if h[x] == label)


@functools.lru_cache(None)
def ldim(V):
    """The recursion; None stands for no hypothesis at all in the text, -1 here."""
    if len(V) <= 1:
        return len(V) - 1
    width = len(next(iter(V)))
    return max(
        1 + min(ldim(part(V, x, 0)), ldim(part(V, x, 1)))
        for x in range(width)
        if part(V, x, 0) and part(V, x, 1)
    )


def vc(V):
    """The size of the largest set of points with all labellings."""
    width = len(next(iter(V)))
    sizes = [
        size
        for size in range(width + 1)
        for S in itertools.combinations(range(width), size)
        if len({tuple(h[x] for x in S) for h in V}) == 2**size
    ]
    return max(sizes)


@functools.lru_cache(None)
def game_value(V):
    """The mistakes of the best deterministic learner against the worst adversary, by the game tree.

    The adversary asks x, the learner predicts, the adversary answers with a label that is still
    possible. Nothing about trees or dimensions is used.
    """
    width = len(next(iter(V)))
    worst = 0
    for x in range(width):
        if not (part(V, x, 0) and part(V, x, 1)):
            continue  # nothing changes
        worst = max(
            worst,
            min(
                max((prediction != y) + game_value(part(V, x, y)) for y in (0, 1))
                for prediction in (0, 1)
            ),
        )
    return worst


def mistakes(V, predict):
    """The most mistakes that a learner who only looks at its version space can be made to make."""
    width = len(next(iter(V)))
    worst = 0
    for x in range(width):
        if part(V, x, 0) and part(V, x, 1):
            answer = predict(V, x)
            worst = max(worst, *((answer != y) + mistakes(part(V, x, y), predict) for y in (0, 1)))
    return worst


def soa(V, x, tie=1):
    zero, one = ldim(part(V, x, 0)), ldim(part(V, x, 1))
    return tie if zero == one else int(one > zero)


def shattered(nodes, depth, V):
    """Definition 3.2, with the text's numbering of the nodes: i_1 = 1, i_{t+1} = 2 i_t + y_t."""
    for labels in itertools.product((0, 1), repeat=depth):
        asked, i = [], 1
        for y in labels:
            asked.append(nodes[i - 1])
            i = 2 * i + y
        if not any(all(h[x] == y for x, y in zip(asked, labels)) for h in V):
            return False
    return True


def expert(V, xs, deviations, tie=1):
    """The predictions of Expert(i_1, ..., i_L), rounds counted from 0."""
    predictions = []
    for t, x in enumerate(xs):
        predicted = soa(V, x, tie) ^ (t in deviations)
        predictions.append(predicted)
        V = part(V, x, predicted)
    return predictions


def all_experts(V, xs, dimension, tie=1):
    return [
        expert(V, xs, set(chosen), tie)
        for L in range(dimension + 1)
        for chosen in itertools.combinations(range(len(xs)), L)
    ]


def weighted_majority(experts, ys, rate):
    """The probability of 1 in each round: exponential weights, one for each expert."""
    weights, probabilities = [1.0] * len(experts), []
    for t, y in enumerate(ys):
        ones = math.fsum(w for w, e in zip(weights, experts) if e[t])
        probabilities.append(ones / math.fsum(weights))
        weights = [w * math.exp(-rate * abs(e[t] - y)) for w, e in zip(weights, experts)]
    return probabilities
