"""Thresholds: a name stands for one number."""

import ast
from collections import Counter
from pathlib import Path

from okpca._core import numerics


def test_no_threshold_is_given_twice():
    tree = ast.parse(Path(numerics.__file__).read_text(encoding="utf-8"))
    names = Counter(
        node.id
        for node in ast.walk(tree)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    )
    assert len(names) > 50
    assert [name for name, count in names.items() if count > 1] == []
