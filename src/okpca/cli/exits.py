"""How a command ends: an exit code, and one line on stderr that says what, where, what next."""

from __future__ import annotations

import errno
import os
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any, NoReturn

import typer

OK, BUG, USAGE, DATA, MODEL, SAFE = range(6)
SIGNALLED = 128  # and the signal's number, by custom: stopped, and nothing kept

CLICK: Any = next(kind for kind in typer.BadParameter.__mro__ if kind.__name__ == "ClickException")


class Refused(Exception):
    """The end of a command: an exit code and a line."""

    def __init__(self, code: int, text: str) -> None:
        super().__init__(text)
        self.code = code


def say(text: str) -> None:
    """A line for whoever watches."""
    print(f"okpca: {' '.join(text.split())}", file=sys.stderr, flush=True)


@contextmanager
def refusing(code: int, where: str = "") -> Iterator[None]:
    """What is wrong here is the user's to mend, with this exit code."""
    from okpca._core.errors import ModelFileError

    try:
        yield
    except BrokenPipeError:
        raise
    except ModelFileError as error:
        raise Refused(MODEL, str(error)) from error
    except ImportError as error:
        raise Refused(USAGE, str(error)) from error
    except (ValueError, TypeError, OSError, OverflowError) as error:
        from okpca.cli.messages import spelled

        raise Refused(code, where + spelled(told(error))) from error


def told(error: BaseException) -> str:
    if isinstance(error, OSError) and error.filename is not None:
        return f"{error.filename}: {error.strerror}"
    return str(error) or type(error).__name__


def run(app: typer.Typer, args: list[str] | None = None) -> int:
    """Call the app; the exit code."""
    args = sys.argv[1:] if args is None else args
    with warnings.catch_warnings():  # commands show them in their own way
        alone = _alone(app, args[0]) if args else None
        return (
            _run(app, args, "okpca") if alone is None else _run(alone, args[1:], f"okpca {args[0]}")
        )


def leave(code: int) -> NoReturn:
    """With this exit code. After a signal a thread of pyarrow's may still be reading: Python would
    abort on its way out, with a code of its own."""
    if code == SAFE or code > SIGNALLED:
        with suppress(OSError):
            sys.stdout.flush()
            sys.stderr.flush()
        os._exit(code)
    sys.exit(code)


def _alone(app: typer.Typer, name: str) -> typer.Typer | None:
    """One command, without the time it takes to make ready all the others."""
    for info in app.registered_commands:
        if info.callback is not None and info.callback.__name__ == name:
            one = typer.Typer(add_completion=False, rich_markup_mode=None)
            one.command()(info.callback)
            return one
    return None


def _run(app: Callable[..., Any], args: list[str], name: str) -> int:
    try:
        code = app(args, standalone_mode=False, prog_name=name)
        sys.stdout.flush()
        return code if isinstance(code, int) else OK
    except Refused as refused:
        say(str(refused))
        return refused.code
    except CLICK as error:
        return _usage(error)
    except typer.Abort:
        return SIGNALLED + 2
    except SystemExit as left:
        if _of_a_broken_pipe(left):  # typer's way with it
            return _unheard()
        return left.code if isinstance(left.code, int) else OK if left.code is None else BUG
    except BrokenPipeError:
        return _unheard()
    except Exception as error:
        if "OKPCA_DEBUG" in os.environ:
            raise
        say(
            f"a bug: {type(error).__name__}: {error}. Please report it, with what the same command "
            "says after OKPCA_DEBUG=1."
        )
        return BUG


def _of_a_broken_pipe(left: SystemExit) -> bool:
    before = left.__context__
    return isinstance(before, OSError) and before.errno == errno.EPIPE


def _usage(error: Any) -> int:
    context = getattr(error, "ctx", None)
    path = context.command_path if context else "okpca"
    text = error.format_message()
    if type(error).__name__ == "NoArgsIsHelpError":
        print(text, file=sys.stderr)
    elif text:  # without one, help has been shown
        say(f"{text.rstrip('.')}. Try: {path} --help")
    return USAGE


def _unheard() -> int:
    """Whoever read our output has had enough: no word about it, nor from Python as it ends."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return OK
