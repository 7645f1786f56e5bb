"""Rules: linear online PCA in the coordinates of the dictionary."""

from __future__ import annotations

from okpca.rules import schedules
from okpca.rules.apex import Apex
from okpca.rules.base import Centred, Learner, Rule
from okpca.rules.exact import Exact
from okpca.rules.hebbian import Hebbian
from okpca.rules.incremental_svd import IncrementalSVD
from okpca.rules.schedules import Constant, ExponentialDecay, SearchThenConverge
from okpca.rules.tracking import Tracking

__all__ = [
    "Apex",
    "Centred",
    "Exact",
    "Hebbian",
    "IncrementalSVD",
    "Learner",
    "Rule",
    "Tracking",
    "make",
    "schedules",
]

NAMES = {
    "exact": Exact(),
    "incremental-svd": IncrementalSVD(),
    "okha": Hebbian(deflation=1, schedule=SearchThenConverge()),
    "oo-kha": Hebbian(deflation=2, schedule=ExponentialDecay()),
    "on-kha": Hebbian(deflation=2, normalize=True, schedule=ExponentialDecay()),
    "oja": Hebbian(deflation=2, schedule=Constant()),
    "apex": Apex(),
    "tanaka": Tracking(),
}


def make(rule: str | Rule) -> Rule:
    """Strings are shorthand for the papers' settings."""
    if isinstance(rule, Rule):
        return rule
    if rule not in NAMES:
        raise ValueError(f"rule must be one of {sorted(NAMES)} or a rule object, got {rule!r}.")
    return NAMES[rule]


def refuse_start(rule: Rule) -> None:
    """A warm-up is a start; another one beside it would be lost."""
    init = getattr(rule, "init", None)
    if init is not None and not isinstance(init, str):
        raise ValueError(
            f"init of {type(rule).__name__} and burn_in both say where the components start: "
            "give one of them."
        )
