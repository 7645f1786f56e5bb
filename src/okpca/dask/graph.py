"""Who reads rows learns them: what only one partition needs becomes part of its task.

Between two tasks Dask may well send what the first one made to another worker that has nothing to
do. Rows are read, prepared and learned in one task, so they stay where they are.
"""

from __future__ import annotations

from collections import defaultdict
from typing import Any

from dask.delayed import Delayed
from dask.highlevelgraph import HighLevelGraph
from dask.utils import ensure_dict


def fused(tasks: list[Delayed]) -> list[Delayed]:
    """The same tasks, each with those before it that no other task needs."""
    graph = ensure_dict(HighLevelGraph.merge(*(task.__dask_graph__() for task in tasks)))
    needed_by: dict[Any, set[Any]] = defaultdict(set)
    for key, node in graph.items():
        for before in getattr(node, "dependencies", ()):
            needed_by[before].add(key)
    for task in tasks:
        needed_by[task.key].add("the caller")
    for task in tasks:
        own = _only_for(task.key, graph, needed_by)
        if len(own) > 1:
            graph[task.key] = graph[task.key].fuse(*(graph[key] for key in own), key=task.key)
            for key in own - {task.key}:
                del graph[key]
    return [Delayed(task.key, graph) for task in tasks]


def _only_for(key: Any, graph: dict[Any, Any], needed_by: dict[Any, set[Any]]) -> set[Any]:
    """The keys that only this one needs, itself among them."""
    own, ahead = {key}, [key]
    while ahead:
        for before in graph[ahead.pop()].dependencies:
            # Futures are nobody's to run again, and tasks of before 2025 cannot be joined.
            known = before in graph and hasattr(graph[before], "fuse")
            if known and before not in own and needed_by[before] <= own:
                own.add(before)
                ahead.append(before)
    return own
