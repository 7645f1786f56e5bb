"""Models, targets and kernels that the tests of pre-images share."""

import numpy as np

from helpers import normal
from okpca import OnlineKernelPCA, kernels, preimage
from okpca.dictionary import Fixed
from okpca.estimator import model_of
from okpca.preimage import FixedPoint, Gradient, NonNegative, Target
from oracles import functions

GAMMA = 0.3
SIGMA = np.sqrt(0.5 / GAMMA)
KAPPA = functions.rbf(GAMMA)
EXACT = {"nu": 0, "max_atoms": None}
SMOOTH = [
    kernels.RBF(0.3),
    2.5 * kernels.RBF(0.3),
    kernels.Polynomial(degree=3, gamma=0.4),
    kernels.Polynomial(degree=2, gamma=0.4, coef0=0),
    kernels.Exponential(2.0),
    kernels.Laplacian(0.4),
    kernels.Cosine(),
    kernels.RBF(0.2) + kernels.Linear(),
    kernels.RBF(0.2) * kernels.Polynomial(degree=2, gamma=0.3),
    kernels.Wavelet(kernel=kernels.RBF(0.3)),
]
AFFINE = [
    kernels.Linear(),
    3.0 * kernels.Linear(),
    kernels.Polynomial(degree=1, gamma=0.5, coef0=2.0),
    kernels.Linear() + 1.5,
    kernels.Wavelet(),
]
METHODS = list(preimage.NAMES.values())
SEARCHES = [FixedPoint(), Gradient(), NonNegative()]


def fitted(r=3, n=40, d=4, seed=0, **options):
    options = {"gamma": GAMMA, **EXACT, **options}
    return OnlineKernelPCA(r, **options).fit(normal(n, d, seed))


def target_of(model, X):
    return Target(model_of(model), model.transform(X))


def with_coefficients(kernel, atoms, dual):
    """Functions Σ γ_i φ(d_i) chosen freely: a fitted model lends the basis."""
    model = OnlineKernelPCA(1, kernel=kernel, dictionary=Fixed(atoms)).fit(atoms)
    held = model_of(model)
    order = [int(np.flatnonzero((atoms == a).all(axis=1))[0]) for a in held.basis.atoms]
    dual = np.atleast_2d(dual)[:, order]
    target = Target(held, np.zeros((len(dual), 1)))
    vars(target).update(dual=dual, coordinates=dual @ held.basis.L)
    return target
