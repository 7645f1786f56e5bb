"""Where rows are equally far or rules short of memory, the last digit must not decide."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from helpers import normal, pairs, random_borders, row_by_row, stream
from okpca import OnlineKernelPCA, budget, dictionary, kernels, rules
from okpca._core import compiled
from okpca._core.numerics import TIE

pytestmark = pytest.mark.leaves

# kernel, gamma, nu, max_atoms, forgetting, rows, how far apart if alpha < 1
LATTICES = [
    ("laplacian", 0.35776747814201504, 0.2857968683501455, 4, 0.97, np.arange(150.0) * 3, 3.0),
    ("laplacian", 1.4754227273187697, 0.013863353171188149, 8, 0.97, np.arange(150.0) * 0.5, 0.5),
    ("laplacian", 0.5, 0.01, 5, 1.0, np.arange(80.0), 0.5),
    ("rbf", 0.5, 0.01, 6, 0.97, np.arange(80.0), 3.0),
]


@pytest.mark.long
@pytest.mark.parametrize("alpha", [0.2, 1.0])
@pytest.mark.parametrize(
    ("kernel", "gamma", "nu", "max_atoms", "forgetting", "x", "spacing"), LATTICES
)
def test_dropping_on_a_lattice(kernel, gamma, nu, max_atoms, forgetting, x, spacing, alpha):
    """A newcomer is exactly as far from the others as the atom it would replace."""
    X = (spacing if alpha < 1 else 1.0) * x[:, None]

    def model():
        return OnlineKernelPCA(
            2,
            kernel=kernel,
            gamma=gamma,
            nu=nu,
            max_atoms=max_atoms,
            on_full=budget.Drop(alpha=alpha),
            forgetting=forgetting,
            center=False,
        )

    whole = stream(model(), X)
    for other in (row_by_row(model(), X), stream(model(), X, random_borders(len(X)))):
        assert_array_equal(other.atoms_, whole.atoms_)
        top = whole.eigenvalues_[0]
        assert_allclose(other.eigenvalues_, whole.eigenvalues_, rtol=0, atol=1e-9 * top)


@pytest.mark.parametrize(
    ("sizes", "seed", "forgetting"),
    pairs([(3, 4), (4, 4), (5, 5), (6, 2)], range(6), [0.97, 0.8]),
)
def test_tracking_as_many_components_as_atoms(sizes, seed, forgetting):
    r, max_atoms = sizes
    X = normal(180, 2, seed) * [2, 1]

    def model():
        return OnlineKernelPCA(
            r,
            gamma=0.5,
            nu=0.05,
            max_atoms=max_atoms,
            on_full="project",
            center=False,
            forgetting=forgetting,
            rule=rules.Tracking(beta=0.99),
            random_state=0,
        )

    whole, probe = stream(model(), X), X[:20]
    wanted = whole.transform(probe)
    for other in (row_by_row(model(), X), stream(model(), X, random_borders(len(X)))):
        assert_array_equal(other.atoms_, whole.atoms_)
        size = np.abs(wanted).max()
        assert_allclose(other.transform(probe), wanted, rtol=0, atol=1e-9 * size)


def test_one_rule_says_which_atom_is_nearest():
    """Between two atoms that differ from a row by rounding only, whoever asks."""
    rng = np.random.default_rng(0)
    corners = np.array([[1.0, 0.0], [-1.0, 0.0], [0.0, 1.0], [0.0, -1.0]])
    basis = dictionary.Basis.of_points(kernels.RBF(0.5), corners)
    rows = 1e-13 * rng.normal(size=(200, 2))  # nearly as far from all of them
    values = basis.kernel_values(rows)
    single = [compiled.nearest_of_row(k, basis.atom_norms, TIE) for k in values]
    np.testing.assert_array_equal(basis.nearest(rows), single)
    np.testing.assert_array_equal(basis.nearest(rows), 0)


@pytest.mark.thorough
@pytest.mark.parametrize("rule", ["exact", "incremental-svd"])
@pytest.mark.parametrize("n_components", [3, 6])
def test_robust_weights_where_the_last_component_ties(rule, n_components):
    """Rows far apart, each as often as the others: which of their directions are components is for
    rounding to say, what they weigh is not."""
    X = np.tile(10.0 * normal(10, 4), (20, 1))

    def model():
        settings = {"rule": rule, "robust": "exponential", "center": False}
        return OnlineKernelPCA(n_components, gamma=0.5, **settings)

    whole = stream(model(), X)
    for other in (row_by_row(model(), X), stream(model(), X, random_borders(len(X)))):
        assert_allclose(other.eigenvalues_, whole.eigenvalues_, rtol=1e-9)
        assert_allclose(other.explained_variance_ratio_, whole.explained_variance_ratio_, rtol=1e-9)
