"""`fit --dask`: files become partitions, learned by the workers of a Dask cluster."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from okpca.cli import sources
from okpca.cli.checkpoints import writable
from okpca.cli.commands.fit_update import tell
from okpca.cli.exits import DATA, OK, USAGE, Refused, refusing, say

LOCAL = "local"
PATIENCE = "10s"
"""How long a scheduler may take to answer."""

WORKERS = {
    "distributed.nanny.pre-spawn-environ": {"OMP_NUM_THREADS": 1, "OPENBLAS_NUM_THREADS": 1},
    "distributed.worker.profile.enabled": False,
}
"""By default workers also give the memory of every large array back to the system at once
(MALLOC_TRIM_THRESHOLD_), and learn much more slowly for it; and they look a hundred times a second
where they are, which takes a twentieth of their time."""


def fit(model: Any, data: list[str], output: str, cluster: Any, line: str, source: Any,
        keeping: Any, manners: Any) -> int:  # fmt: skip
    if sources.STDIN in data:
        raise Refused(USAGE, "--dask: standard input has no partitions; give files.")
    if keeping["checkpoint"] or keeping["resume"]:
        raise Refused(USAGE, "--dask does lost work again by itself: leave --checkpoint out.")
    writable(output)
    with refusing(USAGE):
        from okpca.dask import files
        from okpca.dask.fitting import fitted_and_told
        from okpca.dask.refusing import refuse_unfit

        how = {name: cluster[name] for name in ("passes", "streams")}
        refuse_unfit(model, **how)
    with refusing(DATA):
        reading = sources.by_model(source, model, None)
        parts = files(data, **sources.of_stream(reading))
    with _client(cluster["dask"]) as client:
        if not manners["quiet"]:
            say(f"partitions: {len(parts)}, workers: {len(client.scheduler_info()['workers'])}.")
        with refusing(DATA):
            fitted, part = fitted_and_told(model, parts, **how, scheduler=client)
    if part.bad and not manners["quiet"]:
        say(f"warning: {part.told_bad()}")
    named = sources.are_names(part.columns)
    place = {"columns": part.columns, "commands": [line]}
    sources.save(fitted, output, part.columns, named, place)
    tell(fitted, output, manners)
    return OK


@contextmanager
def _client(address: str) -> Iterator[Any]:
    """Of workers of this machine, as many as it has cores, or of a cluster that there is."""
    with refusing(USAGE, "--dask: "):
        try:
            from dask import config
            from distributed import Client, LocalCluster
        except ImportError:
            raise ImportError("--dask needs dask: pip install 'okpca[dask]'.") from None
        from joblib import cpu_count

        cluster: Any = address
        if address == LOCAL:
            own = {"n_workers": cpu_count(), "threads_per_worker": 1}
            quiet = {"silence_logs": logging.CRITICAL}  # what fails is told once, by us
            with config.set(WORKERS):
                cluster = LocalCluster(**own, **quiet, dashboard_address=":0")
        client = Client(cluster, timeout=PATIENCE, set_as_default=False)
    try:
        yield client
    finally:
        client.close()
        if address == LOCAL:
            cluster.close()
