"""A partition that cannot be read or learned says which it is."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any


class PartitionError(ValueError):
    """What is wrong with the rows of one partition: `partition` is its name."""

    def __init__(self, partition: str, what: str) -> None:
        super().__init__(f"{partition}: {what}")
        self.partition = partition
        self.what = what

    def __reduce__(self) -> tuple[Any, ...]:
        return PartitionError, (self.partition, self.what)


def told(error: BaseException) -> str:
    """Its text; of an error that is not about values, its kind too, for it comes from afar."""
    text = str(error) or type(error).__name__
    return text if type(error) is ValueError else f"{type(error).__name__}: {text}"


@contextmanager
def naming(partition: str) -> Iterator[None]:
    """Whatever fails in here is the partition's; a file's own error may have its name already."""
    try:
        yield
    except PartitionError:
        raise
    except Exception as error:
        raise PartitionError(partition, told(error).removeprefix(f"{partition}: ")) from error
