"""From words of the command line, or of a TOML file, to what estimators take."""

from __future__ import annotations

import json
import tomllib
from typing import Any

from okpca.cli.estimator_parameters import DETECTOR, parameters
from okpca.cli.exits import USAGE, Refused, refusing

ROOMS = {
    "kernel": "kernels",
    "rule": "rules",
    "dictionary": "dictionary",
    "on_full": "model",
    "robust": "model",
    "preimage": "preimage",
}
"""Where the classes are that a parameter may be an object of."""

REPEATABLE = {"random_state": 0}
"""What the prompt has of its own: a run that is begun again must come to the same."""


def made(
    estimator: str, given: dict[str, Any], config: str | None, on_bad_row: str = "raise"
) -> Any:
    """The estimator with the parameters of a file and, over them, those of the command line."""
    import okpca
    from okpca.estimator.parameters import make_kernel

    known = parameters(estimator)
    chosen = {name: value for name, value in given.items() if value is not None}
    for name in chosen:
        if name not in known:
            other = "--detector" if estimator == "OnlineKernelPCA" else "models without --detector"
            raise Refused(USAGE, f"--{name.replace('_', '-')} is for {other}: leave it out.")
    values = REPEATABLE | _of_file(config, estimator) | chosen
    if estimator != DETECTOR and values.get("n_components") == "auto":
        where = "" if config is None else f"{config}: "
        raise Refused(USAGE, f"{where}n_components = auto is a detector's: say --detector.")
    if values.get("shuffle"):
        raise Refused(USAGE, "--shuffle: a stream is learned in its order; shuffle the file.")
    if on_bad_row == "impute":
        values = {"missing": "impute"} | values
    values = {name: _value(name, value) for name, value in values.items()}
    with refusing(USAGE):
        model = getattr(okpca, estimator)(**values)
        model._validate_params()
        make_kernel(model)
    return model


def _of_file(config: str | None, estimator: str) -> dict[str, Any]:
    if config is None:
        return {}
    with refusing(USAGE, f"{config}: "), open(config, "rb") as file:
        found = tomllib.load(file)
    found = {name.replace("-", "_"): value for name, value in found.items()}
    for name in found:
        if name not in parameters(estimator):
            raise Refused(
                USAGE,
                f"{config}: {name} is no parameter of {estimator}; there are "
                f"{', '.join(parameters(estimator))}.",
            )
    return found


def _value(name: str, given: Any) -> Any:
    """A number, none, true, JSON, or a word; an object as the code that builds it."""
    if not isinstance(given, str):
        return given
    if given.lower() in ("none", "null"):
        return None
    for read in (json.loads, float):
        try:
            return read(given)
        except ValueError:
            continue
    if "(" in given and name in ROOMS:
        return _object(name, given)
    return given


def _object(name: str, code: str) -> Any:
    from okpca.io.allowed_classes import kinds
    from okpca.io.estimators import at_home
    from okpca.io.kernel_code import parsed

    at_home()
    room = ROOMS[name] + "."
    names = {key.removeprefix(room): kind for key, kind in kinds().items() if key.startswith(room)}
    with refusing(USAGE, f"--{name.replace('_', '-')}: "):
        return parsed(code, names)
