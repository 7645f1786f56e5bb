"""Pre-images one row at a time, slow and obvious.

References
----------
[H]  P. Honeine, "Online kernel principal component analysis: a reduced-order model", TPAMI 2012,
     sections 5.3 and 6.2.
[M]  S. Mika, B. Schölkopf, A. Smola, K.-R. Müller, M. Scholz, G. Rätsch, "Kernel PCA and
     de-noising in feature spaces", NIPS 1998, eq. (10).
[HR] P. Honeine, C. Richard, "Solving the pre-image problem in kernel machines: a direct method",
     MLSP 2009 (through [H] 5.3).

Slips of [H] that are corrected here, not copied
----------
5.3, gradient    exp(|x_k - x|^2 / 2 sigma^2) lacks the minus sign; [A y]_k lacks the mean of (22);
                 and what is printed is not the gradient of J but minus one half of it.
"""

import numpy as np


def gaussian(x, d, gamma):
    return np.exp(-gamma * float((x - d) @ (x - d)))


def signature(dual_coef, y, mean):
    """[H] (22): coefficients over the atoms of P(kappa(x, .)) + mu; dual_coef is (m, r)."""
    return dual_coef @ y + mean


def distance(kappa, atoms, coefficients, x):
    """J(x) = ||sum_k c_k phi(x_k) - phi(x)||^2, [H] 5.3."""
    x = x[None, :]
    gram = kappa(atoms, atoms)
    cross = kappa(x, atoms)[0]
    whole = coefficients @ gram @ coefficients
    return float(whole - 2.0 * cross @ coefficients + kappa(x, x)[0, 0])


def fixed_point(gamma, atoms, coefficients, x, steps):
    """[M] (10), as it stands: no guard. Until a step changes nothing, or `steps` are taken."""
    for _ in range(steps):
        before = x
        top, bottom = np.zeros_like(x), 0.0
        for d, c in zip(atoms, coefficients, strict=True):
            weight = c * gaussian(x, d, gamma)
            top = top + weight * d
            bottom += weight
        x = top / bottom
        if np.abs(x - before).max() < 1e-12:
            break
    return x


def ascent(sigma, atoms, coefficients, x):
    """[H] 5.3, the gradient as printed but for its slips: minus one half of that of J."""
    slope = np.zeros_like(x)
    for d, c in zip(atoms, coefficients, strict=True):
        slope = slope + c * (d - x) * np.exp(-float((d - x) @ (d - x)) / (2.0 * sigma**2))
    return slope / sigma**2


def weighted_steps(sigma, atoms, coefficients, x, eta, steps):
    """[H] 6.2: gradient steps of size eta weighted by x, from x without its negative entries."""
    x = np.maximum(x, 0.0)
    for _ in range(steps):
        x = np.maximum(x + eta * x * ascent(sigma, atoms, coefficients, x), 0.0)
    return x


def conformal(kappa, atoms, coefficients, eta):
    """[H] 5.3: X_m' x = (P_m - eta K_m^-1)(A y + beta), by least squares."""
    P = atoms @ atoms.T
    right = (P - eta * np.linalg.inv(kappa(atoms, atoms))) @ coefficients
    return np.linalg.lstsq(atoms, right, rcond=None)[0]


def residual(kappa, X, components, mean, x):
    """||phi(x) - mu - its projection on the components||^2 over the rows X, by least squares.

    components is (n, r), mean (n,): coefficients over the rows. The components need not be
    orthonormal.
    """
    gram, cross = kappa(X, X), kappa(x[None, :], X)[0]
    inner = components.T @ gram @ components
    along = components.T @ (cross - gram @ mean)
    whole = kappa(x[None, :], x[None, :])[0, 0] - 2.0 * cross @ mean + mean @ gram @ mean
    return float(whole - along @ np.linalg.pinv(inner, rcond=1e-12) @ along)
