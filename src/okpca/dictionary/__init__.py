"""Atoms and the coordinates they span: `Basis`, and policies that say which rows become atoms."""

from okpca.dictionary import budget
from okpca.dictionary.basis import Basis, EmpiricalBasis
from okpca.dictionary.chosen import Clustered, Sampled
from okpca.dictionary.clusters import Clusters
from okpca.dictionary.coherence import Coherence
from okpca.dictionary.encoding import Encoded, Halt, encode
from okpca.dictionary.fixed import Fixed
from okpca.dictionary.novelty import Novelty
from okpca.dictionary.policy import Policy

__all__ = [
    "Basis",
    "Clustered",
    "Clusters",
    "Coherence",
    "EmpiricalBasis",
    "Encoded",
    "Fixed",
    "Halt",
    "Novelty",
    "Policy",
    "Sampled",
    "budget",
    "encode",
    "make",
]


def make(dictionary: str | Policy, nu: float) -> Policy:
    """Strings are shorthand: "novelty", and "coherence" with the limit 1 − ν/2 of Lemma 3."""
    if isinstance(dictionary, Policy):
        return dictionary
    if dictionary == "novelty":
        return Novelty(nu)
    if dictionary == "coherence":
        return Coherence(1 - nu / 2)
    raise ValueError(
        f"dictionary must be 'novelty', 'coherence' or a policy object such as "
        f"okpca.dictionary.Fixed(points), got {dictionary!r}."
    )
