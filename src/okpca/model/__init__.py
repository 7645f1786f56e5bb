"""What was learned, and everything that can happen to it.

A `Model` is a value; every operation is a function `f(model) -> model` in a file of this room, and
one function makes the next state. Those that other rooms need:
"""

from okpca.model import budget as budget
from okpca.model import weights as weights
from okpca.model.certificate import Certificate as Certificate
from okpca.model.certificate import certificate as certificate
from okpca.model.components import Components as Components
from okpca.model.components import components as components
from okpca.model.components import projected as projected
from okpca.model.merge import merge as merge
from okpca.model.merge import refuse_different as refuse_different
from okpca.model.merge import refuse_merge as refuse_merge
from okpca.model.missing import imputed as imputed
from okpca.model.missing import planned as planned
from okpca.model.missing import skipped as skipped
from okpca.model.missing import with_imputed as with_imputed
from okpca.model.plan import opened as opened
from okpca.model.second_pass import relearned as relearned
from okpca.model.second_pass import under_budget as under_budget
from okpca.model.state import Gaps as Gaps
from okpca.model.state import Model as Model
from okpca.model.surgery import compress as compress
from okpca.model.too_few_components import too_few_components as too_few_components
from okpca.model.waiting_rows import shown as shown
from okpca.model.warmup import absorb as absorb
from okpca.model.warmup import absorb_row as absorb_row
from okpca.model.warmup import at_end_of_fit as at_end_of_fit
from okpca.model.warmup import kernel_so_far as kernel_so_far
from okpca.model.warmup import matured as matured
