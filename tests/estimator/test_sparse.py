"""CSR rows: the model that dense rows give, and no dense copies of wide ones.

The oracle is the dense run. Where a full dictionary is clustered, dense atoms move to the mean of
their rows and CSR ones stay: `heavier_stays` lets dense atoms stay too.
"""

import pickle
import tracemalloc
from copy import copy, deepcopy

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import sparse
from sklearn.base import clone
from sklearn.feature_extraction.text import HashingVectorizer

from helpers import assert_same_model, pairs, random_borders, row_by_row, stream
from okpca import OnlineKernelPCA, budget, dictionary, kernels, merge
from okpca.dictionary import Clusters
from okpca.kernels import RBF, Cosine, Linear, Polynomial, Wavelet
from okpca.subspace import principal_angles

KERNELS = [
    RBF(0.3),
    kernels.Exponential(2.0),
    kernels.Laplacian(0.2),
    Polynomial(2, gamma=0.5),
    Linear(),
    Cosine(),
    RBF(0.1) + 0.5 * Linear() * Cosine(),
    Wavelet(kernel=RBF(0.3)),
]
BUDGETS = [None, "project", "drop", "slide", "compress"]
EVERY_KERNEL = pytest.mark.parametrize("kernel", KERNELS, ids=repr)
WIDE = 2**18


def every_kernel_and_every_budget(kernels):
    """Not each with each: a budget sees kernel values, and atoms only where it moves them, as
    "compress" does."""
    cases = [(kernel, "compress") for kernel in kernels]
    cases += [(RBF(0.3), on_full) for on_full in BUDGETS if on_full != "compress"]
    return pytest.mark.parametrize(("kernel", "on_full"), cases, ids=repr)


@pytest.fixture
def heavier_stays(monkeypatch):
    """Dense rows count for their atoms as CSR rows do, without a mean."""
    empty = classmethod(lambda cls, n_features, kernel: cls(np.empty(0), np.empty(0), None))
    monkeypatch.setattr(Clusters, "empty", empty)


def thin(n, d=80, seed=0, density=0.08):
    """Rows of a few numbers: CSR kept as it is. Six kinds, and no two alike."""
    rng = np.random.default_rng(seed)
    centre = np.where(rng.random((6, d)) < density / 2, rng.normal(size=(6, d)), 0.0)
    own = np.where(rng.random((n, d)) < density / 2, rng.normal(size=(n, d)), 0.0)
    X = centre[rng.integers(6, size=n)] * rng.uniform(0.5, 2.0, size=(n, 1)) + own
    X[:, 0] += rng.uniform(0.1, 1.0, size=n)  # no row is zero
    assert np.count_nonzero(X) < 0.12 * X.size
    return X


def wide(X, columns=WIDE, seed=0):
    """The same numbers as CSR rows, in columns drawn from so many; and these."""
    where = np.sort(np.random.default_rng(seed).choice(columns, X.shape[1], replace=False))
    S = sparse.coo_array(X)
    return sparse.csr_array((S.data, (S.row, where[S.col])), shape=(len(X), columns)), where


def model(kernel, on_full="compress", **more):
    full = "compress" if on_full is None else on_full
    most = None if on_full is None else 25
    params = {"kernel": kernel, "on_full": full, "max_atoms": most, "nu": 0.01} | more
    return OnlineKernelPCA(3, **params)


@pytest.mark.thorough
@pytest.mark.leaves
@every_kernel_and_every_budget(KERNELS)
def test_sparse_and_dense_rows_give_one_model(kernel, on_full, heavier_stays):
    X = thin(70 if on_full is None else 140)
    S = sparse.csr_array(X)
    dense, csr = model(kernel, on_full).fit(X), model(kernel, on_full).fit(S)
    assert isinstance(csr.atoms_, sparse.csr_array)
    assert_same_model(csr, dense, X[:20])
    assert_allclose(csr.transform(S), csr.transform(X), atol=1e-12)
    assert_allclose(csr.score_samples(S), csr.score_samples(X), atol=1e-11)
    assert_allclose(csr.score_samples(S), dense.score_samples(X), atol=1e-9)
    energy = [fitted.certificate().discarded_energy for fitted in (csr, dense)]
    assert_allclose(*energy, rtol=1e-6, atol=1e-9)


