"""The parameters of the estimators, read from their source: names, defaults, and a sentence each.

To import an estimator takes seconds, to read its `__init__` and docstring milliseconds.
"""

from __future__ import annotations

import ast
import re
from functools import cache
from importlib.resources import files
from typing import Any, NamedTuple

DETECTOR = "KernelNoveltyDetector"
HOMES = {"OnlineKernelPCA": "estimator/online.py", DETECTOR: "detection/detector.py"}
SHARED = "OnlineKernelPCA"  # has the words for what both take
NO_OPTION = ("verbose",)  # the prompt shows its progress unless it is to be quiet


class Declared(NamedTuple):
    name: str
    default: Any
    is_flag: bool
    help: str
    choices: tuple[str, ...]


@cache
def parameters(estimator: str) -> dict[str, Declared]:
    """Of its constructor, by name."""
    found = _class(estimator)
    words = _words(estimator)
    if estimator != SHARED:
        words = {name: of for name, of in words.items() if not of[0].startswith("As ")}
        words = _words(SHARED) | words
    start = next(
        part for part in found.body if isinstance(part, ast.FunctionDef) and part.name == "__init__"
    )
    named = [*start.args.args[1:], *start.args.kwonlyargs]
    defaults = [*start.args.defaults, *start.args.kw_defaults]
    out = {}
    for arg, default in zip(named, defaults, strict=True):
        if arg.arg in NO_OPTION:
            continue
        value = ast.literal_eval(default)  # type: ignore[arg-type]
        said = words.get(arg.arg, ("", ()))
        out[arg.arg] = Declared(arg.arg, value, isinstance(value, bool), *said)
    return out


@cache
def _class(estimator: str) -> ast.ClassDef:
    text = files("okpca").joinpath(HOMES[estimator]).read_text(encoding="utf-8")
    return next(
        part
        for part in ast.parse(text).body
        if isinstance(part, ast.ClassDef) and part.name == estimator
    )


def _words(estimator: str) -> dict[str, tuple[str, tuple[str, ...]]]:
    """The first sentence on each parameter, and what may be chosen by name."""
    docstring = ast.get_docstring(_class(estimator)) or ""
    section = docstring.partition("Parameters\n----------\n")[2].split("\nAttributes\n")[0]
    section = section.replace("\\\n", " ")
    out: dict[str, tuple[str, tuple[str, ...]]] = {}
    for entry in re.split(r"\n(?=\S)", section):
        head, _, rest = entry.partition("\n")
        names, _, kind = head.partition(" : ")
        sentence = re.sub(r":\w+:|`", "", _first_sentence(" ".join(rest.split()))).rstrip(".:;")
        listed = re.search(r"\{(.*?)\}", kind)
        choices = tuple(re.findall(r'"([\w-]+)"', listed[1])) if listed else ()
        for name in names.split(","):
            out[name.strip()] = sentence, choices
    return out


def _first_sentence(text: str) -> str:
    """Up to its end, which is not within brackets."""
    for end in re.finditer(r"[.:;](?=\s|$)", text):
        found = text[: end.end()]
        if found.count("(") == found.count(")"):
            return found
    return text
