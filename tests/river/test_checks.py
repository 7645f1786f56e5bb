"""River's own checks, all of them: each passes, or is for another kind of model."""

import re
from pathlib import Path

import pytest
from benchmarks.river.checked import FACES, all_checks, reason, yielded

ROWS = 60  # of the stand-in that detectors are checked with
FOUND = {name: yielded(make(), ROWS) for name, make in FACES.items()}
PAGE = Path(__file__).resolve().parents[2] / "docs" / "river.md"


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("face", "name"), [(face, name) for face, found in FOUND.items() for name in found]
)
def test_check_of_river(face, name):
    FOUND[face][name](FACES[face]())


@pytest.mark.parametrize("face", FACES)
def test_nothing_is_skipped(face):
    """What River does not ask of a model is for others, and it is said for whom."""
    assert not FACES[face]()._unit_test_skips()
    assert set(FOUND[face]) <= set(all_checks())
    assert all(reason(name).startswith("for ") for name in set(all_checks()) - set(FOUND[face]))


def test_the_page_lists_every_check():
    rows = re.findall(r"^\| (\w+\.check_\w+) \| (.+) \| (.+) \|$", PAGE.read_text(), re.MULTILINE)
    listed = {name: dict(zip(FACES, cells, strict=True)) for name, *cells in rows}
    assert set(listed) == set(all_checks())
    for name, cells in listed.items():
        for face, cell in cells.items():
            expected = "pass" if name in FOUND[face] else f"— {reason(name)}"
            assert cell == expected, (name, face)
