"""`make demo`: a table on stdout, a picture in a file, errors in one line."""

import re
import subprocess
import sys

import pytest

from okpca.plots import demo

pytestmark = pytest.mark.long


@pytest.mark.slow
def test_demo(tmp_path):
    picture = tmp_path / "digits.png"
    command = [sys.executable, "-W", "error", "-m", "okpca.plots.demo", "--output", str(picture)]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    assert run.stderr == ""  # no progress bar off a terminal
    for label in ("rows/s", "atoms", "explained variance", "batch KernelPCA", str(picture)):
        assert label in run.stdout
    cosine = re.search(r"mean \|cos\|.*?([01]\.\d+)", run.stdout)
    assert cosine
    assert float(cosine[1]) > 0.99
    assert picture.read_bytes().startswith(b"\x89PNG\r\n")
    assert picture.stat().st_size > 10_000


def test_folder_that_is_not_there(tmp_path, capsys):
    assert demo.main(["--output", str(tmp_path / "none" / "digits.png")]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert "is not a folder" in err
    assert err.count("\n") == 1


@pytest.mark.parametrize("missing", ["matplotlib", "tqdm"])
def test_package_that_is_not_there(monkeypatch, capsys, missing):
    monkeypatch.setitem(sys.modules, missing, None)
    assert demo.main([]) == 2
    assert f'{missing} is not installed: pip install "okpca[demo]"' in capsys.readouterr().err


def test_help(capsys):
    with pytest.raises(SystemExit, match="0"):
        demo.main(["--help"])
    assert "--output FILE" in capsys.readouterr().out
