"""scikit-learn's own checks; those that are expected to fail are declared by the library."""

import pytest
from sklearn.utils.estimator_checks import check_outliers_train, parametrize_with_checks

from okpca import KernelNoveltyDetector, OnlineKernelPCA
from okpca.checks import expected_failed_checks

MODELS = [KernelNoveltyDetector(), KernelNoveltyDetector(statistic="combined", limits="parametric")]


@pytest.mark.long
@pytest.mark.filterwarnings("ignore:the limit is infinite")
@parametrize_with_checks(MODELS, expected_failed_checks=expected_failed_checks)
def test_sklearn_check(estimator, check):
    check(estimator)


def test_what_is_expected_to_fail_does():
    declared = expected_failed_checks(MODELS[0])
    assert all(reason for reason in declared.values())
    assert check_outliers_train.__name__ in declared
    with pytest.raises(AssertionError):
        check_outliers_train("KernelNoveltyDetector", KernelNoveltyDetector())
    assert not expected_failed_checks(OnlineKernelPCA())
