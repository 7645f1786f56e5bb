"""From an estimator to JSON and arrays.

Objects are a flat list, those that an object needs before it, so that one which is shared is stored
once and none can contain itself. A value in JSON is itself, or a dictionary of one of these:

    {"object": i}  {"array": name}  {"scalar": name}  {"strings": name}  {"csr": …}
    {"kernel": code}  {"function": name}  {"tuple": [...]}  {"dict": [[key, value], …]}
    {"float": "nan" | "inf" | "-inf"}
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import numpy as np
from scipy import sparse

from okpca.io import allowed_classes, estimators, kernel_code
from okpca.io.container import Arrays
from okpca.io.soundness import refuse_before, refuse_unsound
from okpca.io.type_check import fits
from okpca.kernels import Kernel

SIZES = {"f": (2, 4, 8), "i": (1, 2, 4, 8), "u": (1, 2, 4, 8), "b": (1,)}  # of numbers, in bytes


class Encoder:
    def __init__(self, functions: Mapping[str, Callable[..., Any]]) -> None:
        self.objects: list[dict[str, Any]] = []
        self.arrays: Arrays = {}
        self._functions = dict(functions)
        self._names = {kind: name for name, kind in allowed_classes.kinds().items()}
        self._known: dict[int, Any] = {}
        self._kept: list[Any] = []  # so that an id stays that of one thing

    def value(self, value: Any, where: str) -> Any:
        if isinstance(value, np.str_):
            return str(value)
        if value is None or type(value) in (bool, int, str):
            return value
        if isinstance(value, np.generic):
            return {"scalar": self._array(np.array(value), where)["array"]}
        if type(value) is float:
            return value if math.isfinite(value) else {"float": repr(value)}
        if isinstance(value, np.ndarray):
            return self._array(value, where)
        if sparse.issparse(value):
            return self._csr(value, where)
        if isinstance(value, Kernel):
            return {"kernel": self._code(value, where)}
        return self._container(value, where)

    def _container(self, value: Any, where: str) -> Any:
        if type(value) is tuple:
            return {"tuple": [self.value(of, f"{where}.{i}") for i, of in enumerate(value)]}
        if type(value) is list:
            return [self.value(of, f"{where}.{i}") for i, of in enumerate(value)]
        if type(value) is dict:
            return {
                "dict": [
                    [self.value(key, f"{where}.key"), self.value(of, f"{where}.{key}")]
                    for key, of in value.items()
                ]
            }
        if id(value) not in self._known:
            self._kept.append(value)
            self.objects.append(self._object(value, where))
            self._known[id(value)] = {"object": len(self.objects) - 1}
        return self._known[id(value)]

    def _object(self, value: Any, where: str) -> dict[str, Any]:
        name = self._names.get(type(value))
        if name is not None:
            given = allowed_classes.arguments(value)
            refuse_before(type(value), given)  # a file that could not be read is not written
            refuse_unsound(value)
            return {"is": name, "with": self._all(given, where, type(value))}
        if isinstance(value, np.random.RandomState):
            return {"is": "RandomState", "with": self._all(value.get_state(legacy=False), where)}
        name = estimators.name_of(value)
        if name is not None:
            given, learned = estimators.parts(value)
            estimators.refuse_unsound(value)
            stored = self._all(given, where)
            return {"is": name, "with": stored, "learned": self._all(learned, where)}
        if callable(value):
            return {"function": self._function(value, where)}
        raise TypeError(f"{where}: a model file cannot hold {_told(value)}.")

    def _all(self, parts: Mapping[str, Any], where: str, kind: Any = None) -> dict[str, Any]:
        hints = {} if kind is None else allowed_classes.parameters(kind)
        for name, of in parts.items():
            if not fits(of, hints.get(name, Any)):
                raise TypeError(f"{where}.{name}: {_told(of)} is not {hints[name]}.")
        return {name: self.value(of, f"{where}.{name}") for name, of in parts.items()}

    # -- functions and kernels --------------------------------------------------------------------

    def _function(self, function: Any, where: str) -> str:
        for name, known in self._functions.items():
            if known is function:
                return name
        called = getattr(function, "__qualname__", repr(function))
        raise TypeError(
            f"{where}: a model file holds no code, so the function {called} must be named: "
            "save(path, functions={'name': f}), and the same for okpca.load."
        )

    def _code(self, kernel: Kernel, where: str) -> str:
        def held(value: Any) -> str | None:
            if isinstance(value, np.ndarray) and value.dtype.kind in SIZES:
                name = self._array(np.ascontiguousarray(value), where)["array"]
                return f"array({json.dumps(name)})"
            if not any(value is named for named in self._functions.values()):
                if isinstance(value, Kernel) and type(value) not in self._names:
                    raise TypeError(
                        f"{where}: {_told(value)} is no kernel of okpca: it must "
                        "be named: save(path, functions={'name': kernel}), and so for okpca.load."
                    )
                if isinstance(value, Kernel | partial) or not callable(value):
                    return None
            return f"function({json.dumps(self._function(value, where))})"

        return kernel_code.written(kernel, held)

    # -- arrays -----------------------------------------------------------------------------------

    def _array(self, array: Any, where: str) -> dict[str, Any]:
        if id(array) not in self._known:
            self._kept.append(array)
            self._known[id(array)] = self._stored(array, where)
        found: dict[str, Any] = self._known[id(array)]
        return found

    def _stored(self, array: Any, where: str) -> dict[str, Any]:
        if array.dtype.kind in "OU":
            return self._strings(array, where)
        if array.dtype.itemsize not in SIZES.get(array.dtype.kind, ()):
            raise TypeError(f"{where}: a model file cannot hold an array of {array.dtype}.")
        # safetensors takes the memory as it lies; a product may round otherwise in another order.
        turned = array.flags.f_contiguous and not array.flags.c_contiguous
        native = (array.T if turned else array).astype(array.dtype.newbyteorder("="), copy=False)
        name = self._add(np.ascontiguousarray(native).reshape(native.shape), where)
        return {"array": name} | ({"order": "F"} if turned else {})

    def _strings(self, array: Any, where: str) -> dict[str, Any]:
        """Their bytes one after another, and where each ends."""
        if array.ndim != 1 or not all(isinstance(text, str) for text in array):
            raise TypeError(f"{where}: a model file cannot hold an array of such objects.")
        texts = [text.encode("utf-8", "surrogatepass") for text in array]
        ends = self._add(np.cumsum([len(text) for text in texts], dtype=np.int64), f"{where}.ends")
        joined = self._add(np.frombuffer(b"".join(texts), dtype=np.uint8), where)
        return {"strings": joined, "ends": ends, "fixed": array.dtype.kind == "U"}

    def _csr(self, rows: Any, where: str) -> dict[str, Any]:
        if not isinstance(rows, sparse.csr_array | sparse.csr_matrix):
            raise TypeError(f"{where}: a model file holds CSR rows, not {_told(rows)}.")
        parts = [
            self._array(getattr(rows, name), f"{where}.{name}")
            for name in ("data", "indices", "indptr")
        ]
        shape, array = [int(side) for side in rows.shape], isinstance(rows, sparse.csr_array)
        return {"csr": parts, "shape": shape, "matrix": not array}

    def _add(self, array: Any, where: str) -> str:
        name, n = where, 1
        while name in self.arrays:
            n += 1
            name = f"{where}#{n}"
        self.arrays[name] = array
        return name


def _told(value: Any) -> str:
    kind = type(value)
    return f"{kind.__module__}.{kind.__qualname__} ({value!r:.60})"
