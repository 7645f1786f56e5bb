"""What to cite for a model: the publications its parts come from, and the library."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any

from okpca import dictionary, rules
from okpca import preimage as preimages
from okpca._core.cited import Cited
from okpca._core.version import __version__
from okpca.estimator.online import OnlineKernelPCA
from okpca.model import budget, weights

KERNEL_PCA, PREIMAGE = "schoelkopf1998", "preimage"
STATISTICS = {  # of a detector
    "nested": ("lee2004", "jackson1979"),
    "spe": ("lee2004", "jackson1979"),
    "t2": ("lee2004",),
    "combined": ("lee2004", "tipping1999"),
}
LIMITS = {"quantile": (), "parametric": ("box1954", "nomikos1995")}
LIBRARY = f"""\
@software{{okpca,
  author = {{{{okpca developers}}}},
  title = {{okpca: Online Kernel Principal Component Analysis}},
  version = {{{__version__}}}
}}"""
ACCENTS = {r"{\"o}": "ö", r"{\"u}": "ü", r"{\"a}": "ä", r"{\'e}": "é", r"{\~a}": "ã", r"{\i}": "ı"}


@dataclass(frozen=True, repr=False)
class Citations:
    """What to cite for a model.

    Attributes
    ----------
    why : dict
        What each key is cited for: parts of the model.
    keys : tuple of str
    references : list of str
        One line each: authors, title, where.
    bibtex : str
        The entries, for a .bib file.
    """

    why: dict[str, str]

    @property
    def keys(self) -> tuple[str, ...]:
        """Of the entries."""
        return (*self.why, "okpca")

    @property
    def references(self) -> list[str]:
        """One line each: authors, title, where."""
        return [_line(_entry(key)) for key in self.keys]

    @property
    def bibtex(self) -> str:
        """The entries, for a .bib file."""
        return "\n\n".join(_entry(key) for key in self.keys) + "\n"

    def __repr__(self) -> str:
        reasons = (*self.why.values(), "the library")
        lines = (f"- {text} ({why})" for text, why in zip(self.references, reasons, strict=True))
        return "\n".join(["Please cite (BibTeX: .bibtex):", *lines])


def cite(model: Any) -> Citations:
    """References and BibTeX of what a model uses.

    Parameters
    ----------
    model : OnlineKernelPCA, KernelNoveltyDetector, MutualSubspaceClassifier, SubspaceTracker, \
            Pipeline or StreamPipeline
        Fitted or not: its parameters tell.

    Examples
    --------
    >>> import okpca
    >>> print(okpca.cite(okpca.presets.okha(2)))  # doctest: +ELLIPSIS
    Please cite (BibTeX: .bibtex):
    - Schölkopf, Bernhard and Smola, ... (kernel PCA)
    ...
    """
    why: dict[str, list[str]] = {}
    for name, keys in _uses(model):
        for key in keys:
            if name not in why.setdefault(key, []):
                why[key].append(name)
    return Citations({key: ", ".join(names) for key, names in why.items()})


def _uses(model: Any) -> list[tuple[str, tuple[str, ...]]]:
    """What is used, and the keys to cite for it."""
    if hasattr(model, "steps"):
        steps = [step for _, step in model.steps if isinstance(step, Cited) or _is_ours(step)]
        return [use for step in steps for use in _uses(step)]
    if isinstance(model, Cited):  # it has models inside, which its `estimator` or `model` is like
        inner = getattr(model, "estimator", None) or getattr(model, "model", None)
        theirs = _uses(inner or OnlineKernelPCA())
        theirs = [use for use in theirs if not use[0].startswith(PREIMAGE)]  # it looks for none
        return [*theirs, (_name(model), model.cited())]
    if not _is_ours(model):
        raise TypeError(
            f"cite knows models of okpca and pipelines of them, not {type(model).__name__}."
        )
    uses: list[tuple[str, tuple[str, ...]]] = [("kernel PCA", (KERNEL_PCA,))]
    rule = rules.make(model.rule)
    uses.append((f"rule={_name(rule)}", rule.cited_in(model.n_components, model.center)))
    uses += [(f"{name}={_name(part)}", part.cited()) for name, part in _parts(model)]
    if getattr(model, "geometry", "rkhs") != "rkhs":
        uses.append(("geometry=empirical", ("huang2011",)))
    return [*uses, *_monitoring(model)] if hasattr(model, "statistic") else uses


def _is_ours(model: Any) -> bool:
    return hasattr(model, "on_full")


def _monitoring(detector: Any) -> list[tuple[str, tuple[str, ...]]]:
    uses = [(f"statistic={detector.statistic}", STATISTICS[detector.statistic])]
    uses.append((f"limits={detector.limits}", LIMITS[detector.limits]))
    return [*uses, ("lags", ("choi2004",))] if detector.lags else uses


def _parts(model: Any) -> list[tuple[str, Cited]]:
    policy = dictionary.make(model.dictionary, model.nu)
    parts: list[tuple[str, Cited]] = [("dictionary", policy)]
    on_full = budget.make(model.on_full if policy.grows else "project", model.max_atoms)
    if model.max_atoms is not None or getattr(on_full, "every", None) is not None:
        parts.append(("on_full", on_full))
    robust = weights.make(model.robust)
    if robust is not None:
        parts.append(("robust", robust))
    if hasattr(model, PREIMAGE):
        parts.append((PREIMAGE, preimages.make(model.preimage)))
    return parts


def _name(part: object) -> str:
    return type(part).__name__


@cache
def entries() -> dict[str, str]:
    """All of the data file, by key."""
    text = resources.files("okpca.estimator").joinpath("references.bib").read_text("utf-8")
    found = (entry.strip() for entry in re.split(r"(?m)^(?=@)", text) if entry.strip())
    return {entry[entry.index("{") + 1 : entry.index(",")]: entry for entry in found}


def _entry(key: str) -> str:
    if key == "okpca":
        return LIBRARY
    if key not in entries():
        raise KeyError(f"references.bib has no entry {key!r}.")
    return entries()[key]


def _line(entry: str) -> str:
    """Authors, title, where, when."""
    fields = dict(re.findall(r"(?m)^  (\w+) = \{(.*)\},?$", entry))
    where = next((fields[k] for k in ("journal", "booktitle", "institution") if k in fields), "")
    where = where or fields.get("howpublished", "")
    number = f"{where} {fields.get('volume', '')}".strip()
    when = fields.get("year") or f"version {fields['version']}"
    parts = (fields["author"], fields["title"], number, when)
    return _plain(". ".join(part for part in parts if part) + ".")


def _plain(text: str) -> str:
    for tex, letter in ACCENTS.items():
        text = text.replace(tex, letter)
    return text.replace("{", "").replace("}", "")
