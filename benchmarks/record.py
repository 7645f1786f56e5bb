"""What models answer, written down, so that a change of the code can be compared with it.

    python -m benchmarks.record before.npz             # write
    python -m benchmarks.record --against before.npz   # compare, exit 1 if anything differs

A rearrangement must not change an answer: transforms, eigenvalues, certificates, scores and
reconstructions of some hundred configurations agree to 1e-12 of their size.
"""

from __future__ import annotations

import argparse
import sys
import warnings
from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.datasets import load_digits, load_wine
from sklearn.preprocessing import StandardScaler

import okpca
from okpca import KernelNoveltyDetector, OnlineKernelPCA, kernels, presets, rules, weights
from okpca.dictionary import Clustered, Fixed, Sampled

Answers = dict[str, Any]
TOLERANCE = 1e-12
BOUNDS = ["discarded_energy", "eigenvalue_lower", "eigenvalue_upper"]
BOUNDS += ["angle_bound", "nu_over_lambda"]

DIGITS = load_digits().data[:600] / 16
WINE = StandardScaler().fit_transform(load_wine().data)
BY_CLASS = DIGITS[np.argsort(load_digits().target[:600], kind="stable")]
WAVY = np.column_stack([np.sin(np.arange(500) / 7), np.cos(np.arange(500) / 11)])
WEIGHT = np.random.default_rng(0).integers(1, 4, 600).astype(float)
PERIOD = 37  # rows in a call; not a divisor of anything


def budget(name: str, *args: Any, **more: Any) -> Any:
    module: Any = getattr(okpca, "budget", None)
    if module is None:
        from okpca.dictionary import budget as module
    return getattr(module, name)(*args, **more)


def learned(model: Any, X: Any, weight: Any = None) -> Any:
    """A third at once, a third in calls, a third row by row."""
    n = X.shape[0]
    a, b = n // 3, 2 * n // 3
    cuts = [0, a, *range(a + PERIOD, b, PERIOD), *range(b, n), n]
    for start, stop in pairwise(cuts):
        more = {} if weight is None else {"sample_weight": weight[start:stop]}
        model.partial_fit(X[start:stop], **more)
    return model


def of_model(model: OnlineKernelPCA, X: Any) -> Answers:
    answers = {
        "transform": model.transform(X),
        "eigenvalues": model.eigenvalues_,
        "ratio": model.explained_variance_ratio_,
        "atoms": model.atoms_,
        "dual": model.dual_coef_,
        "mean": model.mean_,
        "error": model.reconstruction_error(X),
    }
    if model.geometry == "rkhs":
        bounds = model.certificate()
        answers |= {f"certificate.{name}": getattr(bounds, name) for name in BOUNDS}
    return answers


def of_detector(model: KernelNoveltyDetector, X: Any) -> Answers:
    return {
        "scores": model.score_samples(X),
        "decisions": model.decision_function(X),
        "labels": model.predict(X),
    }


def plain(X: Any = DIGITS, weight: Any = None, **params: Any) -> Callable[[], Answers]:
    params = {"n_components": 4, "gamma": 0.05, "max_atoms": 60, "random_state": 0} | params

    def run() -> Answers:
        return of_model(learned(OnlineKernelPCA(**params), X, weight), X[:100])

    return run


def preset(name: str, *args: Any, X: Any = WINE, **more: Any) -> Callable[[], Answers]:
    return lambda: of_model(learned(getattr(presets, name)(*args, **more), X), X[:100])


def detector(X: Any = WINE, **params: Any) -> Callable[[], Answers]:
    params = {"gamma": 0.05, "max_atoms": 40, "random_state": 0} | params

    def run() -> Answers:
        model = KernelNoveltyDetector(**params).fit(X[:80])
        seen = model.monitor(X[80:]) if hasattr(model, "monitor") else None
        answers = of_detector(model, X)
        if seen is not None:
            answers |= {
                f"monitored.{name}": value
                for name, value in vars(seen).items()
                if isinstance(value, np.ndarray) and value.dtype.kind in "fib"
            }
        return answers

    return run


def merged(**params: Any) -> Callable[[], Answers]:
    def run() -> Answers:
        parts = [
            learned(
                OnlineKernelPCA(4, gamma=0.05, max_atoms=60, random_state=0, **params),
                BY_CLASS[i::3],
            )
            for i in range(3)
        ]
        whole = okpca.merge(parts)
        return of_model(learned(whole, DIGITS[:50]), DIGITS[:100])

    return run


