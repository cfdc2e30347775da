"""Arguments of public functions: what came and what was expected, in our own words."""

from __future__ import annotations

import functools
import inspect
import os
from collections.abc import Callable, Collection
from typing import Any, TypeVar

from veracity.errors import InvalidParameter, UnknownArgument, listing, suggestion

Function = TypeVar("Function", bound=Callable[..., Any])


def came(value: object) -> str:
    """Describe an argument: its value, cut where that is long, and its type."""
    if value is None:
        return "None"
    text = " ".join(repr(value).split())
    shown = text if len(text) <= 40 else text[:39] + "…"
    kind = type(value).__name__
    return f"{shown}, {'an' if kind[:1].lower() in 'aeiou' else 'a'} {kind}"


def must_be(name: str, expected: str, value: object) -> InvalidParameter:
    """Return the error for an argument of the wrong type."""
    return InvalidParameter(f"{name} must be {expected}. Got {came(value)}, instead.")


def check_path(name: str, value: object) -> None:
    """Refuse what is no path."""
    if not isinstance(value, str | os.PathLike):
        raise must_be(name, "a path", value)


def check_keywords(called: str, given: Collection[str], known: Collection[str]) -> None:
    """Refuse keyword arguments that a function does not have, and offer those it has."""
    for name in given:
        if name in known:
            continue
        near = suggestion(name, known)
        hint = f";{near[0]}{near[1].lower()}{near[2:]}" if near else "."
        rest = "" if near else f" Its arguments are: {listing(known, 40)}."
        raise UnknownArgument(f"{called}() has no argument {name!r}{hint}{rest}")


def knows_arguments(options: Collection[str] = ()) -> Callable[[Function], Function]:
    """Let a function refuse unknown keyword arguments in our words; it takes `options`, too."""

    def decorate(function: Function) -> Function:
        parameters = inspect.signature(function).parameters.values()
        named = [
            parameter.name
            for parameter in parameters
            if parameter.kind in (parameter.POSITIONAL_OR_KEYWORD, parameter.KEYWORD_ONLY)
            and parameter.name not in ("cls", "self")
        ]
        known = list(dict.fromkeys([*named, *sorted(options)]))

        @functools.wraps(function)
        def checked(*arguments: Any, **keywords: Any) -> Any:
            check_keywords(function.__qualname__, keywords, known)
            return function(*arguments, **keywords)

        return checked  # type: ignore[return-value]

    return decorate
