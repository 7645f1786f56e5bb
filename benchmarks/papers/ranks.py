"""Which samples differ, after Kruskal & Wallis? Tukey's significant difference on mean ranks.

    q_ij = √2 |R̄_i − R̄_j| / √(V (1/n_i + 1/n_j)),     V = N (N + 1) / 12 · (1 − Σ (t³ − t)/(N³ − N))

is compared with the studentised range of k groups and infinitely many degrees of freedom; t counts
ties. (Nemenyi's test; Souza Filho & Diniz do the same after theirs, at the level 0.10.)
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from benchmarks.living.common import Array
from scipy.stats import rankdata, studentized_range, tiecorrect

LEVEL = 0.10  # theirs


def pairwise(samples: Sequence[Array]) -> Array:
    """p of every pair of samples, (k, k); 1 on the diagonal."""
    sizes = np.array([len(sample) for sample in samples])
    ranks, n = rankdata(np.concatenate(samples)), int(sizes.sum())
    means = np.array([part.mean() for part in np.split(ranks, np.cumsum(sizes)[:-1])])
    variance = n * (n + 1) / 12 * tiecorrect(ranks)
    error = np.sqrt(variance * (1 / sizes[:, None] + 1 / sizes))
    q = np.sqrt(2) * np.abs(means[:, None] - means) / error
    return np.asarray(studentized_range.sf(q, len(samples), np.inf))


def alike_best(samples: Sequence[Array], level: float = LEVEL) -> list[int]:
    """The sample of the highest mean rank, and those that cannot be told from it."""
    ranks = rankdata(np.concatenate(samples))
    parts = np.split(ranks, np.cumsum([len(sample) for sample in samples])[:-1])
    best = int(np.argmax([part.mean() for part in parts]))
    p = pairwise(samples)[best]
    return [i for i in range(len(samples)) if i == best or p[i] >= level]
