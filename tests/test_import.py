"""`import okpca` is quick: what is heavy or optional is loaded when it is used."""

import subprocess
import sys

import pytest

HEAVY = [
    "dask",
    "distributed",
    "numba",
    "llvmlite",
    "matplotlib",
    "pandas",
    "polars",
    "pyarrow",
    "pyod",
    "pywt",
    "river",
    "tqdm",
    "safetensors",
]


BEFORE_AND_AFTER = """
import sys, sklearn.decomposition, sklearn.utils.validation
before = set(sys.modules)  # scikit-learn loads pandas by itself where it is installed
from okpca import KernelNoveltyDetector, OnlineKernelPCA, load
print(*set(sys.modules) - before)
"""


@pytest.fixture(scope="module")
def loaded():
    command = [sys.executable, "-W", "error::RuntimeWarning", "-c", BEFORE_AND_AFTER]
    run = subprocess.run(command, capture_output=True, text=True, check=True)
    assert run.stderr == ""
    return run.stdout.split()


@pytest.mark.parametrize("name", HEAVY)
def test_not_imported(loaded, name):
    assert name not in loaded


def test_core_never_imports_its_faces(loaded):
    assert "okpca.estimator.online" in loaded
    assert not {
        "okpca.cli",
        "okpca.report",
        "okpca.checks",
        "okpca.estimator.guidance",
        "okpca._core.compiled.leaf",
    } & set(loaded)


def test_the_package_alone_loads_nothing():
    code = "import sys, okpca; sys.exit('numpy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


@pytest.mark.long
def test_a_file_is_read_by_whoever_has_loaded_only_files(tmp_path):
    from okpca import KernelNoveltyDetector

    KernelNoveltyDetector().save(tmp_path / "d.okpca")
    code = f"from okpca.io import load; load({str(tmp_path / 'd.okpca')!r})"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_public_names():
    import okpca

    assert all(hasattr(okpca, name) for name in okpca.__all__)
    assert len(okpca.__all__) <= 21


FACES = """
import sys, okpca

rooms = {name: f"okpca.{name}" for name in ("plots", "checks", "report")}
rooms["guidance"] = "okpca.estimator.guidance"
assert not {*rooms.values()} & set(sys.modules)
assert okpca.suggest is sys.modules["okpca.estimator.guidance"].suggest
for name, room in rooms.items():
    assert getattr(okpca, name) is sys.modules[room], name
assert {"plots", "checks", "guidance", "suggest"} <= set(dir(okpca))
print(*sys.modules)
"""


@pytest.mark.long
def test_faces_are_there_when_asked_for():
    """And need neither what draws nor what tests before they draw and test."""
    run = subprocess.run([sys.executable, "-c", FACES], capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    assert not {"matplotlib", "pytest", "numba"} & set(run.stdout.split())


OTHERS = ["river", "pyod", "dask"]
HIDDEN = f"""
import sys
import importlib.util as util

names, known = {OTHERS}, util.find_spec
sys.modules |= dict.fromkeys(names)
util.find_spec = lambda name, *more: None if name in names else known(name, *more)
import okpca
for name in names:
    try:
        getattr(okpca, name)
    except ImportError as error:
        print(error)
"""


@pytest.mark.long
def test_faces_of_other_libraries():
    """They are there for who has the library, and say so to who has not."""
    asked = "".join(f"okpca.{name}; assert '{name}' not in dir(okpca)\n" for name in OTHERS)
    command = [sys.executable, "-c", f"import okpca\n{asked}"]
    assert subprocess.run(command, check=False).returncode == 0
    run = subprocess.run(
        [sys.executable, "-c", HIDDEN], capture_output=True, text=True, check=False
    )
    assert run.returncode == 0, run.stderr
    for name, line in zip(OTHERS, run.stdout.splitlines(), strict=True):
        assert f"pip install 'okpca[{name}]'" in line


def test_no_other_names_appear():
    import okpca

    with pytest.raises(AttributeError, match="no attribute 'plot'"):
        okpca.plot  # noqa: B018
