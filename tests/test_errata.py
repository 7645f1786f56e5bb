"""docs/errata.md: every line says where, what, why, and names tests that are there."""

import re
from pathlib import Path

import pytest

TESTS = Path(__file__).resolve().parent
TEXT = (TESTS.parent / "docs" / "errata.md").read_text(encoding="utf-8")
PARTS = dict(re.findall(r"^## (.+?)\n(.*?)(?=^## |\Z)", TEXT, flags=re.MULTILINE | re.DOTALL))
NAMED = sorted(set(re.findall(r"`([\w/]+\.py)::(\w+)`", TEXT)))
# What is known to be wrong or open in each text: by these places the lines are found.
KNOWN = {
    "Kashima 2001": ["(18)-(25), (40), (60)", "(9), (42)", "(9), (11), (42), (44)"],
    "Chin & Suter 2007": ["(9)", "(11), IV-B", "(33), (34)", "Table III"],
    "Honeine 2012": ["(16)", "(19)", "5.2", "5.2 and (22)", "5.3, gradient", "6.2"],
    "Huang & Yeh 2011": [
        "(2)",
        "(10)",
        "(17), (18)",
        "Algorithm 1, line 2; (23), (26)",
        "example 2",
    ],
    "Souza Filho & Diniz 2017": ["Table I, lines 9, 16, 19", "Table I, line 1"],
}


def lines(part):
    """Of the tables of a part, as lists of cells, headers and rules left out."""
    rows = [row for row in PARTS[part].splitlines() if row.startswith("|")]
    cells = [[cell.strip() for cell in re.split(r"(?<!\\)\|", row)[1:-1]] for row in rows]
    return [row for row in cells if row[0] != "where" and not set(row[0]) <= {"-"}]


def test_a_part_for_each_paper():
    assert list(PARTS) == list(KNOWN)


@pytest.mark.parametrize("part", KNOWN)
def test_every_line_says_all(part):
    assert PARTS[part].count("| where |") == 2  # slips, departures
    for row in lines(part):
        assert len(row) == 4, row
        assert all(row), row
        assert re.search(r"`[\w/]+\.py::\w+`", row[3]), row
        assert re.search(r"\d|Algorithm|Table|V", row[0]), row  # an equation, or a place


@pytest.mark.parametrize("part", KNOWN)
def test_no_known_slip_is_missing(part):
    assert set(KNOWN[part]) <= {row[0] for row in lines(part)}


@pytest.mark.parametrize(("file", "name"), NAMED, ids=lambda text: text)
def test_a_test_that_is_named_is_there(file, name):
    code = (TESTS / file).read_text(encoding="utf-8")
    assert re.search(rf"^def {name}\(", code, flags=re.MULTILINE)
