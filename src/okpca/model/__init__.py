"""What was learned, and everything that can happen to it.

A `Model` is a value; every operation is a function `f(model) -> model` in a file of this room, and
one function makes the next state. Those that other rooms need:
"""

from okpca.model import budget, weights
from okpca.model.certificate import Certificate, certificate
from okpca.model.components import Components, components, projected
from okpca.model.merge import merge, refuse_different, refuse_merge
from okpca.model.missing import imputed, planned, skipped, with_imputed
from okpca.model.plan import opened
from okpca.model.second_pass import relearned, under_budget
from okpca.model.state import Gaps, Model
from okpca.model.surgery import compress
from okpca.model.too_few_components import too_few_components
from okpca.model.waiting_rows import shown
from okpca.model.warmup import absorb, absorb_row, at_end_of_fit, kernel_so_far, matured

__all__ = [
    "Certificate",
    "Components",
    "Gaps",
    "Model",
    "absorb",
    "absorb_row",
    "at_end_of_fit",
    "budget",
    "certificate",
    "components",
    "compress",
    "imputed",
    "kernel_so_far",
    "matured",
    "merge",
    "opened",
    "planned",
    "projected",
    "refuse_different",
    "refuse_merge",
    "relearned",
    "shown",
    "skipped",
    "too_few_components",
    "under_budget",
    "weights",
    "with_imputed",
]
