"""Kashima's three algorithms as printed: sums over all past rows, nothing but kernel values.

H. Kashima, "On-line kernel principal component analysis", IBM Research Report RT0401, 2001.
Equation numbers are his; time is his t, x(0) the row that starts the weights, x(1), x(2), … the
stream. A kernel is a plain function ``kappa(X, Y) -> matrix``. Nothing here imports okpca.

Slips of the text that are corrected here, not copied
----------
(18)-(25), (40), (60)   the factor in psi is 1 - eta y^2, not 1 - y^2; (46) alone of the APEX lines
                        lacks the eta that (48)-(51) have.
(40)                    y^2(t - 1) should be y^2(t), see (25); and tau starts at 0, for (38) uses
                        psi(0, t - 1).
(9), (42)               mix the exponents p and p - 1 of a: the lateral vector of component p has
                        p - 1 entries. With the plus sign of (9), (11) lets a tend to minus the
                        correlation; we keep the sign of its anti-Hebbian term: the output is
                        w'phi - a'y and a grows with y y_prev.
(10), (11), (43)-(53)   write y for the factor outside the brackets, which by (41) is w'phi without
                        the lateral connections; then every component would learn the first one. It
                        is the output y~ of (42), as in Kung & Diamantaras.
(53), (61)              K(x^(p)(0), x^(p)(t)): there is one x(t) for all p.
(57)-(61)               y(tau, tau) without the exponent is y^(p)(tau, tau).
"""

import numpy as np


def polynomial(degree):
    """(14)"""
    return lambda X, Y: (X @ Y.T + 1) ** degree


class _Past:
    """Rows seen so far, x(0) first, in an array that doubles when full."""

    def __init__(self, kappa, x0):
        self.kappa, self.t = kappa, 0
        self.rows = np.array(x0, dtype=float)[None]
        self.c = 1 / np.sqrt(kappa(self.rows, self.rows)[0, 0])  # (30)

    def values(self, x):
        """K(x(tau), x) for tau = 0..t - 1, x being x(t)."""
        return self.kappa(self.rows[: self.t], x[None])[:, 0]

    def take(self, x):
        self.rows = _room(self.rows, self.t + 1)
        self.rows[self.t] = x


def _room(table, n):
    """The same table with at least n rows."""
    if n <= len(table):
        return table
    return np.concatenate(
        [table, np.zeros((max(n, 2 * len(table)) - len(table), *table.shape[1:]))]
    )


class FirstComponent(_Past):
    """Section 3.2: O(t) for step t."""

    def __init__(self, kappa, eta, x0):
        super().__init__(kappa, x0)
        self.eta = eta
        self.y, self.psi = np.zeros(1), np.ones(1)

    def step(self, x):
        """Take x(t), return y(t)."""
        self.t += 1
        t, k = self.t, self.values(x)
        self.y, self.psi = _room(self.y, t + 1), _room(self.psi, t + 1)
        past = self.eta * np.sum(self.y[1:t] * self.psi[1:t] * k[1:])  # (37)
        y = past + self.c * self.psi[0] * k[0]  # (38)
        self.y[t] = y
        self.psi[:t] *= 1 - self.eta * y**2  # (40), eta and time mended
        self.psi[t] = 1  # (39)
        self.take(x)
        return y


class OneByOne(_Past):
    """Section 3.3.1, APEX: O(t + p) for step t of component p.

    turn=None lets all components learn from every row; a number N lets component p learn from
    x(t) with (p - 1) N <= t < p N, the row x(0) counting as the first.
    """

    def __init__(self, kappa, eta, x0, n_components, turn=None):
        super().__init__(kappa, x0)
        self.eta, self.P, self.turn = eta, n_components, turn
        self.y, self.psi = np.zeros((1, self.P)), np.ones((1, self.P))
        self.a = [np.zeros(p) for p in range(self.P)]

    def step(self, x):
        """Take x(t), return the outputs y~(t) of all components."""
        self.t += 1
        t, k = self.t, self.values(x)
        self.y, self.psi = _room(self.y, t + 1), _room(self.psi, t + 1)
        out = np.zeros(self.P)
        for p in range(self.P):
            past = self.eta * np.sum(self.y[1:t, p] * self.psi[1:t, p] * k[1:])  # (53)
            plain = past + self.psi[0, p] * self.c * k[0]
            out[p] = plain - self.a[p] @ out[:p]  # (42)
        for p in range(self.P):
            if self.turn is None or t // self.turn == p:
                self._learn(p, out)
        self.psi[t] = 1  # (50); y[t, p] is 0 where nothing was learned
        self.take(x)
        return out

    def _learn(self, p, out):
        y = out[p]
        self.y[self.t, p] = y
        self.psi[: self.t, p] *= 1 - self.eta * y**2  # (51)
        self.a[p] = self.a[p] + self.eta * y * (out[:p] - y * self.a[p])  # (44)


class Simultaneous(_Past):
    """Section 3.3.2: O(t^2 p) for step t of component p.

    The outputs of all old weights for the new row, y(t', t) for t' <= t, are computed from their
    definition (61) each time: for each t' a sum over tau < t'.
    """

    def __init__(self, kappa, eta, x0, n_components, beta):
        super().__init__(kappa, x0)
        self.eta, self.P, self.beta = eta, n_components, beta
        self.y = np.zeros((1, self.P))  # y(tau, tau)
        self.psi = np.zeros((self.P, 1, 1))  # psi[p, t', tau] = psi(tau, t' - 1) for tau < t'

    def step(self, x):
        """Take x(t), return y(t, t) of all components."""
        self.t += 1
        t, k = self.t, self.values(x)
        self._extend()
        old = np.zeros((t + 1, self.P))  # y(t', t)
        deflated = np.zeros(t)  # sum over j < p of y^(j)(tau, tau) y^(j)(tau, t)
        for p in range(self.P):
            psi = self.psi[p, 1 : t + 1, :t]  # rows t' = 1..t, columns tau = 0..t - 1
            terms = self.eta * self.y[:t, p] * (k - self.beta * deflated)
            terms[0] = self.c * k[0]
            old[1:, p] = psi @ terms  # (61) for every t'
            deflated += self.y[:t, p] * old[:t, p]
        self.y[t] = old[t]
        self.take(x)
        return old[t]

    def _extend(self):
        """psi(tau, t - 1) for the step t that comes."""
        t = self.t
        self.y = _room(self.y, t + 1)
        if t >= self.psi.shape[1]:
            larger = np.zeros((self.P, 2 * t + 1, 2 * t + 1))
            larger[:, :t, :t] = self.psi[:, :t, :t]
            self.psi = larger
        shrink = 1 - self.eta * self.y[t - 1] ** 2  # (60), eta mended
        self.psi[:, t, : t - 1] = self.psi[:, t - 1, : t - 1] * shrink[:, None]
        self.psi[:, t, t - 1] = 1  # (59)
