"""What the pages and docstrings show is run: every Python block, every example, every command.

The blocks of a page are run in their order and share their names. What a page does not say where it
comes from (`stream`, `X`) is given here. A block that is only an illustration begins with

    ```python illustration: why it cannot be run

and is shown as a skipped test.
"""

import doctest
import pkgutil
import re
import tomllib
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest
from sklearn.datasets import load_digits

import okpca

pytestmark = [pytest.mark.long, pytest.mark.filterwarnings("error::okpca.KernelWarning")]

ROOT = Path(__file__).resolve().parent.parent
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]
FENCE = re.compile(r"^```(?P<kind>[^\n]*)\n(?P<code>.*?)^```$", re.MULTILINE | re.DOTALL)
ILLUSTRATION = "python illustration: "


def blocks(page):
    """(first line, what the fence says, code) of each block."""
    text = page.read_text(encoding="utf-8")
    for block in FENCE.finditer(text):
        yield text.count("\n", 0, block.start()) + 2, block["kind"].strip(), block["code"]


def givens():
    """What the README takes for granted."""
    X = load_digits().data[:300] / 16
    return {
        "X": X,
        "stream": np.array_split(X, 4),
        "noisy": X[:3] + 0.1,
        "another": okpca.OnlineKernelPCA(10, gamma=0.05, max_atoms=200).fit(X[::2]),
    }


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path, monkeypatch):
    """Files go to a folder that is thrown away."""
    monkeypatch.chdir(tmp_path)


def run(page, space):
    """How many blocks there were; an error names the line of the page."""
    count = 0
    for line, kind, code in blocks(page):
        if kind == "python":
            exec(compile("\n" * (line - 1) + code, str(page), "exec"), space)
            count += 1
    return count


# The gallery's code is that of functions, and all of them are drawn: tests/plots/test_plots.py.
WITH_CODE = [
    page
    for page in PAGES
    if any(kind == "python" for _, kind, _ in blocks(page)) and page.name != "gallery.md"
]


@pytest.mark.parametrize("page", WITH_CODE, ids=lambda page: page.name)
def test_the_code_of_a_page_runs(page):
    space = givens() if page.name == "README.md" else {}
    assert run(page, space) > 0


each_page = pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)


@each_page
def test_every_block_says_what_it_is(page):
    """Or code could hide from these tests."""
    found = list(blocks(page))
    assert page.read_text(encoding="utf-8").count("```") == 2 * len(found)
    unrun = {line: kind for line, kind, _ in found if kind not in ("python", "sh", "text")}
    assert all(re.match(ILLUSTRATION + ".{9}", kind) for kind in unrun.values()), unrun
    if unrun:
        pytest.skip("; ".join(f"line {line}: {kind}" for line, kind in unrun.items()))


@each_page
def test_every_command_is_a_target(page):
    text = page.read_text(encoding="utf-8")
    named = set(re.findall(r"(?:`|^    )make ((?:[a-z-]+ ?)+)", text, flags=re.MULTILINE))
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    targets = set(re.findall(r"^([a-z-]+):", makefile, flags=re.MULTILINE))
    assert {word for names in named for word in names.split()} <= targets


@each_page
def test_every_link_leads_somewhere(page):
    text = page.read_text(encoding="utf-8")
    for target in re.findall(r"\]\((?!https?:|#)([^)#]+)", text):
        assert (page.parent / target).exists(), target


@each_page
def test_what_a_link_names_is_there(page):
    """`[file](path) `name` `: the file defines that name."""
    text = page.read_text(encoding="utf-8")
    for target, names in re.findall(r"\]\((\.\./src/[^)]+\.py)\)((?:\s+`\w+`)+)", text):
        code = (page.parent / target).read_text(encoding="utf-8")
        for name in re.findall(r"\w+", names):
            assert re.search(rf"^(def|class) {name}\b", code, re.MULTILINE), (target, name)


def test_the_layers_shown_are_those_enforced():
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    layers = settings["tool"]["importlinter"]["contracts"][0]["layers"]
    enforced = [
        set(re.sub(r"\(\w+\)", "", layer).replace("|", ":").split()) - {":"} for layer in layers
    ]
    page = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    shown = [
        set(re.findall(r"\w+", line)) for line in re.findall(r"^ \d   (.*?)(?: {4,}|$)", page, re.M)
    ]
    assert shown == enforced


def test_a_block_that_fails_is_located(tmp_path):
    page = tmp_path / "page.md"
    page.write_text("# Title\n\n```python\nx = 1\n```\n\n```python\nx += 1\nassert x == 1\n```\n")
    with pytest.raises(AssertionError) as caught:
        run(page, {})
    assert caught.traceback[-1].lineno + 1 == 9


def modules():
    found = pkgutil.walk_packages(okpca.__path__, "okpca.")
    return [m.name for m in found if ">>> " in Path(m.module_finder.path, *_file(m)).read_text()]


def _file(module):
    stem = module.name.rpartition(".")[2]
    return (stem, "__init__.py") if module.ispkg else (f"{stem}.py",)


@pytest.mark.parametrize("name", modules())
def test_examples_of_docstrings(name):
    flags = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
    failed, tried = doctest.testmod(import_module(name), optionflags=flags)
    assert tried
    assert not failed
