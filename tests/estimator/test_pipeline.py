"""StreamPipeline: each step learns, then hands on what it now makes of the rows."""

import pickle
from copy import deepcopy

import numpy as np
import pytest
from sklearn.base import BaseEstimator, TransformerMixin, clone
from sklearn.cluster import MiniBatchKMeans
from sklearn.datasets import load_digits, load_wine
from sklearn.decomposition import PCA, IncrementalPCA
from sklearn.exceptions import NotFittedError
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import SGDClassifier
from sklearn.preprocessing import FunctionTransformer, MaxAbsScaler, Normalizer, StandardScaler

from okpca import KernelNoveltyDetector, OnlineKernelPCA, StreamPipeline, weights
from okpca.estimator.pipeline import split
from okpca.subspace import MutualSubspaceClassifier

X, Y = load_wine(return_X_y=True)
X, Y = X[np.argsort(np.arange(178) % 7)], Y[np.argsort(np.arange(178) % 7)]
BLOCKS = [slice(0, 60), slice(60, 61), slice(61, 178)]


def wine_model(**params):
    kpca = OnlineKernelPCA(3, max_atoms=60, **params)
    return StreamPipeline([("scale", StandardScaler()), ("kpca", kpca)])


def known(pipeline):
    """All that the steps hold, as bytes."""
    return [pickle.dumps(step) for _, step in pipeline.steps]


class Picky(TransformerMixin, BaseEstimator):
    """Refuses a block of 118 rows once it has counted them, and the steps before have learned."""

    def fit(self, X, y=None):
        return self.partial_fit(X)

    def partial_fit(self, X, y=None):
        self.seen_ = getattr(self, "seen_", 0) + len(X)
        if len(X) == 118:
            raise ValueError("so many")
        return self

    def transform(self, X):
        return X


def test_the_same_as_each_step_by_hand():
    pipeline, scaler, kpca = wine_model(), StandardScaler(), OnlineKernelPCA(3, max_atoms=60)
    for rows in BLOCKS:
        assert pipeline.partial_fit(X[rows]) is pipeline
        kpca.partial_fit(scaler.partial_fit(X[rows]).transform(X[rows]))
    np.testing.assert_array_equal(pipeline.transform(X), kpca.transform(scaler.transform(X)))
    assert pipeline["kpca"].n_samples_seen_ == len(X)


def test_steps_stay_the_objects_they_are():
    pipeline = wine_model(robust=weights.Exponential(0.5))
    steps = [step for _, step in pipeline.steps]
    loss = steps[1].robust
    pipeline.partial_fit(X[:50]).partial_fit(X[50:])
    assert all(step is now for step, (_, now) in zip(steps, pipeline.steps, strict=True))
    assert steps[1].n_samples_seen_ == 178
    assert steps[1].robust is loss


def test_fit_then_partial_fit_continues():
    pipeline = wine_model().fit(X[:100])
    assert pipeline.partial_fit(X[100:])["scale"].n_samples_seen_ == 178
    np.testing.assert_allclose(pipeline["scale"].mean_, X.mean(axis=0))


@pytest.mark.parametrize(
    "step",
    [
        FunctionTransformer(np.sqrt, feature_names_out="one-to-one"),
        Normalizer(),
        "passthrough",
        None,
        PCA(4).fit(X),
        FrozenEstimator(StandardScaler().fit(X[:30])),
    ],
    ids=["function", "stateless", "passthrough", "none", "fitted", "frozen"],
)
def test_steps_that_do_not_learn(step):
    before = pickle.dumps(step)
    pipeline = StreamPipeline([("first", step), ("kpca", OnlineKernelPCA(2))])
    for rows in BLOCKS:
        pipeline.partial_fit(X[rows])
    assert pickle.dumps(step) == before
    seen = X if step in ("passthrough", None) else step.transform(X)
    expected = OnlineKernelPCA(2).fit(seen).transform(seen)
    np.testing.assert_allclose(pipeline.transform(X), expected, atol=1e-9)


