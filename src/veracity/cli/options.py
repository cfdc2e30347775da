"""Options that every command that reads claims has, and their translation for the library."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Sequence
from typing import Annotated, Any

import typer

from veracity.errors import InvalidParameter

ClaimsPath = Annotated[
    str,
    typer.Argument(
        metavar="CLAIMS",
        help="File, folder or pattern (CSV, TSV, Parquet, JSON, Arrow, SQLite, DuckDB), or "
        "a database such as postgresql://user@host/name.",
        show_default=False,
    ),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print the result as JSON and nothing else.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Print nothing but errors.")]
#: Options of commands that write a run.
Reconcile = Annotated[
    bool,
    typer.Option(
        "--reconcile",
        help="Rewrite values of sources in another format than all others, before the fit.",
    ),
]
Seed = Annotated[int, typer.Option(help="Random seed, used to break ties, for example.", min=0)]
EscapeFormulas = Annotated[
    bool,
    typer.Option(
        "--escape-formulas",
        help="Put an apostrophe before CSV cells that a spreadsheet would run as formulas.",
    ),
]
NoReport = Annotated[bool, typer.Option("--no-report", help="Write no report.html and no charts.")]

COLUMNS, ATTRIBUTES, READING = "Columns", "Attributes and values", "Reading"


def option_parameter(
    name: str, kind: Any, default: Any, panel: str, help: str, metavar: str | None = None
) -> inspect.Parameter:
    """Describe an option as a parameter of a command."""
    flag = name.replace("_", "-")
    either = f"--{flag}/--no-{flag}" if kind == bool | None else f"--{flag}"
    option = typer.Option(
        either,
        help=help,
        rich_help_panel=panel,
        metavar=metavar,
        show_default=isinstance(default, str),
    )
    return inspect.Parameter(
        name,
        inspect.Parameter.KEYWORD_ONLY,
        default=default,
        annotation=Annotated[kind, option],
    )


def _column(name: str, help: str) -> inspect.Parameter:
    return option_parameter(name, str | None, None, COLUMNS, help, "COLUMN")


def _columns(name: str, help: str) -> inspect.Parameter:
    return option_parameter(name, list[str] | None, None, COLUMNS, help, "COLUMN")


def _pairs(name: str, choices: str, help: str) -> inspect.Parameter:
    metavar = f"ATTRIBUTE={choices}"
    return option_parameter(name, list[str] | None, None, ATTRIBUTES, help, metavar)


SHAPE_PARAMETERS = (
    option_parameter(
        "shape",
        str | None,
        None,
        COLUMNS,
        "What a row is. long: a claim. records: a record of an entity, with a column for each "
        "attribute. wide: an item, with a column for each source.",
        "long|records|wide",
    ),
    _column("key", "Of records: which of them describe the same entity."),
    _columns("attributes", "Of records: attribute columns; A,B or repeated. All by default."),
    _column("record", "Of records: their own number; unique_id, record_id or id by default."),
    _column("item", "Of a wide table: what each row is about."),
    _columns("sources", "Of a wide table: source columns; A,B or repeated. All by default."),
)

READING_PARAMETERS = (
    *SHAPE_PARAMETERS,
    _column("source", "Column of the source: who claims."),
    _column("entity", "What the claim is about: entity, item, task, object."),
    _column("attribute", "Which attribute of the entity."),
    _column("value", "The claimed value."),
    _column("asserts", "1 for a claim, 0 for a denial."),
    _column("time", "When the claim was made."),
    _column("weight", "How much the claim counts."),
    option_parameter(
        "feature",
        list[str] | None,
        None,
        COLUMNS,
        "Column to use as a feature of the claim, or of its source or entity; repeatable.",
        "COLUMN[:source|entity]",
    ),
    _columns("number", "Feature to read as a number; repeatable."),
    _columns("category", "Feature to read as a category; repeatable."),
    _pairs("kind", "single|multiple|boolean", "How many values can be true; * for all others."),
    _pairs("domain", "closed|open", "Whether values are a small set reused across entities."),
    _pairs(
        "compare",
        "text|number|date|decimal|ordered|FIELD",
        "How values are compared; left out, 10 and 10.0 are one value where most are numbers. "
        "Fields: amount, company, country, email, person, phone, postal, url.",
    ),
    _pairs(
        "order",
        "LOW,...,HIGH",
        "The levels of an ordered attribute, from low to high. Left out, numbers are ordered by "
        "size, and words if they belong to a common scale.",
    ),
    _pairs(
        "notation",
        "[SOURCE:]NOTATION",
        "How to read values that could mean several things: dmy or mdy, point or comma, a region "
        "such as CH for phone numbers. Left out, the claims tell.",
    ),
    option_parameter(
        "fields",
        str,
        "off",
        ATTRIBUTES,
        "auto: find out which attributes are dates, phone numbers, amounts and so on, and compare "
        "their values as such.",
        "off|auto",
    ),
    _pairs(
        "tolerance",
        "0.5|1%",
        "Largest difference of two numbers that count as equal.",
    ),
    option_parameter(
        "changing",
        list[str] | None,
        None,
        ATTRIBUTES,
        "Attribute whose true value changes with time; repeatable, * for all others.",
        "ATTRIBUTE",
    ),
    option_parameter(
        "as_of",
        str | None,
        None,
        ATTRIBUTES,
        "Of values that change: the time for which the truth is asked, such as 2023-05-01. Left "
        "out, the last claim.",
        "TIME",
    ),
    _pairs(
        "hierarchy",
        "FILE|SEPARATOR|tokens",
        "Which values lie within which: a file with the columns child and parent, a separator as "
        "in 'Bern, Switzerland' (', ') or a path ('/'), or tokens: the longer lies within the "
        "shorter.",
    ),
    _pairs("positive", "VALUE", "The value of a boolean attribute that says yes."),
    option_parameter("strip", bool, False, ATTRIBUTES, "Ignore extra white space in values."),
    option_parameter("casefold", bool, False, ATTRIBUTES, "Ignore case in values."),
    option_parameter(
        "unicode", str | None, None, ATTRIBUTES, "Unicode form of values.", "NFC|NFD|NFKC|NFKD"
    ),
    option_parameter(
        "duplicates",
        str,
        "auto",
        READING,
        "A source that speaks twice about an item with one true value. auto: the latest claim if "
        "there is a time, else all m of them, with weight 1/sqrt(m) each.",
        "auto|latest|all|error",
    ),
    option_parameter(
        "nulls", str, "drop", READING, "How to treat claims with a missing label.", "drop|error"
    ),
    option_parameter("encoding", str, "utf-8", READING, "Encoding of text files."),
    option_parameter("delimiter", str | None, None, READING, "Separator of CSV cells."),
    option_parameter(
        "ragged",
        str,
        "strict",
        READING,
        "How to treat CSV rows with too few or too many cells.",
        "strict|skip",
    ),
    option_parameter("table", str | None, None, READING, "Table of a database."),
    option_parameter("query", str | None, None, READING, "SQL query of a database."),
    option_parameter(
        "time_format", str | None, None, READING, ("Format of times, such as %d/%m/%Y.")
    ),
)


Command = Callable[..., None]


def gathers(
    name: str,
    parameters: Sequence[inspect.Parameter],
    translate: Callable[..., dict[str, Any]],
) -> Callable[[Command], Command]:
    """Give a command more options, which reach it translated and as one argument, ``name``."""
    names = [parameter.name for parameter in parameters]

    def decorate(command: Command) -> Command:
        own = inspect.signature(command, eval_str=True)
        kept = [
            parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY)
            for parameter in own.parameters.values()
            if parameter.name != name
        ]

        def with_options(**given: Any) -> None:
            gathered = {option: given.pop(option) for option in names}
            command(**given, **{name: translate(**gathered)})

        functools.update_wrapper(with_options, command)
        del with_options.__wrapped__  # type: ignore[attr-defined]
        signature = own.replace(parameters=[*kept, *parameters])
        with_options.__signature__ = signature  # type: ignore[attr-defined]
        with_options.__annotations__ = {
            parameter.name: parameter.annotation for parameter in signature.parameters.values()
        }
        return with_options

    return decorate


def reading_options(
    *,
    kind: Sequence[str] | None,
    domain: Sequence[str] | None,
    compare: Sequence[str] | None,
    order: Sequence[str] | None,
    notation: Sequence[str] | None,
    positive: Sequence[str] | None,
    tolerance: Sequence[str] | None,
    changing: Sequence[str] | None,
    hierarchy: Sequence[str] | None,
    feature: Sequence[str] | None,
    number: Sequence[str] | None,
    category: Sequence[str] | None,
    delimiter: str | None,
    attributes: Sequence[str] | None = None,
    sources: Sequence[str] | None = None,
    **rest: Any,
) -> dict[str, Any]:
    """Translate the reading options to the keyword arguments of `Claims.read`."""
    options = {name: value for name, value in rest.items() if value is not None}
    if sources:
        options["sources"] = split_names(sources)
    if delimiter is not None:
        options["delimiter"] = "\t" if delimiter in ("\\t", "tab") else delimiter
    declared = _attributes(
        notation,
        kind=kind,
        domain=domain,
        values=compare,
        positive=positive,
        tolerance=tolerance,
        order=order,
        truth=[f"{name}=changing" for name in changing or ()],
        hierarchy=hierarchy,
    )
    options["features"] = _features(feature or ())
    options["attributes"] = _columns_declared(options.get("shape"), attributes, declared)
    options["numbers"] = number or ()
    options["categories"] = category or ()
    return options


def _features(columns: Sequence[str]) -> dict[str, Any]:
    from veracity.data.read.declared_features import features_of_options

    return dict(features_of_options(columns))


def split_names(given: Sequence[str]) -> list[str]:
    """Read names that are separated by commas, given once or several times."""
    return [name.strip() for text in given for name in text.split(",") if name.strip()]


def _columns_declared(
    shape: str | None, columns: Sequence[str] | None, declared: dict[str, Any]
) -> dict[str, Any]:
    """Join what is known about attributes with the columns that are attributes."""
    from veracity.data.read.settings import ANY_ATTRIBUTE, Attribute

    any_other = declared.get(ANY_ATTRIBUTE, Attribute())
    if columns:
        if shape != "records":
            raise InvalidParameter(
                "--attributes names the attribute columns of records. Add --shape records, or "
                "leave it out."
            )
        names = split_names(columns)
        unknown = [name for name in declared if name not in (*names, ANY_ATTRIBUTE)]
        if unknown:
            raise InvalidParameter(
                f"--attributes does not name {unknown[0]!r}, about which another option speaks. "
                "Add it there, or leave that option out."
            )
        return {name: declared.get(name, any_other) for name in names}
    return {ANY_ATTRIBUTE: any_other, **declared} if shape == "records" else declared


def _attributes(
    notations: Sequence[str] | None, **settings: Sequence[str] | None
) -> dict[str, Any]:
    from veracity.data.read.settings import Attribute

    gathered: dict[str, dict[str, Any]] = {}
    for name, pairs in settings.items():
        for pair in pairs or ():
            attribute, value = _pair(pair, "author=multiple")
            gathered.setdefault(attribute, {})[name] = value
    for pair in notations or ():
        attribute, value = _pair(pair, "opened=dmy or opened=SOURCE:mdy")
        source, _, notation = value.rpartition(":")
        of_sources = gathered.setdefault(attribute, {}).setdefault("notation", {})
        of_sources[source or "*"] = notation
    for attribute, given in gathered.items():
        if "order" in given:
            given["order"] = split_names([given["order"]])
        if "tolerance" in given and given.get("values", "number") == "text":
            raise InvalidParameter(
                f"--tolerance {attribute}={given['tolerance']} compares values as numbers, but "
                f"--compare {attribute}=text says otherwise. Leave out one of them."
            )
    return {attribute: Attribute(**given) for attribute, given in gathered.items()}


def _pair(given: str, example: str) -> tuple[str, str]:
    attribute, sign, value = given.rpartition("=")
    if not sign or not attribute:
        raise InvalidParameter(
            f"{given!r} should be written ATTRIBUTE=VALUE, for example {example}."
        )
    return attribute, value


#: Gives a command the reading options, as one dictionary ``reading``.
reads_claims = gathers("reading", READING_PARAMETERS, reading_options)

#: Options of reading that make no sense for records: the columns of other shapes.
NOT_OF_RECORDS = ("shape", "item", "sources", "entity", "attribute", "value", "asserts")
RECORD_PARAMETERS = tuple(
    parameter.replace(default="auto") if parameter.name == "fields" else parameter
    for parameter in READING_PARAMETERS
    if parameter.name not in NOT_OF_RECORDS
)


def records_options(**given: Any) -> dict[str, Any]:
    """Translate the reading options of records to the keyword arguments of `golden`."""
    options = reading_options(shape="records", **given)
    del options["shape"]
    return {"key": None, "source": None, **options}


#: Gives a command the reading options of records, as one dictionary ``reading``.
reads_records = gathers("reading", RECORD_PARAMETERS, records_options)
