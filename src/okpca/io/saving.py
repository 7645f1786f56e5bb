"""`save` and `load`, and the version that pickles carry."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from copy import copy
from importlib.metadata import version
from platform import python_version
from typing import Any

import numpy as np
from sklearn.exceptions import InconsistentVersionWarning, NotFittedError

from okpca._core.errors import ModelFileError
from okpca._core.version import __version__
from okpca.io.atomic_write import previous, write
from okpca.io.container import packed, unpacked
from okpca.io.decoding import Decoder
from okpca.io.encoding import Encoder
from okpca.io.estimators import FOREIGN, Storable, at_home

FORMAT = 1
"""One more when the okpca of yesterday could not read a file of today. Files of any earlier one
are read for ever."""

Functions = Mapping[str, Callable[..., Any]]


def rows_seen(estimator: Saving) -> int:
    """By what it has learned; 0 for one that is not fitted."""
    return estimator._rows_seen()


class Saving(Storable):
    """An estimator that can be kept in a file."""

    def save(self, path: Any, *, functions: Functions | None = None, position: Any = None) -> None:
        """Write everything to a file, by custom `.okpca`, that :func:`okpca.load` makes it from.

        What is loaded goes on as if it had never been saved, to the last bit on the same machine.
        The file is there whole or not at all, whatever happens meanwhile; one that was there before
        is kept under the same name with a tilde after it.

        Parameters
        ----------
        path : path-like
        functions : dict of name and function, default=None
            Names for functions that are kernels: the file holds no code, so they must be given to
            `load` again.
        position : anything that JSON can hold, default=None
            Where in its source the stream has got to; :func:`okpca.io.header` tells it.
        """
        now, encoder = copy(self), Encoder(functions or {})  # another thread may be learning
        encoder.value(now, type(self).__name__)
        header = {
            "format": FORMAT,
            "class": type(self).__name__,
            "versions": _versions(),
            "rows": rows_seen(now),
            "position": position,
            "objects": encoder.objects,
        }
        write(path, packed(header, encoder.arrays))

    def _rows_seen(self) -> int:
        with suppress(AttributeError, NotFittedError):
            return int(self.n_samples_seen_)  # type: ignore[attr-defined]
        return 0

    def __getstate__(self) -> dict[str, Any]:
        state: dict[str, Any] = super().__getstate__()  # type: ignore[assignment]
        return {**state, "_okpca_version": __version__}

    def __setstate__(self, state: dict[str, Any]) -> None:
        state = dict(state)
        by = state.pop("_okpca_version", __version__)
        if by != __version__:
            warnings.warn(
                f"this {type(self).__name__} was pickled by okpca {by} and is read by {__version__}"
                ", which need not understand it: to keep a model, save it to a file.",
                stacklevel=2,
            )
        super().__setstate__(state)  # type: ignore[misc]


def load(path: Any, *, functions: Functions | None = None) -> Any:
    """The estimator that was saved to a file.

    Parameters
    ----------
    path : path-like
    functions : dict of name and function, default=None
        Those that were named when it was saved.

    Raises
    ------
    ModelFileError
        Whatever is wrong with the file.

    Examples
    --------
    >>> import okpca
    >>> from sklearn.datasets import load_wine
    >>> X = load_wine().data
    >>> model = okpca.OnlineKernelPCA(2, scale="standard").fit(X[:100])
    >>> model.save("wine.okpca")
    >>> _ = okpca.load("wine.okpca").partial_fit(X[100:])
    """
    at_home()
    with _hinting(path):
        told, arrays = unpacked(path)
        _refuse_newer(path, told)
        try:
            with np.errstate(all="ignore"):
                model = Decoder(arrays, functions or {}).root(told["objects"])
            then = told["versions"]["scikit-learn"]
            if type(model).__name__ != told["class"] or not isinstance(model, Saving):
                raise ValueError(f"it holds a {type(model).__name__}, not a {told['class']}")
        except ModelFileError:
            raise
        except Exception as error:  # whatever a constructor says to what is no model
            reason = str(error) or type(error).__name__
            raise ModelFileError(path, f"does not hold a model: {reason}") from error
    _warn_of_other_versions(told, then)
    return model


def header(path: Any) -> dict[str, Any]:
    """What a model file says of itself: format, class, versions, rows seen, source position."""
    with _hinting(path):
        told, _ = unpacked(path)
        _refuse_newer(path, told)
    return {name: of for name, of in told.items() if name != "objects"}


def _versions() -> dict[str, str]:
    others = {name: version(name) for name in ("numpy", "scipy", "scikit-learn")}
    return {"okpca": __version__, "python": python_version(), **others}


def _refuse_newer(path: Any, told: dict[str, Any]) -> None:
    number = told.get("format")
    if type(number) is not int or number < 1:
        raise ModelFileError(path, f"the format is {number!r}, which is none")
    if number > FORMAT:
        by = told.get("versions")
        raise ModelFileError(
            path, f"has format {number}, and this okpca reads up to {FORMAT}: update it ({by})"
        )


def _warn_of_other_versions(told: dict[str, Any], then: str) -> None:
    """okpca reads its own of any version; what scikit-learn makes of an attribute may change."""
    now = version("scikit-learn")
    for described in told["objects"]:
        if described.get("is") in FOREIGN and now != then:
            warnings.warn(
                InconsistentVersionWarning(
                    estimator_name=described["is"],
                    current_sklearn_version=now,
                    original_sklearn_version=then,
                ),
                stacklevel=3,
            )


@contextmanager
def _hinting(path: Any) -> Iterator[None]:
    """A broken file is no disaster if the one before it is there."""
    try:
        yield
    except ModelFileError as error:
        before = previous(path)
        if not before.exists():
            raise
        reason = f"{error.reason}; the one saved before it is kept as {before}"
        raise ModelFileError(path, reason) from error
