"""`report`: a model and what it makes of rows, as one page."""

from __future__ import annotations

from typing import Any

from okpca._core.plural import several
from okpca.cli import command_history, sources
from okpca.cli.checkpoints import writable
from okpca.cli.exits import DATA, OK, USAGE, Refused, refusing, say
from okpca.cli.output import STDOUT, dumped, replaced


def report(path: str, data: list[str], output: str, title: str | None, source: Any,
           manners: Any) -> int:  # fmt: skip
    sources.refuse_unreadable(data, source)
    if output != STDOUT:
        writable(output)
    elif manners["as_json"]:
        raise Refused(USAGE, "--json goes to stdout, and so does the page: name a file by -o.")
    line = command_history.command("report", path, *data, source=source, title=title, output=output)
    found = made(path, data, source, title, line)
    if output == STDOUT:
        print(found.html, end="")
        return OK
    with replaced(output) as beside, open(beside, "w", encoding="utf-8") as file:
        file.write(found.html)
    if manners["as_json"]:
        print(dumped({"page": output, **found.summary}))
    elif not manners["quiet"]:
        say(f"{output}: {_told(found.summary)}.")
    return OK


def made(path: str, data: list[str], source: Any, title: str | None, line: str) -> Any:
    """The report, with the commands that led to it."""
    from okpca import io
    from okpca.report import report as reported
    from okpca.report.subject import Subject

    model, names = sources.opened(path)
    with refusing(USAGE, f"{path}: "):
        Subject.of(model)  # refused before the first row
        header = io.header(path)
    with refusing(DATA, f"{', '.join(data)}: "):
        return reported(
            model,
            sources.Blocks(data, sources.by_model(source, model, names)),
            title=title or f"{path} and {', '.join(data)}",
            commands=[*command_history.to_type_again(command_history.before(path), path), line],
            versions=", ".join(f"{name} {of}" for name, of in header["versions"].items()),
        )


def _told(summary: dict[str, Any]) -> str:
    parts = [several(summary["rows"], "rows")]
    if summary["alarms"] is not None:
        parts.append(several(summary["alarms"], "alarms"))
    drift = summary["drift"]
    if drift is not None and drift["since"] is not None:
        parts.append(f"drift of {drift['what']} by row {drift['since']}")
    return ", ".join(parts)
