"""What a value can tell when asked, computed once.

`functools.cached_property` does the same, but in Python 3.11 under one lock for all instances:
threads wait for each other, and a child that is forked while a thread computes waits for ever.
Here two threads may both compute; the first to be done is what everyone sees.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, Generic, Protocol, Self, TypeVar, overload

T = TypeVar("T")


class derived(Generic[T]):  # used like `property`
    def __init__(self, compute: Callable[[Any], T]) -> None:
        self._compute = compute
        self.__doc__ = compute.__doc__

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    @overload
    def __get__(self, instance: None, owner: type) -> Self: ...
    @overload
    def __get__(self, instance: object, owner: type) -> T: ...
    def __get__(self, instance: object | None, owner: type) -> Self | T:
        if instance is None:
            return self
        value: T = instance.__dict__.setdefault(self._name, self._compute(instance))
        return value


class Knowing(Protocol):
    @property
    def known(self) -> dict[str, Any]: ...


V = TypeVar("V", bound=Knowing)


def once(compute: Callable[[V], T]) -> Callable[[V], T]:
    """A function of a value that keeps in `known` what was computed from it."""
    name = f"{compute.__module__}.{compute.__qualname__}"

    @wraps(compute)
    def look_up(value: V) -> T:
        known = value.known
        if name not in known:
            known.setdefault(name, compute(value))
        found: T = known[name]
        return found

    return look_up
