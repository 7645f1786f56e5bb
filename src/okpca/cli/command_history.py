"""The command that made a model, kept in its file: what was learned, from what, in which way.

Where the model went, how often it was safe on the way and whether it went on from there is left
out: it makes no difference to the model, and files of one model are the same to the last byte. When
commands are shown, where each model went is told by what was done with it afterwards.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from okpca.cli.exits import USAGE, refusing
from okpca.cli.options import SOURCE

KEPT = 20
"""Commands in a file: the first, and the last ones."""
EVERYTHING: dict[str, Any] = {}
OUTPUT = {"fit": "-o", "update": "-o", "merge": "-o", "compress": "-o", "monitor": "--save"}
"""What names the model that comes of a command."""
TAKE = ("update", "compress")
"""Those that take a model first."""
SPELLED = {"rows": "--block-rows", "columns": "-c"}


def command(verb: str, *words: str, source: Mapping[str, Any] = EVERYTHING, **options: Any) -> str:
    """As one would type it."""
    usual = {member.name: member.default for member in SOURCE}
    other = {name: of for name, of in source.items() if of != usual.get(name)}
    given = [part for of in (options, other) for part in _spelled(of)]
    return shlex.join(["okpca", verb, *words, *given])


def _spelled(options: Mapping[str, Any]) -> Iterator[str]:
    for name, value in options.items():
        spelled = SPELLED.get(name, f"--{name.replace('_', '-')}")
        if value is None:
            continue
        if isinstance(value, bool):
            yield spelled if value else f"--no-{spelled[2:]}"
            continue
        for one in value if isinstance(value, list | tuple) else [value]:
            yield from (spelled, str(one))


def before(path: str) -> list[str]:
    """Those that a model file tells of."""
    from okpca import io

    with refusing(USAGE):
        place = io.header(path)["position"]
    found = place.get("commands") if isinstance(place, dict) else None
    known = isinstance(found, list) and all(isinstance(one, str) for one in found)
    return found if known else []  # type: ignore[return-value]


def to_type_again(commands: Sequence[str], path: str) -> list[str]:
    """With the option that names the output of each: what the next command took, or the file that
    tells of them."""
    found, output = list[str](), path
    for line in reversed(commands):
        words = line.split(" ")
        verb = words[1] if len(words) > 1 else ""
        taken = _model_of(line, verb)
        in_place = verb == "update" and taken == output
        named = f" {OUTPUT[verb]} {shlex.quote(output)}" if verb in OUTPUT and not in_place else ""
        found.append(line + named)
        output = taken or output
    return found[::-1]


def _model_of(line: str, verb: str) -> str | None:
    """The model that a command goes on from."""
    try:
        words = shlex.split(line)
    except ValueError:  # not written by us
        return None
    at = 2 if verb in TAKE else words.index("--start") + 1 if "--start" in words else len(words)
    return words[at] if at < len(words) else None


def after(earlier: list[str], latest: str) -> list[str]:
    return [*earlier[:1], *earlier[1:][-(KEPT - 2) :], latest]
