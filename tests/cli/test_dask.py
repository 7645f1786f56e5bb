"""`fit --dask`: files as partitions."""

import json
import os
import subprocess
import sys

import numpy as np
import pytest

import okpca as library
from dask_tools import OWN
from okpca.dask import fit
from okpca.io import header

LINE = "fit part-*.npy --n-components 3 --gamma 0.5 --max-atoms 60 -o m.okpca"


@pytest.fixture
def parts(folder, rows):
    for i, part in enumerate(np.split(rows, 3)):
        np.save(f"part-{i}.npy", part)


@pytest.fixture(scope="module")
def scheduler():
    from distributed import LocalCluster

    with LocalCluster(n_workers=2, processes=False, protocol="tcp://", **OWN) as cluster:
        yield cluster.scheduler_address


@pytest.mark.thorough
def test_the_model_of_all_files(okpca, parts, scheduler):
    done = okpca(f"{LINE} --dask {scheduler} --json")
    assert done.code == 0, done.err
    assert "partitions: 3, workers: 2." in done.err
    assert json.loads(done.out)["rows"] == 1500
    model, other = library.load("m.okpca"), library.OnlineKernelPCA(3, gamma=0.5, max_atoms=60)
    expected = fit(other.set_params(random_state=0), "part-*.npy", scheduler="synchronous")
    assert np.array_equal(model.eigenvalues_, expected.eigenvalues_)
    place = header("m.okpca")["position"]
    assert place["columns"] == ["0", "1", "2"]
    assert place["commands"][0].startswith("okpca fit ")
    assert okpca("transform m.okpca x.npy -o y.npy").code == 0
    assert okpca(f"{LINE} --dask {scheduler} --passes 2 -q").err == ""
    assert okpca(f"{LINE} --dask {scheduler} --streams 1 -q").err == ""
    expected = fit(other, "part-*.npy", streams=1, scheduler="synchronous")
    assert np.array_equal(library.load("m.okpca").eigenvalues_, expected.eigenvalues_)
    assert "--streams 1" in header("m.okpca")["position"]["commands"][0]


@pytest.mark.thorough
def test_a_detector(okpca, parts, scheduler):
    line = f"fit part-*.npy --detector --gamma 2 --window 300 --dask {scheduler} -o d.okpca"
    assert okpca(line).code == 0
    assert library.load("d.okpca").n_samples_seen_ == 1500


@pytest.mark.long
def test_workers_of_this_machine(okpca, parts):
    assert okpca(f"{LINE} --dask local").code == 0
    assert library.load("m.okpca").n_samples_seen_ == 1500


@pytest.mark.long
def test_workers_of_this_machine_leave_the_telling_to_us(parts, folder):
    """In a process of its own: workers write where the process does, not where a test listens.
    One of them, whatever the machine has."""
    (folder / "part-1.npy").write_bytes(b"nothing")
    command = [sys.executable, "-m", "okpca", *f"{LINE} --dask local -q".split()]
    done = subprocess.run(
        command,
        env=os.environ | {"LOKY_MAX_CPU_COUNT": "1"},
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert done.returncode == 3
    (line,) = done.stderr.splitlines()
    assert line.count("part-1.npy") == 1


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("more", "code", "what"),
    [
        ("--passes 2", 2, "--passes is for --dask"),
        ("--streams 2", 2, "--streams is for --dask"),
        ("--dask local --streams 0", 2, "streams must be an integer >= 1"),
        ("--dask local --checkpoint c", 2, "leave --checkpoint out"),
        ("--dask local --passes 3", 2, "passes must be 1 or 2"),
        ("--dask local --rule okha", 2, "no moments"),
        ("--dask tcp://127.0.0.1:1", 2, "--dask: "),
    ],
)
def test_wrong_usage(okpca, parts, more, code, what, monkeypatch):
    monkeypatch.setattr("okpca.cli.commands.fit_dask.PATIENCE", "200ms")
    done = okpca(f"{LINE} {more}")
    assert (done.code, done.out) == (code, "")
    assert what in done.err
    assert "Traceback" not in done.err


def test_standard_input(okpca):
    done = okpca("fit - --dask local -o m.okpca")
    assert done.code == 2


@pytest.mark.thorough
def test_a_file_that_cannot_be_read_is_named(okpca, parts, folder, scheduler):
    (folder / "part-1.npy").write_bytes(b"nothing")
    done = okpca(f"{LINE} --dask {scheduler}")
    assert done.code == 3
    assert "part-1.npy" in done.err
    assert not (folder / "m.okpca").exists()
