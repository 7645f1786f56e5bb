"""What may be chosen by name: the types of the parameters, for editors and type checkers.

The rooms know their names themselves (`NAMES`); a checker does not run code, so they stand here
once more, and a test holds the two together.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, TypeAlias

import numpy as np

from okpca.dictionary import Policy
from okpca.kernels import Kernel
from okpca.model.budget import Budget
from okpca.model.empirical import Empirical
from okpca.model.weights import Weight
from okpca.preimage import PreImage
from okpca.rules import Rule

KernelName: TypeAlias = Literal[
    "cosine", "exponential", "laplacian", "linear", "poly", "polynomial", "rbf", "wavelet"
]
WidthName: TypeAlias = Literal["scale", "median"]
ScaleName: TypeAlias = Literal["standard", "robust", "auto"]
MissingName: TypeAlias = Literal["raise", "skip", "impute"]
RuleName: TypeAlias = Literal[
    "ada-oja",
    "apex",
    "ccipca",
    "exact",
    "history",
    "incremental-svd",
    "kha-et",
    "kha-smd",
    "oja",
    "okha",
    "on-kha",
    "oo-kha",
    "tanaka",
]
PolicyName: TypeAlias = Literal["novelty", "coherence"]
BudgetName: TypeAlias = Literal["compress", "drop", "project", "slide"]
WeightName: TypeAlias = Literal["auto", "exponential", "logistic", "plain"]
GeometryName: TypeAlias = Literal["rkhs", "empirical"]
PreImageName: TypeAlias = Literal[
    "conformal", "distances", "fixed_point", "gradient", "nonnegative", "ridge"
]
Auto: TypeAlias = Literal["auto"]
Statistic: TypeAlias = Literal["nested", "spe", "t2", "combined"]
LimitName: TypeAlias = Literal["quantile", "parametric"]

KernelChoice: TypeAlias = KernelName | Kernel | Callable[..., Any]
RuleChoice: TypeAlias = RuleName | Rule
PolicyChoice: TypeAlias = PolicyName | Policy
BudgetChoice: TypeAlias = BudgetName | Budget
WeightChoice: TypeAlias = WeightName | Weight
Geometry: TypeAlias = GeometryName | Empirical
PreImageChoice: TypeAlias = PreImageName | PreImage
Seed: TypeAlias = int | np.random.RandomState | None
