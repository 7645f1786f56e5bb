"""What a model found wrong, said to the user."""

from __future__ import annotations

import warnings
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from weakref import WeakSet

from okpca._core.errors import KernelWarning
from okpca.model import Certificate, Model, too_few_components
from okpca.model.state import Plan, Trouble

_TOLD: defaultdict[str, WeakSet[Plan]] = defaultdict(WeakSet)
"""By what was said: of the models of which plans. A fit has one plan, and a look must not change
the model."""

LIMITS = "limits"
"""Trouble with what a detector's limits are taken from is none with the kernel: a plain warning."""

_SILENT = ContextVar("_SILENT", default=False)


@contextmanager
def unannounced() -> Iterator[None]:
    """In here, and in no other thread, nothing is said: for a model that is a part of another, or
    where what would be said is shown."""
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
        category = UserWarning if trouble.name == LIMITS else KernelWarning
        warnings.warn(trouble.told(names), category, stacklevel=3 + deeper)


def announce_blur(model: Model) -> None:
    """Warn, once in a fit, that denoising has too few components."""
    if model.plan not in _TOLD["blur"]:
        _announce_once(model, too_few_components(model))


def announce_nothing(model: Model, found: Certificate) -> None:
    """Warn, once in a fit, of a certificate that says nothing."""
    if found.says_nothing:
        _announce_once(model, Trouble("certificate", f"the certificate says nothing: {found}"))


def _announce_once(model: Model, trouble: Trouble | None) -> None:
    if trouble is None or model.plan in _TOLD[trouble.name] or _SILENT.get():
        return
    announce((), (trouble,), deeper=2)
    _TOLD[trouble.name].add(model.plan)
