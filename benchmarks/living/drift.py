"""A stream whose subspace turns, or jumps: does the model follow?"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from benchmarks.living.common import Array, batch, cosines, table, verdict

from okpca import OnlineKernelPCA, kernels

TITLE = "Drift"
FIGURE = Path("docs/figures/drift.png")
D, R, ATOMS, EVERY, WITHIN = 8, 4, 100, 20, 1500
MODELS = {"forgetting=0.998": 0.998, "forgetting=0.995": 0.995, "no forgetting": 1.0}
STYLES = dict(zip(MODELS, [("-", "#0072B2"), ("--", "#E69F00"), (":", "#000000")], strict=True))


@dataclass(frozen=True)
class Setting:
    gamma: float
    start: int  # the row at which the plane begins to turn
    turn: int  # in how many rows it turns, where it does not jump
    end: int

    @property
    def streams(self) -> dict[str, int]:
        return {"rotates": self.turn, "switches": 1}


# All that were looked at; the last is drawn.
SETTINGS = [
    Setting(0.5, 2_000, 2_000, 12_000),
    Setting(0.25, 4_000, 1_500, 10_000),
    Setting(0.5, 4_000, 1_000, 10_000),
]


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


def follow(setting: Setting, lasts: int, forgetting: float) -> Array:
    """The distance to the truth of the moment, every so many rows."""
    rng = np.random.default_rng(0)
    kernel, end = kernels.RBF(setting.gamma), setting.end
    fresh = ring(1500, np.random.default_rng(1))
    # The kernel only sees distances, so the truth turns with the rows.
    _, coef = batch(kernel, fresh, R)
    turn = np.clip((np.arange(end) - setting.start) / lasts, 0, 1) * np.pi / 2
    stream = turned(ring(end, rng), turn)
    model = OnlineKernelPCA(
        R, kernel=kernel, max_atoms=ATOMS, forgetting=forgetting, random_state=0
    )
    path = []
    for row in range(EVERY, end + 1, EVERY):
        model.partial_fit(stream[row - EVERY : row])
        path.append(distance(model, turned(fresh, turn[row - 1]), coef))
    return np.array(path)


def recovery(setting: Setting, lasts: int, path: Array) -> tuple[float, int | None, float]:
    """Peak, rows from the end of the change to below a tenth of it for good, and the rest."""
    at = EVERY * np.arange(1, len(path) + 1)
    after = path * (at > setting.start)
    above = int(at[after >= 0.1 * after.max()].max())
    # For good: a dip of the noise is no recovery, nor is a lucky end.
    came = above + EVERY - setting.start - lasts if above < 0.9 * setting.end else None
    return float(after.max()), came, float(np.median(path[-len(path) // 10 :]))


def run(quick: bool) -> str:
    rows, passed = [], dict.fromkeys(MODELS, 0)
    settings = SETTINGS[-1:] if quick else SETTINGS
    for setting in settings:
        paths = {}
        for stream, lasts in setting.streams.items():
            within = f" in {lasts}" if lasts > 1 else ""
            label = f"γ = {setting.gamma}, {stream}{within} after {setting.start}"
            cells = []
            for name, forgetting in MODELS.items():
                paths[stream, name] = path = follow(setting, lasts, forgetting)
                peak, came, rest = recovery(setting, lasts, path)
                passed[name] += came is not None and came <= WITHIN
                cells.append(f"{'never' if came is None else came} ({peak:.2f} → {rest:.3f})")
            rows.append((label, *cells))
        if not quick and setting is settings[-1]:
            draw(setting, paths)
    tally = ", ".join(f"{name} {count} of {len(rows)}" for name, count in passed.items())
    goal = f"within {WITHIN} rows a model that forgets recovers in every stream, one that does not "
    goal += "in none"
    reached = max(passed.values()) == len(rows) and passed["no forgetting"] == 0
    return f"""\
Rows lie about a circle in a plane of eight-dimensional space (RBF, four components,
`max_atoms={ATOMS}`). The plane turns into an orthogonal one, slowly in one stream, at once in the
other. The distance is √(mean of sin² of the principal angles) between the model's subspace and
batch kernel PCA's of 1500 fresh rows of the distribution of the moment, every {EVERY} rows. Each
cell: rows from the end of the change until the distance is below a tenth of its peak and stays
there (peak → median of the last tenth of the stream).

{table(["stream", *MODELS], rows)}

Streams recovered from within {WITHIN} rows: {tally}.
A shorter memory follows sooner and has a lower peak, but keeps more noise; where the noise exceeds
a tenth of a low peak the test cannot be passed. Without forgetting the old plane keeps its weight,
and only several times as many new rows outweigh it.
{verdict(goal, reached)}

![subspace distance against rows seen, for both streams](figures/{FIGURE.name})
"""


def draw(setting: Setting, paths: dict[tuple[str, str], Array]) -> None:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8, 3.6), layout="constrained")
    panels = figure.subplots(1, 2, sharey=True)
    for axes, (stream, lasts) in zip(panels, setting.streams.items(), strict=True):
        change = (setting.start, setting.start + max(lasts, 40))
        axes.axvspan(*change, color="0.85", lw=0, label="the change")
        for name, (dash, colour) in STYLES.items():
            path = paths[stream, name]
            at = EVERY * np.arange(1, len(path) + 1)
            axes.plot(at, path, dash, color=colour, lw=1.6, label=name)
        axes.set_title(f"the subspace {stream}")
        axes.set_xlabel("rows seen")
        axes.set_ylim(0, 1.05)
        axes.spines[["top", "right"]].set_visible(False)
    panels[0].set_ylabel("distance to the current truth")
    lines = panels[0].get_legend_handles_labels()
    figure.legend(*lines, loc="outside lower center", ncols=4, frameon=False)
    FIGURE.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(FIGURE, dpi=120)
