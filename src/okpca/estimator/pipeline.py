"""Steps that learn one after the other from a stream."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from copy import copy, deepcopy
from inspect import signature
from typing import Any, Self

from sklearn.exceptions import NotFittedError
from sklearn.frozen import FrozenEstimator
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import check_is_fitted

from okpca._core.validation import draws_taken_back_on_error
from okpca.io import Saving

PASSES = None, "passthrough"
"""Steps that hand rows on as they are."""


class StreamPipeline(Saving, Pipeline):  # type: ignore[misc]
    """A :class:`sklearn.pipeline.Pipeline` that has `partial_fit`; all else is as there.

    Parameters
    ----------
    steps : list of (name, estimator)
        Transformers, then any estimator. Those with a `partial_fit` learn from every block, each
        from what the one before it, which has learned from the block too, makes of the rows. The
        others must have been fitted, or need no fit (``FunctionTransformer``, ``Normalizer``);
        ``sklearn.frozen.FrozenEstimator(step)`` does not learn either.
    transform_input, memory, verbose
        As in scikit-learn; `partial_fit` has no use for them.

    Notes
    -----
    A scaler that learns goes on moving, and what an early row was turned into is not what it would
    be now. Give it some rows first (``pipeline.fit(X[:1000])``, then `partial_fit`), or freeze it.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from sklearn.preprocessing import StandardScaler
    >>> from okpca import OnlineKernelPCA, StreamPipeline
    >>> X = load_wine().data
    >>> model = StreamPipeline([("scale", StandardScaler()), ("kpca", OnlineKernelPCA(2))])
    >>> for rows in (X[:100], X[100:]):
    ...     _ = model.partial_fit(rows)
    >>> model.transform(X).shape
    (178, 2)
    """

    def partial_fit(
        self,
        X: Any,
        y: Any = None,
        *,
        sample_weight: Any = None,
        classes: Any = None,
        **params: Any,
    ) -> Self:
        """Let every step that can learn from these rows, and hand them on as it now sees them.

        A call that is refused, by whatever step, or interrupted leaves all steps as they were.

        Parameters
        ----------
        X, y : array-like
            Rows, and their labels if a step needs them.
        sample_weight, classes : array-like, default=None
            Given to every step whose `partial_fit` takes them.
        **params
            ``step__name=value`` is given to one step as `name`.
        """
        self._validate_steps()
        steps = [(name, step) for _, name, step in self._iter()]
        for name, step in steps:
            _refuse_unfitted(name, step)
        extra = _arguments(
            dict(steps), {"sample_weight": sample_weight, "classes": classes}, params
        )
        draws = [getattr(step, "random_state", None) for _, step in steps]
        with draws_taken_back_on_error(*draws):
            learned = []
            for i, (name, step) in enumerate(steps):
                with _named(name, step):
                    if _learns(step):
                        step = _taught(step, X, y, extra[name])
                    learned.append(step)
                    if i + 1 < len(steps):
                        X = step.transform(X)
            _take_over([step for _, step in steps], learned)
        return self

    def _refuse_unsound(self) -> None:
        self._validate_steps()

    def _rows_seen(self) -> int:
        return max((getattr(step, "_rows_seen", int)() for _, _, step in self._iter()), default=0)


def split(estimator: Any) -> tuple[Pipeline | None, Any]:
    """The steps before the last, None where there are none, and the last."""
    *before, (_, last) = steps_of(estimator)
    return (Pipeline(before) if before else None), last


def steps_of(estimator: Any) -> list[tuple[str, Any]]:
    """What rows go through, by name: the steps of a pipeline, those of a pipeline at its end among
    them, without what hands rows on as they are. Any other estimator is a step without a name."""
    steps = [("", estimator)]
    while isinstance(last := steps[-1][1], Pipeline) and hasattr(last.steps[-1][1], "get_params"):
        steps[-1:] = [(name, step) for name, step in last.steps if step not in PASSES]
    return steps


def _learns(step: Any) -> bool:
    return hasattr(step, "partial_fit") and not isinstance(step, FrozenEstimator)


def _refuse_unfitted(name: str, step: Any) -> None:
    if _learns(step):
        return
    try:
        check_is_fitted(step)  # says nothing of what needs no fit
    except NotFittedError:
        raise NotFittedError(
            f"step {name!r} cannot learn from a stream: {type(step).__name__} has no partial_fit "
            "and is not fitted. Fit it to some rows first, or take a step that has partial_fit."
        ) from None


def _arguments(
    steps: dict[str, Any], shared: dict[str, Any], params: dict[str, Any]
) -> dict[str, dict[str, Any]]:
    """What each step is given besides rows and labels."""
    given: dict[str, dict[str, Any]] = {name: {} for name in steps}
    learning = {name: step for name, step in steps.items() if _learns(step)}
    for argument, value in shared.items():
        if value is None:
            continue
        takers = [name for name, step in learning.items() if _takes(step, argument)]
        if not takers:
            raise TypeError(f"no step of this pipeline takes {argument} in partial_fit.")
        for name in takers:
            given[name][argument] = value
    for key, value in params.items():
        name, _, argument = key.partition("__")
        if name not in learning or not argument:
            raise TypeError(
                f"partial_fit got {key!r}: write step__name, where step is one of those that "
                f"learn, {sorted(learning)}."
            )
        given[name][argument] = value
    return given


def _takes(step: Any, argument: str) -> bool:
    if isinstance(step, StreamPipeline):  # hands it on, if it can
        return any(_takes(inner, argument) for _, _, inner in step._iter() if _learns(inner))
    return argument in signature(step.partial_fit).parameters


def _taught(step: Any, X: Any, y: Any, extra: dict[str, Any]) -> Any:
    """A copy that has learned."""
    learner = _independent(step)
    labels = () if y is None else (y,)
    learner.partial_fit(X, *labels, **extra)
    return learner


def _independent(step: Any) -> Any:
    """A copy whose learning does not show in the step. Parameters stay the objects they are."""
    if getattr(step, "_learns_by_value", False):  # what it has learned is never changed in place
        return copy(step)
    if isinstance(step, Pipeline):  # whose parameters are what learns
        return deepcopy(step)
    return deepcopy(step, {id(value): value for value in step.get_params(deep=False).values()})


def _take_over(steps: list[Any], learned: list[Any]) -> None:
    """The steps stay the objects they are: who holds one sees it learn."""
    before = [step.__dict__ for step in steps]
    try:
        for step, other in zip(steps, learned, strict=True):
            step.__dict__ = other.__dict__
    except BaseException:
        for step, state in zip(steps, before, strict=True):
            step.__dict__ = state
        raise


@contextmanager
def _named(name: str, step: Any) -> Iterator[None]:
    try:
        yield
    except Exception as error:
        error.add_note(f"In step {name!r} ({type(step).__name__}) of a StreamPipeline.")
        raise
