"""What to use when, with what every rule costs and keeps."""

from __future__ import annotations

import time

import numpy as np
from benchmarks.comparison.race import RULES
from benchmarks.papers.common import rounded, table

from okpca import OnlineKernelPCA, dictionary
from okpca.estimator import model_of

TITLE = "What to use when"
ATOMS, COMPONENTS, LOOKS = 300, 10, 20
NEEDS = {
    "exact": "nothing",
    "incremental-svd": "nothing (rank, block)",
    "okha": "η₀, τ",
    "oo-kha": "η₀, γ",
    "on-kha": "η₀, γ",
    "oja": "η₀",
    "apex": "η₀",
    "tanaka": "weights, β",
    "kha-et": "η₀, τ, window",
    "kha-smd": "η₀, τ, window, μ, ξ",
    "ccipca": "nothing (l)",
    "ada-oja": "nothing (block)",
    "history": "nothing (block)",
}


def kept(model: OnlineKernelPCA) -> int:
    """Numbers that the rule keeps beside the dictionary."""
    learner = vars(model_of(model).learner)
    return sum(value.size for value in learner.values() if isinstance(value, np.ndarray))


def cost(rule: str, X: np.ndarray, rows: int) -> list[str]:
    model = OnlineKernelPCA(
        COMPONENTS, gamma=0.05, rule=rule, dictionary=dictionary.Fixed(X[:ATOMS]), random_state=0
    ).partial_fit(X[:ATOMS])
    model.partial_fit(X[:1])
    size = kept(model)
    times = []
    for step in (250, 1):
        begin = time.process_time()
        for first in range(0, rows, step):
            model.partial_fit(X[first : first + step])
        times.append(1e6 * (time.process_time() - begin) / rows)
    times.append(look(model, X))
    return [rounded(size), *(f"{microseconds:.0f}" for microseconds in times), NEEDS[rule]]


def look(model: OnlineKernelPCA, X: np.ndarray) -> float:
    """µs for the components, each time after another row."""
    spent = 0.0
    for first in range(LOOKS):
        model.partial_fit(X[first : first + 1])
        begin = time.process_time()
        model.eigenvalues_, model.dual_coef_  # noqa: B018
        spent += time.process_time() - begin
    return 1e6 * spent / LOOKS


def run(quick: bool) -> str:
    X = np.random.default_rng(0).normal(size=(2000, 20))
    rows = 250 if quick else 2000
    lines = [[f"`{rule}`", *cost(rule, X, rows)] for rule in RULES]
    head = ["rule", "numbers kept", "µs a row, in blocks", "singly", "µs a look"]
    head.append("must suit the data")
    return f"""\
With {ATOMS} atoms, {COMPONENTS} components, rows of 20 columns, 250 at a time or one by one, kernel
and dictionary included. The dictionary itself keeps a factor of m² numbers for every rule, so
the m² of `exact` at most double what a model weighs.

{table(head, lines)}

- **`exact`**, the default, whatever the stream: it is the optimum for the atoms there are at every
  row of a stream that stays as it is, has nothing to tune, and is the only one that models can be
  merged with exactly. Next to the kernel and the dictionary its O(m²) for a row hardly shows. What
  does cost is a look at the components, an eigenproblem of m atoms. For a stream that drifts give
  it `forgetting` with a memory as short as the drift is quick.
- **`incremental-svd`** where the components are wanted after every few rows and m is large: its
  look costs O(m r²). It drops what lies outside its rank, so give it a few more than are needed.
- **`ccipca`** where components are looked at after every row: O(m r) for a row, no eigenproblem for
  a look, no step size, and ahead of the Hebbian family after one pass. More passes help it less:
  its steps fall as 1/n. `forgetting` makes it follow a drift.
- **`kha-et`, `kha-smd`** for the same where there are many passes: late components do not wait for
  the first ones, and steps do not fall as fast. The step must suit the kernel.
- **`ada-oja`, `history`** where the subspace is enough (captured variance, residuals, detection):
  they find it soon, without a step size, and the components in it later.
- **`okha`, `oo-kha`, `on-kha`, `oja`, `apex`, `tanaka`** to repeat the papers. One pass is too few
  for them, and their best steps differ from data to data.
"""
