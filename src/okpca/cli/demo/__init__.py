"""`demo`: a story of okpca's own commands, in under a minute. Its data ships with scikit-learn."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from okpca.cli.exits import OK, USAGE, refusing, run


def demo(folder: str, manners: Any) -> int:
    from okpca.cli.app import app
    from okpca.cli.demo.story import Failed, told
    from okpca.plots._axes import pyplot

    place = Path(folder)
    with refusing(USAGE):
        pyplot()  # refused before the story begins, not at its end
        place.mkdir(exist_ok=True)
    try:
        told(place, lambda words: run(app, words), _say(manners["quiet"]))
    except Failed as failed:
        return failed.code
    return OK


def _say(quiet: bool) -> Any:
    """Headings and commands stand out on a terminal."""
    from rich.console import Console
    from rich.text import Text

    console = Console(highlight=False, soft_wrap=True)

    def say(line: str) -> None:
        stands_out = line[:1].isdigit() or line.lstrip().startswith("$ ")
        console.print(Text(line, style="bold" if stands_out else ""))

    return (lambda line: None) if quiet else say
