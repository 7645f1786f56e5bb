"""progress=True: a bar on stderr, and the same model to the last bit."""

import builtins
import pickle
import re

import numpy as np
import pytest
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from okpca import OnlineKernelPCA, Trace

pytest.importorskip("tqdm")

X = np.random.default_rng(0).normal(size=(2500, 3))


@pytest.fixture
def model():
    return OnlineKernelPCA(3, gamma=0.3, max_atoms=50, random_state=0)


def test_tells_on_stderr_and_changes_nothing(model, capsys):
    quiet = pickle.dumps(model.fit(X))
    assert capsys.readouterr() == ("", "")
    assert pickle.dumps(model.fit(X, progress=True)) == quiet
    out, err = capsys.readouterr()
    assert out == ""
    last = err.rstrip().split("\r")[-1]
    assert "2.50k/2.50k" in last
    assert re.search(r"[\d.]+k?row/s", last)
    assert f"atoms={model.n_atoms_}" in last
    assert f"explained={100 * model.explained_variance_ratio_.sum():.1f} %" in last


def test_verbose_shows_every_fit(model, capsys):
    """Also in a pipeline, through which no argument goes; not a bar for every row of a stream."""
    chain = make_pipeline(StandardScaler(), model.set_params(verbose=True)).fit(X)
    bar = capsys.readouterr().err
    assert "2.50k/2.50k" in bar
    assert "explained=" in bar
    chain[-1].partial_fit(X[:1]).partial_fit(X[:100])
    assert capsys.readouterr().err == ""


def test_partial_fit(model, capsys):
    model.partial_fit(X[:1500], progress=True).partial_fit(X[1500:1501], progress=True)
    bars = capsys.readouterr().err
    assert "1.50k/1.50k" in bars
    assert "1.00/1.00" in bars
    assert model.n_samples_seen_ == 1501


def test_every_epoch_counts(capsys):
    OnlineKernelPCA(2, gamma=0.3, max_atoms=20, epochs=3).fit(X, progress=True)
    assert "7.50k/7.50k" in capsys.readouterr().err


@pytest.mark.long
def test_with_a_callback_and_in_a_warm_up(capsys):
    trace = Trace(every=500)
    OnlineKernelPCA(2, burn_in=5000).fit(X, callback=trace, progress=True)
    assert [record["row"] for record in trace.records] == [500, 1000, 1500, 2000, 2500]
    assert "warm-up=2500" in capsys.readouterr().err


def test_a_refused_call_ends_its_bar(model, capsys):
    model.fit(X)
    before, bad = pickle.dumps(model), X.copy()
    bad[2000, 1] = np.nan
    with pytest.raises(ValueError, match="row 2000 of call 2"):
        model.partial_fit(bad, progress=True)
    assert pickle.dumps(model) == before
    assert capsys.readouterr().err.endswith("\n")


def test_without_tqdm(model, monkeypatch):
    model.fit(X[:50])
    before, real = pickle.dumps(model), builtins.__import__

    def absent(name, *args, **kwargs):
        if name == "tqdm":
            raise ImportError(name)
        return real(name, *args, **kwargs)

    monkeypatch.setattr(builtins, "__import__", absent)
    for learn in (model.fit, model.partial_fit):
        with pytest.raises(ImportError, match=r"pip install 'okpca\[progress\]'"):
            learn(X[:100], progress=True)
    monkeypatch.undo()
    assert pickle.dumps(model) == before
