"""Following an object through a video by its appearance (Chin & Suter V-C3).

The object's looks are an online kernel PCA of its crops. In each frame, candidate boxes are drawn
from a Gaussian about the last box, in position, scale and angle; their crops, resampled to one
size, are compared with the model, and the nearest wins. This happens in three rounds, the later
ones about the winner so far and more narrow: what is learned is then well placed, and the model
drifts less.

    argmin_c ‖(φ(x_c) − μ) − P (φ(x_c) − μ)‖² + pull (log² s_c + θ_c²) + moving ‖Δ_c / spread‖²

where s and θ are scale and angle since the start: a smaller box shows a smoother crop, which any
subspace holds better, and boxes would shrink. Δ is the step from the last box: of places that look
alike the nearer one is right. For the same reason frames are smoothed first, by as much as a crop
has fewer pixels than its box: what is finer would add noise, and the more the larger the box.
Its crop then teaches the model, which forgets old looks. Three things keep out of them what is not
the object. Frames are levelled: grey is told against its surroundings, so that neither light from
one side nor a bright wall beside the object counts. A crop is the inner part of its box, since a
box's border shows what is behind. It enters with its own mean taken off and with unit norm.
"""

from __future__ import annotations

import copy
from numbers import Integral, Real
from typing import Any, Self

import numpy as np
from scipy.ndimage import gaussian_filter, uniform_filter
from sklearn.base import clone
from sklearn.utils import check_random_state, check_scalar

from okpca._core.cited import Cited
from okpca._core.numerics import TIE, TINY
from okpca._core.typing import Array, Index
from okpca._core.validation import draws_taken_back_on_error, taken_back_on_error
from okpca.estimator import OnlineKernelPCA
from okpca.subspace.space import Subspace

NARROWER = (1.0, 0.25, 0.25)
"""The rounds of candidates in a frame, and how much of the spread each has."""
SMOOTHING = 0.4
"""Standard deviation of the smoothing, in pixels of the crop."""
INNER = 0.85
"""The share of a box's sides that its crop shows."""
AROUND, FAINT = 0.75, 0.25
"""The surroundings that grey is told against, in sides of the box. Contrast below such a share of
the frame's is not raised to that of the rest: it is noise."""
MOVING = 0.001
"""What a step of one standard deviation of the candidates costs."""


