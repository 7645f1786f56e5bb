"""Which atom a row counts for, what atoms owe, and which of them merge."""

from __future__ import annotations

import numpy as np

from okpca._core.compiled.leaf import leaf


@leaf
def nearest_rows(K, norms, since, offset, tie, nearest, value, norm):
    """Where one of the atoms of K (n, k), numbers `offset` and up, is closer to a row than the one
    noted so far, by more than a tie, note it; in place. Atom i is there for rows after since[i].

    The squared distance is κ(x, x) − 2 κ(x, d) + κ(d, d). Differences are compared: where all norms
    are alike, atoms far from a row have their order too.
    """
    for t in range(K.shape[0]):
        for i in range(K.shape[1]):
            closer = nearest[t] < 0 or _is_closer(K[t, i], norms[i], value[t], norm[t], tie)
            if closer and t > since[i]:
                nearest[t], value[t], norm[t] = offset + i, K[t, i], norms[i]


@leaf
def nearest_of_row(k, norms, tie):
    """`nearest_rows` for one row."""
    best = 0
    for i in range(1, len(k)):
        if _is_closer(k[i], norms[i], k[best], norms[best], tie):
            best = i
    return best


@leaf
def _is_closer(value, norm, other, other_norm, tie):
    gain, size = value - other, 0.5 * (norm - other_norm)
    return gain - size > tie * (abs(value) + abs(size))


@leaf
def charge_row(may_join, residual, nearest, apart, weight, debt, price, decay, tie):
    """Charge a row to the debt of its atom, in place. If it may join it asks to when the debt has
    reached the price by it, and clears it. Returns its claim, zero if it does not ask, and the
    price after it.

    The claim is the weight with which merging the row with its atom, at a squared distance `apart`,
    costs what the atom owed, if that is much heavier.
    """
    claim = 0.0
    if decay < 1.0:
        price *= decay
        for i in range(len(debt)):
            debt[i] *= decay
    if nearest >= 0:
        owed = debt[nearest] + weight * residual
        if may_join and owed >= (1.0 - tie) * price:
            claim = owed / max(apart, residual)
            owed = 0.0
        debt[nearest] = owed
    return claim, price


@leaf
def charge_rows(may_join, residual, nearest, apart, weight, debt, price, decay, tie):
    """`charge_row` for one after another: their claims, and the price after the last."""
    claims = np.zeros(len(residual))
    for t in range(len(residual)):
        row = may_join[t], residual[t], nearest[t], apart[t], weight[t]
        claims[t], price = charge_row(*row, debt, price, decay, tie)
    return claims, price


@leaf
def add_rows(X, nearest, row_weight, decay, weight, total):
    """Add rows to the weight and the sum of their atoms, in place, one after another: so, while
    nothing is forgotten, the last digit does not depend on how a stream is cut."""
    n, d = X.shape
    fade = decay**n
    if fade < 1.0:
        for i in range(len(weight)):
            weight[i] *= fade
            for k in range(d):
                total[i, k] *= fade
    for t in range(n):
        atom = nearest[t]
        if atom >= 0:
            w = row_weight[t] * decay ** (n - 1 - t)
            weight[atom] += w
            for k in range(d):
                total[atom, k] += w * X[t, k]


@leaf
def ward_cost(square, w, v):
    """w v / (w + v) · square, without overflow."""
    low, high = min(w, v), max(w, v)
    return low / (1.0 + low / high) * square if high > 0.0 else 0.0


@leaf
def cheapest_partner(cost, i, tie):
    """Of the atoms after i; −1 if there is none."""
    best, partner = np.inf, -1
    for j in range(i + 1, cost.shape[0]):
        if cost[i, j] < (1.0 - tie) * best:
            best, partner = cost[i, j], j
    return partner


@leaf
def merge_cheapest(cost, weight, real, n_left, tie, heir):
    """Merge the pair of least Ward cost until `n_left` atoms are left; heir[i] takes over from i.

    `cost` comes with the squared distances of the atoms and is used up, as are the weights that
    costs go by and the `real` ones, by which the heavier stays. The cost of
    a merged pair with any third atom follows from those of its members (Lance & Williams):
        (w_i + w_k) c_ik + (w_j + w_k) c_jk − w_k c_ij   over   w_i + w_j + w_k
    Of two alike the older is merged first, and the heavier stays. Returns the cost of the last.
    """
    m = len(weight)
    for i in range(m):
        for j in range(i + 1, m):
            cost[i, j] = ward_cost(cost[i, j], weight[i], weight[j])
    partner = np.empty(m, dtype=np.intp)
    for i in range(m):
        partner[i] = cheapest_partner(cost, i, tie)
    last = 0.0
    for _ in range(m - n_left):
        best, i = np.inf, -1
        for k in range(m):
            if partner[k] >= 0 and cost[k, partner[k]] < (1.0 - tie) * best:
                best, i = cost[k, partner[k]], k
        if i < 0:
            break
        j = partner[i]
        stays, goes = (i, j) if real[i] >= real[j] else (j, i)
        w, v, between = weight[stays], weight[goes], cost[i, j]
        last = max(last, between)
        weight[stays] += v
        real[stays] += real[goes]
        heir[goes] = stays
        for k in range(m):
            if heir[k] != k or k == stays:
                continue
            a, b = min(k, stays), max(k, stays)
            c, d = min(k, goes), max(k, goes)
            both = w + v + weight[k]
            if both > 0.0:
                u = weight[k] / both
                rest = w / both * cost[a, b] + v / both * cost[c, d]
                cost[a, b] = max(rest + u * (cost[a, b] + cost[c, d] - between), 0.0)
            cost[c, d] = np.inf
        cost[min(stays, goes), max(stays, goes)] = np.inf
        for k in range(m):
            if heir[k] != k:
                partner[k] = -1
            elif k == stays or partner[k] == stays or partner[k] == goes:
                partner[k] = cheapest_partner(cost, k, tie)
            elif k < stays and cost[k, stays] < (1.0 - tie) * cost[k, partner[k]]:
                partner[k] = stays
    return last
