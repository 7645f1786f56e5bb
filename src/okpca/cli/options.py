"""Options that several commands share, and those that the estimators' parameters become."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from inspect import Parameter, Signature, signature
from typing import Annotated, Any

import typer

from okpca._core.choices import KINDS, ON_BAD_ROW
from okpca.cli.estimator_parameters import DETECTOR, HOMES, Declared, parameters
from okpca.cli.exits import SIGNALLED, Refused
from okpca.cli.messages import hear_warnings
from okpca.cli.option_values import REPEATABLE


def option(
    name: str,
    kind: Any,
    default: Any,
    *spelled: str,
    help: str,
    choices: Sequence[str] = (),
    shown: str = "",
    **more: Any,
) -> Parameter:
    if choices:
        help = f"{help.rstrip('.')}: {', '.join(choices)}"
        more["autocompletion"] = _beginning(choices)
    help = f"{help} ({shown})" if shown else help
    told = Annotated[kind, typer.Option(*spelled, help=help, **more)]
    return Parameter(name, Parameter.KEYWORD_ONLY, default=default, annotation=told)


def _beginning(choices: Sequence[str]) -> Callable[[str], list[str]]:
    """For the shell, which completes words."""

    def found(incomplete: str) -> list[str]:
        return [choice for choice in choices if choice.startswith(incomplete)]

    return found


SOURCE = (
    option("columns", list[str] | None, None, "--columns", "-c",
           help="Columns to take, by name or range first:last; give it again for more."),
    option("id", str | None, None, "--id", help="A column that is carried along."),
    option("time", str | None, None, "--time",
           help="A column of times, carried along, too: the axis of charts."),
    option("format", str | None, None, "--format", choices=KINDS,
           help="Of the files, if their names do not say."),
    option("header", bool, True, "--header/--no-header", help="Is the first line of CSV names?"),
    option("delimiter", str | None, None, "--delimiter", help="Of CSV, if not to be guessed."),
    option("decimal", str, ".", "--decimal", help="The decimal point of CSV's numbers: . or ,"),
    option("on_bad_row", str, "raise", "--on-bad-row", choices=ON_BAD_ROW,
           help="A row with what is no number; impute has the model fill it in."),
    option("rows", int, 10_000, "--block-rows", help="Rows at a time, at most."),
)  # fmt: skip
KEEPING = (
    option("checkpoint", str | None, None, "--checkpoint",
           help="A file for state and place in the source, now and then."),
    option("every", str | None, None, "--every",
           help="How often: 60s, if not given, 5min or 100000rows."),
    option("resume", bool, False, "--resume", help="Go on from the checkpoint, if there is one."),
)  # fmt: skip
QUIET = (option("quiet", bool, False, "--quiet", "-q", help="Say nothing but errors."),)
MANNERS = (*QUIET, option("as_json", bool, False, "--json", help="JSON on stdout."))


def of_estimators(*estimators: str) -> tuple[Parameter, ...]:
    """An option for every parameter of any of them; None where it is not given."""
    found: dict[str, Declared] = {}
    for estimator in estimators or HOMES:
        found = parameters(estimator) | found
    other = {} if estimators else parameters(DETECTOR)
    return tuple(_parameter(of, other.get(name, of)) for name, of in found.items())


def _parameter(of: Declared, of_detector: Declared) -> Parameter:
    spelled = "--" + of.name.replace("_", "-")
    names = f"{spelled}/--no-{spelled[2:]}" if of.is_flag else spelled
    default, other = _default(of), _default(of_detector)
    shown = default if other == default else f"{default}; with --detector {other}"
    kind: Any = bool | None if of.is_flag else str | None
    more: dict[str, Any] = {"choices": of.choices, "shown": shown, "show_default": False}
    return option(of.name, kind, None, names, help=of.help, **more)


def _default(of: Declared) -> str:
    value = REPEATABLE.get(of.name, of.default)
    return "none" if value is None else str(value).lower()


def taking(**groups: Sequence[Parameter]) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """The function takes each group of options as one dict; its command shows them all. One of them
    is its `manners`."""

    def decorated(function: Callable[..., Any]) -> Callable[..., Any]:
        def called(**given: Any) -> Any:
            for group, members in groups.items():
                given[group] = {member.name: given.pop(member.name) for member in members}
            hear_warnings(given["manners"]["quiet"])
            try:
                return function(**given)
            except KeyboardInterrupt:
                raise Refused(SIGNALLED + 2, "stopped, and nothing was written.") from None

        own = signature(function, eval_str=True).parameters.values()
        shown = [
            one.replace(kind=Parameter.KEYWORD_ONLY)
            for one in own
            if one.kind is not Parameter.VAR_KEYWORD
        ]
        shown += [member for members in groups.values() for member in members]
        called.__signature__ = Signature(shown)  # type: ignore[attr-defined]
        called.__annotations__ = {one.name: one.annotation for one in shown}
        called.__name__, called.__doc__ = function.__name__, function.__doc__
        return called

    return decorated
