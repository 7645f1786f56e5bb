"""Strings as shorthand: a class says in `names` what it is called, its room collects that."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

T = TypeVar("T")


def by_name(room: Mapping[str, Any]) -> dict[str, Any]:
    """The classes among the contents of a module, by the names they give themselves."""
    found: dict[str, Any] = {}
    for thing in room.values():
        # Its own names: a subclass does not answer to those of its parent.
        for name in vars(thing).get("names", ()) if isinstance(thing, type) else ():
            if found.setdefault(name, thing) is not thing:
                raise ValueError(
                    f"{name!r} names both {found[name].__name__} and {thing.__name__}: "
                    "give one of them another name."
                )
    return found


def looked_up(names: Mapping[str, T], name: Any, what: str, other: str) -> T:
    """What a name stands for. `what` is the parameter, `other` what could be given in its place."""
    if name not in names:
        raise ValueError(f"{what} must be one of {sorted(names)} or {other}, got {name!r}.")
    return names[name]
