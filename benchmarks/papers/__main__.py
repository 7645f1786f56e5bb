"""The sections of docs/papers.md."""

from __future__ import annotations

from benchmarks.pages import Page

OPENING = """\
# The papers' experiments, repeated

Five papers describe what this library does. Their tables and figures are repeated here with the
library, the published numbers beside ours. Every number of ours on this page was written by

    python -m benchmarks.papers --write docs/papers.md

(`make papers` does the same; `--section NAME` runs one section, `--quick` runs everything small).
A section that was measured is kept in `build/sections/` until its code or the library changes;
`--fresh` measures it all the same. Where the text of a paper leaves a choice open, the section says
which one was made.
"""
PAGE = Page(
    "benchmarks.papers",
    OPENING,
    (
        "souza_filho",
        "souza_filho_limit",
        "honeine",
        "honeine_mnist",
        "honeine_denoised",
        "chin_suter",
        "chin_suter_images",
        "chin_suter_faces",
        "chin_suter_time",
        "huang_yeh",
        "huang_yeh_curves",
        "huang_yeh_image",
        "huang_yeh_faces",
        "kashima",
        "not_repeated",
    ),
    keeps=True,
)

if __name__ == "__main__":
    PAGE.main()
