"""`fit`: the graph of learning and merging, run by whichever scheduler there is."""

from __future__ import annotations

import math
import warnings
from dataclasses import replace
from itertools import pairwise
from typing import Any, TypeVar
from uuid import uuid4

import cloudpickle  # type: ignore[import-untyped]
import dask
import numpy as np
from sklearn.base import clone

from okpca import budget, dictionary
from okpca.dask.failed_partition import computed
from okpca.dask.graph import fused
from okpca.dask.learning import Part, learned, merged, settled
from okpca.dask.partitions import Partition, partitions_of
from okpca.dask.refusing import refuse_unfit
from okpca.detection import KernelNoveltyDetector
from okpca.detection.fitted import unsaid
from okpca.detection.learning import resumed
from okpca.detection.plan import estimator_of
from okpca.estimator import keeping, kept_by, make_kernel
from okpca.estimator.user_warnings import announce
from okpca.model import at_end_of_fit, relearned, under_budget

M = TypeVar("M")
SENT = 256e6
"""Bytes of models that a scheduler is given to hand out with the first task of every stream."""


def fit(
    model: M, X: Any, *, passes: int = 1, streams: int | None = None, scheduler: Any = None
) -> M:
    """A model of all rows of X, learned by the workers of Dask.

    Every partition is learned where it is, as a stream of its own, on one BLAS thread. The models
    are merged two by two, neighbours first: what comes out depends on the partitions and their
    order, and on nothing else. Rows are learned by the task that reads them, and do not travel.

    Parameters
    ----------
    model : OnlineKernelPCA or KernelNoveltyDetector
        Its parameters are taken; it stays as it is. It needs a rule that keeps moments
        (``rule="exact"``), and ``forgetting=1``.
    X : dask array, dask data frame, list of delayed blocks, files
        Blocks are whatever the model learns from: arrays, CSR, data frames. Files are given by
        name, by pattern, or by :func:`okpca.dask.files`; each is a partition.
    passes : {1, 2}, default=1
        With 2 the workers go over their rows again, over the atoms of all: the moments are then
        those of every row over the dictionary, none of them carried from one to another. (Not with
        `robust` weights, which depend on what was known when a row came, nor for detectors.)
    streams : int or None, default=None
        The partitions in so many streams, neighbours in one, each of which goes on from partition
        to partition before it is merged with others. As many as there are workers take the least
        work where partitions are small; None, a stream each, takes any number of workers, and a
        killed one costs no more than its partition.
    scheduler : str, Client or None, default=None
        "threads", "processes", "synchronous", or a client of dask.distributed. None is Dask's own
        choice: the client, if there is one.

    Returns
    -------
    fitted : same type as `model`
        It goes on learning like any other.

    Notes
    -----
    What a kernel or a dictionary takes from the first rows (``gamma="median"``, ``scale="auto"``),
    it takes from those of the first partition that has rows.

    A detector learns each stream but for its last rows, together as many as its `window`. (With
    `lags` or `ewma`, where rows follow each other, these are of the last stream alone.) The
    merged model judges them before it learns them, and the limits come from their scores. They
    travel, since a detector keeps them.

    Of several streams each is thriftier with its atoms than one alone (`Compress`: three times the
    `thrift`, and of more than two still more while it is young): what it lets pass, others bring,
    and all of them together keep as much.

    A partition that cannot be read or learned is an :class:`okpca.dask.PartitionError` that has its
    name. Workers may come, go and be killed meanwhile: what they had done is done again.

    Examples
    --------
    >>> import dask.array as da, numpy as np, okpca.dask
    >>> X = da.from_array(np.random.default_rng(0).normal(size=(2000, 3)), chunks=(500, 3))
    >>> model = okpca.dask.fit(okpca.OnlineKernelPCA(2, gamma=0.1), X, scheduler="threads")
    >>> model.n_samples_seen_
    2000
    >>> okpca.dask.transform(model, X)
    dask.array<okpca-transform, shape=(2000, 2), dtype=float64, chunksize=(500, 2), ...>
    """
    fitted, part = fitted_and_told(model, X, passes=passes, streams=streams, scheduler=scheduler)
    if part.bad:
        warnings.warn(part.told_bad(), stacklevel=2)
    return fitted


