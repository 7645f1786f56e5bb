"""dask.distributed: the same model, by tasks that have names, and no row travels."""

import time

import dask.array as da
import numpy as np
import pytest
from distributed import Client, LocalCluster, get_task_stream
from sklearn.base import clone

from dask_tools import OWN, assert_same, block, late, part_of, ring, tree
from helpers import every_other
from okpca import KernelNoveltyDetector, OnlineKernelPCA
from okpca.dask import fit, transform

MODEL = OnlineKernelPCA(3, gamma=0.5, max_atoms=30)
N = 7


@pytest.fixture(scope="module")
def expected():
    return tree([part_of(MODEL, N).partial_fit(ring(400, i)) for i in range(N)])


def parts():
    return [block(i) for i in range(N)]


@pytest.mark.thorough
def test_the_same_model(client, expected):
    assert_same(fit(MODEL, parts(), scheduler=client), expected)
    assert_same(fit(MODEL, client.compute(parts()), scheduler=client), expected)  # futures
    twice = fit(MODEL, parts(), passes=2, scheduler=client)
    assert_same(twice, fit(MODEL, parts(), passes=2, scheduler="synchronous"))


@pytest.mark.thorough
def test_a_file_that_is_another_by_the_same_name(client, tmp_path):
    for seed in (1, 2):
        np.save(tmp_path / "x.npy", ring(400, seed))
        found = fit(MODEL, str(tmp_path / "x.npy"), scheduler=client)
        assert_same(found, clone(MODEL).fit(ring(400, seed)))


@pytest.mark.long
def test_a_function_as_a_kernel(processes):
    """Every task has its own copy of it."""
    model = OnlineKernelPCA(2, kernel=lambda X, Y: (1 + X @ Y.T) ** 2, max_atoms=20)
    rows = [block(seed) for seed in range(4)]
    found = fit(model, rows, scheduler=processes)
    expected = fit(model, rows, scheduler="synchronous")
    assert_same(found, expected)


@pytest.mark.thorough
def test_the_client_that_there_is(expected):
    with LocalCluster(n_workers=1, processes=False, **OWN) as cluster, Client(cluster):
        assert_same(fit(MODEL, parts()), expected)


@pytest.mark.thorough
def test_tasks_have_names(client):
    fit(MODEL, parts(), passes=2, scheduler=client)
    seen = set(client.cluster.scheduler.task_prefixes)
    assert {"okpca-learn", "okpca-merge"} <= seen
    assert {"okpca-learn-again", "okpca-merge-again"} <= seen
    rows = da.from_array(ring(400), chunks=(100, 3))
    transform(MODEL.fit(ring(100)), rows).compute(scheduler=client)
    assert "okpca-transform" in client.cluster.scheduler.task_prefixes


@pytest.mark.thorough
def test_a_model_too_large_to_be_sent_with_every_stream_is_sent_once(client, expected, monkeypatch):
    monkeypatch.setattr("okpca.dask.fitting.SENT", 0)
    assert_same(fit(MODEL, parts(), scheduler=client), expected)
    assert "okpca-model" in client.cluster.scheduler.task_prefixes


@pytest.mark.thorough
def test_streams_begin_on_workers_of_their_own(client):
    """Nothing that they need is on one of them."""
    with get_task_stream(client) as seen:
        fit(MODEL, [late(block(i), 0.1) for i in range(4)], streams=2, scheduler=client)
    learned = {task["key"][1]: task["worker"] for task in seen.data if len(task["key"]) == 2}
    assert learned[0] != learned[2]


SOURCES = {
    "delayed": lambda: [block(i, 2000) for i in range(N)],
    "array": lambda: (
        2.0
        * da.concatenate(
            [da.from_delayed(block(i), (400, 3), meta=np.empty((0, 3))) for i in range(N)]
        )
    ),
}


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("source", "model"),
    every_other(SOURCES, [MODEL, KernelNoveltyDetector(window=100, gamma=2.0)]),
    ids=lambda x: x if isinstance(x, str) else type(x).__name__,
)
def test_no_rows_travel(client, model, source):
    """Whatever a worker gets from another is a model, or what a detector keeps of its rows."""
    fit(model, SOURCES[source](), scheduler=client)
    logs = [worker.transfer_incoming_log for worker in client.cluster.workers.values()]
    moved = [key for log in logs for entry in log for key in entry["keys"]]
    assert all(str(key).startswith(("('okpca-", "okpca-")) for key in moved), moved


@pytest.mark.thorough
def test_workers_that_come_and_go(expected):
    with (
        LocalCluster(n_workers=1, processes=False, **OWN) as cluster,
        Client(cluster, set_as_default=False) as client,
    ):
        cluster.adapt(minimum=0, maximum=3, interval="20ms", wait_count=1)
        for _ in range(2):
            assert_same(fit(MODEL, parts(), scheduler=client), expected)
            time.sleep(0.2)  # they go


@pytest.mark.long
def test_processes(processes, expected):
    assert_same(fit(MODEL, parts(), scheduler=processes), expected)
    rows = da.from_array(ring(800), chunks=(200, 3))
    found = transform(expected, rows).compute(scheduler=processes)
    assert np.array_equal(found, transform(expected, rows).compute(scheduler="synchronous"))