@pytest.mark.parametrize("place", [0, 1, 2])
def test_an_unfitted_step_is_refused_before_anything_changes(place):
    steps = [("scale", StandardScaler()), ("kpca", OnlineKernelPCA(2))]
    steps.insert(place, ("pca", PCA(2)))
    pipeline = StreamPipeline(steps)
    before = known(pipeline)
    with pytest.raises(NotFittedError, match=r"step 'pca' .*PCA has no partial_fit.*Fit it"):
        pipeline.partial_fit(X)
    assert known(pipeline) == before


@pytest.mark.parametrize("fresh", [True, False])
@pytest.mark.parametrize("inner", [False, True], ids=["flat", "nested"])
def test_all_or_nothing(fresh, inner):
    source = np.random.RandomState(0)
    first = [("scale", StandardScaler()), ("ipca", IncrementalPCA(5)), ("max", MaxAbsScaler())]
    first += [("kpca", OnlineKernelPCA(2, random_state=source)), ("pick", Picky())]
    first = [("inner", StreamPipeline(first[:-1])), first[-1]] if inner else first
    last = ("means", MiniBatchKMeans(3, random_state=source, n_init=1))
    pipeline = StreamPipeline([*first, last])
    if not fresh:
        pipeline.partial_fit(X[:60])
    before, numbers = known(pipeline), source.get_state()[1].copy()
    with pytest.raises(ValueError, match="so many") as caught:
        pipeline.partial_fit(X[60:])
    assert "'pick' (Picky)" in caught.value.__notes__[0]
    assert known(pipeline) == before
    np.testing.assert_array_equal(source.get_state()[1], numbers)


def test_an_interrupt_leaves_all_steps_as_they_were():
    class Interrupted(Picky):
        def transform(self, X):
            raise KeyboardInterrupt

    pipeline = wine_model().partial_fit(X[:60])
    before = known(pipeline)
    pipeline.steps.insert(1, ("stop", Interrupted()))
    with pytest.raises(KeyboardInterrupt):
        pipeline.partial_fit(X[70:])
    del pipeline.steps[1]
    assert known(pipeline) == before


def test_a_row_refused_by_the_last_step_says_where():
    pipeline = StreamPipeline([("as is", "passthrough"), ("kpca", OnlineKernelPCA(2))])
    pipeline.partial_fit(X)
    bad = X.copy()
    bad[5, 2] = np.inf
    with pytest.raises(ValueError, match="row 5 of call 2") as caught:
        pipeline.partial_fit(bad)
    assert caught.value.__notes__ == ["In step 'kpca' (OnlineKernelPCA) of a StreamPipeline."]


def test_slice_clone_and_pickle():
    pipeline = wine_model().partial_fit(X[:100])
    assert type(pipeline[:1]) is StreamPipeline
    pipeline[1:].partial_fit(pipeline[:1].transform(X[100:]))  # the steps are the same objects
    assert pipeline["kpca"].n_samples_seen_ == 178
    assert pipeline["scale"].n_samples_seen_ == 100
    fresh = clone(pipeline)
    with pytest.raises(NotFittedError):
        fresh.transform(X)
    for other in (pickle.loads(pickle.dumps(pipeline)), deepcopy(pipeline)):
        other.partial_fit(X[:20])
        assert pipeline["kpca"].n_samples_seen_ == 178
        assert other["kpca"].n_samples_seen_ == 198
    assert fresh.set_params(kpca__n_components=1).partial_fit(X).transform(X).shape == (178, 1)


def test_frames():
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame(X, columns=[f"c{i}" for i in range(13)])
    pipeline = wine_model().set_output(transform="pandas")
    for rows in BLOCKS:
        pipeline.partial_fit(frame.iloc[rows])
    scores = pipeline.transform(frame)
    assert list(scores.columns) == ["onlinekernelpca0", "onlinekernelpca1", "onlinekernelpca2"]
    assert list(pipeline.get_feature_names_out()) == list(scores.columns)
    assert list(pipeline["kpca"].feature_names_in_) == list(frame.columns)


