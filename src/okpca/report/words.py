"""Numbers and models in words."""

from __future__ import annotations

import math
from typing import Any

from okpca.estimator.description import kernel_in_words
from okpca.model.certificate import percent as percent
from okpca.plots.contribution import STATISTICS as STATISTICS
from okpca.report.subject import Subject

PLAIN = 1e-3, 1e7
"""Numbers that are shown without a power of ten."""
THIN = "\u202f"


def count(n: int) -> str:
    """12 345, with a space that does not break."""
    return f"{n:,}".replace(",", THIN)


def several(n: int, what: str) -> str:
    return f"{count(n)} {what}" if n != 1 else f"one {what.removesuffix('s')}"


def number(value: float, digits: int = 3) -> str:
    if not math.isfinite(value):
        return "none" if value == math.inf else "–"
    if PLAIN[0] <= abs(value) < PLAIN[1]:
        places = max(digits - 1 - math.floor(math.log10(abs(value))), 0)
        text = f"{value:.{places}f}"
        return (text.rstrip("0").rstrip(".") if places else text).replace("-", "−")
    return f"{value:.{digits}g}".replace("-", "−")


def apart(one: float, other: float) -> tuple[str, str]:
    """With enough digits to tell them from each other."""
    for digits in range(3, 8):
        shown = number(one, digits), number(other, digits)
        if shown[0] != shown[1]:
            break
    return shown


def size(n: int) -> str:
    """Of memory."""
    return f"{n / 1e6:.3g}{THIN}MB" if n >= 1e5 else f"{n / 1e3:.3g}{THIN}kB"


def sentence(subject: Subject, told: Any) -> str:
    """What the model is."""
    steps, columns = "", int(subject.last.n_features_in_)
    if subject.before is not None:
        names = (type(step).__name__ for _, step in subject.before.steps)
        steps = f", after {', '.join(names)}"
    learned = (
        f"kernel PCA with the kernel {kernel_in_words(subject.learned.kernel_)}{steps}, learned "
        f"row by row from {several(told.rows, 'rows')} of {several(columns, 'columns')}: "
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
        f"{percent(subject.allowed)} of normal rows may be beyond the limit."
    )
