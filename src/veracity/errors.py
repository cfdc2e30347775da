"""Exceptions, whose messages say what came, what was expected and what to do."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches
from itertools import islice


class VeracityError(Exception):
    """Base of every error that this package raises on purpose."""


class InputError(VeracityError, ValueError):
    """The user's table, file or folder cannot be used as it is."""


class MissingColumn(InputError, KeyError):
    """A needed column is not in the table."""

    def __str__(self) -> str:  # KeyError would show the message in quotes
        return str(self.args[0])


class AmbiguousColumn(InputError):
    """Several columns of the table could play the same role."""


class InvalidParameter(VeracityError, ValueError):
    """An argument or option has a value that it cannot have."""


class UnknownArgument(InvalidParameter, TypeError):
    """A function is called with a keyword argument that it does not have."""


class OutputError(VeracityError, OSError):
    """The results cannot be written where the user wants them."""


class NotFitted(VeracityError, AttributeError):
    """A model is asked for what it only knows after ``fit``."""


class MissingDependency(VeracityError, ImportError):
    """An optional library is needed and is not installed."""


class ImpossibleResult(VeracityError, ArithmeticError):
    """A model came to a number that cannot be: a fault of this package, not of the user's data."""


class ConvergenceWarning(UserWarning):
    """A fit ended before it had converged; its result is kept."""


class ReportWarning(UserWarning):
    """The report of a run could not be made; its results are kept."""


#: So many names are compared with a wrong one: each takes some ten microseconds.
MOST_COMPARED = 1_000


def needs(library: str, purpose: str, extra: str | None = None) -> MissingDependency:
    """Say which library is missing, for what, and how to get it: alone or by an extra of ours."""
    package = library if extra is None else f"'veracity[{extra}]'"
    return MissingDependency(f"{purpose} needs {library}: install it with `pip install {package}`.")


def suggestion(name: str, known: Iterable[str]) -> str:
    """Offer the known names that look like ``name``, of the first thousand, or nothing."""
    folded = {candidate.casefold(): candidate for candidate in islice(known, MOST_COMPARED)}
    close = get_close_matches(name.casefold(), folded, n=3, cutoff=0.6)
    if not close:
        return ""
    return f" Did you mean {' or '.join(repr(folded[match]) for match in close)}?"


def listing(names: Iterable[object], limit: int = 12) -> str:
    """Write names as a comma-separated list, cut after ``limit``."""
    shown = [str(name) for name in names]
    rest = len(shown) - limit
    return ", ".join(shown[:limit]) + (f" and {rest} more" if rest > 0 else "")
