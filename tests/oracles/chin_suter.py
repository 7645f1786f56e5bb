"""Chin & Suter's incremental kernel PCA and reduced sets, as printed.

[CS] T.-J. Chin, D. Suter, "Incremental kernel principal component analysis", IEEE Transactions on
     Image Processing 2007. Equation numbers below are theirs.

Slips of the paper
----------
[CS] (9), gamma   n is the number of rows seen; after a reduced set it is no longer the number of
                  columns of A, as the text says. `NaiveIKPCA` keeps the two apart.
[CS] (33), (34)   give back the basis they are to re-orthogonalise: O = Y sigma Q D^-1/2 spans
                  span(U~), so O O' U~ = U~, and only the columns are normalised afterwards. Kept as
                  printed in `reorthogonalised`; `orthonormalised` is what was meant: the
                  orthonormal basis nearest to U~, order kept (Loewdin).
[CS] (31)         "without theoretical guarantee": it has one, more pre-images cannot be worse.
"""

import numpy as np

# -------------------------------------------------------------------------- incremental kernel PCA


def kernel_svd(M):
    """M = Q Delta Q', without the eigenvectors of eigenvalue zero; largest first (5)."""
    values, Q = np.linalg.eigh((M + M.T) / 2)
    values, Q = values[::-1], Q[:, ::-1]
    rank = int(np.sum(values > 1e-12 * max(values[0], 1e-300)))
    return values[:rank], Q[:, :rank]


class NaiveIKPCA:
    """[CS] IV-A on expansion coefficients. `center=False`: incremental kernel SVD (E~ = C).

    State: a (library, rows), alpha (len(a), r), sigma (r,), nu (len(a),), n (rows seen).
    """

    def __init__(self, kappa, r, *, center=True):
        self.kappa, self.r, self.center = kappa, r, center
        self.n = 0

    def update(self, c):
        c = np.asarray(c, dtype=float)
        (self._first if self.n == 0 else self._update)(c)
        self.n += len(c)
        return self

    def _first(self, c):
        n = len(c)
        self.a = c
        self.nu = np.full(n, 1 / n) if self.center else np.zeros(n)  # (2)
        nu_prime = np.eye(n) - np.outer(self.nu, np.ones(n))  # (3)
        M = nu_prime.T @ self.kappa(c, c) @ nu_prime  # (4)
        delta, Q = kernel_svd(M)
        delta, Q = delta[: self.r], Q[:, : self.r]
        self.alpha = nu_prime @ Q / np.sqrt(delta)  # (6)
        self.sigma = np.sqrt(delta)

    def _update(self, c):
        old, i, n = len(self.a), len(c), self.n
        A_bar = np.vstack([self.a, c])
        if self.center:
            omega = np.full(i, 1 / i)  # (8)
            omega_prime = np.eye(i) - np.outer(omega, np.ones(i))  # (10)
            shift = np.sqrt(n * i / (n + i)) * np.concatenate([self.nu, -omega])
            gamma = np.column_stack([np.vstack([np.zeros((old, i)), omega_prime]), shift])
            nu_bar = np.concatenate([n * self.nu, i * omega]) / (n + i)  # (9)
        else:
            gamma = np.vstack([np.zeros((old, i)), np.eye(i)])
            nu_bar = np.zeros(old + i)
        M_bar = self.kappa(A_bar, A_bar)
        L = self.alpha.T @ M_bar[:old] @ gamma  # (20)
        beta = gamma.copy()
        beta[:old] -= self.alpha @ L  # (22)
        delta_H, Q_H = kernel_svd(beta.T @ M_bar @ beta)  # (23)
        if len(delta_H) and delta_H[0] < 1e-13 * max(self.sigma[0] ** 2, 1e-300):
            delta_H, Q_H = delta_H[:0], Q_H[:, :0]  # H is rounding
        Omega = beta @ Q_H / np.sqrt(delta_H)  # (24)
        K = np.sqrt(delta_H)[:, None] * Q_H.T  # (25)
        r = len(self.sigma)
        F = np.vstack(  # (12)
            [np.hstack([np.diag(self.sigma), L]), np.hstack([np.zeros((len(K), r)), K])]
        )
        U, sigma, _ = np.linalg.svd(F, full_matrices=False)  # (16)
        Psi = np.vstack([self.alpha, np.zeros((i, r))]) @ U[:r] + Omega @ U[r:]  # (26)
        keep = min(self.r, int(np.sum(sigma > 1e-12 * sigma[0])))
        self.alpha, self.sigma = Psi[:, :keep], sigma[:keep]  # (17), (18)
        self.a, self.nu = A_bar, nu_bar

    @property
    def eigenvalues(self):
        return self.sigma**2

    def project(self, X):
        """(7), for rows of X."""
        K = self.kappa(np.asarray(X, dtype=float), self.a)
        return (K - (self.kappa(self.a, self.a) @ self.nu)[None, :]) @ self.alpha

    def compress(self, pre_image, p):
        """Table I, lines 9-12."""
        targets = list(self.alpha.T) + ([self.nu] if self.center else [])
        Y, coefficients = reduced_set(self.kappa, pre_image, self.a, targets, p)
        r = len(self.sigma)
        sigma = np.array(coefficients[:r]).T
        gram = self.kappa(Y, Y)
        pi = reorthogonalised(gram, sigma)
        S = pi.T @ self.kappa(Y, self.a) @ self.alpha @ np.diag(self.sigma)  # (35)
        self.nu = coefficients[r] if self.center else np.zeros(len(Y))
        self.alpha, self.sigma, self.a = pi, np.diag(S).copy(), Y
        return self


