"""Whatever a user may touch says what it is, and says what it returns."""

import inspect
from typing import Any, get_type_hints

import pytest

import okpca
from okpca.estimator.description import Description
from okpca.guidance import Suggestion

KINDS = [okpca.OnlineKernelPCA, okpca.KernelNoveltyDetector, okpca.Certificate]
KINDS += [okpca.StreamPipeline, Description, Suggestion]


def public(kind):
    """Names and members that are ours."""
    for name in dir(kind):
        owner = next((base for base in kind.__mro__ if name in base.__dict__), object)
        if not name.startswith("_") and owner.__module__.startswith("okpca"):
            yield name, owner.__dict__[name]


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_everything_public_has_a_docstring(kind):
    members = [
        (name, member)
        for name, member in public(kind)
        if isinstance(member, property) or inspect.isfunction(member)
    ]
    assert members
    assert [name for name, member in members if not inspect.getdoc(member)] == []


@pytest.mark.parametrize(
    "method", ["transform", "denoise", "inverse_transform", "score_samples", "fit_transform"]
)
def test_results_are_typed(method):
    function = inspect.unwrap(getattr(okpca.OnlineKernelPCA, method))
    assert get_type_hints(function)["return"] not in (Any, None)
