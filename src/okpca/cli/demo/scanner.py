"""A pile of handwritten digits on its way through a scanner, and three things that go wrong.

scikit-learn's 1 797 digits, in the order in which people wrote them, go through a scanner of 4 × 4
cells, pass after pass: a row is what the cells read of a digit, each a grey level from 0 to 16 and
some noise. At known places

    a burst    some digits are fed in sideways
    a fault    light leaks into one cell, and it reads too much
    a drift    the lamp grows dim, little by little, until the end
"""

from __future__ import annotations

import csv
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

import numpy as np

from okpca._core.typing import Array

CELLS = [f"cell_{row}{column}" for row in "abcd" for column in "1234"]
BEGIN, PACE = datetime(2026, 3, 2, 8, 0), timedelta(seconds=2)
PASSES = 5
NOISE = 0.5
BURST = range(2700, 2725)
FAULT, LEAK, BRIGHTER = range(3900, 4200), "cell_c2", 11.0
DRIFT, DIM = 5000, 0.35
"""The row that it begins with, and how much of the light is gone at the end."""


@dataclass(frozen=True, eq=False)
class Scan:
    rows: Array  # as they came
    clean: Array  # had nothing gone wrong


def scanned() -> Scan:
    from sklearn.datasets import load_digits

    digits = np.concatenate([load_digits().images] * PASSES)
    noise = np.random.default_rng(0).normal(scale=NOISE, size=(len(digits), len(CELLS)))
    clean = cells(digits) + noise
    digits[BURST] = np.rot90(digits[BURST], axes=(1, 2))
    rows = cells(digits) + noise
    rows[FAULT, CELLS.index(LEAK)] += BRIGHTER
    rows[DRIFT:] *= 1.0 - dimness(np.arange(DRIFT, len(rows)), len(rows))[:, None]
    return Scan(rows, clean)


def cells(digits: Array) -> Array:
    """Each sees 2 × 2 of the 8 × 8 points of a digit."""
    parts = digits.reshape(-1, 4, 2, 4, 2).mean(axis=(2, 4))
    return np.asarray(parts.reshape(len(digits), -1))


def dimness(row: Any, rows: int) -> Any:
    """The share of the light that is gone at a row."""
    return DIM * np.maximum(row - DRIFT, 0) / (rows - 1 - DRIFT)


def time_of(row: int) -> datetime:
    return BEGIN + row * PACE


def save(rows: Array, path: Any) -> None:
    with open(path, "w", newline="", encoding="utf-8") as file:
        lines = csv.writer(file, lineterminator="\n")
        lines.writerow(["time", *CELLS])
        for i, row in enumerate(rows):
            lines.writerow([time_of(i).isoformat(), *(f"{value:.2f}" for value in row)])
