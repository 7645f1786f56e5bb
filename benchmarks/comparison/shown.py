"""How a race is shown: a table, and four panels on the same axes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from benchmarks.comparison.race import Mark, Race
from benchmarks.pages import picture
from benchmarks.papers.common import COLOURS, rounded, table

# The exact rule stands out; the papers' rules are blue and green, the later ones warm.
STYLES = {
    "exact": ("#000000", "-"),
    "incremental-svd": ("#000000", ":"),
    "okha": (COLOURS[0], "-"),
    "oo-kha": (COLOURS[0], "--"),
    "on-kha": (COLOURS[0], ":"),
    "oja": (COLOURS[5], "-"),
    "apex": (COLOURS[5], "--"),
    "tanaka": (COLOURS[2], "-"),
    "kha-et": (COLOURS[1], "-"),
    "kha-smd": (COLOURS[1], "--"),
    "ccipca": (COLOURS[3], "-"),
    "ada-oja": (COLOURS[4], "-"),
    "history": (COLOURS[4], "--"),
}


def cells(path: Sequence[Mark], at: Sequence[int]) -> list[str]:
    """AC / captured at some of the marks, and the time of a row."""
    by_rows = {mark.rows: mark for mark in path}
    shown = [f"{by_rows[n].cosine:.2f} / {by_rows[n].captured:.2f}" for n in at]
    return [*shown, f"{1e6 * path[-1].seconds / path[-1].rows:.0f}"]


def tabled(
    paths: Mapping[str, Sequence[Mark]],
    at: Sequence[int],
    tuned: Mapping[str, tuple[float, Sequence[Mark]]],
) -> str:
    lines = [[f"`{name}`", *cells(path, at)] for name, path in paths.items()]
    lines += [[f"`{name}`, steps tuned: η = {eta:g}", *cells(path, at)]
              for name, (eta, path) in tuned.items()]  # fmt: skip
    return table(["rule", *(f"{rounded(n)} rows" for n in at), "µs a row"], lines)


def drawn(
    paths: Mapping[str, Sequence[Mark]], name: str, caption: str, quick: bool, scale: str = "log"
) -> str:
    """AC and captured variance against rows and against processor time."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8, 6), layout="constrained")
    panels = figure.subplots(2, 2, sharey="row", sharex="col")
    for rule, path in paths.items():
        colour, dash = STYLES[rule]
        wide = 2.6 if rule == "exact" else 1.4
        for row, found in zip(panels, ("cosine", "captured"), strict=True):
            for axes, along in zip(row, ("rows", "seconds"), strict=True):
                x, y = ([getattr(mark, what) for mark in path] for what in (along, found))
                axes.plot(x, y, dash, color=colour, lw=wide, label=rule)
    for axes in panels.flat:
        axes.set(xscale=scale)
        axes.spines[["top", "right"]].set_visible(False)
    least = min(mark.captured for path in paths.values() for mark in path)
    panels[0, 0].set_ylim(0, 1.02)
    panels[1, 0].set_ylim(int(10 * least) / 10, 1.01)
    panels[0, 0].set_ylabel("average cosine")
    panels[1, 0].set_ylabel("share of the best variance")
    panels[1, 0].set_xlabel("rows")
    panels[1, 1].set_xlabel("processor time, s")
    lines = panels[0, 0].get_legend_handles_labels()
    figure.legend(*lines, loc="outside lower center", ncols=5, frameon=False)
    return picture(figure, f"comparison_{name}", caption, quick)


def leaders(race: Race, paths: Mapping[str, Sequence[Mark]], bar: float) -> str:
    """Who reaches this AC, and after how many rows."""
    reached = {
        name: next((mark.rows for mark in path if mark.cosine >= bar), None)
        for name, path in paths.items()
    }
    got = sorted((n, name) for name, n in reached.items() if n is not None)
    never = [f"`{name}`" for name, n in reached.items() if n is None]
    told = ", ".join(f"`{name}` {rounded(n)}" for n, name in got) or "none"
    rest = f"; not within {rounded(race.marks[-1])}: {', '.join(never)}" if never else ""
    return f"Rows until the average cosine is {bar:g} at a mark: {told}{rest}."
