"""Distances of sparse rows."""

from __future__ import annotations

import numpy as np

from okpca._core.compiled.leaf import leaf


@leaf
def half_difference(columns, values, a, b, other_columns, other_values, c, d, out):
    """(x − y) / 2 of two CSR rows, the numbers a..b of one matrix and c..d of another, without its
    zeros; returns how many there are. Halves cannot overflow."""
    n = 0
    while a < b or c < d:
        x, y = 0.0, 0.0
        mine = a < b and (c >= d or columns[a] <= other_columns[c])
        theirs = c < d and (a >= b or other_columns[c] <= columns[a])
        if mine:
            x = 0.5 * values[a]
            a += 1
        if theirs:
            y = 0.5 * other_values[c]
            c += 1
        if x != y:
            out[n] = x - y
            n += 1
    return n


@leaf
def sparse_distances(ends, columns, values, y_ends, y_columns, y_values, i, j, power, out):
    """|x_i − y_j|_2 (power 2) or |x_i − y_j|_1 (power 1) of pairs of CSR rows with their columns
    in order: from the differences, with neither overflow nor underflow on the way."""
    longest = 0
    for t in range(len(i)):
        a, c = i[t], j[t]
        longest = max(longest, ends[a + 1] - ends[a] + y_ends[c + 1] - y_ends[c])
    half = np.empty(longest)
    for t in range(len(i)):
        a, b, c, d = ends[i[t]], ends[i[t] + 1], y_ends[j[t]], y_ends[j[t] + 1]
        n = half_difference(columns, values, a, b, y_columns, y_values, c, d, half)
        top, total = 0.0, 0.0
        for k in range(n):
            top = max(top, abs(half[k]))
        for k in range(n):
            part = abs(half[k]) / top
            total += part * part if power == 2 else part
        out[t] = 2.0 * (top * (np.sqrt(total) if power == 2 else total))
