"""A stream whose subspace turns, or jumps: does the model follow?"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from benchmarks.living.common import Array, batch, cosines, table, verdict

from okpca import OnlineKernelPCA, kernels

TITLE = "Drift"
FIGURE = Path("docs/figures/drift.png")
D, R, ATOMS = 8, 4, 100
KERNEL = kernels.RBF(0.25)
STREAMS = {"rotates": 1500, "switches": 1}  # in how many rows
MODELS = {"forgetting=0.998": 0.998, "forgetting=0.995": 0.995, "no forgetting": 1.0}
COLOURS = {
    "forgetting=0.998": "#0072B2",
    "forgetting=0.995": "#E69F00",
    "no forgetting": "#000000",
}
DASHES = {"forgetting=0.998": "-", "forgetting=0.995": "--", "no forgetting": ":"}


def ring(n: int, rng: np.random.Generator) -> Array:
    """Rows about a circle in the first two of eight columns."""
    angle = rng.uniform(0, 2 * np.pi, n)
    X = rng.normal(scale=0.05, size=(n, D))
    X[:, 0] += np.cos(angle)
    X[:, 1] += np.sin(angle)
    return X


def turned(X: Array, turn: Array) -> Array:
    """Columns 1, 2 turned towards columns 3, 4; a quarter turn makes the planes orthogonal."""
    X, c, s = X.copy(), np.cos(turn), np.sin(turn)
    for i, j in ((0, 2), (1, 3)):
        X[:, i], X[:, j] = c * X[:, i] - s * X[:, j], s * X[:, i] + c * X[:, j]
    return X


def distance(model: OnlineKernelPCA, X: Array, coef: Array) -> float:
    """√(mean of sin² of the principal angles)."""
    cos = np.linalg.svd(cosines(model, X, coef), compute_uv=False)
    return float(np.sqrt(max(0.0, 1 - np.square(cos).sum() / R)))


def follow(lasts: int, forgetting: float, start: int, end: int, every: int) -> Array:
    """The distance to the truth of the moment, every so many rows."""
    rng = np.random.default_rng(0)
    fresh = ring(1500, np.random.default_rng(1))
    # The kernel only sees distances, so the truth turns with the rows.
    _, coef = batch(KERNEL, fresh, R)
    turn = np.clip((np.arange(end) - start) / lasts, 0, 1) * np.pi / 2
    stream = turned(ring(end, rng), turn)
    model = OnlineKernelPCA(
        R, kernel=KERNEL, max_atoms=ATOMS, forgetting=forgetting, random_state=0
    )
    path = []
    for row in range(every, end + 1, every):
        model.partial_fit(stream[row - every : row])
        path.append(distance(model, turned(fresh, turn[row - 1]), coef))
    return np.array(path)


def run(quick: bool) -> str:
    start, end, every = (2_000, 6_000, 100) if quick else (4_000, 10_000, 20)
    at = np.arange(every, end + 1, every)
    paths = {
        (stream, name): follow(lasts, forgetting, start, end, every)
        for stream, lasts in STREAMS.items()
        for name, forgetting in MODELS.items()
    }
    rows, follows = [], True
    for (stream, name), path in paths.items():
        lasts, after = STREAMS[stream], path * (at > start)
        peak, changed = after.max(), start + lasts
        above = at[after > 0.1 * peak].max()
        recovered = above < end
        took = str(above + every - changed) if recovered else "never"
        rows.append((f"{stream}, {name}", f"{peak:.2f}", f"{path[-1]:.3f}", took))
        follows &= recovered == (name != "no forgetting")
    if not quick:
        draw(at, paths, start)
    head = ["stream, model", "peak", "at the end", "rows until below 0.1 of the peak"]
    return f"""\
Rows lie about a circle in a plane of eight-dimensional space (RBF γ = {KERNEL.gamma}, four components,
`max_atoms={ATOMS}`). After {start} rows the plane turns into an orthogonal one: within
{STREAMS["rotates"]} rows in one stream, at once in the other. The distance is
√(mean of sin² of the principal angles) between the model's subspace and batch kernel PCA's of
1500 fresh rows of the distribution of the moment; it is taken every {every} rows up to row {end}. The
last column counts from the end of the change to where the distance has fallen below a tenth of its
peak for good.

{table(head, rows)}

![subspace distance against rows seen, for both streams](figures/{FIGURE.name})

{verdict("models that forget come below a tenth of the peak, the other does not", follows)}
"""


def draw(at: Array, paths: dict[tuple[str, str], Array], start: int) -> None:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8, 3.4), layout="constrained")
    panels = figure.subplots(1, 2, sharey=True)
    for axes, (stream, lasts) in zip(panels, STREAMS.items(), strict=True):
        axes.axvspan(start, start + max(lasts, 40), color="0.85", lw=0, label="change")
        for name, colour in COLOURS.items():
            axes.plot(at, paths[stream, name], DASHES[name], color=colour, lw=1.6, label=name)
        axes.set_title(f"the subspace {stream}")
        axes.set_xlabel("rows seen")
        axes.set_ylim(0, 1.05)
        axes.spines[["top", "right"]].set_visible(False)
    panels[0].set_ylabel("distance to the current truth")
    panels[1].legend(frameon=False)
    FIGURE.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(FIGURE, dpi=120)
