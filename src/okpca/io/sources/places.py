"""Which files a source means, and what is in them."""

from __future__ import annotations

import glob
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

STDIN = "-"
FORMATS = {
    ".csv": "csv",
    ".tsv": "csv",
    ".txt": "csv",
    ".parquet": "parquet",
    ".pq": "parquet",
    ".arrow": "arrow",
    ".feather": "arrow",
    ".arrows": "arrow",
    ".ndjson": "ndjson",
    ".jsonl": "ndjson",
    ".npy": "npy",
    ".npz": "npz",
}
PACKED = (".gz", ".zst", ".bz2", ".lz4")


def files_of(source: Any) -> list[str]:
    """A file, a folder (its files of a known kind), a pattern, "-", or several of these; in order
    of their names, but for those that are listed."""
    if isinstance(source, Sequence) and not isinstance(source, str | bytes):
        return [file for one in source for file in files_of(one)]
    name = os.fspath(source)
    if name == STDIN or os.path.isfile(name):
        return [name]
    if os.path.isdir(name):
        found = sorted(str(path) for path in Path(name).rglob("*") if _is_ours(path))
    else:
        found = sorted(path for path in glob.glob(name, recursive=True) if os.path.isfile(path))
    if not found:
        if os.path.exists(name) and not os.path.isdir(name):
            return [name]  # a pipe with a name
        raise FileNotFoundError(2, "there is no such file, nor a folder or pattern of some", name)
    return found


def format_of(file: str, given: str | None) -> str:
    """By the end of its name, that of a packing left out."""
    known = sorted(set(FORMATS.values()))
    if given is not None:
        if given not in known:
            raise ValueError(f"format must be one of {known}, got {given!r}.")
        return given
    if file == STDIN:
        return "csv"
    plain = Path(file)
    if plain.suffix.lower() in PACKED:
        plain = plain.with_suffix("")
    found = FORMATS.get(plain.suffix.lower())
    if found is None:
        raise ValueError(f"{file}: what is in it? The end of its name does not say: give format=.")
    return found


def _is_ours(path: Path) -> bool:
    shown = not any(part.startswith((".", "_")) for part in path.parts[-1:])
    plain = path.with_suffix("") if path.suffix.lower() in PACKED else path
    return shown and path.is_file() and plain.suffix.lower() in FORMATS
