"""Every algorithm of the papers by its name: it is what it says, and it runs.

The step-by-step comparisons with the literal transcriptions are in the files named here.
"""

import inspect

import numpy as np
import pytest

from helpers import assert_same_model, normal
from okpca import OnlineKernelPCA, budget, presets, rules
from okpca.dictionary import Coherence, Fixed
from okpca.model import components
from okpca.model.budget import Drop, ReducedSet, Slide
from okpca.model.surgery import drop
from okpca.rules.schedules import Constant, ExponentialDecay, Inverse, SearchThenConverge
from okpca.subspace import Subspace

X = normal(80, 2)
CALLS = {
    "ikpca": lambda: presets.ikpca(3),
    "ikpca_rs": lambda: presets.ikpca_rs(2, block=10, per_component=4),
    "iksvd": lambda: presets.iksvd(3),
    "kashima_apex": lambda: presets.kashima_apex(2),
    "kashima_oja": lambda: presets.kashima_oja(),
    "kashima_simultaneous": lambda: presets.kashima_simultaneous(2),
    "kha": lambda: presets.kha(X, 2, epochs=2),
    "okha": lambda: presets.okha(2),
    "okha_single": lambda: presets.okha_single(),
    "on_kha": lambda: presets.on_kha(3),
    "oo_kha": lambda: presets.oo_kha(3),
    "rkpca": lambda: presets.rkpca(2, burn_in=20),
    "subkha": lambda: presets.subkha(2, max_atoms=9),
    "tanaka": lambda: presets.tanaka(2),
}


def test_every_preset_is_tried():
    assert set(CALLS) == set(presets.__all__)
    public = {name for name, f in vars(presets).items() if inspect.isfunction(f)}
    assert {name for name in public if not name.startswith("_")} == set(presets.__all__)


def energy(model):
    """What the span of its components holds of the rows."""
    return np.square(Subspace.of(model).orthonormal().transform(X)).sum()


@pytest.mark.parametrize("name", presets.__all__)
def test_learns(name):
    """No span holds more than that of batch kernel PCA; the papers' come near within 80 rows."""
    model = CALLS[name]().fit(X)
    batch = OnlineKernelPCA(model.n_components, center=model.center, nu=0, max_atoms=None)
    assert 0.7 < energy(model) / energy(batch.fit(X)) <= 1 + 1e-9


@pytest.mark.parametrize("name", presets.__all__)
def test_parameters_of_the_estimator_pass_through(name):
    points = (X,) if name == "kha" else ()
    model = getattr(presets, name)(*points, gamma=0.123, random_state=7)
    assert model.gamma == 0.123
    assert model.random_state == 7
    other = getattr(presets, name)(*points, center=True)
    assert other.center is True


def test_the_papers_settings():
    assert presets.okha().rule == rules.Hebbian(deflation=1, schedule=SearchThenConverge(0.5, 1e5))
    assert presets.okha().nu == 0.5
    decay = ExponentialDecay(0.05, 0.999995)
    assert presets.oo_kha().rule == rules.Hebbian(deflation=2, schedule=decay)
    assert presets.on_kha().rule == rules.Hebbian(deflation=2, normalize=True, schedule=decay)
    assert presets.subkha().on_full == Drop(alpha=1.0)
    assert presets.tanaka().dictionary == Coherence(0.742)
    assert presets.rkpca().rule.schedule == Inverse(1.0)
    assert presets.kashima_oja(eta=0.1).rule.schedule == Constant(0.1)
    assert presets.kashima_simultaneous(3, beta=1.5).rule.deflation == 1.5
    assert presets.ikpca_rs(6, per_component=10).max_atoms == 100
    assert presets.ikpca_rs(6).on_full == ReducedSet(per_component=10)
    # Their r is what is kept, of which fewer components may be shown.
    assert presets.ikpca_rs(3, rank=6, block=30).max_atoms == 100
    assert presets.ikpca_rs(3, rank=6).on_full.rank == 6
    assert not presets.iksvd().center
    assert isinstance(presets.kha(X).dictionary, Fixed)


def test_bounded_memory_keeps_the_last_rows():
    model = presets.kashima_simultaneous(2, memory=7, gamma=1.0)
    for x in X:
        model.partial_fit(x[None])
    np.testing.assert_array_equal(model.atoms_, X[-7:])
    assert_same_model(model, presets.kashima_simultaneous(2, memory=7, gamma=1.0).fit(X), X[:5])


def test_the_oldest_atom_is_projected_on_the_others():
    """w loses only what the remaining rows do not span (a least-squares problem, from scratch)."""
    model = presets.kashima_oja(memory=5, gamma=1.0, random_state=0)
    assert isinstance(budget.make(model.on_full, 5), Slide)
    model.fit(X[:5])
    before, atoms = model.dual_coef_, model.atoms_
    relieved = drop(model._model, 0)
    gram = model.kernel_(atoms)
    best = np.linalg.solve(gram[1:, 1:], gram[1:] @ before.T).T
    np.testing.assert_allclose(components(relieved).dual, best, rtol=1e-8)
