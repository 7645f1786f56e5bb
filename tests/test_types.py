"""What a type checker tells a user, who has the library and no stubs for it."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("mypy")
pytestmark = pytest.mark.long  # it reads numpy's types first

ROOT = Path(__file__).resolve().parent.parent

TYPED = """\
import numpy as np
import okpca
from okpca import KernelNoveltyDetector, OnlineKernelPCA, merge, presets, weights

X = np.zeros((3, 2))
model = OnlineKernelPCA(2, robust=weights.Logistic(scale="median"), gamma="median", scale="robust")
reveal_type(model.fit(X))  # OnlineKernelPCA
reveal_type(model.partial_fit(X))  # OnlineKernelPCA
reveal_type(model.transform(X))  # ndarray
reveal_type(model.fit_transform(X))  # ndarray
reveal_type(model.inverse_transform(X))  # ndarray
reveal_type(model.denoise(X))  # ndarray
reveal_type(model.reconstruction_error(X))  # ndarray
reveal_type(model.score_samples(X))  # ndarray
reveal_type(model.score(X))  # float
reveal_type(model.certificate())  # Certificate
reveal_type(model.dual_coef_)  # ndarray
reveal_type(model.eigenvalues_)  # ndarray
reveal_type(model.gamma_)  # float
reveal_type(model.n_components_)  # int
reveal_type(model.compress(2))  # OnlineKernelPCA
reveal_type(merge([model, model]))  # OnlineKernelPCA
reveal_type(presets.okha(2, gamma=1.0))  # OnlineKernelPCA
suggestion: okpca.guidance.Suggestion = okpca.suggest(X)
reveal_type(suggestion.params)  # Mapping
reveal_type(okpca.suggest(X).model().fit(X).transform(X))  # ndarray
reveal_type(okpca.suggest(X, "denoise").model())  # OnlineKernelPCA
reveal_type(okpca.suggest(X, goal="novelty").model().fit(X).predict(X))  # ndarray
detector = KernelNoveltyDetector(statistic="t2", limits="parametric", robust="auto")
reveal_type(detector.fit(X))  # KernelNoveltyDetector
reveal_type(detector.monitor(X))  # Monitored
reveal_type(detector.predict(X))  # ndarray
reveal_type(detector.score_samples(X))  # ndarray
"""

WRONG = """\
from okpca import KernelNoveltyDetector, OnlineKernelPCA, weights

OnlineKernelPCA(kernel="gauss")
OnlineKernelPCA(gamma="mean")
OnlineKernelPCA(scale="minmax")
OnlineKernelPCA(rule="sanger")
OnlineKernelPCA(dictionary="random")
OnlineKernelPCA(on_full="forget")
OnlineKernelPCA(robust="huber")
OnlineKernelPCA(geometry="euclidean")
OnlineKernelPCA(preimage="nearest")
KernelNoveltyDetector(statistic="q")
KernelNoveltyDetector(limits="normal")
weights.Logistic(scale="mean")
"""


@pytest.fixture(scope="module")
def said(tmp_path_factory):
    """By file: its words by line."""
    folder = tmp_path_factory.mktemp("typed")
    files = {"typed.py": TYPED, "wrong.py": WRONG}
    for name, code in files.items():
        (folder / name).write_text(code, encoding="utf-8")
    options = ["--strict", "--no-error-summary", "--hide-error-context"]
    options += ["--config-file", str(ROOT / "pyproject.toml"), "--cache-dir", str(folder / "cache")]
    options += ["--follow-imports", "silent"]
    run = [sys.executable, "-m", "mypy", *options, *(str(folder / name) for name in files)]
    told = subprocess.run(run, capture_output=True, text=True, cwd=ROOT / "src", check=False)
    assert not told.stderr, told.stderr
    words = {name: {} for name in files}
    for name, line, kind, what in re.findall(r"(\w+\.py):(\d+): (\w+): (.*)", told.stdout):
        words[name][int(line)] = kind, what
    return words


def test_results_have_types(said):
    assert "error" not in {kind for kind, _ in said["typed.py"].values()}, said
    for number, line in enumerate(TYPED.splitlines(), 1):
        if "reveal_type" in line:
            kind, what = said["typed.py"][number]
            assert kind == "note"
            shown = re.search('Revealed type is "(.*)"', what)[1]
            assert line.split("# ")[1] in shown
            assert shown != "Any"


def test_a_choice_that_is_none_is_an_error(said):
    wrong = [number for number, line in enumerate(WRONG.splitlines(), 1) if "(" in line]
    kinds = {number: kind for number, (kind, _) in said["wrong.py"].items()}
    assert [number for number in wrong if kinds.get(number) != "error"] == []
