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
from okpca.subspace.tracker import SubspaceTracker, overlap

__all__ = [
    "MutualSubspaceClassifier",
    "Subspace",
    "SubspaceTracker",
    "average_cosine",
    "captured_variance",
    "overlap",
    "principal_angles",
    "residual_error",
    "subspace_distance",
]
