"""Save, load, go on: the same to the last bit as never having saved."""

from functools import partial

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from sklearn.base import clone

import okpca
from file_tools import FRAME, LABELS, MODELS, SAVED, SPARSE, X, detector, kpca, learn, pipeline
from okpca import OnlineKernelPCA, StreamPipeline, kernels
from okpca.subspace import MutualSubspaceClassifier

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


def one_by_one(n):
    return [slice(i, i + 1) for i in range(n)]


def fed(model, rows, cuts, labels=LABELS):
    for cut in cuts:
        learn(model, rows[cut], labels[cut])
    return model


def bytes_of(model, path, **more):
    model.save(path, **more)
    return path.read_bytes()


def check(model, rows, folder, *, before, after, **more):
    """Whatever a file holds is the same in both, so all numbers are."""
    fed(model, rows, before)
    model.save(folder / "saved.okpca", **more)
    other = okpca.load(folder / "saved.okpca", **more)
    assert type(other) is type(model)
    assert bytes_of(other, folder / "b", **more) == (folder / "saved.okpca").read_bytes()
    fed(model, rows, after)
    fed(other, rows, after)
    assert bytes_of(other, folder / "b", **more) == bytes_of(model, folder / "a", **more)
    return model, other


BLOCKS = {
    "blocks": ([slice(0, 60), slice(60, SAVED)], [slice(SAVED, 150), slice(150, 260)]),
    "rows": ([slice(0, 100), *one_by_one(SAVED)[100:]], one_by_one(170)[SAVED:]),
}


BY_ROWS = [pytest.param(name, "rows", marks=pytest.mark.long) for name in list(MODELS)[::2]]


@pytest.mark.parametrize(("name", "cuts"), [*((name, "blocks") for name in MODELS), *BY_ROWS])
def test_goes_on_to_the_bit(name, cuts, tmp_path):
    before, after = BLOCKS[cuts]
    model, other = check(clone(MODELS[name]), X, tmp_path, before=before, after=after)
    for looked in ("transform", "score_samples"):
        if hasattr(model, looked):
            assert_array_equal(getattr(model, looked)(X), getattr(other, looked)(X))
    assert str(model) == str(other) or "RandomState" in str(model)  # which prints its address


@pytest.mark.thorough
@pytest.mark.parametrize("kernel", ["rbf", "cosine", "linear"])
@pytest.mark.parametrize("more", [{}, {"burn_in": 200}, {"scale": "standard"}])
def test_sparse_atoms(kernel, more, tmp_path):
    model = kpca(kernel=kernel, gamma=0.1, max_atoms=20, **more)
    before, after = BLOCKS["blocks"]
    model, other = check(model, SPARSE, tmp_path, before=before, after=after)
    assert type(other.atoms_) is type(model.atoms_)
    assert_array_equal(other.atoms_.toarray(), model.atoms_.toarray())


def test_float32(tmp_path):
    before, after = BLOCKS["blocks"]
    rows = X.astype(np.float32)
    model, other = check(kpca(), rows, tmp_path, before=before, after=after)
    assert other.transform(rows).dtype == np.float32
    assert_array_equal(other.transform(rows), model.transform(rows))


@pytest.mark.thorough
@pytest.mark.parametrize("make", [kpca, detector, lambda: pipeline(kpca())])
def test_names_of_columns(make, tmp_path):
    before, after = BLOCKS["blocks"]
    model, other = check(make(), FRAME, tmp_path, before=before, after=after)
    assert list(other.feature_names_in_) == list(FRAME.columns)
    assert other.feature_names_in_.dtype == model.feature_names_in_.dtype
    with pytest.raises(ValueError, match="feature names"):
        other.partial_fit(FRAME.rename(columns={"a": "z"}))


@pytest.mark.thorough
@pytest.mark.parametrize("labels", [LABELS, LABELS.astype(object), (X[:, 0] > 0).astype(int)])
@pytest.mark.parametrize("estimator", [None, kpca(3, center=False, random_state=0)])
def test_classes(labels, estimator, tmp_path):
    model = MutualSubspaceClassifier(clone(estimator) if estimator else None)
    yet_to_come = "zzz" if labels.dtype.kind in "OU" else 7
    model.partial_fit(X[:20], labels[:20], classes=[*labels[:20].tolist(), yet_to_come])
    model.save(tmp_path / "m.okpca")
    other = okpca.load(tmp_path / "m.okpca")
    assert okpca.io.header(tmp_path / "m.okpca")["rows"] == 20
    for one in (model, other):
        one.partial_fit(X[20:], labels[20:])
    assert_array_equal(other.decision_function(X), model.decision_function(X))
    assert_array_equal(other.predict(X), model.predict(X))
    assert other.classes_.dtype == model.classes_.dtype


