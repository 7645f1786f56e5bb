"""Slow, literal robust kernel PCA: Huang & Yeh's Algorithm 1, and the batch it converges to."""

import numpy as np


def psi_1(beta):
    """Ψ̇₁(z) = exp(−β z)"""
    return lambda z: np.exp(-beta * z)


def psi_2(beta, xi):
    """Ψ̇₂(z) = 1 − 1 / (1 + exp(−β (z − ξ)))"""
    return lambda z: 1.0 - 1.0 / (1.0 + np.exp(-beta * (z - xi)))


def algorithm_1(kernel, X, basis, Gamma, psi, mu=None, t=0, eta=None, clip=True):
    """Yields μ, Γ (m̃, l) and w after every row; h is Euclidean.

    Two slips of the text are not copied. (2): the ½ belongs to z, the second line omits it. (2) is
    a squared norm, so a negative difference, which comes of a Γ that is not orthonormal yet, is 0.
    The weight is the derivative Ψ̇ as in (16)-(17); the line of the algorithm lacks the dot.
    Without `clip` the negative difference stays; `eta(t)` is another learning rate than 1/t.
    """
    mu = np.zeros(len(basis)) if mu is None else mu.copy()
    Gamma = Gamma.copy()
    for x in X:
        t += 1
        h = np.array([kernel(x, u) for u in basis])
        c = h - mu
        z = 0.5 * (c @ c - (Gamma.T @ c) @ (Gamma.T @ c))
        z = max(z, 0.0) if clip else z
        w = psi(z)
        Lambda = Gamma.T @ np.outer(c, c) @ Gamma
        g_mu = -w * c  # (16)
        g_Gamma = -w * (np.outer(c, c) @ Gamma - Gamma @ np.triu(Lambda))  # (17)
        step = 1.0 / t if eta is None else eta(t)
        mu = mu - step * g_mu  # (19)
        Gamma = Gamma - step * g_Gamma  # (20)
        yield mu.copy(), Gamma.copy(), w


def batch(K, r, psi, n_iter=500, weight=None, center=True, start=None):
    """Weights, eigenvalues, coefficients (n, r) over the rows, and z: (7) by reweighting, from a
    Gram matrix.

    In turn: the leading subspace of (22) with the mean (21) under the weights, and the weights of
    the residuals to it.
    """
    n = len(K)
    given = np.ones(n) if weight is None else weight
    w = np.ones(n) if start is None else start
    for _ in range(n_iter):
        v = given * w
        share = v / v.sum() if center else np.zeros(n)
        centring = np.eye(n) - np.outer(share, np.ones(n))  # columns φ(x_i) − μ over the φ(x_j)
        Kc = centring.T @ K @ centring
        values, U = np.linalg.eigh(np.sqrt(v)[:, None] * Kc * np.sqrt(v))
        values, U = values[::-1][:r], U[:, ::-1][:, :r]
        coef = np.sqrt(v)[:, None] * U / np.sqrt(values)
        y = Kc @ coef
        z = 0.5 * np.maximum(np.diag(Kc) - (y**2).sum(axis=1), 0.0)
        w = psi(z)
    return w, values, centring @ coef, z
