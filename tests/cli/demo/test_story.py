"""What the demo says is so: a burst, a fault and a drift are found, and nothing before them."""

import re
import shlex

import numpy as np
import pytest

from okpca.cli.app import app
from okpca.cli.demo import batch, scanner, story
from okpca.cli.exits import run


def test_the_stream_is_the_digits_in_their_own_order():
    scan = scanner.scanned()
    assert scan.rows.shape == (5 * 1797, 16)
    touched = (scan.rows != scan.clean).any(axis=1)
    expected = np.zeros(len(touched), dtype=bool)
    expected[scanner.BURST] = expected[scanner.FAULT] = expected[scanner.DRIFT + 1 :] = True
    np.testing.assert_array_equal(touched, expected)
    cells = (scan.rows != scan.clean)[scanner.FAULT].all(axis=0)
    assert [scanner.CELLS[i] for i in np.flatnonzero(cells)] == [scanner.LEAK]
    passes = scan.clean.reshape(5, 1797, 16)
    assert np.abs(passes.mean(axis=0) - passes[0]).max() < 6 * scanner.NOISE
    assert scanner.dimness(len(scan.rows) - 1, len(scan.rows)) == scanner.DIM


@pytest.fixture(scope="module")
def told(tmp_path_factory):
    """The story, with less of the batch, and the commands it ran."""
    folder, said, ran = tmp_path_factory.mktemp("demo"), [], []

    def running(words):
        ran.append(words)
        return run(app, words)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(batch, "SIZES", (200, 400))
        patch.setattr(batch, "TIMES", 1)
        story.told(folder, running, said.append)
    return folder, "\n".join(said), ran


@pytest.mark.long
@pytest.mark.slow
def test_what_goes_wrong_is_found(told):
    folder, said, _ = told
    sideways = re.search(r"first alarm at digit (\d+); (\d+) of 25 are alarms", said)
    assert int(sideways[1]) <= 3
    assert int(sideways[2]) >= 20
    leak = re.search(r"of (\d+) alarms among 300 digits (\d+) name cell_c2 first", said)
    assert int(leak[1]) >= 60
    assert int(leak[2]) >= 0.8 * int(leak[1])
    assert re.search(r"drift announced at 1[12]:\d\d, when \d+ % of the light is gone", said)
    assert float(re.search(r"([\d.]+) % of rows are alarms", said)[1]) <= 1.0
    assert (folder / "report.html").stat().st_size < 1e6


@pytest.mark.long
@pytest.mark.slow
def test_the_commands_shown_are_those_that_ran(told):
    folder, said, ran = told
    shown = [shlex.split(line) for line in re.findall(r"\$ okpca (.*)", said)]
    assert [words[:-1] for words in ran] == [words for words in shown if "yours.csv" not in words]
    assert {words[0] for words in shown} == {"monitor", "report"}
    page = (folder / "report.html").read_text()
    assert "okpca monitor" in page


@pytest.mark.long
@pytest.mark.slow
def test_without_drift_none_is_announced():
    from okpca import KernelNoveltyDetector

    for seed in range(2):  # in one order of a hundred there is one by chance
        rows = np.random.default_rng(seed).permutation(scanner.scanned().clean)
        seen = KernelNoveltyDetector(random_state=0).monitor(rows)
        assert not seen.drift.any()
        assert seen.alarms.mean() < 0.012


@pytest.mark.thorough
def test_a_command_that_fails_ends_it(tmp_path):
    with pytest.raises(story.Failed, match="4"):
        story.told(tmp_path, lambda words: 4, lambda line: None)
