"""Models in every state that a stream can leave them in."""

import numpy as np
import pandas as pd
from scipy import sparse
from sklearn.decomposition import IncrementalPCA
from sklearn.frozen import FrozenEstimator
from sklearn.preprocessing import MaxAbsScaler, MinMaxScaler, StandardScaler

from helpers import normal
from okpca import (
    KernelNoveltyDetector,
    OnlineKernelPCA,
    StreamPipeline,
    budget,
    dictionary,
    kernels,
    presets,
    rules,
    schedules,
    weights,
)
from okpca import preimage as preimages
from okpca.subspace import MutualSubspaceClassifier

N, SAVED = 260, 137
X = normal(N, 4, seed=3)
SPARSE = sparse.random(N, 30, density=0.2, format="csr", random_state=0)
FRAME = pd.DataFrame(X, columns=["a", "b", "ü", "d"])
LABELS = np.where(X[:, 0] > 0, "one", "two")


def kpca(r=2, **more):
    return OnlineKernelPCA(r, **{"gamma": 0.2, "nu": 0.01, "max_atoms": 40} | more)


def detector(**more):
    settings = {"gamma": 0.2, "contamination": 0.1, "warm_up": 20, "refresh": 16}
    return KernelNoveltyDetector(**settings | {"window": 60, "max_atoms": 30} | more)


def pipeline(*steps):
    return StreamPipeline([(f"step{i}", step) for i, step in enumerate(steps)])


MODELS = {
    "exact": kpca(),
    "all rows": kpca(nu=0.0, max_atoms=None),
    "a share": kpca(0.9),
    "uncentred": kpca(center=False),
    "forgetting": kpca(forgetting=0.98),
    "drop": kpca(on_full="drop", forgetting=0.98, max_atoms=15),
    "project": kpca(on_full="project", max_atoms=15),
    "slide": kpca(on_full="slide", max_atoms=15),
    "compress": kpca(on_full=budget.Compress(free=0.3, thrift=2.0), max_atoms=15),
    "reduced set": presets.ikpca_rs(2, gamma=0.2, per_component=4, starts=2, iterations=30),
    "iksvd": presets.iksvd(2, gamma=0.2),
    "coherence": kpca(dictionary="coherence", nu=0.3),
    "fixed": kpca(dictionary=dictionary.Fixed(X[:15])),
    "sampled": kpca(dictionary=dictionary.Sampled(12), burn_in=50, random_state=1),
    "clustered, in its warm-up": kpca(dictionary=dictionary.Clustered(12), burn_in=200),
    "warm-up": kpca(burn_in=200),
    "robust": kpca(robust=weights.Exponential(2.0), burn_in=40),
    "robust from the start": kpca(robust="logistic"),
    "empirical": kpca(
        geometry="empirical", dictionary=dictionary.Fixed(X[:9]), rule="oo-kha", robust="plain"
    ),
    "hebbian": kpca(rule=rules.Hebbian(1.0, True, schedules.Inverse(0.3), init="unit")),
    "hebbian from an array": kpca(
        dictionary=dictionary.Fixed(X[:5]), rule=rules.Hebbian(init=0.1 * normal(2, 5))
    ),
    "centred atoms": kpca(rule=rules.CentredAtoms(schedules.Constant(0.2)), random_state=0),
    "on-kha": kpca(rule="on-kha", random_state=np.random.RandomState(7)),
    "apex": kpca(rule=rules.Apex(0.05, rows_per_component=100), random_state=0),
    "tanaka": kpca(rule="tanaka", random_state=0),
    "incremental svd": kpca(rule=rules.IncrementalSVD(block=17, first=30), burn_in=20),
    "sum": kpca(kernel=0.5 * kernels.RBF(0.1) + kernels.Linear() * kernels.Polynomial(2, 0.1) + 1),
    "exponential": kpca(kernel="exponential", gamma=None, sigma=2.0),
    "laplacian": kpca(kernel="laplacian"),
    "wavelet": kpca(kernel=kernels.Wavelet("haar", 1, kernels.RBF(0.3), shape=(2, 2))),
    "standardized": kpca(kernel=kernels.Standardized(kernels.RBF(0.1), [1.0, 2, 3, 4], [0.1] * 4)),
    "width to come": kpca(gamma="median", scale="robust"),
    "width known": kpca(gamma="scale", scale="standard", burn_in=30),
    "preimage": kpca(preimage=preimages.Ridge()),
    "numpy numbers": kpca(np.int64(2), gamma=np.float32(0.2)),
    "detector": detector(),
    "detector with lags": detector(lags=2, ewma=0.3, scale="robust", gamma="median"),
    "detector in its warm-up": detector(warm_up=200, gamma="median"),
    "detector with a run": detector(accept_after=60, contamination=0.5, statistic="combined"),
    "parametric": detector(limits="parametric", statistic="t2", on_full="drop", max_atoms=10),
    "standard scaler": pipeline(StandardScaler(), kpca()),
    "other scalers": pipeline(MinMaxScaler(), MaxAbsScaler(clip=True), kpca()),
    "incremental pca": pipeline(IncrementalPCA(3), detector()),
    "pipeline in a pipeline": pipeline(pipeline(StandardScaler(), kpca()), kpca(3)),
    "frozen": pipeline(FrozenEstimator(StandardScaler().fit(X)), "passthrough", kpca()),
}
FIRST = {"incremental pca": 20}


def learn(model, rows, labels):
    if isinstance(model, MutualSubspaceClassifier):
        return model.partial_fit(rows, labels)
    return model.partial_fit(rows)
