"""Atoms and the coordinates they span. `admission`: who joins; `placement`: where they go.

This is the registry of admission policies: a policy is its file and one line here.
"""

from __future__ import annotations

from okpca._core.naming import by_name, looked_up
from okpca.dictionary.admission.coherence import Coherence as Coherence
from okpca.dictionary.admission.distance_bounds import coherence_bound as coherence_bound
from okpca.dictionary.admission.distance_bounds import eigenvalue_bounds as eigenvalue_bounds
from okpca.dictionary.admission.distance_bounds import least_distance as least_distance
from okpca.dictionary.admission.distance_criterion import Novelty as Novelty
from okpca.dictionary.admission.fixed import Fixed as Fixed
from okpca.dictionary.admission.from_warmup import Clustered as Clustered
from okpca.dictionary.admission.from_warmup import Sampled as Sampled
from okpca.dictionary.admission.policy import Policy as Policy
from okpca.dictionary.admission.seeded import Seeded as Seeded
from okpca.dictionary.basis import Basis as Basis
from okpca.dictionary.coordinates import Encoded as Encoded
from okpca.dictionary.empirical_basis import EmpiricalBasis as EmpiricalBasis
from okpca.dictionary.encoding import Halt as Halt
from okpca.dictionary.encoding import encode as encode
from okpca.dictionary.imputation import Donors as Donors
from okpca.dictionary.placement.clustering import Clusters as Clusters
from okpca.dictionary.two_bases import same_kernel as same_kernel
from okpca.dictionary.two_bases import values_beside as values_beside

NAMES: dict[str, type[Policy]] = by_name(globals())


def make(dictionary: str | Policy, nu: float) -> Policy:
    """Strings are shorthand: "novelty", and "coherence" with the limit 1 − ν/2 of Lemma 3."""
    if isinstance(dictionary, Policy):
        return dictionary
    other = "a policy object such as okpca.dictionary.Fixed(points)"
    return looked_up(NAMES, dictionary, "dictionary", other).with_threshold(nu)
