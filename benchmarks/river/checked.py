"""All of river.checks, on both classes."""

from __future__ import annotations

import os
import random
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any
from unittest.mock import patch

import river
from benchmarks.living.common import table, verdict
from river import checks, datasets

from okpca import KernelWarning
from okpca.river import KernelNovelty, OnlineKernelPCA

TITLE = "River's own checks"
FACES: dict[str, Callable[[], Any]] = {
    "OnlineKernelPCA": OnlineKernelPCA,
    "KernelNovelty": KernelNovelty,
}
ROWS = 1000  # of the data set that River checks detectors with
WHOLE_ROOMS = {
    "clf": "for classifiers",
    "model_selection": "for model selectors",
    "reco": "for recommenders",
    "time_series": "for forecasters",
}
"""Whole modules of river.checks that are about other kinds of models."""
OTHERS = {
    "anomaly.check_roc_auc": "for detectors",
    "common.check_transform_one": "for transformers",
    "common.check_transform_many_matches_transform_one": "for mini-batch transformers",
    "common.check_learn_many_matches_learn_one": "for mini-batch models",
    "common.check_predict_many_matches_predict_one": "for classifiers and regressors",
    "common.check_predict_proba_many_matches_predict_proba_one": "for classifiers",
    "common.check_debug_one": "for models with `debug_one`",
    "common.check_mutable_attributes_exist": "for models that name mutable attributes",
    "common.check_seeding_is_idempotent": "for models with a `seed` that is not set",
    "common.check_wrapper_accepts_kwargs": "for wrappers",
    "common.check_has_tag": "for a given tag",
}


def stand_in(rows: int) -> Iterator[tuple[dict[str, float], int]]:
    """Thirty features like those of `datasets.CreditCard`, which is a download: two per cent of the
    rows are frauds."""
    rng = random.Random(0)
    for time in range(rows):
        fraud = int(rng.random() < 0.02)
        usual = rng.gauss(0, 1)
        x = {f"V{i}": usual * i / 28 + rng.gauss(2.0 * fraud, 1) for i in range(1, 29)}
        yield {"Time": float(time), **x, "Amount": rng.expovariate(0.01)}, fraud


def streams(model: Any, scale: int, rows: int, known: Callable[..., Any]) -> Iterator[Any]:
    """What River would check this model with, or the stand-in if that is not there."""
    absent = isinstance(model, KernelNovelty) and not has_credit_card()
    yield from [list(stand_in(rows * scale))] if absent else known(model, scale)


def has_credit_card() -> bool:
    """River makes its folder when it is asked, which two processes at once fail to do; and nobody
    asked for one in his home."""
    folder = Path(os.environ.get("RIVER_DATA", "~/river_data")).expanduser()
    return folder.is_dir() and bool(datasets.CreditCard().is_downloaded)


def yielded(model: Any, rows: int) -> dict[str, Callable[[Any], None]]:
    """By name every check that River has for this model."""
    known = checks._yield_datasets

    def given(model: Any, scale: int = 1) -> Iterator[Any]:
        return streams(model, scale, rows, known)

    with patch.object(checks, "_yield_datasets", given):
        return {named(check): check for check in checks.yield_checks(model)}


def named(check: Callable[..., Any]) -> str:
    return f"{check.__module__.rpartition('.')[2]}.{check.__name__}"


def all_checks() -> list[str]:
    rooms = [of for of in vars(checks).values() if isinstance(of, ModuleType)]
    found = [
        named(check)
        for room in rooms
        for check in vars(room).values()
        if getattr(check, "__name__", "").startswith("check_") and check.__module__ == room.__name__
    ]
    return sorted(found)


def reason(name: str) -> str:
    """Why River does not have this check for a model."""
    return WHOLE_ROOMS.get(name.partition(".")[0]) or OTHERS[name]


def outcome(check: Callable[[Any], None] | None, name: str, make: Callable[[], Any]) -> str:
    if check is None:
        return f"— {reason(name)}"
    if name.rpartition(".")[2] in make()._unit_test_skips():
        return "skipped"
    try:
        check(make())
    except Exception as error:
        return f"**fails**: {type(error).__name__}"
    return "pass"


def run(quick: bool) -> str:
    rows = 50 if quick else ROWS
    columns = []
    for make in FACES.values():
        found = yielded(make(), rows)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", KernelWarning)
            columns.append([outcome(found.get(name), name, make) for name in all_checks()])
    lines = list(zip(all_checks(), *columns, strict=True))
    counts = [sum(cell == "pass" for cell in column) for column in columns]
    failed = sum(cell.startswith("**") for column in columns for cell in column)
    total = ("checks that pass", *map(str, counts))
    return f"""\
`river.checks` of River {river.__version__}, every check there is. Each class meets those that River
has for its kind; a dash says whom the others are for. No class declares a skip. River checks
detectors with its data set `CreditCard`, which is a download; where that is not there, as here, a
stand-in of as many columns and {rows} rows takes its place (ten times as many for the memory).

{table(["check", *FACES], [*lines, total])}

{verdict(f"all checks that apply pass ({failed} fail)", not failed)}
"""
