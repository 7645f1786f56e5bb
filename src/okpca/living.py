"""Changing the dictionary under a living model, and joining two models.

Everything goes through `recoded`: coordinates, mean, what the rule has learned and what is known to
be lost are mapped from one set of atoms to another.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray

from okpca.centre import Centre
from okpca.certificate import Loss
from okpca.dictionary import Basis, Clusters, encode
from okpca.dictionary.moving import Progress, moved
from okpca.dictionary.recode import partings, transition, without
from okpca.dictionary.reduced_set import reduced_set
from okpca.dictionary.subset import best_subset
from okpca.kernels.rows import stacked
from okpca.numerics import ALIKE, DENSE_MOVED, EPS, RANK, SEARCH
from okpca.plan import Plan
from okpca.rules import Learner
from okpca.threads import one_thread

Array = NDArray[np.float64]


class LivingDictionary:
    """What a model can do to its atoms. `Model` supplies the state."""

    if TYPE_CHECKING:
        plan: Plan
        basis: Basis
        centre: Centre
        learner: Learner | None
        variance: float
        loss: Loss
        n_rows: int
        n_steps: int
        relieved_at: int
        pace: int
        clusters: Clusters | None
        reference: Any  # of robust weights, which are above this room
        anchor: Array | None

        def _next(self, **changes: Any) -> Self: ...

    def recoded(
        self,
        basis: Basis,
        P: Array,
        *,
        lost: tuple[float, float] | None = None,
        clusters: Clusters | None = None,
    ) -> Self:
        """The same model over other atoms; P maps coordinates, and what it loses is noted. Unless
        it is said which rows they stand for, they take over those of the nearest old atoms."""
        anchor = self.anchor
        if clusters is None and self.clusters is not None:
            clusters = self.clusters.carried(basis.nearest(self.basis.atoms), basis.m)
        return self._next(
            basis=basis,
            centre=replace(self.centre, mean=P @ self.centre.mean),
            learner=None if self.learner is None else self.learner.recoded(P),
            loss=self.loss.after_recoding(*(lost or self._lost(P))),
            reference=None,
            clusters=clusters,
            anchor=None if anchor is None else anchor @ P[:, : anchor.shape[1]].T,
        )

    def exchanged(self, basis: Basis) -> Self:
        """The same model over atoms that span the same, and more, with smaller coefficients.

        An atom that left is, but for a share `RANK`, in the span of the others, and no row has it
        with a coefficient larger than its noise may be.
        """
        P = transition(self.basis, basis)
        left = max(self.basis.m + 1 - basis.m, 1)
        lost = self._lost(P, gone=left * RANK * self.plan.policy.doubt / EPS)
        reference = None if self.reference is None else self.reference.recoded(P)
        return self.recoded(basis, P, lost=lost)._next(reference=reference)

    def _lost(self, P: Array, gone: float | None = None) -> tuple[float, float]:
        """Σ w ‖a − P a‖² over what the model holds of its rows: in all directions, in the worst.

        About the origin, not the mean: what P takes from the mean would turn up as scatter when
        the mean moves. Without moments only a share `gone` of everything is known to bound it.
        """
        if self.learner is None:
            return 0.0, 0.0
        moment = self.learner.scatter()
        if moment is None:
            if gone is None:  # at worst everything lies where P loses most
                gone = float(np.linalg.norm(np.eye(P.shape[1]) - P.T @ P, 2))
            return gone * self.energy, gone * self.energy
        mean = self._weighty_mean()
        moment = moment + np.outer(mean, mean)
        # The eigenvalues of (I − PᵀP) M are those of what is lost; the root of the sum of their
        # squares bounds the largest, and costs a product where eigenvalues would cost ten.
        lost = moment - P.T @ (P @ moment)
        total = max(float(np.trace(lost)), self._noise())
        squares = max(float(np.einsum("ij,ji->", lost, lost)), 0.0)
        return total, min(max(float(np.sqrt(squares)), self._noise()), total)

    @one_thread
    def compressed(
        self,
        n_atoms: int,
        n_targets: int | None,
        *,
        max_iter: int | None = None,
        progress: Progress | None = None,
    ) -> Self:
        """Over at most n_atoms new atoms, placed so that the mean and so many components are kept
        (None: all)."""
        if self.learner is None or n_atoms >= self.basis.m:
            return self
        if self.clusters is not None and self.clusters.asking:
            return self.settled().compressed(
                n_atoms, n_targets, max_iter=max_iter, progress=progress
            )
        targets = self._targets(n_targets)
        if self.basis.kernel.has_gradient and self.basis.numbers_missing <= DENSE_MOVED:
            old = self.basis.densified("compress")
            if max_iter is None:
                max_iter = int(np.clip(SEARCH / (n_atoms * old.atoms.size), 6, 100))
            rng = np.random.RandomState(self.plan.placement_seed)
            basis = moved(old, targets, n_atoms, rng, max_iter=max_iter, progress=progress)
        else:
            basis = best_subset(self.basis, targets, n_atoms)
        return self.recoded(basis, transition(self.basis, basis))

    @one_thread
    def clustered(self, n_atoms: int, thrift: float) -> Self:
        """Over n_atoms: the cheapest pairs merged, and each where the mean of its rows is."""
        assert self.clusters is not None
        old = self.basis
        gram = old.L @ old.L.T
        clusters, left = self.clusters.merged(gram, n_atoms, thrift)
        points = clusters.means(old.atoms[left])
        K = old.kernel_values(points)
        # A mean that is nearly orthogonal to its own atom would stand for nothing.
        alike = np.square(K[np.arange(len(left)), left])
        stays = alike <= ALIKE * old.kernel.diag(points) * gram.diagonal()[left]
        if stays.any():
            points[stays], K[stays] = old.atoms[left[stays]], gram[left[stays]]
        basis = Basis.of_distinct(old.kernel, points)
        if basis.m < len(left):
            clusters = clusters.carried(basis.nearest(points), basis.m)
            return self.recoded(basis, transition(old, basis), clusters=clusters)
        return self.recoded(basis, transition(old, basis, K.T), clusters=clusters)

    def grown(self, basis: Basis, X: Any, weight: Array) -> Self:
        """The same model over more atoms: rows X of these weights, which it has learned already."""
        more = basis.m - self.basis.m
        learner, clusters = self.learner, self.clusters
        return self._next(
            basis=basis,
            centre=replace(self.centre, mean=np.pad(self.centre.mean, (0, more))),
            learner=None if learner is None else learner.grown(self.basis.m, basis.m),
            clusters=None if clusters is None else clusters.grown(X, weight),
        )

    def restored(self, Z: Array, old: int, weight: Array) -> Self:
        """With rows as they are, Z, that were learned when there were only `old` of the atoms: what
        they lost then was the reason why the others joined."""
        W, mean = self.centre.weight, self.centre.mean
        held = np.pad(Z[:, :old], ((0, 0), (0, self.basis.m - old)))
        after = mean + self.centre.moving * (weight @ (Z - held)) / W
        change = Z.T @ (weight[:, None] * Z) - held.T @ (weight[:, None] * held)
        change -= W * (np.outer(after, after) - np.outer(mean, mean))
        learner = None if self.learner is None else self.learner.changed(change)
        if learner is None:
            return self
        moved = float(after @ after - mean @ mean)
        return self._next(
            learner=learner,
            centre=replace(self.centre, mean=after),
            variance=self.variance - W * moved,
        )

    def settled(self) -> Self:
        """With nobody asking to join: the rows count for their atoms."""
        if self.clusters is None or not self.clusters.asking:
            return self
        X, weight, clusters = self.clusters.asked()
        return self._next(clusters=clusters).counting(X, weight)

    def counting(self, X: Any, weight: Array) -> Self:
        """With rows that it has learned counted for their atoms."""
        if self.clusters is None or not len(weight):
            return self
        return self._next(clusters=self.clusters.counting(X, self.basis.nearest(X), weight))

    @one_thread
    def reduced(self, per_target: int, rank: int | None = None) -> Self:
        """Over pre-images of each component and of the mean, found one after another."""
        if self.learner is None:
            return self
        targets = self._targets(rank or self.plan.max_components)
        norms = np.linalg.norm(targets, axis=1)
        targets = targets[norms > 0] / norms[norms > 0, None]
        rng = np.random.RandomState(self.plan.placement_seed)
        basis = reduced_set(self.basis.densified("ReducedSet"), targets, per_target, rng)
        return self.recoded(basis, transition(self.basis, basis))

    def _targets(self, n: int | None) -> Array:
        """√λ_j v_j of the leading components, and √W times the mean."""
        assert self.learner is not None
        scatter, V = self.learner.spectrum(None if n is None else min(n, self.basis.m))
        return np.vstack([np.sqrt(scatter)[:, None] * V, self._weighty_mean()])

    def _weighty_mean(self) -> Array:
        """√W times the mean: a row of the root of all rows' moments about the origin."""
        return np.asarray(np.sqrt(self.centre.weight) * self.centre.mean)

    @property
    def energy(self) -> float:
        """Σ w ‖φ(x)‖², about the origin: what rounding errors are relative to."""
        mean = self._weighty_mean()
        return self.variance + float(mean @ mean)

    def _noise(self) -> float:
        """What is lost may come out smaller than its rounding error, even negative."""
        return float(np.finfo(np.float64).eps) * self.energy

    def without(self, leaving: int) -> Self:
        """One atom less."""
        alone = partings(self.basis)[leaving]
        carried = None if self.learner is None else self.learner.scatter_along(alone[None])
        lost = None
        if carried is not None:
            # One direction goes: what it carries is all that is lost, and the worst of it.
            mean = float(alone @ self._weighty_mean())
            lost = (max(float(carried[0]) + mean**2, self._noise()),) * 2
        return self.recoded(*without(self.basis, leaving), lost=lost)

    def carried(self) -> Array | None:
        """The scatter that would be lost with each atom, for rules that keep it."""
        if self.learner is None:
            return None
        return self.learner.scatter_along(partings(self.basis))

    @one_thread
    def merged(self, other: Self) -> Self:
        """With all that another model of the same kernel, width and centring has learned.

        Its atoms join where they are novel; moments add by Chan's formula, and so do the rows that
        atoms stand for. What exceeds the budget is made as small as a full dictionary is.
        """
        mine, joined = self.settled()._over_both(other.basis)
        model, plan = mine._joined_with(other.settled(), joined), self.plan
        most = plan.budget.max_atoms
        if most is None or joined.m <= max(most, self.basis.m):
            return model
        if model.clusters is None:
            return model.compressed(most, plan.max_components)
        # It was the other model, and no row, that asked for room: the pace says nothing of that.
        fewer = plan.budget.relieved(model)._next(relieved_at=model.n_rows)
        if fewer.clusters is None or model.clusters.price == 0.0:
            return fewer
        # So many are merged at a time here that the last says nothing of what one atom is worth.
        return fewer._next(clusters=replace(fewer.clusters, price=model.clusters.price))

    def _over_both(self, other: Basis) -> tuple[Self, Basis]:
        """This model, and a dictionary that begins with its own and spans the other one too."""
        rows = encode(self.basis, other.atoms, self.plan.policy, None)
        if rows.founded is None and len(rows.Z) == other.m:
            return self, rows.basis
        # Together they are nearly dependent: the most independent of all of them.
        both = Basis.of_points(other.kernel, stacked([self.basis.atoms, other.atoms]))
        return self.exchanged(both), both

    def _joined_with(self, other: Self, joined: Basis) -> Self:
        P = transition(other.basis, joined)
        mean = np.pad(self.centre.mean, (0, joined.m - self.basis.m))
        their_mean = P @ other.centre.mean
        W, w = self.centre.weight, other.centre.weight
        apart = np.sqrt(W * w / (W + w)) * (their_mean - mean) * self.centre.moving
        return self._next(
            basis=joined,
            centre=replace(self.centre, mean=(W * mean + w * their_mean) / (W + w), weight=W + w),
            learner=self._joined_learner(other, joined, P, apart),
            variance=self.variance + other.variance + float(apart @ apart),
            loss=self.loss.joined(other.loss.after_recoding(*other._lost(P))),
            n_rows=self.n_rows + other.n_rows,
            n_steps=self.n_steps + other.n_steps,
            relieved_at=self.n_rows + other.relieved_at if other.relieved_at else self.relieved_at,
            pace=other.pace if other.relieved_at else self.pace,
            clusters=self._joined_clusters(other, joined),
            reference=None,
        )

    def _joined_clusters(self, other: Self, joined: Basis) -> Clusters | None:
        if self.clusters is None:
            return None
        theirs = other.clusters or Clusters.alike(other.basis.atoms, other.centre.weight)
        return self.clusters.joined(joined.nearest(other.basis.atoms), joined.m, theirs)

    def _joined_learner(self, other: Self, joined: Basis, P: Array, apart: Array) -> Learner | None:
        if joined.m == 0:
            return None
        plan, rng = self.plan, np.random.RandomState(self.plan.seed)
        mine, theirs = (
            model.learner or plan.rule.born(plan.max_components, model.basis.L, rng)
            for model in (self, other)
        )
        return mine.absorbed(theirs, P, apart)
