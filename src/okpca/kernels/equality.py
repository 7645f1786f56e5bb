"""Are two things the same value? For what users hand in, which may not know how to compare.

A function is what it does: its code, with what it takes from outside, which are its defaults, its
closure and the globals it names. One that was sent to another process and back is another object,
and the same function.
"""

from __future__ import annotations

from dis import get_instructions
from functools import partial
from types import CodeType, FunctionType, MethodType, ModuleType
from typing import Any

import numpy as np


def same(a: Any, b: Any) -> bool:
    """By value where it can be told, so that copies and unpickled objects are equal."""
    if a is b:
        return True
    if type(a) is not type(b):
        return False
    if isinstance(a, np.ndarray):
        return a.dtype == b.dtype and bool(np.array_equal(a, b))
    if isinstance(a, dict):
        return a.keys() == b.keys() and all(same(a[key], b[key]) for key in a)
    if isinstance(a, list | tuple):
        return len(a) == len(b) and all(map(same, a, b))
    if isinstance(a, partial):
        return same((a.func, a.args, a.keywords), (b.func, b.args, b.keywords))
    if isinstance(a, MethodType):
        return a.__func__ is b.__func__ and same(a.__self__, b.__self__)
    if isinstance(a, FunctionType):
        return a.__code__ == b.__code__ and _same_outside(a, b)
    if _has_only_parameters(a):
        return same(vars(a), vars(b))
    return bool(a == b)


def differences(a: Any, b: Any, name: str = "") -> list[str]:
    """What differs, by the names of parameters, in few words however many columns there are."""
    if same(a, b):
        return []
    if type(a) is type(b) and hasattr(a, "__dict__") and not isinstance(a, FunctionType):
        ours, theirs = vars(a), vars(b)
        if ours.keys() == theirs.keys():
            found = [text for key in ours for text in differences(ours[key], theirs[key], key)]
            if found:  # what a partial or a bound method has is not among its attributes
                return found
    if isinstance(a, np.ndarray) and isinstance(b, np.ndarray) and a.shape == b.shape:
        apart = np.flatnonzero(a != b)
        i, more = (apart[0], len(apart) - 1) if a.ndim == 1 and len(apart) else (0, 0)
        if a.ndim == 1:
            rest = f" and of {more} more" if more else ""
            return [f"{name} of column {i}{rest} ({_told(a[i], b[i])})"]
    return [f"{name} ({_told(a, b)})"]


def _told(a: Any, b: Any) -> str:
    """As short as tells them apart."""
    if all(isinstance(value, float) for value in (a, b)):
        for digits in (4, 8, 12):
            if f"{a:.{digits}g}" != f"{b:.{digits}g}":
                return f"{a:.{digits}g} and {b:.{digits}g}"
    return f"{a!r:.80} and {b!r:.80}"


def _has_only_parameters(a: Any) -> bool:
    """Known by its attributes alone: it compares by identity for want of better."""
    kind: Any = type(a)
    plain = kind.__eq__ is object.__eq__ and hasattr(a, "__dict__")
    return plain and not isinstance(a, ModuleType | type)


def _same_outside(f: Any, g: Any) -> bool:
    try:
        return same(_outside(f), _outside(g))
    except RecursionError:  # a function that names itself: nobody follows that
        return False


def _outside(f: Any) -> tuple[Any, ...]:
    """What a function takes from outside."""
    named = {name: f.__globals__[name] for name in _globals(f.__code__) & f.__globals__.keys()}
    enclosed = [cell.cell_contents for cell in f.__closure__ or ()]
    return f.__defaults__, f.__kwdefaults__, enclosed, named


def _globals(code: CodeType) -> set[str]:
    """The names it looks up, and the functions inside it do. (`co_names` has attributes too.)"""
    found = {step.argval for step in get_instructions(code) if step.opname == "LOAD_GLOBAL"}
    inside = (part for part in code.co_consts if isinstance(part, CodeType))
    return found.union(*map(_globals, inside))
