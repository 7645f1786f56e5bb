"""Pages of measurements: a page has sections, and a section is a module with

    TITLE: str
    run(quick: bool) -> str        its Markdown, under the title

`python -m` of the page's package prints the sections, or writes them into a file of docs/.
"""

from __future__ import annotations

import argparse
import re
import sys
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks import kept
from benchmarks.data import Absent
from benchmarks.kept import Taken
from threadpoolctl import threadpool_limits

if TYPE_CHECKING:
    from matplotlib.figure import Figure

FIGURES = kept.FIGURES


SKIPPED = "Skipped: "
CORES = 2  # the processes that a section may have, `benchmarks.papers.common`


@dataclass(frozen=True)
class Page:
    """`package` holds the sections, in the order of the page, each run with one BLAS thread except
    those that are `threaded`: they measure speed, with the threads a user would have."""

    package: str
    opening: str
    sections: tuple[str, ...]
    threaded: frozenset[str] = field(default_factory=frozenset)
    keeps: bool = False  # sections are kept, see `kept`

    def section(self, name: str, quick: bool) -> str:
        """Title and body; a body without its data says so."""
        module = import_module(f"{self.package}.{name}")
        try:
            with threadpool_limits(None if name in self.threaded else 1):
                body = module.run(quick)
        except Absent as missing:
            body = f"{SKIPPED}{missing}.\n"
        return f"## {module.TITLE}\n\n{body}"

    def measured(self, name: str, given: argparse.Namespace) -> tuple[str, Taken]:
        """The section that is kept, if there is one, or a fresh one, which then is; its time."""
        full, module = self.keeps and not given.quick, f"{self.package}.{name}"
        if full and not given.fresh and (old := kept.found(module, any_library=given.kept)):
            say(f"{name}: kept, from {old[1].clock:.0f} s")
            return old
        start, made = Taken.now(), kept.made_by(module)
        text = self.section(name, given.quick)
        taken = Taken.now() - start
        say(f"{name}: {taken.clock:.0f} s")
        if full and SKIPPED not in text:
            kept.keep(module, made, text, taken)
        return text, taken

    def write(self, page: Path, fresh: dict[str, str]) -> None:
        """The page with the fresh sections in it; the others stay as they are."""
        old = page.read_text(encoding="utf-8") if page.is_file() else ""
        before = dict(re.findall(r"<!-- (\w+) -->\n(.*?)<!-- end -->", old, flags=re.DOTALL))
        # Without its data a section is not measured anew, and what was stays.
        measured = {name: text for name, text in fresh.items() if SKIPPED not in text}
        parts = fresh | before | measured
        there = (name for name in self.sections if name in parts)
        marked = [f"<!-- {name} -->\n{parts[name]}<!-- end -->\n" for name in there]
        page.write_text("\n".join([self.opening, *marked]), encoding="utf-8")

    def main(self, arguments: list[str] | None = None) -> None:
        parser = argparse.ArgumentParser(prog=f"python -m {self.package}")
        names = ", ".join(self.sections)
        parser.add_argument("sections", nargs="*", metavar="SECTION", help=names)
        parser.add_argument(
            "--section", action="append", default=[], metavar="SECTION", help="the same, one by one"
        )
        if self.keeps:
            parser.add_argument(
                "--fresh", action="store_true", help="measure anew what build/sections/ keeps"
            )
            parser.add_argument(
                "--kept",
                action="store_true",
                help="take what build/sections/ keeps even if the library has changed since",
            )
        parser.add_argument("--quick", action="store_true", help="small sizes, seconds a section")
        parser.add_argument("--write", type=Path, metavar="PAGE", help="put them into a page")
        given = parser.parse_args(arguments)
        asked = [*given.sections, *given.section]
        if unknown := set(asked) - set(self.sections):
            parser.error(f"no section {', '.join(sorted(unknown))}; there are {names}")
        if given.quick and given.write:
            parser.error("a quick run is not for the page")
        asked, total = asked or list(self.sections), Taken()
        for i, name in enumerate(asked):
            say(f"[{i + 1} of {len(asked)}] {name} ...")
            text, taken = self.measured(name, given)
            total += taken
            print(text, flush=True)
            if given.write:  # at once: what comes after may fail
                self.write(given.write, {name: text})
        clock, idle = total.clock / 60, total.idle(CORES) / 60
        say(f"{len(asked)} sections: {clock:.1f} min by the clock when they were measured, which")
        say(f"  by processor time are {idle:.1f} min on {CORES} cores that do nothing else")


def say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def picture(figure: Figure, name: str, caption: str, quick: bool) -> str:
    """Save a figure as docs/figures/{name}.png and give the line that shows it on a page.

    A quick run lays it out too, but keeps what is there.
    """
    file = FIGURES / f"{name}.png"
    if quick:
        figure.draw_without_rendering()
    else:
        file.parent.mkdir(parents=True, exist_ok=True)
        figure.savefig(file, dpi=120)
    return f"![{caption}](figures/{file.name})"
