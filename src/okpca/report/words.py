"""Numbers and models in words."""

from __future__ import annotations

import math
import re
from typing import Any

from okpca.kernels.standardized import Standardized
from okpca.model.certificate import percent as percent
from okpca.report.subject import Subject

STATISTICS = {"spe": "SPE", "t2": "T²", "combined": "combined score"}
LONGEST = 80
"""Letters of a kernel."""
THIN = "\u202f"


def count(n: int) -> str:
    """12 345, with a space that does not break."""
    return f"{n:,}".replace(",", THIN)


def several(n: int, what: str) -> str:
    return f"{count(n)} {what}" if n != 1 else f"one {what.removesuffix('s')}"


def number(value: float, digits: int = 3) -> str:
    if not math.isfinite(value):
        return "none" if value == math.inf else "–"
    return f"{value:.{digits}g}".replace("-", "−")


def kernel(subject: Subject) -> str:
    """As code, numbers to three digits: RBF(gamma=0.00363); of what columns, in words."""
    used: Any = subject.learned.kernel_
    scaled = isinstance(used, Standardized)
    code = repr(used.kernel if scaled else used)
    code = re.sub(r"\d+\.\d+(?:e[+-]?\d+)?", lambda found: f"{float(found[0]):.3g}", code)
    code = code if len(code) <= LONGEST else f"{code[:LONGEST]} …"
    return f"{code} of columns brought to one scale" if scaled else code


def size(n: int) -> str:
    """Of memory."""
    return f"{n / 1e6:.3g}{THIN}MB" if n >= 1e5 else f"{n / 1e3:.3g}{THIN}kB"


def sentence(subject: Subject, told: Any) -> str:
    """What the model is."""
    steps = "" if subject.before is None else f", after {_steps(subject)}"
    learned = (
        f"kernel PCA with the kernel {kernel(subject)}{steps}, learned row by row from "
        f"{several(told.rows, 'rows')} of {several(_columns(subject), 'columns')}: "
        f"{several(told.components, 'components')} over a dictionary of "
        f"{several(told.atoms, 'atoms')}"
    )
    detector = subject.detector
    if detector is None:
        return f"Online {learned}."
    past = "" if not subject.lags else f", each joined with the {subject.lags} before it"
    return (
        f"A detector of what is new: online {learned}. It has judged "
        f"{several(detector.n_samples_seen_, 'rows')}{past}, before it learned from those that "
        f"were no alarms, by their {STATISTICS[subject.decides]}; "
        f"{percent(detector.contamination)} of normal rows may be beyond the limit."
    )


def _columns(subject: Subject) -> int:
    return int(subject.last.n_features_in_)


def _steps(subject: Subject) -> str:
    return ", ".join(type(step).__name__ for _, step in subject.before.steps)
