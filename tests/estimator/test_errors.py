"""What is refused, in which words, and that a refused call has not happened.

A message says what is wrong, where (row, and call to partial_fit), and what to do next. The bytes
of the model are those before the call.
"""

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from helpers import normal, refused, refused_at_last
from okpca import OnlineKernelPCA
from okpca.dictionary import Coherence, Fixed, Novelty
from okpca.kernels import RBF
from okpca.rules import Hebbian
from okpca.rules.schedules import Constant, ExponentialDecay

X = normal(50)


def spoiled(value, row=3, n=20):
    rows = normal(n, seed=2).astype(object if isinstance(value, str) else float)
    rows[row, 1] = value
    return rows


BAD = {
    "NaN": (spoiled(np.nan), "Input X contains NaN"),
    "infinity": (spoiled(np.inf), "Input X contains infinity"),
    "minus infinity": (spoiled(-np.inf), "Input X contains infinity"),
    "a word": (spoiled("word"), "could not convert string to float: 'word'"),
    "NaN in CSR": (sparse.csr_array(spoiled(np.nan)), "Input X contains NaN"),
    "NaN in CSC": (sparse.csc_array(spoiled(np.nan)), "Input X contains NaN"),
    "NaN in lists": (spoiled(np.nan).tolist(), "Input X contains NaN"),
    "NaN in float32": (spoiled(np.nan).astype(np.float32), "Input X contains NaN"),
    "NaN in a frame": (pd.DataFrame(spoiled(np.nan)), "Input X contains NaN"),
}


@pytest.mark.parametrize("rule", ["exact", "on-kha"])
@pytest.mark.parametrize(("rows", "what"), BAD.values(), ids=BAD)
def test_bad_rows_are_located(rows, what, rule):
    model = OnlineKernelPCA(rule=rule, random_state=0)
    refused(model, what + r"(?s:.*)row 3 of call 1 to partial_fit, counting rows from 0", rows)
    model.partial_fit(X).partial_fit(X[:1])
    refused(model, what + r"(?s:.*)row 3 of call 3 to partial_fit, counting rows from 0", rows)
    refused(model, what + r"(?s:.*)row 3 in fit", rows, method="fit")
    refused(model, what + r"(?s:.*)row 3 in transform", rows, method="transform")


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_bad_single_row(value):
    model = OnlineKernelPCA().fit(X)
    row = X[:1].copy()
    row[0, 2] = value
    refused(model, r"Input X contains (?s:.*)row 0 of call 2 to partial_fit", row)
    refused(model, r"Input X contains (?s:.*)row 0 in transform", row, method="transform")


def test_refused_calls_do_not_count():
    model = OnlineKernelPCA().fit(X)
    for _ in range(3):
        refused(model, "row 3 of call 2", spoiled(np.nan))
    model.partial_fit(X)
    refused(model, "row 3 of call 3", spoiled(np.nan))


SHAPES = {
    "too narrow": (X[:, :2], "X has 2 features, but OnlineKernelPCA is expecting 3 features"),
    "too wide": (normal(5, 4), "X has 4 features, but OnlineKernelPCA is expecting 3 features"),
    "one narrow row": (X[:1, :2], "X has 2 features, but OnlineKernelPCA is expecting 3 features"),
    "no rows": (X[:0], r"Found array with 0 sample\(s\)"),
    "no columns": (X[:, :0], r"0 feature\(s\)"),
    "1-D": (X[0], "Expected 2D array, got 1D array instead"),
    "3-D": (X[None], "Found array with dim 3"),
    "a number": (1.0, "Expected 2D array, got scalar array instead"),
    "complex": (X + 1j, "Complex data not supported"),
    "complex row": (X[:1] + 0j, "Complex data not supported"),
    "words": (np.full((4, 3), "word"), "could not convert string to float"),
    "ragged": ([[1.0, 2.0, 3.0], [1.0]], "inhomogeneous"),
}


@pytest.mark.parametrize(("rows", "what"), SHAPES.values(), ids=SHAPES)
@pytest.mark.parametrize("method", ["partial_fit", "transform"])
def test_bad_shapes(rows, what, method):
    refused(OnlineKernelPCA().fit(X), what, rows, method=method)


