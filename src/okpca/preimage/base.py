"""What a pre-image method is."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar

from okpca._core.cited import Cited
from okpca._core.typing import Array, Flags
from okpca.kernels import Kernel
from okpca.preimage.target import Target


@dataclass(frozen=True, eq=False)
class PreImages:
    """Points of the input space, one row for each function asked for."""

    X: Array
    converged: Flags
    """False where a search stopped early; X then holds the nearest point it saw."""
    distance: Array
    """‖φ(x) − g‖², squared distance in feature space"""


class PreImage(Cited, ABC):
    """A choice of method (what the user passes). It keeps no state."""

    names: ClassVar[tuple[str, ...]] = ()  # strings that stand for it, with its defaults
    non_negative: ClassVar[bool] = False
    any_geometry: ClassVar[bool] = False  # True: it needs no feature space

    @abstractmethod
    def find(self, target: Target, start: Array | None) -> tuple[Array, Flags]:
        """Points (n, d), and whether each search converged; `start` is where to begin, if known."""


def refuse_without_gradient(method: PreImage, kernel: Kernel) -> None:
    if not kernel.has_gradient:
        raise ValueError(
            f"{method!r} needs the gradient of the kernel, and {kernel!r} has none: use "
            "preimage='ridge' or preimage='conformal'."
        )
