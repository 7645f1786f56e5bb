"""Which estimators a model file may hold: okpca's, and some of scikit-learn that are parameters
and arrays alone.

An estimator is stored by its parameters and by what it has learned. Of okpca's, the attributes that
the class announces with their types; of the others, numbers and arrays whose names end in `_`.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from okpca.io.allowed_classes import hints_of
from okpca.io.type_check import fits

FOREIGN = {
    "StandardScaler": "sklearn.preprocessing",
    "MinMaxScaler": "sklearn.preprocessing",
    "MaxAbsScaler": "sklearn.preprocessing",
    "RobustScaler": "sklearn.preprocessing",
    "Normalizer": "sklearn.preprocessing",
    "Binarizer": "sklearn.preprocessing",
    "IncrementalPCA": "sklearn.decomposition",
    "PCA": "sklearn.decomposition",
    "VarianceThreshold": "sklearn.feature_selection",
    "FrozenEstimator": "sklearn.frozen",
}
SHARED = {
    "n_features_in_": int,
    "feature_names_in_": np.ndarray,
    "_sklearn_output_config": dict[str, str],
}
"""What any estimator may have, by scikit-learn."""
HOMES = ("okpca.estimator", "okpca.detection", "okpca.subspace")
"""Rooms above this one whose estimators files hold: loaded when a file is read."""
PLAIN = None | bool | int | float | str | np.generic | np.ndarray | tuple[Any, ...]


class Storable:
    """An estimator of okpca that model files may hold."""

    def _refuse_unsound(self) -> None:
        """Do its parts go together? A ValueError says what does not."""


def at_home() -> None:
    """Every estimator and value that a file may name is loaded from here on."""
    for home in HOMES:
        import_module(home)


def own() -> dict[str, type]:
    """okpca's, by name: those that can be built."""
    found, rest = {}, Storable.__subclasses__()
    while rest:
        kind = rest.pop()
        rest += kind.__subclasses__()
        if kind.__module__.startswith("okpca.") and kind.__name__[0] != "_":
            found[kind.__name__] = kind
    return found


def named(name: str) -> type | None:
    kind = own().get(name)
    if kind is None and name in FOREIGN:
        kind = getattr(import_module(FOREIGN[name]), name)
    return kind


def name_of(value: Any) -> str | None:
    name = type(value).__name__
    if named(name) is type(value):
        return name
    if isinstance(value, BaseEstimator):
        raise TypeError(
            f"a model file cannot hold {type(value).__module__}.{name}: beside okpca's estimators "
            f"it takes {', '.join(FOREIGN)}."
        )
    return None


def parts(estimator: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    """Parameters, and what was learned."""
    given = estimator.get_params(deep=False)
    state = estimator.__getstate__()
    versions = ("_sklearn_version", "_okpca_version")
    learned = {name: of for name, of in state.items() if name not in given and name not in versions}
    refuse_strange(type(estimator), learned)
    return given, learned


def refuse_strange(kind: type, learned: dict[str, Any]) -> None:
    foreign = kind.__name__ in FOREIGN
    hints = SHARED if foreign else hints_of(kind) | SHARED
    for name, of in learned.items():
        by_habit = foreign and name[0] != "_" and name[-1] == "_"
        if not fits(of, hints.get(name, PLAIN)) or not (by_habit or name in hints):
            raise TypeError(
                f"{kind.__name__}: a model file cannot hold {name} of {type(of).__qualname__}."
            )


def _refuse_missing(kind: Any, given: dict[str, Any], learned: dict[str, Any]) -> None:
    """Whoever has learned anything has all that the class announces."""
    announced = {name for name in hints_of(kind) if not hasattr(kind, name) and name not in given}
    missing = announced - set(learned)
    if missing and kind.__name__ not in FOREIGN and set(learned) - {"_sklearn_output_config"}:
        raise ValueError(f"{kind.__name__} without {sorted(missing)}")


def restored(kind: type, given: dict[str, Any], learned: dict[str, Any]) -> Any:
    estimator: Any = kind(**given)
    refuse_strange(kind, learned)
    _refuse_missing(kind, estimator.get_params(deep=False), learned)
    estimator.__dict__.update(learned)
    return estimator


def refuse_unsound(estimator: Any) -> None:
    """Do parameters and what was learned go together, as far as can be told?"""
    if hasattr(estimator, "_parameter_constraints"):
        estimator._validate_params()
    _refuse_names(estimator)
    if isinstance(estimator, Storable):
        estimator._refuse_unsound()
    else:
        _refuse_widths(estimator)


def _refuse_names(estimator: Any) -> None:
    state = vars(estimator)
    names, width = state.get("feature_names_in_"), state.get("n_features_in_")
    if width is not None and width < 1:
        raise ValueError(f"{width} columns")
    if names is not None and (names.dtype.kind not in "OU" or names.shape != (width,)):
        raise ValueError(f"names of {names.shape} columns for {width}")


def _refuse_widths(estimator: Any) -> None:
    """Arrays of scikit-learn's are as wide as the rows, or as long as there are components."""
    state = vars(estimator)
    learned = [of for name, of in state.items() if name[-1] == "_"]
    if not learned or "n_features_in_" not in state:
        return
    check_is_fitted(estimator)
    sides = {int(state["n_features_in_"]), int(state.get("n_components_", -1))}
    for of in learned:
        numbers = isinstance(of, np.ndarray) and of.ndim and of.dtype.kind == "f"
        if numbers and of.shape[-1] not in sides:
            raise ValueError(f"an array of {of.shape} in {type(estimator).__name__}")
