"""The shipped streaming checks: our estimators pass them, and every one of them can fail."""

from __future__ import annotations

import copy
import pickle
import time
from unittest import SkipTest

import numpy as np
import pytest
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.decomposition import IncrementalPCA
from sklearn.exceptions import NotFittedError
from sklearn.utils import check_array
from sklearn.utils.validation import check_is_fitted, validate_data

from okpca import OnlineKernelPCA, checks
from okpca.checks import check_streaming, streaming_checks
from okpca.dictionary import Fixed
from okpca.model.weights import Exponential, Logistic
from okpca.rules import Hebbian

HEBBIAN = {"components_are_orthonormal": "a Hebbian rule is orthonormal only in the limit"}
FORGETS = {"whole_weight_is_repetition": "a repeated row makes the earlier ones older, twice"}
WARM = {"whole_weight_is_repetition": "a warm-up is counted in rows, whatever their weight"}
EMPIRICAL = {"components_are_orthonormal": "orthonormal in the geometry of the kernel values"}
MERGES = {
    "whole_weight_is_repetition": "atoms of a full dictionary are merged at borders counted in rows"
}
SWAPS = {"signs_are_continuous": "two components of nearly the same variance change places"}
GROWS = {"memory_is_bounded": "max_atoms=None sets no bound"}
POINTS = np.random.RandomState(0).normal(size=(20, 5))

MODELS = {
    "default": (OnlineKernelPCA(), {}),
    "okha": (OnlineKernelPCA(rule="okha"), HEBBIAN),
    "oo-kha": (OnlineKernelPCA(rule="oo-kha"), HEBBIAN),
    "on-kha": (OnlineKernelPCA(rule="on-kha"), HEBBIAN),
    "oja": (OnlineKernelPCA(rule="oja"), HEBBIAN),
    "hebbian": (OnlineKernelPCA(rule=Hebbian(schedule=0.1), max_atoms=20), HEBBIAN | MERGES),
    "coherence": (OnlineKernelPCA(dictionary="coherence", nu=0.1, max_atoms=50), {}),
    "fixed": (OnlineKernelPCA(dictionary=Fixed(POINTS)), {}),
    "fixed on-kha": (OnlineKernelPCA(dictionary=Fixed(POINTS), rule="on-kha"), HEBBIAN),
    "full": (OnlineKernelPCA(max_atoms=10, on_full="project"), {}),
    "drop": (OnlineKernelPCA(max_atoms=20, on_full="drop"), {}),
    "compress": (
        OnlineKernelPCA(max_atoms=20, on_full="compress", random_state=0),
        MERGES | SWAPS,
    ),
    "incremental svd": (OnlineKernelPCA(rule="incremental-svd"), {}),
    "exact": (OnlineKernelPCA(nu=0, max_atoms=None), GROWS),
    "uncentred": (OnlineKernelPCA(center=False), {}),
    "forgetting": (OnlineKernelPCA(forgetting=0.98), FORGETS),
    "fraction": (OnlineKernelPCA(0.9), {}),
    "all components": (OnlineKernelPCA(None, max_atoms=10, on_full="project"), {}),
    "robust": (OnlineKernelPCA(robust=Exponential(1.0)), {}),
    "robust on-kha": (OnlineKernelPCA(robust=Exponential(1.0), rule="on-kha"), HEBBIAN),
    "warm-up": (OnlineKernelPCA(burn_in=15, robust=Logistic(5.0, 0.5)), WARM),
    "warm-up oja": (OnlineKernelPCA(burn_in=15, rule="oja"), HEBBIAN | WARM),
    "empirical": (OnlineKernelPCA(dictionary=Fixed(POINTS), geometry="empirical"), EMPIRICAL),
    "slide": (OnlineKernelPCA(max_atoms=12, on_full="slide"), {}),
    "linear": (OnlineKernelPCA(3, kernel="linear"), {}),
    "poly": (OnlineKernelPCA(kernel="poly"), {}),
    "cosine": (OnlineKernelPCA(kernel="cosine"), {}),
}


@pytest.mark.parametrize(
    "check",
    [
        pytest.param(check, id=f"{label}-{name}")
        for label, (model, skip) in MODELS.items()
        for name, check in streaming_checks(model, skip=skip)
    ],
)
def test_our_models_pass(check):
    check()


# -- a plain linear online PCA, right, and then wrong in every way there is a check for -----------


