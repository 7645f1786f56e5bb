"""What fails or is only looked at leaves detectors and trackers as they were."""

import pickle

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from helpers import normal, pairs, video
from okpca import KernelNoveltyDetector, OnlineKernelPCA
from okpca.detection import video_tracker
from okpca.detection.video_tracker import SubspaceTracker
from okpca.kernels import RBF

FRAMES, BOXES = video(10)

# -- the tracker ----------------------------------------------------------------------------------


def started(**options):
    return SubspaceTracker(size=(8, 8), n_candidates=40, **options).start(FRAMES[0], BOXES[0])


def failing(monkeypatch, owner, name, error, *, after=False):
    """From now on this raises, before it does anything or after all is done."""
    do = getattr(owner, name)

    def raises(*args, **more):
        if after:
            do(*args, **more)
        raise error

    monkeypatch.setattr(owner, name, raises)


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("owner", "name"),
    [
        (OnlineKernelPCA, "partial_fit"),
        (video_tracker, "crops"),
        (video_tracker.Subspace, "residuals"),
        (SubspaceTracker, "_learn"),
    ],
)
@pytest.mark.parametrize("after", [False, True])
@pytest.mark.parametrize("every", [1, 3])
def test_a_tracker_goes_on_as_if_a_failed_frame_had_not_been(
    monkeypatch, every, after, owner, name
):
    one, same = started(every=every), started(every=every)
    for frame in FRAMES[1:3]:
        one.update(frame), same.update(frame)
    for error in (MemoryError("no room"), KeyboardInterrupt()):
        with monkeypatch.context() as patched:
            failing(patched, owner, name, error, after=after)
            with pytest.raises(type(error)):
                one.update(FRAMES[3])
    assert one.box_ == same.box_
    found, wanted = ([of.update(frame) for frame in FRAMES[3:]] for of in (one, same))
    assert_array_equal(found, wanted)
    assert one.model_.n_samples_seen_ == same.model_.n_samples_seen_ == 10


def test_a_tracker_gives_a_random_state_back_that_it_did_not_use(monkeypatch):
    rng = np.random.RandomState(3)
    tracker = started(random_state=rng)
    before = rng.get_state()[1].copy(), rng.get_state()[2]
    failing(monkeypatch, OnlineKernelPCA, "partial_fit", MemoryError())
    with pytest.raises(MemoryError):
        tracker.update(FRAMES[1])
    assert_array_equal(rng.get_state()[1], before[0])
    assert rng.get_state()[2] == before[1]


def test_a_refused_start_leaves_the_object_that_was_followed():
    tracker, same = started(), started()
    tracker.random_state = "seed"
    with pytest.raises(ValueError, match="seed"):
        tracker.start(FRAMES[0], (50.0, 30.0, 18.0, 18.0))
    assert tracker.update(FRAMES[1]) == same.update(FRAMES[1])


# -- the detector ---------------------------------------------------------------------------------


class Mined:
    """An RBF kernel on which Ctrl-C is pressed at rows that start with 77."""

    def __call__(self, A, B):
        if (A[:, 0] == 77.0).any():
            raise KeyboardInterrupt
        return RBF(gamma=0.5)(A, B)


ROWS = normal(330)
CALLS = {
    "interrupted": (np.array([[0.0, 0, 0], [77.0, 0, 0]]), KeyboardInterrupt),
    "refused": ([[0.0, np.nan, 0]], ValueError),
    "narrow": ([[0.0, 0]], ValueError),
    "good": (ROWS[:5], None),
}


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("options", "call", "method"),
    pairs(
        [
            {},
            {"lags": 1, "ewma": 0.3},
            {"max_atoms": 20},
            {"burn_in": 1000, "robust": "exponential"},
        ],
        CALLS,
        ["predict", "score_samples", "decision_function"],
    ),
    ids=str,
)
def test_judging_rows_changes_no_pickle(options, method, call):
    rows, error = CALLS[call]
    detector = KernelNoveltyDetector(3, kernel=Mined(), **options).partial_fit(ROWS[:300])
    for row in ROWS[300:]:  # some of them still wait to enter the moments
        detector.partial_fit(row[None])
    before = pickle.dumps(detector)
    if error is None:
        getattr(detector, method)(rows)
    else:
        with pytest.raises(error):
            getattr(detector, method)(rows)
    assert np.isfinite(detector.limits_["spe"]) == np.isfinite(detector.offset_)
    assert pickle.dumps(detector) == before


def test_what_was_looked_at_is_not_taken_for_what_came_after():
    looked, blind = (KernelNoveltyDetector(3).partial_fit(ROWS[:300]) for _ in range(2))
    looked.predict(ROWS)
    for detector in (looked, blind):
        detector.partial_fit(ROWS[300:])
    assert_array_equal(looked.score_samples(ROWS), blind.score_samples(ROWS))
    looked.estimator_.compress(20), blind.estimator_.compress(20)
    assert_array_equal(looked.score_samples(ROWS), blind.score_samples(ROWS))
