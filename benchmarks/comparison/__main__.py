"""The sections of docs/comparison.md."""

from __future__ import annotations

from benchmarks.pages import Page

OPENING = """\
# All rules beside each other

Every rule of the library that has a name, on the same rows, with the same kernel, the same atoms
and the same number of components, against what batch kernel PCA of all rows finds. Every number and
figure was written by

    python -m benchmarks.comparison --write docs/comparison.md

(`make comparison` does the same; with names of sections only those are run, `--quick` runs
everything small).

**AC** is the mean |cosine| of component i with component i of batch kernel PCA. **Captured** is the
variance of the rows in the span of the components, as a share of what the best span of that size
holds: a rule may have found the subspace and not yet the components in it. **µs a row** is
processor time, the kernel and the dictionary included, rows coming in blocks of 100, from one run
on a machine that had other work: differences of a third mean nothing. Looking is not counted. Step
rules run with the settings of their papers or, where these speak of other data, with the
library's defaults; nothing was tuned to the data of this page. *Steps tuned* repeats some
with the best of four constant step sizes, which only who knows the answer can choose.

The rules: `exact` (scatter matrix in coordinates); `incremental-svd` (Chin & Suter); the Hebbian
family `okha` (Honeine), `oo-kha`, `on-kha` (Souza Filho & Diniz), `oja` (Kashima), `apex`;
`tanaka`; `kha-et` and `kha-smd` (Günter, Schraudolph & Vishwanathan); `ccipca` (Weng, Zhang &
Hwang); `ada-oja` (Henriksen & Ward); `history` (Yang, Hsieh & Wang).
"""
PAGE = Page("benchmarks.comparison", OPENING, ("usps", "mnist", "drifting", "preimages", "choice"))

if __name__ == "__main__":
    PAGE.main()