class RunningPCA(TransformerMixin, BaseEstimator):
    """Mean and scatter of all rows; components when asked for."""

    def __init__(self, n_components=2, random_state=None):
        self.n_components = n_components
        self.random_state = random_state

    def _checked(self, X, sample_weight, reset):
        X = validate_data(self, X, reset=reset, dtype=[np.float64, np.float32]).astype(float)
        if sample_weight is None:
            weight = np.ones(len(X))
        else:
            weight = check_array(sample_weight, ensure_2d=False, dtype=float)
            if weight.shape != (len(X),) or (weight < 0).any():
                raise ValueError("one weight >= 0 for each row")
        if (np.abs(X) > 1e100).any():
            raise ValueError("too large")
        return X, weight

    def partial_fit(self, X, y=None, sample_weight=None):
        """On a copy, whose state is taken over at once: an interrupt finds a whole model."""
        following = copy.copy(self)
        following._learned(X, sample_weight)
        self.__dict__ = vars(following)
        return self

    def _learned(self, X, sample_weight):
        before = dict(vars(self))
        try:
            first = "_weight" not in before
            X, weight = self._checked(X, sample_weight, reset=first)
        except Exception:
            self.__dict__ = before
            raise
        if first:
            d = X.shape[1]
            self._weight, self._mean, self._scatter = 0.0, np.zeros(d), np.zeros((d, d))
            self._axes, self.n_samples_seen_ = None, 0
        for x, w in zip(X, weight, strict=True):
            if w > 0:
                self._step(x, w)
        self.n_samples_seen_ += len(X)
        self._axes = self._components()
        return self

    def _step(self, x, w):
        total = self._weight + w
        away = x - self._mean
        self._mean = self._mean + (w / total) * away
        self._scatter = self._scatter + (w * self._weight / total) * np.outer(away, away)
        self._weight = total

    def _components(self):
        axes = np.linalg.eigh(self._scatter)[1][:, ::-1][:, : self.n_components].T
        if self._axes is None:
            return axes
        return axes * np.where(np.sum(axes * self._axes, axis=1) < 0, -1.0, 1.0)[:, None]

    def fit(self, X, y=None):
        fresh = type(self)(**self.get_params()).partial_fit(X)
        self.__dict__ = vars(fresh)
        return self

    def transform(self, X):
        check_is_fitted(self, "_weight")
        X = validate_data(self, X, reset=False, dtype=[np.float64, np.float32])
        now = vars(self)  # of one moment, whoever learns meanwhile
        return (np.sum((X - now["_mean"])[:, None] * now["_axes"], axis=2)).astype(X.dtype)

    def __sklearn_is_fitted__(self):
        return "_weight" in vars(self)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags


BROKEN: dict[str, list[type]] = {}


def breaks(*names):
    """This class must fail these checks."""

    def note(cls):
        for name in names:
            BROKEN.setdefault(name, []).append(cls)
        return cls

    return note


@breaks("slicing_does_not_matter", "fit_is_partial_fit")
class FirstRowOfACallIsSpecial(RunningPCA):
    def partial_fit(self, X, y=None, sample_weight=None):
        super().partial_fit(X, y, sample_weight)
        self._weight *= 0.5
        return self


@breaks("first_row_may_come_alone", "outputs_are_finite_after_each_update")
class NotFiniteAtFirst(RunningPCA):
    def transform(self, X):
        return super().transform(X) * (np.nan if self._weight == 1 else 1.0)


@breaks("outputs_are_finite_after_each_update")
class AttributeNotFinite(RunningPCA):
    @property
    def noise_(self):
        return np.inf if self.n_samples_seen_ == 7 else 0.0


@breaks("pickle_continues_exactly")
class LosesStateOnPickling(RunningPCA):
    def __getstate__(self):
        return {k: v.round(6) if k == "_scatter" else v for k, v in vars(self).items()}

    def __deepcopy__(self, memo):
        new = type(self)(**self.get_params())
        new.__dict__ = copy.deepcopy(vars(self), memo)
        return new


@breaks("copies_part_ways")
class CopyIsShared(RunningPCA):
    def _step(self, x, w):
        shared = self._scatter
        super()._step(x, w)
        shared[:] = self._scatter
        self._scatter = shared

    def __deepcopy__(self, memo):
        new = type(self)(**self.get_params())
        new.__dict__.update(vars(self))
        return new


@breaks("repeats_need_no_memory", "memory_is_bounded")
class KeepsTheRows(RunningPCA):
    def _step(self, x, w):
        super()._step(x, w)
        self._rows = [*self.__dict__.get("_rows", []), x.copy()][-5000:]


