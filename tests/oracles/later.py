"""The later literature in expansion coefficients, with inner products by the Gram matrix.

[W]   J. Weng, Y. Zhang, W.-S. Hwang, "Candid covariance-free incremental principal component
      analysis", TPAMI 2003.
[G]   S. Günter, N. Schraudolph, S. Vishwanathan, "Fast iterative kernel principal component
      analysis", JMLR 2007.
[HW]  A. Henriksen, R. Ward, "AdaOja: adaptive learning rates for streaming PCA", 2019.
[YHW] P. Yang, C.-J. Hsieh, J.-L. Wang, "History PCA: a new algorithm for streaming PCA", 2018.
[KT]  J. Kwok, I. Tsang, "The pre-image problem in kernel methods", ICML 2003, TNN 2004.

A row is its coefficients beta over the atoms, centred; dictionary, inverse and mean are those of
the Hebbian oracles. Nothing here imports okpca. What is derived rather than printed is said in
`okpca.rules`: where components begin, the largest gains.
"""

import numpy as np

from oracles.honeine import NaiveHebbian

LEAST = 1e-6  # share of its square that must be left of a row to begin a component


class NaiveLater(NaiveHebbian):
    """A has r columns; those of components that have not begun are zero."""

    def __init__(self, kappa, nu, r, **options):
        super().__init__(kappa, nu, None, np.zeros((1, r)), **options)

    def dot(self, a, b):
        """Of functions, by their coefficients."""
        return a @ self.K @ b

    def unit(self, a):
        return a / np.sqrt(self.dot(a, a))


class NaiveCCIPCA(NaiveLater):
    """[W] with its amnesic parameter, l on paper."""

    def __init__(self, kappa, nu, r, amnesic, **options):
        super().__init__(kappa, nu, r, **options)
        self.amnesic = amnesic

    def _update(self, k, beta):
        u, n = beta, self.t
        whole = self.dot(u, u)
        for i in range(self.A.shape[1]):
            v = self.A[:, i]
            if not v.any():
                if self.dot(u, u) > LEAST * whole:
                    late = min((self.A.shape[1] + 1) / n, 1.0)
                    self.A[:, i] = late * np.sqrt(self.dot(u, u)) * u
                return
            new = min((1 + self.amnesic) / n, 0.5)
            v = (1 - new) * v + new * u * self.dot(u, self.unit(v))
            self.A[:, i] = v
            u = u - self.dot(u, self.unit(v)) * self.unit(v)

    def eigenvalues(self):
        return self.norms()

    def project(self, X):
        lengths = np.where(self.norms() > 0, self.norms(), 1.0)
        return super().project(X) / lengths


class NaiveBlocks(NaiveLater):
    """Rows, times sqrt(n / (n - 1)) for the mean that moves with them, by blocks of B."""

    def __init__(self, kappa, nu, r, block, **options):
        super().__init__(kappa, nu, r, **options)
        self.block, self.rows, self.begun, self.n = block, [], 0, 0

    def _update(self, k, beta):
        x = beta * np.sqrt(self.t / (self.t - 1)) if self.center else beta
        if self.begun < self.A.shape[1]:
            rest = x
            for _ in range(2):
                for a in self.A.T[: self.begun]:
                    rest = rest - self.dot(rest, a) * a
            if self.dot(rest, rest) > LEAST * self.dot(x, x):
                self.A[:, self.begun] = self.unit(rest)
                self.begun += 1
        self.rows.append(x)
        if len(self.rows) == self.block:
            self.n += self.block
            # atoms that have joined in the middle of the block
            rows = [np.append(row, np.zeros(self.m - len(row))) for row in self.rows]
            self.rows = []
            self._block(rows)

    def covariance(self, rows, a):
        """sum over the rows of phi <phi, a>"""
        return sum(row * self.dot(row, a) for row in rows)

    def orthonormalise(self, columns):
        """QR by Gram and Schmidt, under the Gram matrix"""
        done = []
        for a in columns:
            for _ in range(2):
                for b in done:
                    a = a - self.dot(a, b) * b
            done.append(self.unit(a))
        self.A[:, : len(done)] = np.array(done).T


