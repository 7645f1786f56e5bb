"""Where nothing can be written, as in many containers: compiled code is not kept, as is said."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import okpca

pytestmark = [
    pytest.mark.skipif(sys.platform != "linux", reason="permissions as Linux has them"),
    pytest.mark.long,
]

CHILD = """
import ctypes, os, sys, warnings

if os.geteuid() == 0:  # root obeys permissions too, without CAP_DAC_OVERRIDE
    libc = ctypes.CDLL(None)
    header, sets = (ctypes.c_uint32 * 2)(0x20080522, 0), (ctypes.c_uint32 * 6)()
    assert libc.capget(header, sets) == 0
    sets[0] &= ~2  # effective
    sets[1] &= ~2  # permitted
    assert libc.capset(header, sets) == 0
assert not os.access(sys.argv[1], os.W_OK)
import numpy as np
import okpca

assert okpca.__file__.startswith(sys.argv[1])
with warnings.catch_warnings(record=True) as told:
    warnings.simplefilter("always")
    model = okpca.OnlineKernelPCA(gamma=0.1).fit(np.eye(5))
    model.transform(np.eye(5))
print(model.n_samples_seen_, *(w.message for w in told if "NUMBA_CACHE_DIR" in str(w.message)))
"""


@pytest.fixture
def read_only(tmp_path):
    ours = shutil.ignore_patterns("__pycache__")
    shutil.copytree(Path(okpca.__file__).parent, tmp_path / "okpca", ignore=ours)
    folders = [tmp_path, *(path for path in tmp_path.rglob("*") if path.is_dir())]
    for folder in folders:
        folder.chmod(0o555)
    yield tmp_path
    for folder in folders:
        folder.chmod(0o755)


def fitted(home, **more):
    environment = {"PATH": os.environ["PATH"], "HOME": str(home), "PYTHONPATH": str(home), **more}
    command = [sys.executable, "-c", CHILD, str(home)]
    return subprocess.run(
        command, env=environment, capture_output=True, text=True, check=False, timeout=300
    )


def test_it_works_and_says_what_to_set(read_only):
    run = fitted(read_only, NUMBA_DISABLE_JIT=os.environ.get("NUMBA_DISABLE_JIT", "0"))
    assert run.returncode == 0, run.stderr
    rows, _, told = run.stdout.partition(" ")
    assert rows.strip() == "5"
    if os.environ.get("NUMBA_DISABLE_JIT", "0") == "0":
        assert told.count("Set NUMBA_CACHE_DIR to a directory") == 1


@pytest.mark.skipif(os.environ.get("NUMBA_DISABLE_JIT") == "1", reason="nothing is compiled")
def test_a_place_to_write_silences_it(read_only, tmp_path_factory):
    place = tmp_path_factory.mktemp("cache")
    run = fitted(read_only, NUMBA_CACHE_DIR=str(place))
    assert run.returncode == 0, run.stderr
    assert run.stdout.strip() == "5"
    assert any(place.rglob("*.nbi"))
