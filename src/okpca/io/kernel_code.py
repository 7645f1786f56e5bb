"""A kernel as the code that builds it, written and read by a closed grammar; nothing is executed.

    value  = number | string | None | True | False | [value, …] | (value, …) | call
    call   = Name(name=value, …)     Name: a kernel of `okpca.kernels`, or array, function, partial

`array("L")` is an array of the file, `function("f")` one of the functions given to `load`, and
`partial(function("f"), a=1)` that function with arguments of its own.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from okpca.io.allowed_classes import arguments
from okpca.kernels import Kernel

DEEPEST = 120  # kernels in kernels: a sum of so many
TOKEN = re.compile(
    r"""\s*(?:(?P<number>-?(?:\d+\.?\d*(?:[eE][+-]?\d+)?|inf\b|nan\b))|(?P<word>[A-Za-z_]\w*)"""
    r"""|(?P<text>'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")|(?P<sign>[\[\](),=]))"""
)
WORDS = {"None": None, "True": True, "False": False}


def written(value: Any, held: Callable[[Any], str | None], depth: int = 0) -> str:
    """The code of a value; `held` says how to call an array or a function, None of others, and
    refuses kernels that cannot be read again."""
    if depth > DEEPEST:
        raise ValueError(f"a kernel of more than {DEEPEST} within each other cannot be saved.")

    def inside(placed: Any, named: dict[str, Any]) -> str:
        words = [written(of, held, depth + 1) for of in placed]
        words += [f"{name}={written(of, held, depth + 1)}" for name, of in named.items()]
        return ", ".join(words)

    if value is None or type(value) in (bool, int, float, str):
        return ascii(value)
    if type(value) is list:
        return f"[{inside(value, {})}]"
    if type(value) is tuple:
        return f"({inside(value, {})}{',' if value else ''})"
    found = held(value)
    if found is None and isinstance(value, Kernel):
        return f"{type(value).__name__}({inside((), arguments(value))})"
    if found is None and isinstance(value, partial):
        return f"partial({inside((value.func, *value.args), value.keywords)})"
    if found is None:
        raise TypeError(f"the code of a kernel cannot hold {value!r:.60}.")
    return found


def parsed(text: str, names: Mapping[str, Callable[..., Any]]) -> Any:
    """The value that such code is of; calls are to these names and to no others."""
    reader = _Reader(text, names)
    value = reader.value(0)
    if reader.tokens:
        raise ValueError(f"{reader.tokens[-1][1]!r} after the end of {text!r}")
    return value


class _Reader:
    def __init__(self, text: str, names: Mapping[str, Callable[..., Any]]) -> None:
        self.names = names
        self.tokens: list[tuple[str, str]] = []
        at, end = 0, len(text.rstrip())
        while at < end:
            found = TOKEN.match(text, at)
            if found is None:
                raise ValueError(f"{text[at : at + 20]!r} is no code of a kernel")
            self.tokens.append((str(found.lastgroup), found[str(found.lastgroup)]))
            at = found.end()
        self.tokens.reverse()

    def value(self, depth: int) -> Any:
        if depth > DEEPEST:
            raise ValueError("the code of a kernel is nested too deeply")
        kind, token = self._next()
        if kind == "number":
            return int(token) if re.fullmatch(r"-?\d+", token) else float(token)
        if kind == "text":
            return ast.literal_eval(token)  # one string, by the pattern above
        if kind == "word":
            return WORDS[token] if token in WORDS else self._call(token, depth)
        if token == "[":
            return self._until("]", depth)[0]
        if token == "(":
            return tuple(self._until(")", depth)[0])
        raise ValueError(f"{token!r} where a value should be")

    def _call(self, name: str, depth: int) -> Any:
        if name not in self.names:
            raise ValueError(f"{name!r} is no kernel of okpca")
        if self._next()[1] != "(":
            raise ValueError(f"{name} must be called")
        values, named = self._until(")", depth)
        return self.names[name](*values, **named)

    def _until(self, end: str, depth: int) -> tuple[list[Any], dict[str, Any]]:
        values: list[Any] = []
        named: dict[str, Any] = {}
        while self._peek() != end:
            if len(self.tokens) > 1 and self.tokens[-1][0] == "word" and self.tokens[-2][1] == "=":
                name, _ = self._next()[1], self._next()
                named[name] = self.value(depth + 1)
            else:
                values.append(self.value(depth + 1))
            if self._peek() != end and self._next()[1] != ",":
                raise ValueError("a comma is missing in the code of a kernel")
        self._next()
        return values, named

    def _peek(self) -> str:
        return self.tokens[-1][1] if self.tokens else ""

    def _next(self) -> tuple[str, str]:
        if not self.tokens:
            raise ValueError("the code of a kernel ends too early")
        return self.tokens.pop()
