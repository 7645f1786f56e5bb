"""A file that is there whole or not at all, whatever stops the process or the machine.

Written beside its place, brought to the disk, moved into place in one step, and the folder brought
to the disk too. The file that was there before is kept as `previous(path)`; at no moment is there
none.
"""

from __future__ import annotations

import os
import socket
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any


def previous(path: Any) -> Path:
    """Where the generation before is kept: beside the file itself, not beside a link to it."""
    return Path(f"{os.path.realpath(path)}~")


def write(path: Any, parts: Iterable[bytes]) -> None:
    with replaced(path, keep=True) as beside, open(beside, "xb") as file:
        for part in parts:
            file.write(part)


@contextmanager
def replaced(path: Any, *, keep: bool) -> Iterator[Path]:
    """A file to be written, which takes the place of the other once it is whole. Whether that is
    kept is for `keep` to say."""
    place = Path(os.path.realpath(path))  # a link stays a link
    if not place.parent.is_dir():
        raise FileNotFoundError(2, "there is no such folder", str(place.parent))
    if place.exists() and not place.is_file():  # which would be moved out of the way
        raise FileExistsError(17, "is there and is no file", str(place))
    beside = _beside(place, threading.current_thread().ident)
    _remove_left_over(place)
    try:
        yield beside
        with open(beside, "rb") as file:
            os.fsync(file.fileno())
        if keep:
            _keep(place)
        os.replace(beside, place)
    finally:
        with suppress(OSError):
            beside.unlink(missing_ok=True)
    _sync_folder(place.parent)


def _beside(place: Path, number: object) -> Path:
    return place.with_name(f".{place.name}.{socket.gethostname()}.{os.getpid()}.{number}.part")


def _keep(place: Path) -> None:
    """Under its second name too, before its first one goes to the new file."""
    if not place.exists():
        return
    second = _beside(place, "old")
    try:
        second.unlink(missing_ok=True)
        os.link(place, second)
        os.replace(second, previous(place))
        second.unlink(missing_ok=True)  # a move between two names of one file does nothing
    except OSError:  # no such links in this file system
        os.replace(place, previous(place))


def _remove_left_over(place: Path) -> None:
    """Of processes of this machine that were killed while they wrote."""
    if os.name != "posix":
        return
    start = f".{place.name}.{socket.gethostname()}."
    with suppress(OSError):
        for name in os.listdir(place.parent):
            if name.startswith(start) and name.endswith(".part"):
                process, thread = name[len(start) :].split(".")[:2]
                if process.isdecimal() and not _writes(int(process), thread):
                    (place.parent / name).unlink(missing_ok=True)


def _writes(process: int, thread: str) -> bool:
    """May this thread of this process still be at it? One of our own number may be of a process
    long gone: in a container all are number one."""
    if process == os.getpid():
        others = {str(t.ident) for t in threading.enumerate()} - {str(threading.get_ident())}
        return thread in others or (thread == "old" and bool(others))
    return _lives(process)


def _lives(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except (OSError, OverflowError):
        return True
    return True


def _sync_folder(folder: Path) -> None:
    if os.name != "posix":  # elsewhere a folder cannot be opened
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
