"""What new users stumbled over."""

import json
from pathlib import Path

import numpy as np
import pytest

from okpca.cli import command_history
from okpca.cli.options import of_estimators

LINE = "--n-components 3 --gamma 0.5 --max-atoms 60 -q"


@pytest.mark.parametrize("on_bad_row", ["raise", "skip", "impute"])
def test_a_column_of_words(okpca, folder, rows, on_bad_row):
    lines = [f"{a},{'on' if b > 0 else 'off'},{c}" for a, b, c in rows[:300]]
    (folder / "w.csv").write_text("\n".join(["a,state,c", *lines]) + "\n")
    done = okpca(f"fit w.csv -o w.okpca --on-bad-row {on_bad_row}")
    assert (done.code, done.out) == (3, "")
    assert "w.csv, line 2: column 'state' is" in done.err
    assert "carried along by --id state." in done.err
    assert not Path("w.okpca").exists()
    assert okpca(f"fit w.csv -o w.okpca --id state {LINE}").code == 0


def test_filling_in_is_offered_where_it_is_done(okpca, folder, model):
    (folder / "gap.csv").write_text("a,b,c\n1,2,3\n1,,3\n")
    for line in (f"score {model} gap.csv", "suggest gap.csv"):
        done = okpca(line)
        assert done.code == 3
        assert "--on-bad-row skip." in done.err
    done = okpca("fit gap.csv -o g.okpca")
    assert done.err.endswith("filled in by the model: --on-bad-row impute.\n")
    assert okpca("fit gap.csv -o g.okpca -q --on-bad-row impute").code == 0


def test_decimal_commas(okpca, folder, rows):
    text = "\n".join(";".join(f"{v:.6f}" for v in row) for row in rows).replace(".", ",")
    (folder / "de.csv").write_text(f"a;b;c\n{text}\n")
    done = okpca("fit de.csv -o d.okpca")
    assert done.code == 3
    assert done.err.endswith("say --decimal ,.\n")
    np.savetxt("p.csv", np.round(rows, 6), delimiter=",", header="a,b,c", comments="", fmt="%.6f")
    assert okpca(f"fit de.csv --decimal , {LINE} -o d.okpca").code == 0
    assert okpca(f"fit p.csv {LINE} -o p.okpca").code == 0
    found = okpca("transform d.okpca de.csv --decimal ,").out
    assert found == okpca("transform p.okpca p.csv").out
    assert okpca("fit de.csv --decimal ; -o d.okpca").code == 2


def test_a_file_without_a_header(okpca, folder):
    (folder / "n.csv").write_text("1,2\n3,4\n5,7\n")
    done = okpca("fit n.csv -o n.okpca")
    assert done.code == 0
    assert "n.csv: the first line is taken for names, and is all numbers" in done.err
    assert "say --no-header" in done.err
    assert "warning" not in okpca("fit n.csv --no-header -o n.okpca").err


def test_commands_can_be_typed_again(okpca, model):
    assert okpca(f"update {model} x.csv -q").code == 0
    assert okpca(f"compress {model} --atoms 20 -o small.okpca -q").code == 0
    lines = json.loads(okpca("inspect small.okpca --json").out)["commands"]
    assert lines == [
        "okpca fit x.csv --n-components 3 --gamma 0.5 --max-atoms 60 -o m.okpca",
        "okpca update m.okpca x.csv",
        "okpca compress m.okpca --atoms 20 -o small.okpca",
    ]
    assert f"  made by      {lines[-1]}\n" in okpca("inspect small.okpca").out


def test_commands_of_monitors_and_others():
    lines = ["okpca fit 'my x.csv' --detector", "okpca monitor - --start 'd 1.okpca'"]
    assert command_history.to_type_again(lines, "e.okpca") == [
        "okpca fit 'my x.csv' --detector -o 'd 1.okpca'",
        "okpca monitor - --start 'd 1.okpca' --save e.okpca",
    ]
    assert command_history.to_type_again(["what's", "okpca update 'm"], "e.okpca") == [
        "what's",
        "okpca update 'm -o e.okpca",
    ]
    moved = command_history.to_type_again(["okpca update m.okpca x.csv"], "n.okpca")
    assert moved == ["okpca update m.okpca x.csv -o n.okpca"]


def test_help_is_whole_and_true():
    told = {one.name: one.annotation.__metadata__[0].help for one in of_estimators()}
    assert all(text.count("(") == text.count(")") for text in told.values())
    assert told["gamma"].endswith("(none; with --detector median)")
    alone = {one.name: one for one in of_estimators("KernelNoveltyDetector")}
    assert alone["gamma"].annotation.__metadata__[0].help.endswith("(median)")


@pytest.mark.thorough
def test_what_is_suggested_for_novelty_is_for_detectors(okpca, folder):
    text = okpca("suggest x.csv --goal novelty").out
    assert text.startswith("# For okpca fit --detector --config ")
    (folder / "p.toml").write_text(text)
    assert okpca("fit x.csv --detector --config p.toml -o n.okpca -q").code == 0
    done = okpca("fit x.csv --config p.toml -o n.okpca")
    assert done.code == 2
    assert "p.toml: n_components = auto is a detector's: say --detector." in done.err
    assert "say --detector." in okpca("fit x.csv --n-components auto -o n.okpca").err


@pytest.mark.thorough
def test_alarms_are_true_or_false(okpca, detector):
    assert {json.loads(line)["alarm"] for line in okpca(
        f"score {detector} x.csv --json").out.splitlines()} <= {True, False}  # fmt: skip
    assert '"alarm": false' in okpca(f"score {detector} x.csv --json").out
    assert okpca(f"score {detector} x.csv").out.splitlines()[1].endswith(",0")


@pytest.mark.thorough
def test_a_report_tells_of_rows_left_out(okpca, folder, detector):
    text = (folder / "x.csv").read_text().splitlines()
    text[5] = "1,word,2"
    (folder / "x.csv").write_text("\n".join(text) + "\n")
    done = okpca(f"report {detector} x.csv --on-bad-row skip -o r.html --json -q")
    assert json.loads(done.out)["left_out"] == 1
    assert "one row of the source was left out as bad, the first: x.csv, line 6" in (
        folder / "r.html").read_text()  # fmt: skip


@pytest.mark.thorough
def test_rows_of_a_table_are_drawn_by_columns(okpca, model):
    assert okpca(f"plot reconstruction {model} x.csv -o p.svg -q").code == 0
    assert "% kept" in Path("p.svg").read_text() or Path("p.svg").stat().st_size > 10_000
