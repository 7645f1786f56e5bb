"""From JSON and arrays to an estimator: `encoding` backwards, and nothing is taken on trust."""

from __future__ import annotations

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

TAGS = {"object", "tuple", "dict", "float", "kernel", "function"}
NUMBERS = {"array", "scalar", "strings", "csr"}
MOST_LETTERS = 2**22  # of strings in an array of fixed width, which takes four bytes for each
FLOATS = {"nan": float("nan"), "inf": float("inf"), "-inf": float("-inf")}


class Decoder:
    def __init__(self, arrays: Arrays, functions: Mapping[str, Callable[..., Any]]) -> None:
        self._arrays = arrays
        self._functions = functions
        self._kinds = allowed_classes.kinds()
        self._done: list[Any] = []
        self._used: set[str] = set()
        self._kernels: dict[str, Kernel] = {}
        self._calls: dict[str, Callable[..., Any]] = {"array": self._named_array}
        self._calls |= {"partial": partial, "function": self._function}
        for kind in self._kinds.values():
            if issubclass(kind, Kernel):
                self._calls[kind.__name__] = partial(self._built, kind)

    def root(self, objects: Any) -> Any:
        """The last of the objects; the others are its parts."""
        if not isinstance(objects, list) or not objects:
            raise ValueError("there are no objects")
        for described in objects:
            self._done.append(self._object(described))
        unused = sorted(set(self._arrays) - self._used)
        if unused:
            raise ValueError(f"nothing uses the array {unused[0]!r}")
        return self._done[-1]

    def _object(self, described: Any) -> Any:
        if set(described) == {"function"}:
            return self._function(described["function"])
        name, given = described["is"], self._all(described["with"])
        if name in self._kinds:
            return self._built(self._kinds[name], **given)
        if name == "RandomState":
            return _random(given)
        kind = estimators.named(name)
        if kind is None:
            raise ValueError(f"there is no class {name!r}")
        estimator = estimators.restored(kind, given, self._all(described["learned"]))
        estimators.refuse_unsound(estimator)
        return estimator

    def _built(self, kind: type, *values: Any, **given: Any) -> Any:
        hints = allowed_classes.parameters(kind)
        given = dict(zip(hints, values, strict=False)) | given
        for name in allowed_classes.RETIRED.get(kind.__name__, ()):
            given.pop(name, None)
        needed = set(hints) - allowed_classes.optional(kind)  # a file may be older than a field
        if not needed <= set(given) <= set(hints):
            raise ValueError(f"{kind.__name__} of {sorted(given)} instead of {sorted(hints)}")
        for name, of in given.items():
            if not fits(of, hints[name]):
                raise ValueError(f"{name} of {kind.__name__} is not {hints[name]}")
        refuse_before(kind, given)
        built = kind(**given)
        refuse_unsound(built)
        return built

    def _all(self, parts: Any) -> dict[str, Any]:
        if not isinstance(parts, dict):
            raise ValueError("parts without names")
        return {name: self.value(of) for name, of in parts.items()}

    def value(self, stored: Any) -> Any:
        if isinstance(stored, list):
            return [self.value(of) for of in stored]
        if not isinstance(stored, dict):
            return stored
        (tag,) = set(stored) & (TAGS | NUMBERS)
        of = stored[tag]
        match tag:
            case "object":
                if type(of) is not int or not 0 <= of < len(self._done):
                    raise ValueError(f"object {of!r} is not there yet")
                return self._done[of]
            case "tuple":
                return tuple(self.value(list(of)))
            case "dict":
                return {self.value(key): self.value(value) for key, value in of}
            case "float":
                return FLOATS[of]
            case "kernel":
                return self._kernel(of)
            case "function":
                return self._function(of)
        return self._numbers(tag, stored)

    def _numbers(self, tag: str, stored: dict[str, Any]) -> Any:
        if tag == "csr":
            return self._csr(stored)
        found = self._named_array(stored[tag])
        if tag == "scalar":
            return found.reshape(())[()]
        if tag == "strings":
            return self._strings(found, stored)
        return found.T if stored.get("order") == "F" else found

    def _named_array(self, name: Any) -> Any:
        self._used.add(name)
        return self._arrays[name]

    def _strings(self, joined: Any, stored: dict[str, Any]) -> Any:
        ends, raw = self._named_array(stored["ends"]), joined.astype(np.uint8, casting="no")
        ends = ends.astype(np.int64, casting="no")
        starts = np.concatenate([[0], ends])[:-1]
        if (ends < starts).any() or raw.size != (ends[-1] if len(ends) else 0):
            raise ValueError("strings of wrong lengths")
        whole = raw.tobytes()
        texts = [
            whole[start:end].decode("utf-8", "surrogatepass")
            for start, end in zip(starts.tolist(), ends.tolist(), strict=True)
        ]
        if not stored["fixed"]:
            return np.array(texts, dtype=object)
        if len(texts) * max(map(len, texts), default=0) > MOST_LETTERS:
            raise ValueError("strings that would all be as long as the longest")
        return np.array(texts, dtype=np.str_)

    def _csr(self, stored: dict[str, Any]) -> Any:
        data, indices, indptr = (self.value(part) for part in stored["csr"])
        n, d = stored["shape"]
        if type(n) is not int or type(d) is not int or indptr.shape != (n + 1,):
            raise ValueError("CSR rows of another number")
        kind = sparse.csr_matrix if stored["matrix"] else sparse.csr_array
        rows = kind((data, indices, indptr), shape=(n, d))
        rows.check_format(full_check=True)
        if not np.isfinite(rows.data).all():
            raise ValueError("CSR rows that are not finite")
        return rows

    def _kernel(self, text: str) -> Kernel:
        """The same code is the same value, with the same arrays."""
        if text not in self._kernels:
            kernel = kernel_code.parsed(text, self._calls)
            if not isinstance(kernel, Kernel):
                raise ValueError(f"{text!r} is no kernel")
            self._kernels[text] = kernel
        return self._kernels[text]

    def _function(self, name: Any) -> Any:
        if name not in self._functions:
            raise ValueError(
                f"the model uses a function that was called {name!r}: give it, "
                f"okpca.load(path, functions={{{name!r}: f}})"
            )
        return self._functions[name]


def _random(given: dict[str, Any]) -> np.random.RandomState:
    """numpy believes what it is told, and would read beyond the end of the key."""
    key, pos = given["state"]["key"], given["state"]["pos"]
    if key.dtype != np.uint32 or key.shape != (624,) or type(pos) is not int or not 0 <= pos <= 624:
        raise ValueError("a random state that is none")
    if type(given["gauss"]) is not float or given["has_gauss"] not in (0, 1):
        raise ValueError("a random state that is none")
    source = np.random.RandomState()
    source.set_state(given)
    return source
