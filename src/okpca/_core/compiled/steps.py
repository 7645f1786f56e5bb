"""Steps of the Hebbian family and of APEX, row after row."""

from __future__ import annotations

import numpy as np

from okpca._core.compiled.leaf import leaf


@leaf
def outputs(V, c, y):
    """y = V c, four components at a time so that they share the loads of c."""
    r, m = V.shape
    whole = r - r % 4
    for j in range(0, whole, 4):
        s0, s1, s2, s3 = 0.0, 0.0, 0.0, 0.0
        for k in range(m):
            s0 += V[j, k] * c[k]
            s1 += V[j + 1, k] * c[k]
            s2 += V[j + 2, k] * c[k]
            s3 += V[j + 3, k] * c[k]
        y[j], y[j + 1], y[j + 2], y[j + 3] = s0, s1, s2, s3
    for j in range(whole, r):
        s = 0.0
        for k in range(m):
            s += V[j, k] * c[k]
        y[j] = s


@leaf
def hebbian_rows(V, C, eta, deflation, normalize, power, share):
    """One Hebbian step per row of C, in place on V (r, m) and the mean squared outputs `power`.

    y = V c,   v_j += η y_j (c − y_j v_j − b Σ_{i<j} y_i v_i),   then v_j /= ‖v_j‖ if normalize.
    The deflation sum runs along with j, on the values before the step: O(m r), not O(m r²).
    A row of step size 0 changes nothing, not even norms. While rows come, component j is
    scale[j] V[j]: dividing by the norm waits for the next pass over V.
    """
    r, m = V.shape
    y = np.empty(r)
    scale = np.ones(r)
    deflated = np.empty(m)
    for t in range(C.shape[0]):
        if eta[t] == 0.0:
            continue
        outputs(V, C[t], y)
        for j in range(r):
            y[j] *= scale[j]
            power[j] += share[t] * (y[j] * y[j] - power[j])
        for k in range(m):
            deflated[k] = 0.0
        for j in range(r):
            step = eta[t] * y[j]
            own = y[j] * scale[j]
            keep = scale[j] - step * own
            square = 0.0
            for k in range(m):
                before = V[j, k]
                v = keep * before + step * (C[t, k] - deflation * deflated[k])
                deflated[k] += own * before
                V[j, k] = v
                square += v * v
            scale[j] = 1.0 / np.sqrt(square) if normalize and square > 0.0 else 1.0
    for j in range(r):
        for k in range(m):
            V[j, k] *= scale[j]


@leaf
def apex_rows(V, lateral, C, eta, first, turn, power, share):
    """One APEX step per row of C, in place on V (r, m), `lateral` (r, r) and `power`.

    y_p = w_p·c − a_p·y_{<p},   w_p += η y_p (c − y_p w_p),   a_p += η y_p (y_{<p} − y_p a_p)
    With turn > 0 only the component whose turn it is learns, `turn` rows of the stream each; the
    first row of C has the number `first`. A row of step size 0 changes nothing.
    """
    r, m = V.shape
    y = np.empty(r)
    for t in range(C.shape[0]):
        if eta[t] == 0.0:
            continue
        outputs(V, C[t], y)
        for p in range(r):
            for j in range(p):
                y[p] -= lateral[p, j] * y[j]
            power[p] += share[t] * (y[p] * y[p] - power[p])
        begin, end = 0, r
        if turn > 0:
            begin = min((first + t - 1) // turn, r)
            end = min(begin + 1, r)
        for p in range(begin, end):
            step = eta[t] * y[p]
            keep = 1.0 - step * y[p]
            for k in range(m):
                V[p, k] = keep * V[p, k] + step * C[t, k]
            for j in range(p):
                lateral[p, j] = keep * lateral[p, j] + step * y[j]
