"""Is a value what an annotation says it is? For files, whose values nobody has seen before."""

from __future__ import annotations

import types
from collections.abc import Callable
from numbers import Integral, Real
from typing import Any, Literal, TypeVar, Union, get_args, get_origin

import numpy as np


def fits(value: Any, hint: Any) -> bool:
    if hint is Any or isinstance(hint, TypeVar):
        return True
    if hint is None or hint is type(None):
        return value is None
    if hint is bool:
        return isinstance(value, bool | np.bool_)
    if hint is float:  # a number is a number
        return isinstance(value, Real) and not isinstance(value, bool)
    if hint is int:
        return isinstance(value, Integral) and not isinstance(value, bool)
    origin, parts = get_origin(hint), get_args(hint)
    if origin is None:
        return isinstance(value, hint)
    if origin in (Union, types.UnionType):
        return any(fits(value, part) for part in parts)
    if origin is Literal:
        return any(type(value) is type(part) and value == part for part in parts)
    return _fits_generic(value, origin, parts)


def _fits_generic(value: Any, origin: Any, parts: tuple[Any, ...]) -> bool:
    if origin is np.ndarray:
        return isinstance(value, np.ndarray) and _is_of(value.dtype.type, parts[1])
    if origin is Callable:
        return callable(value)
    if not isinstance(value, origin):
        return False
    if origin is tuple and parts[-1] is not Ellipsis:
        return len(value) == len(parts) and all(map(fits, value, parts))
    if origin in (tuple, list):
        return all(fits(one, parts[0]) for one in value)
    if origin is dict:
        return all(fits(key, parts[0]) and fits(of, parts[1]) for key, of in value.items())
    return True


def _is_of(scalar: type, dtype: Any) -> bool:
    """`dtype` is np.dtype[np.float64], np.dtype[np.floating[Any]], np.dtype[Any] ..."""
    (kind,) = get_args(dtype) or (Any,)
    kind = get_origin(kind) or kind
    return kind is Any or issubclass(scalar, kind)
