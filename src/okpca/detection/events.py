"""Alarms in succession, and the evidence that an event is going on: E in `limits`."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from okpca._core.typing import Flags
from okpca.detection.limits import EVENT, LARGEST


def after_alarms(
    evidence: float, alarms: Flags, share: float, allowed: float
) -> tuple[Flags, float]:
    """For each row, whether no event was going on before it; and the evidence after all. An alarm
    counts by its `share`, and so many as `allowed` come with every row by chance."""
    quiet = np.ones_like(alarms)
    if not evidence and not alarms.any():  # nearly always
        return quiet, evidence
    most = LARGEST
    for i, alarm in enumerate(alarms.tolist()):
        if evidence > EVENT:
            quiet[i] = False
        evidence += share - allowed if alarm else -allowed
        evidence = 0.0 if evidence < 0.0 else most if evidence > most else evidence
    return quiet, evidence


def run_lengths(alarms: Flags, before: int) -> NDArray[np.intp]:
    """How many alarms in succession end at each row."""
    position = np.arange(1, len(alarms) + 1)
    last_quiet = np.maximum.accumulate(np.where(alarms, -before, position))
    return np.where(alarms, position - last_quiet, 0)
