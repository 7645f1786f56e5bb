"""Chin & Suter, "Incremental kernel principal component analysis", IEEE TIP 16 (2007)."""

from __future__ import annotations

from functools import partial
from numbers import Integral
from typing import Any

from okpca._core.number_checks import checked_count
from okpca.estimator.online import OnlineKernelPCA
from okpca.estimator.presets.common import made, preset, refuse
from okpca.model.budget import ReducedSet
from okpca.rules import IncrementalSVD

BLOCK = 30  # their i


@preset
def ikpca(
    n_components: int = 6,
    *,
    block: int | None = None,
    rank: int | None = None,
    first: int | None = None,
    **params: Any,
) -> OnlineKernelPCA:
    """Incremental kernel PCA: `block` rows at a time, 30 if None, the mean updated with them
    (8-26).

    Nothing is compressed: every independent row stays. `rank` (their r, `n_components` if None) is
    what is kept between updates, `first` the rows of the initial batch, their (r + 1) p.
    """
    if rank is not None and isinstance(n_components, Integral) and rank < n_components:
        raise ValueError(f"rank={rank} keeps fewer than n_components={n_components}.")
    settings = {"block": block, "rank": rank, "first": first}
    defaults: dict[str, Any] = {"n_components": n_components, "nu": 0.0, "max_atoms": None}
    return made(partial(IncrementalSVD, block=BLOCK), settings, defaults, params)


@preset
def iksvd(
    n_components: int = 6,
    *,
    block: int | None = None,
    rank: int | None = None,
    first: int | None = None,
    **params: Any,
) -> OnlineKernelPCA:
    """Incremental kernel SVD: `n_components` of rows about the origin, `block` rows at a time, 30
    if None (12-26, C for Ẽ: without what they do about the mean).

    Nothing is compressed: every independent row stays. `rank` (their r, `n_components` if None) is
    what is kept between updates, `first` the rows of the initial batch. About the mean it is
    :func:`ikpca`.
    """
    params = {"center": False} | params
    return ikpca(n_components, block=block, rank=rank, first=first, **params)


@preset
def ikpca_rs(
    n_components: int = 6,
    *,
    block: int = BLOCK,
    rank: int | None = None,
    per_component: int = 10,
    every_block: bool = True,
    starts: int = 5,
    iterations: int = 100,
    **params: Any,
) -> OnlineKernelPCA:
    """Incremental kernel PCA with reduced sets (their Table I): after every `block`, components and
    mean are expressed by p (`per_component`) pre-images each (27-31) and made orthogonal again
    (32-35). r is `rank`, or `n_components`.

    The first (r + 1) p rows are the initial batch. Each pre-image is the best of `starts` searches
    of at most `iterations` steps. With `every_block=False` that happens only when more rows are
    independent of the library than it has room for: (r + 1) p and a block.
    """
    counts = {"n_components": n_components, "block": block, "per_component": per_component}
    for name, count in counts.items():
        checked_count("ikpca_rs", name, count, 1)
    if "on_full" in params:
        raise TypeError("reduced sets are the on_full of ikpca_rs: for another one take ikpca.")
    refuse(params, ("rule",), "ikpca_rs is incremental SVD; ikpca takes another rule")
    if not getattr(params.get("dictionary"), "grows", True):
        raise TypeError("ikpca_rs builds its own library: a fixed dictionary has no use there.")
    library = ((rank or n_components) + 1) * per_component
    on_full = ReducedSet(
        per_component=per_component,
        rank=rank,
        every=block if every_block else None,
        first=library if every_block else None,
        starts=starts,
        iterations=iterations,
    )
    defaults: dict[str, Any] = {"max_atoms": library + block, "on_full": on_full}
    return ikpca(n_components, block=block, rank=rank, first=library, **(defaults | params))