class SubspaceTracker(Cited):
    """Follow a box through grey frames: `start(frame, box)`, then `update(frame) -> box`.

    Boxes are (x, y, width, height) in pixels, x to the right and y downwards, fractions allowed; a
    box that has turned is meant as turned about its centre by `angle_`.

    Parameters
    ----------
    model : OnlineKernelPCA or None, default=None
        How looks are learned (a copy is taken). None: 10 components of an RBF kernel of width 1 on
        crops of unit norm, forgetting 0.95, 60 atoms.
    size : (int, int), default=(16, 16)
        Rows and columns every crop is resampled to.
    n_candidates : int, default=200
        Boxes looked at in each frame, a third in each round, the last box among them.
    spread : (float, float, float), default=(0.06, 0.01, 0.01)
        Standard deviation of the candidates: position as a share of the box, log of the scale,
        angle in radians. Without the third the box does not turn.
    pull : float, default=0.4
        How strongly scale and angle are held near those of the start.
    every : int, default=1
        Learn from the winning crops of so many frames at a time. Chin & Suter: 5.
    random_state : int, RandomState instance or None, default=0
        Of the candidates.

    Attributes
    ----------
    box_ : the last box.
    angle_ : how far it has turned since the start, in radians, from the x axis to the y axis.
    model_ : the model of the looks, an OnlineKernelPCA.
    distance_ : squared distance of the last winner to the model.
    """

    references = ("chin2007",)

    def __init__(
        self,
        model: OnlineKernelPCA | None = None,
        *,
        size: tuple[int, int] = (16, 16),
        n_candidates: int = 200,
        spread: tuple[float, ...] = (0.06, 0.01, 0.01),
        pull: float = 0.4,
        every: int = 1,
        random_state: Any = 0,
    ) -> None:
        self.model = model
        self.size = size
        self.n_candidates = check_scalar(n_candidates, "n_candidates", Integral, min_val=1)
        self.spread = spread
        self.pull = check_scalar(pull, "pull", Real, min_val=0)
        self.every = check_scalar(every, "every", Integral, min_val=1)
        self.random_state = random_state
        for side in size:
            check_scalar(side, "size", Integral, min_val=2)
        if len(spread) not in (2, 3):
            raise ValueError(f"spread is (position, scale, angle), got {spread!r}.")
        for deviation in spread:
            check_scalar(deviation, "spread", Real, min_val=0)

    box_: tuple[float, float, float, float]
    angle_: float
    model_: OnlineKernelPCA
    distance_: float
    _width: float  # of the box at the start
    _shape: tuple[int, ...]
    _waiting: list[Array]  # looks not yet learned
    _rng: np.random.RandomState

    def start(self, frame: Any, box: Any) -> Self:
        """Forget everything; this is the object."""
        frame = _checked_frame(frame)
        x, y, width, height = _checked_box(box, frame)
        model = clone(_default() if self.model is None else self.model)
        with taken_back_on_error(self):
            self._rng = check_random_state(self.random_state)
            box = np.array([x, y, width, height])
            look = crops(prepared(frame, box, self.size), inner(box[None]), self.size)
            self.model_ = model.partial_fit(look)
            self._shape, self._width, self._waiting = frame.shape, width, []
            self.box_, self.angle_, self.distance_ = (x, y, width, height), 0.0, 0.0
        return self

    def update(self, frame: Any) -> tuple[float, float, float, float]:
        """Where it is in the next frame; the model learns its looks.

        A call that is refused or interrupted leaves the tracker as it was, its random state too.
        """
        if not hasattr(self, "box_"):
            raise ValueError("this tracker follows nothing yet: call start(frame, box) first.")
        frame = _checked_frame(frame)
        if frame.shape != self._shape:
            raise ValueError(
                f"a frame of shape {frame.shape} after frames of {self._shape}: all frames of a "
                "video must have the same shape."
            )
        with taken_back_on_error(self), draws_taken_back_on_error(self._rng):
            space = Subspace.of(self.model_).orthonormal()
            box, angle = np.array(self.box_), self.angle_
            frame = prepared(frame, box, self.size)
            for narrow in NARROWER:
                boxes, angles = self._candidates(box, angle, narrow)
                looks = crops(frame, inner(boxes), self.size, angles)
                distance = space.residuals(looks)
                best = int(np.argmin(distance + self._strain(boxes, angles)))
                box, angle = boxes[best], float(angles[best])
            self._learn(looks[[best]])
            self.box_, self.angle_ = tuple(box.tolist()), angle
            self.distance_ = float(distance[best])
        return self.box_

    def _candidates(self, box: Array, angle: float, narrow: float) -> tuple[Array, Array]:
        """Boxes about this one, which comes first, with centres in the frame; and their angles."""
        x, y, width, height = box
        draw = narrow * self._rng.normal(size=(max(self.n_candidates // len(NARROWER), 1), 4))
        draw[0] = 0.0
        position, scale, turn = (*self.spread, 0.0)[:3]
        size = np.exp(scale * draw[:, 2:3]) * [width, height]
        size = np.clip(size, 4.0, [2.0 * side for side in self._shape[::-1]])
        centre = [x + width / 2, y + height / 2] + position * draw[:, :2] * [width, height]
        centre = np.clip(centre, 0.0, [side - 1.0 for side in self._shape[::-1]])
        return np.hstack([centre - size / 2, size]), angle + turn * draw[:, 3]

    def _strain(self, boxes: Array, angles: Array) -> Array:
        """What a candidate costs besides its looks, against the start and the last box."""
        scale, last = np.log(boxes[:, 2] / self._width), np.array(self.box_)
        across, down = ((boxes - last)[:, :2] + (boxes - last)[:, 2:] / 2).T / last[2:, None]
        spread = np.array([self.spread[0], *self.spread, 0.0][:4])
        step = np.stack([across, down, np.log(boxes[:, 2] / last[2]), angles - self.angle_])
        step = step[spread > 0] / spread[spread > 0, None]
        return np.asarray(self.pull * (scale**2 + angles**2) + MOVING * np.square(step).sum(axis=0))

    def _learn(self, look: Array) -> None:
        self._waiting = [*self._waiting, look]
        if len(self._waiting) == self.every:
            # A copy: what goes wrong later in this frame must not have taught the model.
            self.model_ = copy.copy(self.model_).partial_fit(np.vstack(self._waiting))
            self._waiting = []


def _default() -> OnlineKernelPCA:
    return OnlineKernelPCA(10, kernel="rbf", gamma=0.5, forgetting=0.95, max_atoms=60, nu=1e-3)


def smoothed(frame: Array, box: Array, size: tuple[int, int]) -> Array:
    """Without what a crop of this box could not show."""
    width = [SMOOTHING * side / pixels for side, pixels in zip(box[:1:-1], size, strict=True)]
    return np.asarray(gaussian_filter(frame, width, mode="nearest"))


def levelled(frame: Array, box: Array) -> Array:
    """Every grey level against the mean of its surroundings, in their standard deviations."""
    around = [max(round(AROUND * side), 1) for side in box[:1:-1]]
    level = frame - uniform_filter(frame, around, mode="nearest")
    contrast = np.sqrt(np.maximum(uniform_filter(level**2, around, mode="nearest"), 0.0))
    rounding = TIE * float(np.abs(frame).max()) or 1.0
    return np.asarray(level / (contrast + FAINT * contrast.mean() + rounding))


def prepared(frame: Array, box: Array, size: tuple[int, int]) -> Array:
    """A frame as candidates near this box are cut from it."""
    return levelled(smoothed(frame, box, size), box)


def inner(boxes: Array) -> Array:
    """The inner part of each box."""
    border = (1 - INNER) / 2 * boxes[:, 2:]
    return np.hstack([boxes[:, :2] + border, INNER * boxes[:, 2:]])


def crops(frame: Array, boxes: Array, size: tuple[int, int], angles: Array | None = None) -> Array:
    """What is inside each box (n, 4), resampled to one size, mean 0 and norm 1: (n, rows·columns).

    `angles`: by how much each box is turned about its centre, in radians, from the x axis to the y
    axis. Beyond the border the frame goes on as its edge. A crop of one grey level is zero.
    """
    rows, columns = ((np.arange(side) + 0.5) / side - 0.5 for side in size)
    x, y, width, height = (side[:, None, None] for side in boxes.T)
    across, down = width * columns[None, None, :], height * rows[None, :, None]
    if angles is not None:
        c, s = np.cos(angles)[:, None, None], np.sin(angles)[:, None, None]
        across, down = c * across - s * down, s * across + c * down
    at_x, at_y = x + width / 2 + across - 0.5, y + height / 2 + down - 0.5
    values = _bilinear(frame, at_y, at_x).reshape(len(boxes), -1)
    values -= values.mean(axis=1, keepdims=True)
    norm = np.linalg.norm(values, axis=1, keepdims=True)
    flat = norm <= TIE * max(float(np.abs(frame).max()), TINY) * np.sqrt(values.shape[1])
    return np.asarray(np.where(flat, 0.0, values / np.where(flat, 1.0, norm)))


def _bilinear(frame: Array, y: Array, x: Array) -> Array:
    """The frame at (y, x), which are broadcast: a box that is not turned needs its rows and its
    columns only. (A third of the time that `scipy.ndimage.map_coordinates` takes.)"""
    (top, below, v), (left, right, u) = (
        _neighbours(at, side) for at, side in zip((y, x), frame.shape, strict=True)
    )
    upper = (1 - u) * frame[top, left] + u * frame[top, right]
    lower = (1 - u) * frame[below, left] + u * frame[below, right]
    return np.asarray((1 - v) * upper + v * lower)


def _neighbours(at: Array, side: int) -> tuple[Index, Index, Array]:
    at = np.clip(at, 0.0, side - 1.0)
    low = at.astype(np.intp)
    return low, np.minimum(low + 1, side - 1), at - low


def overlap(a: Any, b: Any) -> Array:
    """Intersection over union of boxes (x, y, width, height), pair by pair."""
    a, b = np.atleast_2d(np.asarray(a, float)), np.atleast_2d(np.asarray(b, float))
    low = np.maximum(a[:, :2], b[:, :2])
    high = np.minimum(a[:, :2] + a[:, 2:], b[:, :2] + b[:, 2:])
    both = np.maximum(high - low, 0.0).prod(axis=1)
    return np.asarray(both / (a[:, 2:].prod(axis=1) + b[:, 2:].prod(axis=1) - both))


def _checked_frame(frame: Any) -> Array:
    grey = np.asarray(frame, dtype=np.float64)
    if grey.ndim != 2:
        raise ValueError(
            f"a frame must be grey, of shape (rows, columns), got {grey.shape}: average the "
            "colours of a colour frame first."
        )
    if not np.isfinite(grey).all():
        raise ValueError("the frame has values that are not finite.")
    return grey


def _checked_box(box: Any, frame: Array) -> tuple[float, float, float, float]:
    values = np.asarray(box, dtype=np.float64)
    if values.shape != (4,) or not np.isfinite(values).all() or (values[2:] <= 0).any():
        raise ValueError(f"a box is (x, y, width > 0, height > 0), got {box!r}.")
    x, y, width, height = values.tolist()
    rows, columns = frame.shape
    if not (0 <= x + width / 2 < columns and 0 <= y + height / 2 < rows):
        raise ValueError(f"the centre of the box {box!r} lies outside the frame {frame.shape}.")
    return x, y, width, height
