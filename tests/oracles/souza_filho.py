"""Literal transcriptions that complete `naive.py`: KHA on a fixed set, and SubKHA.

Both work on expansion coefficients A (m, r), as their papers do. Nothing here imports okpca.
"""

import numpy as np


class NaiveKHA:
    """Kim, Franz & Schölkopf's kernel Hebbian algorithm over a fixed set of points:

        A += eta(t) (b y' - A UT(y y')),    y = A' k(x),    b the unit vector of the point x

    which is Honeine's (19) without selection: every row is one of the points. Centred, with the
    mean of all rows so far as in `naive._NaiveHebbian`.
    """

    def __init__(self, kappa, points, eta, A1, *, center=False):
        self.kappa, self.eta, self.center = kappa, eta, center
        self.mean = np.zeros(len(points))
        self.D = np.asarray(points, dtype=float)
        self.A = np.array(A1, dtype=float)
        self.t = 0

    def step(self, i):
        self.t += 1
        k = self.kappa(self.D, self.D[i : i + 1])[:, 0]
        b = np.eye(len(self.D))[i]
        if self.center:
            self.mean = self.mean + (b - self.mean) / self.t
            b, k = b - self.mean, k - self.kappa(self.D, self.D) @ self.mean
        y = self.A.T @ k
        self.A = self.A + self.eta(self.t) * (np.outer(b, y) - self.A @ np.triu(np.outer(y, y)))

    def project(self, X):
        k = self.kappa(np.asarray(X, dtype=float), self.D)
        return (k - self.kappa(self.D, self.D) @ self.mean) @ self.A


class NaiveSubKHA:
    """SubKHA as Souza Filho & Diniz describe it: Sanger's update in a subset of fixed size.

    Until there are `max_atoms`, every row joins. Then the member with the smallest leave-one-out
    distance 1 / (K^-1)_ii leaves if the newcomer is farther from the span of all than alpha times
    that; what the components lose is the part outside the span of those that stay.
    """

    def __init__(self, kappa, max_atoms, eta, A1, alpha=1.0):
        self.kappa, self.max_atoms, self.eta, self.alpha = kappa, max_atoms, eta, alpha
        self.A = np.array(A1, dtype=float).reshape(1, -1)
        self.D = None
        self.t = 0
        self.exchanges = 0

    @property
    def K(self):
        return self.kappa(self.D, self.D)

    def step(self, x):
        self.t += 1
        x = np.asarray(x, dtype=float)[None]
        if self.D is None:
            self.D = x
            return
        k = self.kappa(self.D, x)[:, 0]
        beta = np.linalg.solve(self.K, k)
        distance = float(self.kappa(x, x)[0, 0] - beta @ k)
        if len(self.D) < self.max_atoms:
            k, beta = self._join(x)
        else:
            alone = 1.0 / np.diag(np.linalg.inv(self.K))
            if distance > self.alpha * alone.min():
                self._leave(int(np.argmin(alone)))
                k, beta = self._join(x)
                self.exchanges += 1
        y = self.A.T @ k
        self.A = self.A + self.eta(self.t) * (np.outer(beta, y) - self.A @ np.triu(np.outer(y, y)))

    def _leave(self, i):
        stay = np.delete(np.arange(len(self.D)), i)
        K = self.K
        self.A = np.linalg.solve(K[np.ix_(stay, stay)], K[stay] @ self.A)
        self.D = self.D[stay]

    def _join(self, x):
        self.D = np.vstack([self.D, x])
        self.A = np.vstack([self.A, np.zeros(self.A.shape[1])])
        return self.kappa(self.D, x)[:, 0], np.eye(len(self.D))[-1]

    def project(self, X):
        return self.kappa(np.asarray(X, dtype=float), self.D) @ self.A
