"""Rows that are not as they should be, and where they are."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from okpca.io.sources.tables import Table

EXAMPLES = 5  # that are kept


@dataclass
class BadRows:
    """How many rows, and where the first of them are."""

    count: int = 0
    examples: list[str] = field(default_factory=list)

    def note(self, rows: Iterable[int], told: Callable[[int], str]) -> None:
        for i in rows:
            self.count += 1
            if len(self.examples) < EXAMPLES:
                self.examples.append(told(i))


def where(file: str, table: Table, i: int) -> str:
    if table.line is None:
        return f"{file}, row {table.number[i]}"
    return f"{file}, line {table.line[i]}"


@contextmanager
def about(file: str) -> Iterator[None]:
    """Errors name the file."""
    try:
        yield
    except (OSError, ValueError) as error:  # pyarrow's are both
        text = str(error)
        if text.startswith(file):
            raise
        glue = ", " if text.startswith("line ") else ": "
        raise ValueError(f"{file}{glue}{text}") from error
