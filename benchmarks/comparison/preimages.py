"""All methods of pre-images on noisy digits, as Kwok & Tsang compare theirs."""

from __future__ import annotations

import time

import numpy as np
from benchmarks import data
from benchmarks.living.common import Array, median_gamma
from benchmarks.papers.common import table

from okpca import OnlineKernelPCA, kernels, preimage
from okpca.kernels import Kernel

TITLE = "Pre-images: noisy USPS digits"
TRAIN, TEST, COMPONENTS, NOISES = 600, 200, 60, (0.25, 0.5)


def denoised(model: OnlineKernelPCA, method: str, noisy: Array) -> tuple[Array, float, float]:
    """Rows, squared distance of their images to the targets, and µs a row."""
    scores = model.transform(noisy)
    model.set_params(preimage=method)
    model.pre_images(scores[:2])  # so that nothing is prepared while the clock runs
    begin = time.process_time()
    found = model.pre_images(scores)
    spent = 1e6 * (time.process_time() - begin) / len(noisy)
    return found.X, float(found.distance.mean()), spent


def lines(kernel: Kernel, X: Array, probe: Array) -> list[list[str]]:
    model = OnlineKernelPCA(COMPONENTS, kernel=kernel, nu=0, max_atoms=None).fit(X)
    rng = np.random.default_rng(0)
    noisy = [probe + rng.normal(scale=noise, size=probe.shape) for noise in NOISES]
    found = []
    for method in sorted(preimage.NAMES):
        cells = [f"`{method}`, {type(kernel).__name__}"]
        for rows in noisy:
            clean, far, spent = denoised(model, method, rows)
            cells += [f"{np.square(clean - probe).mean():.4f}", f"{far:.3f}"]
        found.append([*cells, f"{spent:.0f}"])
    return found


def run(quick: bool) -> str:
    train, test = (100, 20) if quick else (TRAIN, TEST)
    digits, _ = data.usps()
    X, probe = digits[:train], digits[train : train + test]
    gamma = median_gamma(X)
    rows = lines(kernels.RBF(gamma), X, probe)
    if not quick:
        rows += lines(kernels.Polynomial(degree=3, gamma=gamma), X, probe)
    head = ["method, kernel"]
    for noise in NOISES:
        head += [f"error, noise {noise:g}", "in feature space"]
    before = " and ".join(f"{noise**2:.4f}" for noise in NOISES)
    return f"""\
{train} digits learned without noise, {COMPONENTS} components, γ one over the median squared
distance; {test} others with Gaussian noise are denoised. Errors are mean squares of grey levels
from 0 to 1 (before: {before}); beside them the squared distance in feature space, which
`fixed_point`, `gradient` and `nonnegative` minimise; then µs a row. `distances` is Kwok & Tsang's.

{table([*head, "µs a row"], rows)}
"""