def test_a_reduced_set():
    """Searched for among dense atoms, so it is dense until CSR rows join again."""
    X = thin(60)
    reduced = model(RBF(0.3), budget.ReducedSet(2), max_atoms=20)
    csr, dense = clone(reduced).fit(sparse.csr_array(X)), clone(reduced).fit(X)
    assert csr.n_atoms_ <= 20
    assert_allclose(csr.eigenvalues_, dense.eigenvalues_, rtol=1e-4)


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("form", "more", "dictionary"),
    pairs(
        [sparse.csr_matrix, sparse.csr_array, sparse.csc_array],
        [{"forgetting": 0.98}, {"robust": "exponential"}, {"burn_in": 40}],
        ["novelty", "coherence"],
    ),
)
def test_every_kind_of_life(form, more, dictionary, heavier_stays):
    X = thin(120)
    params = {"dictionary": dictionary, "nu": 0.05} | more
    dense, csr = (model(RBF(0.3), **params).fit(rows) for rows in (X, form(X)))
    assert_same_model(csr, dense, X[:20])


@pytest.mark.thorough
@pytest.mark.leaves
@pytest.mark.parametrize(
    ("kernel", "forgetting"), list(zip(KERNELS, 4 * [1.0, 0.98], strict=True)), ids=repr
)
def test_any_slicing(kernel, forgetting):
    S = sparse.csr_array(thin(90))
    whole = model(kernel, forgetting=forgetting).fit(S)
    for borders in (random_borders(90, seed=1, count=9), range(1, 90)):
        again = stream(model(kernel, forgetting=forgetting), S, borders)
        assert_same_model(again, whole, S[:20].toarray())


@pytest.mark.thorough
@pytest.mark.parametrize("on_full", ["compress", "drop"])
@pytest.mark.parametrize("first", [0, 1])
def test_a_stream_of_both(first, on_full, heavier_stays):
    """Atoms are CSR from the first CSR row on."""
    X = thin(300)
    mixed, dense = model(RBF(0.3), on_full), model(RBF(0.3), on_full).fit(X)
    for i, piece in enumerate(np.split(X, range(7, 300, 7))):
        mixed.partial_fit(sparse.csr_array(piece) if i % 2 == first else piece)
    assert isinstance(mixed.atoms_, sparse.csr_array)
    assert_same_model(mixed, dense, X[:20])
    assert_same_model(row_by_row(mixed, X[:9]), dense.partial_fit(X[:9]), X[:20])


@pytest.mark.thorough
@pytest.mark.parametrize("on_full", [None, "compress"])
@pytest.mark.parametrize("forms", [(1, 1), (1, 0), (0, 1)])
def test_merge(forms, on_full, heavier_stays):
    X, shape = thin(200), (np.asarray, sparse.csr_array)
    parts = X[:90], X[90:]
    fitted = [
        model(RBF(0.3), on_full).fit(shape[f](part)) for f, part in zip(forms, parts, strict=True)
    ]
    together = merge(fitted)
    dense = merge([model(RBF(0.3), on_full).fit(part) for part in parts])
    assert isinstance(together.atoms_, sparse.csr_array)
    assert_same_model(together, dense, X[:20])
    more = thin(60, seed=1)
    assert_same_model(together.partial_fit(more), dense.partial_fit(more), X[:20])


@pytest.mark.thorough
def test_merge_of_nearly_dependent_models():
    """Where atoms of both are exchanged for the most independent of them."""
    X = np.random.default_rng(0).normal(size=(60, 2)) * 0.3
    rows, _ = wide(X, 40)
    plain = OnlineKernelPCA(3, kernel=RBF(0.5), nu=0, max_atoms=None)
    csr, dense = (merge([clone(plain).fit(x[:30]), clone(plain).fit(x[30:])]) for x in (rows, X))
    assert_allclose(csr.eigenvalues_, dense.eigenvalues_, rtol=1e-8)
    again = clone(plain).fit(rows)
    assert_allclose(again.eigenvalues_, dense.eigenvalues_, rtol=1e-8)


