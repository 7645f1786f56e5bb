"""A race: one stream, one truth, every rule; what each has found after so many rows."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from benchmarks.living.common import Array, batch, cosines

from okpca import OnlineKernelPCA, rules
from okpca.kernels import Kernel
from okpca.rules import Rule
from okpca.rules.schedules import Constant

RULES = (
    "exact",
    "incremental-svd",
    "okha",
    "oo-kha",
    "on-kha",
    "oja",
    "apex",
    "tanaka",
    "kha-et",
    "kha-smd",
    "ccipca",
    "ada-oja",
    "history",
)
TUNABLE: dict[str, Callable[[float], Rule]] = {
    "okha": lambda eta: rules.Hebbian(1, False, Constant(eta)),
    "oo-kha": lambda eta: rules.Hebbian(2, False, Constant(eta)),
    "on-kha": lambda eta: rules.Hebbian(2, True, Constant(eta)),
    "kha-et": lambda eta: rules.Gains(Constant(eta)),
}
STEPS = (0.01, 0.05, 0.2, 0.5)
BLOCK = 100  # rows at a time


@dataclass(frozen=True, eq=False)
class Truth:
    """Batch kernel PCA of these rows: coefficients over them, and the variance it holds."""

    rows: Array
    coef: Array
    variance: float
    center: bool = True

    @classmethod
    def of(cls, kernel: Kernel, X: Array, r: int, *, center: bool = True) -> Truth:
        values, coef = batch(kernel, X, r, center=center)
        return cls(X, coef, float(values.sum()) / len(X), center)

    def cosine(self, model: OnlineKernelPCA) -> float:
        """Mean |cosine| of component i with component i."""
        inner = np.abs(np.diag(cosines(model, self.rows, self.coef)))
        length = np.sqrt(np.diag(_gram(model)))
        return float(np.mean(inner / np.where(length > 0, length, np.inf)))

    def captured(self, model: OnlineKernelPCA) -> float:
        """Variance of the rows in the span of the components: tr (V Vᵀ)⁺ cov(y)."""
        Y = model.transform(self.rows)
        Y = Y - Y.mean(axis=0) if self.center else Y
        inside = np.linalg.pinv(_gram(model), rcond=1e-10, hermitian=True) * (Y.T @ Y)
        return float(inside.sum() / len(Y) / self.variance)


def _gram(model: OnlineKernelPCA) -> Array:
    dual = model.dual_coef_
    return np.asarray(dual @ model.kernel_(model.atoms_) @ dual.T)


@dataclass(frozen=True)
class Mark:
    rows: int
    seconds: float  # of the processor, so far
    cosine: float
    captured: float


@dataclass(frozen=True, eq=False)
class Race:
    """`stream`: rows, as long as they are asked for; `truth`: after so many of them."""

    stream: Callable[[], Iterable[Array]]
    truth: Callable[[int], Truth]
    marks: tuple[int, ...]
    options: dict[str, Any]

    def path(self, rule: Any) -> list[Mark]:
        """What is found at each mark; nothing, from where a rule diverges."""
        model, rows = OnlineKernelPCA(rule=rule, **self.options), blocks(self.stream(), self.marks)
        seconds, done, found = 0.0, 0, list[Mark]()
        for mark in self.marks:
            while done < mark:
                block = next(rows)
                begin = time.process_time()
                try:
                    model.partial_fit(block)
                except ValueError:
                    rest = self.marks[len(found) :]
                    return found + [Mark(n, seconds, 0.0, 0.0) for n in rest]
                seconds += time.process_time() - begin
                done += len(block)
            truth = self.truth(mark)
            found.append(Mark(mark, seconds, truth.cosine(model), truth.captured(model)))
        return found

    def paths(self) -> dict[str, list[Mark]]:
        first = next(iter(self.stream()))[:BLOCK]
        for name in RULES:  # nothing is compiled while the clock runs, merging included
            OnlineKernelPCA(rule=name, **self.options).fit(first)
            OnlineKernelPCA(rule=name, **(self.options | {"max_atoms": 20})).fit(first)
        return {name: self.path(name) for name in RULES}

    def tuned(self) -> dict[str, tuple[float, list[Mark]]]:
        """Those that need a step, with the constant one that ends nearest to the truth."""
        best = {}
        for name, with_step in TUNABLE.items():
            runs = [(eta, self.path(with_step(eta))) for eta in STEPS]
            best[name] = max(runs, key=lambda run: run[1][-1].cosine)
        return best


def blocks(stream: Iterable[Array], marks: tuple[int, ...]) -> Iterator[Array]:
    """At most `BLOCK` rows at a time, with a border at every mark."""
    done = 0
    for part in stream:
        first = 0
        while first < len(part):
            until = min((mark - done for mark in marks if mark > done), default=BLOCK)
            piece = part[first : first + min(BLOCK, until)]
            yield piece
            first += len(piece)
            done += len(piece)


def passes(X: Array, seed: int = 0) -> Iterator[Array]:
    """All rows again and again, in a new order each time."""
    rng = np.random.default_rng(seed)
    while True:
        yield X[rng.permutation(len(X))]
