"""What begins with an underscore is its own file's: nobody else reaches for it."""

import ast
from pathlib import Path

import pytest

import okpca

SOURCE = Path(okpca.__file__).parent
BENCHMARKS = Path(__file__).resolve().parent.parent / "benchmarks"
FILES = {str(file.relative_to(SOURCE.parent)): file for file in SOURCE.rglob("*.py")}
FILES |= {str(file.relative_to(BENCHMARKS.parent)): file for file in BENCHMARKS.rglob("*.py")}
# Of named tuples, of scikit-learn's estimators, of others that are asked how they would have it.
OTHERS = {"_replace", "_asdict", "_fields", "_validate_params", "_iter", "_exit", "_core"}
OTHERS |= {"_yield_datasets", "_unit_test_skips"}


def own(code):
    """Names with an underscore that are defined in a file."""
    for node in ast.walk(code):
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            yield node.name
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id
        elif isinstance(node, ast.Attribute) and _of_self(node):
            yield node.attr


def _of_self(node):
    inside = node.value
    if isinstance(inside, ast.Call):
        inside = inside.func  # super()
    return isinstance(inside, ast.Name) and inside.id in ("self", "cls", "super")


def _by_name(node):
    """`other.__dict__.get("_x")` is no better."""
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute) or not node.args:
        return False
    held, name = node.func.value, node.args[0]
    if not isinstance(held, ast.Attribute) or held.attr != "__dict__" or _of_self(held):
        return False
    return isinstance(name, ast.Constant) and str(name.value).startswith("_")


def reached_for(code):
    mine = {*own(code)} | OTHERS
    for node in ast.walk(code):
        if _by_name(node) and node.args[0].value not in mine:
            yield node.args[0].value
        if not isinstance(node, ast.Attribute) or _of_self(node) or node.attr in mine:
            continue
        if node.attr.startswith("_") and not node.attr.endswith("__"):
            yield node.attr


@pytest.mark.parametrize("name", FILES)
def test_a_file_reaches_for_nothing_private(name):
    code = ast.parse(FILES[name].read_text(encoding="utf-8"))
    assert {*reached_for(code)} == set()


def test_what_is_reached_for_is_found():
    code = "class A:\n  def f(self, a): return self._x, a._x, a._y, super()._z, a.__dict__"
    assert {*reached_for(ast.parse(code))} == {"_y"}
    code += ", a.__dict__.get('_w'), self.__dict__.get('_v'), a.__dict__.get('_x')"
    assert {*reached_for(ast.parse(code))} == {"_w", "_y"}
