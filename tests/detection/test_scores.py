"""SPE, T² and contributions against batch kernel PCA written out, and against differences."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.decomposition import KernelPCA

from helpers import normal
from okpca import OnlineKernelPCA
from okpca.detection.contributions import diagonal_gradient, gradient, normal_rows, shared, shares
from okpca.detection.scores import FLOOR, Chart
from okpca.estimator import model_of
from okpca.kernels import RBF, Linear, Polynomial

X, PROBE = normal(60, 3), 1.5 * normal(7, 3, seed=1)
KERNELS = [RBF(0.3), Linear(), Polynomial(degree=2, coef0=1.0), RBF(0.2) + 0.3 * Linear()]


def chart(kernel=None, n_components=4, **options):
    kernel = KERNELS[0] if kernel is None else kernel
    model = OnlineKernelPCA(n_components, kernel=kernel, nu=0, max_atoms=None, **options).fit(X)
    return Chart.of(model_of(model))


def batch_scores(kernel, r, rows):
    """From the Gram matrix of all rows: ‖φ(x) − μ‖² − ‖y‖² and Σ y² / λ."""
    peer = KernelPCA(r, kernel=lambda a, b: float(kernel(a[None], b[None])[0, 0])).fit(X)
    y = peer.transform(rows)
    K = kernel(X)
    distance = kernel.diag(rows) - 2 * kernel(rows, X).mean(axis=1) + K.mean()
    variance = peer.eigenvalues_ / len(X)
    total = np.trace(K) / len(X) - K.mean()
    t2 = (y**2 / np.maximum(variance, FLOOR * total)).sum(axis=1)
    return distance - (y**2).sum(axis=1), t2


@pytest.mark.thorough
@pytest.mark.parametrize("kernel", KERNELS, ids=repr)
def test_scores_are_those_of_batch_kernel_pca(kernel):
    r = 2 if kernel == Linear() else 4
    spe, t2 = batch_scores(kernel, r, PROBE)
    assert_allclose(chart(kernel, r).scores(PROBE), np.column_stack([spe, t2]), rtol=1e-8)


def test_far_away_spe_counts_all_of_the_row():
    of = chart()
    far = of.scores(np.full((1, 3), 1e3))
    along = of.V @ of.model.centre.mean
    assert far[0, 0] == pytest.approx(1 + RBF(0.3)(X).mean() - along @ along)
    assert far[0, 0] > chart().scores(PROBE)[:, 0].max()


def test_expected_scores_are_the_means_over_the_learned_rows():
    assert_allclose(chart().expected(), chart().scores(X).mean(axis=0), rtol=1e-8)


def test_weak_components_count_as_far_as_the_floor_lets_them():
    some, more = chart(n_components=4), chart(n_components=50)
    assert some.rank == pytest.approx(4)
    assert some.rank < more.rank < 50
    assert_allclose(more.expected()[1], more.scores(X)[:, 1].mean(), rtol=1e-8)


def test_components_without_variance_do_not_count():
    flat = np.repeat(normal(1, 3), 5, axis=0)
    model = OnlineKernelPCA(3, kernel=Linear()).fit(flat)
    assert_allclose(Chart.of(model_of(model)).scores(flat), 0, atol=1e-12)


def differences(f, rows, h=1e-6):
    out = np.empty_like(rows)
    for i in range(rows.shape[1]):
        step = h * np.eye(rows.shape[1])[i]
        out[:, i] = (f(rows + step) - f(rows - step)) / (2 * h)
    return out


@pytest.mark.parametrize("kernel", KERNELS, ids=repr)
@pytest.mark.parametrize("weight", [(1.0, 0.0), (0.0, 1.0), (2.0, 0.5)])
def test_gradient_is_the_limit_of_differences(kernel, weight):
    of = chart(kernel, 2)
    weight = np.array(weight)
    slow = differences(lambda rows: of.scores(rows) @ weight, PROBE)
    assert_allclose(gradient(of, PROBE, weight), slow, rtol=1e-5, atol=1e-6 * np.abs(slow).max())


@pytest.mark.parametrize("kernel", KERNELS, ids=repr)
def test_diagonal_gradient(kernel):
    rows = normal(70, 3)
    assert_allclose(diagonal_gradient(kernel, rows), differences(kernel.diag, rows), atol=1e-6)


@pytest.mark.parametrize("weight", [(1.0, 0.0), (0.0, 1.0), (2.0, 0.5)])
def test_contributions_add_up_to_the_rise_of_the_score(weight):
    of, weight = chart(), np.array(weight)
    rise = (of.scores(PROBE) - of.scores(normal_rows(of, PROBE))) @ weight
    assert_allclose(shared(of, PROBE, weight).sum(axis=1), rise, rtol=1e-6, atol=1e-8)


def test_normal_rows_are_means_of_the_nearest_atoms():
    of = chart()
    atoms = of.model.basis.atoms
    nearest = np.argsort(np.linalg.norm(atoms - PROBE[0], axis=1))[:10]
    assert_allclose(normal_rows(of, PROBE)[0], atoms[nearest].mean(axis=0))


def test_shares_are_what_raises_the_score():
    raised = shares(np.array([[3.0, 1.0, -2.0], [-1.0, -1.0, 0.0]]))
    assert_allclose(raised, [[0.75, 0.25, 0], [0, 0, 0]])


def test_contributions_point_at_the_faulty_column_however_far():
    rows = np.array([[0.0, 0.0, size] for size in (2.5, 5.0, 50.0)])
    found = shares(shared(chart(), rows, np.array([1.0, 0.0])))
    assert (found[:, 2] > 0.8).all()


def test_without_atoms_nothing_is_blamed():
    model = OnlineKernelPCA(2, kernel=Linear()).fit(np.zeros((4, 3)))
    of = Chart.of(model_of(model))
    assert not shared(of, PROBE, np.ones(2)).any()
    assert_allclose(of.scores(PROBE)[:, 0], (PROBE**2).sum(axis=1))


# -- by kernel values alone -----------------------------------------------------------------------


@pytest.mark.parametrize("kernel", KERNELS, ids=repr)
@pytest.mark.parametrize("nu", [1e-3, 0.1])
def test_scores_by_kernel_values_are_those_by_coordinates(kernel, nu):
    of = Chart.of(model_of(OnlineKernelPCA(2, kernel=kernel, nu=nu, max_atoms=20).fit(X)))
    assert of.quick is not None
    rows = np.vstack([PROBE, X])
    K, norm = of.basis.kernel_values(rows), kernel.diag(rows)
    slow = of._by_coordinates(K, norm)
    quick, sure = of.quick.scores(K, norm)
    assert sure.any()
    assert_allclose(quick[sure], slow[sure], rtol=1e-8)
    assert_allclose(of.scores(rows), slow, rtol=1e-8, atol=1e-14)
    alone = np.vstack([of.scores(row[None]) for row in rows])
    assert_allclose(alone, slow, rtol=1e-8, atol=1e-14)


def test_rows_whose_digits_would_cancel_go_by_coordinates():
    rows = 1e4 + normal(80, 3)  # SPE is 1e-8 of κ(x, x)
    of = Chart.of(model_of(OnlineKernelPCA(2, kernel="linear", nu=0, max_atoms=20).fit(rows)))
    slow = of._by_coordinates(of.basis.kernel_values(rows), of.basis.kernel.diag(rows))
    assert_allclose(of.scores(rows), slow, rtol=0, atol=0)
    away = rows - rows.mean(axis=0)
    assert_allclose(slow[:, 0], np.square(away @ np.linalg.svd(away)[2][2]), atol=1e-4)


def test_large_coefficients_are_not_trusted():
    line = np.linspace(0, 1, 60)[:, None]
    of = Chart.of(model_of(OnlineKernelPCA(8, kernel=RBF(0.01), nu=0, max_atoms=None).fit(line)))
    assert of.quick is None or of.quick.least > 1e-4


def test_components_that_are_not_orthonormal_go_by_coordinates():
    of = Chart.of(model_of(OnlineKernelPCA(3, gamma=0.3, rule="okha", random_state=0).fit(X)))
    assert of.quick is None
