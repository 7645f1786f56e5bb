"""Rows of results: CSV or NDJSON on stdout, or a file that is there whole or not at all."""

from __future__ import annotations

import csv
import json
import math
import os
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from okpca.cli.checkpoints import writable
from okpca.cli.exits import DATA, SIGNALLED, USAGE, Refused, told

STDOUT = "-"
KINDS = {".csv": "csv", ".ndjson": "ndjson", ".jsonl": "ndjson", ".parquet": "parquet",
         ".npy": "npy"}  # fmt: skip

CARRIED = ("row", "id", "time")
Part = dict[str, Any]
"""Columns of some rows by name: arrays of one length."""


def kind_of(output: str, as_json: bool) -> str:
    if output == STDOUT:
        return "ndjson" if as_json else "csv"
    kind = KINDS.get(os.path.splitext(output)[1].lower())
    if kind is None:
        raise Refused(USAGE, f"{output}: it can be {', '.join(KINDS)}, or - for stdout.")
    writable(output)
    return kind


def write(output: str, as_json: bool, parts: Iterable[Part]) -> None:
    kind = kind_of(output, as_json)
    if output == STDOUT:
        try:
            _texts(kind, sys.stdout, parts)
        except KeyboardInterrupt:
            text = "stopped: stdout has the first rows alone, and may end within one."
            raise Refused(SIGNALLED + 2, text) from None
        sys.stdout.flush()
        return
    with replaced(output) as beside:
        _written(kind, beside, parts)


@contextmanager
def replaced(output: str) -> Iterator[str]:
    """A path to write to: what is there in the end takes the output's place, at once."""
    from okpca.io import atomic_write

    try:
        with atomic_write.replaced(output, keep=False) as beside:
            yield str(beside)
    except OSError as error:
        raise Refused(USAGE, told(error)) from error


def _written(kind: str, path: str, parts: Iterable[Part]) -> None:
    if kind == "parquet":
        _parquet(path, parts)
    elif kind == "npy":
        _npy(path, parts)
    else:
        with open(path, "w", encoding="utf-8", newline="") as file:
            _texts(kind, file, parts)


def _texts(kind: str, file: Any, parts: Iterable[Part]) -> None:
    lines = csv.writer(file, lineterminator="\n")
    for n, part in enumerate(parts):
        if kind == "csv" and n == 0:
            lines.writerow(part)
        if kind == "csv":  # which has no true and false
            part = {name: of * 1 if _is_flag(name, of) else of for name, of in part.items()}
        rows = zip(*map(plain, part.values()), strict=True)
        if kind == "csv":
            lines.writerows(rows)
        else:
            for row in rows:
                file.write(dumped(dict(zip(part, row, strict=True))) + "\n")
        file.flush()  # whoever reads may wait for them


def _is_flag(name: str, values: Any) -> bool:
    return name not in CARRIED and values.dtype == bool


def dumped(value: Any) -> str:
    """JSON, which has no NaN and no infinity; times as text."""
    return json.dumps(_finite(value), default=str, allow_nan=False)


def _finite(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _finite(of) for name, of in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(of) for of in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def plain(values: Any) -> list[Any]:
    """Python's numbers; none for NaN. Python's times have no nanoseconds: those are text."""
    if getattr(values, "dtype", None) == "datetime64[ns]":
        texts = values.astype(str).tolist()
        return [None if text == "NaT" else text.replace("T", " ") for text in texts]
    return [None if one != one else one for one in getattr(values, "tolist", lambda: values)()]


def _parquet(path: str, parts: Iterable[Part]) -> None:
    """Columns are of the kind that the first part has; nothing but gaps may be text."""
    import pyarrow as pa
    from pyarrow.parquet import ParquetWriter

    writer = None
    try:
        for part in parts:
            found = {name: pa.array(of) for name, of in part.items()}
            if writer is None:
                kinds = {name: of.type for name, of in found.items()}
                kinds = {name: pa.string() if of == pa.null() else of for name, of in kinds.items()}
                writer = ParquetWriter(path, pa.schema(kinds))
            writer.write_table(pa.table({name: of.cast(kinds[name]) for name, of in found.items()}))
    except pa.ArrowException as error:
        raise Refused(DATA, f"a column has values of several kinds, {error}: write .csv.") from None
    finally:
        if writer is not None:
            writer.close()


def _npy(path: str, parts: Iterable[Part]) -> None:
    """The results alone, without number, id and time. The header, which says how many rows there
    are and has room for any number, is written again at the end."""
    import numpy as np

    n = width = 0
    with open(path, "wb") as file:
        for part in parts:
            columns = [of for name, of in part.items() if name not in CARRIED]
            rows = np.column_stack(columns).astype("<f8")
            if n == 0:
                width = rows.shape[1]
                _npy_header(file, 0, width)
            file.write(rows.tobytes())
            n += len(rows)
        file.seek(0)
        _npy_header(file, n, width)


def _npy_header(file: Any, n: int, width: int) -> None:
    from numpy.lib import format

    shape = {"descr": "<f8", "fortran_order": False, "shape": (n, width)}
    format.write_array_header_1_0(file, shape)
