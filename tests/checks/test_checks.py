"""The shipped streaming checks: our estimators pass them, and every one of them can fail."""

from __future__ import annotations

from unittest import SkipTest

import numpy as np
import pytest
from sklearn.decomposition import IncrementalPCA

from broken_estimators import BROKEN, CountsCalls, Flips, RunningPCA
from helpers import OF_THE_MODEL
from okpca import OnlineKernelPCA, checks
from okpca.checks import check_streaming, streaming_checks
from okpca.dictionary import Fixed
from okpca.model.weights import Exponential, Logistic
from okpca.rules import CentredAtoms, Hebbian

HEBBIAN = {"components_are_orthonormal": "a Hebbian rule is orthonormal only in the limit"}
FORGETS = {"whole_weight_is_repetition": "a repeated row makes the earlier ones older, twice"}
WARM = {"whole_weight_is_repetition": "a warm-up is counted in rows, whatever their weight"}
FIRST = {"signs_are_continuous": "until its width is known a model is another with every row"}
EMPIRICAL = {"components_are_orthonormal": "orthonormal in the geometry of the kernel values"}
MERGES = {
    "whole_weight_is_repetition": "atoms of a full dictionary are merged at borders counted in rows"
}
SWAPS = {"signs_are_continuous": "two components of nearly the same variance change places"}
GROWS = {"memory_is_bounded": "max_atoms=None sets no bound"}
POINTS = np.random.RandomState(0).normal(size=(20, 5))

MODELS = {
    "default": (OnlineKernelPCA(), {}),
    "okha": (OnlineKernelPCA(rule="okha"), HEBBIAN),
    "oo-kha": (OnlineKernelPCA(rule="oo-kha"), HEBBIAN),
    "on-kha": (OnlineKernelPCA(rule="on-kha"), HEBBIAN),
    "oja": (OnlineKernelPCA(rule="oja"), HEBBIAN),
    "centred atoms": (OnlineKernelPCA(rule=CentredAtoms(0.1)), HEBBIAN),
    "hebbian": (OnlineKernelPCA(rule=Hebbian(schedule=0.1), max_atoms=20), HEBBIAN | MERGES),
    "coherence": (OnlineKernelPCA(dictionary="coherence", nu=0.1, max_atoms=50), {}),
    "fixed": (OnlineKernelPCA(dictionary=Fixed(POINTS)), {}),
    "fixed on-kha": (OnlineKernelPCA(dictionary=Fixed(POINTS), rule="on-kha"), HEBBIAN),
    "full": (OnlineKernelPCA(max_atoms=10, on_full="project"), {}),
    "drop": (OnlineKernelPCA(max_atoms=20, on_full="drop"), {}),
    "compress": (
        OnlineKernelPCA(max_atoms=20, on_full="compress", random_state=0),
        MERGES | SWAPS,
    ),
    "incremental svd": (OnlineKernelPCA(rule="incremental-svd"), {}),
    "exact": (OnlineKernelPCA(nu=0, max_atoms=None), GROWS),
    "uncentred": (OnlineKernelPCA(center=False), {}),
    "forgetting": (OnlineKernelPCA(forgetting=0.98), FORGETS),
    "fraction": (OnlineKernelPCA(0.9), {}),
    "all components": (OnlineKernelPCA(None, max_atoms=10, on_full="project"), {}),
    "robust": (OnlineKernelPCA(robust=Exponential(1.0)), {}),
    "robust on-kha": (OnlineKernelPCA(robust=Exponential(1.0), rule="on-kha"), HEBBIAN),
    "warm-up": (OnlineKernelPCA(burn_in=15, robust=Logistic(5.0, 0.5)), WARM),
    "warm-up oja": (OnlineKernelPCA(burn_in=15, rule="oja"), HEBBIAN | WARM),
    "median": (OnlineKernelPCA(gamma="median"), FIRST),
    "scaled": (OnlineKernelPCA(gamma="scale", scale="standard", nu=0.01), FIRST),
    "scaled, robust": (OnlineKernelPCA(gamma="median", scale="robust", burn_in=15), FIRST | WARM),
    "scaled poly": (OnlineKernelPCA(kernel="poly", gamma="median", scale="standard"), FIRST),
    "empirical": (OnlineKernelPCA(dictionary=Fixed(POINTS), geometry="empirical"), EMPIRICAL),
    "slide": (OnlineKernelPCA(max_atoms=12, on_full="slide"), {}),
    "linear": (OnlineKernelPCA(3, kernel="linear"), {}),
    "poly": (OnlineKernelPCA(kernel="poly"), {}),
    "cosine": (OnlineKernelPCA(kernel="cosine"), {}),
}


