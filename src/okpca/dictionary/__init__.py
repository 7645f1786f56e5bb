"""Atoms and the coordinates they span. `admission`: who joins; `placement`: where they go."""

from okpca.dictionary.admission import (
    Clustered,
    Coherence,
    Fixed,
    Novelty,
    Policy,
    Sampled,
    make,
)
from okpca.dictionary.basis import Basis, EmpiricalBasis
from okpca.dictionary.encoded import Encoded
from okpca.dictionary.encoding import Halt, encode
from okpca.dictionary.placement.clustering import Clusters

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
    "encode",
    "make",
]
