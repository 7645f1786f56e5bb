"""Kernel PCA of the handwritten digits, learnt as a stream: `python -m okpca.plots.demo`."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from time import perf_counter

import numpy as np
from numpy.typing import NDArray
from sklearn.datasets import load_digits
from sklearn.decomposition import KernelPCA

from okpca._core.typing import Array
from okpca.estimator import OnlineKernelPCA

N_COMPONENTS = 16
GAMMA = 0.05
BATCH = 100

# Paul Tol's "muted" scheme, distinct to colour-blind eyes, with black as its tenth.
COLOURS = [
    *("#332288", "#88CCEE", "#44AA99", "#117733", "#999933"),
    *("#DDCC77", "#CC6677", "#882255", "#AA4499", "#000000"),
]


def main(argv: Sequence[str] | None = None) -> int:
    """Learn, print the table, save the picture; return the exit code."""
    args = _parser().parse_args(argv)
    try:
        import matplotlib  # noqa: F401
        import tqdm  # noqa: F401
    except ImportError as error:
        return _refuse(f'{error.name} is not installed: pip install "okpca[demo]"')
    if not args.output.parent.is_dir():
        return _refuse(f"{args.output.parent} is not a folder: choose another --output")

    X, digit = load_digits(return_X_y=True)
    X = X / 16.0
    model, seconds = learn(X)
    scores = np.asarray(model.transform(X), dtype=np.float64)
    print(table(model, X, scores, seconds))
    try:
        draw(scores, digit, model.explained_variance_ratio_, args.output)
    except (OSError, ValueError) as error:
        return _refuse(f"cannot save {args.output}: {error}")
    print(f"\npicture: {args.output}")
    return 0


def learn(X: Array) -> tuple[OnlineKernelPCA, float]:
    """Stream the rows through a new model; return it and the seconds spent learning."""
    from tqdm import tqdm

    new_model().partial_fit(X[:BATCH])  # compile (first run on a machine) or load what was compiled
    model, seconds = new_model(), 0.0
    with tqdm(total=len(X), unit="row", desc="learning", file=sys.stderr, disable=None) as bar:
        for start in range(0, len(X), BATCH):
            batch = X[start : start + BATCH]
            began = perf_counter()
            model.partial_fit(batch)
            seconds += perf_counter() - began
            bar.update(len(batch))
    return model, seconds


def new_model() -> OnlineKernelPCA:
    """Return the demo's model, not yet fitted."""
    return OnlineKernelPCA(N_COMPONENTS, kernel="rbf", gamma=GAMMA)


def table(model: OnlineKernelPCA, X: Array, scores: Array, seconds: float) -> str:
    """Return what the stream taught the model, beside batch kernel PCA of all the rows."""
    batch = KernelPCA(N_COMPONENTS, kernel="rbf", gamma=GAMMA, eigen_solver="arpack")
    captured, cosine = agreement(scores, batch.fit_transform(X))
    explained = float(np.sum(model.explained_variance_ratio_))
    lines = {
        "rows": f"{len(X)}, in batches of {BATCH}",
        "rows/s, compilation aside": f"{len(X) / seconds:,.0f}",
        "atoms": f"{model.n_atoms_}",
        f"explained variance ratio, {N_COMPONENTS} components": f"{explained:.4f}",
        "variance captured / batch KernelPCA's": f"{captured:.4f}",
        "mean |cos| of scores to batch KernelPCA's": f"{cosine:.4f}",
    }
    width = max(map(len, lines))
    return "\n".join(f"{label:<{width}}  {value}" for label, value in lines.items())


def agreement(ours: Array, theirs: Array) -> tuple[float, float]:
    """Return the ratio of the scores' variances, and the mean |cos| between their columns."""
    ours, theirs = ours - ours.mean(axis=0), theirs - theirs.mean(axis=0)
    captured = np.sum(ours**2) / np.sum(theirs**2)
    norms = np.linalg.norm(ours, axis=0) * np.linalg.norm(theirs, axis=0)
    return float(captured), float(np.mean(np.abs(np.sum(ours * theirs, axis=0)) / norms))


def draw(scores: Array, digit: NDArray[np.int64], ratio: Array, path: Path) -> None:
    """Save the rows on the first two components, each drawn as its own digit."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8, 7))
    axes = figure.subplots()
    for d, colour in enumerate(COLOURS):
        x, y = scores[digit == d, :2].T
        axes.scatter(x, y, s=36, marker=f"${d}$", color=colour, linewidths=0.3, label=f"digit {d}")
    axes.set_title(f"Online kernel PCA of {len(scores)} handwritten digits (RBF, γ = {GAMMA})")
    axes.set_xlabel(f"component 1 ({ratio[0]:.1%} of the kernel variance)")
    axes.set_ylabel(f"component 2 ({ratio[1]:.1%} of the kernel variance)")
    axes.set_aspect("equal")
    axes.legend(loc="center left", bbox_to_anchor=(1.0, 0.5), frameon=False, markerscale=1.4)
    figure.savefig(path, format=path.suffix[1:] or "png", dpi=150, bbox_inches="tight")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m okpca.plots.demo", description=__doc__)
    parser.add_argument(
        "--output",
        type=Path,
        default=Path("okpca-demo.png"),
        metavar="FILE",
        help="where to save the picture (default: %(default)s)",
    )
    return parser


def _refuse(why: str) -> int:
    print(f"okpca.plots.demo: {why}", file=sys.stderr)
    return 2


if __name__ == "__main__":
    sys.exit(main())
