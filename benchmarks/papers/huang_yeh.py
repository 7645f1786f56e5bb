"""Huang & Yeh: robust kernel PCA against outliers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from benchmarks import data
from benchmarks.pages import picture
from benchmarks.papers.common import COLOURS, Array, table, verdict

from okpca import OnlineKernelPCA, Trace, presets, weights
from okpca.dictionary import Fixed
from okpca.kernels import Polynomial
from okpca.rules.schedules import Inverse
from okpca.subspace import principal_angles

TITLE = "Huang & Yeh: robust kernel PCA, examples 1 and 2"
DRAWS, QUICK_DRAWS = 50, 1
SQUARES = Polynomial(degree=2, coef0=0, gamma=1)
EVERY = 15  # every 15th of the 150 points is an outlier
CLEAN = EVERY - 1  # rows before the first of them: the warm start


def run(quick: bool) -> str:
    parts = [parabola(quick), convergence(quick), phoneme(quick)]
    return "\n".join(parts)


# -- example 1 ------------------------------------------------------------------------------------


def points(seed: int, in_order: bool) -> tuple[Array, Array]:
    """The clean points and the contaminated ones, ten outliers evenly spread over the stream."""
    rng = np.random.default_rng(seed)
    x = np.linspace(-1, 1, 150)
    clean = np.column_stack([x, -0.3 * x**2 + 0.1 * rng.normal(size=150)])
    if not in_order:
        clean = clean[rng.permutation(150)]
    dirty = clean.copy()
    centres = rng.permutation(np.repeat([0.5, -0.5], 5))
    dirty[CLEAN::EVERY, 1] = rng.normal(centres, 1.5)
    return clean, dirty


def learners(geometry: str) -> Iterator[tuple[str, Any]]:
    beta = 0.07 if geometry == "empirical" else 1.0
    robust = weights.Exponential(beta)
    for name, weight in (("plain", "plain"), (f"robust, β = {beta}", robust)):
        yield f"iterative, {name}", presets.rkpca(1, robust=weight, burn_in=CLEAN)
        yield f"exact rule, {name}", OnlineKernelPCA(1, robust=weight, burn_in=CLEAN)
        yield f"batch, {name}", OnlineKernelPCA(1, robust=weight, burn_in=150)


def cosine(model: OnlineKernelPCA, truth: OnlineKernelPCA) -> float:
    if model.geometry == "rkhs":
        return float(np.cos(principal_angles(model, truth)[0]))
    a, b = model.dual_coef_[0], truth.dual_coef_[0]
    return float(abs(a @ b) / np.linalg.norm(a) / np.linalg.norm(b))


def one_draw(model: OnlineKernelPCA, geometry: str, seed: int, in_order: bool) -> float:
    clean, dirty = points(seed, in_order)
    settings: dict[str, Any] = {"kernel": SQUARES, "geometry": geometry, "nu": 0.0}
    if geometry == "empirical":
        settings["dictionary"] = Fixed(dirty)
    truth = OnlineKernelPCA(1, **settings).fit(clean)
    try:
        return cosine(model.set_params(**settings, random_state=seed).fit(dirty), truth)
    except ValueError:  # the steps grew without bound
        return np.nan


def parabola(quick: bool) -> str:
    seeds = range(QUICK_DRAWS if quick else DRAWS)
    rows, reached, plain = [], 0.0, 1.0
    for geometry in ("empirical", "rkhs"):
        for name, model in learners(geometry):
            cells = [geometry, name]
            for in_order in (True, False):
                values = np.array([one_draw(model, geometry, s, in_order) for s in seeds])
                cells.append(_median(values))
                if geometry == "empirical" and name.startswith("iterative") and not in_order:
                    if "robust" in name:
                        reached = float(np.median(values))
                    else:  # one that diverges points nowhere
                        plain = float(np.median(np.nan_to_num(values)))
            rows.append(cells)
    head = ["geometry", "", "rows in order of x", "rows in random order"]
    return f"""\
### Example 1: a parabola with ten outliers of 150