def compressed(**params: Any) -> Callable[[], Answers]:
    def run() -> Answers:
        model = OnlineKernelPCA(4, max_atoms=60, random_state=0, **({"gamma": 0.05} | params))
        model = learned(model, DIGITS[:300]).compress(20)
        answers = of_model(model, DIGITS[:100])
        model = learned(model, DIGITS[300:])
        return answers | {f"later.{k}": v for k, v in of_model(model, DIGITS[:100]).items()}

    return run


def reconstructed(method: str, **params: Any) -> Callable[[], Answers]:
    def run() -> Answers:
        model = OnlineKernelPCA(
            4, preimage=method, max_atoms=60, random_state=0, **({"gamma": 0.05} | params)
        )
        model.fit(DIGITS)
        return {
            "denoised": model.denoise(DIGITS[:20]),
            "inverse": model.inverse_transform(model.transform(DIGITS[:20])),
        }

    return run


def configurations() -> Iterator[tuple[str, Callable[[], Answers]]]:
    for name in sorted(rules.NAMES):
        yield f"rule {name}", plain(rule=name)
        yield f"rule {name}, project, weights", plain(rule=name, on_full="project", weight=WEIGHT)
        yield f"rule {name}, forgetting", plain(rule=name, forgetting=0.99, on_full="drop")
        yield f"rule {name}, robust", plain(rule=name, robust=weights.Exponential(2.0))
        yield f"rule {name}, warm", plain(rule=name, burn_in=90)
    yield (
        "two epochs",
        lambda: of_model(
            OnlineKernelPCA(3, gamma=0.05, rule="on-kha", epochs=2, random_state=1).fit(WINE), WINE
        ),
    )
    for on_full in ("compress", "drop", "project", "slide"):
        for forgetting in (1.0, 0.98):
            for X, order in ((DIGITS, "stored"), (BY_CLASS, "by class")):
                yield (
                    f"{on_full}, {forgetting}, {order}",
                    plain(X, on_full=on_full, forgetting=forgetting, max_atoms=30),
                )
        yield f"{on_full}, weights", plain(on_full=on_full, weight=WEIGHT, max_atoms=30)
        yield f"{on_full}, nu=0, wavy", plain(WAVY, on_full=on_full, nu=0.0, gamma=0.5)
        yield f"{on_full}, merged", merged(on_full=on_full)
        yield (
            f"{on_full}, robust, warm",
            plain(on_full=on_full, robust=weights.Logistic(5.0, 0.4), burn_in=100, max_atoms=30),
        )
    yield "reduced set", plain(WINE, on_full=budget("ReducedSet", per_component=5), max_atoms=40)
    yield "coherence", plain(dictionary="coherence", nu=0.5)
    yield "fixed", plain(dictionary=Fixed(DIGITS[::20]))
    yield "sampled", plain(dictionary=Sampled(30), burn_in=100)
    yield "clustered", plain(dictionary=Clustered(30), burn_in=100)
    yield (
        "empirical",
        plain(dictionary=Fixed(DIGITS[::20]), geometry="empirical", rule="oja", center=True),
    )
    yield (
        "empirical, exact, robust",
        plain(
            dictionary=Sampled(30), geometry="empirical", burn_in=90,
            robust=weights.Exponential(0.5),
        ),
    )  # fmt: skip
    for name in ("rbf", "exponential", "laplacian", "poly", "linear", "cosine", "wavelet"):
        yield f"kernel {name}", plain(kernel=name, gamma=0.05)
        yield f"kernel {name}, batch", plain(WINE, kernel=name, nu=0.0, max_atoms=None)
    both = kernels.RBF(gamma=0.05) + 0.3 * kernels.Linear() * kernels.Constant(2.0)
    yield "kernel sum and product", plain(kernel=both)
    yield "kernel function", plain(kernel=lambda X, Y: np.tanh(X @ Y.T / 30) + (X @ Y.T) ** 2)
    yield "kernel cosine, sparse", plain_sparse(kernel="cosine")
    yield "uncentred", plain(center=False)
    yield "share of variance", plain(n_components=0.8)
    yield "all components", plain(WINE, n_components=None)
    yield "float32", plain(DIGITS.astype(np.float32))
    yield "merged robust", merged(robust=weights.Exponential(2.0))
    for kernel in ("rbf", "poly", "laplacian"):
        yield f"compressed {kernel}", compressed(kernel=kernel)
    for method in ("fixed_point", "gradient", "nonnegative", "conformal", "ridge"):
        yield f"pre-images {method}", reconstructed(method)
    yield "pre-images poly", reconstructed("gradient", kernel="poly")
    yield "pre-images linear", reconstructed("gradient", kernel="linear")
    rbf = {"kernel": kernels.RBF(gamma=0.05), "random_state": 0}
    for name in (
        "kashima_oja", "kashima_apex", "kashima_simultaneous", "okha_single", "okha", "oo_kha",
        "on_kha", "subkha", "tanaka", "ikpca", "iksvd",
    ):  # fmt: skip
        yield f"preset {name}", preset(name, **rbf)
    yield "preset ikpca_rs", preset("ikpca_rs", 3, X=WINE[:60], **rbf)
    yield "preset rkpca", preset("rkpca", 3, dictionary=Fixed(WINE[::5]), **rbf)
    yield "preset kha", lambda: of_model(presets.kha(WINE, 3, epochs=2, **rbf).fit(WINE), WINE)
    for statistic in ("spe", "t2", "combined"):
        yield f"detector {statistic}", detector(statistic=statistic)
    yield "detector lags", detector(lags=2)
    yield "detector ewma", detector(ewma=0.3)
    yield "detector drop", detector(on_full="drop", max_atoms=20)
    yield "detector robust", detector(robust=weights.Exponential(1.0), n_components=3)
    wide = WINE * np.geomspace(1, 300, 13) + 100.0
    for word in ("scale", "median"):
        for name in ("rbf", "laplacian", "poly"):
            yield f"gamma {word}, {name}", plain(kernel=name, gamma=word)
        yield f"gamma {word}, warm, weights", plain(gamma=word, burn_in=90, weight=WEIGHT)
        yield f"gamma {word}, sparse", plain_sparse(gamma=word)
    for scale in ("standard", "robust"):
        yield f"scale {scale}", plain(wide, gamma="median", scale=scale)
        yield f"scale {scale}, warm, on-kha", plain(wide, scale=scale, burn_in=50, rule="on-kha")
        yield f"scale {scale}, sparse", plain_sparse(scale=scale)
        yield f"scale {scale}, detector", detector(wide, gamma="median", scale=scale)
        yield f"scale {scale}, pre-images", reconstructed("fixed_point", scale=scale)
    yield "sigma", plain(gamma=None, sigma=3.0)


