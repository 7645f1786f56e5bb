"""Slow, obvious transcriptions of the papers: the oracles of the test suite.

Nothing here imports okpca, and nothing here is clever. A kernel is a plain function
``kappa(X, Y) -> matrix``; a step size is a plain function ``eta(t)`` of the 1-based index t of the
row in the stream.

References (equation, table and line numbers below are theirs)
----------
[H]   P. Honeine, "Online kernel principal component analysis: a reduced-order model",
      IEEE TPAMI 2012.
[SF]  J. B. O. Souza Filho, P. S. R. Diniz, "Improving KPCA online extraction by orthonormalization
      in the feature space", IEEE TNNLS 2017. doi:10.1109/TNNLS.2017.2660441
[S]   B. Schoelkopf, A. Smola, K.-R. Mueller, "Nonlinear component analysis as a kernel eigenvalue
      problem", Neural Computation 1998 (through [H] (21)).

Slips of the papers that are corrected here, not copied
----------
[H] (16)         writes 1/eps^2, although (10) defines eps as the squared distance; Table 2 has it
                 right (its eps^2 is the squared distance).
[H] (19)         y beta - LT(y y') A does not match the m x r shape of A; transposed:
                 beta y' - A UT(y y').
[H] appendix     (centring) is not in the text; see `_NaiveHebbian`.
[SF] (59)        the zero blocks are m x 1 and 1 x m, not p x 1 and 1 x p; Table I line 10 is right.
[SF] T. I l. 9   the lower left block lacks its transpose; (60) is right.
[SF] T. I l. 16  y = A kappa lacks a transpose; (45) is right: y = A' kappa.
[SF] T. I l. 19  beta' y has the transpose on the wrong factor; (46) is right: beta y'.
"""

from typing import NamedTuple

import numpy as np

# ------------------------------------------------------------------------------------ kernels


def linear(X, Y):
    """kappa(x, y) = <x, y>."""
    return np.array([[float(np.dot(x, y)) for y in Y] for x in X]).reshape(len(X), len(Y))


def rbf(gamma):
    """kappa(x, y) = exp(-gamma ||x - y||^2), from explicit differences."""

    def kappa(X, Y):
        return np.exp(-gamma * ((X[:, None, :] - Y[None, :, :]) ** 2).sum(axis=2))

    return kappa


# ---------------------------------------------------------------------------------- schedules


def constant(eta0):
    """eta(t) = eta0."""
    return lambda t: eta0


def inverse_time(eta0):
    """eta(t) = eta0 / t ([H] 5.1)."""
    return lambda t: eta0 / t


def search_then_converge(eta0, tau):
    """eta(t) = eta0 / (1 + t / tau) ([H] (20))."""
    return lambda t: eta0 / (1 + t / tau)


def exponential_decay(eta0, gamma):
    """eta(t) = gamma eta(t - 1), eta(0) = eta0, so eta(t) = eta0 gamma^t ([SF] Table I line 17)."""
    return lambda t: eta0 * gamma**t


# ----------------------------------------------------------------------------- batch kernel PCA


class BatchKPCA(NamedTuple):
    """What `batch_kpca` returns: (r,), (n, r), (n, r)."""

    eigenvalues: np.ndarray
    dual_coef: np.ndarray
    projections: np.ndarray


def batch_kpca(K, n_components=None, center=True, weights=None):
    """Kernel PCA of all rows at once ([S]; [H] (2), (3), (21)), with optional row weights.

    With weights w, W = sum w and D = diag(w): mean mu = sum_i w_i phi(x_i) / W, operator
    sum_i w_i (phi(x_i) - mu)(phi(x_i) - mu)', whose non-zero eigenvalues are those of
    D^1/2 Kc D^1/2. (All ones give the eigenvalues of the centred Gram matrix: scikit-learn's
    scale.) Component j is psi_j = sum_i dual_coef[i, j] phi(x_i), of norm one. If centred, every
    column of dual_coef sums to zero, so it does not matter whether the phi(x_i) in that expansion
    are centred. A component with zero eigenvalue has no expansion: its columns are zero.
    """
    n = len(K)
    w = np.ones(n) if weights is None else np.asarray(weights, dtype=float)
    r = n if n_components is None else n_components
    Kc = _center(K, K, w) if center else K
    root = np.sqrt(w)
    eigenvalues, U = _eigh_descending(root[:, None] * Kc * root[None, :])
    eigenvalues, U = eigenvalues[:r], U[:, :r]
    dual_coef = np.zeros((n, len(eigenvalues)))
    for j, value in enumerate(eigenvalues):
        if value > 1e-12 * eigenvalues[0]:
            dual_coef[:, j] = root * U[:, j] / np.sqrt(value)
    return BatchKPCA(eigenvalues, dual_coef, Kc @ dual_coef)


