"""Pre-images: from functions of the feature space back to points of the input space.

This is their registry: a method is its file and one line here.
"""

from __future__ import annotations

from okpca._core.naming import by_name, looked_up
from okpca.preimage.base import PreImage as PreImage
from okpca.preimage.base import PreImages as PreImages
from okpca.preimage.conformal import Conformal as Conformal
from okpca.preimage.distances import Distances as Distances
from okpca.preimage.fixed_point import FixedPoint as FixedPoint
from okpca.preimage.gradient import Gradient as Gradient
from okpca.preimage.non_negative import NonNegative as NonNegative
from okpca.preimage.ridge import Ridge as Ridge
from okpca.preimage.scoring import neg_preimage_error as neg_preimage_error
from okpca.preimage.search import find as find
from okpca.preimage.target import Target as Target

NAMES: dict[str, PreImage] = {name: kind() for name, kind in by_name(globals()).items()}


def make(preimage: str | PreImage) -> PreImage:
    """Strings are shorthand for the methods with their defaults."""
    if isinstance(preimage, PreImage):
        return preimage
    return looked_up(NAMES, preimage, "preimage", "an object of okpca.preimage")
