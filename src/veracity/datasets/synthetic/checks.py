"""Checks of parameters, each with a message that says what came and what was expected."""

from __future__ import annotations

from veracity.errors import InvalidParameter, listing


def require(holds: bool, name: str, expected: str, got: object) -> None:
    """Raise `InvalidParameter` unless ``holds``."""
    if not holds:
        raise InvalidParameter(f"{name} must be {expected}. Got {got!r} instead.")


def require_share(name: str, got: float, *, below_one: bool = False) -> None:
    """Raise `InvalidParameter` unless ``got`` is a share."""
    if below_one:
        require(0 <= got < 1, name, "at least 0 and below 1", got)
    else:
        require(0 <= got <= 1, name, "between 0 and 1", got)


def require_at_least(name: str, got: float, least: float) -> None:
    """Raise `InvalidParameter` if ``got`` is too small or no number."""
    require(got >= least, name, f"at least {least}", got)


def require_choice(name: str, got: object, choices: tuple[str, ...]) -> None:
    """Raise `InvalidParameter` unless ``got`` is one of the choices."""
    require(got in choices, name, f"one of {listing(choices)}", got)
