"""Subspaces of the feature space: how far apart they are, and what can be told by that."""

from okpca.subspace.measures import (
    average_cosine,
    captured_variance,
    principal_angles,
    residual_error,
    subspace_distance,
)
from okpca.subspace.mutual import MutualSubspaceClassifier
from okpca.subspace.space import Subspace

__all__ = [
    "MutualSubspaceClassifier",
    "Subspace",
    "average_cosine",
    "captured_variance",
    "principal_angles",
    "residual_error",
    "subspace_distance",
]
