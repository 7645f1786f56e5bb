"""Huang & Yeh, Figures 1 to 4: weights and directions, row after row."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from benchmarks.pages import picture
from benchmarks.papers.common import COLOURS, Array, table, verdict
from benchmarks.papers.huang_yeh import (
    CLEAN,
    EVERY,
    SQUARES,
    components,
    cosine,
    curve_cosines,
    curves,
    one_draw,
    points,
    usual_residual,
)

from okpca import OnlineKernelPCA, Trace, presets, weights
from okpca.dictionary import Fixed
from okpca.rules.schedules import Inverse

TITLE = "Huang & Yeh, Figures 1 to 4: weights and directions"
WARM = 19  # curves before the first contaminated one


@dataclass
class Path:
    """Of one learner: rows that have come, |cos| with each clean component, weight of each row."""

    rows: Array
    cosines: Array  # (rows, components); NaN from where it has diverged
    weight: Array
    model: OnlineKernelPCA | None


def followed(model: OnlineKernelPCA, stream: Array, warm: int, likeness: Any) -> Path:
    """One pass, a look after every row that follows the warm start."""
    trace, cosines = Trace(), []
    rows = np.arange(warm, len(stream) + 1)
    learned: OnlineKernelPCA | None = model
    try:
        for t in rows:
            part = stream[:warm] if t == warm else stream[t - 1 : t]
            model.partial_fit(part, callback=trace)
            cosines.append(likeness(model))
    except ValueError:  # the steps grew without bound
        learned = None
    width = len(np.atleast_1d(cosines[0]))
    found = np.full((len(rows), width), np.nan)
    found[: len(cosines)] = np.reshape(cosines, (-1, width))
    weight = np.full(len(stream) + 1, np.nan)
    for record in trace.records:
        weight[record["row"]] = record["weight"]
    return Path(rows, found, weight[rows], learned)


def parabola(draw: int, *names: str) -> dict[str, Path]:
    """Example 1, one draw, in order of x: Algorithm 1 to the letter."""
    clean, dirty = points(draw, in_order=True)
    settings: dict[str, Any] = {"kernel": SQUARES, "geometry": "empirical", "nu": 0.0}
    settings |= {"dictionary": Fixed(dirty)}
    truth = OnlineKernelPCA(1, **settings).fit(clean)
    robust = {"plain": "plain", "robust": weights.Exponential(0.07)}
    return {
        name: followed(
            presets.rkpca(1, robust=weight, burn_in=CLEAN, random_state=draw, **settings),
            dirty,
            CLEAN,
            lambda model: cosine(model, truth),
        )
        for name, weight in robust.items()
        if name in names
    }


def published_draw(draws: int) -> tuple[int, dict[str, Path]]:
    """The draw whose plain iteration ends nearest to the published 0.604."""
    plain = presets.rkpca(1, robust="plain", burn_in=CLEAN)
    ends = [one_draw(plain, "empirical", draw, in_order=True) for draw in range(draws)]
    draw = int(np.argmin(np.abs(np.nan_to_num(ends) - 0.604)))
    return draw, parabola(draw, "plain", "robust")


def phoneme(rows: int | None) -> tuple[Array, dict[str, Path]]:
    """Example 2, one draw, by Ψ₂ with ξ from the warm start and steps of 0.05/t."""
    clean, dirty = curves(0)
    dirty = dirty[:rows]
    truth = components(clean)
    xi = 2 * usual_residual(dirty[:WARM])
    settings: dict[str, Any] = {"kernel": "linear", "nu": 0.0, "burn_in": WARM}
    settings |= {"schedule": Inverse(0.05)}
    robust = {
        "plain": "plain",
        "robust": weights.Logistic(beta=8 / xi, xi=xi),
        "robust, Ψ₁": weights.Exponential(1 / xi),
    }
    return clean, {
        name: followed(
            presets.rkpca(3, robust=weight, **settings),
            dirty,
            WARM,
            lambda model: curve_cosines(model, truth),
        )
        for name, weight in robust.items()
    }


def told(paths: dict[str, Path], outliers: Array) -> list[tuple[str, ...]]:
    rows = []
    for name, path in paths.items():
        bad = np.isin(path.rows, outliers)
        good, of_bad = path.weight[1:][~bad[1:]], path.weight[1:][bad[1:]]
        end = ", ".join("—" if np.isnan(c) else f"{c:.3f}" for c in path.cosines[-1])
        cells = (
            f"{np.nanmedian(w):.3f} ({np.nanmin(w):.3f} – {np.nanmax(w):.3f})"
            for w in (good, of_bad)
        )
        rows.append((name, end, *cells))
    return rows


def first_figure(paths: dict[str, Path], outliers: Array, quick: bool) -> str:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9, 3.2), layout="constrained")
    left, right = figure.subplots(1, 2)
    robust = paths["robust"]
    bad = np.isin(robust.rows, outliers)
    left.plot(robust.rows[1:], robust.weight[1:], ".", color=COLOURS[0], label="clean")
    left.plot(robust.rows[bad], robust.weight[bad], "x", color=COLOURS[3], label="outlier")
    left.set(xlabel="row", ylabel="weight of the row, Ψ₁", ylim=(-0.03, 1.03))
    left.legend(frameon=False)
    for (name, path), colour, dash in zip(paths.items(), COLOURS, ("--", "-"), strict=False):
        right.plot(path.rows, path.cosines[:, 0], dash, color=colour, label=name)
    for row in outliers:
        right.axvline(row, color="0.85", lw=0.8, zorder=0)
    right.set(xlabel="row", ylabel="|cos| with the clean component", ylim=(0, 1.03))
    right.legend(frameon=False, loc="lower right")
    caption = "Example 1: weights of the rows, and the direction after each"
    return picture(figure, "huang_yeh_weights", caption, quick)


def other_figures(clean: Array, paths: dict[str, Path], outliers: Array, quick: bool) -> str:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9, 8), layout="constrained")
    panels = figure.subplots(3, 3)
    _, _, truth = np.linalg.svd(clean - clean.mean(axis=0), full_matrices=False)
    for j in range(3):
        directions, _, shapes = panels[:, j]
        shapes.plot(truth[j], color="0.6", lw=3, label="batch, clean")
        for (name, path), colour, dash in zip(
            paths.items(), COLOURS, ("--", "-", ":"), strict=False
        ):
            directions.plot(path.rows, path.cosines[:, j], dash, color=colour, label=name)
            if path.model is not None and name in ("plain", "robust"):
                v = (path.model.dual_coef_ @ path.model.atoms_)[j]
                v = v * np.sign(v @ truth[j]) / np.linalg.norm(v)
                shapes.plot(v, dash, color=colour, lw=1, label=name)
        directions.set(title=f"component {j + 1}", ylim=(0, 1.03), xlabel="row")
        shapes.set(xlabel="frequency")
    panels[0, 0].set_ylabel("|cos| with the clean component")
    panels[2, 0].set_ylabel("principal curve")
    for axis, name, label in zip(panels[1], paths, ("plain", "Ψ₂", "Ψ₁"), strict=True):
        path, bad = paths[name], np.isin(paths[name].rows, outliers)
        axis.plot(path.rows[1:], path.weight[1:], ".", ms=3, color=COLOURS[0])
        axis.plot(path.rows[bad], path.weight[bad], "x", color=COLOURS[3])
        axis.set(xlabel="row", title=f"weights, {label}", ylim=(-0.03, 1.03))
    panels[0, 0].legend(frameon=False, fontsize=8)
    panels[2, 0].legend(frameon=False, fontsize=8)
    caption = "Example 2: directions after each row, weights of the rows, and principal curves"
    return picture(figure, "huang_yeh_curves", caption, quick)


def run(quick: bool) -> str:
    draw, one = published_draw(1 if quick else 50)
    clean, two = phoneme(60 if quick else None)
    first, second = np.arange(EVERY, 151, EVERY), np.arange(20, 401, 20)
    head = ["iterative", "cosine in the end", "weight of clean rows", "of outliers"]
    draws = [one] if quick else [parabola(draw, "robust") for draw in range(10)]
    many = [paths["robust"] for paths in draws]
    bad = np.isin(many[0].rows, first)
    outlying = float(np.nanmedian([path.weight[bad] for path in many]))
    usual = float(np.nanmedian([path.weight[~bad] for path in many]))
    return f"""\
Figure 1(b)-(d): example 1, rows in order of x, Algorithm 1 to the letter (empirical geometry,
Ψ₁ with β = 0.07, steps of 1/t from the {CLEAN} clean rows before the first outlier). Of the draws
above the one whose plain iteration ends nearest to the published 0.604, number {draw}. Weights:
median (least – largest) of the rows after the warm start.

{table(head, told(one, first))}

{first_figure(one, first, quick)}

Figures 2, 3 and 4: example 2, one draw, linear kernel, Ψ₂ with ξ from the warm start, steps of
0.05/t; beside it Ψ₁ with β = 1/ξ, of which the paper says that its weights of normal curves are
farther from each other than those of Ψ₂.

{table(head, told(two, second))}

{other_figures(clean, two, second, quick)}

As published, outliers get next to no weight (one that happens to fall among the points counts like
them; draws where the plain iteration does not diverge have several), each one throws the plain
iteration off its way, and weights of normal curves are closer to each other with Ψ₂ than with Ψ₁,
which at this β cannot tell curves apart. In example 1 the median weight of outliers is
{outlying:.3f} over ten draws, that of other rows {usual:.3f}.
{verdict("example 1: the median outlier counts a tenth of the median row", outlying < 0.1 * usual)}
"""
