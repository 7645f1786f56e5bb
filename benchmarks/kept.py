"""Sections that were measured, kept until what they were measured with changes.

A section is kept under build/sections/ with two digests: of its own code, which is its module and
what that imports of benchmarks/, and of the library. A run that was cut short goes on where it
stopped, and a page whose sections are all kept is written in a second.
"""

from __future__ import annotations

import ast
import json
import os
import re
import time
from collections.abc import Iterator
from dataclasses import asdict, astuple, dataclass
from hashlib import sha256
from pathlib import Path

import okpca

FOLDER = Path("build/sections")
FIGURES = Path("docs/figures")
LIBRARY = Path(okpca.__file__).parent
# They put sections on a page and change no number.
SILENT = {"benchmarks.pages", "benchmarks.kept"}


@dataclass(frozen=True)
class Taken:
    """Seconds: by the clock, and of the processor in this process and in those it waited for."""

    clock: float = 0.0
    own: float = 0.0
    apart: float = 0.0

    @classmethod
    def now(cls) -> Taken:
        at = os.times()
        own, apart = at.user + at.system, at.children_user + at.children_system
        return cls(time.perf_counter(), own, apart)

    def __add__(self, other: Taken) -> Taken:
        return Taken(*(a + b for a, b in zip(astuple(self), astuple(other), strict=True)))

    def __sub__(self, other: Taken) -> Taken:
        return Taken(*(a - b for a, b in zip(astuple(self), astuple(other), strict=True)))

    def idle(self, cores: int) -> float:
        """Seconds by the clock where nothing else runs: what is apart runs side by side."""
        return self.own + self.apart / cores


def digest(files: list[Path]) -> str:
    total = sha256()
    for file in sorted(files):
        total.update(file.read_bytes())
    return total.hexdigest()


def _imports(file: Path) -> Iterator[str]:
    """Modules that a file imports, and things of them that may be modules."""
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
            yield from (f"{node.module}.{name.name}" for name in node.names)
        elif isinstance(node, ast.Import):
            yield from (name.name for name in node.names)


def sources(module: str) -> list[Path]:
    """The files of a module and of all that it needs of benchmarks/."""
    found: dict[str, Path] = {}
    asked = [module]
    while asked:
        name = asked.pop()
        file = Path(*name.split(".")).with_suffix(".py")
        if name in found or name in SILENT or not file.is_file():
            continue
        found[name] = file
        asked += [other for other in _imports(file) if other.startswith("benchmarks.")]
    return list(found.values())


def _file(module: str) -> Path:
    return FOLDER / f"{module}.json"


def made_by(module: str) -> dict[str, str]:
    return {"section": digest(sources(module)), "library": digest([*LIBRARY.rglob("*.py")])}


def keep(module: str, made: dict[str, str], text: str, taken: Taken) -> None:
    """The text of a section, and the figures it shows as they are now. `made`: what `made_by` said
    before it was run."""
    shown = [FIGURES / name for name in re.findall(r"\(figures/([\w.]+)\)", text)]
    figures = {file.name: file.read_bytes().hex() for file in shown if file.is_file()}
    told = made | {"text": text, "figures": figures, "taken": asdict(taken)}
    FOLDER.mkdir(parents=True, exist_ok=True)
    fresh = _file(module).with_suffix(".fresh")
    fresh.write_text(json.dumps(told), encoding="utf-8")
    fresh.replace(_file(module))


def found(module: str, *, any_library: bool) -> tuple[str, Taken] | None:
    """The text of a section that is kept, its figures put back, and the time it took; None if
    its code has changed, or the library has and that matters."""
    if not _file(module).is_file():
        return None
    told, now = json.loads(_file(module).read_text(encoding="utf-8")), made_by(module)
    if told["section"] != now["section"]:
        return None
    if told["library"] != now["library"] and not any_library:
        return None
    FIGURES.mkdir(parents=True, exist_ok=True)
    for name, content in told["figures"].items():
        (FIGURES / name).write_bytes(bytes.fromhex(content))
    return told["text"], Taken(**told["taken"])
