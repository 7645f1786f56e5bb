"""Chin & Suter, "Incremental kernel principal component analysis", IEEE TIP 16 (2007)."""

from __future__ import annotations

from functools import partial
from typing import Any

from okpca.estimator.online import OnlineKernelPCA
from okpca.estimator.presets.making import made
from okpca.model.budget import ReducedSet
from okpca.rules import IncrementalSVD

BLOCK = 30  # their i


def ikpca(
    n_components: int = 6,
    *,
    block: int | None = None,
    rank: int | None = None,
    first: int | None = None,
    **params: Any,
) -> OnlineKernelPCA:
    """Incremental kernel PCA: `block` rows at a time, 30 if None, the mean updated with them
    (10-26).

    Nothing is compressed: every independent row stays. `rank` (their r, `n_components` if None) is
    what is kept between updates, `first` the rows of the initial batch, their (r + 1) p.
    """
    settings = {"block": block, "rank": rank, "first": first}
    defaults: dict[str, Any] = {"n_components": n_components, "nu": 0.0, "max_atoms": None}
    return made(partial(IncrementalSVD, block=BLOCK), settings, defaults, params)


def iksvd(
    n_components: int = 6,
    *,
    block: int | None = None,
    rank: int | None = None,
    first: int | None = None,
    **params: Any,
) -> OnlineKernelPCA:
    """Incremental kernel SVD: the same (`n_components`, `block`, `rank`, `first`) without a
    mean."""
    params = {"center": False} | params
    return ikpca(n_components, block=block, rank=rank, first=first, **params)


def ikpca_rs(
    n_components: int = 6,
    *,
    block: int = BLOCK,
    rank: int | None = None,
    per_component: int = 10,
    **params: Any,
) -> OnlineKernelPCA:
    """Incremental kernel PCA with reduced sets (their Table I): whenever the library exceeds its
    (r + 1) p vectors by a `block`, components and mean are expressed by p (`per_component`)
    pre-images each (27-31) and made orthogonal again (32-35). r is `rank`, or `n_components`."""
    library = ((rank or n_components) + 1) * per_component
    defaults: dict[str, Any] = {"max_atoms": library + block}
    defaults |= {"on_full": ReducedSet(per_component=per_component, rank=rank)}
    return ikpca(n_components, block=block, rank=rank, first=library, **(defaults | params))
