"""Souza Filho & Diniz: OO-KHA and ON-KHA as printed, SubKHA as they describe it.

[SF]  J. B. O. Souza Filho, P. S. R. Diniz, "Improving KPCA online extraction by orthonormalization
      in the feature space", IEEE TNNLS 2017. doi:10.1109/TNNLS.2017.2660441

Slips that are corrected here, not copied
----------
[SF] (59)        the zero blocks are m x 1 and 1 x m, not p x 1 and 1 x p; Table I line 10 is right.
[SF] T. I l. 9   the lower left block lacks its transpose; (60) is right.
[SF] T. I l. 16  y = A kappa lacks a transpose; (45) is right: y = A' kappa.
[SF] T. I l. 19  beta' y has the transpose on the wrong factor; (46) is right: beta y'.
"""

import numpy as np

from oracles.honeine import NaiveHebbian


class NaiveOOKHA(NaiveHebbian):
    """OO-KHA: [SF] (50)-(52), i.e. Table I without lines 20-22.

    Slips corrected: lines 16 and 19 are transposed as in (51), (52); (59), line 9: see the module.
    """

    def _update(self, k, beta):
        y = self.A.T @ k  # line 16, (51)
        eta = self.eta(self.t)  # line 17
        yy = np.outer(y, y)
        M = 2 * np.triu(yy) - np.diag(np.diag(yy))  # line 18, (50)
        self.A = self.A + eta * (np.outer(beta, y) - self.A @ M)  # line 19, (52)
        return y


class NaiveONKHA(NaiveOOKHA):
    """ON-KHA: [SF] Table I, (45)-(50).

    Slips corrected: as in `NaiveOOKHA`. A(1) is not normalised, as in line 1: the first
    normalisation is that of the second row.
    """

    def _update(self, k, beta):
        y = super()._update(k, beta)  # lines 16-19, (45), (46), (50): the result is A hat
        P = self.K @ self.A  # line 20, (47)
        r = self.A.shape[1]
        n = np.array([1 / np.sqrt(self.A[:, j] @ P[:, j]) for j in range(r)])  # line 21, (48)
        self.A = self.A @ np.diag(n)  # line 22, (49)
        return y


def cgso_step(W, x, eta):
    """[SF] (11)-(17): Oja's rule for each column of W, then classical Gram-Schmidt."""
    new = np.empty_like(W)
    for j in range(W.shape[1]):
        y = W[:, j] @ x  # (11)
        f = x - y * W[:, j]  # (15)
        w = W[:, j] + eta * y * f  # (12)
        g = np.zeros_like(x)
        for i in range(j):
            g += (w @ new[:, i]) * new[:, i]  # (16), (17)
        w = w - g  # (13)
        new[:, j] = w / np.linalg.norm(w)  # (14)
    return new


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


class NaiveExchange:
    """SubKHA's dictionary: when full, the member with the smallest leave-one-out distance goes if
    the newcomer is farther than alpha times that. The inverse is computed afresh every time. Of
    members equally far (two of a unit-norm kernel always are) the oldest goes."""

    def __init__(self, kappa, nu, max_atoms, alpha=1.0):
        self.kappa, self.nu, self.max_atoms, self.alpha = kappa, nu, max_atoms, alpha
        self.atoms = []
        self.exchanges = 0

    def step(self, x):
        x = np.asarray(x, dtype=float)
        kxx = float(self.kappa(x[None], x[None])[0, 0])
        if not self.atoms:
            self.atoms.append(x)
            return
        D = np.array(self.atoms)
        inverse = np.linalg.inv(self.kappa(D, D))
        k = self.kappa(D, x[None])[:, 0]
        eps2 = kxx - k @ inverse @ k
        if eps2 < self.nu * kxx:
            return
        if len(self.atoms) >= self.max_atoms:
            distance = 1 / np.diag(inverse)
            if eps2 <= self.alpha * distance.min():
                return
            self.atoms.pop(int(np.argmax(distance <= (1 + 1e-9) * distance.min())))
            self.exchanges += 1
        self.atoms.append(x)
