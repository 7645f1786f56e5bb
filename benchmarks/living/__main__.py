"""The sections of docs/living.md."""

from __future__ import annotations

from benchmarks.pages import Page

OPENING = """\
# The living dictionary, measured

A stream has no end, so under a living model the dictionary shrinks, moves, forgets and is joined
with another. This page shows what that costs and what it keeps. Every number on it was written by

    python -m benchmarks.living --write docs/living.md

(`make bench-living` does the same; with names of sections only those are run, `--quick` runs
everything small). *Captured* means: the scatter of the rows along the model's components, divided
by that along as many components of batch kernel PCA, or of another model where one is named.
"""
PAGE = Page(
    "benchmarks.living",
    OPENING,
    (
        "streams",
        "short",
        "policies",
        "digits",
        "usps",
        "trials",
        "frontier",
        "certificates",
        "merging",
        "drift",
        "million",
        "cost",
    ),
    threaded=frozenset({"million"}),
)

if __name__ == "__main__":
    PAGE.main()
