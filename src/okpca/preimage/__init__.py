"""Pre-images: from functions of the feature space back to points of the input space."""

from __future__ import annotations

from okpca.preimage.base import PreImage, PreImages
from okpca.preimage.conformal import Conformal
from okpca.preimage.fixed_point import FixedPoint
from okpca.preimage.gradient import Gradient
from okpca.preimage.non_negative import NonNegative
from okpca.preimage.ridge import Ridge
from okpca.preimage.search import find
from okpca.preimage.target import Target

__all__ = [
    "Conformal",
    "FixedPoint",
    "Gradient",
    "NonNegative",
    "PreImage",
    "PreImages",
    "Ridge",
    "Target",
    "find",
    "make",
]

NAMES = {
    "fixed_point": FixedPoint(),
    "gradient": Gradient(),
    "nonnegative": NonNegative(),
    "conformal": Conformal(),
    "ridge": Ridge(),
}


def make(preimage: str | PreImage) -> PreImage:
    """Strings are shorthand for the methods with their defaults."""
    if isinstance(preimage, PreImage):
        return preimage
    if preimage not in NAMES:
        raise ValueError(
            f"preimage must be one of {sorted(NAMES)} or an object of okpca.preimage, "
            f"got {preimage!r}."
        )
    return NAMES[preimage]
