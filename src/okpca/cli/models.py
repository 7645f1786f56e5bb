"""What a model file may hold, and what can be done with it here."""

from __future__ import annotations

from inspect import Parameter, signature
from typing import Any

from okpca._core.plural import several
from okpca.cli.exits import USAGE, Refused
from okpca.io.saving import rows_seen


def last(model: Any) -> Any:
    """The step of a pipeline that rows end in; any other model itself."""
    from okpca.estimator.pipeline import split

    return split(model)[1]


def inner(model: Any) -> Any:
    """What learns the components."""
    model = last(model)
    return getattr(model, "estimator_", model)


def is_fitted(model: Any) -> bool:
    from sklearn.exceptions import NotFittedError
    from sklearn.utils.validation import check_is_fitted

    try:
        check_is_fitted(last(model))
    except NotFittedError:
        return False
    return True


def refuse_unfitted(model: Any, path: str) -> None:
    if not is_fitted(model):
        raise Refused(USAGE, f"{path} has learned nothing yet: okpca update it.")


def refuse_unable(model: Any, path: str, needs: str) -> None:
    """It must have this method."""
    if hasattr(model, needs):
        return
    kind = type(model).__name__
    hint = f"okpca.load({path!r}) in Python has what it can do"
    if hasattr(model, "score_samples"):
        hint = "okpca score it"
    raise Refused(USAGE, f"{path}: a {kind} does not {needs.replace('_samples', '')} rows: {hint}.")


def refuse_labelled(model: Any, path: str) -> None:
    """There are no labels in a stream."""
    if not hasattr(model, "partial_fit"):
        raise Refused(USAGE, f"{path}: a {type(model).__name__} does not learn from streams.")
    label = signature(last(model).partial_fit).parameters.get("y")
    if label is not None and label.default is Parameter.empty:
        kind = type(last(model)).__name__
        raise Refused(
            USAGE, f"{path}: a {kind} learns from rows with labels: partial_fit it in Python."
        )


def warn_of(model: Any) -> None:
    """What there is to say at the end that was not said while it learned."""
    from okpca.detection import KernelNoveltyDetector
    from okpca.detection.fitted import unsaid
    from okpca.estimator import OnlineKernelPCA, kept_by
    from okpca.estimator.user_warnings import announce
    from okpca.model.too_few_components import more_than_budget

    ended = last(model)
    if isinstance(ended, KernelNoveltyDetector) and is_fitted(ended):
        announce((), unsaid(ended))
    if isinstance(ended, OnlineKernelPCA) and is_fitted(ended):
        announce((), more_than_budget(kept_by(ended)))


def summary(model: Any) -> dict[str, Any]:
    """In numbers, as many as it has."""
    told: dict[str, Any] = {"rows": rows_seen(model)}
    learned = inner(model)
    if hasattr(learned, "n_atoms_"):
        told["atoms"] = int(learned.n_atoms_)
        told["components"] = int(learned.n_components_)
        told["explained"] = float(learned.explained_variance_ratio_.sum())
    return told


def in_words(told: dict[str, Any]) -> list[str]:
    words = [several(told["rows"], "rows")]
    if "atoms" in told:
        words.append(several(told["atoms"], "atoms"))
        explained = f"{100 * told['explained']:.1f} % of the variance"
        verb = "explains" if told["components"] == 1 else "explain"
        words.append(f"{several(told['components'], 'components')} that {verb} {explained}")
    return words
