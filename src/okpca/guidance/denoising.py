"""Denoising: components and width by the error on hidden entries of rows not learned.

The error is looked at for one width and every number of components, then for that number and every
width, and in turn until neither moves.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np

from okpca._core.typing import Array
from okpca.estimator import OnlineKernelPCA, model_of
from okpca.guidance.budget import budget_for
from okpca.guidance.masked import Masked
from okpca.guidance.sample import Sample
from okpca.guidance.scale import scale_for, scaled
from okpca.guidance.suggestion import Choice, Trial, rounded
from okpca.kernels.first_rows import gamma_by
from okpca.kernels.rows import is_sparse
from okpca.model import Model
from okpca.model.state import next_state
from okpca.preimage import FixedPoint
from okpca.preimage.reconstruction import denoised

FACTORS = 2.0 ** np.arange(-6, 5)
COUNTS = (1, 2, 4, 8, 16, 24, 32, 48, 64, 96, 128, 192)
LEARNED, HELD = 500, 100
"""Rows: to search for the pre-images of so many takes a fifth of a second."""
ROUGHLY = FixedPoint(max_iter=30, tol=1e-3, restarts=0)


def for_denoising(sample: Sample, rng: np.random.RandomState) -> dict[str, Choice]:
    if is_sparse(sample.learned):
        raise ValueError(
            "denoise gives dense rows, and CSR rows are hardly noisy in every column: give "
            "X.toarray() if that is what is meant."
        )
    scale = scale_for(sample.learned)
    learned, held = scaled(scale.value, sample.learned, sample.learned, sample.held)
    search = Search(learned[:LEARNED], Masked.of(held[:HELD], learned.mean(axis=0), rng))
    gamma, r = search.best()
    budget = budget_for(gamma.value, r.value, learned, held)
    return {"scale": scale, "gamma": gamma, "n_components": r, **budget}


@dataclass
class Search:
    """Over widths and numbers of components; what was tried is kept."""

    learned: Array
    masked: Masked
    models: dict[float, Model] = field(default_factory=dict)
    errors: dict[tuple[float, int], float] = field(default_factory=dict)

    def best(self) -> tuple[Choice, Choice]:
        unit = gamma_by("median", self.learned)
        widths = [rounded(f * unit) for f in FACTORS]
        counts = [r for r in COUNTS if r < len(self.learned) // 2]
        gamma, r, before = widths[len(widths) // 2], 0, None
        while before != (gamma, r):
            before = gamma, r
            r = min(counts, key=lambda count: self.error(gamma, count))
            gamma = min(widths, key=lambda width: self.error(width, r))
        return self._width(gamma, r, widths, unit), self._count(gamma, r, counts)

    def error(self, gamma: float, r: int) -> float:
        if (gamma, r) not in self.errors:
            model = self._model(gamma, r)
            self.errors[gamma, r] = self.masked.error(lambda X: denoised(model, X, ROUGHLY).X)
        return self.errors[gamma, r]

    def _model(self, gamma: float, r: int) -> Model:
        """One fit a width: the components are the first r of all."""
        if gamma not in self.models:
            fitted = OnlineKernelPCA(None, gamma=gamma, nu=1e-6, max_atoms=None).fit(self.learned)
            self.models[gamma] = model_of(fitted)
        model = self.models[gamma]
        return next_state(model, plan=replace(model.plan, n_components=r))

    def _width(self, gamma: float, r: int, widths: list[float], unit: float) -> Choice:
        errors = np.array([self.error(width, r) for width in widths]) / self.masked.blank()
        why = (
            f"{gamma / unit:.2g} / median squared distance: of {len(widths)} widths the one that "
            f"tells hidden entries best, with {100 * errors.min():.0f} % of the error of the means"
        )
        return Choice(gamma, why, Trial("gamma", np.array(widths), errors, gamma, MEANING))

    def _count(self, gamma: float, r: int, counts: list[int]) -> Choice:
        errors = np.array([self.error(gamma, count) for count in counts]) / self.masked.blank()
        place = counts.index(r)
        fewer = f"; with {counts[place - 1]} it is {100 * errors[place - 1]:.0f} %" if place else ""
        more = (
            f", with {counts[place + 1]} {100 * errors[place + 1]:.0f} %"
            if place + 1 < len(counts)
            else ""
        )
        why = f"entries hidden in rows not learned are told with the least error{fewer}{more}"
        return Choice(r, why, Trial("n_components", np.array(counts), errors, r, MEANING))


MEANING = "error on hidden entries,\nas a share of that of the means"