def batch_kpca_project(K_new, K, dual_coef, center=True, weights=None):
    """Projections <psi_j, phi(x) - mu> of new rows; K_new[q, i] = kappa(new_q, x_i).

    Centring as in [S], appendix: new rows are centred by the mean of the training rows.
    """
    w = np.ones(len(K)) if weights is None else np.asarray(weights, dtype=float)
    return (_center(K_new, K, w) if center else K_new) @ dual_coef


def _center(K_rows, K, w):
    """<phi(a) - mu, phi(x_i) - mu> from K_rows = <phi(a), phi(x_i)>, mu the w-mean; [H] (21)."""
    p = w / w.sum()
    return K_rows - (K_rows @ p)[:, None] - (K @ p)[None, :] + p @ K @ p


def _eigh_descending(S):
    values, vectors = np.linalg.eigh((S + S.T) / 2)
    return values[::-1], vectors[:, ::-1]


# ---------------------------------------------------------------------------- Hebbian algorithms


class _NaiveHebbian:
    """The lines shared by [H] Table 2 and [SF] Table I: dictionary, inverse, mean.

    Parameters
    ----------
    kappa : kernel function.
    nu : threshold > 0. The test is relative, eps^2 >= nu kappa(x, x): the papers' own test
        wherever kappa(x, x) = 1.
    eta : step size, eta(t) with t the 1-based index of the row in the stream. The first row only
        initialises, so eta(2) is the first value used.
    A1 : (1, r) initial coefficients: every component starts as a multiple of the first row.
    center : see below; the tables themselves are uncentred.
    max_atoms : never grow past it; a novel row is then projected like any other.

    State: t, m, D (m, d), K (m, m), Kinv (m, m), A (m, r), bar_beta (m,), eps2 (of the last row).

    Centring
    --------
    [H] 5.2 says that "the center is estimated in the tracked subspace", mu = bar_beta' kappa(.),
    with bar_beta "updated recursively (see Appendix)"; that appendix is absent from our text. The
    recursion that follows from the sentence is the running mean of the betas over all rows, the
    first and the current one included,

        bar_beta_t = bar_beta_{t-1} + (beta_t - bar_beta_{t-1}) / t,

    with a zero appended whenever the dictionary grows. It is updated BEFORE the row is centred.
    Then phi(x) - mu replaces phi(x) throughout: the output is

        y_j = <psi_j, phi(x) - mu> = alpha_j' (kappa(x) - K_m bar_beta),

    and beta - bar_beta replaces beta in the coefficient update. Components are plain functions
    psi_j = sum_k alpha_kj kappa(d_k, .) of the span, so a moving mean moves no component. (The
    kappa^c of [H] 5.2 has two more terms because it expands psi_j over the atoms minus mu. For one
    given mu both forms describe the same functions, with alpha - (1' alpha) bar_beta here for its
    alpha; but there every psi_j drifts with mu.)
    """

    def __init__(self, kappa, nu, eta, A1, *, center=False, max_atoms=None):
        self.kappa, self.nu, self.eta = kappa, nu, eta
        self.center, self.max_atoms = center, max_atoms
        self.A = np.array(A1, dtype=float).reshape(1, -1)
        self.t = 0

    def step(self, x):
        """Take one row; return its output y (None for the first row, which has none)."""
        x = np.asarray(x, dtype=float)
        self.t += 1
        if self.t == 1:
            return self._initialise(x)
        k, beta = self._dictionary(x)
        k, beta = self._centred(k, beta)
        return self._update(k, beta)

    def run(self, X):
        """Take the rows of X in turn; return self."""
        for x in X:
            self.step(x)
        return self

    def project(self, X):
        """<psi_j, phi(x) - mu> for the rows of X ([H] Table 2, last line); mu = 0 if uncentred."""
        k = self.kappa(self.D, np.asarray(X, dtype=float))
        if self.center:
            k = k - (self.K @ self.bar_beta)[:, None]
        return k.T @ self.A

    def norms(self):
        """RKHS norms of the components."""
        return np.array([np.sqrt(a @ self.K @ a) for a in self.A.T])

    def _initialise(self, x):
        # [H] Table 2, Initialization; [SF] Table I, line 1
        self.m = 1
        self.D = x[None, :]
        self.K = self.kappa(self.D, self.D)
        self.Kinv = 1 / self.K
        self.bar_beta = np.ones(1)  # beta_1 = 1
        self.eps2 = float(self.K[0, 0])

    def _dictionary(self, x):
        """[H] Table 2, steps 1-4; [SF] Table I, lines 4-15. Returns kappa(x) and beta."""
        kxx = float(self.kappa(x[None, :], x[None, :])[0, 0])
        k = self.kappa(self.D, x[None, :])[:, 0]  # line 4 | step 1
        beta = self.Kinv @ k  # line 5 | step 2, (9)
        eps2 = kxx - beta @ k  # line 6 | step 3, (10)
        room = self.max_atoms is None or self.m < self.max_atoms
        if eps2 >= self.nu * kxx and room:  # line 7 | step 4
            m = self.m = self.m + 1  # line 8
            K = np.zeros((m, m))  # line 9, (60); transpose fixed
            K[:-1, :-1] = self.K
            K[:-1, -1] = k
            K[-1, :-1] = k.T
            K[-1, -1] = kxx
            self.K = K
            Kinv = np.zeros((m, m))  # line 10, (59) | step 4, (16); eps2 is the squared distance
            Kinv[:-1, :-1] = self.Kinv
            g = np.append(-beta, 1.0)
            self.Kinv = Kinv + np.outer(g, g) / eps2
            beta = np.append(np.zeros(m - 1), 1.0)  # line 11, (55) | (14)
            self.D = np.vstack([self.D, x])  # line 12
            self.A = np.vstack([self.A, np.zeros(self.A.shape[1])])  # line 13, (58)
            self.bar_beta = np.append(self.bar_beta, 0.0)
            k = np.append(k, kxx)  # line 14
        self.eps2 = float(eps2)
        return k, beta  # line 15: end if

    def _centred(self, k, beta):
        """Update the mean with this row, then centre the row (see the class docstring)."""
        self.bar_beta = self.bar_beta + (beta - self.bar_beta) / self.t
        if not self.center:
            return k, beta
        return k - self.K @ self.bar_beta, beta - self.bar_beta

    def _update(self, k, beta):
        raise NotImplementedError


