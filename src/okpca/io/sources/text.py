"""CSV and NDJSON as tables: lines, a piece at a time, each turned into numbers at once."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from okpca._core.typing import Index
from okpca.io.sources.csv_parser import Parser
from okpca.io.sources.lines import Lines
from okpca.io.sources.tables import Reading, Table, arrow, as_number, bad_line, objects

DELIMITERS = ",;\t|"
QUOTED = re.compile('"[^"]*"')
WITH_COMMA = re.compile(r"(?<![^;\t|])[-+]?\d+,\d+([eE][-+]?\d+)?(?![^;\t|])")
"""A number with a decimal comma that is all there is between two delimiters of another kind."""
MARK = b"\xef\xbb\xbf"  # which some editors begin with


def csv_tables(raw: Any, how: Reading) -> Iterator[Table]:
    arrow()
    lines = Lines(raw, how.rows, how.wait)
    line = lines.first().removeprefix(MARK)
    while line and not line.strip(b"\r\n"):
        lines.drop_first()
        line = lines.first()
    if not line:
        return
    delimiter, fields = _fields(line, how, lines.line + 1)
    if how.header and not _goes_on(fields, how):
        names = fields
        lines.drop_first()
    else:
        names = how.names or [str(i) for i in range(len(fields))]
    if how.place is not None:
        _go_on(lines, how.place)
    parse, row = Parser(names, _kinds(names, how), delimiter, how.decimal), how.row
    for piece in lines.pieces():
        yield _csv_table(parse, piece.removeprefix(MARK), row, lines, how)
        row += parse.n_rows


def _fields(line: bytes, how: Reading, number: int) -> tuple[str, list[str]]:
    """Of the first line, and what parts them: the likeliest, by what is not within quotes."""
    try:
        text = line.decode().rstrip("\r\n")
        if "\r" in text:
            raise ValueError("lines end with \\r alone; turn them into \\n")
        bare = WITH_COMMA.sub("", QUOTED.sub("", text))
        likely = DELIMITERS.replace(how.decimal, "")
        delimiter = how.delimiter or max(likely, key=bare.count)
        _refuse_open_quote(text, delimiter)
        return delimiter, next(csv.reader([text], delimiter=delimiter))
    except UnicodeDecodeError as error:
        raise ValueError(f"line {number}: no UTF-8, {error.reason}; save it as UTF-8.") from None
    except (csv.Error, ValueError) as error:
        raise ValueError(f"line {number}: {error}.") from None


def _refuse_open_quote(text: str, delimiter: str) -> None:
    try:
        next(csv.reader([text], delimiter=delimiter, strict=True))
    except csv.Error as error:
        if str(error) == "unexpected end of data":
            raise ValueError("a quote is open at its end; names have no line breaks") from None


def _kinds(names: list[str], how: Reading) -> dict[str, str]:
    """Of the columns that are wanted."""
    carried = {name: "string" for name in how.carried if name in names}
    return dict.fromkeys(how.learned(names), "double") | carried


def _goes_on(fields: list[str], how: Reading) -> bool:
    """Is the first line of a file that follows another one no header, but numbers?"""
    if how.names is None or fields == how.names or len(fields) != len(how.names):
        return False
    of = dict(zip(how.names, fields, strict=True))
    return all(as_number(of[name], how.decimal) is not None for name in how.learned(how.names))


def _go_on(lines: Lines, place: dict[str, Any]) -> None:
    if not lines.skip(place):
        raise ValueError(
            f"it is not the text that was read before, up to line {place['line']}: a file must "
            "still begin with it, and a pipe must begin again at its first row."
        )


def _csv_table(parse: Parser, piece: bytes, first: int, lines: Lines, how: Reading) -> Table:
    found = parse(piece, lines.n)
    rows = np.arange(parse.n_rows)
    line = rows if lines.n == parse.n_rows else _lines_of_rows(piece, parse.n_rows)
    line = line + (lines.line - lines.n + 1)
    for i, what in parse.ragged.items():
        bad_line(how, first + i, int(line[i]), what)
    if parse.ragged:
        rows = np.delete(rows, list(parse.ragged))

    def column(name: str) -> Any:
        return found.by_number[parse.at[name]]

    stop, where = first + parse.n_rows, (line[rows], lines.place())
    return Table(parse.names, how.header, column, first + rows, stop, *where, how.decimal)


def _lines_of_rows(piece: bytes, n: int) -> Index:
    """Empty lines are none."""
    found = [i for i, line in enumerate(piece.split(b"\n")) if line.strip(b"\r")]
    return np.array(found) if len(found) == n else np.arange(n)


def ndjson_tables(raw: Any, how: Reading) -> Iterator[Table]:
    """Names are those of the first row that has any."""
    lines = Lines(raw, how.rows, how.wait)
    if how.place is not None:
        _go_on(lines, how.place)
    number, names = how.row, list(how.names or ())
    for piece in lines.pieces():
        texts = piece.removesuffix(b"\n").split(b"\n")
        first = lines.line - len(texts) + 1
        rows: list[dict[str, Any]] = []
        numbers: list[int] = []
        at: list[int] = []
        for line, text in enumerate(texts, first):
            if not text.strip():
                continue
            row = _json_row(text, number, line, how)
            if not names and row == {}:  # nor can it be told what it lacks
                bad_line(how, number, line, "nothing in it")
            elif row is not None:
                names = names or list(row)
                rows.append(row)
                numbers.append(number)
                at.append(line)
            number += 1
        known = set(names)
        others = tuple(dict.fromkeys(name for row in rows for name in row if name not in known))
        where = (np.array(at, dtype=np.intp), lines.place())
        free: dict[str, Any] = {"free": True, "others": others}
        found = np.array(numbers, dtype=np.intp)
        yield Table(names, True, _json_column(rows), found, number, *where, **free)


def _json_row(text: bytes, number: int, line: int, how: Reading) -> dict[str, Any] | None:
    try:
        row = json.loads(text)
        what = "" if isinstance(row, dict) else "no object of JSON"
    except json.JSONDecodeError as error:
        what = f"{error.msg}, character {error.pos + 1}"
    except (ValueError, RecursionError) as error:  # bytes, digits or depths that it cannot take
        what = str(error)
    if what:
        bad_line(how, number, line, what)
    return None if what else row


def _json_column(rows: list[dict[str, Any]]) -> Callable[[str], Any]:
    return lambda name: objects(row.get(name) for row in rows)


TEXT: dict[str, Callable[[Any, Reading], Iterator[Table]]] = {
    "csv": csv_tables,
    "ndjson": ndjson_tables,
}
