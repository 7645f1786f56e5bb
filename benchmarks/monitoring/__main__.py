"""The sections of docs/monitoring.md."""

from __future__ import annotations

from benchmarks.pages import Page

OPENING = """\
# Running for weeks

`KernelNoveltyDetector` learns while it watches. A row is scored first; if it is within the limits
it is learned, and the limits follow. So it needs no tuning run and follows a process that ages, and
two things must be known of it when nobody looks for weeks: does it keep up, and does it tell when
what it calls normal has moved? This page measures both. Every number on it was written by

    python -m benchmarks.monitoring --write docs/monitoring.md

(`make bench-monitoring` does the same; with names of sections only those are run, `--quick` runs
everything small).

## What to look at

```python
import numpy as np
import pandas as pd

from okpca import KernelNoveltyDetector
from okpca.plots import ControlChartDisplay

n, rng = 12_000, np.random.default_rng(0)
rows = rng.normal(size=(n, 3)) + np.linspace([0, 0, 0], [3, 0, 0], n)  # the flow creeps up
minutes = pd.date_range("2024-03-01", periods=n, freq="min")
stream = pd.DataFrame(rows, columns=["flow", "level", "heat"], index=minutes)

detector = KernelNoveltyDetector(gamma="median", scale="robust", max_atoms=50)
days = []
for day, frame in stream.groupby(stream.index.date):  # or arrays, or single rows
    days.append(detector.monitor(frame))  # scored, then learned, row by row

days[-1].to_frame()  # scores, limit, alarms, learned, drift; its index is that of the frame
ControlChartDisplay.from_monitored(days)  # against time; grey since the stream has drifted
if detector.drift_.since is not None:
    detector.drift_.what  # moved most; see the chart, and who knows the process
    detector.accept_drift()  # when someone has looked, and it is the new normal
```

- **An alarm** is about a row: it is farther out than all but `contamination` of the rows before it.
  It is not learned. `contributions` says which column. A long run of alarms is a fault, or a new
  normal: `accept_after` learns it after so many rows, nothing else does.
- **A small fault that stays** is not a long run: most of its rows are within the limits, and those
  are learned: the younger the model, the sooner it knows them, within a few hundred rows. Not to
  learn in an event would lock slow streams out where they live. Averages (`ewma=0.1`) see more of
  it and for longer, and `predict` learns nothing.
- **Drift** is about the stream, and no row need be an alarm. `drift_` compares the last rows with
  those soon after the start, as components see them that were taken once and do not follow:
  `value` is the difference in standard errors, `limit` what chance stays below, `since` the row
  before which it was announced, `what` moved most. Rows that are alarms do not count, since they
  are not learned. An announcement stays until `accept_drift`, `accept_after` or `fit`: then the
  next `window` rows are learned before new components are taken for it.
- **No limit yet**: the first `warm_up` rows are not scored, and a quantile limit waits for
  `1 / contamination - 1` scores, and longer where rows follow each other slowly: until they are
  half of `1 / contamination` times as many as a row is remembered, or the window is full. Nor is
  there a limit where it would be beyond what a row unlike all others scores. Until then it is
  infinite, and charts say so; `fit`, `describe` and `okpca monitor` say why.
- **On a first turn** of a slow cycle every row is a stranger, and is learned. Gross faults are
  found once the cycle has come back: limits are then set by what the rows of the window would score
  today, had they not been learned, where the last rows bear that out, and as long as no event
  belies it. A `warm_up` that holds a whole cycle is better.
- After a stop, `start_run` tells that the next row does not follow the last one.
- Memory does not grow: `max_atoms` atoms, `window` rows and scores, 40 block means for the drift,
  and every second row since limits were last set (`refresh`). Pickle the detector between two
  calls to keep it; it goes on as if nothing had been.
- `forgetting` below 1 lets old rows go: the model follows faster. The drift is then announced just
  as soon, because what it is measured against does not follow.

Drift cannot be announced at once: `warm_up` and `window` rows come first, then twenty blocks of
rows to compare with, and twenty of today, 2 560 rows together where rows do not depend on each
other, and up to 32 times as many the longer a stream remembers. That no more than 1 % of streams
are announced by chance holds where rows depend on some ten rows before them; with a memory of a
hundred rows some per cent are (the table below says how many). A stream that remembers a thousand
rows or more, or has so long a season, cannot be told from one that drifts: read
`since` against the season.
"""
PAGE = Page("benchmarks.monitoring", OPENING, ("speed", "order", "stationary", "power"))

if __name__ == "__main__":
    PAGE.main()
