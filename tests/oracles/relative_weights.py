"""Slow, literal robust weights in units of the usual residual: a dictionary of bins for the
quantiles, and the stream of the exact rule written with the Gram matrix of all rows."""

import math

import numpy as np


class Bins:
    """Weight by ⌊8 log₂ e⌋, shared with the next bin."""

    def __init__(self):
        self.weight = {}

    def add(self, e, weight=1.0, forgetting=1.0):
        for bin in self.weight:
            self.weight[bin] *= forgetting
        if e == 0:
            return
        position = 8 * math.log2(e)
        low = math.floor(position)
        for bin, share in ((low, low + 1 - position), (low + 1, position - low)):
            self.weight[bin] = self.weight.get(bin, 0.0) + weight * share

    def quantile(self, share):
        """Where weight ends just there and the next begins farther up: halfway, in octaves."""
        below, above = (self._position(share * (1 + hair)) for hair in (-1e-9, 1e-9))
        return 2 ** ((below + above) / 2 / 8)

    def _position(self, share):
        goal = share * sum(self.weight.values())
        for bin in sorted(self.weight):
            if goal <= self.weight[bin]:
                return bin - 0.5 + goal / self.weight[bin]
            goal -= self.weight[bin]
        raise ValueError("there is no weight")


def exponential(bins):
    s = bins.quantile(0.5)
    return lambda e: 0.5 ** (e / (2 * s))


def logistic(bins, xi=2.0):
    xi = xi * bins.quantile(0.5)
    return lambda e: 1 - 1 / (1 + math.exp(-8 / xi * (e - xi)))


def auto(bins, reach=3.0):
    """ξ: so many standard deviations beyond the median, on the scale of cube roots."""
    median, quartile = (bins.quantile(share) ** (1 / 3) for share in (0.5, 0.25))
    xi = (median + reach * (median - quartile) / 0.6745) ** 3
    return lambda e: 1 - 1 / (1 + math.exp(-12 / xi * (e - xi)))


class Components:
    """Of the rows in the Gram matrix K, weighted: so many, or as many as hold a share."""

    def __init__(self, K, weight, wanted):
        self.n, self.share = len(weight), weight / weight.sum()
        self.K, self.to_mean = K, K @ self.share
        centred = K - self.to_mean[:, None] - self.to_mean[None] + self.share @ self.to_mean
        root = np.sqrt(weight)
        values, U = np.linalg.eigh(root[:, None] * centred * root)
        values, U = values[::-1], U[:, ::-1]
        real = int((values > 1e-12 * max(values[0], 1e-300)).sum())
        if wanted < 1:
            variance = values[:real].sum()
            shares = (values[:r].sum() >= wanted * variance for r in range(1, real + 1))
            wanted = next((r for r, enough in enumerate(shares, 1) if enough), 0)
        kept = min(real, wanted)
        self.values = values[:kept]
        self.coef = root[:, None] * U[:, :kept] / np.sqrt(values[:kept])

    def residual(self, k, norm):
        """½ (‖φ(x) − μ‖² − Σ ⟨v_j, φ(x) − μ⟩²), from κ(x, x_i) and κ(x, x)."""
        at_mean = self.share @ self.to_mean
        square = norm - 2 * self.share @ k + at_mean
        y = self.coef.T @ (k - self.share @ k - self.to_mean + at_mean)
        return 0.5 * max(square - y @ y, 0.0)


def stream(K, wanted, psi_of, forgetting=1.0):
    """Yields the weight of every row, and the eigenvalues after it.

    Rows are judged by the subspace, and by the usual residual, of the rows before the last look,
    which there is after every row of the first forty and then when a twentieth more have come.
    """
    bins, weight, judge, psi, until = Bins(), np.empty(0), None, None, 1
    for t in range(len(K)):
        if t >= until:
            memory = t if forgetting == 1 else min(t, 1 / (1 - forgetting))
            until = t + max(1, int(memory / 20), int(t / 64))
            judge = Components(K[:t, :t], weight, wanted)
            psi = psi_of(bins) if bins.weight else None
        w = 1.0
        if judge is not None:
            e = judge.residual(K[: judge.n, t], K[t, t])
            w = 1.0 if psi is None else psi(e)
            bins.add(e, 1.0, forgetting)
        weight = np.append(forgetting * weight, w)
        yield w, Components(K[: t + 1, : t + 1], weight, wanted).values if t else np.zeros(1)


def unsettled(K, wanted, psi_of, weight):
    """How far the weights of a batch are from those that its own residuals give."""
    judge = Components(K, weight, wanted)
    e = [judge.residual(K[i], K[i, i]) for i in range(len(K))]
    bins = Bins()
    for value in e:
        bins.add(value)
    psi = psi_of(bins)
    return np.abs(np.array([psi(value) for value in e]) - weight).max()
