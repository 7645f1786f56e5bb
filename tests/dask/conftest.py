"""Clusters: in this process for what only needs a scheduler, in processes for what is killed."""

import dask
import pytest
from distributed import Client, LocalCluster

from dask_tools import OWN


@pytest.fixture
def client():
    """Two workers in this process."""
    with (
        LocalCluster(n_workers=2, processes=False, **OWN) as cluster,
        Client(cluster, set_as_default=False) as client,
    ):
        yield client


@pytest.fixture(scope="session")
def processes():
    """Two workers in processes of their own, which a nanny restarts; a task may end one."""
    with dask.config.set({"distributed.scheduler.allowed-failures": 0}):
        cluster = LocalCluster(n_workers=2, processes=True, **OWN)
    with cluster, Client(cluster, set_as_default=False) as client:
        yield client
