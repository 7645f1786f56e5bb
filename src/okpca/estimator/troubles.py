"""What a model found wrong, said to the user."""

from __future__ import annotations

import warnings

from okpca._core.errors import KernelWarning
from okpca.model.state import Trouble


def announce(known: tuple[Trouble, ...], found: tuple[Trouble, ...], *, deeper: int = 0) -> None:
    """Warn of those that are new; the caller is a method of an estimator, or so much deeper."""
    for trouble in found[len(known) :]:
        warnings.warn(trouble.text, KernelWarning, stacklevel=3 + deeper)