@pytest.mark.parametrize("name", [n for n in SHAPES if not n.endswith(("narrow", "wide", "w row"))])
def test_bad_shapes_at_first(name):
    rows, what = SHAPES[name]
    refused(OnlineKernelPCA(), what, rows)
    refused(OnlineKernelPCA(), what, rows, method="fit")


def test_nothing_at_all():
    with pytest.raises((ValueError, TypeError)):
        OnlineKernelPCA().fit(None)


def test_names():
    frame = pd.DataFrame(X, columns=list("abc"))
    model = OnlineKernelPCA().fit(frame)
    renamed, swapped = frame.rename(columns={"c": "z"}), frame[list("bac")]
    for method in ("partial_fit", "transform"):
        refused(model, "(?s)feature names should match.*unseen.*z.*missing.*c", renamed, method)
        refused(model, "must be in the same order", swapped, method)
        refused(model, "feature names should match", renamed[:1], method)
        refused(model, "feature names should match", frame[["a", "b"]], method)


def test_mixed_names_are_refused():
    frame = pd.DataFrame(X, columns=["a", "b", 3])
    refused(OnlineKernelPCA(), "only supported if all input features have string names", frame,
            error=TypeError)  # fmt: skip


# -- weights --------------------------------------------------------------------------------------

WEIGHTS = {
    "negative": ([1, 1, 1, -2, 1], r"-2 \[row 3 of call 2 to partial_fit.*must be >= 0"),
    "NaN": ([1, 1, 1, np.nan, 1], "sample_weight contains NaN"),
    "infinite": ([1, 1, 1, np.inf, 1], "sample_weight contains infinity"),
    "too few": ([1, 1, 1, 1], "(?i)sample_weight.*shape"),
    "too many": ([1] * 6, "(?i)sample_weight.*shape"),
    "2-D": (np.ones((5, 2)), "(?i)sample.weight.*(shape|1D)"),
    "words": (["a"] * 5, "could not convert string to float"),
}


@pytest.mark.parametrize(("weight", "what"), WEIGHTS.values(), ids=WEIGHTS)
def test_bad_weights(weight, what):
    refused(OnlineKernelPCA().fit(X), what, X[:5], sample_weight=weight)


@pytest.mark.parametrize("weight", [w for w, _ in WEIGHTS.values()], ids=WEIGHTS)
def test_bad_weights_at_first(weight):
    refused(OnlineKernelPCA(), ".", X[:5], sample_weight=weight)
    refused(OnlineKernelPCA(), ".", X[:5], method="fit", sample_weight=weight)


def test_single_row_with_a_negative_weight():
    refused(OnlineKernelPCA().fit(X), r"row 0 of call 2", X[:1], sample_weight=[-1.0])


def test_nothing_but_zero_weights_is_no_start():
    refused(OnlineKernelPCA(), "zero", X[:5], sample_weight=np.zeros(5))


def test_nothing_but_zero_weights_later_is_no_update():
    model = OnlineKernelPCA().fit(X)
    before = model.transform(X)
    model.partial_fit(10 + X[:5], sample_weight=np.zeros(5))
    np.testing.assert_array_equal(model.transform(X), before)


# -- rules ----------------------------------------------------------------------------------------


def test_hebbian_rule_that_diverges():
    model = OnlineKernelPCA(kernel="linear", rule=Hebbian(schedule=50.0), random_state=0)
    what = r"diverges: lower the step size.*of call \d+ to partial_fit"
    refused_at_last(model, what, [100 * X] * 5)


def test_components_that_have_outgrown_all_numbers_are_to_blame():
    """Not the kernel, all of whose values are numbers."""
    rule = Hebbian(deflation=1, schedule=1e-300, init=np.full((2, 3), 1e150))
    atoms = Fixed(np.eye(3))
    model = OnlineKernelPCA(2, kernel="linear", dictionary=atoms, center=False, rule=rule).fit(X)
    assert np.isfinite(model.transform(X)).all()
    with pytest.raises(ValueError, match=r"outgrown all numbers.*lower the step size.*row 1 in"):
        model.transform(X[:2] * [[1.0], [1e165]])


# -- parameters -----------------------------------------------------------------------------------

