"""What rows lost before atoms joined, given back row by row. Imports no okpca.

Every row that a model holds is written out, so that moments are sums over rows.
"""

import numpy as np


def rows_like(claim, norm, near, near_norm, kz, z):
    """s_j: what was owed, over the squared distance of x_j to the span; kz is κ(x_j, nearest)."""
    outside = norm - z @ z
    apart = norm - 2 * kz + near_norm
    return claim * max(apart, outside) / outside


def regression(held, weight, Z, new, like, ridge):
    """G by least squares over rows: those held are to gain nothing, the others what they lack."""
    size, more = held.shape[1], new.shape[1]
    X = np.vstack([np.sqrt(weight)[:, None] * held, np.sqrt(like)[:, None] * Z])
    Y = np.vstack([np.zeros((len(held), more)), np.sqrt(like)[:, None] * new])
    share = np.sqrt(ridge * np.square(X).sum() / size)
    X, Y = np.vstack([X, share * np.eye(size)]), np.vstack([Y, np.zeros((size, more))])
    return np.linalg.lstsq(X, Y, rcond=None)[0].T


def restored(held, weight, Z, own, new, G):
    """All rows after it: those held with what they gain, and the others as they are."""
    rows = np.vstack([np.hstack([held, held @ G.T]), np.hstack([Z, new])])
    return rows, np.append(weight, own)
