"""Sketched online Newton: a dense shell, its sketches, and their sparse forms.

Luo (2016), sections 4.4 to 4.6.2.
"""

import math

import numpy as np

from reference.oracle import Oracle

__all__ = [
    "EpochDirections",
    "FrequentDirections",
    "Full",
    "Oja",
    "RandomProjection",
    "SketchedNewton",
    "SparseEpochDirections",
    "SparseOja",
    "SparseRandomProjection",
    "TunedLanes",
    "gaussians",
]


def excess(s, slab):
    """How far the score lies outside the slab: `sign(s) max(|s| - slab, 0)`."""
    return math.copysign(max(abs(s) - slab, 0.0), s)


class SketchedNewton(Oracle):
    """`u <- w - A^-1 g`, `A = alpha I + S^T S`; `w` is nearest to `u` in `|.|_A` on `|<w, x>| <= slab`.

    `S` sketches the vectors `sqrt(curvature + eta_t) g`; `rate(t)` is `eta_t`, and none is 0.
    When `diagonal`, `x_i / sqrt(0.1 q_i^2 + D_i)` stands for `x_i`, with `q_i = max |x_i|` up to now
    and `D_i` the sum of `(h l' x_i)^2`, the current one when the weights change, too.
    """

    def __init__(
        self,
        dimension,
        loss,
        sketch,
        alpha,
        slab=math.inf,
        curvature=1.0,
        rate=None,
        diagonal=False,
    ):
        super().__init__(dimension, loss)
        self.sketch, self.alpha, self.slab = sketch, alpha, slab
        self.curvature, self.rate, self.diagonal = curvature, rate, diagonal
        self.u = np.zeros(dimension)
        self.q = np.zeros(dimension)
        self.D = np.zeros(dimension)
        self.energy = 0.0

    def counts(self, g):
        """Whether `|g|^2` is more than the rounding of a right prediction, 1e-24 of the sum so far."""
        new = float(g @ g)
        old, self.energy = self.energy, self.energy + new * (new > 1e-24 * self.energy)
        return new > 1e-24 * old

    def scale(self, x):
        """What the features are multiplied by: `1 / sqrt(0.1 q^2 + D)`, and 0 where `q = 0`."""
        if not self.diagonal:
            return np.ones_like(self.u)
        q = np.maximum(self.q, np.abs(x))
        return np.divide(1.0, np.sqrt(0.1 * q * q + self.D), out=np.zeros_like(q), where=q > 0)

    def solve(self, x):
        """`A^-1 x`."""
        return np.linalg.solve(self.alpha * np.eye(len(x)) + self.sketch.matrix(), x)

    def project(self, x):
        """`u - tau(<u, x>) / <x, A^-1 x> A^-1 x`, with `tau` the excess."""
        tau = excess(float(self.u @ x), self.slab)
        if tau == 0.0:
            return self.u
        a = self.solve(x)
        return self.u - tau / (x @ a) * a

    def weights(self, x):
        scale = self.scale(x)
        return scale * self.project(scale * x)

    def update(self, x, y, g, w):
        u = self.project(self.scale(x) * x)
        self.adapt(x, g)
        scaled = self.scale(x) * x
        eta = self.rate(self.rounds) if self.rate else 0.0
        sketched = math.sqrt(self.curvature + eta) * g * scaled
        if self.counts(sketched):
            self.sketch.update(sketched)
        self.u = u - self.solve(g * scaled)

    def adapt(self, x, g):
        """Take `g x` into the scales."""
        self.q = np.maximum(self.q, np.abs(x))
        self.D = self.D + (g * x) ** 2


