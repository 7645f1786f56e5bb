"""The recipes of CONTRIBUTING, followed: its examples, put where it says, pass the checks it names.

Whatever the page shows is what is tried here. Every example is then spoiled by one slip, and its
check must notice.
"""

import importlib.util
import os
import re
import shutil
import subprocess
import sys
from functools import partial
from pathlib import Path
from typing import NamedTuple
from unittest.mock import patch

import numpy as np
import pytest
from numpy.testing import assert_allclose

from helpers import OF_THE_MODEL, assert_same_model, normal
from okpca import OnlineKernelPCA, checks, preimage, rules, schedules, weights
from okpca._core.naming import by_name
from okpca.checks import check_preimage, check_schedule, check_weight, stream
from okpca.checks._tools import rows
from okpca.rules.schedules import ExponentialDecay, SearchThenConverge

PAGE = Path(__file__).resolve().parent.parent / "CONTRIBUTING.md"

PARAMETER = {  # of the estimator, that takes the string or the object
    "kernel": "kernel",
    "rule": "rule",
    "admission policy": "dictionary",
    "budget": "on_full",
    "robust weight": "robust",
    "schedule": None,
    "pre-image": "preimage",
}


class Recipe(NamedTuple):
    part: str
    file: str
    above: str  # in a file that is there already
    registry: str
    line: str
    check: str
    code: str

    @property
    def name(self):
        """The class that the check is called with."""
        return re.search(r"(\w+)\(\)", self.check)[1]


def read_recipes():
    text = PAGE.read_text(encoding="utf-8")
    rows = re.findall(r"^\| (.*?) \| `(.*?)`(.*?) \| (.*?) \| `(.*)` \|$", text, re.MULTILINE)
    sections = re.findall(
        r"^### An? (.*?)\n.*?^```python\n(.*?)^```$", text, re.DOTALL | re.MULTILINE
    )
    codes = dict(sections)
    for part, file, above, registered, check in rows:
        registry, line = [*re.findall(r"`(.*?)`", registered), "", ""][:2]
        yield Recipe(
            part, file, above.partition("`")[2].rstrip("`"), registry, line, check, codes[part]
        )


# The streaming checks that a part may fail; the others are about the estimator it is put into.
OF_A_PART = OF_THE_MODEL | {"memory_is_bounded", "outputs_are_finite_after_each_update"}

RECIPES = {recipe.part: recipe for recipe in read_recipes()}
EVERY = pytest.mark.parametrize("recipe", RECIPES.values(), ids=list(RECIPES))


def written(recipe, code, folder):
    """The example as a module of its own, so that it can be pickled."""
    name = f"recipe_of_{recipe.name}_{len(sys.modules)}"
    path = folder / f"{name}.py"
    path.write_text(code, encoding="utf-8")
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def run_check(recipe, module, only=OF_A_PART):
    """The last column of the table, as it stands there; of the streaming checks some."""
    space = vars(checks) | {"OnlineKernelPCA": OnlineKernelPCA} | vars(module)
    if only <= checks.ALL.keys():
        skip = dict.fromkeys(checks.ALL.keys() - only, "another is looked at")
        space["check_streaming"] = partial(checks.check_streaming, skip=skip)
    # That memory is bounded takes 1500 rows and 1500 more; a dozen atoms are full long before.
    most = 300 if recipe.part == "budget" else 1500
    with patch.object(stream, "rows", lambda n, seed=0: rows(min(n, most), seed)):
        eval(recipe.check, space)


def test_every_part_has_a_recipe():
    assert RECIPES.keys() == PARAMETER.keys()


@EVERY
def test_an_example_is_small(recipe):
    lines = [
        line for line in recipe.code.splitlines() if line and not re.match("from|import", line)
    ]
    assert len(lines) < 20


@pytest.mark.long
@EVERY
def test_an_example_passes_its_check(recipe, tmp_path):
    run_check(recipe, written(recipe, recipe.code, tmp_path))


