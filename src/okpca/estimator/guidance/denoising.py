"""Denoising: the components and the width that bring rows not learned nearest to their truth.

The error (see `noise`) is looked at for every other width and number of components. From the best
of these it is looked at for every number of components at that width, then for every width at that
number, and in turn until neither moves.

Where the noise cannot be told from what the rows are without it, none is taken off: the components
and the width are those that change rows least. There, and where the best is no nearer to the truth
than the rows as they come, the suggestion says so.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from itertools import product

import numpy as np

from okpca._core.numerics import TIE
from okpca._core.typing import Array
from okpca.estimator import OnlineKernelPCA, model_of
from okpca.estimator.guidance.budget import LEAST_NU, Worth, budget_for, captured, fitted
from okpca.estimator.guidance.noise import Pairs
from okpca.estimator.guidance.noise_level import Level, level_of
from okpca.estimator.guidance.sample import Sample
from okpca.estimator.guidance.scale import scale_for, scaled
from okpca.estimator.guidance.suggestion import Choice, Trial, rounded
from okpca.kernels.first_rows import gamma_by
from okpca.kernels.rows import is_sparse
from okpca.model import Model
from okpca.model.state import next_state
from okpca.preimage import FixedPoint
from okpca.preimage.reconstruction import denoised

FACTORS = 2.0 ** np.arange(-6, 5)
COUNTS = (1, 2, 4, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192)
LEARNED, HELD = 500, 100
"""Rows: to search for the pre-images of so many takes a twentieth of a second."""
NUMBERS, MOST_HELD = 6400, 200
"""Held back: of few columns more rows are, since what judges them is mostly noise."""
GAINED = 0.99
"""Of what denoising gains without a bound, kept by a budget: components that hold nearly all of the
variance may still blur."""
MEANING = "mean squared error against rows\nwithout noise, as it is estimated"
CHANGE = "mean squared change of\nrows not learned"
TURNS = 10
"""At most, until neither moves: ties might go round in a circle."""
ROUGHLY = FixedPoint(max_iter=30, tol=1e-3, restarts=0)


def for_denoising(sample: Sample, rng: np.random.RandomState) -> dict[str, Choice]:
    if is_sparse(sample.learned):
        raise ValueError(
            "denoise gives dense rows, and CSR rows are hardly noisy in every column: give "
            "X.toarray() if that is what is meant."
        )
    scale = scale_for(sample.learned)
    learned, held = scaled(scale.value, sample.learned, sample.held)
    level = level_of(np.concatenate([learned, held]))
    search = Search(learned[:LEARNED], held[: _tried(held.shape[1])], level, rng)
    gamma, r = search.best()
    gamma = gamma._replace(caution=search.caution(gamma.value, r.value))
    gained = () if gamma.caution else (Worth(search.gain, GAINED, "what denoising gains"),)
    budget = budget_for(gamma.value, r.value, learned, captured(held), *gained)
    return {"scale": scale, "gamma": gamma, "n_components": r, **budget}


def _tried(n_columns: int) -> int:
    return int(np.clip(NUMBERS // n_columns, HELD, MOST_HELD))


@dataclass
class Search:
    """Over widths and numbers of components; what was tried is kept."""

    learned: Array
    held: Array
    level: Level
    rng: np.random.RandomState
    models: dict[float, Model] = field(default_factory=dict)
    errors: dict[tuple[float, int], float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.pairs = Pairs.of(self.held, self.level.removable, self.rng)

    def best(self) -> tuple[Choice, Choice]:
        unit = gamma_by("median", self.learned)
        widths = [rounded(f * unit) for f in FACTORS]
        counts = [r for r in COUNTS if r <= max(1, len(self.learned) // 2)]
        gamma, r = min(product(widths[::2], counts[::2]), key=lambda pair: self.error(*pair))
        for _ in range(TURNS):
            before = gamma, r
            r = min(counts, key=lambda count: self.error(gamma, count))
            gamma = min(widths, key=lambda width: self.error(width, r))
            if before == (gamma, r):
                break
        return self._width(gamma, r, widths, unit), self._count(gamma, r, counts)

    def caution(self, gamma: float, r: int) -> str:
        """What speaks against denoising such rows, if anything does."""
        if not self.level.told:
            return (
                "the noise cannot be told from what the rows are without it: its standard "
                f"deviation may be anything up to {self._sigma()}. None is taken off: what is "
                "proposed changes rows as little as such a model can, so denoise by it brings "
                "nothing."
            )
        if self.level.sigma <= TIE * float(np.std(self.held)):
            return "there is no noise but rounding in the rows: leave them as they are."
        if self.error(gamma, r) >= self.pairs.alone():
            return (
                f"the noise has a standard deviation of {self._sigma()}, and nothing that was "
                "tried brings rows nearer to what they were before it: leave them as they are."
            )
        return ""

    def _sigma(self) -> str:
        return f"{self.level.sigma:.2g} (columns as they are scaled)"

    def _meaning(self) -> str:
        return MEANING if self.level.told else CHANGE

    def error(self, gamma: float, r: int) -> float:
        if (gamma, r) not in self.errors:
            model = self._model(gamma, r)
            self.errors[gamma, r] = self._error(model)
        return self.errors[gamma, r]

    def gain(self, fit: OnlineKernelPCA) -> float:
        """On leaving rows alone."""
        return self.pairs.alone() - self._error(model_of(fit))

    def _error(self, model: Model) -> float:
        return self.pairs.error(lambda X: denoised(model, X, ROUGHLY).X)

    def _model(self, gamma: float, r: int) -> Model:
        """One fit a width: the components are the first r of all."""
        if gamma not in self.models:
            self.models[gamma] = model_of(fitted(gamma, None, LEAST_NU, None, self.learned))
        model = self.models[gamma]
        return next_state(model, plan=replace(model.plan, n_components=r))

    def _width(self, gamma: float, r: int, widths: list[float], unit: float) -> Choice:
        errors = np.array([self.error(width, r) for width in widths])
        why = (
            f"{gamma / unit:.2g} / median squared distance: of {len(widths)} widths the one that "
            f"{self._aim()}"
        )
        return Choice(gamma, why, Trial("gamma", np.array(widths), errors, gamma, self._meaning()))

    def _aim(self) -> str:
        if not self.level.told:
            return "changes rows not learned least"
        return (
            "brings rows not learned nearest to what they were before the noise, whose standard "
            f"deviation is {self._sigma()}"
        )

    def _count(self, gamma: float, r: int, counts: list[int]) -> Choice:
        errors = np.array([self.error(gamma, count) for count in counts])
        place = counts.index(r)
        beside = [f"{counts[i]}: {errors[i]:.3g}" for i in range(len(counts)) if abs(i - place) < 2]
        what = "error" if self.level.told else "change"
        why = f"the least {what} of {len(counts)} numbers, with its neighbours {', '.join(beside)}"
        trial = Trial("n_components", np.array(counts, dtype=float), errors, r, self._meaning())
        return Choice(r, why, trial)
