"""What can be done to a fitted model: fewer atoms, another model's rows, and what it may be off."""

from __future__ import annotations

from numbers import Integral
from typing import TYPE_CHECKING, Any, Self

from sklearn.utils import check_scalar
from sklearn.utils.validation import check_is_fitted

from okpca.certificate import Certificate
from okpca.model import Model
from okpca.validation import refuse_different


class Changes:
    """The estimator supplies the model, and keeps the next one."""

    if TYPE_CHECKING:
        _model: Any

        def _fitted(self, name: str) -> Model: ...

    def compress(self, n_atoms: int, *, max_iter: int | None = None, progress: Any = None) -> Self:
        """Replace the atoms by at most `n_atoms`, placed so as to keep components and mean best.

        The atoms are moved together (they need not be rows of the data any more); kernels without
        a gradient keep the best subset, and so do CSR atoms so wide that dense ones, as moved atoms
        are, would be more than four million numbers. The model goes on learning as before.

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
        model = self._fitted("compress")
        _refuse_empirical(model, "compressed")
        n_targets = len(model.components.scatter)
        self._model = model.compressed(n_atoms, n_targets, max_iter=max_iter, progress=progress)
        return self

    def merge(self, other: Changes) -> Self:
        """Learn all that another model has learned from other rows; the other stays as it is.

        Both must have the same kernel, width and centring, and a rule that keeps moments. The
        order of merging matters only as far as the certificate says.
        """
        check_is_fitted(self)
        check_is_fitted(other)
        refuse_different(self, other)
        mine, theirs = self._fitted("merge"), other._fitted("merge")
        for model in (mine, theirs):
            _refuse_empirical(model, "merged")
        self._model = mine.merged(theirs)
        return self

    def certificate(self) -> Certificate:
        """How far this model may be from batch kernel PCA of all rows it has seen, weighted as the
        model weighs them."""
        check_is_fitted(self)
        model = self._fitted("certificate")
        _refuse_empirical(model, "compared with kernel PCA")
        return model.certificate()


def _refuse_empirical(model: Model, done: str) -> None:
    if model.plan.empirical:
        raise ValueError(
            f"a model in the empirical geometry cannot be {done}: its coordinates are the kernel "
            "values of its atoms. Use geometry='rkhs'."
        )
