"""The columns of a claims table: their roles, the names they go by, and how they are found."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from veracity.data.notes import Note
from veracity.errors import AmbiguousColumn, MissingColumn, listing, suggestion

#: The attribute of every claim in a table that has no attribute column.
ONLY_ATTRIBUTE = "value"

FEATURE_PREFIXES = ("claim_", "source_", "entity_")

#: Names by which each role is known, folded by `fold_name`; the first is ours.
SYNONYMS: Mapping[str, tuple[str, ...]] = {
    "source": ("source", "worker", "annotator", "judge", "performer"),
    "entity": ("entity", "task", "item", "object", "example", "question"),
    "attribute": ("attribute", "property"),
    "value": ("value", "label", "answer", "fact", "propertyvalue"),
    "asserts": ("asserts",),
    "time": ("time", "timestamp"),
    "weight": ("weight",),
}
CLAIM_ROLES = tuple(SYNONYMS)
#: Columns of numbers that put claims in order serve as times where there is no other time.
ORDERS = ("claim_order", "order")
#: The roles that hold labels, which every claim must have.
LABELLED = ("source", "entity", "attribute", "value")
TRUTH_ROLES = ("entity", "attribute", "value")
TRUTH_VALUE_NAMES = ("truth", "gold")


def fold_name(column: str) -> str:
    """Reduce a column name to what is compared: ``Source_ID`` and ``SourceID`` give ``source``."""
    folded = "".join(letter for letter in column.casefold() if letter.isalnum())
    return folded.removesuffix("id") if len(folded) > 2 else folded


@dataclass(frozen=True)
class Columns:
    """Which column of a table plays which role.

    Attributes
    ----------
    roles
        Role to column name; a role that no column plays is absent.
    features
        Columns that carry features of the claim, the source or the entity.
    ignored
        Columns that play no part.
    guessed
        The roles found by name rather than told by the user.
    order
        The column that may put claims in order, where there is no time.
    """

    roles: Mapping[str, str]
    features: tuple[str, ...] = ()
    ignored: tuple[str, ...] = ()
    guessed: tuple[str, ...] = field(default=())
    order: str | None = None

    @property
    def is_ordered(self) -> bool:
        """Whether a column that puts claims in order serves as time."""
        return self.order is not None and self.roles.get("time") == self.order

    def ordered_by(self, column: str) -> Columns:
        """Return the columns with one that serves as time; a feature stays one."""
        ignored = tuple(name for name in self.ignored if name != column)
        roles, guessed = {**self.roles, "time": column}, (*self.guessed, "time")
        return replace(self, roles=roles, ignored=ignored, guessed=guessed)

    def notes(self) -> list[Note]:
        """Report what was found under another name, and what was left out."""
        found = [f"{role} = {self.roles[role]!r}" for role in self.guessed]
        notes = [Note("columns", f"Columns found by name: {listing(found)}.")] if found else []
        if self.ignored:
            notes.append(
                Note(
                    "columns",
                    f"Columns not used: {listing(self.ignored)}. To use one as a feature, begin "
                    f"its name with {', '.join(FEATURE_PREFIXES[:-1])} or {FEATURE_PREFIXES[-1]}.",
                    len(self.ignored),
                )
            )
        return notes


def find_columns(
    names: Sequence[str],
    given: Mapping[str, str],
    roles: Sequence[str] = CLAIM_ROLES,
    needed: Iterable[str] = ("source", "entity", "value"),
) -> Columns:
    """Find the column of each role: as given, else by its synonyms.

    Raises
    ------
    MissingColumn
        If a given column does not exist, or a needed role has no candidate.
    AmbiguousColumn
        If several columns go by names of the same role.
    """
    found = {role: _given_column(role, column, names) for role, column in given.items()}
    taken = set(found.values())
    for name in taken:
        playing = [role for role in found if found[role] == name]
        if len(playing) > 1:
            raise AmbiguousColumn(
                f"The column {name!r} was given as {' and as '.join(playing)}. Expected a column "
                "of its own for each."
            )
    guessed = []
    for role in roles:
        if role in found:
            continue
        candidates = [name for name in names if name not in taken and _may_be(name, role, roles)]
        if len(candidates) > 1:
            raise _ambiguous(role, candidates)
        if candidates:
            found[role] = candidates[0]
            if candidates[0] != role:
                guessed.append(role)
    for role in needed:
        if role not in found:
            raise _missing(role, names)
    rest = [name for name in names if name not in found.values()]
    features = tuple(name for name in rest if name.startswith(FEATURE_PREFIXES))
    ignored = tuple(name for name in rest if name not in features)
    order = None
    if "time" in roles and "time" not in found:
        order = next((name for column in ORDERS for name in rest if name.lower() == column), None)
    return Columns(found, features, ignored, tuple(guessed), order)


def _may_be(column: str, role: str, roles: Iterable[str]) -> bool:
    folded = fold_name(column)
    if tuple(roles) == TRUTH_ROLES and role == "value" and folded in TRUTH_VALUE_NAMES:
        return True
    return folded in SYNONYMS[role]


def _given_column(role: str, column: str, names: Sequence[str]) -> str:
    if column in names:
        return column
    raise MissingColumn(
        f"The {role} column was given as {column!r}, but the table has no such column."
        f"{suggestion(column, names)} Its columns are: {listing(names)}."
    )


def _ambiguous(role: str, candidates: Sequence[str]) -> AmbiguousColumn:
    options = " or ".join(f"--{role} {name}" for name in candidates)
    return AmbiguousColumn(
        f"The {role} column could be {' or '.join(repr(name) for name in candidates)}. "
        f'Say which: {options} (in Python: {role}="{candidates[0]}").'
    )


def _missing(role: str, names: Sequence[str]) -> MissingColumn:
    near = suggestion(role, names)
    if not near:
        near = next(filter(None, (suggestion(word, names) for word in SYNONYMS[role])), "")
    return MissingColumn(
        f"No {role} column was found; it may be called {listing(SYNONYMS[role])}.{near} "
        f"The table's columns are: {listing(names)}. Name the one to use with --{role} COLUMN "
        f'(in Python: {role}="COLUMN").'
    )
