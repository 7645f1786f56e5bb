"""`suggest`, `merge` and `compress`: before a model learns, and after."""

from __future__ import annotations

import warnings
from typing import Any, get_args

from okpca.cli import command_history, sources
from okpca.cli.checkpoints import writable
from okpca.cli.commands.fit_update import tell
from okpca.cli.exits import DATA, OK, USAGE, Refused, refusing
from okpca.cli.models import refuse_unfitted
from okpca.cli.output import dumped

SAMPLE = 20_000  # rows that proposals are drawn from: many times what is looked at


def suggest(data: list[str], goal: Any, source: Any, manners: Any) -> int:
    """TOML with the reasons as comments, which `fit --config` takes."""
    import numpy as np

    import okpca
    from okpca.estimator.guidance.suggest import Goal

    if goal not in get_args(Goal):
        raise Refused(USAGE, f"--goal {goal}: one of {', '.join(get_args(Goal))}.")
    sources.refuse_unreadable(data, source)
    if source["on_bad_row"] == "impute":
        raise Refused(USAGE, "--on-bad-row impute: no model yet that could fill in: say skip.")
    rows = np.concatenate([block.rows for block in sources.first_blocks(data, source, SAMPLE)])
    with refusing(DATA, f"{', '.join(data)}: "):
        suggestion = okpca.suggest(rows[:SAMPLE], goal)
    if manners["as_json"]:
        told = {"params": dict(suggestion.params), "reasons": dict(suggestion.reasons)}
        print(dumped({"goal": goal, **told, "caution": suggestion.caution}))
        return OK
    detector = " --detector" if goal == "novelty" else ""
    print(f"# For okpca fit{detector} --config THIS.toml: what it is for is {goal}.")
    if suggestion.caution:
        print(f"# {suggestion.caution}")
    for name, value in suggestion.params.items():
        print(f"# {' '.join(suggestion.reasons[name].split())}")
        print(f"{name} = {dumped('none' if value is None else value)}")
    return OK


def merge(paths: list[str], output: str, manners: Any) -> int:
    import okpca
    from okpca.estimator.description import kernel_in_words

    writable(output)
    found = [sources.opened(path) for path in paths]
    for path, (model, columns) in zip(paths, found, strict=True):
        if not isinstance(model, okpca.OnlineKernelPCA):
            raise Refused(USAGE, f"{path}: a {type(model).__name__} cannot be merged.")
        refuse_unfitted(model, path)
        if columns != found[0][1]:
            raise Refused(USAGE, f"{path}: columns {columns} are not {found[0][1]} of {paths[0]}.")
    first = found[0][0]
    for path, (model, _) in zip(paths, found, strict=True):
        if model.kernel_ != first.kernel_:
            raise Refused(
                USAGE,
                f"{path} has another kernel than {paths[0]}: {kernel_in_words(model.kernel_)}, not "
                f"{kernel_in_words(first.kernel_)}. Width and scale that come from the first rows "
                "are each its own: fit both with a number for --gamma and no --scale, or let one "
                "model learn all rows (okpca update, or fit --dask local).",
            )
    with refusing(USAGE):
        merged = okpca.merge([model for model, _ in found])
    columns, line = found[0][1], command_history.command("merge", *paths)
    place = {"columns": columns, "commands": [line]}
    sources.save(merged, output, columns, sources.are_names(columns), place)
    tell(merged, output, manners)
    return OK


def compress(path: str, atoms: int, output: str, manners: Any) -> int:
    writable(output)
    if atoms < 1:
        raise Refused(USAGE, f"--atoms {atoms}: at least 1.")
    model, columns = sources.opened(path)
    if not hasattr(model, "compress"):
        raise Refused(USAGE, f"{path}: a {type(model).__name__} cannot be compressed.")
    refuse_unfitted(model, path)
    if atoms >= model.n_atoms_:
        text = f"{path} has {model.n_atoms_} atoms, so --atoms {atoms} leaves it as it is."
        warnings.warn(text, stacklevel=2)
    with refusing(USAGE):
        model.compress(atoms)
    line = command_history.command("compress", path, atoms=atoms)
    place = {
        "columns": columns,
        "commands": command_history.after(command_history.before(path), line),
    }
    sources.save(model, output, columns, sources.are_names(columns), place)
    tell(model, output, manners)
    return OK