@pytest.mark.thorough
def test_copies_are_independent_and_pickles_go_on():
    S = sparse.csr_array(thin(240))
    one = model(RBF(0.3)).fit(S[:100])
    others = [copy(one), deepcopy(one), pickle.loads(pickle.dumps(one))]
    before = one.atoms_
    for other in others:
        other.partial_fit(S[100:])
    assert (one.atoms_ != before).nnz == 0
    one.partial_fit(S[170:]).partial_fit(S[:9])
    whole = model(RBF(0.3)).fit(S)
    for other in others:
        assert_same_model(other, whole, S[:20].toarray())
    shown = whole.atoms_
    shown.data[:] = 7.0
    assert (whole.atoms_ != shown).nnz


def test_unsorted_columns_twice_over():
    """Rows as scipy allows them, which are left as they are."""
    X = thin(60)
    S = sparse.csr_array(X)
    ends = zip(S.indptr[:-1], S.indptr[1:], strict=True)
    order = np.repeat(np.concatenate([np.arange(*row)[::-1] for row in ends]), 2)
    odd = sparse.csr_array((0.5 * S.data[order], S.indices[order], 2 * S.indptr), shape=S.shape)
    data, indices = odd.data.copy(), odd.indices.copy()
    for kernel in (RBF(0.3), kernels.Laplacian(0.2), Cosine()):
        a, b = model(kernel).fit(odd), model(kernel).fit(S)
        assert_same_model(a, b, X[:20])
        assert_allclose(a.transform(odd), b.transform(S), atol=1e-12)
    assert (odd.data == data).all()
    assert (odd.indices == indices).all()


# ------------------------------------------------------------------------------------ dense atoms


@pytest.mark.thorough
def test_compress_moves_what_can_be_dense_and_keeps_a_subset_of_the_rest():
    X = thin(150)
    S, where = wide(X)
    for rows in (X, S, sparse.csr_array(X)):
        fitted = model(RBF(0.3), None).fit(rows)
        atoms = fitted.atoms_
        fitted.compress(12)
        left = fitted.atoms_
        assert fitted.n_atoms_ == 12
        assert sparse.issparse(left) == (rows is S)
        if rows is S:
            old = {row.tobytes() for row in atoms.tocsc()[:, where].toarray()}
            assert {row.tobytes() for row in left.tocsc()[:, where].toarray()} <= old
        fitted.partial_fit(rows[:9])
        assert sparse.issparse(fitted.atoms_) == sparse.issparse(rows)


@EVERY_KERNEL
@pytest.mark.parametrize("method", ["fixed_point", "gradient", "conformal", "ridge"])
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_pre_images_are_those_of_the_columns_there_are(kernel, method):
    X = thin(60, 40)
    S, where = wide(X, 3000)
    if isinstance(kernel, Wavelet):
        S, where = sparse.csr_array(X), np.arange(40)
    dense, csr = (model(kernel, None, preimage=method).fit(rows) for rows in (X, S))
    scores = dense.transform(X[:15])
    found, wanted = csr.pre_images(scores), dense.pre_images(scores)
    assert found.X.shape == (15, S.shape[1])
    # A search of its own: what counts is how near it comes.
    assert_allclose(found.distance, wanted.distance, atol=1e-3)
    assert not np.delete(found.X, where, axis=1).any()
    if method in ("conformal", "ridge"):
        assert_allclose(found.X[:, where], wanted.X, atol=1e-6)
    back = csr.denoise(S[:15])
    assert isinstance(back, np.ndarray)
    errors = csr.reconstruction_error(back), dense.reconstruction_error(back[:, where])
    assert_allclose(*errors, atol=1e-9)


def test_what_would_fill_the_memory_is_refused():
    S, _ = wide(thin(300))
    fitted = model(RBF(0.3), None).fit(S)
    with pytest.raises(ValueError, match=r"inverse_transform gives dense rows.*fewer at a time"):
        fitted.inverse_transform(np.zeros((1000, 3)))
    with pytest.raises(ValueError, match="denoise gives dense rows, and 600"):
        fitted.denoise(sparse.vstack([S, S]))
    assert fitted.inverse_transform(np.zeros((3, 3))).shape == (3, WIDE)
    clustered = dictionary.Clustered(200)
    with pytest.raises(
        ValueError, match=r"Clustered.* needs dense rows.*use okpca.dictionary.Sampled"
    ):
        OnlineKernelPCA(dictionary=clustered, burn_in=250).fit(S)
    reduced = OnlineKernelPCA(3, kernel=RBF(0.3), max_atoms=150, on_full=budget.ReducedSet(30))
    with pytest.raises(ValueError, match="ReducedSet needs dense atoms"):
        reduced.fit(S)


