"""Following a box: on a video made for it, on the David sequence, and refusals."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.ndimage import map_coordinates

from helpers import video
from okpca import OnlineKernelPCA
from okpca.detection.video_tracker import (
    MOVING,
    SubspaceTracker,
    crops,
    inner,
    levelled,
    overlap,
    prepared,
)


def followed(frames, box, **options):
    options = {"size": (12, 12), "n_candidates": 80} | options
    tracker = SubspaceTracker(**options).start(frames[0], box)
    return np.array([tracker.update(frame) for frame in frames[1:]]), tracker


# -- following ------------------------------------------------------------------------------------


def test_a_moving_patch_is_followed():
    frames, boxes = video()
    found, tracker = followed(frames, boxes[0])
    assert overlap(found, boxes[1:]).min() > 0.8
    assert overlap(np.tile(boxes[0], (11, 1)), boxes[1:]).min() < 0.05  # it has left its place
    assert tracker.model_.n_samples_seen_ == 12
    assert 0 <= tracker.distance_ < 0.2


@pytest.mark.thorough
def test_a_growing_patch_is_followed_in_scale():
    frames, boxes = video(16, growth=1.02, step=(0.5, 0.3))
    options = {"spread": (0.06, 0.04), "n_candidates": 400, "pull": 0.0}
    found, _ = followed(frames, boxes[0], **options)
    assert overlap(found, boxes[1:]).min() > 0.75
    assert abs(found[-1][2] / boxes[-1][2] - 1) < 0.1
    assert boxes[-1][2] / boxes[0][2] > 1.3
    stiff, _ = followed(frames, boxes[0], spread=(0.06, 0.0))
    assert_allclose(stiff[:, 2:], np.tile(boxes[0][2:], (15, 1)))


@pytest.mark.thorough
def test_a_turning_patch_is_followed_in_angle():
    frames, boxes = video(16, turn=0.04)
    options = {"n_candidates": 200, "pull": 0.0}
    found, tracker = followed(frames, boxes[0], spread=(0.06, 0.01, 0.08), **options)
    assert overlap(found, boxes[1:]).min() > 0.75
    assert abs(tracker.angle_ - 0.6) < 0.15
    _, upright = followed(frames, boxes[0], spread=(0.06, 0.01), **options)
    assert upright.angle_ == 0.0
    assert upright.distance_ > 2 * tracker.distance_


@pytest.mark.thorough
def test_a_pull_holds_scale_and_angle():
    frames, boxes = video(16, growth=1.02, turn=0.04, step=(0.5, 0.3))
    _, free = followed(frames, boxes[0], spread=(0.06, 0.04, 0.04), pull=0.0)
    _, held = followed(frames, boxes[0], spread=(0.06, 0.04, 0.04), pull=10.0)
    assert abs(held.box_[2] / boxes[0][2] - 1) < 0.05 < abs(free.box_[2] / boxes[0][2] - 1)
    assert abs(held.angle_) < 0.5 * abs(free.angle_)


@pytest.mark.thorough
def test_light_and_contrast_do_not_count():
    frames, boxes = video()
    dimmed = [frame * (1 - 0.06 * t) + 5 * t for t, frame in enumerate(frames)]
    assert_allclose(followed(dimmed, boxes[0])[0], followed(frames, boxes[0])[0], atol=1e-6)


def test_the_same_seed_is_the_same_track():
    frames, boxes = video(6)
    first, again = (followed(frames, boxes[0], random_state=3)[0] for _ in range(2))
    assert_array_equal(first, again)
    assert (followed(frames, boxes[0], random_state=4)[0] != first).any()


def test_the_winner_is_the_nearest_candidate():
    frames, boxes = video(4)
    _, tracker = followed(frames[:3], boxes[0])
    before = OnlineKernelPCA(10, kernel="rbf", gamma=0.5, forgetting=0.95, max_atoms=60, nu=1e-3)
    assert tracker.model_.get_params() == before.get_params()
    looked = []
    ask = tracker._candidates
    tracker._candidates = lambda *args: looked.append(ask(*args)) or looked[-1]
    model = tracker.model_
    last, turned = np.array(tracker.box_), tracker.angle_
    frame = prepared(frames[3], last, (12, 12))
    z = {name: getattr(model, name) for name in ("kernel_", "atoms_", "dual_coef_", "mean_")}
    box = tracker.update(frames[3])
    boxes_seen, angles = looked[-1]
    X = crops(frame, inner(boxes_seen), (12, 12), angles)
    K = z["kernel_"](X, z["atoms_"])
    gram = z["kernel_"](z["atoms_"])
    size = 1 - 2 * K @ z["mean_"] + z["mean_"] @ gram @ z["mean_"]
    y = (K - z["mean_"] @ gram) @ z["dual_coef_"].T
    distance = size - (y**2).sum(axis=1)
    strain = 0.4 * (np.log(boxes_seen[:, 2] / boxes[0][2]) ** 2 + angles**2)
    step = (boxes_seen[:, :2] + boxes_seen[:, 2:] / 2 - last[:2] - last[2:] / 2) / last[2:]
    moved = (step**2).sum(axis=1) / 0.06**2
    moved += (np.log(boxes_seen[:, 2] / last[2]) / 0.01) ** 2 + ((angles - turned) / 0.01) ** 2
    best = (distance + strain + MOVING * moved).argmin()
    assert_allclose(distance[best], tracker.distance_, atol=1e-7)
    assert_allclose(boxes_seen[best], box)
    assert_allclose(angles[best], tracker.angle_)


def test_looks_are_learned_in_blocks():
    frames, boxes = video(6)
    _, tracker = followed(frames, boxes[0], every=3)
    assert tracker.model_.n_samples_seen_ == 4  # one to start, three of the five after it


def test_any_online_model_will_do_and_is_left_alone():
    frames, boxes = video(8)
    model = OnlineKernelPCA(3, kernel="linear", center=False, forgetting=0.9)
    found, tracker = followed(frames, boxes[0], model=model)
    assert overlap(found, boxes[1:]).mean() > 0.7
    assert not hasattr(model, "n_features_in_")
    assert tracker.model_.n_features_in_ == 144


def test_start_begins_anew():
    frames, boxes = video(6)
    first, tracker = followed(frames, boxes[0])
    tracker.start(frames[0], boxes[0])
    assert_array_equal([tracker.update(frame) for frame in frames[1:]], first)


@pytest.mark.data
@pytest.mark.slow
def test_david_is_followed_for_a_while(data_set):
    """The whole of it is in benchmarks/uses/tracking.py."""
    stored = data_set("track_david_frames_462x120x160")
    frames, boxes = stored["X"][:60], stored["box"][:60]
    tracker = SubspaceTracker(size=(16, 16)).start(frames[0], boxes[0])
    found = np.array([tracker.update(frame) for frame in frames[1:]])
    assert overlap(found, boxes[1:]).mean() > 0.6
    assert overlap(found, np.tile(boxes[0], (59, 1))).min() < 0.5


# -- crops, overlap -------------------------------------------------------------------------------


def test_crops_are_those_of_map_coordinates():
    frame = np.random.default_rng(0).normal(size=(20, 30))
    boxes = np.array([[3.2, 4.1, 10.0, 8.0], [-4.0, 15.0, 12.0, 9.0], [28.0, -2.0, 6.0, 6.0]])
    rows, columns = (np.arange(5) + 0.5) / 5, (np.arange(7) + 0.5) / 7
    for box, crop in zip(boxes, crops(frame, boxes, (5, 7)), strict=True):
        x, y = box[0] + box[2] * columns - 0.5, box[1] + box[3] * rows - 0.5
        grid = np.meshgrid(y, x, indexing="ij")
        wanted = map_coordinates(frame, grid, order=1, mode="nearest").ravel()
        wanted -= wanted.mean()
        assert_allclose(crop, wanted / np.linalg.norm(wanted), atol=1e-12)


def test_turned_crops_are_those_of_map_coordinates():
    frame = np.random.default_rng(0).normal(size=(20, 30))
    boxes = np.array([[3.2, 4.1, 10.0, 8.0], [12.0, 6.0, 9.0, 12.0]])
    angles = np.array([0.3, -1.2])
    v, u = np.meshgrid(
        (np.arange(5) + 0.5) / 5 - 0.5, (np.arange(7) + 0.5) / 7 - 0.5, indexing="ij"
    )
    for box, a, crop in zip(boxes, angles, crops(frame, boxes, (5, 7), angles), strict=True):
        turn = np.array([[np.cos(a), -np.sin(a)], [np.sin(a), np.cos(a)]])
        x, y = turn @ [u.ravel() * box[2], v.ravel() * box[3]] + (box[:2] + box[2:] / 2)[:, None]
        wanted = map_coordinates(frame, [y - 0.5, x - 0.5], order=1, mode="nearest")
        wanted -= wanted.mean()
        assert_allclose(crop, wanted / np.linalg.norm(wanted), atol=1e-12)
    assert_allclose(crops(frame, boxes, (5, 7), np.zeros(2)), crops(frame, boxes, (5, 7)))


def test_a_box_on_pixel_borders_is_the_pixels():
    frame = np.arange(48.0).reshape(6, 8)
    crop = crops(frame, np.array([[2.0, 1.0, 3.0, 4.0]]), (4, 3))[0]
    wanted = frame[1:5, 2:5].ravel() - frame[1:5, 2:5].mean()
    assert_allclose(crop, wanted / np.linalg.norm(wanted))


def test_a_crop_of_one_grey_level_is_zero():
    flat, box = np.full((9, 9), 7.3), np.array([[1.0, 1.0, 5.0, 5.0]])
    assert not crops(flat, box, (4, 4)).any()
    assert np.abs(levelled(flat, box[0])).max() < 1e-6  # rounding is not raised to a picture
    assert not levelled(np.zeros((9, 9)), box[0]).any()


def test_levels_are_told_against_their_surroundings():
    frame, box = np.random.default_rng(0).normal(size=(30, 40)), np.array([3.0, 4.0, 12.0, 8.0])

    def around(values):  # 6 rows and 9 columns: 0.75 of the box
        padded = np.pad(values, ((3, 2), (4, 4)), mode="edge")
        means = [padded[i : i + 6, j : j + 9].mean() for i, j in np.ndindex(values.shape)]
        return np.reshape(means, values.shape)

    level = frame - around(frame)
    contrast = np.sqrt(around(level**2))
    assert_allclose(levelled(frame, box), level / (contrast + 0.25 * contrast.mean()), atol=1e-7)


def test_light_from_the_side_hardly_counts():
    frames, boxes = video()
    beside = np.linspace(0.0, 150.0, frames[0].shape[1])
    lit = [frame + t / len(frames) * beside for t, frame in enumerate(frames)]
    assert overlap(followed(lit, boxes[0])[0], boxes[1:]).min() > 0.8


def test_the_inner_part_has_the_same_centre():
    box = np.array([[2.0, 3.0, 20.0, 40.0]])
    assert_allclose(inner(box), [[3.5, 6.0, 17.0, 34.0]])


def test_overlap():
    a = [0, 0, 4, 2]
    assert_allclose(overlap(a, a), [1.0])
    assert_allclose(overlap(a, [2, 0, 4, 2]), [4 / 12])
    assert_allclose(overlap([a, a], [[4, 0, 4, 2], [1, 0.5, 2, 1]]), [0.0, 2 / 8])


# -- refusals -------------------------------------------------------------------------------------


def test_what_is_no_frame_or_box_is_refused():
    frames, boxes = video(2)
    tracker = SubspaceTracker()
    with pytest.raises(ValueError, match=r"call start\(frame, box\) first"):
        tracker.update(frames[0])
    with pytest.raises(
        ValueError, match=r"must be grey, of shape \(rows, columns\), got \(60, 80, 3"
    ):
        tracker.start(np.zeros((60, 80, 3)), boxes[0])
    with pytest.raises(ValueError, match="not finite"):
        tracker.start(np.full((9, 9), np.nan), (1, 1, 3, 3))
    for box in ((1, 1, 0, 3), (1, 1, 3), (1, np.nan, 3, 3)):
        with pytest.raises(ValueError, match="a box is"):
            tracker.start(frames[0], box)
    with pytest.raises(ValueError, match="outside the frame"):
        tracker.start(frames[0], (100, 10, 5, 5))
    tracker.start(frames[0], boxes[0])
    with pytest.raises(ValueError, match=r"\(10, 10\) after frames of \(60, 80\)"):
        tracker.update(np.zeros((10, 10)))
    assert tracker.box_ == tuple(boxes[0])
    assert tracker.model_.n_samples_seen_ == 1


@pytest.mark.parametrize(
    "bad",
    [
        {"pull": -1.0},
        {"n_candidates": 0},
        {"every": 0},
        {"size": (1, 5)},
        {"spread": (0.1, -1.0)},
        {"spread": (0.1,)},
    ],
)
def test_bad_settings_are_refused(bad):
    with pytest.raises(ValueError, match=next(iter(bad))):
        SubspaceTracker(**bad)
