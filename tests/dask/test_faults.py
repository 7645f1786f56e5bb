"""Workers that are killed, partitions that cannot be read."""

import os
import signal
import threading
import time

import dask
import dask.array as da
import numpy as np
import pytest
from dask.utils import ensure_dict
from distributed import Client, LocalCluster

from dask_tools import OWN, assert_same, block, deadly, late, ring, unreadable
from okpca import OnlineKernelPCA
from okpca.dask import PartitionError, files, fit

MODEL = OnlineKernelPCA(3, gamma=0.5, max_atoms=30)


def slow_parts(n=8):
    return [late(block(i), 0.15) for i in range(n)]


def fitting(client, parts, results, streams=None):
    results.append(fit(MODEL, parts, streams=streams, scheduler=client))


# -- workers --------------------------------------------------------------------------------------


@pytest.mark.long
def test_a_worker_that_is_killed_changes_nothing():
    with (
        LocalCluster(n_workers=2, **OWN) as cluster,
        Client(cluster, set_as_default=False) as client,
    ):
        nanny = next(iter(cluster.workers.values()))
        for moment, streams, for_good in ((0.1, None, False), (0.4, 3, True)):
            nanny.auto_restart = not for_good
            expected = fit(MODEL, slow_parts(), streams=streams, scheduler="threads")
            results, pid = [], nanny.pid
            thread = threading.Thread(target=fitting, args=(client, slow_parts(), results, streams))
            thread.start()
            time.sleep(moment)
            os.kill(pid, signal.SIGKILL)
            thread.join()
            assert_same(results[0], expected)
            while not for_good and nanny.pid in (None, pid):
                time.sleep(0.05)


@pytest.mark.long
def test_a_partition_that_ends_its_worker_names_itself(processes):
    """Alone: a task that waits for the same worker may be taken for the culprit."""
    with pytest.raises(PartitionError, match=r"partition 0 \(poison\): KilledWorker"):
        fit(MODEL, [deadly(dask_key_name="poison")], scheduler=processes)


def test_whose_task_has_ended_workers():
    class Killed(Exception):
        task = None

    def get(graph, keys, **more):
        error = Killed("four of them died")
        named = (key for key in ensure_dict(graph.__dask_graph__()) if isinstance(key, tuple))
        error.task = next(key for key in named if "okpca-learn" in key[0] and key[1] == 1)
        raise error

    with pytest.raises(PartitionError, match=r"partition 1 \(.*\): Killed: four of them died"):
        fit(MODEL, [block(0), block(1), block(2)], scheduler=get)


# -- partitions -----------------------------------------------------------------------------------


def assert_named(what, parts, scheduler, match):
    with pytest.raises(PartitionError, match=match) as caught:
        fit(MODEL, parts, scheduler=scheduler)
    assert what in str(caught.value)


@pytest.mark.thorough
@pytest.mark.parametrize("scheduler", ["synchronous", "threads", "client"])
def test_an_unreadable_block_names_itself(scheduler, request):
    scheduler = request.getfixturevalue("client") if scheduler == "client" else scheduler
    parts = [block(0), block(1), unreadable(dask_key_name="far away"), block(3)]
    assert_named("the disk is gone", parts, scheduler, r"^partition 2 \(far away\): OSError: ")


@pytest.mark.thorough
@pytest.mark.parametrize("scheduler", ["synchronous", "client"])
def test_an_unreadable_part_of_an_array(scheduler, request):
    scheduler = request.getfixturevalue("client") if scheduler == "client" else scheduler
    broken = da.from_delayed(unreadable(), (100, 3), meta=np.empty((0, 3)))
    rows = da.concatenate([da.from_array(ring(400)), broken]) * 2.0
    assert_named("the disk", rows, scheduler, r"^partition 1 \(rows 400 to 499\): OSError")


def test_rows_that_are_refused_are_named():
    rows = ring(900)
    rows[450, 1] = np.inf
    parts = da.from_array(rows, chunks=(300, 3))
    assert_named("row 150", parts, "threads", r"^partition 1 \(rows 300 to 599\): ")


@pytest.mark.parametrize("scheduler", ["synchronous", "client"])
def test_a_file_that_is_none(tmp_path, scheduler, request):
    scheduler = request.getfixturevalue("client") if scheduler == "client" else scheduler
    for i in range(3):
        np.save(tmp_path / f"{i}.npy", ring(100, i))
    (tmp_path / "1.npy").write_bytes(b"\x93NUMPY no more")
    with pytest.raises(PartitionError, match=r"1\.npy") as told:
        fit(MODEL, files(tmp_path), scheduler=scheduler)
    assert str(told.value).count("1.npy") == 1


def test_parts_that_do_not_go_together(tmp_path):
    rows = [dask.delayed(ring(100)), dask.delayed(ring(100)[:, :2])]
    with pytest.raises(PartitionError, match=r"partition 0 .* and partition 1 .*number of columns"):
        fit(MODEL, rows, scheduler="synchronous")
    for i, names in enumerate(("a,b,c", "a,c,b")):
        np.savetxt(tmp_path / f"{i}.csv", ring(50), delimiter=",", header=names, comments="")
    with pytest.raises(PartitionError, match=r"0\.csv and .*1\.csv: columns \['a', 'c', 'b'\]"):
        fit(MODEL, str(tmp_path), scheduler="synchronous")


@pytest.mark.thorough
def test_an_error_of_a_moment_is_told_as_it_is(tmp_path):
    """It does not happen again, so nobody can be blamed."""

    def once():
        if not (tmp_path / "seen").exists():
            (tmp_path / "seen").touch()
            raise ConnectionError("just now")
        return ring(100)

    with pytest.raises(ConnectionError, match="just now"):
        fit(MODEL, [block(0), dask.delayed(once)()], scheduler="synchronous")
