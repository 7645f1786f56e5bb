"""The parameters of the estimators, read from their source: names, defaults, and a sentence each.

To import an estimator takes seconds, to read its `__init__` and docstring milliseconds.
"""

from __future__ import annotations

import ast
import re
from functools import cache
from importlib.resources import files
from typing import Any, NamedTuple

HOMES = {
    "OnlineKernelPCA": "estimator/online.py",
    "KernelNoveltyDetector": "detection/detector.py",
}


class Declared(NamedTuple):
    name: str
    default: Any
    is_flag: bool
    help: str


@cache
def parameters(estimator: str) -> dict[str, Declared]:
    """Of its constructor, by name."""
    text = files("okpca").joinpath(HOMES[estimator]).read_text(encoding="utf-8")
    found = next(
        part
        for part in ast.parse(text).body
        if isinstance(part, ast.ClassDef) and part.name == estimator
    )
    said = _sentences(ast.get_docstring(found) or "")
    start = next(
        part for part in found.body if isinstance(part, ast.FunctionDef) and part.name == "__init__"
    )
    named = [*start.args.args[1:], *start.args.kwonlyargs]
    defaults = [*start.args.defaults, *start.args.kw_defaults]
    out = {}
    for arg, default in zip(named, defaults, strict=True):
        value = ast.literal_eval(default)  # type: ignore[arg-type]
        out[arg.arg] = Declared(arg.arg, value, isinstance(value, bool), said.get(arg.arg, ""))
    return out


def _sentences(docstring: str) -> dict[str, str]:
    """The first sentence on each parameter."""
    section = docstring.partition("Parameters\n----------\n")[2].split("\nAttributes\n")[0]
    section = section.replace("\\\n", " ")
    out: dict[str, str] = {}
    for entry in re.split(r"\n(?=\S)", section):
        names, _, rest = entry.partition("\n")
        sentence = re.split(r"(?<=[.:;])\s", " ".join(rest.split()) + " ")[0]
        for name in names.partition(" : ")[0].split(","):
            out[name.strip()] = re.sub(r":\w+:|`", "", sentence).rstrip(".:;")
    return out
