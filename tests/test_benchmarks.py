"""The pages of measurements: every section runs, small, and the pages hold all of them."""

import re
from pathlib import Path

import pytest
from benchmarks.comparison.__main__ import PAGE as COMPARISON
from benchmarks.living.__main__ import PAGE as LIVING
from benchmarks.monitoring.__main__ import PAGE as MONITORING
from benchmarks.pages import Page
from benchmarks.papers.__main__ import PAGE as PAPERS
from benchmarks.prompt.__main__ import PAGE as PROMPT
from benchmarks.uses.__main__ import PAGE as USES

pytestmark = pytest.mark.long

ROOT = Path(__file__).resolve().parent.parent
PAGES = {"comparison": COMPARISON, "living": LIVING, "monitoring": MONITORING}
PAGES |= {"papers": PAPERS, "prompt": PROMPT, "uses": USES}
each_page = pytest.mark.parametrize("topic", PAGES)
# Even small they take longer than a test should.
LONG = {"policies", "merging", "drift", "million", "kills", "latency"}
each_section = pytest.mark.parametrize(
    ("topic", "name"),
    [(topic, name) for topic, page in PAGES.items() for name in page.sections if name not in LONG],
)


def tables(markdown):
    """Each a list of rows, each a list of cells; the header comes first, then the rule."""
    blocks = re.findall(r"(?:^\|.*\|$\n?)+", markdown, flags=re.MULTILINE)
    return [[row.strip("|").split("|") for row in block.splitlines()] for block in blocks]


@pytest.mark.slow
@pytest.mark.data
@each_section
def test_every_section_runs_small(topic, name):
    text = PAGES[topic].section(name, quick=True)
    title, body = text.split("\n\n", 1)
    assert title.startswith("## ")
    if body.startswith("Skipped:"):
        pytest.skip(body)
    found = tables(body)
    assert found
    for header, rule, *rows in found:
        assert rows
        assert all(len(row) == len(header) == len(rule) for row in rows)
        assert any(re.search(r"\d", cell) for row in rows for cell in row[1:])
    assert not re.search(r"(?i)\b(nan|inf|none)\b", "".join(map(str, found)))
    for figure in re.findall(r"!\[.+\]\(figures/(.+)\)", body):
        assert (ROOT / "docs" / "figures" / figure).is_file()


@each_page
def test_no_section_is_forgotten(topic):
    files = (ROOT / "benchmarks" / topic).glob("*.py")
    written = {
        file.stem
        for file in files
        if re.search(r"^TITLE = ", file.read_text(encoding="utf-8"), re.M)
    }
    assert set(PAGES[topic].sections) == written


@each_page
def test_the_page_holds_every_section(topic):
    text = (ROOT / "docs" / f"{topic}.md").read_text(encoding="utf-8")
    assert text.startswith(PAGES[topic].opening)
    parts = re.findall(r"<!-- (\w+) -->\n## .+?<!-- end -->\n", text, flags=re.DOTALL)
    assert tuple(parts) == PAGES[topic].sections


SECTION = """
from benchmarks.data import Absent
TITLE = "About {name}"
def run(quick):
    if "{name}" == "far":
        raise Absent("`far.npz` is not there")
    return f"{name} {{quick}}\\n"
"""


@pytest.fixture
def page(tmp_path, monkeypatch):
    """A page of sections made for the test."""
    package = tmp_path / "made_up_page"
    package.mkdir()
    for name in ("near", "far"):
        (package / f"{name}.py").write_text(SECTION.format(name=name))
    monkeypatch.syspath_prepend(tmp_path)
    return Page("made_up_page", "# Opening\n", ("far", "near"))


def test_a_section_without_its_data_says_so(page):
    assert page.section("near", quick=True) == "## About near\n\nnear True\n"
    assert page.section("far", quick=True) == "## About far\n\nSkipped: `far.npz` is not there.\n"


def test_fresh_sections_take_the_place_of_the_old_ones(page, tmp_path, capsys):
    file = tmp_path / "page.md"
    page.main(["near", "--write", str(file)])
    assert "About far" not in file.read_text(encoding="utf-8")
    page.main(["far", "--write", str(file)])
    kept = file.read_text(encoding="utf-8")
    assert kept.startswith("# Opening\n")
    assert kept.index("## About far") < kept.index("## About near\n\nnear False\n")
    page.main(["--write", str(file)])
    assert file.read_text(encoding="utf-8") == kept
    assert capsys.readouterr().out.count("About near") == 2


@pytest.mark.parametrize("arguments", [["elsewhere"], ["--quick", "--write", "page.md"]])
def test_a_call_that_makes_no_sense_is_refused(page, arguments, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SystemExit, match="2"):
        page.main(arguments)
    assert "usage" in capsys.readouterr().err
    assert not (tmp_path / "page.md").exists()


def test_a_section_that_is_not_there_is_an_error(page):
    with pytest.raises(ModuleNotFoundError, match="nowhere"):
        Page(page.package, "", ("nowhere",)).main([])
