"""okpca for River (https://riverml.xyz): rows are dicts, learned one by one.

The classes are River's in manners and parameters of their own; those for scikit-learn are
:class:`okpca.OnlineKernelPCA` and :class:`okpca.KernelNoveltyDetector`, and do the work.
"""

from __future__ import annotations

from importlib.util import find_spec

if find_spec("river") is None:
    raise ImportError("okpca.river needs River, which is not installed: pip install 'okpca[river]'")

from okpca.river.novelty import KernelNovelty
from okpca.river.transformer import OnlineKernelPCA

__all__ = ["KernelNovelty", "OnlineKernelPCA"]
