"""CSV and NDJSON as tables: lines, a piece at a time, each turned into numbers at once."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from okpca._core.typing import Index
from okpca.io.sources.lines import Lines
from okpca.io.sources.tables import GAPS, Reading, Table, arrow

DELIMITERS = ",;\t|"
MARK = b"\xef\xbb\xbf"  # which some editors begin with


def csv_tables(raw: Any, how: Reading) -> Iterator[Table]:
    arrow()
    lines = Lines(raw, how.rows, how.wait)
    line = lines.first().removeprefix(MARK)
    if not line:
        return
    text = line.decode().rstrip("\r\n")
    delimiter = how.delimiter or max(DELIMITERS, key=text.count)
    fields = next(csv.reader([text], delimiter=delimiter), [""])
    if how.header and not _goes_on(fields, how):
        names = fields
        lines.drop_first()
    else:
        names = how.names or [str(i) for i in range(len(fields))]
    if how.place is not None:
        _go_on(lines, how.place)
    parse, number = _Parser(names, _kinds(names, how), delimiter), how.row
    for piece in lines.pieces():
        yield _csv_table(parse, piece.removeprefix(MARK), number, lines, how)
        number += parse.n_rows


def _kinds(names: list[str], how: Reading) -> dict[str, str]:
    """Of the columns that are wanted."""
    carried = {name: "string" for name in how.carried if name in names}
    return dict.fromkeys(how.learned(names), "double") | carried


def _goes_on(fields: list[str], how: Reading) -> bool:
    """Is the first line of a file that follows another one no header, but numbers?"""
    if how.names is None or fields == how.names or len(fields) != len(how.names):
        return False
    of = dict(zip(how.names, fields, strict=True))
    return all(_is_number(of[name]) for name in how.learned(how.names))


def _is_number(field: str) -> bool:
    try:
        float(field)
    except ValueError:
        return field in GAPS
    return True


def _go_on(lines: Lines, place: dict[str, Any]) -> None:
    if not lines.skip(place):
        raise ValueError(
            f"it is not the text that was read before, up to line {place['line']}: a file must "
            "still begin with it, and a pipe must begin again at its first row."
        )


class _Parser:
    """From text to columns; `n_rows` and `ragged` are of the last one, rows with too many or too
    few fields counted."""

    def __init__(self, names: list[str], kinds: dict[str, str], delimiter: str) -> None:
        from pyarrow import csv as reader

        self.names, self.n_rows, self.ragged = names, 0, dict[int, str]()
        self._of, self._numbers = reader, [str(i) for i in range(len(names))]
        self._kinds = {str(names.index(name)): kind for name, kind in kinds.items()}
        self._parse = reader.ParseOptions(
            delimiter=delimiter, invalid_row_handler=self._noted, ignore_empty_lines=True
        )

    def __call__(self, piece: bytes) -> Any:
        pa = arrow()
        if not piece.strip():
            self.n_rows, self.ragged = 0, {}
            return None
        try:
            found = self._read(piece, self._kinds)
        except pa.ArrowInvalid:  # a word among the numbers: text then, so that it can be shown
            found = self._read(piece, dict.fromkeys(self._kinds, "string"))
        self.n_rows = found.num_rows + len(self.ragged)
        return found

    def _read(self, piece: bytes, kinds: dict[str, str]) -> Any:
        self.ragged = {}
        columns = {"column_types": kinds, "include_columns": list(kinds)}
        return self._of.read_csv(
            arrow().py_buffer(piece),
            self._of.ReadOptions(
                use_threads=False, column_names=self._numbers, block_size=len(piece) + 1
            ),
            self._parse,
            self._of.ConvertOptions(**columns, null_values=list(GAPS), check_utf8=True),
        )

    def _noted(self, row: Any) -> str:
        what = f"{row.actual_columns} fields, not {row.expected_columns}"
        self.ragged[row.number - 1] = what
        return "skip"


def _csv_table(parse: _Parser, piece: bytes, number: int, lines: Lines, how: Reading) -> Table:
    found = parse(piece)
    rows = np.arange(parse.n_rows)
    line = rows if lines.n == parse.n_rows else _lines_of_rows(piece, parse.n_rows)
    line = line + (lines.line - lines.n + 1)
    for i, what in parse.ragged.items():
        if how.bad is None:
            raise ValueError(f"line {line[i]}: {what}.")
        how.bad(number + i, int(line[i]), what)
    if parse.ragged:
        rows = np.delete(rows, list(parse.ragged))

    def column(name: str) -> Any:
        return found.column(str(parse.names.index(name)))  # two may have one name

    place = {**lines.place(), "names": parse.names}
    return Table(parse.names, how.header, column, number + rows, line[rows], place)


def _lines_of_rows(piece: bytes, n: int) -> Index:
    """Empty lines are none."""
    found = [i for i, line in enumerate(piece.split(b"\n")) if line.strip(b"\r")]
    return np.array(found) if len(found) == n else np.arange(n)


def ndjson_tables(raw: Any, how: Reading) -> Iterator[Table]:
    lines = Lines(raw, how.rows, how.wait)
    if how.place is not None:
        _go_on(lines, how.place)
    number, names = how.row, list(how.names or ())
    for piece in lines.pieces():
        texts = piece.removesuffix(b"\n").split(b"\n")
        first = lines.line - len(texts) + 1
        rows: list[dict[str, Any]] = []
        used: list[int] = []
        for i, text in enumerate(texts):
            row = _json_row(text, number + i, first + i, how)
            if row is not None:
                rows.append(row)
                used.append(i)
        at = np.array(used, dtype=np.intp)
        names = list(dict.fromkeys([*names, *(name for row in rows for name in row)]))
        place = {**lines.place(), "names": names}
        yield Table(names, True, _json_column(rows), number + at, first + at, place)
        number += len(texts)


def _json_row(text: bytes, number: int, line: int, how: Reading) -> dict[str, Any] | None:
    if not text.strip():
        return None
    try:
        row = json.loads(text)
        if not isinstance(row, dict):
            raise ValueError("no object")
    except ValueError as error:
        if how.bad is None:
            raise ValueError(f"line {line}: {error}.") from None
        how.bad(number, line, str(error))
        return None
    return row


def _json_column(rows: list[dict[str, Any]]) -> Callable[[str], Any]:
    return lambda name: np.array([row.get(name) for row in rows], dtype=object)


TEXT: dict[str, Callable[[Any, Reading], Iterator[Table]]] = {
    "csv": csv_tables,
    "ndjson": ndjson_tables,
}
