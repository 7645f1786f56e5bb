"""What every test shares: data sets, and the slow tests' way out."""

import math
import os
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, settings

WITHOUT_COMPILER = os.environ.get("NUMBA_DISABLE_JIT") == "1"

# The same examples on every machine; compilation may take seconds, so no deadline.
settings.register_profile(
    "okpca",
    deadline=None,
    derandomize=True,
    max_examples=20 if WITHOUT_COMPILER else 60,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("okpca")


def pytest_configure(config):
    # Many tests starve a model; where this warning counts it is an error. Said here, since a line
    # of pyproject.toml would import okpca before its lines are counted.
    config.addinivalue_line("filterwarnings", "ignore::okpca.KernelWarning")


def pytest_addoption(parser):
    parser.addoption(
        "--few", action="store_true", help="of n parameters of a test, take only about √n"
    )


@pytest.hookimpl(trylast=True)  # after -m and -k
def pytest_collection_modifyitems(config, items):
    if config.getoption("--few"):
        kept = set(map(id, few(items)))
        config.hook.pytest_deselected(items=[item for item in items if id(item) not in kept])
        items[:] = [item for item in items if id(item) in kept]
    if WITHOUT_COMPILER:
        skip_slow(items)


def few(items):
    """⌈√n⌉ of the n parameters of each test, the first and the last among them."""
    tests = {}
    for item in items:
        tests.setdefault(item.nodeid.partition("[")[0], []).append(item)
    for same in tests.values():
        count = math.isqrt(len(same) - 1) + 1
        yield from (same[i * (len(same) - 1) // max(count - 1, 1)] for i in range(count))


def skip_slow(items):
    skip = pytest.mark.skip(reason="slow, and NUMBA_DISABLE_JIT=1: run it compiled")
    for item in items:
        if "slow" in item.keywords:
            item.add_marker(skip)


@pytest.fixture(scope="session")
def data_set():
    """`data_set("usps_9298")` is that file of the folder OKPCA_DATA (default ../shared/data)."""
    repository = Path(__file__).resolve().parent.parent
    folder = Path(os.environ.get("OKPCA_DATA") or repository.parent / "shared" / "data")

    def load(name):
        path = folder / f"{name}.npz"
        if not path.is_file():
            pytest.skip(f"{path} is absent: set OKPCA_DATA to the folder of the data sets")
        with np.load(path, allow_pickle=False) as arrays:
            return dict(arrays)

    return load