SLIPS = {
    "kernel": [
        ("-2.0 / self", "2.0 / self", "pullback beside finite differences"),
        ("dense(X) /", "X /", "CSR rows raise"),
        ("1.0 / (1.0 + D)", "1.0 - 0.1 * D", "not positive definite"),
        ("np.ones(", "2.0 * np.ones(", "diag beside"),
        ("dense(Y) / self.width", "dense(Y)**3 / self.width", r"kappa\(y, x\) beside"),
        ("@dataclass(frozen=True)\n", "", "it prints as"),
        ("Trait.CONSTANT_NORM", "Trait.AFFINE", "AFFINE: halfway"),
        ("Trait.CONSTANT_NORM", "Trait.GAUSSIAN", "GAUSSIAN: log kappa"),
    ],
    "rule": [
        ("block.weight * block.gain", "block.gain", "whole_weight_is_repetition"),
        ("decay**n * np.pad", "decay**n * 0.999 * np.pad", "slicing_does_not_matter"),
    ],
    "admission policy": [
        ("residual >= ", "residual * 0 + residual.mean() >= ", "slicing_does_not_matter"),
    ],
    "budget": [
        (
            "    def halt",
            "    def room(self, m):\n        return None\n\n    def halt",
            "memory_is_bounded",
        ),
    ],
    "robust weight": [
        ("log1p(", "log1p(2.0 * ", "not the derivative of the loss"),
        ("1.0 / (1.0 + ", "2.0 / (1.0 + ", "not 0 to 1"),
        ("np.asarray(1.0 / ", "np.asarray(1.0 - 1.0 / ", "farther away counts more"),
    ],
    "schedule": [
        ("np.sqrt(t)", "np.sqrt(t - t[0] + 1)", "one by one"),
        ("np.sqrt(t)", "(2.5 - t)", "negative"),
    ],
    "pre-image": [
        ("target.atom()", "target.atom()[:1]", "shape"),
        ("target.atom()", "9.0 + target.atom()", "as far away"),
    ],
}
SPOILED = [(RECIPES[part], *slip) for part, slips in SLIPS.items() for slip in slips]


def test_every_part_is_spoiled():
    assert SLIPS.keys() == PARAMETER.keys()


@pytest.mark.long
@pytest.mark.parametrize(
    ("recipe", "right", "wrong", "message"), SPOILED, ids=[f"{s[0].part}: {s[3]}" for s in SPOILED]
)
def test_a_spoiled_example_fails_its_check(recipe, right, wrong, message, tmp_path):
    assert recipe.code.count(right) == 1
    module = written(recipe, recipe.code.replace(right, wrong), tmp_path)
    with pytest.raises(AssertionError, match=message):
        run_check(recipe, module, only={message})


# -- in a copy of the source, by file and line ----------------------------------------------------


def followed(recipe, root):
    """Write the file, or the class into the file, and the line into the registry."""
    path = root / recipe.file
    if not recipe.above:
        assert not path.exists()
        path.write_text(recipe.code, encoding="utf-8")
    else:
        insert(path, rf"^(def )?{recipe.above}\b", recipe.code.partition("\n\n\n")[2] + "\n\n")
    if recipe.line:
        room = recipe.registry.removeprefix("src/").removesuffix("/__init__.py").replace("/", ".")
        insert(root / recipe.registry, rf"^from {room}\.", recipe.line + "\n")


def insert(path, before, text):
    """Above the first line that matches."""
    old = path.read_text(encoding="utf-8")
    at = re.search(before, old, re.MULTILINE).start()
    path.write_text(old[:at] + text + old[at:], encoding="utf-8")


BY_NAME = """
import sys
import numpy as np
import okpca
from okpca import OnlineKernelPCA, rules, schedules

assert okpca.__file__.startswith(sys.argv[1]), okpca.__file__
X = np.random.RandomState(0).normal(size=(40, 3))
for pair in sys.argv[2:]:
    parameter, name = pair.split("=")
    model = OnlineKernelPCA(2, max_atoms=9, **{parameter: name}).fit(X[:7]).partial_fit(X[7:])
    rows = model.inverse_transform(model.transform(X))
    assert rows.shape == X.shape and np.isfinite(rows).all()
rule = rules.Hebbian(schedule=schedules.Root())
assert np.isfinite(OnlineKernelPCA(2, rule=rule).fit(X).eigenvalues_).all()
print("all of them")
"""


