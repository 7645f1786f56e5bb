"""Which files a source means, and what is in them."""

from __future__ import annotations

import glob
import io
import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from okpca._core.choices import FORMATS, KINDS
from okpca.io.sources.tables import arrow

STDIN = "-"
PACKED = (".gz", ".zst", ".bz2", ".lz4")
BUFFER = 2**16


def files_of(source: Any) -> list[str]:
    """A file, a folder (its files of a known kind; of .txt nobody knows what is in it), a pattern,
    "-", or several of these; in order of their names, but for those that are listed."""
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
    if given is not None:
        if given not in KINDS:
            raise ValueError(f"format must be one of {KINDS}, got {given!r}.")
        return given
    if file == STDIN:
        return "csv"
    plain = Path(file)
    if is_packed(file):
        plain = plain.with_suffix("")
    found = FORMATS.get(plain.suffix.lower())
    if found is None:
        raise ValueError(f"{file}: what is in it? The end of its name does not say: give format=.")
    return found


@contextmanager
def opened(file: str) -> Iterator[Any]:
    """Bytes of a file, unpacked, that can be looked at before they are read."""
    if file == STDIN:
        yield sys.stdin.buffer  # which is not ours to close
        return
    if not is_packed(file):
        with open(file, "rb", BUFFER) as raw:
            yield raw
        return
    with io.BufferedReader(arrow().input_stream(file, compression="detect"), BUFFER) as raw:
        yield raw


def is_packed(file: str) -> bool:
    return Path(file).suffix.lower() in PACKED


def is_plain(file: str) -> bool:
    """Do its bytes lie on a disk as they are, and not in a pipe or packed?"""
    return os.path.isfile(file) and not is_packed(file)


def endless(files: Sequence[str]) -> bool:
    """May rows still come, so that nobody should wait until a block is full?"""
    return any(file == STDIN or not os.path.isfile(file) for file in files)


def _is_ours(path: Path) -> bool:
    shown = not any(part.startswith((".", "_")) for part in path.parts[-1:])
    plain = path.with_suffix("") if is_packed(path.name) else path
    known = FORMATS.keys() - {".txt"}
    return shown and path.is_file() and plain.suffix.lower() in known
