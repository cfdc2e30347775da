"""Errors of DuckDB: which of them the data are to blame for, and how users are told."""

from __future__ import annotations

import duckdb

from veracity.errors import InputError

#: What DuckDB says of a CSV file whose lines end in different ways.
MIXED_ENDS = "state machine reached an invalid state"
#: Errors after which a database is of no more use.
FATAL = (duckdb.FatalException, duckdb.InternalException)
#: Errors that come from what is read, and not from what was asked.
OF_THE_DATA = (
    *FATAL,
    duckdb.ConversionException,
    duckdb.InvalidInputException,
    duckdb.NotImplementedException,
    duckdb.OutOfRangeException,
    duckdb.SerializationException,
)
#: How much of an error of the engine is shown.
ERROR_SHOWN = 300


def is_of_the_data(error: duckdb.Error) -> bool:
    """Say whether what is read is to blame for an error.

    DuckDB's errors have a kind, except those that decoders of files raised behind its back.
    """
    return isinstance(error, OF_THE_DATA) or type(error) is duckdb.Error


def first_line(error: Exception) -> str:
    """Return the first line of an error, shortened: it may quote a long piece of the file."""
    line = next(iter(str(error).strip().splitlines()), type(error).__name__)
    return line if len(line) <= ERROR_SHOWN else line[:ERROR_SHOWN] + "…"


def unreadable(error: Exception, what: object = "The table", kind: str = "") -> InputError:
    """Say that something could not be read, and as what kind of file."""
    hint = ""
    if MIXED_ENDS in str(error):
        hint = (
            " Perhaps its lines end in different ways, or a quotation mark stands in the midst of "
            "a cell: write all lines with the same end, and double quotation marks within cells."
        )
    read = f"read as {kind}" if kind else "read"
    return InputError(f"{what} could not be {read}: {first_line(error)}{hint}")
