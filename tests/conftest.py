"""What every test shares: data sets, no figure left open, and the slow tests' way out."""

import os
import pkgutil
import sys
import threading
from contextlib import suppress
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, settings

UNCOUNTED = pytest.StashKey[bool]()
WITHOUT_COMPILER = os.environ.get("NUMBA_DISABLE_JIT") == "1"
os.environ["MPLBACKEND"] = "Agg"  # no window is opened

# Files that `--count-few` leaves out: every line that they reach, but for some 80 of 18 000, others
# reach too, and counting takes about as long as running. (By --cov-context=test.)
COUNTED_BY_OTHERS = {
    "cli": "missing names",
    "dask": "cluster detector fit",
    "detection": "borders detector drift readers scaled_columns",
    "dictionary": "clustering near_dependence reduced_set theorems",
    "estimator": "life presets_literal sparse surface",
    "kernels": "digits",
    "model": "budget certificate counters first_rows looking missing relative_weights slicing"
    " trouble weights",
    "preimage": "descent",
    "report": "parts",
    "river": "checks",
    "rules": "exact tracking",
    "tests": "import oracles",
}

# The same examples on every machine; compilation may take seconds, so no deadline.
settings.register_profile(
    "okpca",
    deadline=None,
    derandomize=True,
    max_examples=20 if WITHOUT_COMPILER else 60,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.register_profile("few", settings.get_profile("okpca"), max_examples=20)
settings.load_profile("okpca")


def pytest_configure(config):
    # Many tests starve a model; where this warning counts it is an error. Said here, since a line
    # of pyproject.toml would import okpca before its lines are counted.
    config.addinivalue_line("filterwarnings", "ignore::okpca.KernelWarning")
    if config.getoption("--few"):
        settings.load_profile("few")


def pytest_addoption(parser):
    parser.addoption(
        "--few",
        action="store_true",
        help="of the parameters of a test take the first and the last, and fewer random examples",
    )
    parser.addoption(
        "--count-few",
        action="store_true",
        help="with --cov: count lines while some of the quick tests run, not always",
    )


@pytest.hookimpl(trylast=True)  # after -m and -k
def pytest_collection_modifyitems(config, items):
    if config.getoption("--few"):
        kept = set(map(id, some(items, lambda n: min(n, 2))))
        config.hook.pytest_deselected(items=[item for item in items if id(item) not in kept])
        items[:] = [item for item in items if id(item) in kept]
    if config.getoption("--count-few"):
        count_few(items)
    if WITHOUT_COMPILER:
        skip_slow(items)


def count_few(items):
    """Of tests that are not long, the first and the last parameters. (A signal in the middle of
    counting would wait for ever.)"""
    uncounted = {"slow", "long", "signals"}
    quick = [item for item in items if not uncounted & set(item.keywords)]
    counted = set(map(id, some(filter(worth_counting, quick), lambda n: min(n, 2))))
    for item in items:
        item.stash[UNCOUNTED] = id(item) not in counted
    load_all()


def worth_counting(item):
    name = item.path.stem.removeprefix("test_")
    return name not in COUNTED_BY_OTHERS.get(item.path.parent.name, "").split()


def load_all():
    """Or lines outside of functions would not count where the first to load them is uncounted."""
    for module in pkgutil.walk_packages(import_module("okpca").__path__, "okpca."):
        with suppress(ImportError):  # an extra that is not installed
            import_module(module.name)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item):
    """Not by the marker `no_cover`, which has no effect in processes that xdist starts."""
    trace, of_threads = sys.gettrace(), threading.gettrace()
    if trace is None or not item.stash.get(UNCOUNTED, False):
        return (yield)
    sys.settrace(None)
    threading.settrace(None)
    try:
        return (yield)
    finally:
        threading.settrace(of_threads)
        sys.settrace(trace)


def some(items, how_many):
    """Of the n parameters of each test how_many(n), the first and the last among them."""
    tests = {}
    for item in items:
        tests.setdefault(item.nodeid.partition("[")[0], []).append(item)
    for same in tests.values():
        count = how_many(len(same))
        yield from (same[i * (len(same) - 1) // max(count - 1, 1)] for i in range(count))


def skip_slow(items):
    skip = pytest.mark.skip(reason="slow, and NUMBA_DISABLE_JIT=1: run it compiled")
    for item in items:
        if "slow" in item.keywords:
            item.add_marker(skip)


@pytest.fixture(autouse=True)
def _closed_figures():
    """No figure outlives its test: of the twenty-first matplotlib warns, whoever drew them."""
    yield
    if "matplotlib.pyplot" in sys.modules:
        sys.modules["matplotlib.pyplot"].close("all")


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
