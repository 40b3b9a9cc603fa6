"""Incremental trees and forests, transcribed step by step: plain lists, one number after the other.

An example is a dict of columns to values that are not 0. A target is `(k, 1.0)` for class k, or
`(0, y)` for a number y.
"""

from itertools import pairwise
from math import ceil, log, sqrt

MASK = 2**64 - 1
TINY = 1e-9


def mixed(z):
    """The mixing function of SplitMix64."""
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9 & MASK
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB & MASK
    return z ^ (z >> 31)


def uniform(seed, round, place):
    """A number in [0, 1) that depends on these three only."""
    return (mixed(mixed(seed * 0x9E3779B97F4A7C15 + round & MASK) + place & MASK) >> 11) * 2.0**-53


def name_of(column):
    """The hash of the name of a column."""
    return mixed(column + 1)


def empty(outputs):
    """The weight, the sum of squares, and the sums of the outputs."""
    return [0.0] * (2 + outputs)


def add(s, y, w):
    k, value = y
    s[0] += w
    s[1] += w * value * value
    s[2 + k] += w * value


def plus(a, b):
    return [p + q for p, q in zip(a, b)]


def minus(a, b):
    return [p - q for p, q in zip(a, b)]


def explained(s):
    if not s[0] > 0:
        return 0.0
    total = 0.0
    for each in s[2:]:
        total += each * each
    return total / s[0]


def pure(s):
    return not s[1] - explained(s) > TINY * s[1]


class Node:
    """A node; a leaf until it has `sides`."""

    def __init__(self, outputs, parent=None):
        self.sums = empty(outputs)
        self.parent = parent
        self.depth = 0 if parent is None else parent.depth + 1
        self.sides = None

    def split(self, row, threshold):
        self.row, self.threshold = row, threshold
        outputs = len(self.sums) - 2
        self.sides = [type(self)(outputs, self) for _ in range(2)]

    def side(self, x):
        return self.sides[x.get(self.row, 0.0) > self.threshold]

    def all(self):
        yield self
        for each in self.sides or ():
            yield from each.all()

    def find(self, x):
        node = self
        while node.sides:
            node = node.side(x)
        return node

    def learn(self, x, y, w):
        node = self
        add(node.sums, y, w)
        while node.sides:
            node = node.side(x)
            add(node.sums, y, w)
        return node

    def predict(self, share, classes, out):
        """Add a share of the prediction of this leaf."""
        node = self
        while node is not None:
            prior = 0.5 if classes or node.parent else 0.0
            whole = node.sums[0] + prior
            if whole > 0:
                for k in range(len(out)):
                    out[k] += share / whole * node.sums[2 + k]
                share *= prior / whole
            node = node.parent
        if classes:
            for k in range(len(out)):
                out[k] += share / len(out)


class Grown:
    """What trees and forests share: the number of outputs, new classes, and scores."""

    def __init__(self, classes, outputs):
        self.classes, self.outputs, self.first = classes, outputs, None

    def relabel(self, sources):
        """Class k becomes the old class `sources[k]`, or a new one if that is -1."""

        def moved(s):
            return s[:2] + [0.0 if k < 0 else s[2 + k] for k in sources]

        self.outputs = len(sources)
        self.move(moved, sources)

    def learn_target(self, x, y, w=1.0):
        if self.classes:
            return self.learn(x, (y, 1.0), w)
        self.first = y if self.first is None else self.first
        return self.learn(x, (0, y - self.first), w)

    def scores(self, x):
        p = self.mean(x)
        if not self.classes:
            return [(self.first or 0.0) + p[0]]

        def odds(a, b):
            return log(max(a, 1e-12)) - log(max(b, 1e-12))

        return [odds(p[1], p[0])] if len(p) == 2 else [odds(each, 1.0 - each) for each in p]


# --- a tree (Domingos and Hulten (2000)) -----------------------------------------------------------


class TreeNode(Node):
    def __init__(self, outputs, parent=None):
        super().__init__(outputs, parent)
        self.clear(outputs)

    def clear(self, outputs):
        self.seen, self.squares, self.examples = empty(outputs), 0.0, 0
        self.histograms = {}  # of each row: points with sums


