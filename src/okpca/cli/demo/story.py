"""The story, told while it happens: every command it shows is the one that is run."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterator
from pathlib import Path
from time import perf_counter
from typing import Any

from okpca.cli.demo import scanner
from okpca.cli.demo.batch import ATOMS, COMPONENTS, Beside, beside
from okpca.cli.demo.findings import Findings, found

WARM_UP = 100
"""First rows that a detector learns unseen, by default."""


class Failed(Exception):
    """A command ended with this exit code, and has said why."""

    def __init__(self, code: int) -> None:
        super().__init__(f"exit code {code}")
        self.code = code


def told(folder: Path, run: Callable[[list[str]], int], say: Callable[[str], None]) -> None:
    """Tell it: `run` takes the words of a command, `say` a line."""
    data, alarms = folder / "scanner.csv", folder / "alarms.ndjson"
    model, page = folder / "scanner.okpca", folder / "report.html"
    scan = scanner.scanned()
    rows = len(scan.rows)
    scanner.save(scan.rows, data)

    def command(*words: Any) -> float:
        line = [str(word) for word in words]
        say(f"   $ {shlex.join(['okpca', *line])}")
        start = perf_counter()
        code = run([*line, "--quiet"])
        if code:
            raise Failed(code)
        return perf_counter() - start

    def tell(lines: Iterator[str]) -> None:
        for line in lines:
            say(line)

    tell(_opening(data, rows))
    say("1. Learn and watch: every row is judged, then learned unless it is an alarm")
    seconds = command("monitor", data, "--time", "time", "-o", alarms, "--save", model)
    tell(_found(found(alarms, rows, WARM_UP), rows, seconds))
    say("2. The same components as a batch would give, from a stream")
    tell(_table(beside(scan.clean)))
    say("3. A report: charts, incidents, drift, and how far the model may be off")
    command("report", model, data, "--time", "time", "-o", page)
    tell(_closing(page))


def _opening(data: Path, rows: int) -> Iterator[str]:
    yield f"The {rows // scanner.PASSES} handwritten digits that come with scikit-learn go through"
    yield f"a scanner of 4 × 4 cells, in their own order, {scanner.PASSES} times, one every"
    yield f"{scanner.PACE.seconds} seconds: {rows} rows in {data}."
    yield "Three things go wrong on the way, and nobody tells the model:"
    yield f"   {_clock(scanner.BURST[0])}  {len(scanner.BURST)} digits are fed in sideways"
    leak = f"light leaks into {scanner.LEAK}, while {len(scanner.FAULT)} digits pass"
    yield f"   {_clock(scanner.FAULT[0])}  {leak}"
    dim = f"the lamp grows dim, by {_percent(scanner.DIM)} until the end"
    yield f"   {_clock(scanner.DRIFT)}  {dim}"
    yield ""


def _found(seen: Findings, rows: int, seconds: float) -> Iterator[str]:
    yield f"   {rows} rows in {seconds:.1f} s, start and end included"
    burst, fault = len(scanner.BURST), len(scanner.FAULT)
    yield f"   sideways   {_first(seen.burst_first)}; {seen.burst} of {burst} are alarms"
    yield (
        f"   leak       {_first(seen.fault_first)}; of {seen.fault} alarms among {fault} digits "
        f"{seen.named} name {scanner.LEAK} first"
    )
    yield f"   dim lamp   {_drift(seen, rows)}"
    yield f"   otherwise  {100 * seen.false:.1f} % of rows are alarms; 1 % are allowed for"
    yield ""


def _first(digit: int | None) -> str:
    return "not seen" if digit is None else f"first alarm at digit {digit}"


def _drift(seen: Findings, rows: int) -> str:
    if seen.drift is None:
        return "no drift announced"
    dim = scanner.dimness(seen.drift, rows)
    return f"drift announced at {_clock(seen.drift)}, when {_percent(dim)} of the light is gone"


def _table(lines: list[Beside]) -> Iterator[str]:
    yield f"   {COMPONENTS} components by scikit-learn's KernelPCA, and by okpca with {ATOMS} atoms"
    yield "     rows        KernelPCA               okpca       variance captured, ours to its"
    for one in lines:
        theirs = f"{one.batch:6.2f} s {one.gram / 1e6:5.0f} MB"
        mine = f"{one.ours:6.2f} s {one.kept / 1e6:5.1f} MB"
        yield f"   {one.rows:6d}   {theirs}   {mine}       {one.captured:.3f}"
    yield ""


def _closing(page: Path) -> Iterator[str]:
    yield f"   open {page} in a browser; it needs nothing else"
    yield ""
    yield "With a file of yours (CSV, Parquet, Arrow, NDJSON, NumPy; leave --time out without one):"
    yield "   $ okpca monitor yours.csv --time when -o alarms.ndjson --save yours.okpca"
    yield "   $ okpca report yours.okpca yours.csv --time when -o report.html"


def _percent(share: float) -> str:
    return f"{100 * share:.0f} %"


def _clock(row: int) -> str:
    return f"{scanner.time_of(row):%H:%M}"
