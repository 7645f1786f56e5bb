"""`transform`, `score` and `denoise`: a model applied to rows, in their order."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from okpca.cli import sources
from okpca.cli.exits import DATA, USAGE, Refused, refusing
from okpca.cli.output import CARRIED, Part, kind_of, write
from okpca.cli.voice import about

Of = Callable[[Any, Any, list[str]], Part]
"""From a model, rows and their columns to columns of results."""


def transform(model: Any, rows: Any, names: list[str]) -> Part:
    Y = model.transform(rows)
    return {f"component{j + 1}": Y[:, j] for j in range(Y.shape[1])}


def denoise(model: Any, rows: Any, names: list[str]) -> Part:
    names = [f"denoised {name}" if name in CARRIED else name for name in names]
    return dict(zip(names, model.denoise(rows).T, strict=True))


def score(model: Any, rows: Any, names: list[str]) -> Part:
    """SPE and T²; of a detector, whether that is an alarm, too."""
    import numpy as np

    from okpca.detection import KernelNoveltyDetector

    if isinstance(model, KernelNoveltyDetector):
        from okpca.detection.judge import scored

        values, limits, decides = scored(model, rows)
        of = dict(zip(("spe", "t2", "combined"), values.T, strict=True))
        return {**of, "alarm": (of[decides] > limits.of(decides)).astype(int)}
    y, variance = model.transform(rows), model.explained_variance_
    variance = np.where(variance > 0, variance, np.inf)
    return {"spe": model.reconstruction_error(rows), "t2": (np.square(y) / variance).sum(axis=1)}


def apply(path: str, data: list[str], output: str, of: Of, needs: str, source: Any,
          manners: Any) -> int:  # fmt: skip
    sources.refuse_terminal(data)
    sources.check(source)
    kind_of(output, manners["as_json"])  # refused before the first row
    model, names = sources.opened(path)
    if not hasattr(model, needs):
        hint = "score it" if hasattr(model, "predict") else "fit another"
        raise Refused(USAGE, f"{path}: a {type(model).__name__} cannot {needs}: {hint}.")
    source = sources.by_model(source, model, names)
    source = sources.as_they_come(data, source)
    write(output, manners["as_json"], _parts(model, data, source, of))
    return 0


def _parts(model: Any, data: list[str], source: Any, of: Of) -> Iterator[Part]:
    n = 0
    for block in _runs(model, sources.blocks(data, source)):
        n += 1
        about(block.columns)
        with refusing(DATA, f"{', '.join(data)}, from row {block.number[0]}: "):
            found = of(model, block.rows, block.columns)
        carried = {"id": block.ids, "time": block.times}
        yield {
            "row": block.number,
            **{name: value for name, value in carried.items() if value is not None},
            **found,
        }
    if n == 0:
        raise Refused(DATA, f"{', '.join(data)}: there is no row in it.")


def _runs(model: Any, blocks: Iterator[Any]) -> Iterator[Any]:
    """All rows at once where each is judged with those before it."""
    import numpy as np

    from okpca.io import Block

    if not getattr(model, "lags", 0) and getattr(model, "ewma", 1) == 1:
        yield from blocks
        return
    found = list(blocks)
    if found:
        last = found[-1]

        def joined(name: str) -> Any:
            of = [getattr(block, name) for block in found]
            return None if of[0] is None else np.concatenate(of)

        number, ids, times = (joined(name) for name in ("number", "ids", "times"))
        yield Block(joined("rows"), last.columns, number, ids, times, last.position)
