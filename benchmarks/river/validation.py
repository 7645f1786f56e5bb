"""Progressive validation: does a linear model do better behind the components?"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

from benchmarks.living.common import table
from river import (
    datasets,
    evaluate,
    feature_extraction,
    linear_model,
    metrics,
    multiclass,
    preprocessing,
)

from okpca import KernelWarning
from okpca.river import OnlineKernelPCA

TITLE = "Does it help?"
ATOMS, COMPONENTS = 100, 20
SETS: dict[str, Callable[[], Any]] = {
    "Bananas": datasets.Bananas,
    "Phishing": datasets.Phishing,
    "ImageSegments": datasets.ImageSegments,
}


def between(**params: Any) -> Callable[[], Any]:
    return lambda: OnlineKernelPCA(COMPONENTS, max_atoms=ATOMS, **params)


STEPS: dict[str, Callable[[], Any] | None] = {
    "nothing between": None,
    f"`RBFSampler({ATOMS})`": lambda: feature_extraction.RBFSampler(n_components=ATOMS, seed=0),
    '`gamma="median"`': between(gamma="median"),
    "with `refresh=1`": between(gamma="median", refresh=1),
    "`gamma=1`": between(gamma=1.0),
}


def accuracy(stream: Any, step: Callable[[], Any] | None, many: bool) -> float:
    line = linear_model.LogisticRegression()
    last = multiclass.OneVsRestClassifier(line) if many else line
    scaler = preprocessing.StandardScaler()
    model = (
        scaler | last if step is None else scaler | step() | preprocessing.StandardScaler() | last
    )
    return float(evaluate.progressive_val_score(stream, model, metrics.Accuracy()).get())


def run(quick: bool) -> str:
    most = 30 if quick else 5300
    lines = []
    for name, make in SETS.items():
        found = []
        for step in STEPS.values():
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", KernelWarning)
                found.append(accuracy(make().take(most), step, name == "ImageSegments"))
        few = min(make().n_samples, most)
        lines.append((f"{name}, {few} rows", *(f"{value:.3f}" for value in found)))
    return f"""\
`evaluate.progressive_val_score` on the classified streams that come with River: accuracy of a
logistic regression (one against the rest where there are more than two classes), every row told
before it is learned. Columns are scaled before the step in question and after it. Of
`OnlineKernelPCA` {COMPONENTS} components and {ATOMS} atoms; nothing was tuned, both widths are
shown.

{table(["stream", *STEPS], lines)}

Where classes are bent around each other a line cannot tell them, and components help most. Where
it can, they may lose: {COMPONENTS} components hold less than the columns do. A width that does not
suit the columns loses more than anything else, so `gamma="median"` is the safer choice. That
components are not taken anew for every row (`refresh`) hardly shows.
"""