Kernel (xᵀu)², one component, {len(seeds)} draws; |cos| between the component learned from the
contaminated stream and that of the clean points: median (quartiles), and how many draws diverged.
Published, from one draw: 0.989 robust (β = 0.07), 0.604 plain. The rows before the first outlier,
{CLEAN}, are the warm start (section 3.2). *Empirical* takes the kernel values against all 150
points for Euclidean coordinates, as Algorithm 1 does; there a residual is a sum over 150 values and
β = 0.07 is large enough; in the feature space itself (*rkhs*) we use β = 1.

{table(head, rows)}

With steps of 1/t the plain iteration diverges in most draws in the empirical geometry: there
outliers have squared norms in the thousands. Where it does not, it depends on the draw: the
published 0.604 comes out for draws about the lower quartile, in that geometry, from the warm start
of clean rows, in order of x. In the feature space it is lower in order of x; in random order the
steps after an outlier repair most of the harm. The exact rule does not diverge: plain, it shows
what the outliers do to the answer, and robust, what the weights save. The batch fit starts once
from all rows alike and once from rows on a sphere and keeps the better end: from the first start
alone it stays with the outliers.

{verdict("median |cos| of the literal iteration at least 0.98", reached >= 0.98)}
{verdict("plain clearly lower (a draw that diverges counts as 0)", plain < 0.8)}
"""


def _median(values: Array) -> str:
    diverged = int(np.isnan(values).sum())
    if diverged == len(values):
        return "all diverged"
    low, middle, high = np.nanquantile(values, [0.25, 0.5, 0.75])
    text = f"{middle:.3f} ({low:.2f} – {high:.2f})"
    return text if not diverged else f"{text}, {diverged} diverged"


# -- Theorems 1 and 2 -----------------------------------------------------------------------------


def convergence(quick: bool) -> str:
    import matplotlib.pyplot as plt

    _, dirty = points(0, in_order=False)
    settings: dict[str, Any] = {"kernel": SQUARES, "nu": 0.0, "robust": weights.Exponential(1.0)}
    batch = OnlineKernelPCA(1, burn_in=150, **settings).fit(dirty)
    epochs = 5 if quick else 200
    rules = {
        "steps of 1/t": presets.rkpca(1, burn_in=CLEAN, epochs=epochs, **settings),
        "steps of 30/t": presets.rkpca(
            1, burn_in=CLEAN, epochs=epochs, schedule=Inverse(30.0), **settings
        ),
        "exact rule": OnlineKernelPCA(1, burn_in=CLEAN, epochs=epochs, **settings),
    }
    figure, ax = plt.subplots(figsize=(6, 3.6), layout="constrained")
    rows = []
    for colour, (name, model) in zip(COLOURS, rules.items(), strict=False):
        trace = Trace(150, reference=batch)
        model.fit(dirty, callback=trace)
        distance = np.array([record["distance"] for record in trace.records])
        ax.loglog(np.arange(1, len(distance) + 1), distance, color=colour, label=name)
        shown = [0, len(distance) // 10, len(distance) - 1]
        rows.append([name, *(f"{distance[i]:.4f}" for i in shown)])
    ax.set_xlabel("passes over the rows")
    ax.set_ylabel("angle to the batch solution (rad)")
    ax.legend(frameon=False)
    line = picture(figure, "huang_yeh_convergence", "angle against passes", quick)
    plt.close(figure)
    head = ["angle to the batch robust solution", *(f"pass {i + 1}" for i in shown)]
    return f"""\
### The iteration converges to the batch solution (Theorems 1 and 2)

The points of example 1, one draw, again and again, in the feature space, β = 1.

{table(head, rows)}

A step of 1/t turns a component at the rate t to the power of minus the gap of the eigenvalues, here
0.05: it converges, but no stream is long enough to see it. Larger steps of the same shape, or the
exact rule, get there.

