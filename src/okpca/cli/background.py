"""What rows must not wait for: the disk, and Python's search for what nobody needs any more."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Thread


class BackgroundWork:
    """Work that is done beside the rows', one piece at a time. What goes wrong in it is raised when
    it is waited for."""

    def __init__(self) -> None:
        self._thread: Thread | None = None
        self._error: BaseException | None = None

    def begin(self, work: Callable[[], None]) -> None:
        """When the one before is done."""
        self.settle()
        self._thread = Thread(target=self._done, args=(work,))
        self._thread.start()

    def settle(self) -> None:
        """Wait for its end."""
        if self._thread is not None:
            self._thread.join()
            self._thread = None
        if self._error is not None:
            error, self._error = self._error, None
            raise error

    def _done(self, work: Callable[[], None]) -> None:
        try:
            work()
        except BaseException as error:
            self._error = error


@contextmanager
def unhurried() -> Iterator[Callable[[], None]]:
    """All that is there now is there to stay, and is not searched: that takes a tenth of a second
    with all that is loaded. Called again, the same of what has come since."""
    gc.collect()
    gc.freeze()
    try:
        yield gc.freeze
    finally:
        gc.unfreeze()
