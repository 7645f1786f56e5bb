"""Every algorithm of the five papers under its own name.

Each function returns an :class:`~okpca.OnlineKernelPCA` with the settings of its paper; further
keyword arguments go to it, so `okha(5, gamma=2.0, center=False)` works, and so do `sigma=2.0`,
`gamma="median"` and `scale="robust"`. All of them run in the coordinates of the dictionary, where
they are linear (see the module `okpca.model`); the outputs are those of the papers' formulas, which
work on expansion coefficients.

The papers: Kashima, IBM RT0401 (2001). Chin & Suter, IEEE TIP 16 (2007). Honeine, IEEE TPAMI 34
(2012). Huang & Yeh, "An iterative algorithm for robust kernel PCA". Souza Filho & Diniz, IEEE
TNNLS 28 (2017).
"""

from __future__ import annotations

from typing import Any

from okpca.dictionary import Coherence, Fixed
from okpca.estimator.choices import WeightChoice
from okpca.estimator.online import OnlineKernelPCA
from okpca.model.budget import Drop, ReducedSet
from okpca.model.weights import Exponential
from okpca.rules import Apex, Hebbian, IncrementalSVD, Tracking
from okpca.rules.schedules import Constant, ExponentialDecay, Inverse, Schedule, SearchThenConverge

__all__ = [
    "ikpca",
    "ikpca_rs",
    "iksvd",
    "kashima_apex",
    "kashima_oja",
    "kashima_simultaneous",
    "kha",
    "okha",
    "okha_single",
    "on_kha",
    "oo_kha",
    "rkpca",
    "subkha",
    "tanaka",
]


def _model(defaults: dict[str, Any], params: dict[str, Any]) -> OnlineKernelPCA:
    return OnlineKernelPCA(**(defaults | params))


# -- Kashima 2001 ---------------------------------------------------------------------------------


def _kashima(
    n_components: int, rule: Any, memory: int | None, params: dict[str, Any]
) -> OnlineKernelPCA:
    """All past rows are remembered, or the last `memory` of them; nothing is centred; every
    component starts as φ(x₀) over its norm (27-31), x₀ being the first row."""
    defaults: dict[str, Any] = {"n_components": n_components, "rule": rule, "center": False}
    defaults |= {"nu": 0.0, "max_atoms": memory, "on_full": "slide"}
    return _model(defaults, params)


def kashima_oja(*, eta: float = 0.05, memory: int | None = None, **params: Any) -> OnlineKernelPCA:
    """Kernel Oja: the first component by steps of constant size `eta` (Kashima 17-40), over all
    rows so far or the last `memory` of them."""
    rule = Hebbian(schedule=Constant(eta), init="unit")
    return _kashima(1, rule, memory, params)


def kashima_apex(
    n_components: int = 2,
    *,
    eta: float = 0.05,
    rows_per_component: int | None = None,
    memory: int | None = None,
    **params: Any,
) -> OnlineKernelPCA:
    """Kernel APEX (Kashima 41-53): `n_components` one after another, each for
    `rows_per_component` rows; or, with None, all of them together. `eta` and `memory` as in
    :func:`kashima_oja`."""
    rule = Apex(schedule=Constant(eta), rows_per_component=rows_per_component, init="unit")
    return _kashima(n_components, rule, memory, params)


def kashima_simultaneous(
    n_components: int = 2,
    *,
    beta: float = 2.0,
    eta: float = 0.05,
    memory: int | None = None,
    **params: Any,
) -> OnlineKernelPCA:
    """P (`n_components`) at once, by Oja's rule of 1992 with the deflation `beta` > 1 (Kashima
    54-61). `eta` and `memory` as in :func:`kashima_oja`.

    His step costs O(t² P), for he needs the outputs of all old weights; here it is O(m P).
    """
    rule = Hebbian(deflation=beta, schedule=Constant(eta), init="unit")
    return _kashima(n_components, rule, memory, params)


# -- Honeine 2012 ---------------------------------------------------------------------------------


