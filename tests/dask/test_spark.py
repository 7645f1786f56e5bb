"""What docs/clusters.md tells Spark users to do, as it stands there."""

import re
import shutil
import sys
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose

from dask_tools import ring, tree
from okpca import OnlineKernelPCA

pytestmark = pytest.mark.long
PAGE = Path(__file__).resolve().parents[2] / "docs" / "clusters.md"


def how_to():
    section = PAGE.read_text(encoding="utf-8").partition("## Spark")[2]
    return re.search(r"^```python[^\n]*\n(.*?)^```$", section, re.DOTALL | re.MULTILINE)[1]


@pytest.fixture
def session(monkeypatch):
    sql = pytest.importorskip("pyspark.sql", reason="pyspark is not installed")
    if shutil.which("java") is None:
        pytest.skip("Spark needs Java, and there is none")
    monkeypatch.setenv("PYSPARK_PYTHON", sys.executable)  # not whichever comes first
    builder = sql.SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false")
    builder = builder.config("spark.driver.host", "127.0.0.1").config(
        "spark.sql.shuffle.partitions", 2
    )
    found = builder.getOrCreate()
    yield found
    found.stop()


@pytest.mark.filterwarnings("ignore")  # of Spark, about what it is built on
def test_the_how_to_runs(session):
    X = ring(2000)
    named = [tuple(map(float, row)) for row in X]
    rows = session.sparkContext.parallelize(named, 5).toDF(["a", "b", "c"])
    space = {"rows": rows}
    exec(compile(how_to(), str(PAGE), "exec"), space)
    model = space["model"]
    parts = [OnlineKernelPCA(3, gamma=0.1, max_atoms=100).fit(part) for part in np.split(X, 5)]
    expected = tree(parts)
    assert model.n_samples_seen_ == 2000
    assert list(model.feature_names_in_) == ["a", "b", "c"]
    assert_allclose(model.eigenvalues_, expected.eigenvalues_, rtol=1e-9)
    found = space["scores"].toPandas().to_numpy()
    assert_allclose(np.abs(found), np.abs(expected.transform(X)), atol=1e-7)