class TunedLanes(Oracle):
    """Lanes of one sketch, `A = alpha I + strength S^T S` for each, and steps along the gradient flow.

    `alpha` is in units of the first `|x|^2`, or of less if a direction outside of the sketch has less
    than a quarter of the mean energy (counting the first as missed). It grows by `strength` times what
    the sketch has missed per further feature, and is at least a ten thousandth of what it holds. All
    of it is in units of `1 / max |y|` where a regression's loss has steps of its own length. The sketch
    takes in the gradient at the score that was given, `slope x`; for the squared loss `sqrt(h) x`.
    """

    def __init__(self, dimension, loss, sketch, lanes, diagonal=False, spans=False):
        super().__init__(dimension, loss)
        self.sketch, self.lanes, self.spans, self.span = sketch, lanes, spans, 0.0
        self.shell = SketchedNewton(dimension, loss, sketch, 1.0, diagonal=diagonal)
        self.w = np.zeros((len(lanes), dimension))
        self.unit = self.energy = self.first = 0.0

    def scores(self, x):
        return self.w @ (self.shell.scale(x) * x)

    def learn_at(self, x, y, h, slope):
        """Learn, given the slope `h l'` at the score that was given."""
        scaled = self.shell.scale(x) * x
        self.unit = self.unit or float(scaled @ scaled)
        self.span = max(self.span, abs(y))
        e = math.sqrt(h) if self.loss.name == "squared" else slope
        self.shell.adapt(x, e)
        scaled, scores = self.shell.scale(x) * x, self.scores(x)
        if e != 0.0 and scaled.any():
            self.sketch.update(e * scaled)
            self.energy += e * e * float(scaled @ scaled)
            self.first = self.first or self.energy
        if not scaled.any():
            return
        S = self.sketch.matrix()
        kept, by = float(np.trace(S)), 1.0 / self.span if self.spans else 1.0
        missed, d = max(0.0, self.energy - kept), np.count_nonzero(self.shell.q)
        others, unit = max(1.0, d - len(self.sketch.S)), self.unit
        if d > len(self.sketch.S) and self.energy > 0.0:
            outside = (missed + self.first) / others
            unit *= min(1.0, 4.0 * outside * d / (self.energy + self.first))
        missed /= others
        for k, (alpha, strength) in enumerate(self.lanes):
            start = max(alpha * unit + strength * missed, 1e-4 * strength * kept)
            a = np.linalg.solve(by * (start * np.eye(len(x)) + strength * S), scaled)
            n = float(scaled @ a)
            self.w[k] += self.loss.flow(float(scores[k]), y, n * h) / n * a


class Sketch:
    """Rows `S`, one column wide until the first vector tells the dimension."""

    def __init__(self, m):
        self.m = m
        self.S = np.zeros((0, 1))

    def matrix(self):
        """`S^T S`."""
        return self.S.T @ self.S


class Full:
    """The exact sum of `g g^T`."""

    def __init__(self):
        self.sum = np.zeros((1, 1))

    def matrix(self):
        return self.sum

    def update(self, g):
        self.sum = self.sum + np.outer(g, g)


class RandomProjection(Sketch):
    """`S <- S + r g^T`, with `r = draw(t)`, `t = 0, 1, ...`."""

    def __init__(self, m, draw):
        super().__init__(m)
        self.draw, self.t = draw, 0
        self.S = np.zeros((m, 1))

    def update(self, g):
        self.S = self.S + np.outer(self.draw(self.t), g)
        self.t += 1


class FrequentDirections(Sketch):
    """`S^T S + g g^T = V^T Sigma V`; `S <- (Sigma - Sigma_mm)^(1/2) V`; `removed` sums `Sigma_mm`."""

    def __init__(self, m):
        super().__init__(m)
        self.removed = 0.0

    def shrink(self):
        _, roots, V = np.linalg.svd(self.S, full_matrices=False)
        squares = roots[: self.m] ** 2
        rho = squares[-1] if len(squares) == self.m else 0.0
        # row m has become 0
        self.S = np.sqrt(squares - rho)[: self.m - 1, None] * V[: self.m - 1]
        self.removed += rho

    def update(self, g):
        self.S = np.vstack([*self.S, g])
        self.shrink()


class EpochDirections(FrequentDirections):
    """Frequent directions that shrink only after every `m` vectors (algorithm 16)."""

    def __init__(self, m):
        super().__init__(m)
        self.recent = 0

    def update(self, g):
        self.S = np.vstack([*self.S, g])
        self.recent += 1
        if self.recent == self.m:
            self.shrink()
            self.recent = 0


class Oja(Sketch):
    """`lambda_i += p_i^2`, `V <- V + diag(1 / lambda) p g^T`, `p = V g`; `S = lambda^(1/2) V`.

    There, `lambda` is at least a millionth of `|g|^2`.

    `V` is then orthonormalised in row order. While it has fewer than `m` rows, one is added for what
    of `g` they do not span. The first `exact` vectors are merged exactly: `S` has the `m` largest
    directions of `S^T S + g g^T`.
    """

    def __init__(self, m, exact=256):
        super().__init__(m)
        self.V = np.zeros((0, 1))
        self.lambdas = np.zeros(0)
        self.exact = exact

    def merge(self, g):
        p = self.V @ g if len(self.V) else np.zeros(0)
        within = g if g @ g - p @ p > 1e-6 * (g @ g) else self.V.T @ p
        _, roots, V = np.linalg.svd(np.vstack([*self.S, within]), full_matrices=False)
        rank = len(self.V) + (within is g)
        self.V, self.S = V[:rank][: self.m], (roots[:, None] * V)[:rank][: self.m]
        self.lambdas = roots[:rank][: self.m] ** 2

    def update(self, g):
        norm = g @ g
        if norm == 0.0:
            return
        if self.exact > 0:
            self.exact -= 1
            self.merge(g)
            return
        p = (self.V * g).sum(axis=1)
        rest = norm - p @ p
        if len(p) < self.m and rest > 1e-6 * norm:
            rho = math.sqrt(rest)
            self.V = np.vstack([*self.V, (g - self.V.T @ p) / rho])
            self.lambdas = np.append(self.lambdas, 0.0)
            p = np.append(p, rho)
        self.lambdas = self.lambdas + p * p
        step = p / np.maximum(self.lambdas, 1e-6 * norm)
        Q, R = np.linalg.qr((self.V + np.outer(step, g)).T)
        self.V = (Q * np.sign(np.diag(R))).T
        self.S = np.sqrt(self.lambdas)[:, None] * self.V


