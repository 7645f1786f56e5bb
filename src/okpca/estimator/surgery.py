"""Fitted estimators with fewer atoms, or with what others have learned."""

from __future__ import annotations

from collections.abc import Iterable
from copy import copy
from numbers import Integral
from typing import Any, Self, TypeVar

from sklearn.utils import check_scalar
from sklearn.utils.validation import check_is_fitted

from okpca.estimator.attributes import (
    matured_model_of,
    model_of,
    names_of,
    refuse_empirical,
)
from okpca.estimator.fitted import Fitted
from okpca.estimator.user_warnings import announce
from okpca.model import components, compress, refuse_different, refuse_merge
from okpca.model import merge as merge_models
from okpca.model.too_few_components import more_than_atoms

A = TypeVar("A", bound="Alterable")


class Alterable(Fitted):
    """An estimator whose model can be made smaller, and joined with others."""

    def compress(self, n_atoms: int, *, max_iter: int | None = None, progress: Any = None) -> Self:
        """Replace the atoms by at most `n_atoms`, placed so as to keep components and mean best.

        The atoms are moved together (they need not be rows of the data any more); kernels without
        a gradient keep the best subset, and so do CSR atoms so wide that dense ones, as moved atoms
        are, would be more than four million numbers. The model goes on learning as before.

        Fewer atoms than components hold only as many components as there are atoms. An integer
        `n_components` keeps its columns all the same, so that what was built on them still fits:
        those without an atom are zero until more rows are learned, as a
        :class:`okpca.KernelWarning` says.

        During a warm-up (`burn_in`, or a scale or width that the first rows say) the rows held back
        are fitted first, and the warm-up ends with that; a call that is refused changes nothing.

        Parameters
        ----------
        n_atoms : int
        max_iter : int or None, default=None
            Iterations of the optimiser; 0 takes the atoms it starts from, None allows from 6 to
            100, fewer for more atoms and columns.
        progress : callable, default=None
            Told the iteration and the share of the variance of the components that is kept.
        """
        check_is_fitted(self)
        n_atoms = check_scalar(n_atoms, "n_atoms", Integral, min_val=1)
        if max_iter is not None:
            max_iter = check_scalar(max_iter, "max_iter", Integral, min_val=0)
        model = matured_model_of(self)
        refuse_empirical(model, "compressed")
        n_targets = len(components(model_of(self)).scatter)
        compressed = compress(model, n_atoms, n_targets, max_iter=max_iter, progress=progress)
        if compressed is not model:
            announce((), more_than_atoms(compressed))  # which may be an error: before anything is
        self._model = compressed
        return self

    def merge(self, other: Fitted) -> Self:
        """Learn all that another model has learned from other rows; the other stays as it is.

        Both must have the same kernel, width and centring, and a rule that keeps moments. The
        order of merging matters only as far as the certificate says.
        """
        mine, theirs = model_of(self), model_of(other)  # as shown: nobody waits any more
        refuse_merge(mine, theirs)
        refuse_different("feature names", names_of(self), names_of(other))
        for model in (mine, theirs):
            refuse_empirical(model, "merged")
        self._model = merge_models(mine, theirs)
        return self


def merge(models: Iterable[A]) -> A:
    """One new model of the rows of all `models`; the given ones stay as they are.

    All need the same kernel, width and centring, and a rule that keeps moments.
    """
    parts = list(models)
    if not parts:
        raise ValueError("merge needs at least one model, got none.")
    for part in parts:
        if not isinstance(part, Alterable):
            raise TypeError(f"merge takes models (OnlineKernelPCA), got {part!r:.60}.")
    merged = copy(parts[0])  # what a model has learned is a value: nobody changes it
    for other in parts[1:]:
        merged.merge(other)
    return merged
