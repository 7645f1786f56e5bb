"""Which of scikit-learn's own checks are not meant to hold."""

from __future__ import annotations

from typing import Any

from okpca.detection import KernelNoveltyDetector

TRAINING_SHARE = (
    "`contamination` is the share of alarms among rows to come, not among those that were fitted: "
    "limits are set by scores from before a row was learned"
)
OF_DETECTORS = {
    "check_outliers_train": TRAINING_SHARE,
    "check_outliers_fit_predict": TRAINING_SHARE,
}


def expected_failed_checks(estimator: Any) -> dict[str, str]:
    """scikit-learn's checks that an estimator of this library fails by design, with the reasons.

    For `sklearn.utils.estimator_checks`:

    >>> from okpca import KernelNoveltyDetector
    >>> from okpca.checks import expected_failed_checks
    >>> sorted(expected_failed_checks(KernelNoveltyDetector()))
    ['check_outliers_fit_predict', 'check_outliers_train']

    ``check_estimator(model, expected_failed_checks=expected_failed_checks(model))``, or
    ``parametrize_with_checks(models, expected_failed_checks=expected_failed_checks)``.
    """
    return dict(OF_DETECTORS) if isinstance(estimator, KernelNoveltyDetector) else {}
