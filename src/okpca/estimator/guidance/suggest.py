"""okpca.suggest: from a sample of rows to a model, with reasons."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from functools import partial
from typing import Any, Literal, overload

from sklearn.utils import check_random_state

from okpca._core.errors import KernelWarning
from okpca.detection import KernelNoveltyDetector
from okpca.estimator import OnlineKernelPCA
from okpca.estimator.guidance.denoising import for_denoising
from okpca.estimator.guidance.features import for_features
from okpca.estimator.guidance.novelty import for_novelty
from okpca.estimator.guidance.sample import Sample, drawn
from okpca.estimator.guidance.suggestion import Choice, Suggestion

Goal = Literal["features", "denoise", "novelty"]


@overload
def suggest(
    X: Any, goal: Literal["features", "denoise"] = ..., *, random_state: Any = ...
) -> Suggestion[OnlineKernelPCA]: ...
@overload
def suggest(
    X: Any, goal: Literal["novelty"], *, random_state: Any = ...
) -> Suggestion[KernelNoveltyDetector]: ...
@overload
def suggest(X: Any, goal: Goal, *, random_state: Any = ...) -> Suggestion: ...
def suggest(X: Any, goal: Goal = "features", *, random_state: Any = 0) -> Suggestion:
    """Propose scale, width, components and budget for rows like these, from the rows alone.

    At most 1 400 rows are looked at, drawn at random: half of them are learned, by a Gaussian
    kernel of several widths, and each choice is judged by the other half. It takes a few seconds.

    Parameters
    ----------
    X : array-like, data frame or CSR of shape (n_samples, n_features)
        A sample of what will come: 20 rows at least, some hundred to be of use.
    goal : {"features", "denoise", "novelty"}, default="features"
        What the model is for. "features": scores for a classifier or a regression, by a kernel as
        narrow as rows far from each other allow. "denoise": components and width that bring rows
        nearest to what they were before the noise, which is to be alike in all columns, as they
        are scaled. "novelty": a :class:`KernelNoveltyDetector`, columns of unequal scale by
        quartiles, γ by the median.
    random_state : int, RandomState instance or None, default=0
        Which rows are drawn.

    Returns
    -------
    suggestion : Suggestion
        Printed it says why; `suggestion.model()` is the configured estimator,
        `suggestion.params` its parameters, `suggestion.plot()` shows what was tried.

    Notes
    -----
    `scale` in the model is taken from the first rows of the stream, `gamma` from the sample: if a
    stream begins unlike the rest, give `burn_in`, or shuffle what is fitted.

    Noise can be told from rows that are thin somewhere: near a curve or a sheet, or of many columns
    that hang together. Where it cannot, or where denoising is no better than leaving rows alone, a
    :class:`okpca.KernelWarning` and `suggestion.caution` say so.

    Examples
    --------
    >>> import okpca
    >>> from sklearn.datasets import load_wine
    >>> X = load_wine().data  # columns of scales from 0.1 to 300
    >>> suggestion = okpca.suggest(X)
    >>> suggestion.params["scale"]
    'standard'
    >>> model = suggestion.model(max_atoms=100).fit(X)
    """
    rng = check_random_state(random_state)
    ways: dict[str, Callable[[Sample], dict[str, Choice]]] = {
        "features": for_features,
        "denoise": partial(for_denoising, rng=rng),
        "novelty": for_novelty,
    }
    if goal not in ways:
        raise ValueError(f"goal must be one of {', '.join(map(repr, ways))}, got {goal!r}.")
    sample = drawn(X, rng)
    shape = (sample.n_rows, sample.n_columns, sample.size)
    suggestion: Suggestion = Suggestion.of(goal, ways[goal](sample), shape)
    if suggestion.caution:
        warnings.warn(f"suggest: {suggestion.caution}", KernelWarning, stacklevel=2)
    return suggestion
