"""A model in a few lines."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from okpca._core.plural import several
from okpca._core.typing import Array
from okpca.kernels import Kernel, Standardized
from okpca.model import Model, certificate, components, matured, shown
from okpca.model.certificate import percent

LONGEST = 80
"""Letters of a kernel."""


@dataclass(frozen=True, repr=False)
class Description:
    """What a model has learned, as numbers and words.

    Attributes
    ----------
    name, kernel, in_words : str
        Of the estimator and its kernel; the kernel in a few words.
    rows, columns : int
        Rows learned, and how many columns they have.
    skipped, imputed : int
        Rows left out for the values they lack, and values filled in.
    atoms : int
    max_atoms : int or None
    components : int
    spectrum : list of float
        The share of the kernel variance that each component explains.
    explained : float
        Their sum.
    outside : float or None
        The share of the variance that is left out, as a bound; None where it is not known (the
        empirical geometry).
    held : float or None
        The share of the variance that the model holds of its rows, whatever number of components is
        shown. What its atoms span is more where they came late, or many went (``on_full="slide"``).
        None for rules that keep a part of it, or no such sum, and in the empirical geometry.
    certificate : str
        What :meth:`OnlineKernelPCA.certificate` says in words.
    memory : int
        Bytes of all arrays that the model keeps.
    warnings : list of str
        What a :class:`okpca.KernelWarning` has said of it.
    watching : str or None
        Of a detector: alarms so far, the limit that decides, drift.
    """

    name: str
    kernel: str
    in_words: str
    rows: int
    columns: int
    skipped: int
    imputed: int
    atoms: int
    max_atoms: int | None
    components: int
    spectrum: list[float]
    explained: float
    outside: float | None
    certificate: str
    memory: int
    warnings: list[str]
    watching: str | None = None
    held: float | None = None

    def to_dict(self) -> dict[str, Any]:
        """The same as plain numbers, lists and text."""
        return asdict(self)

    @property
    def left_out(self) -> str:
        """By the model, in words: how much, and how much at most."""
        about = None if self.held is None else f"{percent(1.0 - self.held)}"
        bounded = self.outside is not None and self.outside <= 1.0
        most = f"at most {percent(self.outside or 0.0)}" if bounded else None
        known = [share for share in (about, most) if share is not None]
        if not known:
            return "how much of the variance the model leaves out is not known"
        no_bound = "" if bounded else "; no bound is known"
        return f"the model leaves out {', '.join(known)} of the variance{no_bound}"

    def __repr__(self) -> str:
        most = "" if self.max_atoms is None else f" of at most {self.max_atoms}"
        leading = ", ".join(f"{100 * share:.1f}" for share in self.spectrum[:8])
        more = ", ..." if len(self.spectrum) > 8 else ""
        lines = [
            f"{self.name}: {several(self.rows, 'rows')} of {several(self.columns, 'columns')}, "
            f"{self.in_words}",
            f"  atoms        {self.atoms}{most}",
            f"  components   {self.components}, explaining {percent(self.explained)} of the "
            "variance",
            f"  spectrum     {leading}{more} %",
            f"  outside      {self.left_out}",
            f"  certificate  {self.certificate}",
            f"  memory       {self.memory / 1e6:.3g} MB",
        ]
        if self.skipped or self.imputed:
            missing = several(self.skipped, "rows"), several(self.imputed, "values")
            lines.insert(1, "  missing      {} skipped, {} imputed".format(*missing))
        if self.watching is not None:
            lines.append(f"  watching     {self.watching}")
        lines += [f"  warning      {text}" for text in self.warnings]
        return "\n".join(lines)


def kernel_in_words(kernel: Kernel) -> str:
    """As code, numbers to three digits: RBF(gamma=0.00363); of what columns, in words."""
    scaled = isinstance(kernel, Standardized)
    code = repr(kernel.kernel if isinstance(kernel, Standardized) else kernel)
    code = re.sub(r"\d+\.\d+(?:e[+-]?\d+)?", lambda found: f"{float(found[0]):.3g}", code)
    code = code if len(code) <= LONGEST else f"{code[:LONGEST]} …"
    return f"{code} of columns brought to one scale" if scaled else code


def described(name: str, kept: Model, names: Sequence[str] | None = None) -> Description:
    """The model that is kept, with the rows of a warm-up fitted."""
    model = shown(matured(kept))
    outside, held, sentence = None, None, "none in the empirical geometry."
    if not model.plan.empirical:
        bounds = certificate(model)
        outside, sentence = bounds.discarded_share, bounds.sentence
        inside = model.scatter_held
        if inside is not None and model.variance > 0:
            held = min(inside / model.variance, 1.0)
    spectrum: Array = components(model).scatter / (model.variance or 1.0)
    return Description(
        name=name,
        kernel=repr(model.basis.kernel),
        in_words=kernel_in_words(model.basis.kernel),
        rows=model.n_rows,
        columns=model.basis.atoms.shape[1],
        skipped=model.gaps.skipped,
        imputed=model.gaps.imputed,
        atoms=model.basis.m,
        max_atoms=model.plan.budget.max_atoms,
        components=len(spectrum),
        spectrum=spectrum.tolist(),
        explained=float(spectrum.sum()),
        outside=outside,
        certificate=sentence,
        memory=_bytes(kept, set()),
        warnings=[trouble.told(names) for trouble in model.troubles],
        held=held,
    )


def _bytes(value: Any, counted: set[int]) -> int:
    """Of all arrays within; each is counted once, with the room it keeps to grow."""
    if id(value) in counted:
        return 0
    counted.add(id(value))
    if isinstance(value, np.ndarray):
        if value.base is not None:
            return _bytes(value.base, counted)
        return int(value.nbytes)
    if isinstance(value, dict):
        parts = [part for key, part in value.items() if key != "known"]  # only derived
    elif isinstance(value, list | tuple):
        parts = list(value)
    else:
        parts = list(getattr(value, "__dict__", {}).values())
    return sum(_bytes(part, counted) for part in parts)
