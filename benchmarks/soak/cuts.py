"""Random streams cut anywhere: one model, whatever the calls its rows come in.

Rules, policies, budgets, kernels, weights and warm-ups at random; the stream goes in whole, row by
row, and in pieces of all sizes. Two models of it must agree to `SAME`: in their atoms, eigenvalues
and share of the variance, in the mean, and in the scores of other rows. Where eigenvalues nearly
tie their eigenvectors turn with any digit, by that digit over the gap: so much they may differ by.
Rules that take steps may differ by some times what the last digit of the rows makes: where steps
are too large for the rows, that is much.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from sklearn.base import clone

from okpca import OnlineKernelPCA, budget, kernels, rules
from okpca._core.numerics import ROUNDING
from okpca.estimator import model_of

SAME = 1e-9
AMPLIFIED = 10.0  # times what a change of the last digit of the rows makes, at most of
NUDGES = 3  # such changes

RULES = tuple(rules.NAMES)
BUDGETS = ("compress", "project", "drop", "slide", None) * 3 + ("reduced set",)  # it takes long
WEIGHTS = ("none", "none", "real", "integer", "tiny")
ROWS = ("cloud", "drift", "clusters", "copies", "lattice", "line", "silent")


def excess_of(seed: int) -> float:
    """The largest difference over what it may be."""
    rng = np.random.default_rng(seed)
    X, model = random_rows(rng), random_model(rng)
    weight = random_weight(rng, len(X))
    probe = X[rng.integers(len(X), size=8)] + 0.1 * rng.normal(size=(8, X.shape[1]))
    first, *others = (fed(clone(model), X, weight, cut) for cut in random_cuts(rng, len(X)))
    if first is None or None in others:  # a rule that diverges does so however it is fed
        return 0.0 if first is None and not any(others) else float("inf")
    worst = max(difference(first, other, probe) for other in others)
    if worst <= SAME or model_of(first).plan.rule.averages:
        return worst / SAME
    # Steps too large for their rows amplify any digit, those of the rows themselves as well.
    # By how much differs from one digit to the next, so several are tried.
    amplified = 0.0
    for _ in range(NUDGES):
        digit = 1.0 + 2.0**-52 * rng.choice([-1.0, 1.0], size=X.shape)
        nudged = fed(clone(model), X * digit, weight, np.empty(0, dtype=int))
        far = difference(first, nudged, probe) if nudged is not None else float("inf")
        amplified = max(amplified, far)
    return worst / max(SAME, AMPLIFIED * amplified)


def random_cuts(rng: np.random.Generator, n: int) -> list[np.ndarray]:
    """Whole, row by row, and two at random; one of them with single rows among long pieces."""
    few = np.sort(rng.integers(0, n + 1, size=rng.integers(1, 9)))
    singles = np.unique(np.append(few, few + 1).clip(0, n))
    return [np.empty(0, dtype=int), np.arange(1, n), few, singles]


def fed(
    model: OnlineKernelPCA, X: np.ndarray, weight: np.ndarray | None, borders: np.ndarray
) -> OnlineKernelPCA | None:
    """None if its rows are too large for the steps of the rule."""
    try:
        for piece in np.split(np.arange(len(X)), borders):
            if len(piece):
                model.partial_fit(X[piece], sample_weight=None if weight is None else weight[piece])
    except ValueError as error:
        if "diverge" not in str(error):
            raise
        return None
    return model


def random_rows(rng: np.random.Generator) -> np.ndarray:
    n, d = int(10 ** rng.uniform(0.7, 2.4)), int(rng.integers(1, 6))
    X = rng.normal(size=(n, d)) * 10 ** rng.uniform(-0.7, 0.5)
    kind = rng.choice(ROWS)
    if kind == "drift":
        X += np.linspace(0, rng.uniform(0, 8), n)[:, None]
    elif kind == "clusters":
        X = 0.2 * X + rng.normal(size=(4, d))[np.sort(rng.integers(4, size=n))]
    elif kind == "copies":
        X = X[rng.integers(max(n // 3, 1), size=n)]
    elif kind == "lattice":
        X = np.round(X)
    elif kind == "line":
        X = np.outer(X[:, 0], rng.normal(size=d))
    elif kind == "silent":  # at first: some kernels have κ(x, x) = 0 there
        X[: rng.integers(1, 5)] = 0.0
    return np.asarray(X + 1.0) if kind == "lattice" else X


def random_kernel(rng: np.random.Generator) -> kernels.Kernel:
    gamma = 10 ** rng.uniform(-1.5, 0.5)
    poly = kernels.Polynomial(degree=int(rng.integers(2, 4)), gamma=0.1, coef0=1)
    made = (
        kernels.RBF(gamma),
        kernels.RBF(gamma),
        kernels.Laplacian(gamma),
        kernels.Exponential(gamma),
        poly,
        kernels.Linear(),
        kernels.Cosine(),
        kernels.RBF(gamma) + poly,
        kernels.RBF(gamma) * kernels.Laplacian(gamma),
    )
    return made[rng.integers(len(made))]


def random_model(rng: np.random.Generator) -> OnlineKernelPCA:
    rule = str(rng.choice(RULES))
    count = int(rng.integers(1, 7))
    wanted: Any = count if rule != "exact" or rng.integers(4) else (0.9, None)[rng.integers(2)]
    nu = float(rng.choice([0.0, 1e-12, 1e-8, 1e-4, 1e-3, 1e-2, 0.1, 0.4]))
    policy: Any = "coherence" if nu >= 1e-2 and rng.integers(3) == 0 else "novelty"
    name = rng.choice(len(BUDGETS))
    settings = _budget(BUDGETS[name], int(rng.integers(2, 30)), wanted)
    searches = isinstance(settings.get("on_full"), budget.ReducedSet)
    robust, burn_in = _robust(rng)
    if not isinstance(wanted, int):
        robust = None  # rows are judged by so many components
    kernel = random_kernel(rng)
    return OnlineKernelPCA(
        wanted,
        kernel=kernels.RBF(0.5) if searches else kernel,  # the one its fixed point is for
        rule=_rule(rule, rng),
        dictionary=policy,
        nu=nu,
        center=bool(rng.integers(2)),
        forgetting=float(rng.choice([1.0, 1.0, 0.99, 0.9])),
        robust=robust,
        burn_in=burn_in,
        random_state=0,
        **settings,
    )


def _rule(name: str, rng: np.random.Generator) -> Any:
    if name == "incremental-svd":
        return rules.IncrementalSVD(block=int(rng.integers(1, 40)))
    if name in ("ada-oja", "history"):
        return replace(rules.NAMES[name], block=int(rng.integers(1, 20)))
    if name in ("oja", "apex"):  # a constant step: small enough for rows of any of these kernels
        return rules.Hebbian(schedule=0.01) if name == "oja" else rules.Apex(schedule=0.01)
    return name


def _budget(name: str | None, most: int, wanted: Any) -> dict[str, Any]:
    if name is None:
        return {"max_atoms": None}
    if name != "reduced set":
        return {"max_atoms": most, "on_full": name}
    if not isinstance(wanted, int):
        return {"max_atoms": most, "on_full": budget.Compress(free=0.5, thrift=2.0)}
    return {"max_atoms": 2 * wanted + 6, "on_full": budget.ReducedSet(per_component=2)}


def _robust(rng: np.random.Generator) -> tuple[str | None, int]:
    robust = "exponential" if rng.integers(6) == 0 else None
    return robust, int(rng.integers(1, 40)) if rng.integers(6) == 0 else 0


def random_weight(rng: np.random.Generator, n: int) -> np.ndarray | None:
    kind = rng.choice(WEIGHTS)
    if kind == "none":
        return None
    weight = rng.uniform(0.1, 2.7, size=n)
    if kind == "integer":
        weight = rng.integers(1, 4, size=n) * 1.0
    elif kind == "tiny":
        weight *= 1e-3
    weight[1:][rng.random(n - 1) < 0.1] = 0.0
    return weight


def difference(one: OnlineKernelPCA, other: OnlineKernelPCA, probe: np.ndarray) -> float:
    """The largest, as a share of what is compared; infinite where shapes differ."""
    shapes = [(m.n_samples_seen_, m.atoms_.shape, m.n_components_) for m in (one, other)]
    if shapes[0] != shapes[1]:
        return float("inf")
    pairs = (
        (one.atoms_, other.atoms_),
        (_real(one), _real(other)),
        (_shares(one), _shares(other)),
        (_mean_at(one, probe), _mean_at(other, probe)),
    )
    return max(*(apart(*pair) for pair in pairs), _scores_apart(one, other, probe))


def apart(one: np.ndarray, other: np.ndarray) -> float:
    size = max(np.abs(one).max(initial=0.0), 1e-300)
    far = float(np.abs(one - other).max(initial=0.0)) / size
    return far if np.isfinite(far) else float("inf")


def _real(model: OnlineKernelPCA) -> np.ndarray:
    """Eigenvalues; zero where they are what rounding leaves."""
    found = model.eigenvalues_
    return np.where(found > ROUNDING * model_of(model).energy, found, 0.0)


def _shares(model: OnlineKernelPCA) -> np.ndarray:
    """Of the variance; none where all of it is what rounding leaves of equal rows."""
    held = model_of(model)
    real = held.variance > ROUNDING * held.energy
    return model.explained_variance_ratio_ if real else np.zeros(model.n_components_)


def _mean_at(model: OnlineKernelPCA, probe: np.ndarray) -> np.ndarray:
    return np.asarray(model.kernel_(probe, model.atoms_) @ model.mean_)


def _scores_apart(one: OnlineKernelPCA, other: OnlineKernelPCA, probe: np.ndarray) -> float:
    scores, others = one.transform(probe), other.transform(probe)
    # Components of steps may die out: beside √κ(x, x) their scores are nothing.
    length = float(np.sqrt(one.kernel_.diag(probe).max()))
    size = max(np.abs(scores).max(initial=0.0), 1e-3 * length, 1e-300)
    far = np.abs(scores - others).max(axis=0, initial=0.0) / size
    if model_of(one).plan.rule.averages:
        far = far * relative_gaps(one)
    return float(far.max(initial=0.0)) if np.isfinite(far).all() else float("inf")


def relative_gaps(model: OnlineKernelPCA) -> np.ndarray:
    """Of each eigenvalue to the nearest other, the one after the last included."""
    learner = model_of(model).learner
    if learner is None:
        return np.ones(model.n_components_)
    shown = model.n_components_
    every = np.pad(np.linalg.eigvalsh(learner.scatter())[::-1], (0, shown + 1))
    top = max(every[0], 1e-300)
    after = (every[:shown] - every[1 : shown + 1]) / top
    before = np.append(1.0, after[:-1])[:shown]
    return np.clip(np.minimum(after, before), 0.0, 1.0)