class Tree(Grown):
    def __init__(self, classes, outputs, delta, tie, grace, bins, max_nodes, depth=1000):
        super().__init__(classes, outputs)
        self.delta, self.tie, self.grace, self.bins = delta, tie, grace, bins
        self.max_nodes, self.depth = max_nodes, depth
        self.root = TreeNode(outputs)

    @property
    def nodes(self):
        return len(list(self.root.all()))

    def move(self, moved, _):
        for node in self.root.all():
            node.sums, node.seen = moved(node.sums), moved(node.seen)
            node.histograms = {
                row: [(v, moved(s)) for v, s in points] for row, points in node.histograms.items()
            }

    def mean(self, x):
        out = [0.0] * self.outputs
        self.root.find(x).predict(1.0, self.classes, out)
        return out

    def learn(self, x, y, w):
        leaf = self.root.learn(x, y, w)
        if leaf.depth >= self.depth or self.nodes + 2 > self.max_nodes:
            return leaf.clear(self.outputs)
        add(leaf.seen, y, w)
        leaf.squares += w * w
        leaf.examples += 1
        for row, value in x.items():
            self.record(leaf.histograms.setdefault(row, []), value, y, w)
        if leaf.examples % self.grace == 0:
            self.grow(leaf)
        return None

    def record(self, points, value, y, w):
        if value not in [v for v, _ in points]:
            points.append((value, empty(self.outputs)))
            points.sort(key=lambda point: point[0])
        add(dict(points)[value], y, w)
        if len(points) > self.bins:
            both = [a[1][0] + b[1][0] for a, b in pairwise(points)]
            i = both.index(min(both))
            (low, left), (high, right) = points[i : i + 2]
            middle = min(max(low + (high - low) * (right[0] / both[i]), low), high)
            points[i : i + 2] = [(middle if middle != 0 else high, plus(left, right))]

    def best(self, leaf, points):
        """The gain and the threshold of the best split of a feature, and the sums of both sides."""
        absent = leaf.seen
        for _, s in points:
            absent = minus(absent, s)
        positive = len(absent) if self.classes else 2
        absent = [max(each, 0.0) for each in absent[:positive]] + absent[positive:]
        if absent[0] > TINY * leaf.seen[0]:
            points = sorted([*points, (0.0, absent)], key=lambda point: point[0])
        rest = [empty(self.outputs)]
        for _, s in points[::-1]:
            rest.insert(0, plus(rest[0], s))
        scale = leaf.seen[0] if self.classes else leaf.seen[1] - explained(leaf.seen)
        left, found = empty(self.outputs), (0.0, 0.0, None, None)
        for (low, s), (high, _), right in zip(points, points[1:], rest[1:]):
            left = plus(left, s)
            gain = (explained(left) + explained(right) - explained(leaf.seen)) / scale
            if gain > found[0]:
                middle = low + (high - low) / 2
                found = gain, middle if middle < high else low, left, right
        return found

    def grow(self, leaf):
        if pure(leaf.seen):
            return
        n = leaf.seen[0] * (leaf.seen[0] / leaf.squares)
        bound = sqrt(log(1 / self.delta) / (2 * n))
        gains = {row: self.best(leaf, points) for row, points in leaf.histograms.items()}
        row = max(gains, key=lambda row: (gains[row][0], -name_of(row)), default=None)
        if row is None:
            return
        best = gains.pop(row)
        second = max((gain for gain, *_ in gains.values()), default=0.0)
        if best[0] > TINY and (best[0] - second > bound or bound < self.tie):
            leaf.split(row, best[1])
            leaf.sides[0].sums, leaf.sides[1].sums = best[2:]
            leaf.clear(self.outputs)


# --- a forest (Geurts, Ernst and Wehenkel (2006)) --------------------------------------------------


class ForestNode(Node):
    def __init__(self, outputs, parent=None):
        super().__init__(outputs, parent)
        self.kept, self.due = [], 0


class Forest(Grown):
    def __init__(self, classes, outputs, n, grace, kept, max_nodes, seed, depth=1000):
        super().__init__(classes, outputs)
        self.grace, self.kept, self.max_nodes, self.depth = grace, kept, max_nodes, depth
        self.seed = seed
        self.roots = [ForestNode(outputs) for _ in range(n)]
        self.draws = [0] * n

    @property
    def nodes(self):
        return sum(len(list(root.all())) for root in self.roots)

    def move(self, moved, sources):
        for root in self.roots:
            for node in root.all():
                node.sums = moved(node.sums)
                node.kept = [(x, (sources.index(y[0]), y[1]), w) for x, y, w in node.kept]

    def mean(self, x):
        out = [0.0] * self.outputs
        for root in self.roots:
            root.find(x).predict(1.0 / len(self.roots), self.classes, out)
        return out

    def learn(self, x, y, w):
        for i, root in enumerate(self.roots):
            leaf = root.learn(x, y, w)
            if not self.closed(i, leaf):
                leaf.kept = [*leaf.kept, (x, y, w)][-self.kept :]
                leaf.due = max(0, leaf.due - 1)
            self.grow(i, leaf)

    def closed(self, i, leaf):
        return leaf.depth >= self.depth or len(list(self.roots[i].all())) + 2 > self.max_nodes

    def grow(self, i, leaf):
        if self.closed(i, leaf):
            leaf.kept, leaf.due = [], 0
            return
        if leaf.due or len(leaf.kept) < self.grace:
            return
        found = self.best(i, leaf.kept)
        if found is None:
            leaf.due = len(leaf.kept)
            return
        leaf.split(*found)
        for x, y, w in leaf.kept:
            side = leaf.side(x)
            add(side.sums, y, w)
            side.kept.append((x, y, w))
        leaf.kept = []
        for side in leaf.sides:
            self.grow(i, side)

    def best(self, i, kept):
        """The best of the splits drawn, as a row and a threshold; None if none separates targets."""
        whole = empty(self.outputs)
        for _, y, w in kept:
            add(whole, y, w)
        if pure(whole):
            return None
        rows = {row for x, *_ in kept for row in x}
        values = {row: [x.get(row, 0.0) for x, *_ in kept] for row in rows}
        rows = [row for row in rows if min(values[row]) < max(values[row])]
        seed = mixed(self.seed + 0x9E3779B97F4A7C15 * (i + 1) & MASK)
        now, self.draws[i] = self.draws[i], self.draws[i] + 1
        rows.sort(key=lambda row: uniform(seed, now, name_of(row)))
        most, found = TINY * whole[1], None
        for row in rows[: ceil(2 * sqrt(len(rows)))]:
            low, high = min(values[row]), max(values[row])
            threshold = low + uniform(seed, now, name_of(row) + 1) * (high - low)
            threshold = threshold if threshold < high else low
            sides = [empty(self.outputs), empty(self.outputs)]
            for value, (_, y, w) in zip(values[row], kept):
                add(sides[value > threshold], y, w)
            gain = explained(sides[0]) + explained(sides[1]) - explained(whole)
            if gain > most:
                most, found = gain, (row, threshold)
        return found
