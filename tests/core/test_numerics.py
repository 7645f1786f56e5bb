"""Thresholds: a name stands for one number, and none is without a name."""

import ast
from collections import Counter
from pathlib import Path

import okpca
from okpca._core import numerics, warning_thresholds

SOURCE = Path(okpca.__file__).parent


def test_no_threshold_is_given_twice():
    names = Counter(
        node.id
        for module in (numerics, warning_thresholds)
        for node in ast.walk(ast.parse(Path(module.__file__).read_text(encoding="utf-8")))
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    )
    assert len(names) > 50
    assert [name for name, count in names.items() if count > 1] == []


def nameless(node):
    """Numbers so small or so large that they can only be thresholds, in what is computed: not in
    constants of a module, defaults of parameters and texts."""
    if isinstance(node, ast.Constant):
        tiny_or_huge = isinstance(node.value, float) and not 1e-5 <= abs(node.value) < 1e9
        return [node.value] if tiny_or_huge and node.value != 0 else []
    if isinstance(node, ast.AnnAssign | ast.arguments | ast.JoinedStr):
        return []
    return [number for child in ast.iter_child_nodes(node) for number in nameless(child)]


def test_a_threshold_without_a_name_is_found():
    code = "A = 1e-9\ndef f(x, tol=1e-9): return x > 1e-12 * tol, f'{8e-9 * x} GB'"
    assert [nameless(part) for part in ast.parse(code).body[1:]] == [[1e-12]]


def test_no_threshold_is_without_a_name():
    found = {}
    for file in set(SOURCE.rglob("*.py")) - set((SOURCE / "checks").rglob("*.py")):  # trials
        code = ast.parse(file.read_text(encoding="utf-8"))
        inside = [part for part in code.body if not isinstance(part, ast.Assign)]
        if numbers := [number for part in inside for number in nameless(part)]:
            found[str(file.relative_to(SOURCE))] = numbers
    assert not found
