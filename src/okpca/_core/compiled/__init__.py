"""Compiled leaves, loaded when the first of them is called: numba takes a second to load."""

from __future__ import annotations

from importlib import import_module
from typing import Any

_HOMES = {
    "solve_row": "coordinates",
    "solve_strictly": "coordinates",
    "inverse_transposed": "coordinates",
    "centre_rows": "coordinates",
    "take_row": "coordinates",
    "outputs": "steps",
    "hebbian_rows": "steps",
    "apex_rows": "steps",
    "extend_factor": "tracking",
    "solve_lower": "tracking",
    "solve_upper": "tracking",
    "tracking_rows": "tracking",
    "half_difference": "sparse",
    "sparse_distances": "sparse",
    "nearest_rows": "clustering",
    "nearest_of_row": "clustering",
    "charge_rows": "clustering",
    "add_rows": "clustering",
    "ward_cost": "clustering",
    "cheapest_partner": "clustering",
    "merge_cheapest": "clustering",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    leaf = getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
    globals()[name] = leaf
    return leaf