@breaks("memory_is_bounded")
class KeepsDistinctRows(RunningPCA):
    def _step(self, x, w):
        super()._step(x, w)
        self._rows = self.__dict__.get("_rows", set()) | {float(x[0])}


@breaks("fit_starts_afresh")
class FitGoesOn(RunningPCA):
    def fit(self, X, y=None):
        return self.partial_fit(X)


@breaks("clone_is_unfitted")
class CloneIsFitted(RunningPCA):
    def __sklearn_clone__(self):
        return copy.deepcopy(self)


@breaks("clone_is_unfitted")
class NeverFitted(RunningPCA):
    def transform(self, X):
        raise NotFittedError("ask me later")


@breaks("same_seed_same_model")
class IgnoresTheSeed(RunningPCA):
    rng = np.random.RandomState(0)

    def _step(self, x, w):
        super()._step(x + self.rng.normal(scale=0.1, size=x.shape), w)


@breaks("signs_are_continuous")
class Flips(RunningPCA):
    def _components(self):
        return super()._components() * (-1.0 if self.n_samples_seen_ % 2 else 1.0)


@breaks("interrupt_leaves_a_whole_model")
class LearnsInPlace(RunningPCA):
    """Which is what everyone writes first: `RunningPCA` would be no better."""

    def partial_fit(self, X, y=None, sample_weight=None):
        return RunningPCA._learned(self, X, sample_weight)


@breaks("readers_see_whole_models")
class CentresFirst(RunningPCA):
    def _learned(self, X, sample_weight):
        if "_weight" in vars(self):
            mean = self._mean
            self._mean = 0.0 * mean
            time.sleep(1e-4)
            self._mean = mean
        return super()._learned(X, sample_weight)

    def partial_fit(self, X, y=None, sample_weight=None):
        return self._learned(X, sample_weight)


@breaks("rows_are_counted")
class CountsCalls(RunningPCA):
    def partial_fit(self, X, y=None, sample_weight=None):
        super().partial_fit(X, y, sample_weight)
        self.n_samples_seen_ += 1 - len(X)
        return self


class _NotWholeOrNothing(RunningPCA):
    """Counts the call before it looks at the rows."""

    def partial_fit(self, X, y=None, sample_weight=None):
        if "_weight" in vars(self):
            self._calls = self.__dict__.get("_calls", 0) + 1
        return super().partial_fit(X, y, sample_weight)


breaks(
    "refused_batch_changes_nothing",
    "refused_names_change_nothing",
    "refused_weights_change_nothing",
)(_NotWholeOrNothing)


@breaks("refused_batch_changes_nothing", "refused_batch_is_forgotten")
class LearnsRowsBeforeTheBadOne(RunningPCA):
    def _checked(self, X, sample_weight, reset):
        if not reset:
            self._half(X)
        return super()._checked(X, sample_weight, reset)

    def _half(self, X):
        for row in X if isinstance(X, np.ndarray) and X.ndim == 2 and X.dtype == float else []:
            if row.shape == self._mean.shape and not np.isfinite(row).all():
                self._mean[0] += 1.0  # in place: restoring the attributes does not help


@breaks(
    "refused_batch_changes_nothing",
    "refused_first_batch_leaves_no_trace",
    "transform_refuses_bad_rows",
)
class AcceptsInfinity(RunningPCA):
    def partial_fit(self, X, y=None, sample_weight=None):
        return super().partial_fit(self._tamed(X), y, sample_weight)

    def transform(self, X):
        return super().transform(self._tamed(X))

    def _tamed(self, X):
        is_rows = isinstance(X, np.ndarray) and X.dtype.kind == "f"
        return np.nan_to_num(X, posinf=0.0, neginf=0.0) if is_rows and np.isinf(X).any() else X


@breaks("refused_first_batch_leaves_no_trace")
class LeftHalfFitted(RunningPCA):
    def partial_fit(self, X, y=None, sample_weight=None):
        self.n_features_in_ = np.shape(X)[-1] if np.ndim(X) else 0
        return super().partial_fit(X, y, sample_weight)


@breaks("refused_first_batch_leaves_no_trace")
class RefusesASingleRowLate(RunningPCA):
    def partial_fit(self, X, y=None, sample_weight=None):
        super().partial_fit(X, y, sample_weight)
        if self.n_samples_seen_ == 1:
            raise ValueError("one row is not enough")
        return self


