"""Rows in the container that `set_output` asks for."""

from __future__ import annotations

from typing import Any

from sklearn.utils._set_output import ADAPTERS_MANAGER, _get_output_config
from sklearn.utils.validation import _check_feature_names_in

from okpca._core.typing import Floats


def framed(estimator: Any, rows: Floats, given: Any) -> Floats:
    """What scikit-learn does for `transform`, for rows that have the columns of the input; the
    index is that of what was given."""
    library = _get_output_config("transform", estimator)["dense"]
    if library == "default":
        return rows
    adapter = ADAPTERS_MANAGER.adapters[library]
    columns = _check_feature_names_in(estimator)
    out: Floats = adapter.create_container(rows, given, columns=columns)
    return out
