"""SQL as Spark writes it, where it writes it in another way than DuckDB."""

from __future__ import annotations

from veracity.errors import InvalidParameter

#: What both engines take for a number. Java would also read 1d and 0x1p3.
NUMBER = (
    "^ *[+-]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][+-]?[0-9]+)? *$|^ *[+-]?([nN][aA][nN]|[iI][nN][fF]"
    "|[iI][nN][fF][iI][nN][iI][tT][yY]) *$"
)
#: How a time begins. Spark would also read a year alone, or an hour of today.
MOMENT = "^ *[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}"

#: Signs of strptime in the letters of Java.
TIME_SIGNS = {
    "Y": "yyyy",
    "y": "yy",
    "m": "M",
    "d": "d",
    "H": "H",
    "I": "h",
    "M": "m",
    "S": "s",
    "f": "SSSSSS",
    "p": "a",
    "b": "MMM",
    "B": "MMMM",
    "j": "D",
    "z": "xx",
    "F": "yyyy-M-d",
    "T": "H:m:s",
    "%": "'%'",
}

#: Spark's names of types as DuckDB's; any other is the same in capitals.
TYPES = {
    "string": "VARCHAR",
    "int": "INTEGER",
    "timestamp": "TIMESTAMP WITH TIME ZONE",
    "timestamp_ntz": "TIMESTAMP",
}


class SparkDialect:
    """SQL as Spark writes it."""

    carried: tuple[str, ...] = ("rowid",)
    tiny = "TINYINT"

    def literal(self, text: str) -> str:
        """Write text as a literal."""
        escaped = text.replace("\\", "\\\\").replace("'", "\\'")
        return f"'{escaped}'"

    def constant(self, text: str) -> str:
        """Return a label that all rows have."""
        return self.literal(text)

    def number(self, cell: str) -> str:
        """Return a cell as a double, null where it is no number."""
        text = f"CAST({cell} AS STRING)"
        return f"CASE WHEN {text} RLIKE {self.literal(NUMBER)} THEN TRY_CAST({text} AS DOUBLE) END"

    def matches(self, cell: str, pattern: str) -> str:
        """Return the condition that a text matches a regular expression."""
        return f"{cell} RLIKE {self.literal(pattern)}"

    def seconds(self, cell: str) -> str:
        """Return the seconds since 1970 of a time in ISO 8601, null where it is none."""
        text = f"CAST({cell} AS STRING)"
        moment = f"CASE WHEN {text} RLIKE '{MOMENT}' THEN TRY_CAST({text} AS TIMESTAMP) END"
        return f"CAST(unix_micros({moment}) AS DOUBLE) / 1e6"

    def seconds_as(self, cell: str, form: str) -> str:
        """Return the seconds since 1970 of a time written in the form that the user gave."""
        moment = f"try_to_timestamp(CAST({cell} AS STRING), {self.literal(java_form(form))})"
        return f"CAST(unix_micros({moment}) AS DOUBLE) / 1e6"


def java_form(form: str) -> str:
    """Return a form of times, such as ``%d/%m/%Y``, as Java writes it.

    >>> java_form("%d/%m/%Y %H:%M")
    'd/M/yyyy H:m'
    """
    written, signs = "", iter(form)
    for sign in signs:
        if sign == "%":
            code = next(signs, "")
            if code not in TIME_SIGNS:
                raise InvalidParameter(
                    f"The Spark engine cannot read times written as {form!r}: it does not know "
                    f"%{code}. It knows {', '.join(f'%{known}' for known in TIME_SIGNS)}."
                )
            written += TIME_SIGNS[code]
        else:
            written += f"'{sign}'" if sign.isalpha() else "''" if sign == "'" else sign
    return written


def type_name(simple: str) -> str:
    """Return the name that DuckDB has for a type of Spark, without its parameters."""
    bare = simple.split("(")[0]
    return TYPES.get(bare, bare.upper())
