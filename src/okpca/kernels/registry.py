"""Kernels by name: strings, kernels and functions become a Kernel."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from dataclasses import fields
from functools import partial
from typing import Any

from okpca._core.naming import by_name
from okpca.kernels.base import Kernel
from okpca.kernels.exponential import Exponential
from okpca.kernels.function import Function
from okpca.kernels.gamma import HasGamma
from okpca.kernels.rbf import RBF


def names() -> dict[str, type[Kernel]]:
    """Every name that a kernel of this room gives itself."""
    from okpca import kernels  # which imports this file

    return by_name(vars(kernels))


def make(
    kernel: Any,
    *,
    gamma: float | str | None = None,
    sigma: float | None = None,
    degree: int = 3,
    coef0: float = 1,
    kernel_params: Mapping[str, Any] | None = None,
) -> Kernel:
    """A Kernel from a name, a Kernel or a function `f(X, Y, **kernel_params) -> matrix`.

    gamma, degree and coef0 are ignored by kernels that have none, as in scikit-learn; numbers for
    them are refused with a function, whose parameters are all in kernel_params. Those of a named
    kernel are further ones, and go before these three.
    The kernel inside "wavelet" may be named too: kernel_params={"kernel": "rbf"}.
    sigma is another spelling of the width of "rbf", gamma = 1 / (2 sigma^2), and that of
    "exponential"; a word for gamma, "scale" or "median", is one for the sigma of the latter.
    """
    params = dict(kernel_params or {})
    if sigma is not None and gamma is not None:
        raise ValueError(
            f"gamma={gamma!r} and sigma={sigma!r} both say how wide: give one of them."
        )
    if isinstance(kernel, str):
        shared = {"gamma": gamma, "sigma": sigma, "degree": degree, "coef0": coef0}
        return _named(kernel, shared, params)
    if sigma is not None:
        raise ValueError(f"sigma={sigma!r} is for kernels by name, got {kernel!r}.")
    if isinstance(kernel, Kernel):
        if params:
            raise ValueError(
                f"kernel_params does not apply to {kernel!r}, which has its parameters already; "
                f"got {params!r}."
            )
        return kernel
    if isinstance(kernel, type) and issubclass(kernel, Kernel):
        raise ValueError(
            f"kernel must be an instance, got the class {kernel.__name__}; "
            f"write {kernel.__name__}(...)."
        )
    if callable(kernel):
        _refuse_with_function(gamma=gamma, degree=degree, coef0=coef0)
        return Function(partial(kernel, **params) if params else kernel)
    raise _unknown(kernel)


def _refuse_with_function(**given: Any) -> None:
    """Words for gamma pass: they are the default of detectors."""
    usual = inspect.signature(make).parameters
    for name, value in given.items():
        if value != usual[name].default and not isinstance(value, str):
            raise ValueError(
                f"{name}={value!r} does not reach a kernel that is a function: give it what it "
                f"takes, kernel_params={ {name: value}!r}."
            )


def _named(name: str, shared: dict[str, Any], params: dict[str, Any]) -> Kernel:
    if name == "precomputed":
        raise ValueError(
            "kernel='precomputed' is not possible on a stream: it has no finite Gram matrix, "
            "new rows need their kernel values against the atoms; pass a function f(X, Y) or a "
            "Kernel instead."
        )
    kind = names().get(name)
    if kind is None:
        raise _unknown(name)
    taken = [field.name for field in fields(kind)]  # type: ignore[arg-type]
    unknown = [key for key in params if key not in taken]
    if unknown:
        raise ValueError(
            f"kernel {name!r} takes the parameters {taken}, got {unknown} in kernel_params."
        )
    if name == "wavelet":
        if not isinstance(params.get("kernel"), Kernel):
            params["kernel"] = make(params.get("kernel", "linear"), **shared)
        return kind(**params)
    return kind(**{k: v for k, v in _with_width(kind, shared).items() if k in taken} | params)


def _with_width(kind: type[Kernel], shared: dict[str, Any]) -> dict[str, Any]:
    """The parameters that kernels share, with the width as this one spells it."""
    gamma, sigma = shared["gamma"], shared["sigma"]
    rest = {name: value for name, value in shared.items() if name != "sigma"}
    if kind is Exponential:
        width = gamma if isinstance(gamma, str) else sigma
        return rest if width is None else rest | {"sigma": width}
    if sigma is not None and kind is not RBF:
        raise ValueError(f"kernel {kind.names[0]!r} has no sigma, got {sigma!r}: give gamma.")
    if isinstance(gamma, str) and hasattr(kind, "gamma") and not issubclass(kind, HasGamma):
        raise ValueError(f"kernel {kind.names[0]!r} takes a number for gamma, got {gamma!r}.")
    return rest if sigma is None else rest | {"gamma": RBF.from_sigma(sigma).gamma}


def _unknown(kernel: Any) -> ValueError:
    return ValueError(
        f"kernel must be one of {sorted(names())}, a Kernel or a function f(X, Y), got {kernel!r}."
    )
