"""Columns of words: nothing can be learned from one, and to leave out every row with a word, or to
have all of them filled in, is no answer. Whether a column is one is told by its first rows."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from okpca.io.sources.numbers import Numbers, has_comma, is_gap, is_time, quoted

FIRST = 100
"""Rows that tell, or all if there are fewer."""
WORDS = 0.9
"""Of the values that a column has there: with so many words among them it is one of words."""
LEAST = 3
"""Such values: one or two are bad rows."""


class Words:
    """How often the columns have words in the first rows of a source."""

    def __init__(self) -> None:
        self._rows = 0
        self._words: Any = 0  # of each column
        self._values: Any = 0  # words and numbers
        self._first: dict[int, tuple[str, Any]] = {}  # where the first word is, and which

    def look(
        self, found: Numbers, names: list[str], where: Callable[[int], str], at_once: bool
    ) -> None:
        """At rows in their order. Whoever has bad ones refused wants to hear `at_once`."""
        if self._rows >= FIRST or not len(found.rows):
            return
        rows = found.rows[: FIRST - self._rows]
        self._rows += len(rows)
        words, gaps = np.zeros(rows.shape, dtype=bool), np.isnan(rows)
        for j, text in found.texts.items():
            words[:, j] = [odd and not is_gap(text[i]) for i, odd in enumerate(gaps[:, j])]
            if words[:, j].any():
                i = int(words[:, j].argmax())
                self._first.setdefault(j, (where(i), text[i]))
        self._words = self._words + words.sum(axis=0)
        self._values = self._values + (words | ~gaps).sum(axis=0)
        if at_once or self._rows >= FIRST:
            self.refuse(names)

    def refuse(self, names: list[str]) -> None:
        """A ValueError that names the first column of words; at the end of the source, or when
        enough of it was seen."""
        few = np.maximum(WORDS * self._values, LEAST)
        for j in np.flatnonzero(self._words >= few).tolist():
            (place, word), n = self._first[j], f"{self._words[j]} of the first {self._values[j]}"
            raise ValueError(
                f"{place}: column {names[j]!r} is {quoted(word)}, no number, and so it is in {n} "
                f"rows that have a value: {_instead(names[j], word)}."
            )


def _instead(name: str, word: Any) -> str:
    if has_comma(word):
        return "if that is a decimal comma, say decimal=','"
    carried = f"time={name!r}" if is_time(word) else f"id={name!r}"
    return f"choose other columns=, or have it carried along by {carried}"