class SparseNewton(Oracle):
    """The same with `w = v + Z^T b`; what is added to `v` and `Z` is 0 where `x` is.

    Luo (2016), section 4.5.

    Only a rebase is dense, and frequent directions reach where the last `m` rounds' `x` were not 0.
    """

    def __init__(self, dimension, loss, m, alpha, slab=math.inf, curvature=1.0, rate=None):
        super().__init__(dimension, loss)
        self.m, self.alpha, self.slab = m, alpha, slab
        self.curvature, self.rate = curvature, rate
        self.v = np.zeros(dimension)
        self.Z = np.zeros((0, dimension))
        self.b = np.zeros(0)

    def solve(self, x):
        """`a` and `c` with `alpha A^-1 x = a + Z^T c`."""
        raise NotImplementedError

    def sketch(self, g):
        """Take up `g` without a change of `w`."""
        raise NotImplementedError

    def project(self, x):
        """`v` and `b` after the projection onto the slab."""
        z = self.Z @ x
        tau = excess(float(self.v @ x + self.b @ z), self.slab)
        if tau == 0.0:
            return self.v, self.b
        a, c = self.solve(x)
        k = tau / (x @ a + c @ z)
        return self.v - k * a, self.b - k * c

    def weights(self, x):
        v, b = self.project(x)
        return v + b @ self.Z

    def update(self, x, y, g, w):
        self.v, self.b = self.project(x)
        eta = self.rate(self.rounds) if self.rate else 0.0
        sketched = math.sqrt(self.curvature + eta) * g * x
        if sketched.any():
            self.sketch(sketched)
        a, c = self.solve(g * x)
        self.v = self.v - a / self.alpha
        self.b = self.b - c / self.alpha


class SparseRandomProjection(SparseNewton):
    """`S = Z`, `K = Z Z^T` (algorithm 15)."""

    def __init__(self, dimension, loss, m, draw, alpha, **options):
        super().__init__(dimension, loss, m, alpha, **options)
        self.draw, self.taken = draw, 0
        self.Z = np.zeros((m, dimension))
        self.K = np.zeros((m, m))
        self.b = np.zeros(m)

    def solve(self, x):
        return x, -np.linalg.solve(self.alpha * np.eye(self.m) + self.K, self.Z @ x)

    def sketch(self, g):
        r = self.draw(self.taken)
        self.taken += 1
        self.Z = self.Z + np.outer(r, g)
        self.v = self.v - (r @ self.b) * g
        half = np.outer(self.Z @ g - (g @ g) / 2 * r, r)
        self.K = self.K + half + half.T


class SparseOja(SparseNewton):
    """`V = F Z`, `K = Z Z^T`; `Z <- Z + delta g^T`, `delta = F^-1 diag(1 / lambda) F Z g`."""

    def __init__(self, dimension, loss, m, alpha, **options):
        super().__init__(dimension, loss, m, alpha, **options)
        self.F = np.zeros((0, 0))
        self.K = np.zeros((0, 0))
        self.lambdas = np.zeros(0)
        self.rebases = 0

    def solve(self, x):
        shares = self.lambdas / (self.alpha + self.lambdas)
        return x, -self.F.T @ (shares * (self.F @ (self.Z @ x)))

    def grow(self, g, rho):
        """Add the row `(g - V^T V g) / rho` to `V`, as `g / rho` in `Z`."""
        z = self.Z @ g
        self.F = np.block([[self.F, np.zeros((len(z), 1))], [-(self.F @ z) @ self.F / rho, 1.0]])
        self.K = np.block([[self.K, z[:, None] / rho], [z / rho, g @ g / rho**2]])
        self.Z = np.vstack([self.Z, g / rho])
        self.b = np.append(self.b, 0.0)
        self.lambdas = np.append(self.lambdas, 0.0)

    def sketch(self, g):
        norm = g @ g
        if norm == 0.0:
            return
        p = self.F @ (self.Z @ g)
        rest = norm - p @ p
        if len(p) < self.m and rest > 1e-6 * norm:
            self.grow(g, math.sqrt(rest))
        z = self.Z @ g
        p = self.F @ z
        self.lambdas = self.lambdas + p * p
        step = p / np.maximum(self.lambdas, 1e-6 * norm)
        delta = self.turned_back(step)
        self.v = self.v - (delta @ self.b) * g
        self.K = self.K + np.outer(delta, z) + np.outer(z, delta) + norm * np.outer(delta, delta)
        self.Z = self.Z + np.outer(delta, g)
        self.F = np.linalg.solve(np.linalg.cholesky(self.F @ self.K @ self.F.T), self.F)
        # the error of F K F^T grows with K
        if self.K.max(initial=0.0) > 1e3:
            self.rebase()

    def turned_back(self, step):
        """From rows of `V = F Z` to rows of `Z`."""
        return np.linalg.solve(self.F, step)

    def rebase(self):
        """`v <- v + Z^T b`, `b <- 0`, `Z <- F Z`, `F <- I`, in every coordinate."""
        self.rebases += 1
        self.v = self.v + self.b @ self.Z
        self.b = np.zeros_like(self.b)
        self.Z = self.F @ self.Z
        self.F = np.eye(len(self.b))
        self.K = self.Z @ self.Z.T


