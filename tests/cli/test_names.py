"""Names of columns, at the prompt and in Python: the same."""

import numpy as np
import pandas as pd
import pytest

import okpca as library


@pytest.mark.thorough
@pytest.mark.parametrize("kind", ["model", "detector"])
def test_a_model_of_the_prompt_knows_its_columns_in_python(request, kind, frame):
    model = library.load(request.getfixturevalue(kind))
    ask = model.transform if kind == "model" else model.score_samples
    assert list(model.feature_names_in_) == ["a", "b", "c"]
    ask(frame)
    with pytest.raises(ValueError, match="in the same order"):
        ask(frame[["c", "a", "b"]])
    with pytest.warns(UserWarning, match="valid feature names"):
        ask(frame.to_numpy())
    model.partial_fit(frame)


def test_a_model_of_python_takes_its_columns_at_the_prompt(okpca, frame):
    library.OnlineKernelPCA(2, gamma=0.5).fit(frame[["c", "a"]]).save("p.okpca")
    done = okpca("transform p.okpca x.csv -o y.npy")
    assert (done.code, done.err) == (0, "")
    expected = library.load("p.okpca").transform(frame[["c", "a"]])
    np.testing.assert_allclose(np.load("y.npy"), expected, rtol=0, atol=1e-12)
    done = okpca("update p.okpca x.csv -q")
    assert (done.code, done.err) == (0, "")
    assert list(library.load("p.okpca").feature_names_in_) == ["c", "a"]


@pytest.mark.thorough
def test_names_stay_through_everything(okpca, model, frame):
    assert okpca(f"update {model} x.csv --checkpoint k -q").code == 0
    assert okpca(f"merge {model} {model} -o both.okpca -q").code == 0
    assert okpca("compress both.okpca --atoms 20 -o small.okpca -q").code == 0
    assert okpca("monitor x.csv --gamma 2 --save d.okpca --checkpoint c -q -o alarms").code == 0
    for name in (model, "k", "both.okpca", "small.okpca", "d.okpca", "c"):
        assert list(library.load(name).feature_names_in_) == ["a", "b", "c"]


@pytest.mark.thorough
def test_columns_without_names_have_none(okpca, rows, folder):
    np.savetxt("plain.csv", rows, delimiter=",")
    for line in ("fit x.npy", "fit plain.csv --no-header"):
        assert okpca(f"{line} --gamma 0.5 -o m.okpca -q").code == 0
        assert not hasattr(library.load("m.okpca"), "feature_names_in_")
    library.OnlineKernelPCA(2, gamma=0.5).fit(rows).save("p.okpca")
    assert okpca("update p.okpca x.csv -q").code == 0
    assert not hasattr(library.load("p.okpca"), "feature_names_in_")


@pytest.mark.thorough
def test_a_pipeline_of_frames(okpca, frame):
    from sklearn.preprocessing import StandardScaler

    steps = [("scale", StandardScaler()), ("pca", library.OnlineKernelPCA(2, gamma=0.5))]
    library.StreamPipeline(steps).partial_fit(frame).save("p.okpca")
    done = okpca("transform p.okpca x.csv -o y.npy")
    assert (done.code, done.err) == (0, "")
    expected = library.load("p.okpca").transform(frame)
    np.testing.assert_allclose(np.load("y.npy"), expected, rtol=0, atol=1e-12)
    done = okpca("update p.okpca x.csv")
    assert (done.code, done.err.count("\n")) == (0, 1)
    assert list(library.load("p.okpca").feature_names_in_) == ["a", "b", "c"]


@pytest.mark.thorough
def test_warnings_say_columns_by_name(okpca, rows):
    wide = pd.DataFrame(rows * [1, 1000, 1], columns=["flow", "heat", "level"])
    wide.to_csv("wide.csv", index=False)
    done = okpca("fit wide.csv --gamma 0.5 -o m.okpca")
    (warning,) = [line for line in done.err.splitlines() if "warning" in line]
    assert "column 'heat'" in warning
    assert "--scale standard or robust" in warning
    assert "column 'heat'" in okpca("inspect m.okpca").out
