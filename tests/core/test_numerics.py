"""Thresholds: a name stands for one number."""

import ast
from collections import Counter
from pathlib import Path

from okpca._core import health, numerics


def test_no_threshold_is_given_twice():
    names = Counter(
        node.id
        for module in (numerics, health)
        for node in ast.walk(ast.parse(Path(module.__file__).read_text(encoding="utf-8")))
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    )
    assert len(names) > 50
    assert [name for name, count in names.items() if count > 1] == []
