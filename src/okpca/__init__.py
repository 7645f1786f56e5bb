"""okpca: online kernel PCA for streams."""

from okpca import dictionary, kernels, rules, schedules
from okpca._version import __version__
from okpca.estimator import OnlineKernelPCA

__all__ = ["OnlineKernelPCA", "__version__", "dictionary", "kernels", "rules", "schedules"]
