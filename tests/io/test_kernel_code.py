"""Kernels as code: what is written is read, and nothing else is."""

import numpy as np
import pytest

from okpca import kernels
from okpca.io import allowed_classes
from okpca.io.kernel_code import parsed, written
from okpca.io.type_check import fits

NAMES = {name: kind for name, kind in vars(kernels).items() if isinstance(kind, type)}


def no_arrays(value):
    return f"array({value.tolist()!r})" if isinstance(value, np.ndarray) else None


def there_and_back(kernel):
    return parsed(written(kernel, no_arrays), NAMES | {"array": np.array})


@pytest.mark.parametrize(
    "kernel",
    [
        kernels.RBF(0.1),
        kernels.RBF(1 / 3) + 2 * kernels.Linear() * kernels.Polynomial(2, None, 0.0),
        kernels.RBF("median"),
        kernels.Wavelet("sym4", 2, kernels.Cosine(), shape=(8, 8), details=False),
        kernels.Standardized(kernels.Laplacian(1e-300), [1.0, 2e20], [-0.5, 0.0]),
        kernels.Standardizing(kernels.Exponential(3), "robust"),
        sum(kernels.Constant(1.5**i) for i in range(50)),
    ],
    ids=repr,
)
def test_there_and_back(kernel):
    assert there_and_back(kernel) == kernel


@pytest.mark.parametrize("value", [(), (1,), [1, [2.5]], "a'\"\\\n\u2603", -0.0, 1e-320, -7, None])
def test_values(value):
    found = parsed(written(value, no_arrays), {})
    assert repr(found) == repr(value)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "RBF",
        "RBF(",
        "RBF(gamma=)",
        "RBF(gamma=0.1) RBF()",
        "RBF(gamma 0.1)",
        "RBF(0.1 0.2)",
        "rbf()",
        "__import__('os')",
        "os.system('x')",
        "RBF(gamma=__import__)",
        "RBF().__class__",
        "(lambda: 1)()",
        "[x for x in (1,)]",
        "'a' 'b'",
        "'open",
        "1 + 1",
        "RBF(*[1])",
        "RBF(**{})",
        "[" * 500,
        "Sum(" * 500,
    ],
)
def test_what_is_no_code_of_a_kernel(text):
    with pytest.raises(ValueError, match=r"kernel|value|end|called|missing|code"):
        parsed(text, NAMES)


def test_classes_have_one_name_each():
    kinds = allowed_classes.kinds()  # which refuses two
    assert {"model.Model", "rules.ExactLearner", "kernels.RBF", "detection.Watch"} <= set(kinds)
    assert all(kind.__module__.startswith("okpca.") for kind in kinds.values())
    for kind in kinds.values():
        assert set(allowed_classes.optional(kind)) <= set(allowed_classes.parameters(kind))


@pytest.mark.parametrize(
    ("value", "hint", "good"),
    [
        (1, int, True),
        (True, int, False),
        (True, bool, True),
        (1, float, True),
        ("1", float, False),
        (None, int | None, True),
        ((1.0, 2.0), tuple[float, ...], True),
        ((1.0, "2"), tuple[float, ...], False),
        ((1, "2"), tuple[int, str], True),
        ((1,), tuple[int, str], False),
        ([None, 1], list[int | None], True),
        ({"a": 1}, dict[str, str], False),
        (np.zeros(2), np.ndarray, True),
        (np.zeros(2), allowed_classes.parameters(kernels.Constant)["value"], False),
    ],
)
def test_fits(value, hint, good):
    assert fits(value, hint) is good
