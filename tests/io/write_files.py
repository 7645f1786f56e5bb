"""Small model files of the format of today, which every later okpca must read. Run once for each
format, when it is new; files that are there are never written again."""

from pathlib import Path

import numpy as np
from sklearn.preprocessing import StandardScaler

from okpca import KernelNoveltyDetector, OnlineKernelPCA, StreamPipeline, kernels, weights
from okpca.io.saving import FORMAT

FOLDER = Path(__file__).parent / "files"


def main() -> None:
    X = np.random.default_rng(0).normal(size=(120, 3))
    kernel = kernels.Standardized(kernels.RBF(0.2), [1.0, 2.0, 1.0]) + 0.5 * kernels.Linear()
    models = {
        "kpca": OnlineKernelPCA(2, kernel=kernel, max_atoms=8, robust=weights.Exponential(0.5)),
        "detector": KernelNoveltyDetector(
            2, gamma="median", lags=1, ewma=0.5, warm_up=30, window=50, max_atoms=8,
            contamination=0.1,
        ),
        "pipeline": StreamPipeline(
            [("scale", StandardScaler()), ("kpca", OnlineKernelPCA(2, rule="on-kha", gamma=0.2,
             max_atoms=8, random_state=np.random.RandomState(0)))]
        ),
    }  # fmt: skip
    probe = {"X": np.random.default_rng(1).normal(size=(20, 3))}
    for name, model in models.items():
        path = FOLDER / f"v{FORMAT}-{name}.okpca"
        if path.exists():
            raise SystemExit(f"{path} is there, and stays as it is.")
        model.partial_fit(X).save(path)
        look = model.score_samples if name == "detector" else model.transform
        probe[name] = look(probe["X"])
    np.savez_compressed(FOLDER / "probe.npz", **probe)


if __name__ == "__main__":
    main()
