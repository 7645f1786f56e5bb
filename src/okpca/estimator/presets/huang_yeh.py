"""Huang & Yeh, "An iterative algorithm for robust kernel principal component analysis",
Neurocomputing 74 (2011)."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from okpca._core.typing import Array
from okpca.estimator.choices import WeightChoice
from okpca.estimator.online import OnlineKernelPCA
from okpca.estimator.presets.common import made, preset, stepping
from okpca.model.empirical import Empirical
from okpca.model.weights import Exponential
from okpca.rules import Hebbian
from okpca.rules.schedules import Inverse, Schedule


@preset
def rkpca(
    n_components: int = 1,
    *,
    robust: WeightChoice | None = None,
    init: Any = None,
    schedule: Schedule | float | None = None,
    eta0: float | None = None,
    start_mean: Any = None,
    shared_steps: bool = False,
    **params: Any,
) -> OnlineKernelPCA:
    """Iterative robust kernel PCA (Algorithm 1): Sanger's step, of size `eta0`/t (1/t if None)
    times the weight Ψ̇.

    `robust` is Ψ₁ with β = 0.07 if None (example 1), `schedule` another step size, `init` where the
    `n_components` start, at random if None, see :class:`okpca.rules.Hebbian`. Give
    `dictionary=Fixed(points)` and `geometry="empirical"` for the algorithm to the letter; there
    `start_mean` is their μ₁, zeros if None, and `shared_steps` lets the mean take the steps of the
    schedule too, as (19) and (20) have it, not 1/t.

    `burn_in` is the warm start of section 3.2: by batch robust kernel PCA, or by kernel PCA with
    `robust=Exponential(plain_start=True)`. In the default geometry norms are those of the feature
    space, and the mean is the weighted one of all rows so far, this one included, where (19) steps
    by w/t after it. With `burn_in` not below the number of rows the model is the batch robust
    kernel PCA that the iteration converges to (21-22), and `robust="plain"` is the iterative kernel
    PCA of section 2.2.
    """
    rule = partial(Hebbian, deflation=1, schedule=Inverse(1.0), init="random")
    settings = {"schedule": stepping(Inverse, schedule, eta0=eta0), "init": init}
    weight = Exponential() if robust is None else robust
    defaults: dict[str, Any] = {"n_components": n_components, "robust": weight}
    if start_mean is not None or shared_steps:
        if params.pop("geometry", "empirical") != "empirical":
            raise TypeError("start_mean and shared_steps are for geometry='empirical'.")
        mean = None if start_mean is None else _numbers(start_mean)
        defaults["geometry"] = Empirical(mean, shared_steps)
    return made(rule, settings, defaults, params)


def _numbers(start_mean: Any) -> Array:
    try:
        return np.asarray(start_mean, dtype=np.float64)
    except (TypeError, ValueError):
        raise ValueError(
            f"start_mean must be numbers, one for each atom, got {start_mean!r}."
        ) from None
