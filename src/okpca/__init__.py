"""okpca: online kernel PCA for streams."""

from okpca import dictionary, kernels, rules, schedules
from okpca._version import __version__
from okpca.certificate import Certificate
from okpca.estimator import OnlineKernelPCA
from okpca.merging import merge

__all__ = [
    "Certificate",
    "OnlineKernelPCA",
    "__version__",
    "dictionary",
    "kernels",
    "merge",
    "rules",
    "schedules",
]
