"""Values of options that need no conversion.

typer converts every value by pydantic, also texts and what nobody gave. To import that and to make
a converter for each option takes a tenth of the time of a small run.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

#: Types whose values are what they are, once they have the type. What a command line says is text,
#: so that a number is a default.
PLAIN = (str, bool, int, float)


def keep_plain_values(command: Any) -> None:
    """Let a command, and the commands in it, take values as they are if they have their type."""
    command.get_params = partial(_lean_parameters, command.get_params)
    for part in getattr(command, "commands", {}).values():
        keep_plain_values(part)


def _lean_parameters(get_params: Callable[[Any], list[Any]], context: Any) -> list[Any]:
    """Return the parameters of a command, each of which converts only what it has to."""
    parameters = get_params(context)
    for parameter in parameters:
        if not isinstance(parameter.process_value, partial):
            parameter.process_value = partial(_processed, parameter, parameter.process_value)
    return parameters


def _processed(parameter: Any, convert: Callable[[Any, Any], Any], context: Any, value: Any) -> Any:
    """Return the value of a parameter, converted only where it has to be."""
    if value is None and not parameter.required:
        value = () if parameter.multiple or parameter.nargs == -1 else None
    elif type(value) is not _plain_type(parameter):
        return convert(context, value)
    return value if parameter.callback is None else parameter.callback(context, parameter, value)


def _plain_type(parameter: Any) -> type | None:
    """Return the type that values of a parameter have; None if that is not all there is to it."""
    described = getattr(parameter, "type_descriptor", None)
    if described is None or described.is_path or described.is_choice:
        return None
    return described.annotation if described.annotation in PLAIN else None