NAN, INF = float("nan"), float("inf")
IMPOSSIBLE = [
    *({"n_components": v} for v in (0, -1, 1.0, 1.5, "mle", NAN)),
    *({"kernel": v} for v in ("rbff", 3, None, RBF)),
    *({"gamma": v} for v in (0, -1, NAN, INF, "auto")),
    *({"degree": v} for v in (0, 2.5, "two")),
    *({"coef0": v} for v in (-1, NAN, INF)),
    *({"kernel_params": v} for v in ([1], {"bogus": 1})),
    *({"rule": v} for v in ("nope", 3, None)),
    *({"dictionary": v} for v in ("fixed", 3, None)),
    *({"nu": v} for v in (-1e-9, 1.1, NAN)),
    *({"max_atoms": v} for v in (0, 1.5, INF)),
    *({"on_full": v} for v in ("explode", None)),
    *({"center": v} for v in (None, "yes")),
    *({"forgetting": v} for v in (0, 1.1, -0.5, NAN)),
    *({"random_state": v} for v in ("a", -1)),
]


@pytest.mark.parametrize("params", IMPOSSIBLE, ids=str)
def test_impossible_parameters(params):
    [(name, value)] = params.items()
    shown = "bogus" if name == "kernel_params" and isinstance(value, dict) else repr(value)
    shown = "RBF" if value is RBF else shown
    for model in (OnlineKernelPCA(**params), OnlineKernelPCA().fit(X).set_params(**params)):
        text = refused(model, name.replace("_", "[_ ]"), X, method="fit")
        assert shown in text
    refused(OnlineKernelPCA(**params), name, X)


def test_words_to_choose_from_are_in_order():
    with pytest.raises(ValueError, match=r"among \{'auto', 'robust', 'standard'\} or None"):
        OnlineKernelPCA(scale="x").fit(X)


@pytest.mark.parametrize(
    "rows", [iter(X), {"a": [1.0]}, [{"a": 1.0}]], ids=["iterator", "dict", "dicts"]
)
def test_what_is_no_rows(rows):
    what = (
        r"X must be rows of numbers, array-like of shape \(n_samples, n_features\): .*'(?:\w+)'\."
    )
    with pytest.raises(TypeError, match=what):
        OnlineKernelPCA().fit(rows)


def test_refused_parameters_do_not_cost_the_model():
    model = OnlineKernelPCA().fit(X)
    before = model.transform(X)
    model.set_params(gamma=-1)
    refused(model, "gamma", X, method="fit")
    np.testing.assert_array_equal(model.transform(X), before)


@pytest.mark.parametrize("count", [None, 0.9])
def test_steps_need_a_number_of_components(count):
    what = rf"n_components={count} needs rule='exact'"
    refused(OnlineKernelPCA(count, rule="okha"), what, X)


def test_parameters_that_do_not_go_together():
    what = "kernel_params does not apply"
    refused(OnlineKernelPCA(kernel=RBF(gamma=1), kernel_params={"gamma": 2}), what, X)
    init = Hebbian(init=np.ones((2, 7)))
    refused(OnlineKernelPCA(rule=init), r"init of Hebbian has shape \(2, 7\).*\(2, 1\)", X)
    narrow = Fixed(np.ones((3, 2)))
    refused(OnlineKernelPCA(dictionary=narrow), "has 2 columns, the rows have 3", X)
    zero = Fixed(np.zeros((3, 3)))
    refused(OnlineKernelPCA(dictionary=zero, kernel="linear"), "nothing to span", X)
    holes = Fixed(spoiled(np.nan))
    refused(OnlineKernelPCA(dictionary=holes), "the fixed dictionary contains NaN", X)


@pytest.mark.parametrize(
    ("build", "what"),
    [
        (lambda: Novelty(-1), "Novelty: nu must be a non-negative .* got -1"),
        (lambda: Coherence(2), "limit of Coherence must lie in .* got 2"),
        (lambda: Hebbian(deflation=-1), "Hebbian: deflation must be a non-negative .* got -1"),
        (lambda: Hebbian(init="zeros"), "init of Hebbian must be .* got 'zeros'"),
        (lambda: Hebbian(schedule=-1.0), "Constant: eta0 must be a positive .* got -1.0"),
        (lambda: Constant(NAN), "Constant: eta0 must be a positive .* got nan"),
        (lambda: ExponentialDecay(gamma=1.1), "gamma of ExponentialDecay must be <= 1, got 1.1"),
    ],
)
def test_parts_that_cannot_be_built(build, what):
    with pytest.raises(ValueError, match=what):
        build()
