"""The columns of a table of verdicts: their roles, and the names by which they are found."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pyarrow as pa

from veracity.data.claims import Claims
from veracity.data.notes import Note
from veracity.data.read.formats import Location, locate
from veracity.data.read.schema import FEATURE_PREFIXES, fold_name
from veracity.data.read.tables import FileOptions, RawTable, open_frame, open_location
from veracity.data.read.workbench import Workbench
from veracity.errors import InvalidParameter, MissingColumn, listing, suggestion

#: Names by which each role is known, folded by `fold_name`; the first that is there is taken.
NAMES: Mapping[str, tuple[str, ...]] = {
    "question": ("question", "item", "task", "entity", "example", "prompt", "instance", "pair"),
    "judge": ("judge", "source", "model", "rater", "annotator", "evaluator", "grader", "worker"),
    "verdict": (
        *("verdict", "label", "value", "vote", "choice", "winner", "preference", "judgement"),
        *("judgment", "decision", "answer", "rating"),
    ),
    "attribute": ("attribute", "criterion", "aspect", "dimension"),
    "confidence": ("confidence", "probability", "prob", "certainty", "margin", "score"),
    "position": ("position", "chosenposition", "order"),
    "swapped": ("swapped", "swap", "flipped", "reversed"),
    "length_a": (
        *("lengtha", "wordsa", "tokensa", "charsa", "lena", "length1", "words1", "tokens1"),
        *("lengthofa", "answeralength", "responsealength"),
    ),
    "length_b": (
        *("lengthb", "wordsb", "tokensb", "charsb", "lenb", "length2", "words2", "tokens2"),
        *("lengthofb", "answerblength", "responseblength"),
    ),
    "cost": ("cost", "price", "usd", "tokens", "totaltokens"),
    "family": ("family", "vendor", "provider", "maker", "lab"),
}
NEEDED = ("question", "judge", "verdict")
#: Further names of the verdict in a table of truth.
TRUTH_NAMES = ("truth", "gold", "correct")
#: Roles of columns whose names may begin with the prefix of a feature.
EXTRA = tuple(role for role in NAMES if role not in (*NEEDED, "attribute"))
#: Under which names the model gets the columns of these roles.
CLAIM_NAMES = {"question": "entity", "judge": "source", "verdict": "value"}
MODEL_FEATURES = {"confidence": "claim_", "position": "claim_", "swapped": "claim_"}
#: Taken only if the user names it: who made a judge does not say that it errs like its siblings.
ONLY_NAMED = ("family",)
NEVER = "never"


@dataclass(frozen=True)
class VerdictTable:
    """A table of verdicts as it was read.

    Attributes
    ----------
    table
        All columns, under the user's names; one row for each row of the input.
    roles
        Role to column name; a role that no column plays is absent.
    notes
        Which columns were found by name.
    origin, files
        Where the table was read from, if from a file.
    """

    table: pa.Table
    roles: Mapping[str, str]
    notes: list[Note] = field(default_factory=list)
    origin: Location | None = None
    files: FileOptions | None = None

    def column(self, role: str) -> pa.ChunkedArray | None:
        """Return the column of a role, None where there is none."""
        return self.table[self.roles[role]] if role in self.roles else None

    def for_model(self) -> pa.Table:
        """Return the table under the names of claims: source, entity, value and features."""
        named = {column: role for role, column in self.roles.items()}
        columns: dict[str, pa.ChunkedArray] = {}
        for column in self.table.column_names:
            role = named.get(column)
            if role in CLAIM_NAMES or role == "attribute":
                columns[CLAIM_NAMES.get(role, role)] = self.table[column]
            elif column.startswith(FEATURE_PREFIXES) and role not in ("cost", "family"):
                columns[column] = self.table[column]
            elif role in MODEL_FEATURES:
                columns[f"{MODEL_FEATURES[role]}{column}"] = self.table[column]
        return pa.table(columns)

    @property
    def confidence_feature(self) -> str | None:
        """The name under which the model gets the stated confidence."""
        column = self.roles.get("confidence")
        if column is None or column.startswith(FEATURE_PREFIXES):
            return column
        return f"{MODEL_FEATURES['confidence']}{column}"


def read_verdicts(
    verdicts: Any,
    given: Mapping[str, str | None],
    *,
    encoding: str = "utf-8",
    delimiter: str | None = None,
) -> VerdictTable:
    """Read a table of verdicts, and find its columns.

    Parameters
    ----------
    verdicts
        A path, a frame, or `Claims`.
    given
        Role to column name, for the columns that the user names; ``"never"`` for none.
    encoding, delimiter
        Of text files.
    """
    if isinstance(verdicts, Claims):
        verdicts = verdicts.to_arrow()
    location, files, notes = None, None, []
    with Workbench() as workbench:
        if isinstance(verdicts, str | Path):
            location, files = locate(verdicts), FileOptions(encoding, delimiter)
            raw = open_location(workbench, location, files)
            table = _all_columns(workbench, raw)
            notes = raw.check()
        else:
            table = _all_columns(workbench, open_frame(workbench, verdicts))
    roles, guessed = find_roles(table.column_names, given)
    if guessed:
        notes.append(Note("columns", f"Columns found by name: {listing(guessed, 20)}."))
    related = _by_name(
        "family", [name for name in table.column_names if name not in roles.values()]
    )
    if related is not None and given.get("family") != NEVER:
        notes.append(
            Note(
                "columns",
                f"The column {related!r} may say which judges belong together. It is not used: "
                "judges count for less only where they agree too much. To let all members of a "
                f"family count for less, name it with --family {related}.",
            )
        )
    return VerdictTable(table, roles, notes, location, files)


def _all_columns(workbench: Workbench, raw: RawTable) -> pa.Table:
    return workbench.arrow(f"SELECT * FROM ({raw.relation})").rename_columns(list(raw.names))


def find_roles(
    names: Sequence[str], given: Mapping[str, str | None]
) -> tuple[dict[str, str], list[str]]:
    """Find the column of each role: as given, else by name; return what was guessed, too."""
    roles: dict[str, str] = {}
    for role, column in given.items():
        if role not in NAMES:
            raise InvalidParameter(
                f"There is no role {role!r}.{suggestion(role, NAMES)} The roles are: "
                f"{listing(NAMES, 20)}."
            )
        if column is None or column == NEVER:
            continue
        if column not in names:
            raise MissingColumn(
                f"The {role} column was given as {column!r}, but the table has no such column."
                f"{suggestion(column, names)} Its columns are: {listing(names)}."
            )
        roles[role] = column
    guessed = []
    for role in NAMES:
        if role in roles or given.get(role) == NEVER or role in ONLY_NAMED:
            continue
        free = [name for name in names if name not in roles.values()]
        found = _by_name(role, free)
        if found is not None:
            roles[role] = found
            if found != role:
                guessed.append(f"{role} = {found!r}")
    for role in NEEDED:
        if role not in roles:
            raise MissingColumn(
                f"No {role} column was found; it may be called {listing(NAMES[role])}. The "
                f"table's columns are: {listing(names)}. Name the one to use with --{role} COLUMN "
                f'(in Python: {role}="COLUMN").'
            )
    return roles, guessed


def _by_name(role: str, names: Sequence[str]) -> str | None:
    """Return the first column that goes by a name of a role."""
    folded = {name: fold_name(_plain(name) if role in EXTRA else name) for name in names}
    for word in NAMES[role]:
        for name, short in folded.items():
            if short == word:
                return name
    return None


def _plain(name: str) -> str:
    """Return a column name without the prefix of a feature."""
    for prefix in FEATURE_PREFIXES:
        if name.startswith(prefix):
            return name.removeprefix(prefix)
    return name


def truth_columns(names: Sequence[str], roles: Mapping[str, str]) -> dict[str, str]:
    """Return the columns of a table of truth by role of claims: the jury's own names first."""
    found = {}
    for role, claim_role in (*CLAIM_NAMES.items(), ("attribute", "attribute")):
        if role == "judge":
            continue
        words = (*NAMES[role], *(TRUTH_NAMES if role == "verdict" else ()))
        own = roles.get(role)
        named = [name for word in words for name in names if fold_name(name) == word]
        if own in names:
            found[claim_role] = str(own)
        elif named:
            found[claim_role] = named[0]
    return found
