"""Rules: linear online PCA in the coordinates of the dictionary.

This is their registry: a rule is its file and one line here.
"""

from __future__ import annotations

from okpca._core.naming import by_name, looked_up
from okpca.rules import schedules as schedules
from okpca.rules.ada_oja import AdaOja as AdaOja
from okpca.rules.apex import Apex as Apex
from okpca.rules.base import Centred as Centred
from okpca.rules.base import Learner as Learner
from okpca.rules.base import Rule as Rule
from okpca.rules.base import Uncentred as Uncentred
from okpca.rules.ccipca import CCIPCA as CCIPCA
from okpca.rules.centred_atoms import CentredAtoms as CentredAtoms
from okpca.rules.exact import Exact as Exact
from okpca.rules.gains import Gains as Gains
from okpca.rules.hebbian import Hebbian as Hebbian
from okpca.rules.history import History as History
from okpca.rules.incremental_svd import IncrementalSVD as IncrementalSVD
from okpca.rules.tracking import Tracking as Tracking

NAMES: dict[str, Rule] = {name: kind.named(name) for name, kind in by_name(globals()).items()}


def make(rule: str | Rule) -> Rule:
    """Strings are shorthand for the papers' settings."""
    return rule if isinstance(rule, Rule) else looked_up(NAMES, rule, "rule", "a rule object")


def has_start(rule: Rule) -> bool:
    """Is it told where its components start?"""
    init = rule.init
    return init is not None and (not isinstance(init, str) or init == "atoms")


def refuse_start(rule: Rule) -> None:
    """A warm-up is a start; another one beside it would be lost."""
    if has_start(rule):
        raise ValueError(
            f"init of {type(rule).__name__} and burn_in both say where the components start: "
            "give one of them."
        )
