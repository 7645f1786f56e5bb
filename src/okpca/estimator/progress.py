"""A bar on stderr that says how far a fit is. It changes nothing of what is learned: it is told
after the blocks that there are anyway, and does not cut the rows."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from time import monotonic
from typing import Any, TypeAlias

from okpca.estimator.attributes import kept_by
from okpca.estimator.fitted import Fitted

Piece: TypeAlias = tuple[int, int, bool]
Along: TypeAlias = Callable[[Iterable[Piece], int], Iterable[Piece]]
"""Pieces of so many rows as they are learned, one after the other."""

LOOKS_APART = 1.0
"""Seconds between two looks at the components for a progress bar: an eigenproblem of 500 atoms
takes a twentieth of that."""


@contextmanager
def progress_bar(estimator: Fitted, progress: bool) -> Iterator[Along]:
    """A way to go along pieces of rows that tells the user, if asked to."""
    if not progress:
        yield lambda pieces, n_rows: pieces
        return
    with _bar() as bar:

        def along(pieces: Iterable[Piece], n_rows: int) -> Iterator[Piece]:
            bar.total = (bar.total or 0) + n_rows  # more with every epoch
            told = monotonic()
            for start, stop, tell in pieces:
                yield start, stop, tell
                if monotonic() - told >= LOOKS_APART or stop == n_rows:
                    told = monotonic()
                    bar.set_postfix(_state(estimator), refresh=False)
                bar.update(stop - start)

        yield along


def _bar() -> Any:
    try:
        from tqdm import tqdm
    except ImportError:
        raise ImportError(
            "progress=True needs tqdm: pip install 'okpca[progress]'. A callback (okpca.Trace) "
            "tells as much without it."
        ) from None
    return tqdm(unit="row", unit_scale=True, file=sys.stderr)


def _state(estimator: Any) -> dict[str, Any]:
    model = kept_by(estimator)
    if model.held is not None or not model.n_rows:
        return {"warm-up": model.n_rows}
    explained = 100 * float(estimator.explained_variance_ratio_.sum())
    return {"atoms": model.basis.m, "explained": f"{explained:.1f} %"}
