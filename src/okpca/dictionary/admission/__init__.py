"""Who joins: policies that say which rows become atoms, one file each."""

from okpca.dictionary.admission.coherence import Coherence
from okpca.dictionary.admission.fixed import Fixed
from okpca.dictionary.admission.from_warmup import Clustered, Sampled
from okpca.dictionary.admission.novelty import Novelty
from okpca.dictionary.admission.policy import Policy

__all__ = ["Clustered", "Coherence", "Fixed", "Novelty", "Policy", "Sampled", "make"]


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
