"""`inspect` and `verify`: what a model file says of itself."""

from __future__ import annotations

import os
from typing import Any

from okpca._core.plural import several
from okpca.cli import command_history
from okpca.cli.exits import OK, USAGE, Refused, refusing, say
from okpca.cli.messages import rounded, spelled
from okpca.cli.models import is_fitted, last
from okpca.cli.output import dumped
from okpca.cli.sources import opened


def inspect(path: str, manners: Any) -> int:
    from okpca import io

    model, columns = opened(path)
    with refusing(USAGE):
        header = io.header(path)
    described = last(model).describe() if _can_describe(model) else None
    commands = command_history.to_type_again(command_history.before(path), path)
    if manners["as_json"]:
        told = None if described is None else described.to_dict()
        found = {"header": header, "columns": columns, "model": told, "commands": commands}
        print(dumped(found))
        return 0
    versions = ", ".join(f"{name} {number}" for name, number in header["versions"].items())
    code, *words = repr(model if described is None else described).splitlines()
    if described is not None and last(model) is not model:
        print(repr(model))
    print("\n".join(map(rounded, [code, *(spelled(line, columns or ()) for line in words)])))
    if columns:
        print(f"  columns      {', '.join(columns[:8])}{' ...' if len(columns) > 8 else ''}")
    if not is_fitted(model):
        print("  rows         none yet")
    elif hasattr(model, "limits_"):
        limits = ", ".join(f"{name} {limit:.4g}" for name, limit in model.limits_.items())
        print(f"  alarms       {model.n_alarms_} of {model.n_samples_seen_} rows; limits: {limits}")
    print(f"  file         {header['class']}, format {header['format']}, written by {versions}")
    for line in commands:
        print(f"  made by      {line}")
    return 0


def _can_describe(model: Any) -> bool:
    return is_fitted(model) and hasattr(last(model), "describe")


def verify(paths: list[str], manners: Any) -> int:
    """Checksum, sizes, and whether the parts go together: all that loading asks. Every file, even
    after one that is not sound; the exit code is that of the first such."""
    codes = [_verified(path, manners) for path in paths]
    return next(filter(None, codes), OK)


def _verified(path: str, manners: Any) -> int:
    from okpca import io

    try:
        opened(path)
        with refusing(USAGE):
            header = io.header(path)
    except Refused as refused:
        if manners["as_json"]:
            print(dumped({"path": path, "sound": False, "reason": str(refused)}))
        say(str(refused))
        return refused.code
    told = {name: header[name] for name in ("class", "format", "rows")}
    if manners["as_json"]:
        print(dumped({"path": path, "sound": True, "bytes": os.path.getsize(path), **told}))
    elif not manners["quiet"]:
        rows = several(told["rows"], "rows")
        print(f"{path}: sound; {told['class']} of {rows}, format {told['format']}")
    return OK
