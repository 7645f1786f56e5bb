"""The weighted rule in expansion coefficients, where Tanaka, Washizawa & Kuh state the problem:

    E[k k'] a = lambda K a        (through Souza Filho & Diniz 2017, section I)

with the kernel values k of a row, the Gram matrix K of the atoms and its inverse. What the rule
does with it is derived in `okpca.rules.tracking`; here it is carried out without any recursion for
its solution: sums, then a matrix equation solved afresh for every row. Nothing here imports okpca.
"""

import numpy as np

from naive import _NaiveHebbian


class NaiveTracking(_NaiveHebbian):
    """Dictionary, inverse and mean are those of the Hebbian oracles. A (m, r) holds coefficients.

    weights : (r,) decreasing, D = diag(weights).
    beta : forgetting of the sums
        C = sum_i beta^(t - i) w_i y_i y_i'           (r, r)
        N = sum_i beta^(t - i) w_i k_i y_i'           (m, r), k_i over the atoms of today
    which start as kappa(x_1, x_1) times the identity, and as what gives back the start A1.
    """

    def __init__(self, kappa, nu, weights, beta, A1, **options):
        super().__init__(kappa, nu, None, A1, **options)
        self.weights, self.beta = np.diag(weights), beta

    def _initialise(self, x):
        super()._initialise(x)
        self.C = self.K[0, 0] * np.eye(len(self.weights))
        self.N = self.K @ self.A @ self.C @ np.linalg.inv(self.weights)

    def _update(self, k, beta):
        if len(self.N) < self.m:
            # Rows before the newest atom are known by their projection on the older ones: its
            # kernel with them follows from theirs.
            older = np.linalg.solve(self.K[:-1, :-1], self.N)
            self.N = np.vstack([self.N, self.K[-1, :-1] @ older])
        # As many components learn as there are atoms; C keeps the others apart.
        y = np.zeros(len(self.weights))
        some = slice(min(self.m, len(y)))
        y[some] = self.A.T[some] @ k
        leverage = y[some] @ np.linalg.solve(self.beta * self.C[some, some], y[some])
        w = min(1.0, 1.0 / leverage) if leverage > 0 else 1.0
        self.C[some, some] = self.beta * self.C[some, some] + w * np.outer(y[some], y[some])
        self.N[:, some] = self.beta * self.N[:, some] + w * np.outer(k, y[some])
        # K A C = N D: the weighted rule K A (A' E[k k'] A) = E[k k'] A D, with sums for E
        solved = self.weights[some, some] @ np.linalg.inv(self.C[some, some])
        self.A[:, some] = self.Kinv @ self.N[:, some] @ solved
        return y

    def normalised(self):
        """A D^-1/2: norms tend to one. Those beyond the dimensions have no direction."""
        A = self.A @ np.diag(np.diag(self.weights) ** -0.5)
        A[:, self.m :] = 0.0
        return A
