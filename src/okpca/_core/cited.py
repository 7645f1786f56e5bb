"""Where an algorithm comes from: keys of estimator/references.bib."""

from __future__ import annotations

from typing import ClassVar


class Cited:
    """A part of a model that says what to cite for it."""

    references: ClassVar[tuple[str, ...]] = ()
    """Keys of the publications it comes from; none where it is the library's own."""

    def cited(self) -> tuple[str, ...]:
        """Those of this one, where its settings matter."""
        return self.references