def plain_sparse(**params: Any) -> Callable[[], Answers]:
    X = sparse.csr_matrix(np.where(DIGITS > 0.5, DIGITS, 0.0) + 0.0)

    def run() -> Answers:
        model = learned(OnlineKernelPCA(4, max_atoms=60, **params), X)
        return {"transform": model.transform(X[:100]), "eigenvalues": model.eigenvalues_}

    return run


def record() -> Answers:
    answers: Answers = {}
    for name, run in configurations():
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                found = run()
        except (TypeError, ValueError) as error:
            found = {"refused": np.array(str(error))}
        answers |= {f"{name} | {what}": np.asarray(value) for what, value in found.items()}
    return answers


def differences(before: Answers, now: Answers) -> list[str]:
    found = [f"{key}: only in one of them" for key in sorted(before.keys() ^ now.keys())]
    for key in before.keys() & now.keys():
        a, b = before[key], now[key]
        if a.shape != b.shape or a.dtype.kind != b.dtype.kind:
            found.append(f"{key}: {a.dtype} {a.shape} became {b.dtype} {b.shape}")
        elif a.dtype.kind != "f":
            if not np.array_equal(a, b):
                found.append(f"{key}: {a} became {b}"[:300])
        elif not np.array_equal(np.isfinite(a), np.isfinite(b)):
            found.append(f"{key}: not finite elsewhere")
        else:
            real = np.isfinite(a)
            size = np.abs(a[real]).max(initial=0.0)
            off = np.abs(a[real] - b[real]).max(initial=0.0)
            if off > TOLERANCE * size:
                found.append(f"{key}: off by {off:.2g}, of {size:.2g}")
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("path", nargs="?")
    parser.add_argument("--against")
    args = parser.parse_args()
    now = record()
    names = {key.split(" | ")[0] for key in now}
    refused = sorted(key for key in now if key.endswith("| refused"))
    print(f"{len(names)} configurations, {len(now)} answers, {len(refused)} refusals")
    for key in refused:
        print(" ", key, now[key])
    if args.path:
        np.savez_compressed(args.path, **now)
    if not args.against:
        return 0
    with np.load(args.against) as stored:
        found = differences(dict(stored), now)
    print("\n".join(found) or f"all agree to {TOLERANCE:g}")
    return int(bool(found))


if __name__ == "__main__":
    sys.exit(main())
