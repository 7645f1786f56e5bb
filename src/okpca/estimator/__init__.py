"""OnlineKernelPCA, the papers' algorithms by name, and what can be told along a stream."""

from okpca.estimator.attributes import keeping, kept_by, model_of
from okpca.estimator.citing import cite
from okpca.estimator.online import OnlineKernelPCA
from okpca.estimator.parameters import make_kernel
from okpca.estimator.pipeline import StreamPipeline
from okpca.estimator.surgery import merge

__all__ = [
    "OnlineKernelPCA",
    "StreamPipeline",
    "cite",
    "keeping",
    "kept_by",
    "make_kernel",
    "merge",
    "model_of",
]
