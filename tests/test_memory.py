"""Memory is flat: the length of a stream does not show."""

import json
import subprocess
import sys

import pytest

pytestmark = pytest.mark.long

BATCH, COLUMNS, ATOMS = 10_000, 80, 200
ROWS = 60_000  # of 32 MB after the first batch: whoever keeps them is found

PROGRAM = f"""
import json, resource
import numpy as np
from okpca import OnlineKernelPCA

def peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024  # MB (Linux counts in kB)

rng = np.random.default_rng(0)
model = OnlineKernelPCA(5, gamma=0.02, max_atoms={ATOMS}, rule=RULE)
for start in range(0, {ROWS}, {BATCH}):
    X = rng.normal(size=({BATCH}, {COLUMNS}))
    model.partial_fit(X)
    model.transform(X[:1000])
    if start % 20_000 == 0:  # single rows are a path of their own
        for row in X[:200]:
            model.partial_fit(row[None])
    if start == 0:
        early = peak()
print(json.dumps([early, peak(), model.n_atoms_, model.n_samples_seen_]))
"""


@pytest.mark.slow
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="ru_maxrss in kB is Linux's")
@pytest.mark.parametrize("rule", ["exact", "on-kha"])
def test_a_long_stream_takes_the_memory_of_ten_thousand_rows(rule):
    program = PROGRAM.replace("RULE", repr(rule))
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=1800
    )
    assert done.returncode == 0, done.stderr
    early, late, atoms, rows = json.loads(done.stdout)
    assert 0.7 * ATOMS <= atoms <= ATOMS
    assert rows == ROWS + ROWS // 20_000 * 200
    assert late - early < 20, f"the peak rose from {early:.0f} to {late:.0f} MB"
