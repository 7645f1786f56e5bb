"""What of the papers' experiments is not repeated, or comes out otherwise, and why."""

from __future__ import annotations

from benchmarks.living.common import table

TITLE = "What is not repeated, and why"

ROWS = [
    (
        "Kashima",
        "—",
        "shows no experiment; what is measured is the growth of a step that he derives",
    ),
    (
        "Chin & Suter",
        "Fig. 3(a)",
        "the 400 images of a teapot are not at hand",
    ),
    (
        "Chin & Suter",
        "Fig. 3(d), Table IV",
        "of the 5 760 faces in nine poses the frontal ones are at hand: another task, where only "
        "differences between methods can be compared",
    ),
    (
        "Chin & Suter",
        "Fig. 3(b), (c)",
        "with σ = 250 and 100 all images are orthogonal on grey levels of 0 to 255; wider kernels "
        "are taken; the distances of the reduced sets level off but still grow at the last row",
    ),
    (
        "Chin & Suter",
        "Table III",
        "residuals above 1 for a kernel with κ(x, x) = 1, and smaller than those of batch kernel "
        "PCA: neither can be",
    ),
    (
        "Chin & Suter",
        "Figs 5, 6",
        "the videos of 17 people are not at hand; ROC curves of other faces are in uses.md, and "
        "how subspaces of faces move from update to update is shown above, as for Fig. 3",
    ),
    (
        "Chin & Suter",
        "Fig. 7",
        "two of the three videos are not at hand; a face under changing light is in uses.md",
    ),
    (
        "Chin & Suter",
        "Fig. 4",
        "the images with a wider kernel than σ = 250, as in Fig. 3; another machine and language",
    ),
    (
        "Honeine",
        "Fig. 1",
        "his banana is not described; at t = 500 ours has no mature fourth and fifth function",
    ),
    (
        "Honeine",
        "6.2, order 90",
        "noise of variance 0.1 gives thousands of atoms unless grey levels are clipped, or 0.1 is "
        "its deviation",
    ),
    (
        "Honeine",
        "Fig. 6",
        "one weighted step does not clean our images; more steps and other pre-images do better",
    ),
    (
        "Souza Filho & Diniz",
        "Table II, small",
        "another distribution of USPS, and few dictionaries of our images allow that AC",
    ),
    (
        "Souza Filho & Diniz",
        "SubKHA, Tanaka",
        "known through this paper only; our exchanges come to an end among 300 images, our tracker "
        "starts faster",
    ),
    (
        "Huang & Yeh",
        "example 1",
        "the plain iteration diverges in most draws; the published 0.604 is one draw",
    ),
    (
        "Huang & Yeh",
        "example 2",
        "no kernel is named, and (β, ξ) = (0.002, 2) suit no kernel tried; ξ is set by the warm "
        "start",
    ),
    (
        "Huang & Yeh",
        "example 3, Fig. 5",
        "the start N(250, 1) with steps of 1/t diverges on grey levels; other starts and steps are "
        "taken, and the windows spoil little",
    ),
    (
        "Huang & Yeh",
        "example 4, Figs 6, 7",
        "neither β nor a start is named; the faces are like theirs, the cat is another",
    ),
]


def run(quick: bool) -> str:
    return f"""\
{table(["paper", "where", "why"], ROWS)}

Everything else that the papers show in numbers or curves is above, or in [uses.md](uses.md) for
what they show in applications. Slips of the texts are in [errata.md](errata.md).
"""
