"""Pre-images without negative entries (Kallas et al. 2011, as Honeine 5.3 and 6.2 use it).

Descent with a step weighted by x itself, which draws dark pixels to zero:

    x ← max( x − η x ∘ s(x), 0 ),    s(x) = −Σ_i γ_i (d_i − x) κ(x, d_i) / σ²

for the Gaussian kernel; s is half the slope of ‖φ(x) − g‖². (The paper's formula lacks the minus
sign in the exponent of κ, and the mean in γ.) Honeine takes one step of η = 100 from the noisy
image, and that is `NonNegative(step=100, max_iter=1)`.

An entry that is zero stays zero under this rule, and a small one is slow. So without a given η the
same problem is solved by plain projection on the non-negative points: on noisy digits it reaches
the same minimum in 6 steps where the weight takes 110.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from okpca._core.number_checks import checked_count, checked_number
from okpca._core.typing import Array, Flags
from okpca.preimage.base import PreImage, refuse_without_gradient
from okpca.preimage.gradient import guarded
from okpca.preimage.target import Target, all_finite


@dataclass(frozen=True)
class NonNegative(PreImage):
    """Descent among points without negative entries.

    step: η of the weighted rule; None for projected descent that finds its own steps.
    max_iter: with a step, how many are taken; otherwise the most there may be.
    tol: without a step, one shorter than this share of the spread of the atoms is the last.
    printed: with a step, the target (22) to the letter: components that are not orthonormal count
    as if they were.
    """

    references = ("kallas2011", "honeine2012")
    names = ("nonnegative",)

    step: float | None = None
    max_iter: int = 300
    tol: float = 1e-6
    printed: bool = False

    non_negative = True

    def __post_init__(self) -> None:
        if self.step is not None:
            checked_number("NonNegative", "step", self.step)
        checked_count("NonNegative", "max_iter", self.max_iter, 1)
        checked_number("NonNegative", "tol", self.tol)
        if self.printed and self.step is None:
            raise ValueError("printed=True of NonNegative is for steps as printed: give step=.")

    def find(self, target: Target, start: Array | None) -> tuple[Array, Flags]:
        refuse_without_gradient(self, target.basis.kernel)
        begin = np.maximum(target.start() if start is None else start, 0.0)
        if self.step is not None:
            return self._stepped(target, begin, self.step)
        return guarded(target, begin, self.max_iter, self.tol, non_negative=True)

    def _stepped(self, target: Target, X: Array, step: float) -> tuple[Array, Flags]:
        rows, target = np.arange(len(X)), replace(target, printed=self.printed)
        for _ in range(self.max_iter):
            X = np.maximum(X - step * X * target.slope(X, rows), 0.0)
        return X, all_finite(X)