def kha(
    points: Any,
    n_components: int = 2,
    *,
    epochs: int = 10,
    schedule: Schedule | float | None = None,
    **params: Any,
) -> OnlineKernelPCA:
    """The kernel Hebbian algorithm: `epochs` passes over a fixed set, whose `points` are the atoms.

    Kim, Franz & Schölkopf 2005, which Honeine calls iterative kernel PCA and describes as his
    update (19), without selection, several times over the same rows. Call `fit(points)`.
    `n_components` start at random; `schedule` is the step size, (20) if None.
    """
    rule = Hebbian(
        deflation=1, schedule=SearchThenConverge() if schedule is None else schedule, init="random"
    )
    defaults: dict[str, Any] = {"n_components": n_components, "rule": rule, "epochs": epochs}
    return _model(defaults | {"dictionary": Fixed(points), "max_atoms": None}, params)


def okha(
    n_components: int = 5,
    *,
    nu: float = 0.5,
    eta0: float = 0.5,
    tau: float = 1e5,
    **params: Any,
) -> OnlineKernelPCA:
    """Online kernel PCA of a reduced order: the distance criterion (10-11) with the threshold
    `nu`, the update (19) of `n_components` with the step size (20), `eta0` / (1 + t / `tau`), the
    mean tracked in the span (5.2). Defaults: his section 6.1."""
    rule = Hebbian(deflation=1, schedule=SearchThenConverge(eta0, tau))
    defaults: dict[str, Any] = {"n_components": n_components, "rule": rule}
    return _model(defaults | {"nu": nu, "max_atoms": None}, params)


def okha_single(
    *, nu: float = 0.5, eta0: float = 0.5, tau: float = 1e5, **params: Any
) -> OnlineKernelPCA:
    """The same, `nu`, `eta0` and `tau` too, for the first component alone: Honeine's Table 2,
    (12)-(17)."""
    return okha(1, nu=nu, eta0=eta0, tau=tau, **params)


# -- Souza Filho & Diniz 2017, and what they compare with -----------------------------------------


def _souza_filho(n_components: int, rule: Any, rest: dict[str, Any]) -> OnlineKernelPCA:
    """Uncentred, as in their section V."""
    defaults: dict[str, Any] = {"n_components": n_components, "rule": rule, "center": False}
    return _model(defaults | {"max_atoms": None}, rest)


def oo_kha(
    n_components: int = 16,
    *,
    nu: float = 1e-3,
    eta0: float = 0.05,
    gamma_eta: float = 0.999995,
    **params: Any,
) -> OnlineKernelPCA:
    """Online orthogonal KHA: Oja's stochastic gradient ascent, deflation 2 (50-52).

    Rows join by the threshold `nu`; `n_components` learn by steps of `eta0` times `gamma_eta`ᵗ.
    """
    rule = Hebbian(deflation=2, schedule=ExponentialDecay(eta0, gamma_eta))
    return _souza_filho(n_components, rule, {"nu": nu} | params)


def on_kha(
    n_components: int = 16,
    *,
    nu: float = 1e-3,
    eta0: float = 0.05,
    gamma_eta: float = 0.999995,
    **params: Any,
) -> OnlineKernelPCA:
    """Online orthonormal KHA: the same (`n_components`, `nu`, `eta0`, `gamma_eta`), every component
    normalised after each step (45-50, Table I). The norm is Euclidean in our coordinates: O(m r)
    instead of O(m² r)."""
    rule = Hebbian(deflation=2, normalize=True, schedule=ExponentialDecay(eta0, gamma_eta))
    return _souza_filho(n_components, rule, {"nu": nu} | params)


def subkha(
    n_components: int = 16,
    *,
    max_atoms: int = 49,
    alpha: float = 1.0,
    eta0: float = 0.05,
    gamma_eta: float = 0.999995,
    **params: Any,
) -> OnlineKernelPCA:
    """Subset KHA (Washizawa 2012), known through Souza Filho & Diniz: a dictionary of fixed size.

    From their text: Sanger's update, and the constant α = 1. Derived: rows join until there are
    `max_atoms`; then the atom with the smallest leave-one-out distance 1 / (K⁻¹)_ii goes when a
    newcomer is farther from the span than `alpha` times that. `n_components`, `eta0` and
    `gamma_eta` as in :func:`oo_kha`.
    """
    rule = Hebbian(deflation=1, schedule=ExponentialDecay(eta0, gamma_eta))
    budget = {"nu": 0.0, "max_atoms": max_atoms, "on_full": Drop(alpha=alpha)}
    return _souza_filho(n_components, rule, budget | params)


