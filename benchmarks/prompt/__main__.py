"""The sections of docs/prompt.md."""

from __future__ import annotations

from benchmarks.pages import Page

OPENING = """\
# At the prompt

`okpca` reads files larger than memory and pipes that do not end. This page says what it does about
rows that are not as they should be, about files that grow and are moved away, and about being
stopped; and it measures. Every number on it was written by

    python -m benchmarks.prompt --write docs/prompt.md

(`make bench-prompt` does the same; with names of sections only those are run, `--quick` runs
everything small). The commands themselves are shown in the [README](../README.md#at-the-prompt),
and `okpca COMMAND --help` lists the options.

## Rows that are not as they should be

| | a value is missing (empty, NA, NaN, null) | a word, infinity | a field too many or too few |
|---|---|---|---|
| by default | refused | refused | refused |
| `--on-bad-row skip` | left out | left out | left out |
| `--missing skip` | left out by the model, which counts them | refused | refused |
| `--missing impute` | filled in by the model | refused | refused |
| `--missing impute --on-bad-row skip` | filled in | left out | left out |
| `--on-bad-row impute` | filled in | filled in | left out |

Refused means that the run ends with exit code 3 and a line that names file and line. Of rows left
out or filled in one is told how many there were and where the first are. `--missing` is a
parameter of the model: `fit` and `monitor` take it, and a model that was fitted with it does the
same to rows that it is applied to.

A column that has words in nine of ten of its first values, or more, is refused by its name,
whatever is said of bad rows: leave it out (`-c`), or have it carried along (`--id`, `--time`). CSV
is UTF-8; `--decimal ,` reads numbers with a decimal comma. A quoted field may have line breaks
where a row is not cut by the end of a block (`--block-rows`; of a pipe, by what has come).

## Names of columns

The names of a file's columns are kept in the model as `feature_names_in_`, as if it had learned
from a data frame: in Python a frame with its columns in another order is refused. At the prompt a
model takes its columns by name, whatever others there are and in whatever order.

## Files that grow

`okpca monitor log.csv --follow` reads what there is and waits for more, for ever. A line waits for
its end. When the file is moved away (`log.csv.1`, `log-20240301.csv`) it is read to its end, then
those that were moved away after it, then the file that has taken its place; its end is there when
the new one has its first byte. When it is copied and cut to nothing, what was not read yet is read
from the copy. A line with the names of the columns may begin each file, or only the first.

With `--checkpoint` and `--resume` the place is found by the text before it, in the file itself or
in those it was moved or copied to. If it is in none of them the command says so and ends with exit
code 3. The same for a file that is not followed: it may have grown, but must begin with what was
read. A pipe must begin again at its first row; to go on with new rows from where the model is,
take the checkpoint for the model: `--start`.

Files of a source are known by their paths. Begun again with `--resume`, a run reads those that
have come since, wherever they stand in the order, and what was appended to texts; those that were
read before the one it had got to may go. When `update` had come to its end, a file that was
written anew since is new, too; `fit` then begins anew, and is of all rows there are. No row is
learned twice. A model that has learned elsewhere since the checkpoint is left alone (exit code 2):
to go on from the checkpoint would undo that.

What is read from a pipe or a file that is followed is learned at once, row by row or as many as
there are: results are the same up to rounding. From other files rows come in the same blocks every
time, and results are the same to the last bit. `monitor` writes its checkpoints beside the rows'
way: an alarm does not wait for the disk.
"""
PAGE = Page("benchmarks.prompt", OPENING, ("help", "latency", "endless", "large", "kills"))

if __name__ == "__main__":
    PAGE.main()
