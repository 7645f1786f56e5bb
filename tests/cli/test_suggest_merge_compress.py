import json
import tomllib

import numpy as np
import pytest

import okpca as library


@pytest.mark.long
def test_what_is_suggested_can_be_fitted(okpca, folder, rows):
    text = okpca("suggest x.csv").out
    assert tomllib.loads(text)
    (folder / "p.toml").write_text(text)
    assert okpca("fit x.csv --config p.toml -o m.okpca").code == 0
    params = json.loads(okpca("suggest x.csv --json").out)["params"]
    assert params == dict(library.suggest(rows).params)
    model = library.load("m.okpca")
    assert {name: getattr(model, name) for name in params} == params


def test_what_speaks_against_a_suggestion_is_told(okpca, folder):
    np.savetxt("cube.csv", np.random.default_rng(0).uniform(size=(100, 3)), delimiter=",")
    done = okpca("suggest cube.csv --goal denoise")
    assert "# the noise cannot be told from" in done.out
    assert tomllib.loads(done.out)
    assert "warning: suggest: the noise cannot be told from" in done.err
    told = json.loads(okpca("suggest cube.csv --goal denoise --json").out)
    assert told["caution"].startswith("the noise cannot be told from")


def test_merge(okpca, model, rows):
    assert okpca(f"merge {model} {model} -o both.okpca").code == 0
    assert library.load("both.okpca").n_samples_seen_ == 2 * len(rows)
    assert okpca("transform both.okpca x.csv -o y.npy").code == 0  # it knows its columns


def test_compress(okpca, model, frame):
    assert okpca(f"compress {model} --atoms 12 -o small.okpca").code == 0
    small = library.load("small.okpca")
    assert small.n_atoms_ == 12
    whole = library.load(model).transform(frame)
    assert np.abs(small.transform(frame) - whole).max() < 0.5
