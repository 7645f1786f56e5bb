"""Rows after one another for rules of the later literature: CCIPCA, and gains that adapt."""

from __future__ import annotations

import numpy as np

from okpca._core.compiled.leaf import leaf
from okpca._core.compiled.steps import outputs
from okpca._core.numerics import BEGINNING


@leaf
def ccipca_rows(V, level, C, weight, share, amnesic):
    """One step of CCIPCA per row u of C, in place on the directions V (r, m) and the variances λ.

    λ_j v_j ← (1 − a) λ_j v_j + a (u·v_j) u,   u ← u − (u·v_j) v_j  (the new v_j),  a = (1 + l) w/W
    Directions and lengths are kept apart, as a square of λ may overflow. A component that has not
    begun, λ_j = 0, does so with λ_j v_j = ‖u‖ u, after more rows than begin the r components with
    their share of that, and ends the row. A row of weight 0 changes nothing.
    """
    r, m = V.shape
    u = np.empty(m)
    for t in range(C.shape[0]):
        if weight[t] == 0.0:
            continue
        rate = min((1.0 + amnesic) * share[t], 0.5)
        whole = 0.0
        for k in range(m):
            u[k] = C[t, k]
            whole += u[k] * u[k]
        for j in range(r):
            along, rest = 0.0, 0.0
            for k in range(m):
                along += V[j, k] * u[k]
                rest += u[k] * u[k]
            if level[j] == 0.0:
                if rest > BEGINNING * whole:
                    level[j] = min((r + 1) * share[t], 1.0) * rest
                    for k in range(m):
                        V[j, k] = u[k] / np.sqrt(rest)
                break
            pull = rate * along / level[j]
            square = 0.0
            for k in range(m):
                V[j, k] = (1.0 - rate) * V[j, k] + pull * u[k]
                square += V[j, k] * V[j, k]
            length = np.sqrt(square)
            level[j] *= length
            along = 0.0
            for k in range(m):
                V[j, k] /= length
                along += V[j, k] * u[k]
            for k in range(m):
                u[k] -= along * V[j, k]


@leaf
def gain_rows(V, B, rho, level, power, C, eta, weight, share, window, meta, memory):
    """One Hebbian step per row c of C with a gain for each component, in place on V (r, m), the
    differentials B (r, m), the log-gains ρ, the eigenvalues λ (`level`) and the mean outputs²
    (`power`).

    y = V c,   Γ_j = y_j (c − Σ_{i≤j} y_i v_i),   λ_j: running mean of y_j² / ‖v_j‖²
    ρ_j += w μ Γ_j·b_j,    g_j = e^{ρ_j} η ‖λ‖/λ_j ≤ 1/‖c‖²,    v_j += g_j Γ_j
    b_j ← ξ b_j + g_j (Γ_j + ξ dΓ_j),    dy = B c,
    dΓ_j = dy_j (c − Σ_{i≤j} y_i v_i) − y_j Σ_{i≤j} (dy_i v_i + y_i b_i)
    With μ (`meta`) = 0 there are no differentials. A row of weight 0 changes nothing.
    """
    r, m = V.shape
    y, dy = np.empty(r), np.empty(r)
    left, turned = np.empty(m), np.empty(m)
    for t in range(C.shape[0]):
        if weight[t] == 0.0:
            continue
        outputs(V, C[t], y)
        outputs(B, C[t], dy)
        rate = max(share[t], min(weight[t] / window, 1.0))
        whole, size = 0.0, 0.0
        for k in range(m):
            left[k] = C[t, k]
            turned[k] = 0.0
            whole += C[t, k] * C[t, k]
        for j in range(r):
            square = 0.0
            for k in range(m):
                square += V[j, k] * V[j, k]
            if square > 0.0:
                level[j] += rate * (y[j] * y[j] / square - level[j])
            power[j] += share[t] * (y[j] * y[j] - power[j])
            size += level[j] * level[j]
        size = np.sqrt(size)
        keep = 1.0 - min(weight[t], 1.0) * (1.0 - memory)
        for j in range(r):
            slope = 0.0
            for k in range(m):
                left[k] -= y[j] * V[j, k]
                turned[k] += dy[j] * V[j, k] + y[j] * B[j, k]
                slope += left[k] * B[j, k]
            rho[j] += weight[t] * meta * y[j] * slope
            gain = 0.0
            if level[j] > 0.0 and whole > 0.0:
                gain = min(np.exp(rho[j]) * eta[t] * size / level[j], 1.0 / whole)
            for k in range(m):
                step = y[j] * left[k]
                if meta > 0.0:
                    change = dy[j] * left[k] - y[j] * turned[k]
                    B[j, k] = keep * B[j, k] + gain * (step + keep * change)
                V[j, k] += gain * step
