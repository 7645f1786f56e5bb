"""The exact rule without a recursion. [H]: `honeine`."""

from typing import NamedTuple

import numpy as np

from oracles.functions import decayed
from oracles.kernel_pca import batch_kpca


class Moments(NamedTuple):
    """What `NaiveExact.moments` returns."""

    eigenvalues: np.ndarray  # (r,) of sum_i w_i (P phi_i - mu)(P phi_i - mu)', descending
    dual_coef: np.ndarray  # (m, r) unit-norm components psi_j = sum_k dual_coef[k, j] phi(d_k)
    mean: np.ndarray  # (m,) bar_beta: mu = sum_k mean[k] phi(d_k); zeros if uncentred
    total_weight: float  # sum of the effective weights
    residual_energy: float  # sum of effective weight x eps^2 over the rows


class NaiveExact:
    """The projected problem by brute force: remember every row, solve everything afresh.

    Each row is projected on the dictionary as it stands after that row's own chance to join it
    ([H] Definition 1 with (9), (10), in the "eps^2 >= nu" form of Table 2, relative); its
    coefficients beta are stored and padded with zeros as the dictionary grows, never re-projected.
    Row i of n counts with weight w_i forgetting^(n-i). `moments` is kernel PCA of those projections
    under those weights. A row of weight zero is ignored completely: it joins nothing and is no
    tick of the forgetting clock.

    Parameters
    ----------
    kappa : kernel function.
    nu : a row joins iff eps^2 >= nu kappa(x, x) (novelty), unless `coherence` is given.
    coherence : c; a row joins iff |kappa(x, d)| / sqrt(kappa(x, x) kappa(d, d)) <= c for all d.
    floor : whatever the policy, a row joins only if eps^2 > floor kappa(x, x): numerical rank.
        Near it rounding decides, so two correct programs may choose different atoms.
    max_atoms : never grow past it; novel rows are then projected, and their eps^2 counted.
    """

    def __init__(
        self,
        kappa,
        nu=1e-3,
        *,
        center=True,
        forgetting=1.0,
        max_atoms=None,
        coherence=None,
        floor=1e-12,
    ):
        self.kappa, self.nu, self.center, self.forgetting = kappa, nu, center, forgetting
        self.max_atoms, self.coherence, self.floor = max_atoms, coherence, floor
        self.atoms, self.betas, self.weights, self.eps2 = [], [], [], []

    @property
    def m(self):
        return len(self.atoms)

    @property
    def D(self):
        """(m, d) dictionary."""
        return np.array(self.atoms)

    @property
    def K(self):
        """(m, m) Gram matrix, evaluated afresh."""
        return self.kappa(self.D, self.D) if self.atoms else np.zeros((0, 0))

    @property
    def B(self):
        """(n, m) coefficients of the projected rows, zero padded."""
        B = np.zeros((len(self.betas), self.m))
        for i, beta in enumerate(self.betas):
            B[i, : len(beta)] = beta
        return B

    def step(self, x, weight=1.0):
        """Take one row; return True if it joined the dictionary."""
        if weight == 0:
            return False
        x = np.asarray(x, dtype=float)
        kxx = float(self.kappa(x[None, :], x[None, :])[0, 0])
        beta, eps2 = np.zeros(0), kxx
        if self.atoms:
            k = self.kappa(self.D, x[None, :])[:, 0]
            # [H] (9), but for directions that are rounding: where K is near singular, a plain
            # solution is as good as the processor's order of additions.
            beta = np.linalg.lstsq(self.K, k, rcond=1e-13)[0]
            eps2 = max(kxx - float(beta @ k), 0.0)  # [H] (10)
        room = self.max_atoms is None or self.m < self.max_atoms
        joins = room and eps2 > self.floor * kxx and self._novel(x, kxx, eps2)
        if joins:
            self.atoms.append(x)
            beta, eps2 = np.append(np.zeros(self.m - 1), 1.0), 0.0  # [H] (14)
        self.betas.append(beta)
        self.weights.append(float(weight))
        self.eps2.append(eps2)
        return joins

    def _novel(self, x, kxx, eps2):
        if self.coherence is None:
            return eps2 >= self.nu * kxx
        for d in self.atoms:
            kdd = float(self.kappa(d[None, :], d[None, :])[0, 0])
            kxd = float(self.kappa(x[None, :], d[None, :])[0, 0])
            if abs(kxd) / np.sqrt(kxx * kdd) > self.coherence:
                return False
        return True

    def run(self, X, weights=None):
        """Take the rows of X in turn; return self."""
        for i, x in enumerate(X):
            self.step(x, 1.0 if weights is None else weights[i])
        return self

    def effective_weights(self):
        """(n,) w_i forgetting^(n-i), i = 1..n."""
        return decayed(self.weights, self.forgetting)

    def moments(self, n_components=None):
        """Kernel PCA of the projected rows (at most m components); see `Moments`.

        Row i is sum_k B[i, k] phi(d_k), so the Gram matrix of the projected rows is B K B', and a
        component sum_i c_i row_i has coefficients B' c. No factor of K is needed: this holds up
        where K is numerically singular. If centred, sum_i c_i = 0, so the mean drops out of B' c.
        """
        w, B = self.effective_weights(), self.B
        r = self.m if n_components is None else min(n_components, self.m)
        batch = batch_kpca(B @ self.K @ B.T, r, self.center, weights=w)
        mean = (w @ B) / w.sum() if self.center else np.zeros(self.m)
        energy = sum(w_i * e_i for w_i, e_i in zip(w, self.eps2, strict=True))
        return Moments(
            batch.eigenvalues, B.T @ batch.dual_coef, mean, float(w.sum()), float(energy)
        )

    def project(self, X, n_components=None):
        """<psi_j, phi(x) - mu> for the rows of X."""
        moments = self.moments(n_components)
        k = self.kappa(self.D, np.asarray(X, dtype=float))
        return (k - (self.K @ moments.mean)[:, None]).T @ moments.dual_coef
