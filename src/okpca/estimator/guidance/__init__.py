"""What to choose, proposed from a sample of the rows, each choice with its reason.

One file a question: `scale` (columns), `width` (γ), `components`, `budget` (atoms and ν); what a
goal asks of them is in `features`, `denoising` and `novelty`.
"""

from okpca.estimator.guidance.suggest import suggest
from okpca.estimator.guidance.suggestion import Suggestion

__all__ = ["Suggestion", "suggest"]
