"""okpca: online kernel PCA for streams."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from okpca import dictionary, kernels, preimage, rules, subspace
from okpca._core.errors import KernelWarning, ModelFileError
from okpca._core.version import __version__
from okpca.detection import KernelNoveltyDetector
from okpca.estimator import OnlineKernelPCA, StreamPipeline, cite, merge, presets
from okpca.io import load
from okpca.model import Certificate, budget, weights
from okpca.rules import schedules

if TYPE_CHECKING:
    from okpca.guidance.suggest import suggest
    from okpca.plots.trace import Trace

__all__ = [
    "Certificate",
    "KernelNoveltyDetector",
    "KernelWarning",
    "ModelFileError",
    "OnlineKernelPCA",
    "StreamPipeline",
    "Trace",
    "__version__",
    "budget",
    "cite",
    "dictionary",
    "kernels",
    "load",
    "merge",
    "preimage",
    "presets",
    "rules",
    "schedules",
    "subspace",
    "suggest",
    "weights",
]

# Loaded when they are first asked for.
_FACES = ("checks", "guidance", "plots")
_OF_FACES = {"Trace": "okpca.plots.trace", "suggest": "okpca.guidance"}


def __getattr__(name: str) -> Any:
    if name in _FACES:
        return import_module(f"okpca.{name}")
    if name in _OF_FACES:
        return getattr(import_module(_OF_FACES[name]), name)
    raise AttributeError(f"module 'okpca' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__, *_FACES})
