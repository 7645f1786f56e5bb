"""What the library says, in the words of the prompt."""

import pytest

from okpca.cli.messages import rounded, row_of, spelled

SAID = [
    ("missing='skip' leaves such rows out", "--missing skip leaves such rows out"),
    ("scale='standard' or 'robust'.", "--scale standard or robust."),
    ("Raise max_atoms, or a smaller gamma", "Raise --max-atoms, or a smaller gamma"),
    ("(max_atoms, a smaller nu)", "(--max-atoms, a smaller nu)"),
    ("or `burn_in` rows", "or --burn-in rows"),
    ("leave out: on_bad_row='skip'; or", "leave out: --on-bad-row skip; or"),
    ("one by one: columns=['a', 'b'].", "one by one: -c a -c b."),
    ("of the first block: choose columns=.", "of the first block: choose --columns."),
    ("that in column 1, and", "that in column 'heat', and"),
    ("that in column 9, and", "that in column 9, and"),
    ("does not say: give format=.", "does not say: give --format."),
    ("is it a row? Then header=False.", "is it a row? Then --no-header."),
    ("nu=0.5.", "--nu 0.5."),
    ("say decimal=','.", "say --decimal ,."),
    ("by time='Zeit (UTC)')", "by --time 'Zeit (UTC)')"),
    ("by id='name' or", "by --id name or"),
    ("max_atoms=None", "--max-atoms none"),
    ("The 'degree' parameter of X must be an int.", "--degree must be an int."),
    ("by RBF(gamma=2.0)", "by RBF(gamma=2.0)"),
    ("a column named scale, and format=", "a column named scale, and format="),
]


@pytest.mark.parametrize(("said", "expected"), SAID)
def test_spelled(said, expected):
    assert spelled(said, ["flow", "heat"]) == expected


def test_the_row_of_a_call():
    text = "too large [row 7 of call 3 to partial_fit, counting rows from 0]."
    assert row_of(text) == (7, "too large.")
    assert row_of("too large.") == (None, "too large.")


def test_rounded():
    assert rounded("RBF(gamma=0.3333333333333333), 1381.881872034271") == "RBF(gamma=0.3333), 1382"
    assert rounded("a factor of 7.9e+02, okpca 0.1.0.dev0, 3.11.7") == (
        "a factor of 790, okpca 0.1.0.dev0, 3.11.7"
    )
    assert rounded("-0.11228590000000008 and 1.5e-08") == "-0.1123 and 1.5e-08"
