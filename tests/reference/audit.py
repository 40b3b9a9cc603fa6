"""Audits, dense and plain: lanes that ascend the dual of "the best linear model of norm B".

The bound of a lane with numbers g_t is  -sum h_t l_t*(g_t) - B ||sum h_t g_t x_t / m||,  m_i the
largest |x_i| of all. A lane holds weights w, in units of the scales of its time, and visits an example
by the step  g = l'(s - eta h (g - g_before) |x|^2),  w -= eta h (g - g_before) x,  then into the ball,
with  eta = a B / sqrt(sum (h g |x|)^2 + (h l |x|)^2),  where l is the Lipschitz constant 1, or l'(s) if
there is none.
"""

import numpy as np

MASK = (1 << 64) - 1


def splitmix(z: int) -> int:
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9 & MASK
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB & MASK
    return z ^ (z >> 31)


def logistic_step(v, n, y):
    m = y * v
    low, high = m, m + n
    for _ in range(100):  # z = m + n q, q = 1 / (1 + e^z)
        z = (low + high) / 2
        e = np.exp(-np.abs(z))
        q = np.where(z > 0, e, 1.0) / (1 + e)
        below = z < m + n * q
        low, high = np.where(below, z, low), np.where(below, high, z)
    return -y * q, np.log1p(e) + np.abs(z) * e / (1 + e)


def step(loss, parameter, v, n, y):
    """g = l'(v - n g), and -l*(g), of a loss."""
    over = lambda a: a / np.maximum(n, 1e-300)  # noqa: E731
    if loss == "logistic":
        return logistic_step(v, n, y)
    if loss == "hinge":
        q = np.clip(over(parameter - y * v), 0, 1)
        return -y * q, parameter * q
    if loss == "squared_hinge":
        q = np.maximum(0, 2 * (parameter - y * v) / (1 + 2 * n))
        return -y * q, parameter * q - q * q / 4
    if loss == "squared":
        g = 2 * (v - y) / (1 + 2 * n)
        return g, -(g * y + g * g / 4)
    if loss in ("absolute", "quantile"):
        low, high = (-1, 1) if loss == "absolute" else (-parameter, 1 - parameter)
        g = np.clip(over(v - y), low, high)
        return g, -g * y
    e = v - y  # epsilon-insensitive
    g = np.sign(e) * np.minimum(over(np.maximum(np.abs(e) - parameter, 0)), 1)
    return g, -(g * y + parameter * np.abs(g))


def slope_squared(loss, parameter, s, y):
    if loss == "squared":
        return 4 * (s - y) ** 2
    if loss == "squared_hinge":
        return 4 * np.maximum(0, parameter - y * s) ** 2
    return 1.0


def audit(X, y, loss, parameter, norm, rate, h=None, scaled=True, revisits=1, memory=8192):
    """The bound of a lane, without rounding; y is -1 or +1, or the target."""
    X = np.float32(X).astype(float)
    h = np.ones(len(X)) if h is None else h
    w = np.zeros(X.shape[1], np.float32)
    G = np.zeros(X.shape[1])
    scale = np.zeros(X.shape[1])
    slopes, values = np.zeros(len(X)), np.zeros(len(X))
    size, squares, factor = 0.0, 0.0, 1.0
    drawn = 0

    def visit(t):
        nonlocal size, squares, factor, w
        unit = np.where(scale > 0, X[t] / np.where(scale > 0, scale, 1), 0.0) if scaled else X[t]
        unit = np.float32(unit)
        xx = float(unit.astype(float) @ unit.astype(float))
        s = factor * (w.astype(float) @ unit.astype(float))
        seen = squares + slope_squared(loss, parameter, s, y[t]) * h[t] ** 2 * xx
        eta = rate * norm / np.sqrt(seen) if seen > 0 else 0.0
        n = eta * h[t] * xx
        before = slopes[t]
        g, values[t] = step(loss, parameter, s + n * before, n, y[t])
        change = h[t] * (g - before)
        slopes[t] = g
        squares = max(0.0, squares + (g**2 - before**2) * h[t] ** 2 * xx)
        size = max(0.0, size + eta * change * (eta * change * xx - 2 * s))
        w += np.float32(-eta * change / factor) * unit
        G[:] += change * X[t]
        factor = factor * norm / np.sqrt(size) if size > norm**2 else factor
        size = min(size, norm**2)

    for t in range(len(X)):
        chosen = []
        kept = min(t, memory)
        for _ in range(revisits if kept else 0):
            drawn += 1
            slot = splitmix(drawn * 0x9E3779B97F4A7C15 & MASK) % kept
            last = (t - 1 - slot) // memory * memory + slot  # the example that lies there now
            chosen.append(last)
        scale = np.maximum(scale, np.abs(X[t]))
        for each in [t, *chosen]:
            visit(each)
    unit = np.where(scale > 0, scale, 1.0) if scaled else np.ones(X.shape[1])
    return h @ values - norm * np.linalg.norm(G / unit)
