"""Pre-images by distances (Kwok & Tsang): the transcription, exact cases, and refusals."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from helpers import normal
from okpca import OnlineKernelPCA, kernels, preimage
from okpca.preimage import Distances
from oracles import later
from preimage_tools import EXACT, fitted, target_of, with_coefficients

SOLVABLE = {  # δ² from ‖φ(d) − g‖², ‖g‖² and κ(d, d)
    kernels.RBF(0.3): lambda far, square, own: -np.log(1 - far / 2) / 0.3,
    2.5 * kernels.RBF(0.3): lambda far, square, own: -np.log(1 - far / 5) / 0.3,
    kernels.Exponential(2.0): lambda far, square, own: (2.0 * np.log(1 - far / 2)) ** 2,
    kernels.Polynomial(degree=3, gamma=0.4): lambda far, square, own: (
        (np.cbrt(square) + np.cbrt(own) - 2 * np.cbrt((square + own - far) / 2)) / 0.4
    ),
}


@pytest.mark.parametrize("n_neighbors", [2, 4, 10])
@pytest.mark.parametrize("kernel", SOLVABLE, ids=repr)
def test_as_in_the_paper(kernel, n_neighbors):
    model = fitted(6, n=50, d=4, kernel=kernel)
    target = target_of(model, normal(20, 4, seed=2))
    found, fine = Distances(n_neighbors).find(target, None)
    assert fine.all()
    atoms = target.basis.atoms
    own, gram = kernel.diag(atoms), kernel(atoms)
    for x, dual in zip(found, target.dual, strict=True):
        square = dual @ gram @ dual
        far = own - 2 * gram @ dual + square

        def squared_distance(feature, i, square=square):
            return max(SOLVABLE[kernel](feature, square, own[i]), 0.0)

        slow = later.by_distances(squared_distance, atoms, far, n_neighbors)
        assert_allclose(x, slow, atol=1e-7)


@pytest.mark.parametrize("kernel", SOLVABLE, ids=repr)
def test_an_image_gives_its_point(kernel):
    """As many neighbours as columns, and more: their distances leave one place."""
    X = normal(12, 3)
    model = OnlineKernelPCA(None, kernel=kernel, **EXACT).fit(X)
    found = preimage.find(Distances(8), target_of(model, X))
    assert_allclose(found.X, X, atol=1e-5)
    assert found.converged.all()


@pytest.mark.thorough
def test_a_point_between_atoms_is_placed_where_it_lies():
    """The image of a point outside the dictionary, nearly all of it in the span."""
    X = np.random.default_rng(0).uniform(-1, 1, size=(200, 2))
    model = OnlineKernelPCA(None, gamma=0.5, **EXACT).fit(X)
    probe = 0.8 * np.random.default_rng(1).uniform(-1, 1, size=(20, 2))
    found = preimage.find(Distances(), target_of(model, probe))
    assert_allclose(found.X, probe, atol=1e-3)


def test_units_do_not_matter():
    X, probe = normal(50, 3), normal(6, 3, seed=2)
    rows = []
    for scale in (1.0, 1e-120, 1e120):
        model = OnlineKernelPCA(3, gamma=0.3 / scale**2, **EXACT).fit(scale * X)
        rows.append(Distances().find(target_of(model, scale * probe), None)[0] / scale)
    assert_allclose(rows[1], rows[0], atol=1e-6)
    assert_allclose(rows[2], rows[0], atol=1e-6)


def test_standardised_columns():
    """Distances are those of the scaled columns, answers in the units of the rows."""
    units, offset = np.array([1.0, 100.0, 0.01]), np.array([5.0, -300.0, 0.0])
    X, probe = normal(60), normal(8, seed=2)
    plain = OnlineKernelPCA(3, gamma=0.3, **EXACT).fit(X)
    kernel = kernels.Standardized(kernels.RBF(0.3), units, offset)
    scaled = OnlineKernelPCA(3, kernel=kernel, **EXACT).fit(X * units + offset)
    one = Distances().find(target_of(plain, probe), None)[0]
    other = Distances().find(target_of(scaled, probe * units + offset), None)[0]
    assert_allclose((other - offset) / units, one, atol=1e-7)


def test_neighbours_without_a_distance_are_left_out():
    """g(d) < 0 far away: of two atoms only one tells where x is, and is the answer."""
    atoms = np.array([[0.0, 0.0], [9.0, 0.0]])
    target = with_coefficients(kernels.RBF(0.5), atoms, [0.9, -0.9])
    found, fine = Distances().find(target, None)
    assert fine.all()
    assert_allclose(found, atoms[:1], atol=1e-9)
    nowhere = with_coefficients(kernels.RBF(0.5), atoms, [-2.0, -2.0])
    found = preimage.find(Distances(), nowhere)
    assert not found.converged.any()
    assert_allclose(found.X, atoms[:1])


@pytest.mark.parametrize(
    "kernel",
    [
        kernels.Polynomial(degree=2),
        kernels.Laplacian(0.3),
        kernels.Cosine(),
        kernels.RBF(0.3) + kernels.RBF(1.0),
    ],
    ids=repr,
)
def test_kernels_that_do_not_tell_the_distance_are_refused(kernel):
    model = OnlineKernelPCA(2, kernel=kernel, preimage="distances").fit(normal(40))
    with pytest.raises(ValueError, match="whose value tells the distance of two rows"):
        model.denoise(normal(3, seed=1))


def test_scores_have_no_columns_of_their_own():
    """What `ridge` takes for a kernel of scores: no scales, no wavelets, wherever they stand."""
    plain = kernels.RBF(0.3)
    scaled = kernels.Standardized(plain, np.ones(4))
    for kernel, left in {
        plain: plain,
        scaled: plain,
        2.0 * scaled + kernels.Linear(): 2.0 * plain + kernels.Linear(),
        kernels.Wavelet(kernel=plain) * scaled: plain * plain,
    }.items():
        assert kernel.of_any_columns == left


@pytest.mark.parametrize("wrong", [0, -3, 2.5, True])
def test_impossible_numbers_of_neighbours_are_refused(wrong):
    with pytest.raises(ValueError, match="n_neighbors must be an integer >= 1"):
        Distances(wrong)


@pytest.mark.parametrize("how", ["distances", "ridge"])
def test_columns_of_their_own_scale_under_a_factor(how):
    """A factor changes no kernel's columns, so it changes no pre-image."""
    X = normal(60, 3) * [1.0, 50.0, 1e4] + [0.0, 1e3, 1e6]
    inside = kernels.Standardized(kernels.RBF(0.3), X.std(axis=0), X.mean(axis=0))
    found = [
        OnlineKernelPCA(5, kernel=kernel, preimage=how, **EXACT).fit(X).denoise(X)
        for kernel in (inside, 2.0 * inside)
    ]
    assert np.abs((found[0] - X) / X.std(axis=0)).mean() < 1.0
    if how == "distances":
        assert_allclose(*found)
    else:  # whose penalty is fixed
        assert np.abs((found[1] - X) / X.std(axis=0)).mean() < 1.0