@pytest.mark.long
def test_the_recipes_suffice(tmp_path):
    """A file and a line each: then the strings work."""
    shutil.copytree(
        PAGE.parent / "src", tmp_path / "src", ignore=shutil.ignore_patterns("__pycache__")
    )
    for recipe in RECIPES.values():
        followed(recipe, tmp_path)
    named = [
        f"{PARAMETER[recipe.part]}={name}"
        for recipe in RECIPES.values()
        for name in re.findall(r'names = \("(.*)",\)', recipe.code)
    ]
    assert len(named) == len(RECIPES) - 1  # schedules have no names
    source = str(tmp_path / "src")
    done = subprocess.run(
        [sys.executable, "-c", BY_NAME, source, *named],
        env=os.environ | {"PYTHONPATH": source, "NUMBA_DISABLE_JIT": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout == "all of them\n", done.stderr


# -- what the examples compute --------------------------------------------------------------------


def example(part, folder):
    recipe = RECIPES[part]
    return getattr(written(recipe, recipe.code, folder), recipe.name)


def test_the_rule_is_the_exact_one(tmp_path):
    X, moments = normal(70, 3), example("rule", tmp_path)
    for options in ({}, {"forgetting": 0.95}, {"burn_in": 20}):
        own, exact = (OnlineKernelPCA(3, rule=r, **options).fit(X) for r in (moments(), "exact"))
        assert_same_model(own, exact, X[:9])


def test_the_policy_is_novelty_where_norms_are_one(tmp_path):
    X, radius = normal(70, 3), example("admission policy", tmp_path)
    own = OnlineKernelPCA(2, dictionary=radius(0.3)).fit(X)
    assert 1 < own.n_atoms_ < 70
    assert_same_model(own, OnlineKernelPCA(2, nu=0.09).fit(X), X[:9])


def test_the_budget_keeps_the_oldest_and_the_last(tmp_path):
    X, newest = normal(70, 3), example("budget", tmp_path)
    model = OnlineKernelPCA(2, nu=0, max_atoms=8, on_full=newest()).fit(X)
    assert_allclose(model.atoms_, X[[*range(7), 69]])


def test_the_weight_turns_outliers_away(tmp_path):
    X, lorentz = normal(200, 3), example("robust weight", tmp_path)
    X[::20] += 30.0
    clean = OnlineKernelPCA(1, kernel="linear").fit(np.delete(X, np.s_[::20], axis=0))
    plain, robust = (
        OnlineKernelPCA(1, kernel="linear", robust=r, burn_in=50).fit(X)
        for r in (None, lorentz(0.1))
    )
    errors = [m.reconstruction_error(X[1:20]).mean() for m in (clean, robust, plain)]
    assert errors[1] < 0.5 * (errors[0] + errors[2])


def test_the_schedule_sets_the_steps(tmp_path):
    rule = rules.Hebbian(schedule=example("schedule", tmp_path)(0.4))
    assert rule.step_size(4) == 0.2


def test_the_preimage_is_an_atom(tmp_path):
    X = normal(40, 3)
    model = OnlineKernelPCA(3, preimage=example("pre-image", tmp_path)()).fit(X)
    # ‖φ(d) − g‖²: what lies outside the components, and the difference of the scores
    outside, at_atoms = model.reconstruction_error(model.atoms_), model.transform(model.atoms_)
    for x, y in zip(model.denoise(X[:9]), model.transform(X[:9]), strict=True):
        nearest = np.argmin(outside + np.square(at_atoms - y).sum(axis=1))
        assert_allclose(x, model.atoms_[nearest])


# -- the library's own parts ----------------------------------------------------------------------


@pytest.mark.parametrize("weight", [kind() for kind in by_name(vars(weights)).values()], ids=repr)
def test_our_weights_pass(weight):
    check_weight(weight)


@pytest.mark.parametrize(
    "schedule",
    [schedules.Constant(), schedules.Inverse(), SearchThenConverge(), ExponentialDecay()],
    ids=repr,
)
def test_our_schedules_pass(schedule):
    check_schedule(schedule)


@pytest.mark.parametrize("method", preimage.NAMES.values(), ids=list(preimage.NAMES))
def test_our_preimages_pass(method):
    check_preimage(method)


# -- names ----------------------------------------------------------------------------------------


class Named:
    names = ("one", "two")


class Nameless(Named):
    """A subclass that gives itself no name."""


def test_a_subclass_does_not_answer_to_its_parent():
    assert by_name({"a": Named, "b": Nameless, "c": 3}) == {"one": Named, "two": Named}


def test_a_name_is_given_once():
    other = type("Other", (), {"names": ("two",)})
    with pytest.raises(ValueError, match="'two' names both Named and Other"):
        by_name({"a": Named, "b": other})
