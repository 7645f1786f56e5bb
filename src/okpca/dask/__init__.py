"""Models of more rows than one process can read: partitions become models on the workers of Dask,
models are merged two by two, and only models travel.

    rows of a partition → model ┐
    rows of a partition → model ┴→ merge ┐
    rows of a partition → model ┐        ├→ merge → one model
    rows of a partition → model ┴→ merge ┘

The tree is that of the order of the partitions, so the model does not depend on which worker is
done first, nor on how many there are.
"""

try:
    import dask as _dask  # noqa: F401
except ImportError:
    raise ImportError("okpca.dask needs dask: pip install 'okpca[dask]'.") from None

from okpca.dask.applying import denoise, score_samples, transform
from okpca.dask.errors import PartitionError
from okpca.dask.fitting import fit
from okpca.dask.partitions import files

__all__ = ["PartitionError", "denoise", "files", "fit", "score_samples", "transform"]
