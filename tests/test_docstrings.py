"""Whatever a user may touch says what it is, and says what it returns."""

import dataclasses
import inspect
import re
from importlib import import_module
from types import ModuleType
from typing import Any, get_args, get_type_hints

import pytest

import okpca
from okpca import budget, dictionary, kernels, preimage, presets, rules, schedules, weights
from okpca.detection.limits import NAMES as STATISTICS
from okpca.estimator import choices
from okpca.estimator.description import Description
from okpca.estimator.guidance import Suggestion
from okpca.estimator.parameters import CONSTRAINTS
from okpca.kernels.first_rows import SCALES, WIDTHS
from okpca.kernels.registry import names as kernel_names

ROOMS = [
    okpca,
    *(getattr(okpca, name) for name in okpca.__all__),
    *(import_module(f"okpca.{name}") for name in ("checks", "detection", "plots", "report")),
]
# What a user makes, with parameters of its own.
MADE = (kernels.Kernel, rules.Rule, schedules.Schedule, dictionary.Policy, budget.Budget)
MADE += (weights.Weight, preimage.PreImage, okpca.OnlineKernelPCA, okpca.KernelNoveltyDetector)
MADE += (okpca.Trace, okpca.StreamPipeline)


def public():
    """Classes and functions of ours that a public room shows, by where they are found."""
    found = {"Description": Description, "Suggestion": Suggestion}
    for room in ROOMS:
        if not isinstance(room, ModuleType):
            continue
        for name in getattr(room, "__all__", [n for n in vars(room) if not n.startswith("_")]):
            thing = getattr(room, name)
            ours = getattr(thing, "__module__", "").startswith("okpca")
            if ours and (inspect.isclass(thing) or inspect.isfunction(thing)):
                found[f"{room.__name__}.{name}"] = thing
    return found


PUBLIC = public()
each = pytest.mark.parametrize("thing", PUBLIC.values(), ids=PUBLIC.keys())


def own_docstring(thing):
    """Not its parent's, nor the signature that a dataclass puts there."""
    doc = vars(thing).get("__doc__") if inspect.isclass(thing) else thing.__doc__
    written = not (dataclasses.is_dataclass(thing) and (doc or "").startswith(thing.__name__ + "("))
    return doc if written else None


def members(kind):
    """Public methods and properties that are ours, inherited ones included."""
    for name in dir(kind):
        owner = next((base for base in kind.__mro__ if name in vars(base)), object)
        member = vars(owner).get(name)
        if name.startswith("_") or not owner.__module__.startswith("okpca"):
            continue
        if isinstance(member, property) or inspect.isroutine(getattr(kind, name)):
            yield name, member if isinstance(member, property) else getattr(kind, name)


def unmentioned(function, text):
    parameters = inspect.signature(function).parameters.values()
    return [
        p.name
        for p in parameters
        if p.kind not in (p.VAR_KEYWORD, p.VAR_POSITIONAL) and not re.search(rf"\b{p.name}\b", text)
    ]


def test_the_walk_finds_the_library():
    assert {"okpca.OnlineKernelPCA", "okpca.Certificate", "okpca.merge"} <= PUBLIC.keys()
    assert {"okpca.kernels.RBF", "okpca.rules.Hebbian", "okpca.subspace.Subspace"} <= PUBLIC.keys()
    assert {"okpca.model.budget.Drop", "okpca.model.weights.Auto"} <= PUBLIC.keys()
    assert {"okpca.plots.SpectrumDisplay", "okpca.checks.check_kernel"} <= PUBLIC.keys()


@each
def test_everything_public_has_a_docstring(thing):
    assert own_docstring(thing)
    if inspect.isclass(thing):
        assert [name for name, member in members(thing) if not inspect.getdoc(member)] == []


@pytest.mark.parametrize("name", presets.__all__)
def test_every_parameter_of_a_preset_is_explained(name):
    preset = getattr(presets, name)
    assert unmentioned(preset, preset.__doc__) == []


@pytest.mark.parametrize(
    "thing",
    dict.fromkeys(  # once each, in an order that workers agree on
        thing
        for thing in PUBLIC.values()
        if inspect.isclass(thing) and issubclass(thing, MADE) and not inspect.isabstract(thing)
    ),
    ids=lambda thing: thing.__name__,
)
def test_every_parameter_of_a_part_is_explained(thing):
    text = " ".join(own_docstring(base) or "" for base in thing.__mro__ if base is not object)
    assert unmentioned(thing, text) == []


@pytest.mark.parametrize(
    "method", ["transform", "denoise", "inverse_transform", "score_samples", "fit_transform"]
)
def test_results_are_typed(method):
    function = inspect.unwrap(getattr(okpca.OnlineKernelPCA, method))
    assert get_type_hints(function)["return"] not in (Any, None)


@pytest.mark.parametrize(
    ("literal", "known"),
    [
        (choices.KernelName, kernel_names()),
        (choices.WidthName, WIDTHS),
        (choices.ScaleName, SCALES),
        (choices.RuleName, rules.NAMES),
        (choices.PolicyName, dictionary.NAMES),
        (choices.BudgetName, budget.NAMES),
        (choices.WeightName, weights.NAMES),
        (choices.GeometryName, CONSTRAINTS["geometry"][0].options),
        (choices.PreImageName, preimage.NAMES),
        (choices.Statistic, STATISTICS),
        (
            choices.LimitName,
            okpca.KernelNoveltyDetector._parameter_constraints["limits"][0].options,
        ),
    ],
    ids=[
        "kernel",
        "gamma",
        "scale",
        "rule",
        "dictionary",
        "on_full",
        "robust",
        "geometry",
        "preimage",
        "statistic",
        "limits",
    ],
)
def test_the_types_know_the_names(literal, known):
    assert set(get_args(literal)) == set(known)


@pytest.mark.parametrize("kind", [okpca.OnlineKernelPCA, okpca.KernelNoveltyDetector])
def test_no_choice_is_untyped(kind):
    hints = get_type_hints(kind.__init__)
    assert [name for name in inspect.signature(kind).parameters if hints[name] in (Any, str)] == []