@pytest.mark.thorough
def test_after_surgery(tmp_path):
    model = kpca(max_atoms=30).fit(X[:100]).merge(kpca(max_atoms=30).fit(X[100:180]))
    check(model.compress(12), X, tmp_path, before=[], after=[slice(180, 260)])
    dropped = kpca(on_full="drop", max_atoms=10).fit(X[:100])
    check(dropped.merge(model), X, tmp_path, before=[], after=[slice(180, 260)])


def test_a_source_of_random_numbers_stays_shared(tmp_path):
    rng = np.random.RandomState(5)
    model = pipeline(kpca(rule="oja", random_state=rng), kpca(rule="oja", random_state=rng))
    model.save(tmp_path / "m.okpca")
    other = okpca.load(tmp_path / "m.okpca")
    steps = [step for _, step in other.steps]
    assert steps[0].random_state is steps[1].random_state
    assert_array_equal(other.partial_fit(X).transform(X), model.partial_fit(X).transform(X))


def test_output_and_what_is_not_fitted(tmp_path):
    model = kpca().set_output(transform="pandas")
    model.save(tmp_path / "m.okpca")
    other = okpca.load(tmp_path / "m.okpca")
    assert not hasattr(other, "atoms_")
    assert list(other.fit(X).transform(X).columns) == ["onlinekernelpca0", "onlinekernelpca1"]


def quadratic(A, B, c=1.0):
    return (A @ B.T + c) ** 2


@pytest.mark.parametrize("params", [None, {"c": 0.5}])
def test_functions_are_named(params, tmp_path):
    model = kpca(kernel=quadratic, gamma=None, kernel_params=params).fit(X)
    path = tmp_path / "m.okpca"
    with pytest.raises(TypeError, match="holds no code, so the function quadratic must be"):
        model.save(path)
    assert not path.exists()
    before, after = BLOCKS["blocks"]
    check(clone(model), X, tmp_path, before=before, after=after, functions={"quadratic": quadratic})
    with pytest.raises(okpca.ModelFileError, match=r"functions=\{'quadratic': f\}"):
        okpca.load(tmp_path / "saved.okpca")
    with pytest.raises(okpca.ModelFileError, match="not the one that the model was learned with"):
        okpca.load(tmp_path / "saved.okpca", functions={"quadratic": lambda A, B, c=1: A @ B.T})


def test_a_function_with_arguments_has_a_name_of_its_own(tmp_path):
    narrow = partial(quadratic, c=0.3)
    model = kpca(kernel=narrow, gamma=None).fit(X)
    model.save(tmp_path / "m.okpca", functions={"narrow": narrow})
    other = okpca.load(tmp_path / "m.okpca", functions={"narrow": narrow})
    assert_array_equal(other.transform(X), model.transform(X))


def test_a_sum_of_many_kernels(tmp_path):
    model = kpca(kernel=sum(kernels.RBF(0.01 * i) for i in range(1, 80))).fit(X[:50])
    model.save(tmp_path / "m.okpca")
    assert okpca.load(tmp_path / "m.okpca").kernel_ == model.kernel_
    with pytest.raises(ValueError, match="more than 120 within each other"):
        kpca(kernel=sum(kernels.RBF(0.01 * i) for i in range(1, 200))).save(tmp_path / "m.okpca")


def test_looking_does_not_change_the_file(tmp_path):
    model = kpca().fit(X)
    before = bytes_of(model, tmp_path / "m")
    model.transform(X), model.certificate(), model.describe()
    assert bytes_of(model, tmp_path / "m") == before


def test_cuts_do_not_change_the_size(tmp_path):
    """Rows that are held, or wait, are one array however they came. (What single rows have that
    others have not is a sheet of coordinates, until it enters the scatter.)"""
    for make in (lambda: kpca(burn_in=200), lambda: detector(refresh=1000, forgetting=0.999)):
        at_once, singly = (
            bytes_of(fed(make(), X, cuts), tmp_path / "m")
            for cuts in ([slice(0, 150)], one_by_one(150))
        )
        assert len(singly) < 1.2 * len(at_once)


def test_pipeline_and_detector_share_what_they_share(tmp_path):
    model = detector().fit(X)
    model.save(tmp_path / "m.okpca")
    other = okpca.load(tmp_path / "m.okpca")
    assert (other._watch.model is other.estimator_._model) is (
        model._watch.model is model.estimator_._model
    )
    assert isinstance(other.estimator_, OnlineKernelPCA)
    assert StreamPipeline is type(okpca.load(_saved(pipeline(kpca()), tmp_path)))


def _saved(model, folder):
    model.save(folder / "p.okpca")
    return folder / "p.okpca"
