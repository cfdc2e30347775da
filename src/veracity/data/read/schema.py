"""The columns of a claims table: their roles, the names they go by, and how they are found."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
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
#: Names that are taken for a role only where no column has one of `SYNONYMS`; those of the first
#: group before those of the second.
LOOSER: Mapping[str, tuple[tuple[str, ...], ...]] = {
    "source": (
        (
            *("site", "website", "rater", "coder", "reviewer", "expert", "labeler", "labeller"),
            *("provider", "feed", "lf", "sourcedataset"),
        ),
        ("model", "system", "dataset", "user"),
    ),
    "entity": (
        (
            *("isbn", "cluster", "record", "document", "doc", "image", "prompt", "query", "unit"),
            *("sample", "subject", "product"),
        ),
        ("key", "id", "url"),
    ),
    "attribute": (("field", "predicate", "relation", "variable", "column"),),
    "value": (
        ("verdict", "rating", "response", "vote", "choice", "annotation", "prediction", "output"),
        ("category", "claim"),
    ),
    "time": (
        (
            *("datetime", "date", "observedat", "reportedat", "claimedat", "recordedat"),
            *("answeredat", "submittedat", "collectedat", "crawledat", "retrievedat"),
            *("updatedat", "createdat"),
        ),
    ),
}
#: Names of `LOOSER` that may just number the rows, which no entity does.
ROW_NUMBERS = LOOSER["entity"][-1]
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
        The column that may serve as time, by its looser name or as it puts claims in order.
    open_roles
        Columns that might play an optional role; none does, since there are several.
    informative
        Those of the ignored columns that look informative, and what they would be a feature of.
    dated
        Whether times are dates, and not plain numbers.
    """

    roles: Mapping[str, str]
    features: tuple[str, ...] = ()
    ignored: tuple[str, ...] = ()
    guessed: tuple[str, ...] = field(default=())
    order: str | None = None
    open_roles: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    informative: Mapping[str, str] = field(default_factory=dict)
    dated: bool = False

    @property
    def is_ordered(self) -> bool:
        """Whether a column serves as time though none is called so."""
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
        for role, names in self.open_roles.items():
            options = " or ".join(f"--{role} {name}" for name in names)
            text = f"Several columns could be the {role}, so none is. Say which: {options}."
            notes.append(Note("columns", text))
        if self.ignored:
            text = f"Columns not used: {listing(self.ignored)}.{self._advice()}"
            notes.append(Note("columns", text, len(self.ignored)))
        return notes

    def _advice(self) -> str:
        """Say how to use columns that are not used."""
        if not self.informative:
            return " To use one as a feature: --feature NAME (in Python: features=[NAME])."
        options = " ".join(self.feature_options())
        named = ", ".join(f'"{name}": "{kind}"' for name, kind in self.informative.items())
        look = "One looks" if len(self.informative) == 1 else f"{len(self.informative)} look"
        return (
            f" {look} informative. To use as features: {options} (in Python: features={{{named}}})."
        )

    def feature_options(self) -> list[str]:
        """Return the options that would make features of the informative columns."""
        return [
            f"--feature {shlex.quote(name if kind == 'claim' else f'{name}:{kind}')}"
            for name, kind in self.informative.items()
        ]


def repeated_names(names: Iterable[str]) -> list[str]:
    """Return the names that occur more than once, in order.

    >>> repeated_names(["b", "a", "b", "c", "a"])
    ['a', 'b']
    """
    return sorted(name for name, count in Counter(names).items() if count > 1)


def find_columns(
    names: Sequence[str],
    given: Mapping[str, str],
    roles: Sequence[str] = CLAIM_ROLES,
    needed: Collection[str] = ("source", "entity", "value"),
    declared: Collection[str] = (),
) -> Columns:
    """Find the column of each role: as given, else by its synonyms, else by a looser name.

    Columns `declared` to be features play no role.

    Raises
    ------
    MissingColumn
        If a given column does not exist, or a needed role has no candidate.
    AmbiguousColumn
        If several columns go by names of the same role.
    """
    found = {role: _given_column(role, column, names) for role, column in given.items()}
    for name in set(found.values()):
        playing = [role for role in found if found[role] == name]
        if len(playing) > 1:
            raise AmbiguousColumn(
                f"The column {name!r} was given as {' and as '.join(playing)}. Expected a column "
                "of its own for each."
            )
    features_asked = set(declared)
    taken = {*found.values(), *features_asked}
    free = {name: fold_name(name) for name in names if name not in taken}
    guessed, order, open_roles = [], None, {}
    for role in roles:
        if role in found:
            continue
        candidates, by_synonym = _candidates(free, role, roles)
        if len(candidates) > 1 and (by_synonym or role in needed):
            raise _ambiguous(role, candidates)
        if len(candidates) > 1:
            open_roles[role] = tuple(candidates)
        elif candidates and role == "time" and not by_synonym:
            order = candidates[0]
        elif candidates:
            found[role] = candidates[0]
            if candidates[0] != role:
                guessed.append(role)
    for role in needed:
        if role not in found:
            raise _missing(role, names)
    playing_a_role = set(found.values())
    rest = [name for name in names if name not in playing_a_role]
    features = tuple(
        name for name in rest if name in features_asked or name.startswith(FEATURE_PREFIXES)
    )
    kept = set(features)
    ignored = tuple(name for name in rest if name not in kept)
    if order is None and "time" in roles and "time" not in found:
        order = next((name for column in ORDERS for name in rest if name.lower() == column), None)
    return Columns(found, features, ignored, tuple(guessed), order, open_roles)


def _candidates(
    names: Mapping[str, str], role: str, roles: Iterable[str]
) -> tuple[list[str], bool]:
    """Return the columns that go by the best name of a role, and whether that is a synonym.

    Names come with what is compared of them.
    """
    known = SYNONYMS[role]
    if tuple(roles) == TRUTH_ROLES and role == "value":
        known = (*known, *TRUTH_VALUE_NAMES)
    for group in (known, *LOOSER.get(role, ())):
        if found := [name for name, folded in names.items() if folded in group]:
            return found, group is known
    return [], False


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
    words = [*SYNONYMS[role], *(word for group in LOOSER.get(role, ()) for word in group)]
    near = suggestion(role, names)
    if not near:
        near = next(filter(None, (suggestion(word, names) for word in words)), "")
    return MissingColumn(
        f"No {role} column was found; it may be called {listing(words)}.{near} "
        f"The table's columns are: {listing(names)}. Name the one to use with --{role} COLUMN "
        f'(in Python: {role}="COLUMN").'
    )
