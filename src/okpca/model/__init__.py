"""What was learned, and everything that can happen to it.

A `Model` is a value; every operation is a function `f(model) -> model` in a file of this room, and
one function makes the next state. Those that other rooms need:
"""

from okpca.model import budget, weights
from okpca.model.blur import blurred
from okpca.model.certificate import Certificate, certificate
from okpca.model.components import Components, components, projected
from okpca.model.merge import merge, refuse_different, refuse_merge
from okpca.model.missing import imputed, planned, seen_whole, skipped, with_imputed
from okpca.model.plan import opened
from okpca.model.relearning import relearned, under_budget
from okpca.model.state import Gaps, Model
from okpca.model.surgery import compress
from okpca.model.trouble import looked
from okpca.model.warmup import absorb, absorb_row, judged, kernel_so_far, matured

__all__ = [
    "Certificate",
    "Components",
    "Gaps",
    "Model",
    "absorb",
    "absorb_row",
    "blurred",
    "budget",
    "certificate",
    "components",
    "compress",
    "imputed",
    "judged",
    "kernel_so_far",
    "looked",
    "matured",
    "merge",
    "opened",
    "planned",
    "projected",
    "refuse_different",
    "refuse_merge",
    "relearned",
    "seen_whole",
    "skipped",
    "under_budget",
    "weights",
    "with_imputed",
]
