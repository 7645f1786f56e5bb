"""A graph is computed; if that fails, which partition is to blame?

What fails while a partition is learned knows its name. But rows come from tasks of others, a reader
of files or a chain of operations, and when one of these fails, Dask tells the error, not whose it
is. So the partitions are touched once more, each for itself: the first that fails is named.
"""

from __future__ import annotations

import sys
from contextlib import nullcontext
from typing import Any

import dask
from dask import is_dask_collection

from okpca.dask.errors import PartitionError, told
from okpca.dask.graph import fused
from okpca.dask.learning import touched
from okpca.dask.partitions import File, Partition

LARGE_GRAPH = "distributed.admin.large-graph-warning-threshold"


def computed(task: Any, parts: list[Partition], keys: dict[Any, Partition], scheduler: Any) -> Any:
    """The result of a task; an error names one of the partitions it depends on. `keys` are those
    of the tasks that learn them."""
    try:
        with _large_graphs(_client(scheduler)):
            return dask.compute(task, scheduler=scheduler)[0]
    except PartitionError:
        raise
    except Exception as error:
        blamed = _killer(error, parts, keys) or _unreadable(parts, scheduler)
        if blamed is None:
            raise
        part, cause = blamed
        raise PartitionError(part.name, told(cause)) from error


def _large_graphs(client: Any) -> Any:
    """A dictionary may be more than what a client takes for a graph by mistake."""
    return nullcontext() if client is None else dask.config.set({LARGE_GRAPH: "1GB"})


def _killer(
    error: Any, parts: list[Partition], keys: dict[Any, Partition]
) -> tuple[Partition, Any] | None:
    """The partition whose task ended one worker after another, which must not happen again."""
    key = getattr(error, "task", None)
    if key is None:
        return None
    if key in keys:
        return keys[key], error
    found = (part for part in parts if is_dask_collection(part.rows))
    return next(((part, error) for part in found if key in part.rows.__dask_graph__()), None)


def _unreadable(parts: list[Partition], scheduler: Any) -> tuple[Partition, Any] | None:
    lazy = [part for part in parts if not isinstance(part.rows, File)]
    client = _client(scheduler)
    touches = fused([dask.delayed(touched)(part.rows) for part in lazy]) if lazy else []
    if client is not None:
        futures = client.compute(touches)
        errors = (future.exception() for future in futures)
    else:
        errors = (_error(touch, scheduler) for touch in touches)
    return next((found for found in zip(lazy, errors, strict=True) if found[1] is not None), None)


def _error(touch: Any, scheduler: Any) -> Exception | None:
    try:
        dask.compute(touch, scheduler=scheduler)
    except Exception as error:
        return error
    return None


def _client(scheduler: Any) -> Any:
    """That of dask.distributed, if that is what computes."""
    if scheduler is not None:
        return scheduler if hasattr(scheduler, "compute") else None
    if "distributed" not in sys.modules:  # which a client comes from
        return None
    from distributed import default_client

    try:
        return default_client()
    except ValueError:
        return None
