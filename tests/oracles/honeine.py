"""Honeine's reduced-order model, and the kernel Hebbian algorithm it starts from, as printed.

[H]   P. Honeine, "Online kernel principal component analysis: a reduced-order model",
      IEEE TPAMI 2012. His pre-images: `preimages`.
[SF]  `souza_filho`, whose tables share his lines.

Slips that are corrected here, not copied
----------
[H] (16)         writes 1/eps^2, although (10) defines eps as the squared distance; Table 2 has it
                 right (its eps^2 is the squared distance).
[H] (19)         y beta - LT(y y') A does not match the m x r shape of A; transposed:
                 beta y' - A UT(y y').
[H] appendix     (centring) is not in the text; see `NaiveHebbian`.
"""

import numpy as np


class NaiveHebbian:
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


class NaiveOKHA(NaiveHebbian):
    """[H] Table 2, for r components by (17)-(19); r = 1 is Table 2 itself.

    Slips corrected: (16) divides by the squared distance once; (19) is transposed to the m x r
    shape of A. Centring: [H] 5.2, see `NaiveHebbian`.
    """

    def _update(self, k, beta):
        y = self.A.T @ k  # step 5, (15)
        eta = self.eta(self.t)
        # step 6 by (19), transposed: LT(y y') A' -> A UT(y y')
        self.A = self.A + eta * (np.outer(beta, y) - self.A @ np.triu(np.outer(y, y)))
        return y


class NaiveKappaC(NaiveHebbian):
    """[H] 5.2 to the letter: y = A' kappa^c(x) in place of (15), all else as in Table 2 and (19).

    A has the coefficients over centred atoms, psi_j = sum_k alpha_kj (phi(d_k) - mu), and beta of
    (9) stays as it is: the text replaces kappa(x) "in (15)" alone. The mean as in `NaiveHebbian`.
    """

    def kappa_c(self, k):
        b, K, one = self.bar_beta, self.K, np.ones(self.m)
        return k - one * (b @ k) - K @ b + one * (b @ K @ b)

    def _centred(self, k, beta):
        self.bar_beta = self.bar_beta + (beta - self.bar_beta) / self.t
        return self.kappa_c(k), beta

    _update = NaiveOKHA._update

    def project(self, X):
        K = self.kappa(self.D, np.asarray(X, dtype=float))
        return np.array([self.A.T @ self.kappa_c(k) for k in K.T])

    def functions(self):
        """Coefficients over the atoms themselves: alpha - (1' alpha) bar_beta."""
        return self.A - np.outer(self.bar_beta, self.A.sum(axis=0))


class NaiveKHA:
    """Kim, Franz & Schölkopf's kernel Hebbian algorithm over a fixed set of points:

        A += eta(t) (b y' - A UT(y y')),    y = A' k(x),    b the unit vector of the point x

    which is Honeine's (19) without selection: every row is one of the points. Centred, with the
    mean of all rows so far as in `NaiveHebbian`.
    """

    def __init__(self, kappa, points, eta, A1, *, center=False):
        self.kappa, self.eta, self.center = kappa, eta, center
        self.mean = np.zeros(len(points))
        self.D = np.asarray(points, dtype=float)
        self.A = np.array(A1, dtype=float)
        self.t = 0

    def step(self, i):
        self.t += 1
        k = self.kappa(self.D, self.D[i : i + 1])[:, 0]
        b = np.eye(len(self.D))[i]
        if self.center:
            self.mean = self.mean + (b - self.mean) / self.t
            b, k = b - self.mean, k - self.kappa(self.D, self.D) @ self.mean
        y = self.A.T @ k
        self.A = self.A + self.eta(self.t) * (np.outer(b, y) - self.A @ np.triu(np.outer(y, y)))

    def project(self, X):
        k = self.kappa(np.asarray(X, dtype=float), self.D)
        return (k - self.kappa(self.D, self.D) @ self.mean) @ self.A