class NaiveOKHA(_NaiveHebbian):
    """[H] Table 2, for r components by (17)-(19); r = 1 is Table 2 itself.

    Slips corrected: (16) divides by the squared distance once; (19) is transposed to the m x r
    shape of A. Centring: [H] 5.2, see `_NaiveHebbian`.
    """

    def _update(self, k, beta):
        y = self.A.T @ k  # step 5, (15)
        eta = self.eta(self.t)
        # step 6 by (19), transposed: LT(y y') A' -> A UT(y y')
        self.A = self.A + eta * (np.outer(beta, y) - self.A @ np.triu(np.outer(y, y)))
        return y


class NaiveOOKHA(_NaiveHebbian):
    """OO-KHA: [SF] (50)-(52), i.e. Table I without lines 20-22.

    Slips corrected: lines 16 and 19 are transposed as in (51), (52); (59), line 9: see the module.
    """

    def _update(self, k, beta):
        y = self.A.T @ k  # line 16, (51)
        eta = self.eta(self.t)  # line 17
        yy = np.outer(y, y)
        M = 2 * np.triu(yy) - np.diag(np.diag(yy))  # line 18, (50)
        self.A = self.A + eta * (np.outer(beta, y) - self.A @ M)  # line 19, (52)
        return y


class NaiveONKHA(NaiveOOKHA):
    """ON-KHA: [SF] Table I, (45)-(50).

    Slips corrected: as in `NaiveOOKHA`. A(1) is not normalised, as in line 1: the first
    normalisation is that of the second row.
    """

    def _update(self, k, beta):
        y = super()._update(k, beta)  # lines 16-19, (45), (46), (50): the result is A hat
        P = self.K @ self.A  # line 20, (47)
        r = self.A.shape[1]
        n = np.array([1 / np.sqrt(self.A[:, j] @ P[:, j]) for j in range(r)])  # line 21, (48)
        self.A = self.A @ np.diag(n)  # line 22, (49)
        return y


# --------------------------------------------------------------------------------- exact rule


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
            beta = np.linalg.solve(self.K, k)  # [H] (9)
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
        n = len(self.weights)
        return np.array([w * self.forgetting ** (n - i) for i, w in enumerate(self.weights, 1)])

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