@pytest.mark.thorough
def test_dictionaries_that_are_given_or_chosen():
    X = thin(200)
    S, where = wide(X, 5000)
    for policy, same in (
        (dictionary.Sampled(15), dictionary.Sampled(15)),
        (dictionary.Clustered(8), dictionary.Clustered(8)),
        (dictionary.Fixed(S[:12]), dictionary.Fixed(X[:12])),
    ):
        params = {"kernel": RBF(0.3), "burn_in": 100, "random_state": 0}
        csr = OnlineKernelPCA(2, dictionary=policy, **params).fit(S)
        dense = OnlineKernelPCA(2, dictionary=same, **params).fit(X)
        assert isinstance(csr.atoms_, sparse.csr_array)
        assert_allclose(csr.atoms_.toarray()[:, where], dense.atoms_, atol=1e-12)
        assert_allclose(csr.transform(S), dense.transform(X), atol=1e-9)


def test_subspaces():
    X = thin(200)
    S, _ = wide(X)
    csr = [model(RBF(0.3), None).fit(S[:n]) for n in (120, 200)]
    dense = [model(RBF(0.3), None).fit(X[:n]) for n in (120, 200)]
    assert_allclose(principal_angles(*csr), principal_angles(*dense), atol=1e-8)


# ------------------------------------------------------------------------------------------- wide


def peak_of(call):
    """Megabytes at the most while it runs."""
    tracemalloc.start()
    try:
        result = call()
        return result, tracemalloc.get_traced_memory()[1] / 2**20
    finally:
        tracemalloc.stop()


@pytest.mark.thorough
@every_kernel_and_every_budget(KERNELS[:-1])
def test_no_dense_copy_of_wide_rows(kernel, on_full):
    """A dense copy of the atoms takes 50 MB, one of the rows 200, and their sums as much."""
    X = thin(100)
    X[::50] = 0.0  # documents without a word
    S, _ = wide(X)
    model(kernel, on_full).fit(S[:30])  # whatever is compiled or imported is not counted

    def live():
        fitted = model(kernel, on_full).fit(S)
        fitted.transform(S)
        fitted.score_samples(S)
        other = row_by_row(model(kernel, on_full), S[:10])
        fitted.merge(pickle.loads(pickle.dumps(other)))
        fitted.partial_fit(S[7:9].toarray())
        return fitted.certificate()

    _, peak = peak_of(live)
    assert peak < 40


def documents(n, seed=0, topics=4, words=3000, length=40):
    """Each of one topic, in words that are common or its own; in the order of a stream."""
    rng = np.random.default_rng(seed)
    rank = np.arange(1, words + 1)
    common = 1.0 / rank
    topic = rng.integers(topics, size=n)
    for t in topic:
        own = np.where(rank % topics == t, common, 0.0)
        p = common / common.sum() + 2 * own / own.sum()
        yield t, " ".join(f"w{w}" for w in rng.choice(words, length, p=p / p.sum()))


@pytest.mark.thorough
def test_a_stream_of_hashed_text():
    """One pass in flat memory, and components that tell the topics apart."""
    vectorizer = HashingVectorizer(n_features=WIDE)
    topic, text = zip(*documents(1600), strict=True)
    blocks = [vectorizer.transform(text[i : i + 100]) for i in range(0, 1600, 100)]
    online = OnlineKernelPCA(4, kernel="cosine", max_atoms=60)
    online.partial_fit(blocks[0])

    def learn(part):
        for block in part:
            online.partial_fit(block)
        return len(pickle.dumps(online))

    size, early = peak_of(lambda: learn(blocks[1:8]))
    later_size, late = peak_of(lambda: learn(blocks[8:]))
    assert late < 25
    assert late < 1.2 * early + 1
    assert later_size < 1.2 * size
    scores = np.concatenate([online.transform(block) for block in blocks])
    centres = np.stack([scores[np.equal(topic, t)].mean(axis=0) for t in range(4)])
    nearest = np.square(scores[:, None] - centres).sum(axis=2).argmin(axis=1)
    assert np.mean(nearest == topic) > 0.9
    whole = clone(online).fit(sparse.vstack(blocks))
    assert_allclose(np.abs(whole.transform(blocks[0])), np.abs(scores[:100]), atol=1e-9)
