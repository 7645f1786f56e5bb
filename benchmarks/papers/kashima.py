"""Kashima 2001: what a step costs when all past rows are summed over, and when they are not."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from benchmarks import data
from benchmarks.living.common import median_gamma
from benchmarks.pages import picture
from benchmarks.papers.common import COLOURS, Array, table, verdict

from okpca import OnlineKernelPCA, kernels, presets
from okpca._core.numerics import RANK

if TYPE_CHECKING:
    from matplotlib.figure import Figure

TITLE = "Kashima 2001: sums over all past rows"
REPOSITORY = Path(__file__).resolve().parents[2]
P, BETA, ETA, ATOMS = 4, 2.0, 0.1, 100
BLOCK = 25
WHOLE: dict[str, Any] = {"nu": 0, "max_atoms": None}
PROJECT: dict[str, Any] = {"nu": 1e-6, "max_atoms": ATOMS, "on_full": "project"}
LATEST: dict[str, Any] = {"memory": ATOMS}
COMPRESS: dict[str, Any] = {"nu": 1e-6, "max_atoms": ATOMS, "on_full": "compress"}

ONE, ALL = "literal, first component", f"literal, {P} components at once"
OURS, FIXED = f"okpca, {P} components", f"okpca, {P} components, {ATOMS} atoms"
MOVED = f"{FIXED}, compressing"
SLIDING = f"okpca, {P} components, the last {ATOMS} rows"
STYLES = {
    ONE: ("--o", COLOURS[1]),
    ALL: ("--s", COLOURS[3]),
    OURS: ("-o", COLOURS[0]),
    FIXED: ("-s", COLOURS[2]),
    MOVED: (":^", COLOURS[4]),
    SLIDING: ("-.v", COLOURS[5]),
}


def literal() -> Any:
    """The transcriptions that the tests compare with; the folder of the tests is no package."""
    path = REPOSITORY / "tests" / "oracles" / "kashima.py"
    spec = spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class Stream(NamedTuple):
    name: str
    X: Array
    kernel: kernels.Kernel


def streams(n: int) -> list[Stream]:
    digits = data.digits()[:n]
    rng = np.random.default_rng(0)
    angle = rng.uniform(0, 2 * np.pi, n)
    ring = np.column_stack([np.cos(angle), np.sin(angle)]) + 0.2 * rng.normal(size=(n, 2))
    return [
        Stream("digits (64 columns)", digits, kernels.RBF(median_gamma(digits)).resolved(64)),
        Stream("a noisy ring (2 columns)", ring, kernels.RBF(0.5).resolved(2)),
    ]


def model(stream: Stream, components: int, **memory: Any) -> OnlineKernelPCA:
    return presets.kashima_simultaneous(
        components, beta=BETA, eta=ETA, kernel=stream.kernel, **memory
    )


# -- the same outputs ------------------------------------------------------------------------------


def outputs(fitted: OnlineKernelPCA, X: Array) -> Array:
    """y(t) for each row before it is learned; the first row is x(0)."""
    fitted.partial_fit(X[:1])
    y = []
    for x in X[1:]:
        y.append(fitted.transform(x[None])[0])
        fitted.partial_fit(x[None])
    return np.array(y)


def differences(stream: Stream) -> tuple[str, ...]:
    """The largest difference of any output, in units of the largest output."""
    X, naive = stream.X, literal()
    one = naive.FirstComponent(stream.kernel, ETA, X[0])
    all_at_once = naive.Simultaneous(stream.kernel, ETA, X[0], P, BETA)
    first = np.array([[one.step(x)] for x in X[1:]])
    several = np.array([all_at_once.step(x) for x in X[1:]])

    def off(y: Array, desired: Array) -> str:
        return f"{np.abs(y - desired).max() / np.abs(desired).max():.1e}"

    return (
        stream.name,
        off(outputs(model(stream, 1, **WHOLE), X), first),
        off(outputs(model(stream, P, **WHOLE), X), several),
        off(outputs(model(stream, P, **PROJECT), X), several),
        off(outputs(model(stream, P, **COMPRESS), X), several),
        off(outputs(model(stream, P, **LATEST), X), several),
    )


# -- the time of a step ----------------------------------------------------------------------------


def timed(step: Callable[[Array], object], X: Array, block: int = 1) -> Array:
    """Seconds per row, for each row after x(0)."""
    seconds = np.empty(len(X) - 1)
    for start in range(0, len(seconds), block):
        rows = X[1 + start : 1 + start + block]
        begin = time.thread_time()  # of this thread alone, whoever else is busy
        step(rows)
        seconds[start : start + block] = (time.thread_time() - begin) / len(rows)
    return seconds


class Independent(NamedTuple):
    """Of the rows of a stream, with the whole memory."""

    atoms: int
    rank: int  # eigenvalues of all rows' Gram matrix above the rounding unit times the largest
    least: float  # squared distance of an atom to the span of the others that were taken before


def independent(stream: Stream) -> Independent:
    atoms = model(stream, P, **WHOLE).fit(stream.X).atoms_
    values = np.linalg.eigvalsh(stream.kernel(stream.X))
    rank = int(np.sum(values > np.finfo(float).eps * values[-1]))
    return Independent(len(atoms), rank, least_pivot(stream.kernel, atoms))


def least_pivot(kernel: kernels.Kernel, atoms: Array) -> float:
    """Of a Cholesky factor that takes the farthest atom next, in long double: κ = exp(−γ d²) has
    no more digits in the library's own arithmetic than the pivots that are asked for."""
    assert isinstance(kernel, kernels.RBF)
    A = atoms.astype(np.longdouble)
    K = np.exp(-np.longdouble(kernel.gamma) * ((A[:, None] - A) ** 2).sum(axis=-1))
    least = 1.0
    for _ in range(len(A)):
        far = int(np.argmax(K.diagonal()))
        least = min(least, float(K[far, far]))
        if least <= 0.0:
            break
        K = K - np.outer(K[:, far], K[far]) / K[far, far]
        K[far], K[:, far] = 0.0, 0.0
    return least


