"""Do the parts of a value go together? Asked of all that comes out of a file or goes into one.

A checksum says that a file is what was written, not that what was written is a model. Sizes must
agree, numbers be finite, and above all

    L Lᵀ = K(atoms, atoms)

by the kernel of the file: a factor, atoms or a kernel that were changed do not pass.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from okpca._core.numerics import PENDING, SAME_GRAM
from okpca._core.typing import Array, Rows
from okpca.dictionary import Basis, Clusters, EmpiricalBasis
from okpca.dictionary.imputation import gaps_in
from okpca.kernels.rows import is_sparse
from okpca.model import Model
from okpca.model.centre import Centre
from okpca.model.warmup import Held
from okpca.rules import Learner
from okpca.rules.block_rule import BlockLearner
from okpca.rules.exact import ExactLearner

UNKNOWN_AT_FIRST = {"Drift"}  # what may hold NaN: no drift can be told of the first rows
LARGEST = 2**63 - 1  # of whole numbers: counts, for which the compiled leaves have 64 bits
COLUMNS = 10**4  # rows of more are not made up, to try a kernel on


def refuse_before(kind: type, given: Mapping[str, Any]) -> None:
    """What must be so before a value is built: numbers, and sizes that it takes memory by."""
    for name, of in given.items():
        if isinstance(of, np.ndarray) and of.dtype.kind == "f":
            _want(bool(np.isfinite(of).all()), f"{name} of {kind.__name__} is not finite")
        known = not isinstance(of, float) or not math.isnan(of) or kind.__name__ in UNKNOWN_AT_FIRST
        _want(known, f"{name} of {kind.__name__} is no number")
        small = not isinstance(of, int) or abs(of) <= LARGEST
        _want(small, f"{name} of {kind.__name__} is beyond all numbers")
    if issubclass(kind, Basis):
        m = _rows(given["atoms"])
        _want(np.shape(given["L"]) == (m, m), f"L of {np.shape(given['L'])} for {m} atoms")
    if kind is ExactLearner:
        m, waiting, n = given["m"], given.get("waiting"), given.get("n_waiting", 0)
        _want(given["S"].shape == (m, m), f"S of {given['S'].shape} for {m} coordinates")
        _want(0 <= n <= PENDING, f"{n} rows wait")
        shape = (n, m) if isinstance(waiting, np.ndarray) else (0, m)
        _want(waiting is None or waiting.shape == shape, "rows that wait are of another size")
        _want(n == shape[0], f"{n} rows wait, {shape[0]} are there")


def refuse_unsound(value: Any) -> None:
    """A ValueError says what does not go together."""
    if isinstance(value, Basis):
        _basis(value)
    elif isinstance(value, Model):
        _model(value)
    elif isinstance(value, Learner):
        _learner(value)
    elif isinstance(value, Clusters):
        _clusters(value)
    elif isinstance(value, Centre):
        _want(value.mean.ndim == 1, "a mean of more than one row")
        _want(0 <= value.weight < math.inf, f"a weight of {value.weight}")
        _want(0 < value.forgetting <= 1, f"forgetting of {value.forgetting}")
    elif isinstance(value, Held):
        held = sum(_rows(X, gaps=True) for X in value.blocks)  # they are filled in at its end
        _want(held == len(value.weight), "rows held and their weights")
    elif hasattr(value, "refuse_unsound"):
        value.refuse_unsound()


def _basis(basis: Basis) -> None:
    _rows(basis.atoms)
    kernel, atoms, L = basis.kernel, basis.atoms, basis.L
    if kernel.needs_rows:
        return _want(basis.m == 0, "atoms of a kernel that is not settled")
    if atoms.shape[1] <= COLUMNS:
        kernel.diag(np.zeros((1, atoms.shape[1])))  # which refuses rows of another width
    if basis.m == 0:
        return None
    _want(bool(np.isfinite(L).all()), "L is not finite")
    _want(not np.triu(L, 1).any() and bool((L.diagonal() > 0).all()), "L is no Cholesky factor")
    if not isinstance(basis, EmpiricalBasis):
        _same_gram(L, np.asarray(kernel(atoms)), kernel.diag(atoms))
    return None


def _same_gram(L: Array, K: Array, norms: Array) -> None:
    """By a few products with signs, which cost less than L Lᵀ and miss nothing but by a hair."""
    _want(bool(np.isfinite(K).all()), "the kernel of the atoms is not finite")
    size = np.sqrt(np.abs(norms))
    signs = np.where(np.random.RandomState(0).random_sample((len(L), 4)) < 0.5, -1.0, 1.0)
    off = np.abs(L @ (L.T @ signs) - K @ signs).max(axis=1)
    _want(
        bool((off <= SAME_GRAM * size * np.linalg.norm(size)).all()),
        "L is not the factor of the atoms by their kernel (or a function is not the one that the "
        "model was learned with)",
    )


def _learner(learner: Any) -> None:
    if isinstance(learner, ExactLearner):
        S = learner.scatter()
        size = float(np.abs(S).max(initial=0.0))
        _want(math.isfinite(size), "S is not finite")
        _want(bool((np.abs(S - S.T) <= SAME_GRAM * size).all()), "S is not symmetric")
        _want(bool((S.diagonal() >= -SAME_GRAM * size).all()), "S has negative squares")
        return
    state = vars(learner)
    r = len(state["V"]) if "V" in state else 0
    n_sums = (learner.rule.n_sums,) if isinstance(learner, BlockLearner) else ()
    sizes = {"power": (r,), "sums": (*n_sums, r), "factor": (r, r), "lateral": (r, r)}
    for name, shape in sizes.items():
        if name in state:
            _want(state[name].shape == shape, f"{name} of {state[name].shape} for {r} components")
    for name in ("V", "pairs", "waiting"):
        _want(name not in state or state[name].ndim == 2, f"{name} is no matrix")
    if "mean" in state:
        _want(state["mean"].shape == state["V"].shape[1:], "a mean of another size")
    if "left_out" in state:
        _want(learner.left_out.shape == (2,), "what is left out has two sizes")
        _want(learner.missing >= 1, "a block that is complete waits")


def _clusters(clusters: Clusters) -> None:
    clusters = clusters.settled()
    m, total = len(clusters.debt), clusters.total
    _want(clusters.debt.shape == clusters.weight.shape == (m,), "clusters and their weights")
    _want(total is None or (total.ndim == 2 and len(total) == m), "clusters and their sums")
    _want(all(_rows(X) == len(w) for X, w in clusters.asking), "rows that ask and their weights")
    _want(sum(map(len, clusters.claims)) <= clusters.n_asking, "rows that ask and their claims")
    _want(sum(map(len, clusters.newest)) <= m, "more of the newest atoms than atoms")


def _model(model: Model) -> None:
    m, d = model.basis.atoms.shape
    for name in ("variance", "robust_weight"):
        _want(0 <= getattr(model, name) < math.inf, f"{name} of {getattr(model, name)}")
    for name in ("energy", "worst"):
        _want(getattr(model.loss, name) >= 0, f"{name} of {getattr(model.loss, name)}")
    for name in ("n_rows", "n_steps", "relieved_at", "pace", "anchor_at"):
        _want(getattr(model, name) >= 0, f"{name} of {getattr(model, name)}")
    _want(len(model.centre.mean) <= m, f"a mean of {len(model.centre.mean)} for {m} atoms")
    geometry = EmpiricalBasis if model.plan.empirical else Basis
    _want(m == 0 or type(model.basis) is geometry, "atoms of another geometry")
    _want(_width(model.learner) <= m, "the rule has more coordinates than there are atoms")
    if model.anchor is not None:
        _want(model.anchor.ndim == 2 and model.anchor.shape[1] <= m, "an anchor of another size")
    if model.reference is not None:
        V, mean = model.reference.V, model.reference.mean
        _want(mean.ndim == 1 and len(mean) <= m, "a reference of another size")
        _want(V is None or (V.ndim == 2 and V.shape[1] <= m), "a reference of another size")
    if model.clusters is not None:
        total = model.clusters.total
        _want(len(model.clusters.debt) <= m, "more clusters than atoms")
        _want(total is None or total.shape[1] == d, "clusters of other columns")
        _want(all(X.shape[1] == d for X, _ in model.clusters.asking), "rows of other columns")
    elif model.held is None:
        _want(not model.plan.budget.clusters, "a budget that needs clusters, and none are there")
    if model.held is not None:
        _want(len(model.held.weight) == model.n_rows, "rows held and rows seen")
        _want(all(X.shape[1] == d for X in model.held.blocks), "rows of other columns")
        lacking = any(gaps_in(X).any() for X in model.held.blocks)
        _want(model.plan.imputes or not lacking, "rows that lack values")
    _want((model.learner is None) or m > 0, "a rule without atoms")
    _want((model.learner is not None) or m == 0, "atoms without a rule")


def _width(learner: Any) -> int:
    if learner is None:
        return 0
    if isinstance(learner, ExactLearner):
        return learner.m
    state = vars(learner)
    return max(int(state[name].shape[1]) for name in ("V", "pairs", "waiting") if name in state)


def _rows(X: Rows, gaps: bool = False) -> int:
    """How many rows of float64 these are; NaN may stand for what they lack."""
    real = isinstance(X, np.ndarray) or is_sparse(X)
    _want(real and X.ndim == 2 and X.dtype == np.float64, "rows that are no matrix of float64")
    numbers = X.data if is_sparse(X) else X
    finite = ~np.isinf(numbers) if gaps else np.isfinite(numbers)
    _want(bool(finite.all()), "rows that are not finite")
    return int(X.shape[0])


def _want(good: bool, what: str) -> None:
    if not good:
        raise ValueError(what)
