"""Errors that know what they are about, a row of a block or a file, and a warning about rows."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

NOT_FINITE = "the kernel gives a value that is not finite: scale the columns, or mend the kernel"

OVERFLOW = "the sums of squares overflow: scale the columns or the kernel, or lower the weights"

OVERGROWN = (
    "the components have outgrown all numbers, for the rule diverges: lower the step size of its "
    "schedule, or scale the kernel"
)


class KernelWarning(UserWarning):
    """Kernel, columns or budget do not suit the rows; the text says what to do. Once in a fit."""


class ModelFileError(ValueError):
    """A model file that cannot be taken: which, and why."""

    def __init__(self, path: Any, reason: str) -> None:
        super().__init__(f"{path}: {reason}")
        self.path = path
        self.reason = reason

    def __reduce__(self) -> tuple[Any, ...]:
        return ModelFileError, (self.path, self.reason)


class RowError(ValueError):
    """`row` counts from the start of the block; the estimator translates it for the user."""

    def __init__(self, what: str, row: int) -> None:
        super().__init__(what)
        self.what = what
        self.row = row

    def __reduce__(self) -> tuple[Any, ...]:
        return RowError, (self.what, self.row)

    def moved(self, which: Any) -> RowError:
        """The same error where row i of the block is row which[i] of a larger one."""
        return RowError(self.what, int(which[self.row]))


@contextmanager
def rows_numbered(which: Any) -> Iterator[None]:
    """In here row i is row which[i] of a larger block, and errors say so."""
    try:
        yield
    except RowError as error:
        raise error.moved(which) from None
