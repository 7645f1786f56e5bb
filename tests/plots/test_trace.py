"""The diary of a stream."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from helpers import normal, random_borders
from okpca import OnlineKernelPCA, Trace, kernels, presets
from okpca.dictionary import Fixed
from okpca.subspace import Subspace, average_cosine, subspace_distance

X = normal(103, 2)


def model(**params):
    return OnlineKernelPCA(2, **({"gamma": 1.0, "random_state": 0} | params))


@pytest.mark.thorough
@pytest.mark.parametrize("every", [1, 10])
def test_records_do_not_depend_on_the_cuts(every):
    whole, cut = Trace(every), Trace(every)
    model(rule="oo-kha").fit(X, callback=whole)
    streamed = model(rule="oo-kha")
    for part in np.split(X, random_borders(len(X), 1)):
        if len(part):
            streamed.partial_fit(part, callback=cut)
    assert [r["row"] for r in whole.records] == list(range(every, len(X) + 1, every))
    for a, b in zip(whole.records, cut.records, strict=True):
        for name in a:
            assert_allclose(a[name], b[name], rtol=1e-9, atol=1e-12)


def test_a_trace_changes_nothing():
    told, quiet = model().fit(X, callback=Trace(7)), model().fit(X)
    assert_allclose(told.eigenvalues_, quiet.eigenvalues_, rtol=1e-9)
    # Whoever looks sees signs that stay, so those may differ from the signs of a first look.
    assert_allclose(np.abs(told.transform(X)), np.abs(quiet.transform(X)), rtol=0, atol=1e-9)


def test_what_is_recorded():
    reference = model(nu=0).fit(X)
    trace = Trace(20, rows=X, reference=reference)
    fitted = presets.rkpca(2, gamma=1.0, robust="exponential", random_state=0)
    for n in (40, 80):
        fitted.partial_fit(X[n - 40 : n], callback=trace)
        last = trace.records[-1]
        assert last["row"] == n
        assert last["atoms"] == fitted.n_atoms_
        assert_allclose(last["output"], fitted.transform(X[n - 1 : n])[0], rtol=1e-9)
        assert_allclose(last["variance"], fitted.transform(X).var(axis=0), rtol=1e-9)  # (23)
        assert_allclose(last["error"], fitted.reconstruction_error(X).mean(), rtol=1e-9)
        assert_allclose(last["step"], 1 / n)
        assert 0 < last["weight"] < 1
        assert_allclose(last["distance"], subspace_distance(fitted, reference), rtol=1e-6)
        assert_allclose(last["cosine"], average_cosine(fitted, reference), rtol=1e-6)


def test_the_variance_is_no_mean_square_while_the_mean_is_young():
    trace = Trace(2, rows=X)
    model().fit(X[:2], callback=trace)
    outputs = model().fit(X[:2]).transform(X)
    assert_allclose(trace.records[0]["variance"], outputs.var(axis=0), atol=1e-12)
    assert np.square(outputs).mean(axis=0)[0] > 1.02 * trace.records[0]["variance"][0]


def test_an_uncentred_model_has_mean_squares():
    trace = Trace(50, rows=X)
    fitted = model(center=False).fit(X[:50], callback=trace)
    expected = np.square(fitted.transform(X)).mean(axis=0)
    assert_allclose(trace.records[0]["variance"], expected, rtol=1e-9)


def test_a_reference_may_have_fewer_components():
    reference = OnlineKernelPCA(1, gamma=1.0).fit(X)
    trace = Trace(100, reference=reference)
    fitted = model().fit(X[:100], callback=trace)
    first = Subspace.of(fitted).leading(1)
    assert_allclose(trace.records[0]["cosine"], average_cosine(first, reference), rtol=1e-9)


def test_a_reference_in_the_empirical_geometry():
    settings = {"dictionary": Fixed(X[:8]), "geometry": "empirical", "gamma": 1.0}
    # Kernel PCA of the kernel values as they are: PCA of the rows [κ(d_i, x)].
    H = kernels.RBF(gamma=1.0)(X, X[:8])
    V = np.linalg.eigh(np.cov(H.T))[1][:, ::-1].T
    reference = OnlineKernelPCA(2, **settings).fit(X)
    trace = Trace(103, rows=X, reference=reference)
    fitted = presets.rkpca(2, random_state=0, **settings).fit(X, callback=trace)
    last = trace.records[-1]
    W = np.linalg.lstsq(H - H.mean(axis=0), fitted.transform(X), rcond=None)[0].T
    cosine = np.abs(np.einsum("ij,ij->i", V[:2], W)) / np.linalg.norm(W, axis=1)
    assert_allclose(last["cosine"], cosine.mean(), rtol=1e-6)
    assert_allclose(last["variance"], fitted.transform(X).var(axis=0), rtol=1e-9)
    assert 0 < last["distance"] < np.pi / 2 * np.sqrt(2)


def test_models_over_other_atoms_are_not_compared_in_the_empirical_geometry():
    settings = {"geometry": "empirical", "gamma": 1.0}
    a, b = (
        presets.rkpca(1, random_state=0, dictionary=Fixed(points), **settings).fit(X)
        for points in (X[:8], X[8:16])
    )
    with pytest.raises(ValueError, match="over the same atoms"):
        subspace_distance(a, b)


def test_rules_without_steps_have_no_step_size():
    trace = Trace(50)
    model().fit(X, callback=trace)
    assert np.isnan(trace.records[0]["step"])
    assert trace.records[0]["weight"] == 1.0


def test_to_frame():
    trace = Trace(25)
    model().fit(X, callback=trace)
    frame = trace.to_frame()
    assert list(frame["row"]) == [25, 50, 75, 100]
    assert_allclose(frame["variance1"].iloc[-1], trace.records[-1]["variance"][1])
    assert {"output0", "output1", "atoms", "weight", "step"} <= set(frame.columns)


def test_a_frame_where_the_number_of_components_grows():
    trace = Trace(1)
    OnlineKernelPCA(0.9, gamma=1.0).fit(X[:20], callback=trace)
    frame = trace.to_frame()
    count = [len(record["variance"]) for record in trace.records]
    assert count[0] < count[-1]
    assert frame.filter(like="variance").notna().sum(axis=1).tolist() == count


@pytest.mark.thorough
def test_plot_draws_what_was_recorded():
    trace = Trace(10, rows=X, reference=model(nu=0).fit(X))
    presets.rkpca(2, gamma=1.0, random_state=0).fit(X, callback=trace)
    axes = trace.plot()
    labels = [one.get_ylabel().split()[0] for one in axes]
    assert labels == ["atoms", "variance", "reconstruction", "average", "subspace", "weight"]
    drawn = np.column_stack([line.get_ydata() for line in axes[1].get_lines()])
    assert_allclose(drawn, [record["variance"] for record in trace.records])
    (one,) = trace.plot("step", color="red")
    assert one.get_lines()[0].get_color() == "red"
    with pytest.raises(ValueError, match=r"recorded atoms, variance.*no speed"):
        trace.plot("speed")
    with pytest.raises(ValueError, match="recorded nothing"):
        Trace().plot()


def test_any_function_is_a_callback():
    rows = []
    model().fit(X[:5], callback=lambda estimator, row: rows.append((estimator.n_atoms_, row)))
    assert len(rows) == 5
    assert_allclose(np.vstack([row for _, row in rows]), X[:5])


def test_a_callback_that_fails_takes_the_call_back():
    fitted = model().fit(X[:10])

    def fail(estimator, row):
        raise RuntimeError("no room on the disk")

    with pytest.raises(RuntimeError, match="no room"):
        fitted.partial_fit(X[10:], callback=fail)
    assert fitted.n_samples_seen_ == 10


def test_rows_without_weight_are_not_recorded():
    w = np.ones(len(X))
    w[[0, 3, 10, 11, 12]] = 0
    w[-30:] = 0
    for burn_in in (0, 5):
        trace = Trace(10)
        model(burn_in=burn_in).fit(X, sample_weight=w, callback=trace)
        assert [record["row"] for record in trace.records] == [10, 20, 30, 40, 50, 60]


def test_records_of_a_call_that_was_taken_back_are_replaced():
    trace, fitted = Trace(1), model(kernel="poly").fit(X[:10])
    bad = X[10:20].copy()
    bad[5] = 1e200
    with pytest.raises(ValueError, match="row 5"):
        fitted.partial_fit(bad, callback=trace)
    fitted.partial_fit(X[10:13], callback=trace)
    assert [record["row"] for record in trace.records] == [11, 12, 13]


def test_frames_in_frames_out():
    import pandas as pd

    trace = Trace(20, rows=None)
    names = pd.DataFrame(X, columns=["a", "b"])
    model().set_output(transform="pandas").fit(names, callback=trace)
    assert len(trace.records) == 5


def test_a_reference_before_there_is_an_atom():
    reference = model(kernel="linear").fit(X)
    trace = Trace(1, reference=reference)
    model(kernel="linear").fit(np.vstack([np.zeros((1, 2)), X[:5]]), callback=trace)
    assert np.isnan(trace.records[0]["distance"])
    assert np.isfinite(trace.records[-1]["distance"])


@pytest.mark.parametrize("every", [0, 1.5, None, "a"])
def test_refused(every):
    with pytest.raises(ValueError, match="Trace: every must be an integer"):
        Trace(every)
