"""What a run finds when it is begun again: files that came, grew or changed, and other models."""

import io
import json
import os
import sys

import numpy as np
import pytest

import okpca as library
from okpca.io import header

FIT = "fit d --gamma 0.5 -o m.okpca --checkpoint c --every 1rows --resume --columns a:c"
UPDATE = "update m.okpca d --checkpoint c --resume"


def write(name, rows, more=""):
    os.makedirs("d", exist_ok=True)
    text = "".join(f"{a},{b},{c}\n" for a, b, c in rows)
    with open(f"d/{name}", "w") as file:
        file.write("a,b,c\n" + text + more)


def seen(path="m.okpca"):
    return library.load(path).n_samples_seen_


def test_a_file_that_arrives_before_the_place(okpca, rows):
    write("b.csv", rows[:10])
    write("c.csv", rows[10:16], "oops,1,1\n")
    assert okpca(FIT).code == 3
    assert header("c")["rows"] == 10
    write("c.csv", rows[10:16])  # mended
    write("a.csv", rows[16:20])  # and an older day is late
    assert okpca(FIT).code == 0
    assert seen() == 20


@pytest.mark.thorough
def test_what_is_new_is_learned_and_nothing_twice(okpca, rows):
    write("b.csv", rows[:10])
    assert okpca("fit d --gamma 0.5 -o m.okpca").code == 0
    assert okpca("update m.okpca d --checkpoint c").code == 0
    assert seen() == 20
    write("a.csv", rows[10:14])
    assert okpca(UPDATE).code == 0
    assert seen() == 24
    with open("d/b.csv", "a") as file:
        file.write("0.5,0.5,0.1\n0.4,0.5,0.2\n")
    assert okpca(UPDATE).code == 0
    assert seen() == 26
    assert okpca(UPDATE).code == 0
    assert seen() == 26
    write("b.csv", rows[20:25])  # others by the same name
    assert okpca(UPDATE).code == 0
    assert seen() == 31


@pytest.mark.thorough
def test_a_fit_is_of_all_rows_there_are(okpca, rows):
    write("b.csv", rows[:10])
    assert okpca(FIT).code == 0
    write("a.csv", rows[10:14])
    assert okpca(FIT).code == 0
    assert seen() == 14
    both = np.concatenate([rows[10:14], rows[:10]])
    whole = library.OnlineKernelPCA(2, gamma=0.5).fit(both)
    found = library.load("m.okpca").eigenvalues_
    np.testing.assert_allclose(found, whole.eigenvalues_, rtol=1e-9)


def test_begun_again_it_leaves_all_as_it_is(okpca, folder, rows):
    write("b.csv", rows[:10])
    assert okpca(FIT).code == 0
    assert okpca(UPDATE.replace(" c ", " e ")).code == 0
    before = {name: (folder / name).read_bytes() for name in ("m.okpca", "m.okpca~", "e")}
    assert okpca(UPDATE.replace(" c ", " e ")).code == 0
    assert before == {name: (folder / name).read_bytes() for name in before}


@pytest.mark.thorough
@pytest.mark.parametrize("named", [True, False])
def test_a_model_that_has_learned_elsewhere_is_not_taken_back(okpca, folder, rows, frame, named):
    model = library.OnlineKernelPCA(2, gamma=0.5).fit((frame if named else rows)[:20])
    model.save("m.okpca")
    write("u.csv", rows[:30])
    assert okpca(UPDATE).code == 0
    assert okpca(UPDATE).code == 0
    assert seen() == 50
    assert okpca("update m.okpca x.csv").code == 0
    before = (folder / "m.okpca").read_bytes()
    done = okpca(UPDATE)
    assert done.code == 2
    assert "would undo what it has learned elsewhere" in done.err
    assert (folder / "m.okpca").read_bytes() == before


def test_an_update_that_was_stopped_half_way_and_a_model_that_went_on(okpca, rows):
    write("a.csv", rows[:10])
    write("b.csv", rows[10:20], "oops,1,1\n")
    library.OnlineKernelPCA(2, gamma=0.5).fit(rows[:20]).save("m.okpca")
    line = f"{UPDATE} --every 1rows"
    assert okpca(line).code == 3
    assert okpca("update m.okpca x.csv").code == 0
    write("b.csv", rows[10:20])
    assert "would undo" in okpca(line).err
    assert seen() == 20 + len(rows)


@pytest.mark.thorough
def test_a_detector_that_was_replaced_is_not_taken_for_the_one_it_began_with(okpca, detector, rows):
    write("y.csv", rows[:50])
    line = f"monitor d --start {detector} --save {detector} -o alarms --checkpoint c --resume"
    assert okpca(line).code == 0
    write("z.csv", rows[50:60])
    assert okpca(line).code == 0  # goes on from what it saved itself
    assert seen(detector) == len(rows) + 60
    assert okpca(f"update {detector} x.csv").code == 0
    assert "would undo" in okpca(line).err


@pytest.mark.thorough
def test_a_pipe_is_new_each_time(okpca, rows, monkeypatch, tmp_path):
    write("a.csv", rows[:10])
    assert okpca("fit d --gamma 0.5 -o m.okpca").code == 0
    for n in (1, 2):
        raw = io.BytesIO((tmp_path / "d" / "a.csv").read_bytes())
        monkeypatch.setattr("okpca.cli.signals.os.name", "other")
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BufferedReader(raw)))
        assert okpca("update m.okpca - --checkpoint c --resume").code == 0
        assert seen() == 10 + 10 * n


def test_a_place_names_its_file(okpca, rows):
    write("a.csv", rows[:10])
    assert okpca(FIT).code == 0
    place = header("c")["position"]
    assert place["finished"]
    assert place["at"]["rows"] == 10
    assert json.dumps(place)