@pytest.mark.thorough
def test_a_detector_at_the_end():
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(1500, 4)) * [1, 10, 100, 300]
    steps = [("scale", StandardScaler()), ("watch", KernelNoveltyDetector(gamma=0.1))]
    pipeline = StreamPipeline(steps).partial_fit(rows[:200])
    for start in range(200, 1500, 100):
        pipeline.partial_fit(rows[start : start + 100])
    faults = rows[:100] + np.array([20, 0, 0, 0])
    assert (pipeline.predict(faults) == -1).all()
    assert (pipeline.predict(rows) == -1).mean() < 0.05
    assert pipeline.score_samples(faults).max() < np.median(pipeline.score_samples(rows))


def test_a_classifier_at_the_end():
    digits, labels = load_digits(return_X_y=True)
    looks = OnlineKernelPCA(5, gamma=0.05, center=False)
    steps = [("scale", FunctionTransformer(lambda rows: rows / 16))]
    pipeline = StreamPipeline([*steps, ("class", MutualSubspaceClassifier(looks))])
    pipeline.partial_fit(digits[:5], labels[:5], classes=range(10))
    np.testing.assert_array_equal(pipeline.classes_, range(10))
    pipeline.partial_fit(digits[5:1000], labels[5:1000])
    assert pipeline.score(digits[1000:], labels[1000:]) > 0.9


def test_weights_and_arguments_of_one_step():
    weight = np.random.default_rng(1).integers(1, 4, len(X)).astype(float)
    both = wine_model().partial_fit(X, sample_weight=weight)
    one = wine_model().partial_fit(X, kpca__sample_weight=weight)
    np.testing.assert_allclose(both["scale"].mean_, np.average(X, axis=0, weights=weight))
    np.testing.assert_allclose(one["scale"].mean_, X.mean(axis=0))
    scaled = one["scale"].transform(X)
    expected = OnlineKernelPCA(3, max_atoms=60).partial_fit(scaled, sample_weight=weight)
    np.testing.assert_array_equal(one.transform(X), expected.transform(scaled))
    nested = StreamPipeline([("inner", wine_model()), ("class", SGDClassifier(random_state=0))])
    nested.partial_fit(X, Y, classes=[0, 1, 2], sample_weight=weight)
    np.testing.assert_array_equal(nested["inner"].transform(X), both.transform(X))


@pytest.mark.parametrize(
    ("extra", "message"),
    [
        ({"classes": [1, 2]}, "no step of this pipeline takes classes"),
        ({"weight": 1}, "got 'weight': write step__name"),
        ({"kmeans__weight": 1}, r"one of those that learn, \['kpca', 'scale'\]"),
    ],
)
def test_arguments_nobody_takes(extra, message):
    pipeline = wine_model().partial_fit(X[:50])
    before = known(pipeline)
    with pytest.raises(TypeError, match=message):
        pipeline.partial_fit(X, **extra)
    assert known(pipeline) == before


def test_a_pipeline_is_split_before_its_last_step():
    model = OnlineKernelPCA(2)
    inner = StreamPipeline([("scale", MaxAbsScaler()), ("kpca", model)])
    outer = StreamPipeline([("scale", StandardScaler()), ("no", "passthrough"), ("inner", inner)])
    before, last = split(outer.fit(X))
    assert last is model
    np.testing.assert_array_equal(last.transform(before.transform(X)), outer.transform(X))
    assert [name for name, _ in before.steps] == ["scale", "scale"]
    assert split(model) == (None, model)
    assert split(StreamPipeline([("no", "passthrough"), ("not", None), ("k", model)]))[0] is None
    assert split(StreamPipeline([("kpca", model)])) == (None, model)
    scaled = StreamPipeline([("scale", StandardScaler()), ("no", "passthrough")])
    assert split(scaled) == (None, scaled)  # there is no step that rows end in
