"""Changing the dictionary under a living model, and joining two models.

Everything goes through `recoded`: coordinates, mean, what the rule has learned and what is known to
be lost are mapped from one set of atoms to another.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import eigvalsh

from okpca.centre import Centre
from okpca.certificate import Loss
from okpca.dictionary import Basis, encode
from okpca.dictionary.moving import Progress, moved
from okpca.dictionary.recode import partings, transition, without
from okpca.dictionary.reduced_set import reduced_set
from okpca.dictionary.subset import best_subset
from okpca.numerics import SEARCH
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
        nominal: float

        @property
        def shown(self) -> Array | None: ...
        def _next(self, **changes: Any) -> Self: ...

    def recoded(self, basis: Basis, P: Array, lost: tuple[float, float] | None = None) -> Self:
        """The same model over other atoms; P maps coordinates, and what it loses is noted."""
        earlier = self.shown
        return self._next(
            basis=basis,
            centre=replace(self.centre, mean=P @ self.centre.mean),
            learner=None if self.learner is None else self.learner.recoded(P),
            loss=self.loss.after_recoding(*(lost or self._lost(P))),
            unrelieved=0.0,
            reference=None,
            earlier=None if earlier is None else earlier @ P[:, : earlier.shape[1]].T,
        )

    def _lost(self, P: Array) -> tuple[float, float]:
        """Σ w ‖a − P a‖² over what the model holds of its rows: in all directions, in the worst.

        About the origin, not the mean: what P takes from the mean would turn up as scatter when
        the mean moves.
        """
        if self.learner is None:
            return 0.0, 0.0
        mean = self._weighty_mean()
        root = self.learner.root()
        if root is None:
            # No moments: at worst everything lies where P loses most.
            gone = np.eye(P.shape[1]) - P.T @ P
            worst = float(np.linalg.norm(gone, 2)) * (self.variance + float(mean @ mean))
            return worst, worst
        root = np.vstack([root, mean])
        kept = root @ P.T
        lost = root @ root.T - kept @ kept.T
        last = len(lost) - 1
        worst = max(float(eigvalsh(lost, subset_by_index=(last, last))[0]), 0.0)
        return max(float(np.trace(lost)), worst), worst

    def compressed(
        self,
        n_atoms: int,
        *,
        n_targets: int | None = None,
        max_iter: int | None = None,
        progress: Progress | None = None,
    ) -> Self:
        """Over at most n_atoms new atoms, placed so that the components and the mean are kept.

        In the middle of a stream (no n_targets) the search is a short one from the atoms there
        are, since it is neither the first nor the last.
        """
        if self.learner is None or n_atoms >= self.basis.m:
            return self
        thorough = n_targets is not None
        if max_iter is None:
            max_iter = int(np.clip(SEARCH / (n_atoms * self.basis.atoms.size), 6, 100))
        with one_thread():
            targets = self._targets(n_targets) if thorough else self._likely_targets()
            if self.basis.kernel.has_gradient:
                rng = np.random.RandomState(self.plan.placement_seed)
                basis = moved(
                    self.basis,
                    targets,
                    n_atoms,
                    rng,
                    max_iter=max_iter,
                    thorough=thorough,
                    progress=progress,
                )
            else:
                basis = best_subset(self.basis, targets, n_atoms)
            return self.recoded(basis, transition(self.basis, basis))

    def reduced(self, per_target: int, rank: int | None = None) -> Self:
        """Over pre-images of each component and of the mean, found one after another."""
        if self.learner is None:
            return self
        targets = self._targets(rank or self.plan.max_components)
        norms = np.linalg.norm(targets, axis=1)
        targets = targets[norms > 0] / norms[norms > 0, None]
        rng = np.random.RandomState(self.plan.placement_seed)
        basis = reduced_set(self.basis, targets, per_target, rng)
        return self.recoded(basis, transition(self.basis, basis))

    def _targets(self, n: int | None) -> Array:
        """√λ_j v_j of the leading components, and √W times the mean."""
        assert self.learner is not None
        scatter, V = self.learner.spectrum(None if n is None else min(n, self.basis.m))
        return np.vstack([np.sqrt(scatter)[:, None] * V, self._weighty_mean()])

    def _likely_targets(self) -> Array:
        """Three times as many components as are asked for, since their order may still change."""
        asked = self.plan.max_components
        if asked is None:
            return self._targets(None)
        assert self.learner is not None
        leading = self.learner.leading(min(3 * asked, self.basis.m))
        return np.vstack([leading, self._weighty_mean()])

    def _weighty_mean(self) -> Array:
        """√W times the mean: a row of the root of all rows' moments about the origin."""
        return np.asarray(np.sqrt(self.centre.weight) * self.centre.mean)

    def without(self, leaving: int) -> Self:
        """One atom less."""
        alone = partings(self.basis)[leaving]
        carried = None if self.learner is None else self.learner.scatter_along(alone[None])
        lost = None
        if carried is not None:
            # One direction goes: what it carries is all that is lost, and the worst of it.
            lost = (float(carried[0] + self.centre.weight * (alone @ self.centre.mean) ** 2),) * 2
        return self.recoded(*without(self.basis, leaving), lost=lost)

    def carried(self) -> Array | None:
        """The scatter that would be lost with each atom, for rules that keep it."""
        if self.learner is None:
            return None
        return self.learner.scatter_along(partings(self.basis))

    def merged(self, other: Self) -> Self:
        """With all that another model of the same kernel, width and centring has learned.

        Its atoms join where they are novel; moments add by Chan's formula. What exceeds the budget
        is compressed to as many atoms as the budget leaves after any other compression.
        """
        joined = encode(self.basis, other.basis.atoms, self.plan.policy, None).basis
        P = transition(other.basis, joined)
        mine = np.pad(self.centre.mean, (0, joined.m - self.basis.m))
        theirs = P @ other.centre.mean
        W, w = self.centre.weight, other.centre.weight
        apart = np.sqrt(W * w / (W + w)) * (theirs - mine) * self.centre.moving
        model = self._next(
            basis=joined,
            centre=replace(self.centre, mean=(W * mine + w * theirs) / (W + w), weight=W + w),
            learner=self._joined_learner(other, joined, P, apart),
            variance=self.variance + other.variance + float(apart @ apart),
            loss=self.loss.joined(other.loss.after_recoding(*other._lost(P))),
            n_rows=self.n_rows + other.n_rows,
            n_steps=self.n_steps + other.n_steps,
            nominal=self.nominal + other.nominal,
            reference=None,
            earlier=self.shown,
        )
        budget = self.plan.budget
        room = budget.max_atoms
        if room is None or joined.m <= max(room, self.basis.m):
            return model
        return model.compressed(budget.kept)

    def _joined_learner(self, other: Self, joined: Basis, P: Array, apart: Array) -> Learner | None:
        if joined.m == 0:
            return None
        plan, rng = self.plan, np.random.RandomState(self.plan.seed)
        mine, theirs = (
            model.learner or plan.rule.born(plan.max_components, model.basis.L, rng)
            for model in (self, other)
        )
        return mine.absorbed(theirs, P, apart)
