"""Columns of one kind are left as they are, others are scaled."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import sparse
from sklearn.datasets import load_breast_cancer, load_diabetes, load_digits, load_iris, load_wine

import okpca
from okpca import KernelWarning, OnlineKernelPCA
from okpca.estimator.guidance.scale import counted, scale_for, scaled

RNG = np.random.default_rng(0)
NORMAL = RNG.normal(size=(400, 6))
HEAVY = NORMAL * np.geomspace(1, 300, 6)
FAR = HEAVY.copy()
FAR[::100] *= 100  # four rows
TWO_KINDS = NORMAL * [1, 1, 1, 100, 100, 100]
RARE = (RNG.uniform(size=(400, 60)) < 0.05) * RNG.geometric(0.1, size=(400, 60))

CASES = {
    "one kind": (NORMAL, None),
    "scales 1 to 300": (HEAVY, "standard"),
    "two columns": (NORMAL[:, :2] * [1, 300], "standard"),
    "rows far out": (FAR, "robust"),
    "two kinds": (TWO_KINDS, "standard"),
    "one column": (NORMAL[:, :1], None),
    "a constant column": (np.column_stack([NORMAL, np.full(400, 1e6)]), None),
    "pixels": (load_digits().data, None),
    "iris": (load_iris().data, None),
    "wine": (load_wine().data, "standard"),
    "breast cancer": (load_breast_cancer().data, "standard"),
    "diabetes": (load_diabetes(scaled=False).data, "standard"),
    "binary": ((NORMAL < [-2, -1, 0, 0, 1, 2]).astype(float), None),
    "binary and measured": (np.column_stack([NORMAL < 0, HEAVY[:, 3:]]), "standard"),
    "rare counts": (RARE.astype(float), None),
    "rare counts, CSR": (sparse.csr_array(RARE.astype(float)), None),
    "full CSR": (sparse.csr_array(HEAVY), "standard"),
    "huge": (NORMAL * 1e200, None),
}


@pytest.mark.parametrize("name", CASES)
def test_which_columns_are_scaled(name):
    X, expected = CASES[name]
    choice = scale_for(X)
    assert choice.value == expected
    assert len(choice.why) > 20


@pytest.mark.parametrize("unit", [1e-3, 1e3])
def test_a_common_unit_changes_nothing(unit):
    for X, expected in CASES.values():
        if not sparse.issparse(X) and not set(np.unique(X)) <= {0, 1}:
            assert scale_for(X * unit).value == expected


def test_how_many_columns_count():
    assert counted(np.ones(7)) == pytest.approx(1)
    assert counted(np.array([1.0, 1e-9, 1e-9])) == pytest.approx(0, abs=1e-12)
    assert counted(np.repeat([1.0, 1e-9], 5)) == pytest.approx(4 / 9)  # 5 of 10


@pytest.mark.parametrize("how", ["standard", "robust"])
def test_rows_are_scaled_as_in_a_model(how):
    _, rows = scaled(how, HEAVY[:200], HEAVY)
    model = OnlineKernelPCA(2, gamma=0.1, scale=how).fit(HEAVY)
    assert_allclose(np.abs(OnlineKernelPCA(2, gamma=0.1).fit(rows).transform(rows[:50])),
                    np.abs(model.transform(HEAVY[:50])), atol=1e-9)  # fmt: skip


@pytest.mark.filterwarnings("error::okpca.KernelWarning")
def test_a_model_does_not_warn_of_what_was_suggested():
    """Half of the columns are what distances are made of, enough for one kind; yet the model would
    say of the others that they hardly count."""
    with pytest.warns(KernelWarning, match="columns differ"):
        OnlineKernelPCA(3, gamma="median").fit(TWO_KINDS)
    okpca.suggest(TWO_KINDS).model().fit(TWO_KINDS)
