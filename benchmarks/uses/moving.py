"""Videos made up of pictures, in which the box of an object and its size are known in every frame.

An object whose looks change (a cat that turns to and fro, a face that moves, a face on a turning
cylinder) goes over a picture that moves too, comes nearer, tilts, and is lit from one side, then
from the other. Its corners show what is behind it.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from benchmarks import data
from benchmarks.living.common import Array
from scipy.ndimage import map_coordinates

FRAMES, SHAPE = 200, (120, 160)
Looks = Callable[[float], Array]  # at a time from 0 to 1, grey levels


def cat() -> Looks:
    views = data.arrays("fortune_cat_72x1024.npz")["X"].reshape(-1, 32, 32).astype(np.float64)
    # 60 degrees to either side, and back: views are 5 degrees apart.
    return lambda t: views[round(12 * np.sin(4 * np.pi * t)) % len(views)]


def frey() -> Looks:
    video = data.arrays("frey_1965x560.npz")["X"].reshape(-1, 28, 20).astype(np.float64)
    return lambda t: video[round(t * (FRAMES - 1))]


def cylinder(subject: int = 0) -> Looks:
    """A face (Yale, lit from the front) on a cylinder that turns by half a radian."""
    stored = data.arrays("yaleB_ext_2414x1024.npz")
    faces = stored["X"][stored["y"] == np.unique(stored["y"])[subject]].astype(np.float64)
    face = faces[faces.mean(axis=1).argmax()].reshape(32, 32)
    across = np.arcsin(np.linspace(-0.85, 0.85, 32))

    def turned(t: float) -> Array:
        column = 15.5 + 15.5 * (across + 0.5 * np.sin(6 * np.pi * t)) / 1.1
        rows, columns = np.meshgrid(np.arange(32.0), column, indexing="ij")
        return np.asarray(map_coordinates(face, [rows, columns], order=1, mode="nearest"))

    return turned


OBJECTS = {"cat": cat, "Frey": frey, "cylinder": cylinder}


def video(name: str, seed: int, n: int = FRAMES) -> tuple[Array, Array]:
    """Frames (n, rows, columns) and boxes (n, 4), as a tracker has them: turned about their
    centre."""
    looks, rng = OBJECTS[name](), np.random.default_rng(seed)
    pictures = sorted(data.arrays("images_gray.npz").items())
    behind = np.asarray(pictures[rng.integers(len(pictures))][1], dtype=np.float64)
    phase, slow = rng.uniform(0, 2 * np.pi, 6), rng.uniform(0.8, 1.6, 6)
    frames, boxes = [], []
    for t in np.linspace(0.0, 1.0, FRAMES)[:n]:
        wave = np.sin(2 * np.pi * slow * t + phase)
        centre = np.array(SHAPE[::-1]) / 2 + [45, 28] * wave[:2]
        height = 44 * np.exp(0.25 * (wave[2] - np.sin(phase[2])))
        object_ = looks(t)
        sides = np.array([height * object_.shape[1] / object_.shape[0], height])
        angle = 0.15 * (wave[3] - np.sin(phase[3]))
        seen = _over(_background(behind, wave[4:]), object_, centre, sides, angle)
        light = 1 + 0.35 * wave[5] * np.linspace(-1, 1, SHAPE[1])
        frames.append(np.clip(seen * light + rng.normal(0, 2, SHAPE), 0, 255))
        boxes.append([*(centre - sides / 2), *sides])
    return np.array(frames), np.array(boxes)


def _background(picture: Array, shift: Array) -> Array:
    room = np.array(picture.shape[:2]) - SHAPE
    top, left = np.round((0.5 + 0.1 * shift) * room).astype(int)
    return picture[top : top + SHAPE[0], left : left + SHAPE[1]].copy()


def _over(frame: Array, image: Array, centre: Array, sides: Array, angle: float) -> Array:
    """The frame with the image in the ellipse of a box."""
    y, x = np.indices(SHAPE) + 0.5
    across, down = x - centre[0], y - centre[1]
    u = (np.cos(angle) * across + np.sin(angle) * down) / sides[0]
    v = (np.cos(angle) * down - np.sin(angle) * across) / sides[1]
    inside = u**2 + v**2 < 0.25
    rows, columns = image.shape
    at = [(v[inside] + 0.5) * rows - 0.5, (u[inside] + 0.5) * columns - 0.5]
    frame[inside] = map_coordinates(image, at, order=1, mode="nearest")
    return frame