{line}
"""


# -- example 2 ------------------------------------------------------------------------------------


def curves(seed: int) -> tuple[Array, Array]:
    stored = data.arrays("phoneme_npfda_2000x150.npz")
    clean = stored["X"][stored["y"] == 1].astype(np.float64)
    rng = np.random.default_rng(seed)
    clean = clean[rng.permutation(len(clean))]
    t = (np.arange(150) + 0.5) / 150
    dirty = clean.copy()
    dirty[19::20] += 5 * np.cos(2 * np.pi * t) + 3 * rng.uniform(size=(20, 150))
    return clean, dirty


def usual_residual(warm: Array) -> float:
    """Median halved squared residual of the warm start to its own three components."""
    centred = warm - warm.mean(axis=0)
    _, _, V = np.linalg.svd(centred, full_matrices=False)
    rest = centred - centred @ V[:3].T @ V[:3]
    return float(np.median(np.square(rest).sum(axis=1)) / 2)


def components(clean: Array) -> Array:
    """The first three of curves without outliers."""
    _, _, V = np.linalg.svd(clean - clean.mean(axis=0), full_matrices=False)
    return np.asarray(V[:3])


def curve_cosines(model: OnlineKernelPCA, truth: Array) -> Array:
    V = model.dual_coef_ @ model.atoms_
    return np.asarray(np.abs((V * truth).sum(axis=1)) / np.linalg.norm(V, axis=1))


def phoneme(quick: bool) -> str:
    draws = 1 if quick else 20
    found: dict[str, list[Array]] = {}
    for seed in range(draws):
        clean, dirty = curves(seed)
        xi = 2 * usual_residual(dirty[:19])
        settings: dict[str, Any] = {"kernel": "linear", "nu": 0.0, "burn_in": 19}
        fitted = weights.Logistic(beta=8 / xi, xi=xi)
        published = weights.Logistic(0.002, 2.0)
        models = {
            "exact rule, robust, ξ from the warm start": OnlineKernelPCA(
                3, robust=fitted, **settings
            ),
            'exact rule, `robust="auto"`, its own warm start': OnlineKernelPCA(
                3, robust="auto", kernel="linear", nu=0.0
            ),
            "iterative, ξ from the warm start, steps of 0.05/t": presets.rkpca(
                3, robust=fitted, schedule=Inverse(0.05), **settings
            ),
            "exact rule, robust, (β, ξ) = (0.002, 2)": OnlineKernelPCA(
                3, robust=published, **settings
            ),
            "exact rule, plain": OnlineKernelPCA(3, **settings),
            "iterative, plain, steps of 0.05/t": presets.rkpca(
                3, robust="plain", schedule=Inverse(0.05), **settings
            ),
        }
        for name, model in models.items():
            try:
                cosines = curve_cosines(model.fit(dirty), components(clean))
            except ValueError:  # diverged
                cosines = np.full(3, np.nan)
            found.setdefault(name, []).append(cosines)
    rows = [["published, robust", "0.973", "0.965", "0.959"]]
    rows += [["published, plain", "0.599", "0.107", "0.038"]]
    for name, values in found.items():
        cells = [_median(column) for column in np.array(values).T]
        rows.append([f"ours: {name}", *cells])
    best = np.median(np.array(found["exact rule, robust, ξ from the warm start"]), axis=0)
    plain = np.median(np.array(found["exact rule, plain"]), axis=0)
    return f"""\
### Example 2: the phoneme "sh", one curve in twenty contaminated

400 log-periodograms, three components, Ψ₂, {draws} draws of the contaminated curves; |cos| with the
components of the clean curves, median (quartiles). The 19 curves before the first contaminated one
are the warm start.

{table(["", "first", "second", "third"], rows)}

The paper does not name its kernel. We take the linear one, whose components are the curves of its
Fig. 4. Its (β, ξ) = (0.002, 2) do not fit that scale, where a clean curve has a halved residual of
about 100; Gaussian kernels between γ = 1e-4 and 1e-2 in the empirical geometry, with all curves or
60 of them for a dictionary, did not bring the published figures out either. So ξ is set to twice
the median residual of the warm start and β to 8/ξ, which a user can do; `robust="auto"` finds a ξ
by itself, and takes the first 200 curves, ten of them contaminated, for a warm start. Steps of 1/t
diverge on this scale, whatever the weight.

{verdict("all three robust |cos| at least 0.95", bool((best >= 0.95).all()))}
{verdict("plain far below", bool((plain < 0.8).all()))}
"""
