"""The sections of docs/uses.md."""

from __future__ import annotations

from benchmarks.pages import Page

OPENING = """\
# Uses, measured

What kernel principal components of a stream are used for: cleaning rows of noise, filling in what
they lack, noticing rows that are not like the others, telling faces apart, following an object.
Every number on this page was written by

    python -m benchmarks.uses --write docs/uses.md

(`make bench-uses` does the same; with names of sections only those are run, `--quick` runs
everything small).
"""
PAGE = Page(
    "benchmarks.uses",
    OPENING,
    (
        "suggested",
        "suggested_denoising",
        "denoising",
        "missing",
        "novelty",
        "contaminated",
        "unseen",
        "faults",
        "tennessee",
        "skab",
        "limits",
        "distributions",
        "faces",
        "tracking",
    ),
)

if __name__ == "__main__":
    PAGE.main()