# One of every way of learning runs all checks. Of their relatives, what is about the estimator that
# all of them are in is not run again; of two parts together, each of which has its own line, and
# of what only the components are chosen by, how the parts go together is.
WHOLE = {"default", "on-kha", "compress", "incremental svd", "full", "warm-up"}
TOGETHER = {"fixed on-kha", "robust on-kha", "warm-up oja", "median", "scaled poly"}
TOGETHER |= {"uncentred", "fraction", "all components"}
HOW_THEY_GO_TOGETHER = {
    "slicing_does_not_matter",
    "refused_batch_changes_nothing",
    "whole_weight_is_repetition",
    "duplicates_are_harmless",
    "components_are_orthonormal",
}
# The checks that take longest. A model that keeps what another keeps, under another kernel or with
# other steps, need not be stored and looked at again; nor need rows of any size come to one
# that differs only in which of their values under the default kernel become atoms, or stay.
COSTLY = {
    "looking_changes_nothing": {"exact", "okha", "oo-kha", "oja", "coherence", "fixed"}
    | {"forgetting", "linear", "poly", "cosine", "scaled"},
    "memory_is_bounded": {"warm-up"},  # which is over after 15 rows
    "scales_are_harmless": {"okha", "oo-kha", "drop", "slide", "coherence", "fixed", "forgetting"},
}
COSTLY["pickle_continues_exactly"] = COSTLY["looking_changes_nothing"] - {"exact"}


def is_for(name, label):
    if label in TOGETHER:
        return name in HOW_THEY_GO_TOGETHER
    if label in COSTLY.get(name, ()):
        return False
    return label in WHOLE or name in OF_THE_MODEL


@pytest.mark.parametrize(
    "check",
    [
        pytest.param(check, id=f"{label}-{name}")
        for label, (model, skip) in MODELS.items()
        for name, check in streaming_checks(model, skip=skip)
        if is_for(name, label)
    ],
)
def test_our_models_pass(check):
    check()


def test_every_check_is_run_on_five_models():
    run = {label: {name for name in checks.ALL if is_for(name, label)} for label in MODELS}
    for name in checks.ALL:
        on = [label for label in MODELS if name in run[label] and name not in MODELS[label][1]]
        assert len(on) >= 5, name


@pytest.mark.thorough
def test_a_right_one_passes():
    assert set(check_streaming(RunningPCA())) == {"components_are_orthonormal"}


@pytest.mark.parametrize(
    ("broken", "name"),
    [pytest.param(c, n, id=f"{c.__name__}-{n}") for n, cs in BROKEN.items() for c in cs],
)
def test_a_wrong_one_fails(broken, name):
    check = dict(streaming_checks(broken()))[name]
    with pytest.raises(AssertionError, match=f"^{name}: {broken.__name__}: "):
        check()


def test_every_check_can_fail():
    assert set(BROKEN) == set(checks.ALL)
    assert set(checks.ALL) > OF_THE_MODEL
    assert OF_THE_MODEL > HOW_THEY_GO_TOGETHER
    assert MODELS.keys() > WHOLE | TOGETHER
    assert all(MODELS.keys() > labels and checks.ALL[name] for name, labels in COSTLY.items())


def test_incremental_pca_is_left_half_fitted():
    check = dict(streaming_checks(IncrementalPCA(2)))["refused_first_batch_leaves_no_trace"]
    try:
        check()
    except AssertionError as error:
        assert "components_" in str(error)  # noqa: PT017
    else:
        pytest.skip("this scikit-learn has it fixed")


# -- the runner -----------------------------------------------------------------------------------


def test_skips_have_reasons():
    name = "slicing_does_not_matter"
    check = dict(streaming_checks(OnlineKernelPCA(), skip={name: "because"}))[name]
    with pytest.raises(SkipTest, match="because"):
        check()


def test_skips_of_unknown_checks_are_refused():
    with pytest.raises(ValueError, match="no such checks: \\['slicing'\\]"):
        check_streaming(OnlineKernelPCA(), skip={"slicing": "because"})


@pytest.mark.thorough
def test_all_failures_are_named_together():
    class FlipsAndCountsCalls(Flips, CountsCalls):
        pass

    with pytest.raises(AssertionError) as caught:
        check_streaming(FlipsAndCountsCalls())
    assert "signs_are_continuous: " in str(caught.value)
    assert "rows_are_counted: " in str(caught.value)


def test_the_estimator_is_left_alone():
    model = OnlineKernelPCA(random_state=5)
    check_streaming(model, skip={n: "too slow" for n in checks.ALL if n != "y_is_ignored"})
    assert "_model" not in vars(model)
    assert model.random_state == 5


def test_every_check_says_what_users_rely_on():
    assert all(check.__doc__ for check in checks.ALL.values())
