"""What a model file may hold: values of these classes and no others.

A value is stored as the arguments of its constructor and restored by calling it, so that whatever
the constructor refuses is refused in a file too. The classes are the frozen dataclasses of
okpca's rooms, their named tuples, and the few bases, learners and policies that are neither; new
ones need no word here. In a file they are called by room and name, `kernels.RBF`, wherever in the
room they live.
"""

from __future__ import annotations

import inspect
import sys
from dataclasses import is_dataclass
from functools import cache
from typing import Any, get_type_hints

from okpca.dictionary import Basis, Policy
from okpca.rules import Learner

ROOMS = ("kernels", "rules", "dictionary", "model", "preimage", "detection")

RETIRED = {"Clusters": {"fresh", "fresh_rows"}}
"""Parameters that files have which were written before a class could do without them."""


def kinds() -> dict[str, type]:
    """Every class that a file may name. (Those of rooms above are there once they are loaded.)"""
    found: dict[str, type] = {}
    for module, contents in sys.modules.copy().items():
        room = module.partition("okpca.")[2].split(".")[0] if module.startswith("okpca.") else ""
        if room in ROOMS:
            for thing in vars(contents).copy().values():
                if isinstance(thing, type) and thing.__module__ == module and _is_value(thing):
                    name = f"{room}.{thing.__name__}"
                    if found.setdefault(name, thing) is not thing:
                        raise TypeError(f"two classes are called {name}: rename one of them.")
    return found


def _is_value(kind: type) -> bool:
    if kind.__name__.startswith("_") or inspect.isabstract(kind):
        return False
    named_tuple = issubclass(kind, tuple) and hasattr(kind, "_fields")
    return is_dataclass(kind) or named_tuple or issubclass(kind, (Basis, Learner, Policy))


def arguments(value: Any) -> dict[str, Any]:
    """What its constructor is to be called with."""
    named_tuple = isinstance(value, tuple)
    state = value._asdict() if named_tuple else value.__getstate__() or {}
    kind: Any = type(value)
    return {name: state[name] for name in parameters(kind)}


@cache
def parameters(kind: Any) -> dict[str, Any]:
    """The parameters of its constructor, and what they may be."""
    names = list(inspect.signature(kind).parameters)
    plain = is_dataclass(kind) or hasattr(kind, "_fields")
    hints = hints_of(kind if plain else kind.__init__)
    return {name: hints[name] for name in names}


@cache
def optional(kind: Any) -> set[str]:
    """The parameters that have a default."""
    given = inspect.signature(kind).parameters.values()
    return {one.name for one in given if one.default is not inspect.Parameter.empty}


def hints_of(of: Any) -> dict[str, Any]:
    """Type hints, those included whose names are imported for the type checker alone."""
    missing: dict[str, Any] = {}
    while True:
        try:
            return get_type_hints(of, localns=missing or None)
        except NameError as error:
            if error.name in missing:
                raise
            from okpca.model.budget import Budget  # abstract, so that no file may name it

            found = [kind for kind in (*kinds().values(), Budget) if kind.__name__ == error.name]
            if not found:
                raise
            missing[str(error.name)] = found[0]
