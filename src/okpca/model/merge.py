"""Joining two models: one dictionary that spans both, and moments added by Chan's formula."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from okpca._core.blas_threads import one_thread
from okpca._core.errors import OVERFLOW
from okpca._core.typing import Array
from okpca.dictionary import Basis, Clusters, encode
from okpca.dictionary.change_of_basis import transition
from okpca.dictionary.new_atoms import joining_with_ease
from okpca.kernels.equality import differences
from okpca.kernels.rows import stacked
from okpca.model.recode import exchange, lost_by, moments_under, recode, settle
from okpca.model.state import Gaps, Model, next_state
from okpca.model.surgery import cluster, clustered, compress
from okpca.rules import Learner

LONGEST = 100  # of a kernel that is shown as it is


@one_thread
def merge(model: Model, other: Model) -> Model:
    """With all that another model of the same kernel, width and centring has learned.

    Its atoms join where they are novel; moments add by Chan's formula, and so do the rows that
    atoms stand for. What exceeds the budget is made as small as a full dictionary is.
    """
    mine, theirs, plan = settle(model), settle(other), model.plan
    most = plan.budget.max_atoms
    fewer = _clustered(mine, theirs)
    if fewer is not None:
        return fewer
    mine, joined = _over_both(mine, theirs.basis)
    both = _joined(mine, theirs, joined, _joined_clusters(mine, theirs, joined))
    if most is None or joined.m <= max(most, model.basis.m):
        return both
    if both.clusters is None:
        return compress(both, most, plan.max_components)
    aim = plan.budget.aim(joined.m, both.n_rows, both.centre.forgetting)
    return _at_its_price(cluster(both, *aim) if aim else both, both.clusters)


def _at_its_price(fewer: Model, before: Clusters) -> Model:
    """It was the other model, and no row, that asked for room: the pace says nothing of that. And
    so many are merged at a time that the last says nothing of what one atom is worth."""
    clusters = fewer.clusters
    if clusters is not None and before.price > 0.0:
        clusters = replace(clusters, price=before.price)
    return next_state(fewer, relieved_at=fewer.n_rows, clusters=clusters)


def refuse_merge(model: Model, other: Model) -> None:
    """Two models can be merged if they live in the same feature space about the same centre."""
    if not model.plan.rule.averages:
        raise ValueError(
            f"cannot merge models of the rule {model.plan.rule!r}: it keeps no moments. "
            "Use rule='exact'."
        )
    if model.basis.kernel != other.basis.kernel:
        raise ValueError(
            f"cannot merge models of a different kernel: {_apart(model, other)}. Where each took "
            "its width or scale from its own first rows, let one say it for all: begin the others "
            "with gamma=first.gamma_ or, with a scale, kernel=first.kernel_, scale=None, no gamma."
        )
    if not model.energy + other.energy < np.inf:
        raise ValueError(f"cannot merge these models: {OVERFLOW} of both.")
    for what, ours, theirs in (
        ("number of columns", model.basis.atoms.shape[1], other.basis.atoms.shape[1]),
        ("center", model.centre.moving, other.centre.moving),
        ("forgetting", model.centre.forgetting, other.centre.forgetting),
        ("rule", model.plan.rule, other.plan.rule),
    ):
        refuse_different(what, ours, theirs)


def _apart(model: Model, other: Model) -> str:
    """Two kernels; what differs, if they have a scale for each column and are long."""
    ours, theirs = model.basis.kernel, other.basis.kernel
    shown = (repr(ours), repr(theirs))
    if max(map(len, shown)) <= LONGEST and shown[0] != shown[1]:
        return " and ".join(shown)
    if type(ours) is not type(theirs):
        return " and ".join(
            text if len(text) <= LONGEST else f"{text[:LONGEST]}..." for text in shown
        )
    return f"both are {type(ours).__name__}, but differ in {', '.join(differences(ours, theirs))}"


def refuse_different(what: str, ours: object, theirs: object) -> None:
    if ours != theirs:
        raise ValueError(f"cannot merge models that differ in {what}: {ours} and {theirs}.")


def _over_both(model: Model, other: Basis) -> tuple[Model, Basis]:
    """This model, and a dictionary that begins with its own and spans the other one too."""
    if model.basis.same(other):
        return model, model.basis
    rows = encode(model.basis, other.atoms, model.plan.policy, None)
    if rows.founded is None and len(rows.Z) == other.m:
        return model, rows.basis
    # Together they are nearly dependent: the most independent of all of them.
    both = Basis.of_points(other.kernel, stacked([model.basis.atoms, other.atoms]))
    return exchange(model, both), both


def _clustered(model: Model, other: Model) -> Model | None:
    """Both over the atoms that a budget of clusters leaves of two dictionaries that are too many
    together: what is learned goes there straight from its own, and not by way of a dictionary as
    large as both. None if they are not, or are so close that it takes a closer look."""
    plan, old, new = model.plan, model.basis, other.basis
    m, n_rows = old.m + new.m, model.n_rows + other.n_rows
    aim = plan.budget.aim(m, n_rows, model.centre.forgetting)
    if model.clusters is None or aim is None or not plan.budget.is_full(m - 1):
        return None
    K, n = joining_with_ease(old, new, plan.policy)
    if not plan.budget.is_full(old.m + n - 1):
        return None
    gram = np.block([[old.L @ old.L.T, K.T], [K, new.L @ new.L.T]])
    theirs = other.clusters or Clusters.alike(new.atoms, other.centre.weight)
    clusters = model.clusters.joined(np.arange(old.m, m), m, theirs)
    here = clustered([old, new], gram, clusters, *aim)
    mine, recoded = (
        recode(part, here.basis, transition(part.basis, here.basis, values), clusters=here.clusters)
        for part, values in zip((model, other), here.values, strict=True)
    )
    both = _joined(mine, recoded, here.basis, here.clusters)
    # The means were farther apart than they are over fewer atoms.
    means = (part.basis.expansion(part.centre.mean[None])[0] for part in (model, other))
    variance = model.variance + other.variance + _between(model, other, K, *means)
    return _at_its_price(next_state(both, variance=variance), clusters)


def _between(model: Model, other: Model, K: Array, mean: Array, their_mean: Array) -> float:
    """W w / (W + w) ‖μ − ν‖², the means by their coefficients over two dictionaries, and K the
    kernel values of the second against the first."""
    sizes = (float(part.centre.mean @ part.centre.mean) for part in (model, other))
    apart = max(sum(sizes) - 2.0 * float(their_mean @ K @ mean), 0.0)
    W, w = model.centre.weight, other.centre.weight
    return W * w / (W + w) * apart * model.centre.moving


def _joined(model: Model, other: Model, joined: Basis, clusters: Clusters | None) -> Model:
    alike = joined.same(other.basis)  # then what is added is added as it is
    P = np.eye(joined.m) if alike else transition(other.basis, joined)
    lost = (0.0, 0.0) if alike else lost_by(other, P, moments_under(P, other.learner))
    mean = np.pad(model.centre.mean, (0, joined.m - model.basis.m))
    their_mean = P @ other.centre.mean
    W, w = model.centre.weight, other.centre.weight
    apart = np.sqrt(W * w / (W + w)) * (their_mean - mean) * model.centre.moving
    return next_state(
        model,
        basis=joined,
        centre=replace(model.centre, mean=(W * mean + w * their_mean) / (W + w), weight=W + w),
        learner=_joined_learner(model, other, joined, P, apart),
        variance=model.variance + other.variance + float(apart @ apart),
        loss=model.loss.joined(other.loss.after_recoding(*lost)),
        n_rows=model.n_rows + other.n_rows,
        n_steps=model.n_steps + other.n_steps,
        relieved_at=model.n_rows + other.relieved_at if other.relieved_at else model.relieved_at,
        pace=other.pace if other.relieved_at else model.pace,
        clusters=clusters,
        reference=None,
        gaps=Gaps(model.gaps.skipped + other.gaps.skipped, model.gaps.imputed + other.gaps.imputed),
        residuals=model.residuals.joined(other.residuals),
    )


def _joined_clusters(model: Model, other: Model, joined: Basis) -> Clusters | None:
    if model.clusters is None:
        return None
    theirs = other.clusters or Clusters.alike(other.basis.atoms, other.centre.weight)
    return model.clusters.joined(joined.nearest(other.basis.atoms), joined.m, theirs)


def _joined_learner(
    model: Model, other: Model, joined: Basis, P: Array, apart: Array
) -> Learner | None:
    if joined.m == 0:
        return None
    plan, rng = model.plan, np.random.RandomState(model.plan.seed)
    mine, theirs = (
        part.learner or plan.rule.born(plan.max_components, part.basis.L, rng)
        for part in (model, other)
    )
    return mine.absorbed(theirs, P, apart)