@breaks("refused_fit_changes_nothing")
class FitForgetsFirst(RunningPCA):
    def fit(self, X, y=None):
        self.__dict__ = dict(self.get_params())
        return self.partial_fit(X)


@breaks("refused_names_change_nothing")
class IgnoresNames(RunningPCA):
    def partial_fit(self, X, y=None, sample_weight=None):
        return super().partial_fit(np.asarray(X) if hasattr(X, "columns") else X, y, sample_weight)


@breaks("transform_needs_a_fit")
class TransformsAnyway(RunningPCA):
    def transform(self, X):
        return super().transform(X) if "_weight" in vars(self) else np.zeros((len(X), 2))


@breaks("refused_weights_change_nothing")
class AcceptsNegativeWeights(RunningPCA):
    def partial_fit(self, X, y=None, sample_weight=None):
        weight = None if sample_weight is None else np.abs(sample_weight)
        return super().partial_fit(X, y, weight)


@breaks("unit_weight_is_no_weight")
class UnitWeightCountsDouble(RunningPCA):
    def partial_fit(self, X, y=None, sample_weight=None):
        if sample_weight is not None:
            sample_weight = np.asarray(sample_weight) * np.where(np.asarray(X)[:, 0] > 0, 2, 1)
        return super().partial_fit(X, y, sample_weight)


@breaks("zero_weight_is_no_row")
class NoWeightIsSmall(RunningPCA):
    def partial_fit(self, X, y=None, sample_weight=None):
        weight = None if sample_weight is None else np.add(sample_weight, 0.01)
        return super().partial_fit(X, y, weight)


@breaks("whole_weight_is_repetition")
class RootsOfWeights(RunningPCA):
    def _step(self, x, w):
        super()._step(x, np.sqrt(w))


@breaks("duplicates_are_harmless", "constant_columns_are_harmless", "scales_are_harmless")
class DividesByVariance(RunningPCA):
    def transform(self, X):
        with np.errstate(all="ignore"):
            return super().transform(X) * (np.float64(0) / self._scatter.trace() + 1)


@breaks("near_duplicates_are_harmless", "rank_one_is_harmless", "constant_columns_are_harmless")
class Whitens(RunningPCA):
    def transform(self, X):
        out = super().transform(X)
        with np.errstate(all="ignore"):
            rank = np.linalg.matrix_rank(self._scatter, tol=1e-8 * self._scatter.trace())
            return out * (np.inf if 0 < rank < 5 and self.n_samples_seen_ > 5 else 1.0)


@breaks("scales_are_harmless")
class RefusesHugeRowsLate(RunningPCA):
    def _checked(self, X, sample_weight, reset):
        if not reset and np.abs(X[0, 0]) > 1e100:
            self._mean[0] += 1.0
        return super()._checked(X, sample_weight, reset)


@breaks("components_are_orthonormal")
class NotOrthonormal(RunningPCA):
    @property
    def atoms_(self):
        return np.eye(5)

    @property
    def dual_coef_(self):
        return 1.001 * self._axes

    def kernel_(self, X):
        return X @ X.T


@breaks("partial_fit_returns_self")
class ReturnsNone(RunningPCA):
    def partial_fit(self, X, y=None, sample_weight=None):
        super().partial_fit(X, y, sample_weight)


@breaks("parameters_are_not_changed")
class WritesOnParameters(RunningPCA):
    def partial_fit(self, X, y=None, sample_weight=None):
        self.random_state = np.random.RandomState(0)
        return super().partial_fit(X, y, sample_weight)


@breaks("input_is_not_modified", "read_only_rows_are_accepted")
class CentresInPlace(RunningPCA):
    def transform(self, X):
        if isinstance(X, np.ndarray) and X.dtype.kind == "f" and X.shape[-1] == 5:
            X += 1.0
        return super().transform(X)


@breaks("buffer_may_be_reused", "transform_does_not_change_the_model")
class KeepsAView(RunningPCA):
    def partial_fit(self, X, y=None, sample_weight=None):
        super().partial_fit(X, y, sample_weight)
        self._last = X
        return self

    def transform(self, X):
        out = super().transform(X) + np.asarray(self._last)[0, 0]
        self._last = np.ones((1, 1)) + np.asarray(self._last)[0, 0]
        return out


@breaks("layout_does_not_matter")
class ReadsMemoryAsItLies(RunningPCA):
    def partial_fit(self, X, y=None, sample_weight=None):
        if isinstance(X, np.ndarray) and X.strides[0] < X.strides[1] and len(X) > 1:
            X = X.ravel("F").reshape(X.shape)
        return super().partial_fit(X, y, sample_weight)


