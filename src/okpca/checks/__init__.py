"""Checks that ship: of any transformer of streams, and of parts written for this library.

**The streaming contract**, for any transformer with `partial_fit` and `transform`.

scikit-learn's estimator checks hardly look at `partial_fit`. These do: what a user of a stream
relies on, one small function each. With pytest:

    @pytest.mark.parametrize(("name", "check"), streaming_checks(MyTransformer()))
    def test_stream(name, check):
        check()

A check that does not apply (no `sample_weight`, no pandas) is skipped by itself; one that is not
meant to hold is skipped by you, with the reason: ``skip={"slicing_does_not_matter": "..."}``.
Random estimators are given ``random_state=0``.

**Parts of a model**: `check_kernel`, `check_weight`, `check_schedule` and `check_preimage` take one
and raise AssertionError; rules, admission policies and budgets are checked by `check_streaming` of
an :class:`~okpca.OnlineKernelPCA` that uses them.

**scikit-learn's checks**: `expected_failed_checks` names those that are not meant to hold.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any
from unittest import SkipTest

from okpca.checks import array_handling, interruptions, odd_rows, refusals, stream, weights
from okpca.checks.expected import expected_failed_checks
from okpca.checks.kernel import check_kernel
from okpca.checks.parts import check_preimage, check_schedule, check_weight

__all__ = [
    "check_kernel",
    "check_preimage",
    "check_schedule",
    "check_streaming",
    "check_weight",
    "expected_failed_checks",
    "streaming_checks",
]

Check = Callable[[Any], None]

ALL: dict[str, Check] = {
    name.removeprefix("check_"): getattr(room, name)
    for room in (stream, refusals, weights, odd_rows, array_handling, interruptions)
    for name in vars(room)
    if name.startswith("check_")
}


def streaming_checks(
    estimator: Any, *, skip: Mapping[str, str] | None = None
) -> list[tuple[str, Callable[[], None]]]:
    """Return (name, check) pairs. A check takes no argument and raises AssertionError if it fails.

    The estimator itself stays as it is: every check works on clones. `skip` maps the names of
    checks to the reason why they are not meant to hold; those raise `unittest.SkipTest`.
    """
    reasons = dict(skip or {})
    unknown = sorted(set(reasons) - set(ALL))
    if unknown:
        raise ValueError(f"skip names no such checks: {unknown}; there are {sorted(ALL)}.")
    return [
        (name, partial(_run, name, check, estimator, reasons.get(name)))
        for name, check in ALL.items()
    ]


def check_streaming(estimator: Any, *, skip: Mapping[str, str] | None = None) -> dict[str, str]:
    """Run all checks. Raise one AssertionError that names every check that fails.

    Returns the checks that were skipped, with their reasons.
    """
    failures: list[str] = []
    skipped: dict[str, str] = {}
    for name, check in streaming_checks(estimator, skip=skip):
        try:
            check()
        except SkipTest as reason:
            skipped[name] = str(reason)
        except AssertionError as failure:
            failures.append(str(failure))
    if failures:
        raise AssertionError("\n".join(failures))
    return skipped


def _run(name: str, check: Check, estimator: Any, reason: str | None) -> None:
    if reason is not None:
        raise SkipTest(reason)
    who = f"{name}: {type(estimator).__name__}"
    try:
        check(estimator)
    except SkipTest:
        raise
    except AssertionError as failure:
        raise AssertionError(f"{who}: {failure}") from failure
    except Exception as error:
        raise AssertionError(f"{who}: unexpected {type(error).__name__}: {error}") from error
