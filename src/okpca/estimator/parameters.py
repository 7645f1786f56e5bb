"""What the parameters of a model may be, and the kernel that they name."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any

from sklearn.utils._param_validation import Interval, StrOptions

from okpca import dictionary, kernels, rules
from okpca import preimage as preimages
from okpca.dictionary import Policy
from okpca.kernels import Kernel, Standardizing
from okpca.kernels.first_rows import SCALES, WIDTHS
from okpca.model import budget, weights
from okpca.model.empirical import Empirical
from okpca.rules import Rule

MISSING = ("raise", "skip", "impute")


class Words(StrOptions):  # type: ignore[misc]
    """Told in one order, whatever that of a set is in this run."""

    def __str__(self) -> str:
        return f"a str among {{{', '.join(map(repr, sorted(self.options)))}}}"


CONSTRAINTS: dict[str, list[Any]] = {
    "n_components": [
        Interval(Integral, 1, None, closed="left"),
        Interval(Real, 0, 1, closed="neither"),
        None,
    ],
    "kernel": [str, Kernel, callable],
    "gamma": [Interval(Real, 0, None, closed="neither"), Words(set(WIDTHS)), None],
    "degree": [Interval(Integral, 1, None, closed="left")],
    "coef0": [Interval(Real, 0, None, closed="left")],
    "kernel_params": [dict, None],
    "sigma": [Interval(Real, 0, None, closed="neither"), None],
    "scale": [Words(set(SCALES)), None],
    "missing": [Words(set(MISSING))],
    "rule": [Words(set(rules.NAMES)), Rule],
    "dictionary": [Words(set(dictionary.NAMES)), Policy],
    "nu": [Interval(Real, 0, 1, closed="both")],
    "max_atoms": [Interval(Integral, 1, None, closed="left"), None],
    "on_full": [Words(set(budget.NAMES)), budget.Budget],
    "center": ["boolean"],
    "forgetting": [Interval(Real, 0, 1, closed="right")],
    "robust": [Words(set(weights.NAMES)), weights.Weight, None],
    "burn_in": [Interval(Integral, 0, None, closed="left")],
    "geometry": [Words({"rkhs", "empirical"}), Empirical],
    "preimage": [Words(set(preimages.NAMES)), preimages.PreImage],
    "epochs": [Interval(Integral, 1, None, closed="left")],
    "shuffle": ["boolean"],
    "random_state": ["random_state"],
    "verbose": ["verbose"],
}

OWN = ("epochs", "shuffle", "preimage", "geometry", "verbose")
FORWARDED = tuple(name for name in CONSTRAINTS if name not in OWN)
"""Those that a detector takes too. It has no use for the others: `epochs` and `shuffle`, since
there is one pass, in the order of time; `preimage`; `geometry`, since scores are distances in
feature space; and `verbose`, since it has no bar to show."""


def make_kernel(estimator: Any) -> Kernel:
    """The kernel that an estimator's parameters name."""
    kernel = kernels.make(
        estimator.kernel,
        gamma=estimator.gamma,
        sigma=estimator.sigma,
        degree=estimator.degree,
        coef0=estimator.coef0,
        kernel_params=estimator.kernel_params,
    )
    return kernel if estimator.scale is None else Standardizing(kernel, estimator.scale)
