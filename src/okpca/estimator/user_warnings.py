"""What a model found wrong, said to the user."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from weakref import WeakSet

from okpca._core.errors import KernelWarning
from okpca.model import Model, too_few_components
from okpca.model.state import Plan, Trouble

_TOLD: WeakSet[Plan] = WeakSet()
"""Those whose models have been called a blur. A fit has one plan, and a look must not change the
model."""

_SILENT = ContextVar("_SILENT", default=False)


@contextmanager
def unannounced() -> Iterator[None]:
    """In here, and in no other thread, nothing is said: for a model that is a part of another."""
    before = _SILENT.set(True)
    try:
        yield
    finally:
        _SILENT.reset(before)


def announce(
    known: tuple[Trouble, ...],
    found: tuple[Trouble, ...],
    names: Sequence[str] | None = None,
    *,
    deeper: int = 0,
) -> None:
    """Warn of those that are new, columns by their names; the caller is a method of an estimator,
    or so much deeper."""
    if _SILENT.get():
        return
    for trouble in found[len(known) :]:
        warnings.warn(trouble.told(names), KernelWarning, stacklevel=3 + deeper)


def announce_blur(model: Model) -> None:
    """Warn, once in a fit, that denoising has too few components."""
    if model.plan in _TOLD:
        return
    trouble = too_few_components(model)
    if trouble is not None:
        announce((), (trouble,), deeper=1)
        _TOLD.add(model.plan)
