"""Changing the dictionary under a model: fewer atoms, other atoms, more atoms.

Everything goes through `recode.recode`.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from okpca._core.blas_threads import one_thread
from okpca._core.numerics import ALIKE, DENSE_MOVED, SEARCH
from okpca._core.typing import Array
from okpca.dictionary import Basis, Clusters, encode
from okpca.dictionary.change_of_basis import own_direction, own_directions, transition, without
from okpca.dictionary.placement.greedy_subset import best_subset
from okpca.dictionary.placement.reduced_set import Search, reduced_set
from okpca.dictionary.placement.variable_projection import Progress, moved
from okpca.kernels.rows import handy, stacked
from okpca.model.moment_correction import restore
from okpca.model.recode import count, exchange, recode, rounding
from okpca.model.state import Model, next_state

# -- fewer ----------------------------------------------------------------------------------------


@one_thread
def compress(
    model: Model,
    n_atoms: int,
    n_targets: int | None,
    *,
    max_iter: int | None = None,
    progress: Progress | None = None,
) -> Model:
    """Over at most n_atoms new atoms, placed so that the mean and so many components are kept
    (None: all)."""
    wider, most = welcome(model), model.plan.budget.max_atoms
    there = max(model.basis.m, min(wider.basis.m, most or wider.basis.m))  # for whoever looks
    if model.learner is None or n_atoms >= there:
        return model
    model = wider
    targets = _targets(model, n_targets)
    if model.basis.kernel.has_gradient and model.basis.numbers_missing <= DENSE_MOVED:
        old = model.basis.densified("compress")
        if max_iter is None:
            max_iter = int(np.clip(SEARCH / (n_atoms * old.atoms.size), 6, 100))
        rng = np.random.RandomState(model.plan.placement_seed)
        basis = moved(old, targets, n_atoms, rng, max_iter=max_iter, progress=progress)
    else:
        basis = best_subset(model.basis, targets, n_atoms)
    return recode(model, basis, transition(model.basis, basis))


@one_thread
def cluster(model: Model, n_atoms: int, thrift: float) -> Model:
    """Over n_atoms: the cheapest pairs merged, and each where the mean of its rows is."""
    assert model.clusters is not None
    old = model.basis
    here = clustered([old], old.L @ old.L.T, model.clusters, n_atoms, thrift)
    P = transition(old, here.basis, here.values[0])
    return recode(model, here.basis, P, clusters=here.clusters)


class Clustered(NamedTuple):
    """Fewer atoms in place of those of some dictionaries."""

    basis: Basis
    clusters: Clusters
    values: list[Array | None]  # κ of the atoms of each with the new ones, where at hand


def clustered(
    old: list[Basis], gram: Array, clusters: Clusters, n_atoms: int, thrift: float
) -> Clustered:
    """`gram` and `clusters` are those of all their atoms, one dictionary after the other."""
    kernel, atoms = old[0].kernel, stacked([basis.atoms for basis in old])
    clusters, left = clusters.merged(gram, n_atoms, thrift)
    points = clusters.means(atoms[left])
    bound = kernel.bind(handy(points))
    K = bound(atoms)
    # A mean that is nearly orthogonal to its own atom would stand for nothing.
    alike = np.square(K[left, np.arange(len(left))])
    stays = alike <= ALIKE * kernel.diag(points) * gram.diagonal()[left]
    if stays.any():
        points[stays] = atoms[left[stays]]
        bound = kernel.bind(handy(points))
        K = bound(atoms)
    basis = Basis.of_distinct(kernel, points, bound)
    if basis.m < len(left):
        clusters = clusters.carried(basis.nearest(points), basis.m)
        return Clustered(basis, clusters, [None for _ in old])
    borders = np.cumsum([one.m for one in old])[:-1]
    return Clustered(basis, clusters, list(np.split(K, borders)))


@one_thread
def reduce(
    model: Model,
    per_target: int,
    rank: int | None = None,
    search: Search = Search(),  # noqa: B008  (a value)
) -> Model:
    """Over pre-images of each component and of the mean, found one after another."""
    if model.learner is None:
        return model
    targets = _targets(model, rank or model.plan.max_components)
    norms = np.linalg.norm(targets, axis=1)
    targets = targets[norms > 0] / norms[norms > 0, None]
    rng = np.random.RandomState(model.plan.placement_seed)
    basis = reduced_set(model.basis.densified("ReducedSet"), targets, per_target, rng, search)
    return recode(model, basis, transition(model.basis, basis))


@one_thread
def drop(model: Model, leaving: int) -> Model:
    """One atom less."""
    alone = own_direction(model.basis, leaving)
    scatter = None if model.learner is None else model.learner.scatter_along(alone[None])
    lost = None
    if scatter is not None:
        # One direction goes: what it carries is all that is lost, and the worst of it.
        mean = float(alone @ model.weighty_mean)
        lost = (max(float(scatter[0]) + mean**2, rounding(model)),) * 2
    return recode(model, *without(model.basis, leaving), lost=lost)


def scatter_of_atoms(model: Model) -> Array | None:
    """The scatter that would be lost with each atom, for rules that keep it."""
    if model.learner is None:
        return None
    return model.learner.scatter_along(own_directions(model.basis))


def _targets(model: Model, n: int | None) -> Array:
    """√λ_j v_j of the leading components, and √W times the mean."""
    assert model.learner is not None
    scatter, V = model.learner.spectrum(None if n is None else min(n, model.basis.m))
    return np.vstack([np.sqrt(scatter)[:, None] * V, model.weighty_mean])


# -- more -----------------------------------------------------------------------------------------


def grow(model: Model, basis: Basis, X: Any, weight: Array, claim: Array) -> Model:
    """The same model over more atoms: rows X of these weights, which it has learned already, and
    the weights that they claim."""
    more = basis.m - model.basis.m
    learner, clusters = model.learner, model.clusters
    return next_state(
        model,
        basis=basis,
        centre=replace(model.centre, mean=np.append(model.centre.mean, np.zeros(more))),
        learner=None if learner is None else learner.grown(model.basis.m, basis.m),
        clusters=None if clusters is None else clusters.grown(X, weight, claim),
    )


def welcome(model: Model) -> Model:
    """With those as atoms that asked to join, whatever the budget."""
    if model.clusters is None or not model.clusters.asking:
        return model
    X, weight, claim, clusters = model.clusters.asked()
    limit = model.plan.budget.max_atoms
    rows = encode(model.basis, X, model.plan.policy, None, limit=limit)
    model = next_state(model, clusters=clusters)
    if rows.founded is not None:
        model = exchange(model, rows.founded)
    old, joined = model.basis.m, np.zeros(len(weight), dtype=bool)
    joined[list(rows.joined)] = True
    model = grow(model, rows.basis, X[joined], weight[joined], claim[joined])
    model = count(model, X[~joined], weight[~joined])
    if rows.founded is not None:
        return model
    n = len(rows.Z)
    return restore(model, rows, old, weight[:n], claim[:n])
