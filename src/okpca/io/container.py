"""The outside of a model file: a head that says how long it is and what it must hash to, a header
of JSON, and arrays as safetensors has them. Nothing in it is executed.

     0   8  the magic bytes
     8   8  length of the header     little-endian
    16   8  length of the arrays
    24  32  SHA-256 of all other bytes
    56      header, then arrays; nothing after them

Lengths are compared with the file's own before anything is read, and the digest before anything is
parsed: bytes that were changed by accident are never looked at.
"""

from __future__ import annotations

import hashlib
import json
import os
import stat
import struct
from typing import Any

import numpy as np
from numpy.typing import NDArray

from okpca._core.errors import ModelFileError

MAGIC = b"\x89okpca\r\n"  # a transfer as text would change its ends of line, and show
HEAD = struct.Struct("<8sQQ32s")
LONGEST_HEADER = 2**20
"""Or `PER_ARRAYS` times as long as the arrays: what is long is an array, but a classifier has a
part for each class. A megabyte of hostile JSON becomes some thirty of Python's objects."""
PER_ARRAYS = 16

MOST_EMPTY = 2**16  # rows of no columns cost nothing in a file, and much afterwards

Arrays = dict[str, NDArray[Any]]


def packed(header: dict[str, Any], arrays: Arrays) -> list[bytes]:
    """The file, in pieces."""
    from safetensors.numpy import save

    text = json.dumps(header, allow_nan=False, separators=(",", ":")).encode("ascii")
    payload = save(arrays)
    most = max(LONGEST_HEADER, PER_ARRAYS * len(payload))
    if len(text) > most:
        raise ValueError(
            f"the header of a model file may have {most} bytes, this one has {len(text)}:"
            " parameters that are long lists should be arrays."
        )
    return [signed_head(text, payload), text, payload]


def signed_head(text: bytes, payload: bytes) -> bytes:
    """What a file of these begins with, its checksum included."""
    digest = _digest(len(text), len(payload), text, payload)
    return HEAD.pack(MAGIC, len(text), len(payload), digest)


def _digest(n_header: int, n_arrays: int, *parts: bytes) -> bytes:
    whole = hashlib.sha256(MAGIC + struct.pack("<QQ", n_header, n_arrays))
    for part in parts:
        whole.update(part)
    return whole.digest()


def unpacked(path: Any) -> tuple[dict[str, Any], Arrays]:
    """Header and arrays of a file that is whole."""
    text, payload = _checked_bytes(path)
    header = _parsed(path, text)
    return header, _arrays(path, payload)


def content(path: Any) -> str:
    """A digest of the model in a file, whatever position it was saved with and by whom."""
    text, payload = _checked_bytes(path)
    told = _parsed(path, text)
    model = json.dumps([told.get("class"), told.get("objects")], sort_keys=True).encode()
    return _digest(len(model), len(payload), model, payload).hex()


def _checked_bytes(path: Any) -> tuple[bytes, bytes]:
    try:
        if not stat.S_ISREG(os.stat(path).st_mode):  # a pipe would wait for ever
            raise ModelFileError(path, "is no file")
        with open(path, "rb") as file:
            size = os.fstat(file.fileno()).st_size
            n_header, n_arrays, digest = _lengths(path, file.read(HEAD.size), size)
            text, payload = file.read(n_header), file.read(n_arrays)
    except OSError as error:
        raise ModelFileError(path, f"cannot be read: {error.strerror or error}") from error
    if _digest(n_header, n_arrays, text, payload) != digest:
        raise ModelFileError(path, "the checksum is wrong: the file was changed or damaged")
    return text, payload


def _lengths(path: Any, head: bytes, size: int) -> tuple[int, int, bytes]:
    if len(head) < HEAD.size:
        raise ModelFileError(path, f"is no model file: it has {size} bytes, fewer than its head")
    magic, n_header, n_arrays, digest = HEAD.unpack(head)
    if magic != MAGIC:
        raise ModelFileError(path, "is no model file: it begins with other bytes")
    if HEAD.size + n_header + n_arrays != size:
        told = HEAD.size + n_header + n_arrays
        raise ModelFileError(path, f"should have {told} bytes and has {size}: it is cut or damaged")
    if n_header > max(LONGEST_HEADER, PER_ARRAYS * n_arrays):
        raise ModelFileError(path, f"a header of {n_header} bytes is too long")
    return n_header, n_arrays, digest


def _parsed(path: Any, text: bytes) -> dict[str, Any]:
    try:
        header = json.loads(text, parse_constant=_refuse, object_pairs_hook=_once_each)
    except (ValueError, RecursionError) as error:
        raise ModelFileError(path, f"the header cannot be read: {error}") from None
    if not isinstance(header, dict):
        raise ModelFileError(path, "the header is no object")
    return header


def _refuse(word: str) -> Any:
    raise ValueError(f"{word} is no JSON")


def _once_each(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a name comes twice")
    return found


def _arrays(path: Any, payload: bytes) -> Arrays:
    from safetensors import SafetensorError
    from safetensors.numpy import load

    try:
        arrays = load(payload)
    except (SafetensorError, KeyError, TypeError, ValueError) as error:
        raise ModelFileError(path, f"the arrays cannot be read: {error}") from None
    for name, of in arrays.items():
        if of.size == 0 and max(of.shape[:-1], default=0) > MOST_EMPTY:
            raise ModelFileError(path, f"{name} is empty, and {of.shape} all the same")
    return {name: of if of.flags.writeable else np.array(of) for name, of in arrays.items()}
