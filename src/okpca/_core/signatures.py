"""Classes that take the parameters of another: a face of an estimator has its parameters, and they
are written down once."""

from __future__ import annotations

from collections.abc import Callable, Collection
from functools import wraps
from inspect import Parameter, signature
from typing import Any


def with_parameters_of(
    source: type, *, but: Collection[str] = (), **own: Any
) -> Callable[[Callable[[Any], None]], Callable[..., None]]:
    """Of an `__init__`: it takes what that of `source` does, `but` for some, and its `own`, which
    come with their defaults (or are other defaults of what `source` has).

    Every one is kept under its name, where `clone` and `repr` of scikit-learn, PyOD and River look
    for it; then the function decorated is called without them.
    """
    given = signature(source).parameters
    taken = {name: of for name, of in given.items() if name not in but}
    for name, default in own.items():
        known = taken.get(name, Parameter(name, Parameter.KEYWORD_ONLY))
        taken[name] = known.replace(default=default)

    def decorated(init: Callable[[Any], None]) -> Callable[..., None]:
        itself = next(iter(signature(init).parameters.values()))
        shown = signature(init).replace(parameters=[itself, *taken.values()])

        @wraps(init)
        def __init__(self: Any, *args: Any, **kwargs: Any) -> None:
            bound = shown.bind(self, *args, **kwargs)
            bound.apply_defaults()
            self.__dict__.update({name: bound.arguments[name] for name in taken})
            init(self)

        vars(__init__)["__signature__"] = shown
        return __init__

    return decorated


def parameters_of(source: type, instance: Any) -> dict[str, Any]:
    """Those of `source` that an instance of another class keeps, by name."""
    kept = vars(instance)
    return {name: kept[name] for name in signature(source).parameters if name in kept}
