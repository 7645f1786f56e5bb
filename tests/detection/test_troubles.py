"""What a detector says of itself while it learns from a stream, once."""

import warnings

import numpy as np
import pandas as pd
import pytest

from helpers import normal
from okpca import KernelNoveltyDetector, KernelWarning


def counted(n):
    """A column that counts the rows: each is a stranger to all before it."""
    return np.column_stack([np.arange(n), normal(n, 2)])


def taught(detector, X, size):
    """In pieces; the warnings."""
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        for start in range(0, len(X), size):
            detector.partial_fit(X[start : start + size])
    return [str(one.message) for one in said if one.category is KernelWarning]


@pytest.mark.parametrize("size", [1, 100, 900])
def test_a_stream_of_strangers_is_told_of_once(size):
    detector = KernelNoveltyDetector(gamma=1.0, scale=None, window=300, max_atoms=50)
    said = taught(detector, counted(900), size)
    assert len(said) == 2
    assert "column 0 goes up by the same" in said[0]
    assert "no row can be an alarm yet" in said[1]
    assert detector.limits_["nested"] == np.inf
    assert detector.describe().warnings == said


def test_a_column_that_counts_the_rows_is_named_though_few_rows_are_learned():
    names = ["number", "flow", "heat"]
    frame = pd.DataFrame(counted(1500), columns=names)
    detector = KernelNoveltyDetector()
    said = taught(detector, frame, 100)
    assert detector.n_alarms_ > 700
    assert "column 'number' goes up by the same" in said[0]
    assert "were not learned" in said[1]
    assert len(said) == 2


@pytest.mark.long
def test_a_limit_that_no_row_can_exceed_is_none():
    """Of a walk, too, that was like itself for a while: limits were there, and have opened."""
    walk = np.cumsum(normal(4000, 3, seed=2), axis=0)
    detector = KernelNoveltyDetector()
    with pytest.warns(UserWarning, match="no row can be an alarm yet"):
        detector.fit(walk)
    assert detector.predict(np.full((1, 3), 1e6)) == 1
    assert detector.offset_ == -np.inf
    assert "no limit yet" in detector.describe().watching


def test_a_stream_that_leaves_what_was_learned_is_told_of_once():
    X = normal(4000, 2) + np.linspace(0, 1, 4000)[:, None] * [0.0, 60.0]
    detector = KernelNoveltyDetector()
    said = taught(detector, X, 100)
    assert len(said) == 1
    assert "were not learned" in said[0]
    assert "too few rows learned to tell of drift" in detector.describe().watching


def slow(n=3000, memory=0.995):
    """Rows that depend on many before them."""
    rows = normal(n, 3)
    for i in range(1, n):
        rows[i] += memory * rows[i - 1]
    return rows


def test_what_held_for_a_while_is_not_said_at_the_end():
    """Of the rows, or of a model that was without a limit in the midst of them."""
    with warnings.catch_warnings():
        warnings.simplefilter("error", KernelWarning)
        detector = KernelNoveltyDetector(window=300).fit(slow())
    assert np.isfinite(detector.offset_)
    assert detector.describe().warnings == []
    streamed = KernelNoveltyDetector(window=300)
    assert any("no row can be an alarm" in text for text in taught(streamed, slow(), 100))
    assert streamed.describe().warnings == []


def test_what_is_said_at_the_end_is_of_all_rows():
    detector = KernelNoveltyDetector()
    with pytest.warns(KernelWarning) as said:
        detector.fit(counted(3000))
    assert f"{detector.n_alarms_} of 3000 rows were alarms" in str(said[-1].message)
    assert "goes up by the same" in str(said[0].message)
    assert detector.describe().warnings == [str(one.message) for one in said]


def test_nothing_is_said_of_a_healthy_stream():
    assert taught(KernelNoveltyDetector(), normal(3000, 3), 100) == []


# -- rows that repeat ------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["one of five", "three by three", "bits"])
def test_rows_that_repeat_are_no_alarms_by_their_last_digits(kind):
    rng = np.random.default_rng(2)
    X = {
        "one of five": np.eye(5)[rng.integers(0, 5, 1200)],
        "three by three": rng.integers(0, 3, (1200, 2)).astype(float),
        "bits": rng.integers(0, 2, (1200, 4)).astype(float),
    }[kind]
    detectors = [KernelNoveltyDetector() for _ in range(3)]
    for detector, size in zip(detectors, (1, 100, 1200), strict=True):
        for start in range(0, len(X), size):
            detector.partial_fit(X[start : start + size])
    assert [detector.n_alarms_ for detector in detectors] == [0, 0, 0]
    for detector in detectors:
        assert (detector.predict(X) == 1).all()
        assert (detector.decision_function(X) >= 0).all()
        assert detector.predict(np.full((1, X.shape[1]), 4.0)) == -1


def test_rows_of_a_plane_are_no_alarms_by_what_rounding_leaves():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(1000, 3)) @ rng.normal(size=(3, 8))
    detectors = [KernelNoveltyDetector(kernel="linear") for _ in range(2)]
    for detector, size in zip(detectors, (1, 1000), strict=True):
        for start in range(0, len(X), size):
            detector.partial_fit(X[start : start + size])
        assert detector.limits_["spe"] == 0.0
        beside = X[:5] + 0.1 * rng.normal(size=(5, 8))
        assert (detector.predict(beside) == -1).all()
    assert detectors[0].n_alarms_ == detectors[1].n_alarms_ < 20


def test_where_components_explain_all_rows_few_of_them_still_tell():
    """Of a table of a dozen different rows: the rarest are the strangest."""
    rng = np.random.default_rng(0)
    kinds = rng.normal(size=(8, 3))
    often = np.array([0.3, 0.3, 0.2, 0.15, 0.02, 0.01, 0.01, 0.01])
    rows = kinds[rng.choice(8, size=1500, p=often)]
    detector = KernelNoveltyDetector(n_components=None, gamma=1.0).fit(rows)
    scores = -detector.score_samples(kinds)
    assert detector.limits_["spe"] == 0.0
    assert scores[:4].max() < scores[4:].min()


# -- cuts ------------------------------------------------------------------------------------------


def test_runs_that_may_be_accepted_do_not_depend_on_the_cuts():
    """A border is where it is, whether or not the row at it is an alarm by itself."""
    X = normal(300, 5, seed=3)
    X = X[np.argsort(X[:, 0])]
    settings = {"contamination": 0.1, "warm_up": 10, "window": 20, "refresh": 1, "ewma": 0.05}
    settings |= {"statistic": "spe", "gamma": 0.5, "accept_after": 20, "max_atoms": 20}
    settings |= {"n_components": 0.95, "on_full": "drop", "scale": None}
    found = []
    for size in (300, 2, 1):
        detector = KernelNoveltyDetector(**settings)
        seen = [detector.monitor(X[start : start + size]) for start in range(0, 300, size)]
        found.append(np.concatenate([one.t2 for one in seen]))
    np.testing.assert_allclose(found[1], found[0], rtol=1e-9)
    np.testing.assert_allclose(found[2], found[0], rtol=1e-9)


def test_a_row_with_a_gap_that_comes_alone_in_the_warm_up_is_filled_in():
    X = normal(300, 3)
    X[25, 1] = np.nan
    settings = {"missing": "impute", "burn_in": 20, "warm_up": 30}
    whole, alone = (KernelNoveltyDetector(**settings) for _ in range(2))
    whole.partial_fit(X)
    for x in X:
        alone.partial_fit(x[None])
    assert alone.offset_ == pytest.approx(whole.offset_, rel=1e-9)