@breaks("transform_does_not_change_the_model")
class LearnsFromLooking(RunningPCA):
    def transform(self, X):
        out = super().transform(X)
        self._step(np.asarray(X[0], dtype=float), 1.0)
        return out


@breaks("looking_changes_nothing")
class KeepsTheSignsLastShown(RunningPCA):
    @property
    def components_(self):
        self._axes = self._components() * np.sign(self._axes[:, :1])
        return self._axes.copy()


@breaks("looking_changes_nothing")
class LearnsFromRefusals(RunningPCA):
    def transform(self, X):
        if not np.isfinite(np.asarray(X, dtype=float)).all():
            self._weight *= 1.001
        return super().transform(X)


@breaks("output_is_not_shared")
class GivesItsOwnArray(RunningPCA):
    def transform(self, X):
        out = super().transform(X)
        known = vars(self).get("_memory")
        if known is not None and known[0] == pickle.dumps(np.asarray(X)):
            return known[1]
        self._memory = (pickle.dumps(np.asarray(X)), out)
        return out


@breaks("transform_is_row_by_row")
class CentresTheCall(RunningPCA):
    def transform(self, X):
        out = super().transform(X)
        return out - out.mean(axis=0)


@breaks("y_is_ignored")
class UsesY(RunningPCA):
    def partial_fit(self, X, y=None, sample_weight=None):
        super().partial_fit(X, y, sample_weight)
        if y is not None:
            self._mean = self._mean + 1.0
        return self


@breaks("float32_is_preserved")
class AlwaysFloat64(RunningPCA):
    def transform(self, X):
        return super().transform(X).astype(np.float64)


@breaks("width_is_shown")
class CountsColumnsWrong(RunningPCA):
    def partial_fit(self, X, y=None, sample_weight=None):
        super().partial_fit(X, y, sample_weight)
        vars(self)["n_features_in_"] += 0 if "_weight" not in vars(self) else 1
        return self


@breaks("width_is_shown")
class WidthBeforeTheFirstRow(RunningPCA):
    n_features_in_ = 5


@breaks("names_are_shown")
class ForgetsNames(RunningPCA):
    def partial_fit(self, X, y=None, sample_weight=None):
        super().partial_fit(X, y, sample_weight)
        vars(self).pop("feature_names_in_", None)
        return self


def test_a_right_one_passes():
    assert set(check_streaming(RunningPCA())) == {"components_are_orthonormal"}


@pytest.mark.parametrize(
    ("broken", "name"),
    [pytest.param(c, n, id=f"{c.__name__}-{n}") for n, cs in BROKEN.items() for c in cs],
)
def test_a_wrong_one_fails(broken, name):
    check = dict(streaming_checks(broken()))[name]
    with pytest.raises(AssertionError, match=f"^{name}: {broken.__name__}: "):
        check()


def test_every_check_can_fail():
    assert set(BROKEN) == set(checks.ALL)


def test_incremental_pca_is_left_half_fitted():
    check = dict(streaming_checks(IncrementalPCA(2)))["refused_first_batch_leaves_no_trace"]
    try:
        check()
    except AssertionError as error:
        assert "components_" in str(error)  # noqa: PT017
    else:
        pytest.skip("this scikit-learn has it fixed")


# -- the runner -----------------------------------------------------------------------------------


def test_skips_have_reasons():
    name = "slicing_does_not_matter"
    check = dict(streaming_checks(OnlineKernelPCA(), skip={name: "because"}))[name]
    with pytest.raises(SkipTest, match="because"):
        check()


def test_skips_of_unknown_checks_are_refused():
    with pytest.raises(ValueError, match="no such checks: \\['slicing'\\]"):
        check_streaming(OnlineKernelPCA(), skip={"slicing": "because"})


def test_all_failures_are_named_together():
    class FlipsAndCountsCalls(Flips, CountsCalls):
        pass

    with pytest.raises(AssertionError) as caught:
        check_streaming(FlipsAndCountsCalls())
    assert "signs_are_continuous: " in str(caught.value)
    assert "rows_are_counted: " in str(caught.value)


def test_the_estimator_is_left_alone():
    model = OnlineKernelPCA(random_state=5)
    check_streaming(model, skip={n: "too slow" for n in checks.ALL if n != "y_is_ignored"})
    assert "_model" not in vars(model)
    assert model.random_state == 5


def test_every_check_says_what_users_rely_on():
    assert all(check.__doc__ for check in checks.ALL.values())