def fitted_and_told(
    model: M, X: Any, *, passes: int = 1, streams: int | None = None, scheduler: Any = None
) -> tuple[M, Part]:
    """The same, and what is known of the rows."""
    refuse_unfit(model, passes, streams)
    parts = partitions_of(X)
    template = _template(model, parts, scheduler)
    n = len(parts) if streams is None else min(streams, len(parts))
    own = budget.make(template.on_full, template.max_atoms)
    of_part = own.of_parts(n)
    template.set_params(on_full=of_part)
    part = _reduced(template, parts, _held_back(model, n), scheduler)
    if part.estimator is None:
        raise ValueError(f"there is no row to learn from in {part.name}.")
    state = under_budget(kept_by(part.estimator), of_part, own)
    if isinstance(model, KernelNoveltyDetector):
        return _detector(model, replace(part, estimator=keeping(part.estimator, state))), part
    if passes == 2 and state.basis.m:
        atoms = dictionary.Fixed(part.estimator.atoms_)
        template.set_params(dictionary=atoms, burn_in=0)
        again = _reduced(template, parts, [0] * n, scheduler, "again-").estimator
        assert again is not None
        state = relearned(state, kept_by(again))
    fitted = _named(keeping(clone(model), at_end_of_fit(state)), part)
    announce((), kept_by(fitted).troubles, deeper=1)
    return fitted, part


def _named(model: Any, part: Part) -> Any:
    if part.names is not None:
        model.feature_names_in_ = np.array(part.names, dtype=object)
    return model


def _detector(model: Any, part: Part) -> Any:
    assert part.estimator is not None
    fresh = _named(clone(model), part)
    fitted = resumed(fresh, part.estimator, part.n_rows, part.n_alarms, part.runs)
    announce((), unsaid(fitted), deeper=2)
    return fitted


def _held_back(model: Any, n: int) -> list[int]:
    """Rows at the end of each of n streams that a detector's limits will come from."""
    if not isinstance(model, KernelNoveltyDetector):
        return [0] * n
    if model.lags or model.ewma < 1:
        return [0] * (n - 1) + [model.window]
    return [math.ceil(model.window / n)] * n


# -- the graph ------------------------------------------------------------------------------------


def _template(model: Any, parts: list[Partition], scheduler: Any) -> Any:
    """The model with nothing left to first rows."""
    inner = estimator_of(model) if isinstance(model, KernelNoveltyDetector) else model
    kernel, policy = make_kernel(inner), dictionary.make(inner.dictionary, inner.nu)
    template, chooses = clone(model), bool(policy.needs_rows)
    if not kernel.needs_rows and not chooses:
        return template
    for part in parts:
        (task,) = fused([dask.delayed(settled)(model, part.rows, part.name, chooses)])
        found = computed(task, [part], {}, scheduler)
        if found is not None:
            said = {"kernel": found.kernel, "gamma": None, "sigma": None, "scale": None}
            said |= {"dictionary": dictionary.Fixed(found.points)} if chooses else {}
            return template.set_params(**said, kernel_params=None)
    return template


def _dealt(parts: list[Partition], n: int) -> list[list[Partition]]:
    """In n streams of nearly as many each."""
    borders = [len(parts) * i // n for i in range(n + 1)]
    return [parts[start:stop] for start, stop in pairwise(borders)]


def _begun(template: Any, n: int, token: str) -> Any:
    """What n streams begin with. A task that needs another is done by the worker that has it, and
    one after the other is, while the rest of the workers wait for Dask to notice; so each has its
    own, unless these would be too much to send."""
    begun = Part(estimator=clone(template))
    if n * len(cloudpickle.dumps(begun)) <= SENT:  # a kernel may be any function
        return begun
    return dask.delayed(begun, name=f"okpca-model-{token}", traverse=False)


def _reduced(
    template: Any, parts: list[Partition], held_back: list[int], scheduler: Any, when: str = ""
) -> Part:
    """All partitions learned, in as many streams as rows are held back of, and these merged by a
    tree over their order."""
    token = uuid4().hex  # of this call: a file may be another by the same name
    begun, tasks, ends = _begun(template, len(held_back), token), list[Any](), list[int]()
    for stream, held in zip(_dealt(parts, len(held_back)), held_back, strict=True):
        ends.append(len(tasks) + len(stream) - 1)
        before = begun
        for part in stream:
            key = (f"okpca-learn-{when}{token}", len(tasks))
            given = before, part.rows, part.name, held if len(tasks) == ends[-1] else None
            before = dask.delayed(learned)(*given, dask_key_name=key)
            tasks.append(before)
    tasks = fused(tasks)
    keys = {task.key: part for task, part in zip(tasks, parts, strict=True)}
    level, height = [tasks[end] for end in ends], 0
    while len(level) > 1:
        height += 1
        name = f"okpca-merge-{when}{token}"
        pairs = [level[i : i + 2] for i in range(0, len(level), 2)]
        level = [
            dask.delayed(merged)(*pair, dask_key_name=(name, height, i))
            if len(pair) == 2
            else pair[0]
            for i, pair in enumerate(pairs)
        ]
    found: Part = computed(level[0], parts, keys, scheduler)
    return found