# ------------------------------------------------------------------------------------ reduced sets


def fixed_point(gamma, iterations=200):
    """The pre-image search for the Gaussian kernel; from the four best starts, the best by (27)."""

    def one(X, coefficients, y):
        for _ in range(iterations):
            weight = coefficients * np.exp(-gamma * ((X - y) ** 2).sum(axis=1))
            if abs(weight.sum()) <= 1e-12 * np.abs(weight).sum():
                break
            before, y = y, weight @ X / weight.sum()
            if np.abs(y - before).max() < 1e-9:
                break
        return y

    def value(X, coefficients, y):
        return (coefficients @ np.exp(-gamma * ((X - y) ** 2).sum(axis=1))) ** 2  # kappa(y, y) = 1

    def search(X, coefficients, starts):
        starts = sorted(starts, key=lambda y: value(X, coefficients, y))[-4:]
        found = [one(X, coefficients, y) for y in starts] + starts
        return max(found, key=lambda y: value(X, coefficients, y))

    return search


def best_coefficients(kappa, Y, X, coefficients):
    """(29), with the pseudoinverse."""
    if not len(Y):
        return np.zeros(0)
    return np.linalg.pinv(kappa(Y, Y), rcond=1e-12) @ kappa(Y, X) @ coefficients


def reduced_set(kappa, pre_image, X, targets, p):
    """p pre-images for each target sum_i t_i phi(x_i), then the second pass.

    Returns the pre-images and, for each target, its coefficients over all of them.
    """
    Y = np.zeros((0, X.shape[1]))
    for t in targets:
        for _ in range(p):
            eta = best_coefficients(kappa, Y, X, t)  # forward reuse (30)
            left = np.concatenate([t, -eta])  # (28)
            Y = np.vstack([Y, pre_image(np.vstack([X, Y]), left, X)])  # (27)
    return Y, [best_coefficients(kappa, Y, X, t) for t in targets]  # (31)


def reorthogonalised(gram, sigma):
    """(32)-(34) as printed; columns of the result are coefficients over the pre-images."""
    M_o = sigma.T @ gram @ sigma  # (32)
    d, Q = np.linalg.eigh(M_o)
    basis = sigma @ Q / np.sqrt(d)
    P = basis.T @ gram @ sigma  # (33)
    P = P / np.linalg.norm(P, axis=0)
    return basis @ P  # (34)


def orthonormalised(gram, sigma):
    """What (32)-(34) are meant to do: the nearest orthonormal basis, U~ (U~' U~)^-1/2."""
    d, Q = np.linalg.eigh(sigma.T @ gram @ sigma)
    return sigma @ Q @ np.diag(1 / np.sqrt(d)) @ Q.T
