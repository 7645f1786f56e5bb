"""The pages of measurements: every section runs, small, and the pages hold all of them."""

import re
from dataclasses import replace
from pathlib import Path

import pytest
from benchmarks import kept
from benchmarks.comparison.__main__ import PAGE as COMPARISON
from benchmarks.living.__main__ import PAGE as LIVING
from benchmarks.monitoring.__main__ import PAGE as MONITORING
from benchmarks.pages import Page
from benchmarks.papers.__main__ import PAGE as PAPERS
from benchmarks.prompt.__main__ import PAGE as PROMPT
from benchmarks.river.__main__ import PAGE as RIVER
from benchmarks.scaling.__main__ import PAGE as SCALING
from benchmarks.uses.__main__ import PAGE as USES

pytestmark = pytest.mark.long

ROOT = Path(__file__).resolve().parent.parent
PAGES = {"comparison": COMPARISON, "living": LIVING, "monitoring": MONITORING}
PAGES |= {"papers": PAPERS, "prompt": PROMPT, "river": RIVER, "scaling": SCALING, "uses": USES}
each_page = pytest.mark.parametrize("topic", PAGES)
# Even small they take longer than a test should.
LONG = {"policies", "merging", "drift", "million", "cluster", "kills", "latency"}
LONG |= {"checked"}  # whose checks are tests, too: river/test_checks.py
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


@pytest.fixture
def keeping(page, tmp_path, monkeypatch):
    """The same, and measured sections are kept; beside it a list of those that were run."""
    monkeypatch.chdir(tmp_path)
    runs, real = [], Page.section

    def counted(page, name, quick):
        runs.append(name)
        return real(page, name, quick)

    monkeypatch.setattr(Page, "section", counted)
    return replace(page, keeps=True), runs


def test_what_was_measured_is_kept(keeping, capsys, monkeypatch):
    page, runs = keeping
    page.main(["--section", "near"])
    page.main(["--section", "near"])
    assert len(runs) == 1
    assert capsys.readouterr().out.count("near False") == 2
    page.main(["near", "--fresh"])
    page.main(["near", "--quick"])
    assert len(runs) == 3
    monkeypatch.setattr(kept, "digest", lambda files: f"another, of {len(files)}")
    page.main(["near"])
    page.main(["near"])
    assert len(runs) == 4


def test_the_time_of_all_sections_is_told_in_the_end(keeping, capsys, monkeypatch):
    page, runs = keeping
    page = replace(page, sections=("near",))
    taken = kept.Taken(clock=120.0, own=30.0, apart=60.0)
    assert (taken + taken - taken).idle(2) == 60.0
    kept.keep("made_up_page.near", kept.made_by("made_up_page.near"), "near\n", taken)
    page.main([])
    assert not runs
    told = capsys.readouterr().err
    assert "near: kept, from 120 s" in told
    assert "1 sections: 2.0 min by the clock" in told
    assert "1.0 min on 2 cores" in told


def test_what_another_library_measured_is_taken_if_asked_for(keeping, monkeypatch):
    page, runs = keeping
    page.main(["near"])
    real = kept.digest
    monkeypatch.setattr(kept, "digest", lambda files: "other" if len(files) > 5 else real(files))
    page.main(["near", "--kept"])
    assert len(runs) == 1
    monkeypatch.setattr(kept, "digest", lambda files: "other")
    page.main(["near", "--kept"])  # its own code is another
    assert len(runs) == 2


def test_what_lacks_its_data_is_not_kept(keeping):
    page, runs = keeping
    page.main(["far"])
    page.main(["far"])
    assert len(runs) == 2


def test_figures_are_kept_too(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    taken = kept.Taken(clock=3.0, own=1.0, apart=4.0)
    figure = Path("docs/figures/a.png")
    figure.parent.mkdir(parents=True)
    figure.write_bytes(b"first")
    kept.keep("made_up", kept.made_by("made_up"), "![a](figures/a.png)", taken)
    figure.write_bytes(b"second")
    assert kept.found("made_up", any_library=False) == ("![a](figures/a.png)", taken)
    assert figure.read_bytes() == b"first"


def test_a_section_is_made_by_all_that_it_imports(monkeypatch):
    monkeypatch.chdir(ROOT)
    files = {str(file) for file in kept.sources("benchmarks.papers.souza_filho")}
    assert {"benchmarks/papers/souza_filho.py", "benchmarks/papers/common.py"} <= files
    assert {"benchmarks/data.py", "benchmarks/living/common.py"} <= files
    assert "benchmarks/papers/kashima.py" not in files


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
