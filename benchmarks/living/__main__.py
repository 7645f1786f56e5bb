"""Run the sections, print them, and write them into a page."""

from __future__ import annotations

import argparse
import re
import sys
import time
from importlib import import_module
from pathlib import Path

from benchmarks.data import Absent
from threadpoolctl import threadpool_limits

# In the order of the page; whether the section measures speed, with the threads it would have.
SECTIONS = {
    "policies": False,
    "digits": False,
    "usps": False,
    "certificates": False,
    "merging": False,
    "drift": False,
    "million": True,
    "cost": True,
}
OPENING = """\
# The living dictionary, measured

A stream has no end, so under a living model the dictionary shrinks, moves, forgets and is joined
with another. This page shows what that costs and what it keeps. Every number on it was written by

    python -m benchmarks.living --write docs/living.md

(`make bench-living` does the same; with names of sections only those are run, `--quick` runs
everything small). *Captured* means: the scatter of the rows along the model's components, divided
by that along as many components of batch kernel PCA, or of another model where one is named.
"""


def section(name: str, quick: bool) -> str:
    module = import_module(f"benchmarks.living.{name}")
    start = time.perf_counter()
    try:
        with threadpool_limits(None if SECTIONS[name] else 1):
            body = module.run(quick)
    except Absent as missing:
        body = f"Skipped: {missing}.\n"
    print(f"{name}: {time.perf_counter() - start:.0f} s", file=sys.stderr, flush=True)
    return f"## {module.TITLE}\n\n{body}"


def written(page: Path, fresh: dict[str, str]) -> None:
    """The page with the fresh sections in it; the others stay as they are."""
    old = page.read_text() if page.is_file() else ""
    parts = dict(re.findall(r"<!-- (\w+) -->\n(.*?)<!-- end -->", old, flags=re.DOTALL)) | fresh
    marked = [f"<!-- {name} -->\n{parts[name]}<!-- end -->\n" for name in SECTIONS if name in parts]
    page.write_text("\n".join([OPENING, *marked]))


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.living", description=__doc__)
    parser.add_argument("sections", nargs="*", metavar="SECTION", help=", ".join(SECTIONS))
    parser.add_argument("--quick", action="store_true", help="small sizes, below a minute")
    parser.add_argument("--write", type=Path, metavar="PAGE", help="put the sections into a page")
    arguments = parser.parse_args()
    if unknown := set(arguments.sections) - set(SECTIONS):
        parser.error(f"no section {', '.join(sorted(unknown))}")
    if arguments.quick and arguments.write:
        parser.error("a quick run is not for the page")
    fresh = {}
    for name in arguments.sections or SECTIONS:
        fresh[name] = section(name, arguments.quick)
        print(fresh[name], flush=True)
    if arguments.write:
        written(arguments.write, fresh)


if __name__ == "__main__":
    main()
