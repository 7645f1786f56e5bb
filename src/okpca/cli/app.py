"""The commands: names, options, help. What they do is imported when they run."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from okpca.cli.options import KEEPING, MANNERS, QUIET, SOURCE, of_estimators, taking

app = typer.Typer(
    name="okpca",
    help="Online kernel PCA: streams in, models out. Data on stdout, everything else on stderr.",
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)

Data = Annotated[
    list[str], typer.Argument(metavar="DATA", help="Files, folders, patterns; - is standard input.")
]
ModelFile = Annotated[str, typer.Argument(metavar="MODEL", help="A model file (.okpca).")]
ModelFiles = Annotated[list[str], typer.Argument(metavar="MODEL", help="Model files (.okpca).")]
NewModel = Annotated[str, typer.Option("--output", "-o", help="The model file to write.")]
Results = Annotated[
    str, typer.Option("--output", "-o", help=".csv, .ndjson, .parquet, .npy, or - for stdout.")
]


def _version(asked: bool) -> None:
    if asked:
        from okpca._core.version import __version__

        print(__version__)
        raise typer.Exit


@app.callback(invoke_without_command=True)
def options(
    version: Annotated[
        bool,
        typer.Option("--version", callback=_version, is_eager=True, help="Which okpca this is."),
    ] = False,
) -> None:
    """Nothing by itself."""


@app.command()
@taking(parameters=of_estimators(), source=SOURCE, keeping=KEEPING, manners=MANNERS)
def fit(
    data: Data,
    output: NewModel,
    detector: Annotated[bool, typer.Option("--detector", help="A KernelNoveltyDetector.")] = False,
    config: Annotated[str | None, typer.Option("--config", help="Parameters in TOML.")] = None,
    dask: Annotated[
        str | None,
        typer.Option(
            "--dask",
            metavar="ADDRESS|local",
            help="Files are learned side by side: by the workers of a Dask scheduler, or by one "
            "for each core.",
        ),
    ] = None,
    passes: Annotated[
        int, typer.Option("--passes", help="With --dask: 2 goes over the files once more.")
    ] = 1,
    streams: Annotated[
        int | None,
        typer.Option(
            "--streams", help="With --dask: files in so many streams rather than one each."
        ),
    ] = None,
    **groups: Any,
) -> int:
    """Learn a new model from rows, in their order."""
    from okpca.cli.commands import fit_update

    cluster = {"dask": dask, "passes": passes, "streams": streams}
    return fit_update.fit(data, output, detector, config, cluster, **groups)


@app.command()
@taking(source=SOURCE, keeping=KEEPING, manners=MANNERS)
def update(
    model: ModelFile,
    data: Data,
    output: Annotated[str | None, typer.Option("--output", "-o", help="Not in place.")] = None,
    **groups: Any,
) -> int:
    """Teach a model more rows; the file as it was before is kept as MODEL~."""
    from okpca.cli.commands import fit_update

    return fit_update.update(model, data, output or model, **groups)


@app.command()
@taking(source=SOURCE, manners=MANNERS)
def transform(model: ModelFile, data: Data, output: Results = "-", **groups: Any) -> int:
    """Project rows on the components."""
    from okpca.cli.commands import transform_score_denoise as of

    return of.apply(model, data, output, of.transform, "transform", **groups)


@app.command()
@taking(source=SOURCE, manners=MANNERS)
def score(model: ModelFile, data: Data, output: Results = "-", **groups: Any) -> int:
    """SPE and T² of rows; of a detector, whether that is an alarm. Nothing is learned."""
    from okpca.cli.commands import transform_score_denoise as of

    return of.apply(model, data, output, of.score, "score_samples", **groups)


@app.command()
@taking(source=SOURCE, manners=MANNERS)
def denoise(model: ModelFile, data: Data, output: Results = "-", **groups: Any) -> int:
    """Rows without what the components leave out, in their own units."""
    from okpca.cli.commands import transform_score_denoise as of

    return of.apply(model, data, output, of.denoise, "denoise", **groups)


@app.command()
@taking(
    parameters=of_estimators("KernelNoveltyDetector"), source=SOURCE, keeping=KEEPING, manners=QUIET
)
def monitor(
    data: Data,
    output: Annotated[
        str, typer.Option("--output", "-o", help="Alarms, as NDJSON; - is stdout.")
    ] = "-",
    start: Annotated[
        str | None, typer.Option("--start", metavar="MODEL", help="A detector to go on from.")
    ] = None,
    save: Annotated[
        str | None, typer.Option("--save", metavar="MODEL", help="Where it is kept at the end.")
    ] = None,
    config: Annotated[str | None, typer.Option("--config", help="Parameters in TOML.")] = None,
    follow: Annotated[
        bool, typer.Option("--follow", help="Wait for what is appended to a file, for ever.")
    ] = False,
    **groups: Any,
) -> int:
    """Learn and judge rows as they come: a line for every alarm, with the columns to blame."""
    from okpca.cli.commands import monitor

    begun = {"start": start, "config": config}
    return monitor.monitor(data, output, save, follow, begun, **groups)


@app.command()
@taking(manners=MANNERS)
def inspect(model: ModelFile, **groups: Any) -> int:
    """What a model has learned, and how far it may be off."""
    from okpca.cli.commands import inspect_verify

    return inspect_verify.inspect(model, **groups)


@app.command()
@taking(manners=MANNERS)
def verify(models: ModelFiles, **groups: Any) -> int:
    """Are model files whole and sound? Exit code 4 if one is not."""
    from okpca.cli.commands import inspect_verify

    return inspect_verify.verify(models, **groups)


@app.command()
@taking(source=SOURCE, manners=MANNERS)
def suggest(
    data: Data,
    goal: Annotated[
        str, typer.Option(help="What the model is for: features, denoise or novelty.")
    ] = "features",
    **groups: Any,
) -> int:
    """Propose parameters, each with its reason; --json, or as TOML for --config."""
    from okpca.cli.commands import suggest_merge_compress

    return suggest_merge_compress.suggest(data, goal, **groups)


@app.command()
@taking(manners=MANNERS)
def merge(models: ModelFiles, output: NewModel, **groups: Any) -> int:
    """One model of the rows of all."""
    from okpca.cli.commands import suggest_merge_compress

    return suggest_merge_compress.merge(models, output, **groups)


@app.command()
@taking(manners=MANNERS)
def compress(
    model: ModelFile,
    atoms: Annotated[int, typer.Option("--atoms", help="How many are left, at most.")],
    output: NewModel,
    **groups: Any,
) -> int:
    """The same components by fewer atoms, moved to where they keep most."""
    from okpca.cli.commands import suggest_merge_compress

    return suggest_merge_compress.compress(model, atoms, output, **groups)


@app.command()
@taking(source=SOURCE, manners=QUIET)
def plot(
    kind: Annotated[
        str,
        typer.Argument(
            metavar="KIND",
            help="spectrum, projection, contour, control, contributions, reconstruction, growth, "
            "drift or suggestion.",
        ),
    ],
    files: Annotated[
        list[str],
        typer.Argument(
            metavar="MODEL [DATA...]", help="A model file, and rows (of a suggestion, rows alone)."
        ),
    ],
    output: Annotated[str, typer.Option("--output", "-o", help=".png, .svg or .pdf.")],
    goal: Annotated[str, typer.Option(help="Of a suggestion.")] = "features",
    **groups: Any,
) -> int:
    """Draw a display of okpca.plots."""
    from okpca.cli.commands import plot

    return plot.plot(kind, files, output, goal, **groups)


@app.command()
@taking(source=SOURCE, manners=MANNERS)
def report(
    model: ModelFile,
    data: Data,
    output: Annotated[str, typer.Option("--output", "-o", help="The page; - is stdout.")],
    title: Annotated[str | None, typer.Option(help="Of the page.")] = None,
    **groups: Any,
) -> int:
    """One page of a model and what it makes of rows: charts, incidents, drift, certificate."""
    from okpca.cli.commands import report

    return report.report(model, data, output, title, **groups)


@app.command()
@taking(manners=QUIET)
def demo(
    folder: Annotated[str, typer.Option(help="For its files.")] = "okpca-demo", **groups: Any
) -> int:
    """A stream is learned and watched, and what goes wrong in it is found: less than a minute."""
    from okpca.cli import demo as story

    return story.demo(folder, **groups)
