"""Do limits hold their promise? Streams without any fault, and the share of alarms in them."""

from __future__ import annotations

from concurrent.futures import ProcessPoolExecutor

import numpy as np
from benchmarks.living.common import Array, table, verdict
from benchmarks.uses.normal_streams import STREAMS, Make

from okpca import KernelNoveltyDetector

TITLE = "Limits: false alarms on normal streams"
ROWS = 2100  # 100 to warm up, 1 000 to fill the window, 1 000 with a full one
SHARES = (0.001, 0.01, 0.05)
ATOMS = 30
WORKERS = 3  # processes: there are 2 400 streams
DYNAMICS: dict[str, dict[str, object]] = {
    "rows as they are": {},
    "two lags": {"lags": 2},
    "EWMA 0.2": {"ewma": 0.2},
    "two lags, EWMA 0.2": {"lags": 2, "ewma": 0.2},
}
OTHERS: dict[str, dict[str, object]] = {
    "combined, quantile": {"statistic": "combined"},
    "T², quantile": {"statistic": "t2"},
    "SPE, parametric": {"limits": "parametric", "statistic": "spe"},
    "T², parametric": {"limits": "parametric", "statistic": "t2"},
}


def rates(make: Make, seed: int, share: float = 0.01, **how: object) -> Array:
    """Alarms as multiples of what is promised: as soon as there is a limit; with a full window."""
    X = make(np.random.default_rng(seed), ROWS)
    model = KernelNoveltyDetector(max_atoms=ATOMS, contamination=share, **how)
    seen = model.monitor(X)
    known = np.isfinite(seen.limit)
    early = seen.alarms[known].mean() if known.any() else 0.0
    return np.array([early, seen.alarms[-1000:].mean()]) / share


def _of_kind(name: str, share: float, kind: str, n_streams: int) -> Array:
    how = DYNAMICS[name]
    return np.array([rates(STREAMS[kind], seed, share, **how) for seed in range(n_streams)])


def run(quick: bool) -> str:
    each, few = (1, 1) if quick else (25, 5)
    kinds = dict(list(STREAMS.items())[: 2 if quick else None])
    dynamics = dict(list(DYNAMICS.items())[: 2 if quick else None])
    lines = [(name, share) for name in dynamics for share in SHARES[1 if quick else 0 :]]
    tasks = [(name, share, kind, each) for name, share in lines for kind in kinds]
    with ProcessPoolExecutor(1 if quick else WORKERS) as pool:
        of_kinds = list(pool.map(_of_kind, *zip(*tasks, strict=True)))
    found = dict(
        zip(lines, np.array(of_kinds).reshape(len(lines), len(kinds), each, 2), strict=True)
    )
    rows = [
        (
            name,
            f"{100 * share:g} %",
            *(f"{of[i, :, 1].mean():.2f}" for i in range(len(kinds))),
            f"{of[..., 1].mean():.2f} ± {2 * of[..., 1].std() / np.sqrt(of[..., 1].size):.2f}",
            f"{of[..., 0].mean():.2f}",
        )
        for (name, share), of in found.items()
    ]
    header = ["scores", "nominal", *kinds, "all", "all, from the first limit"]
    off = [
        f"{name} at {100 * share:g} % ({of[..., 1].mean():.2f})"
        for (name, share), of in found.items()
        if not 0.8 <= of[..., 1].mean() <= 1.2
    ]
    return f"""\
{each * len(kinds)} streams of {ROWS} rows without a fault, {each} of each kind, in every line of
the table, learned in one pass with {ATOMS} atoms and otherwise by default: alarms among the last
1 000 rows, when the window of 1 000 scores is full, as a multiple of the nominal share, and what
chance alone makes of the mean (two standard errors over streams). The last column counts from the
first row that has a limit: while the model still learns, its scores fall, so limits taken from the
past are a little wide. At 0.1 % a limit is the largest of 1 000 scores, or where their tail ends.

{table(header, rows)}

{verdict("all within ±20 % of nominal", not off)}
{f"Not so: {'; '.join(off)}." if off else ""}

Other scores and limits, {few} stream{"s" * (few > 1)} of each kind, 1 %:

{_others(kinds, few, quick)}

Parametric limits hold as far as their distributions fit. The F distribution is that of components
of Gaussian rows; T² of a local kernel has heavier tails.
"""


def _others(kinds: dict[str, Make], few: int, quick: bool) -> str:
    rows = []
    for name, how in list(OTHERS.items())[: 1 if quick else None]:
        of = [
            np.mean([rates(make, seed, **how)[1] for seed in range(few)]) for make in kinds.values()
        ]
        rows.append((name, *(f"{value:.2f}" for value in of), f"{np.mean(of):.2f}"))
    return table(["score and limit", *kinds, "all"], rows)
