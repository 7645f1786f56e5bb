"""Rows that lack values, or have some that are no numbers: refused, left out, or filled in."""

import numpy as np
import pytest

import okpca as library

LINE = "--n-components 3 --gamma 0.5 --max-atoms 60 -o m.okpca"


@pytest.fixture
def gappy(folder, rows):
    """x.csv with 40 values missing in column b; and g.csv, with a word and half a row besides."""
    found = rows.copy()
    found[100:500:10, 1] = np.nan
    lines = ["a,b,c", *(",".join("" if v != v else repr(float(v)) for v in row) for row in found)]
    (folder / "x.csv").write_text("\n".join(lines) + "\n")
    lines[4] = "1,much,2"
    lines[7] = "1,2"
    (folder / "g.csv").write_text("\n".join(lines) + "\n")
    return found


@pytest.mark.thorough
@pytest.mark.parametrize("options", ["--missing impute", "--on-bad-row impute"])
def test_filled_in_by_the_model(okpca, gappy, options):
    done = okpca(f"fit x.csv {LINE} {options}")
    assert done.code == 0
    assert "40 rows filled in, the first: x.csv, line 102: column 'b' is missing" in done.err
    twin = library.OnlineKernelPCA(3, gamma=0.5, max_atoms=60, missing="impute", random_state=0)
    twin.partial_fit(gappy)
    model = library.load("m.okpca")
    assert (model.missing, model.n_values_imputed_) == ("impute", 40)
    np.testing.assert_array_equal(model.atoms_, twin.atoms_)


def test_left_out_by_the_model(okpca, gappy):
    done = okpca(f"fit x.csv {LINE} --missing skip")
    assert done.code == 0
    assert "40 rows left out for the values they lack, the first: x.csv, line 102" in done.err
    model = library.load("m.okpca")
    assert (model.n_samples_seen_, model.n_samples_skipped_) == (1460, 40)


def test_left_out_by_the_source(okpca, gappy):
    assert okpca(f"fit x.csv {LINE} --on-bad-row skip").code == 0
    model = library.load("m.okpca")
    assert (model.n_samples_seen_, model.n_samples_skipped_) == (1460, 0)


@pytest.mark.thorough
def test_bad_rows_are_no_gaps(okpca, gappy):
    assert okpca(f"fit g.csv {LINE} --missing impute").code == 3
    done = okpca(f"fit g.csv {LINE} --missing impute --on-bad-row skip")
    assert done.code == 0
    assert "2 bad rows left out" in done.err
    assert library.load("m.okpca").n_samples_seen_ == 1498
    done = okpca(f"fit g.csv {LINE} --on-bad-row impute")
    assert "1 bad rows left out, the first: g.csv, line 8: 2 fields, not 3." in done.err
    assert "41 rows filled in, the first: g.csv, line 5" in done.err
    assert library.load("m.okpca").n_samples_seen_ == 1499


@pytest.mark.thorough
def test_a_model_that_fills_in_is_applied_to_gaps(okpca, gappy):
    assert okpca(f"fit x.csv {LINE} --missing impute -q").code == 0
    for command in ("transform", "score", "denoise"):
        done = okpca(f"{command} m.okpca x.csv")
        assert done.code == 0
        assert len(done.out.splitlines()) == 1501
        assert ",," not in done.out
    assert okpca("transform m.okpca g.csv --on-bad-row impute -q").code == 0
    assert okpca("update m.okpca x.csv -q").code == 0
    assert library.load("m.okpca").n_samples_seen_ == 3000


def test_a_model_that_skips_gives_nothing_for_gaps(okpca, gappy):
    assert okpca(f"fit x.csv {LINE} --missing skip -q").code == 0
    out = okpca("transform m.okpca x.csv -q").out.splitlines()
    assert next(line for line in out if line.endswith(",,,")) == "100,,,"
    assert sum(line.endswith(",,,") for line in out) == 40


@pytest.mark.thorough
@pytest.mark.parametrize("missing", ["skip", "impute"])
def test_monitored(okpca, gappy, missing):
    line = f"monitor x.csv --gamma 2 --window 500 --missing {missing} --save d.okpca -o alarms"
    done = okpca(line)
    assert done.code == 0
    assert "40 rows" in done.err
    seen = library.load("d.okpca")
    counts = (seen.n_samples_skipped_, seen.n_values_imputed_)
    assert counts == ((40, 0) if missing == "skip" else (0, 40))
    assert okpca("monitor x.csv --start d.okpca -o alarms").code == 0
