"""Too few components to denoise with: rows come back as a blur of all rows.

    Σ_{j ≤ r} λ_j < variance / 2   and   λ_{r+1} > λ_1 / 2

Components that hold little may still be all there is besides noise, whose spectrum is flat and low.
It is when the first of those left out is nearly as strong as the strongest that what tells rows
apart has been thrown away.
"""

from __future__ import annotations

from okpca._core.cached import once
from okpca._core.plural import several, several_hold
from okpca._core.warning_thresholds import FEWEST_SEEN, LEFT_OUT, LITTLE
from okpca.model.components import components
from okpca.model.state import Model, Trouble


@once
def too_few_components(model: Model) -> Trouble | None:
    scatter, learner = components(model).scatter, model.learner
    if learner is None or not model.plan.rule.averages or model.plan.empirical:
        return None
    if model.n_rows < FEWEST_SEEN or not model.variance > 0:
        return None
    r, held = len(scatter), float(scatter.sum()) / model.variance
    if held >= LITTLE:
        return None
    more, _ = learner.spectrum(r + 1)
    if len(more) <= r or more[r] < LEFT_OUT * more[0]:
        return None
    return Trouble(
        "blur",
        f"denoise: {several_hold(r, 'components')} {100 * held:.0f} % of the "
        f"variance, and others left out are nearly as strong: rows come back as a blur. Take more "
        "components; okpca.suggest(X, goal='denoise') says how many, and of which width.",
    )


def more_than_atoms(model: Model) -> tuple[Trouble, ...]:
    """Components beyond the atoms have nothing to be made of."""
    m = model.basis.m
    until = ", until more rows are learned. Compress to at least {} atoms"
    return _without_atoms(model, m, several(m, "atoms"), until)


def more_than_budget(model: Model) -> tuple[Trouble, ...]:
    """Nor will those that there is no room for ever have."""
    most = model.plan.budget.max_atoms
    if most is None:
        return ()
    return _without_atoms(model, most, f"max_atoms={most}", ". Raise max_atoms to at least {}")


def _without_atoms(model: Model, most: int, what: str, how: str) -> tuple[Trouble, ...]:
    wanted = model.plan.n_components
    if not isinstance(wanted, int) or wanted <= most:
        return ()
    empty = wanted - most
    text = (
        f"{wanted} components over {what}: the last {empty} {'is' if empty == 1 else 'are'} zero, "
        f"also in transform{how.format(wanted)}, or ask for fewer components."
    )
    return (Trouble("components", text),)
