"""`transform`, `score` and `denoise`: a model applied to rows, in their order."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from okpca.cli import sources
from okpca.cli.exits import DATA, USAGE, Refused, refusing
from okpca.cli.messages import about
from okpca.cli.models import refuse_unable, refuse_unfitted
from okpca.cli.output import CARRIED, Part, kind_of, write

Of = Callable[[Any, list[str]], Part]
"""From rows and their columns to columns of results. Rows come in their order: it may depend on
those before them."""


def transform(model: Any) -> Of:
    import numpy as np

    def of(rows: Any, names: list[str]) -> Part:
        Y = np.asarray(model.transform(rows))  # a frame, if set_output was told so
        return {f"component{j + 1}": Y[:, j] for j in range(Y.shape[1])}

    return of


def denoise(model: Any) -> Of:
    import numpy as np

    def of(rows: Any, names: list[str]) -> Part:
        names = [f"denoised {name}" if name in CARRIED else name for name in names]
        return dict(zip(names, np.asarray(model.denoise(rows)).T, strict=True))

    return of


def score(model: Any) -> Of:
    """SPE and T²; of a detector, whether that is an alarm, too."""
    from okpca import OnlineKernelPCA
    from okpca.detection import KernelNoveltyDetector
    from okpca.estimator.pipeline import split

    before, judge = split(model)
    if isinstance(judge, KernelNoveltyDetector):
        found = _judged(judge)
    elif isinstance(judge, OnlineKernelPCA):
        found = _scored(judge)
    else:
        raise Refused(USAGE, f"a {type(judge).__name__} has no SPE and T²: score it in Python.")
    if before is None:
        return found
    return lambda rows, names: found(before.transform(rows), names)


def _judged(judge: Any) -> Of:
    from okpca.detection.fitted import NOTHING, scored
    from okpca.detection.limits import exceeds

    since = NOTHING

    def of(rows: Any, names: list[str]) -> Part:
        nonlocal since
        values, limits, decides, since = scored(judge, rows, since)
        found = dict(zip(limits.names, values.T, strict=True))
        return {**found, "alarm": exceeds(found[decides], limits.of(decides))}

    return of


def _scored(model: Any) -> Of:
    from okpca.report.subject import Subject

    subject = Subject.of(model)
    return lambda rows, names: dict(zip(subject.statistics, subject.scores(rows).T, strict=True))


def apply(path: str, data: list[str], output: str, of: Callable[[Any], Of], needs: str, source: Any,
          manners: Any) -> int:  # fmt: skip
    sources.refuse_unreadable(data, source)
    kind_of(output, manners["as_json"])  # refused before the first row
    model, names = sources.opened(path)
    refuse_unable(model, path, needs)
    refuse_unfitted(model, path)
    source = sources.by_model(source, model, names)
    source = sources.as_they_come(data, source)
    write(output, manners["as_json"], _parts(of(model), data, source))
    return 0


def _parts(of: Of, data: list[str], source: Any) -> Iterator[Part]:
    n = 0
    for block in sources.Blocks(data, source):
        n += 1
        about(block.columns)
        with refusing(DATA, f"{', '.join(data)}, from row {block.number[0]}: "):
            found = of(block.rows, block.columns)
        carried = {"id": block.ids, "time": block.times}
        yield {
            "row": block.number,
            **{name: value for name, value in carried.items() if value is not None},
            **found,
        }
    if n == 0:
        raise Refused(DATA, f"{', '.join(data)}: there is no row in it.")
