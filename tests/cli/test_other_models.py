"""Files with other models than those that `fit` makes: all is done, or refused in a line."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.preprocessing import StandardScaler

import okpca as library
from okpca.subspace import MutualSubspaceClassifier


@pytest.fixture
def pipeline(folder, rows):
    steps = [("scale", StandardScaler()), ("kpca", library.OnlineKernelPCA(2, gamma=0.5))]
    model = library.StreamPipeline(steps).partial_fit(rows)
    model.save("p.okpca")
    return model


@pytest.fixture
def watching(folder, rows):
    detector = library.KernelNoveltyDetector(gamma=0.5, warm_up=100)
    model = library.StreamPipeline([("scale", StandardScaler()), ("watch", detector)])
    model.partial_fit(rows).save("w.okpca")
    return model


def numbers(text):
    return np.array([line.split(",") for line in text.splitlines()[1:]], dtype=float)


@pytest.mark.thorough
def test_a_pipeline_learns_more(okpca, pipeline, rows):
    done = okpca("update p.okpca x.csv -o q.okpca")
    assert (done.code, done.out) == (0, "")
    assert "3000 rows" in done.err
    again = pipeline.partial_fit(rows).transform(rows)
    np.testing.assert_allclose(library.load("q.okpca").transform(rows), again, rtol=1e-9)
    assert '"rows": 3000' in okpca("update p.okpca x.csv -o q.okpca --json").out


def test_a_pipeline_of_which_nothing_has_atoms(okpca, rows):
    steps = [("a", StandardScaler()), ("b", StandardScaler())]
    library.StreamPipeline(steps).partial_fit(rows).save("s.okpca")
    assert okpca("update s.okpca x.csv").code == 0
    done = okpca("score s.okpca x.csv")
    assert done.code == 2
    assert done.err.count("\n") == 1
    assert okpca("transform s.okpca x.csv").code == 0


@pytest.mark.thorough
def test_a_pipeline_is_scored_by_its_last_step(okpca, pipeline, watching, rows):
    scaled, last = pipeline[:-1].transform(rows), pipeline[-1]
    found = numbers(okpca("score p.okpca x.csv").out)
    np.testing.assert_allclose(found[:, 1], last.reconstruction_error(scaled), atol=1e-9)
    found = numbers(okpca("score w.okpca x.csv --block-rows 400").out)
    # A row that was learned as an atom scores rounding.
    np.testing.assert_allclose(found[:, 4], -watching.score_samples(rows), rtol=1e-9, atol=1e-20)


def test_a_pipeline_says_what_is_in_it(okpca, pipeline):
    done = okpca("inspect p.okpca")
    assert done.code == 0
    assert "StreamPipeline(" in done.out
    assert "OnlineKernelPCA: 1500 rows of 3 columns" in done.out


@pytest.mark.parametrize("library_of_frames", ["pandas", "polars"])
@pytest.mark.parametrize("command", ["transform", "denoise", "score"])
def test_a_model_that_gives_frames(okpca, frame, rows, command, library_of_frames):
    model = library.OnlineKernelPCA(3, gamma=0.5, max_atoms=40)
    steps = [("scale", StandardScaler()), ("kpca", clone(model))]
    for made in (model, library.StreamPipeline(steps)):
        made.fit(frame[:300]).save("plain.okpca")
        made.set_output(transform=library_of_frames).save("frames.okpca")
        refused = command == "denoise" and made is not model  # a pipeline has no such method
        for name in ("plain", "frames"):
            done = okpca(f"{command} {name}.okpca x.csv -o {name}.npy")
            assert done.code == (2 if refused else 0), done.err
        if not refused:
            found, plain = np.load("frames.npy"), np.load("plain.npy")
            np.testing.assert_allclose(found, plain, rtol=1e-9)


@pytest.mark.thorough
def test_a_detector_is_described_as_one(okpca, detector):
    done = okpca(f"inspect {detector}")
    assert done.out.startswith("KernelNoveltyDetector: ")
    assert "alarms " in done.out


@pytest.mark.thorough
@pytest.mark.parametrize("line", ["transform", "score", "denoise", "compress --atoms 3 -o n"])
@pytest.mark.parametrize("kind", [library.OnlineKernelPCA, library.KernelNoveltyDetector])
def test_a_model_that_has_learned_nothing(okpca, line, kind):
    kind().save("u.okpca")
    command, *more = line.split()
    data = [] if command == "compress" else ["x.csv"]
    done = okpca([command, "u.okpca", *data, *more])
    assert (done.code, done.out, done.err.count("\n")) == (2, "", 1)
    done = okpca("inspect u.okpca")
    assert done.code == 0
    assert "none yet" in done.out
    assert okpca("inspect u.okpca --json").code == 0
    assert okpca("update u.okpca x.csv -o v.okpca").code == 0


def test_what_learns_from_labels(okpca, rows):
    MutualSubspaceClassifier().fit(rows[:60], np.repeat([0, 1], 30)).save("c.okpca")
    done = okpca("update c.okpca x.csv")
    assert done.code == 2
    assert "learns from rows with labels" in done.err
    for command in ("score", "transform", "denoise"):
        done = okpca(f"{command} c.okpca x.csv")
        assert done.code == 2
        assert f"a MutualSubspaceClassifier does not {command} rows" in done.err
    assert okpca("inspect c.okpca").code == 0
