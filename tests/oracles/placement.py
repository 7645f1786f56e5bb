"""How much of some functions a set of points keeps, and the best subset by trying all."""

import numpy as np


def kept_energy(kappa, Y, D, A):
    """sum_j ||P_Y g_j||^2 for g_j = sum_i A[j, i] phi(d_i): explicit Gram matrices."""
    H = kappa(Y, D) @ A.T
    values, Q = np.linalg.eigh(kappa(Y, Y))
    real = values > 1e-13 * values[-1]
    return float((np.square(Q[:, real].T @ H) / values[real, None]).sum())


def greedy_subset(kappa, D, A, n):
    """Indices of atoms, each the one that adds most to `kept_energy`, by trying all."""
    chosen = []
    for _ in range(n):
        left = [i for i in range(len(D)) if i not in chosen]
        chosen.append(max(left, key=lambda i: kept_energy(kappa, D[[*chosen, i]], D, A)))
    return chosen
