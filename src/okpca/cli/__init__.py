"""okpca at the prompt: `okpca --help`.

`app` has the commands and nothing else: what they do is in modules that are loaded when a command
runs, so that help comes at once.
"""

from __future__ import annotations

import sys


def main() -> None:
    try:
        import typer  # noqa: F401
    except ImportError:
        print("okpca: the command line needs typer and rich: pip install 'okpca[cli]'.",
              file=sys.stderr)  # fmt: skip
        sys.exit(2)
    from okpca.cli.app import app
    from okpca.cli.exits import leave, run

    leave(run(app))


__all__ = ["main"]