class SparseEpochDirections(SparseNewton):
    """`S = [D F Z; G]`, `V = F Z`, `C = S S^T` (algorithm 18 with the repair of docs/errata.md).

    The rows of `V` appear from the data, so that `m` may exceed the rank and the dimension.
    """

    def __init__(self, dimension, loss, m, alpha, **options):
        super().__init__(dimension, loss, m, alpha, **options)
        self.F = np.zeros((0, 0))
        self.D = np.zeros(0)
        self.G = np.zeros((0, dimension))
        self.C = np.zeros((0, 0))
        self.rebases = 0

    def image(self, x):
        """`S x`."""
        return np.append(self.D * (self.F @ (self.Z @ x)), self.G @ x)

    def solve(self, x):
        h = np.linalg.solve(self.alpha * np.eye(len(self.C)) + self.C, self.image(x))
        k = len(self.D)
        return x - h[k:] @ self.G, -self.F.T @ (self.D * h[:k])

    def sketch(self, g):
        column = self.image(g)
        self.C = np.block([[self.C, column[:, None]], [column, g @ g]])
        self.G = np.vstack([self.G, g])
        if len(self.G) == self.m:
            self.shrink()

    def shrink(self):
        """Replace `V` by the top eigenvectors of `S^T S`, written as `N1 Z + N2 G`."""
        k, GG = len(self.D), self.G @ self.G.T
        M = self.G @ self.Z.T @ self.F.T
        # G - M V = L Q, from the Gram matrix of its rows
        values, E = np.linalg.eigh(GG - M @ M.T)
        kept = values > 1e-12 * np.trace(GG)
        L, N = E[:, kept] * np.sqrt(values[kept]), (E[:, kept] / np.sqrt(values[kept])).T
        ML = np.hstack([M, L])
        B = ML.T @ ML
        B[:k, :k] += np.diag(self.D**2)
        values, U = np.linalg.eigh(B)
        values, U = values[::-1][: self.m], U.T[::-1][: self.m]
        rho = values[-1] if len(values) == self.m else 0.0
        if k == self.m:
            # row m weighs nothing, so it may stay near the old one, which keeps N1 regular
            row = np.eye(U.shape[1])[k - 1] - U[:-1, k - 1] @ U[:-1]
            length = np.linalg.norm(row)
            if length > 1e-4:
                U = np.vstack([U[:-1], row / length])
        N1, N2 = (U[:, :k] - U[:, k:] @ N @ M) @ self.F, U[:, k:] @ N
        if k == 0 or len(U) > k or np.linalg.cond(N1) > 1e4:
            self.rebases += 1
            self.v = self.v + self.b @ self.Z
            self.Z = N1 @ self.Z + N2 @ self.G
            self.b, self.F = np.zeros(len(U)), np.eye(len(U))
        else:
            Delta = np.linalg.solve(N1, N2)
            self.v = self.v - self.b @ Delta @ self.G
            self.Z = self.Z + Delta @ self.G
            self.F = N1
        self.D = np.sqrt(np.maximum(values - rho, 0.0))
        self.C = np.diag(self.D**2)
        self.G = self.G[:0]


def splitmix64(z):
    """The finaliser of splitmix64, on 64 bits."""
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9 % 2**64
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB % 2**64
    return z ^ (z >> 31)


def gaussians(seed, t, m):
    """The vector of round `t`: `m` normal numbers of variance `1 / m`, by Box and Muller."""

    def word(n):
        return splitmix64((seed * 0x9E3779B97F4A7C15 + n) % 2**64) >> 11

    def normal(n):
        u1, u2 = (word(n + 1) + 1) * 2.0**-53, word(n + 2) * 2.0**-53
        return math.sqrt(-2.0 * math.log(u1)) * math.cos(2.0 * math.pi * u2)

    return np.array([normal((t * m + i) * 2) for i in range(m)]) / math.sqrt(m)
