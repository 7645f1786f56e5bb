"""Compiled leaves, loaded when the first of them is called: numba takes a second to load."""

from __future__ import annotations

from importlib import import_module
from typing import Any

_LEAVES = {
    "coordinates": "solve_row solve_strictly solve_back_strictly inverse_transposed centre_rows"
    " take_row scores_of_row",
    "steps": "hebbian_rows apex_rows",
    "tracking": "tracking_rows",
    "streaming": "ccipca_rows gain_rows",
    "sparse": "sparse_distances",
    "gaussian_pre_images": "fixed_points",
    "clustering": "nearest_rows nearest_of_row charge_row charge_rows add_rows merge_cheapest",
}
_HOMES = {leaf: home for home, leaves in _LEAVES.items() for leaf in leaves.split()}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    leaf = getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
    globals()[name] = leaf
    return leaf