def growth(stream: Stream, at: list[int]) -> dict[str, Array]:
    """Seconds of a step between rows t/2 and t, in steps of the model of fixed memory."""
    X, naive = stream.X[: at[-1] + 1], literal()
    one = naive.FirstComponent(stream.kernel, ETA, X[0])
    several = naive.Simultaneous(stream.kernel, ETA, X[0], P, BETA)
    seconds = {
        ONE: timed(lambda rows: one.step(rows[0]), X),
        ALL: timed(lambda rows: several.step(rows[0]), X),
    }
    for name, memory in {
        OURS: WHOLE,
        FIXED: PROJECT,
        MOVED: COMPRESS,
        SLIDING: LATEST,
    }.items():
        model(stream, P, **memory).fit(X[: 2 * ATOMS])  # compiles what there is to compile
        fitted = model(stream, P, **memory).fit(X[:1])
        seconds[name] = timed(fitted.partial_fit, X, BLOCK)
        print(f"{stream.name}, {name}: {fitted.n_atoms_} atoms", file=sys.stderr)
    unit = float(np.median(seconds[FIXED]))
    # A compression is rare and long: only a mean counts it.
    return {
        name: np.array([(np.mean if name == MOVED else np.median)(s[t // 2 : t]) for t in at])
        / unit
        for name, s in seconds.items()
    }


def exponent(at: list[int], times: Array) -> float:
    """Of t, over the last doublings."""
    return float(np.polyfit(np.log(at[-3:]), np.log(times[-3:]), 1)[0])


def cell(value: float) -> str:
    return f"{value:.0f}" if value >= 9.95 else f"{value:.1f}"


# -- the section -----------------------------------------------------------------------------------


def run(quick: bool) -> str:
    at = [50, 100] if quick else [50, 100, 200, 400, 800, 1600]
    n = 80 if quick else 600
    both = streams(at[-1] + 1)
    same = [differences(stream._replace(X=stream.X[:n])) for stream in both]
    times = {stream.name: growth(stream, at) for stream in both}
    caption = "the time of a step against its row, literal and ours, for both streams"
    shown = picture(draw(at, times), "kashima", caption, quick)
    rows = [
        (f"{stream}: {name}", *(cell(value) for value in values), f"{exponent(at, values):.1f}")
        for stream, lines in times.items()
        for name, values in lines.items()
    ]
    header = ["a step, up to row t", *(f"t = {t}" for t in at), "exponent"]
    heads = ["stream", "1 component", f"{P} components", f"{P}, {ATOMS} atoms", "compressing"]
    heads.append(f"last {ATOMS} rows")
    equal = max(float(off) for line in same for off in line[1:3])
    ring = independent(both[1])
    least = min(float(lines[ALL][-1] / lines[OURS][-1]) for lines in times.values())
    return f"""\
His algorithms keep every row and sum over all of them: O(t) for step t of the first component,
O(t² p) for the p-th of several components at once (his section 3.3.2). In the coordinates of the
dictionary both are `presets.kashima_simultaneous`. Gaussian kernel, η = {ETA}, β = {BETA:g}, not
centred; the literal algorithms are the oracles of the tests. Largest difference between the outputs
y(t) of any of {n} rows, in units of the largest output:

{table(heads, same)}

{verdict("the same outputs to 1e-8 with the whole memory", equal < 1e-8)}

His last sentence proposes to fix the number of memorised rows, for steps of constant time. Here
that is `memory=`, the last so many rows, what an older one carried being projected on them. Other
bounds are `max_atoms` with rows that find no place projected, or with the atoms moved to where they
keep most (`on_full="compress"`, the default), which costs a merge now and then. Time of a step
between rows t/2 and t, in units of a step with {ATOMS} atoms, and the exponent of t over the last
two doublings. Medians (with compression means); ours takes rows in blocks of {BLOCK}:

{table(header, rows)}

(His O(t) hardly shows beside the NumPy calls of a step.) With the whole memory a step of
ours costs O(m²) for m atoms, whatever the number of components. On the digits every row becomes an
atom, so for the first component alone his sum is cheaper in the end. On the ring m stops growing by
itself, here at {ring.atoms}, about as many as the Gram matrix of all rows has eigenvalues above the
rounding unit times the largest ({ring.rank}); the nearest atom is at a squared distance of
{ring.least:.1e} from the span of the others (in long double), and `nu=0` stands for
{RANK:.0e}: none is there by rounding alone.
{verdict("several components at once, whole memory: at the end 10 times faster", least >= 10)}

{shown}
"""


def draw(at: list[int], times: dict[str, dict[str, Array]]) -> Figure:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8, 3.9), layout="constrained")
    panels = figure.subplots(1, 2, sharey=True)
    for axes, (stream, lines) in zip(panels, times.items(), strict=True):
        for name, (dash, colour) in STYLES.items():
            axes.loglog(at, lines[name], dash, color=colour, lw=1.6, ms=4, label=name)
        axes.set_title(stream)
        axes.set_xlabel("row t of the stream")
        axes.spines[["top", "right"]].set_visible(False)
    panels[0].set_ylabel(f"a step, in steps with {ATOMS} atoms")
    handles = panels[0].get_legend_handles_labels()
    figure.legend(*handles, loc="outside lower center", ncols=2, frameon=False)
    return figure