class NaiveAdaOja(NaiveBlocks):
    """[HW] for k components, a step size for each."""

    def __init__(self, *arguments, b0=1e-5, **options):
        super().__init__(*arguments, **options)
        self.b = np.full(self.A.shape[1], b0)

    def _block(self, rows):
        columns = []
        for j, q in enumerate(self.A.T[: self.begun]):
            G = self.covariance(rows, q) / self.block
            self.b[j] = np.sqrt(self.b[j] ** 2 + self.dot(G, G))
            columns.append(q + G / self.b[j])
        self.orthonormalise(columns)


class NaiveHistory(NaiveBlocks):
    """[YHW] Means over the blocks, the last of them the newest."""

    def __init__(self, *arguments, iterations=1, **options):
        super().__init__(*arguments, **options)
        self.iterations, self.lam = iterations, np.zeros(self.A.shape[1])

    def _block(self, rows):
        n, old = self.n, self.A.copy()
        for _ in range(self.iterations):
            columns = []
            for j in range(self.begun):
                q = self.A[:, j].copy()
                history = sum(
                    lam * self.dot(a, q) * a for lam, a in zip(self.lam, old.T, strict=True)
                )
                columns.append((n - self.block) / n * history + self.covariance(rows, q) / n)
            lam = [np.sqrt(self.dot(a, a)) for a in columns]
            self.orthonormalise(columns)
        self.lam[: self.begun] = lam


class NaiveGains(NaiveHebbian):
    """[G] KHA/et (mu = 0) and KHA-SMD in their matrices: the rows of A' are components, lt() keeps
    the lower triangle. B holds the differentials, eta(t) = eta0 tau / (t + tau)."""

    def __init__(self, kappa, nu, eta, A1, window, mu=0.0, xi=0.99, **options):
        super().__init__(kappa, nu, eta, A1, **options)
        self.B = np.zeros_like(self.A)
        r = self.A.shape[1]
        self.rho, self.lam = np.zeros(r), np.zeros(r)
        self.window, self.mu, self.xi = window, mu, xi

    def _update(self, k, beta):
        self.B = np.vstack([self.B, np.zeros((self.m - len(self.B), self.B.shape[1]))])
        A, B = self.A.T, self.B.T
        y, dy = A @ k, B @ k
        rate = max(1 / self.t, 1 / self.window)
        self.lam = self.lam + rate * (y**2 / self.norms() ** 2 - self.lam)
        lt = np.tril
        gamma = np.outer(y, beta) - lt(np.outer(y, y)) @ A
        change = (
            np.outer(dy, beta) - lt(np.outer(dy, y) + np.outer(y, dy)) @ A - lt(np.outer(y, y)) @ B
        )
        self.rho = self.rho + self.mu * np.diag(gamma @ self.K @ B.T)
        gain = np.exp(self.rho) * self.eta(self.t) * np.linalg.norm(self.lam) / self.lam
        gain = np.minimum(gain, 1 / (beta @ self.K @ beta))
        self.A = (A + np.diag(gain) @ gamma).T
        if self.mu:
            self.B = (self.xi * B + np.diag(gain) @ (gamma + self.xi * change)).T
        return y


def by_distances(squared_distance, atoms, feature_distance, n_neighbours):
    """[KT] The point at given distances from its neighbours.

    squared_distance: of the input space, as a function of that of the feature space and the atom's
    number; feature_distance: of the target from every atom, squared.
    """
    near = np.argsort(feature_distance, kind="stable")[:n_neighbours]
    X = atoms[near].T  # d x n, as theirs
    n = X.shape[1]
    H = np.eye(n) - np.ones((n, n)) / n
    U, size, Vt = np.linalg.svd(X @ H, full_matrices=False)
    kept = size > 1e-3 * size[0]
    U, Z = U[:, kept], np.diag(size[kept]) @ Vt[kept]
    d0 = np.square(Z).sum(axis=0)
    d = np.array([squared_distance(feature_distance[i], i) for i in near])
    z = -0.5 * np.linalg.inv(Z @ Z.T) @ Z @ (d - d0)
    return U @ z + X.mean(axis=1)
