"""What cannot be learned in parts is refused before anything is read."""

from __future__ import annotations

from typing import Any

from okpca import rules
from okpca._core.number_checks import checked_count
from okpca.detection import KernelNoveltyDetector
from okpca.estimator import OnlineKernelPCA


def refuse_unfit(model: Any, passes: int, streams: int | None = None) -> None:
    detector = isinstance(model, KernelNoveltyDetector)
    if not detector and not isinstance(model, OnlineKernelPCA):
        raise TypeError(
            "model must be an OnlineKernelPCA or a KernelNoveltyDetector, got "
            f"{type(model).__name__}."
        )
    if passes not in (1, 2):
        raise ValueError(f"passes must be 1 or 2, got {passes!r}.")
    if streams is not None:
        checked_count("fit", "streams", streams, 1)
    model._validate_params()
    rule = rules.make(model.rule)
    if not rule.averages:
        raise ValueError(f"{rule!r} keeps no moments that could be merged. Use rule='exact'.")
    if model.forgetting < 1:
        raise ValueError(
            f"forgetting={model.forgetting}: partitions have no common clock. Use forgetting=1, or "
            "partial_fit with one partition after the other."
        )
    if not detector:
        _refuse_estimator(model)
    if passes == 2 and detector:
        raise ValueError("passes=2 is not for detectors, which do not learn every row.")
    if passes == 2 and (model.robust is not None or model.missing == "impute"):
        raise ValueError(
            "passes=2 needs robust=None and missing='raise' or 'skip': what a row counts for, or "
            "lacks, is said by what is known when it comes, and would not be the same again."
        )


def _refuse_estimator(model: Any) -> None:
    if model.geometry != "rkhs":
        raise ValueError("models in the empirical geometry cannot be merged. Use geometry='rkhs'.")
    for name, default in (("epochs", 1), ("shuffle", False)):
        if getattr(model, name) != default:
            raise ValueError(
                f"{name}={getattr(model, name)!r} is for `fit` in one process: partitions are "
                "learned as streams, once."
            )
