"""What a monitor told, beside what was done to the stream."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

import numpy as np

from okpca._core.typing import Flags
from okpca.cli.demo import scanner


@dataclass(frozen=True)
class Findings:
    """Alarms and drift, by where they came."""

    burst: int  # rows fed in sideways that were alarms
    burst_first: int | None  # how many of them had come when the first one was
    fault: int
    fault_first: int | None
    named: int  # alarms of the fault that name the cell first
    drift: int | None  # the row at which it was announced
    false: float  # the share of alarms among rows that nothing was done to


def found(path: Any, rows: int, warm_up: int) -> Findings:
    """From the lines that `okpca monitor` wrote."""
    with open(path, encoding="utf-8") as file:
        told = [json.loads(line) for line in file]
    alarms = {one["row"]: one for one in told if one["kind"] == "alarm"}
    drifts = [one["row"] for one in told if one["kind"] == "drift"]
    burst = [row for row in scanner.BURST if row in alarms]
    fault = [row for row in scanner.FAULT if row in alarms]
    untouched = nothing_done(rows)
    untouched[:warm_up] = False
    return Findings(
        burst=len(burst),
        burst_first=burst[0] - scanner.BURST[0] + 1 if burst else None,
        fault=len(fault),
        fault_first=fault[0] - scanner.FAULT[0] + 1 if fault else None,
        named=sum(next(iter(alarms[row]["columns"] or ()), None) == scanner.LEAK for row in fault),
        drift=drifts[0] if drifts else None,
        false=float(np.mean([row in alarms for row in np.flatnonzero(untouched)])),
    )


def nothing_done(rows: int) -> Flags:
    """Which rows are as they should be."""
    out = np.arange(rows) < scanner.DRIFT
    out[scanner.BURST] = out[scanner.FAULT] = False
    return out
