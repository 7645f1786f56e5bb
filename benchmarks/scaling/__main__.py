"""The sections of docs/scaling.md."""

from __future__ import annotations

from benchmarks.pages import Page

OPENING = """\
# Past one machine

Rows are learned where they are, models are merged two by two, and only models travel:
[clusters.md](clusters.md) says how. This page says what that costs and what it keeps. Every number
on it was written by

    python -m benchmarks.scaling --write docs/scaling.md

(`make bench-scaling` does the same; with names of sections only those are run, `--quick` runs
everything small). *Captured* is the variance of the rows along the model's components, relative to
that of another model where one is named.
"""
PAGE = Page("benchmarks.scaling", OPENING, ("costs", "parts", "work", "cluster", "kills"))

if __name__ == "__main__":
    PAGE.main()
