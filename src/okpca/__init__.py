"""okpca: online kernel PCA for streams."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from okpca._core.version import __version__

if TYPE_CHECKING:
    from okpca import dictionary, kernels, preimage, rules, subspace
    from okpca._core.errors import KernelWarning, ModelFileError
    from okpca.detection import KernelNoveltyDetector
    from okpca.estimator import OnlineKernelPCA, StreamPipeline, cite, merge, presets
    from okpca.estimator import guidance as guidance
    from okpca.estimator.guidance.suggest import suggest
    from okpca.io import load
    from okpca.model import Certificate, budget, weights
    from okpca.plots.trace import Trace
    from okpca.rules import schedules

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

# Loaded when they are first asked for: whoever wants `okpca --help` does not wait for scikit-learn.
_ROOMS = (
    *("checks", "detection", "dictionary", "estimator", "io", "kernels", "model"),
    *("plots", "preimage", "report", "rules", "subspace"),
)
_OPTIONAL = ("dask", "pyod", "river")  # not in `dir`: whoever goes through that need not have them
_MODULES = {
    **{room: room for room in (*_ROOMS, *_OPTIONAL)},
    "budget": "model.budget",
    "guidance": "estimator.guidance",
    "presets": "estimator.presets",
    "schedules": "rules.schedules",
    "weights": "model.weights",
}
_HOMES = {
    "Certificate": "model",
    "KernelNoveltyDetector": "detection",
    "KernelWarning": "_core.errors",
    "ModelFileError": "_core.errors",
    "OnlineKernelPCA": "estimator",
    "StreamPipeline": "estimator",
    "Trace": "plots.trace",
    "cite": "estimator",
    "load": "io",
    "merge": "estimator",
    "suggest": "estimator.guidance",
}


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        return import_module(f"okpca.{_MODULES[name]}")
    if name in _HOMES:
        found = globals()[name] = getattr(import_module(f"okpca.{_HOMES[name]}"), name)
        return found
    raise AttributeError(f"module 'okpca' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*__all__, *_MODULES} - {*_OPTIONAL})