def tanaka(
    n_components: int = 16,
    *,
    coherence: float = 0.742,
    beta: float = 0.9999,
    first_weight: float = 0.9,
    weight_step: float = 0.05,
    **params: Any,
) -> OnlineKernelPCA:
    """Tanaka, Washizawa & Kuh's tracker (ICASSP 2012), known through Souza Filho & Diniz.

    What of it is theirs and what is derived: see :mod:`okpca.rules.tracking`. Rows join by the
    limit `coherence`; `beta` is what it keeps of the past at each row, and the `n_components` are
    weighted by `first_weight` and `weight_step` less each.
    """
    rule = Tracking(first_weight=first_weight, weight_step=weight_step, beta=beta)
    return _souza_filho(n_components, rule, {"dictionary": Coherence(coherence)} | params)


# -- Chin & Suter 2007 ----------------------------------------------------------------------------


def ikpca(
    n_components: int = 6,
    *,
    block: int = 30,
    rank: int | None = None,
    first: int | None = None,
    **params: Any,
) -> OnlineKernelPCA:
    """Incremental kernel PCA: `block` rows at a time, the mean updated with them (10-26).

    Nothing is compressed: every independent row stays. `rank` (their r, `n_components` if None) is
    what is kept between updates, `first` the rows of the initial batch, their (r + 1) p.
    """
    rule = IncrementalSVD(block=block, rank=rank, first=first)
    defaults: dict[str, Any] = {"n_components": n_components, "rule": rule}
    return _model(defaults | {"nu": 0.0, "max_atoms": None}, params)


def iksvd(
    n_components: int = 6, *, block: int = 30, rank: int | None = None, **params: Any
) -> OnlineKernelPCA:
    """Incremental kernel SVD: the same (`n_components`, `block`, `rank`) without a mean."""
    return ikpca(n_components, block=block, rank=rank, **({"center": False} | params))


def ikpca_rs(
    n_components: int = 6,
    *,
    block: int = 30,
    rank: int | None = None,
    per_component: int = 10,
    **params: Any,
) -> OnlineKernelPCA:
    """Incremental kernel PCA with reduced sets (their Table I): whenever the library exceeds its
    (r + 1) p vectors by a `block`, components and mean are expressed by p (`per_component`)
    pre-images each (27-31) and made orthogonal again (32-35). r is `rank`, or `n_components`."""
    library = ((rank or n_components) + 1) * per_component
    defaults: dict[str, Any] = {"max_atoms": library + block}
    defaults |= {"on_full": ReducedSet(per_component=per_component, rank=rank)}
    return ikpca(n_components, block=block, rank=rank, first=library, **(defaults | params))


# -- Huang & Yeh ----------------------------------------------------------------------------------


def rkpca(
    n_components: int = 1,
    *,
    robust: WeightChoice | None = None,
    init: Any = "random",
    schedule: Schedule | float | None = None,
    **params: Any,
) -> OnlineKernelPCA:
    """Iterative robust kernel PCA (Algorithm 1): Sanger's step, of size 1/t times the weight Ψ̇.

    `robust` is Ψ₁ with β = 0.07 if None (example 1), `schedule` another step size, `init` where the
    `n_components` start, see :class:`okpca.rules.Hebbian`. Give `dictionary=Fixed(points)` and
    `geometry="empirical"` for the algorithm to the letter, `burn_in` for the warm start of section
    3.2. In the default geometry norms are those of the feature space, and the mean is the weighted
    one of all rows so far, this one included, where (19) steps by w/t after it. With `burn_in` not
    below the number of rows the model is the batch robust kernel PCA that the iteration converges
    to (21-22), and `robust="plain"` is the iterative kernel PCA of section 2.2.
    """
    rule = Hebbian(deflation=1, schedule=Inverse(1.0) if schedule is None else schedule, init=init)
    defaults: dict[str, Any] = {"n_components": n_components, "rule": rule}
    return _model(defaults | {"robust": Exponential() if robust is None else robust}, params)
