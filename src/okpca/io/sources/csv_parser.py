"""Lines of CSV as columns: by pyarrow, but for a few lines, which its threads take longer to begin
with than Python takes for them."""

from __future__ import annotations

import csv
import io
from typing import Any, NamedTuple

import numpy as np

from okpca.io.sources.tables import GAPS, arrow, as_number, objects

FEW = 32
"""Lines. By trial, of five columns: pyarrow takes 140 µs to begin with, Python 4 µs a line."""


class Columns(NamedTuple):
    by_number: dict[int, Any]  # arrays of pyarrow or numpy
    num_rows: int


class Parser:
    """From text to columns by their number, of the kinds "double" and "string"; doubles that have
    words among them come as text. `n_rows` and `ragged` are of the last text: all rows, and those
    that have too many fields or too few."""

    def __init__(
        self, names: list[str], kinds: dict[str, str], delimiter: str, decimal: str
    ) -> None:
        from pyarrow import csv as reader

        self.names, self.n_rows, self.ragged = names, 0, dict[int, str]()
        self._open = False  # is a quote, at the end of the text?
        self._of, self._numbers = reader, [str(i) for i in range(len(names))]
        self.at = {name: i for i, name in enumerate(names)}
        self._kinds = {self.at[name]: kind for name, kind in kinds.items()}
        self._delimiter, self._decimal = delimiter, decimal
        self._parse = reader.ParseOptions(delimiter=delimiter, invalid_row_handler=self._noted)

    def __call__(self, piece: bytes, n_lines: int) -> Columns:
        self.ragged, self._open = {}, piece.count(b'"') % 2 == 1
        try:
            found = self._few(piece) if n_lines <= FEW or not piece.strip() else self._many(piece)
        except csv.Error:  # a field that is too long for it, say
            found = self._many(piece)
        self.n_rows = found.num_rows + len(self.ragged)
        return found

    def _few(self, piece: bytes) -> Columns:
        lines = csv.reader(io.StringIO(_decoded(piece), newline=""), delimiter=self._delimiter)
        rows = [row for row in lines if row]
        self.ragged = {
            i: self._told(len(row)) for i, row in enumerate(rows) if len(row) != len(self.names)
        }
        if self.ragged:
            rows = [row for i, row in enumerate(rows) if i not in self.ragged]
        columns = {
            j: _values([row[j] for row in rows], kind, self._decimal)
            for j, kind in self._kinds.items()
        }
        return Columns(columns, len(rows))

    def _many(self, piece: bytes) -> Columns:
        """A word among the numbers makes them text, so that it can be shown; so does a byte that is
        no UTF-8."""
        texts = (dict.fromkeys(self._kinds, kind) for kind in ("string", "binary"))
        for kinds in (self._kinds, *texts):
            try:
                found = self._read(piece, kinds)
                break
            except arrow().ArrowInvalid as error:
                refused = error
        else:
            raise refused
        columns = {j: _text(found.column(str(j))) for j in self._kinds}
        return Columns(columns, found.num_rows)

    def _read(self, piece: bytes, kinds: dict[int, str]) -> Any:
        self.ragged = {}
        types = {str(j): kind for j, kind in kinds.items()}
        return self._of.read_csv(
            arrow().py_buffer(piece),
            self._of.ReadOptions(
                use_threads=False, column_names=self._numbers, block_size=len(piece) + 1
            ),
            self._parse,
            self._of.ConvertOptions(
                column_types=types,
                include_columns=list(types),
                null_values=list(GAPS),
                decimal_point=self._decimal,
            ),
        )

    def _noted(self, row: Any) -> str:
        self.ragged[row.number - 1] = self._told(row.actual_columns)
        return "skip"

    def _told(self, n: int) -> str:
        hint = ", and a quote is open: is there a line break within quotes?" if self._open else ""
        return f"{n} fields, not {len(self.names)}{hint}"


def _decoded(text: bytes) -> str:
    """What is no UTF-8 is shown by its bytes."""
    return text.decode(errors="backslashreplace")


def _text(column: Any) -> Any:
    pa = arrow()
    if column.type != pa.binary():
        return column
    try:
        return column.cast("string")
    except pa.ArrowInvalid:
        return objects(map(_decoded, column.to_pylist()))


def _values(texts: list[str], kind: str, decimal: str) -> Any:
    if kind == "double":
        found = [as_number(text, decimal) for text in texts]
        if None not in found:
            return np.array(found, dtype=np.float64)
    return np.array(texts, dtype=object)
