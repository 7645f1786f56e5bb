"""okpca: online kernel PCA for streams."""

from okpca import dictionary, kernels, preimage, presets, rules, schedules, subspace, weights
from okpca._version import __version__
from okpca.certificate import Certificate
from okpca.estimator import OnlineKernelPCA
from okpca.merging import merge
from okpca.novelty import KernelNoveltyDetector
from okpca.trace import Trace

__all__ = [
    "Certificate",
    "KernelNoveltyDetector",
    "OnlineKernelPCA",
    "Trace",
    "__version__",
    "dictionary",
    "kernels",
    "merge",
    "preimage",
    "presets",
    "rules",
    "schedules",
    "subspace",
    "weights",
]
