"""Scoring: new claims, judged by the model of a run, together with what the run knows.

A claim about an item that the run has judged is combined with the run's claims about it. One of
the same source replaces the earlier, by the run's rule for sources that speak twice.
"""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass, field
from functools import cached_property
from html import escape
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from veracity.data.buffers import to_arrow
from veracity.data.claims import Claims
from veracity.data.labels.lookup import Labels
from veracity.data.notes import Note, plural
from veracity.data.output.tables import Table
from veracity.data.read.frames import as_text, plain_text
from veracity.data.truth.ground_truth import GroundTruth
from veracity.errors import InputError
from veracity.workflow.run_reading import RunReading

if TYPE_CHECKING:
    from veracity.workflow.saved_run import SavedRun

Places = npt.NDArray[np.int64]

#: What a claim says, and by whom which item is spoken about.
SAID = ("source", "entity", "attribute", "value", "asserts")
SPOKEN = ("source", "entity", "attribute")


@dataclass(frozen=True, eq=False)
class Scored:
    """Judgement of the model of a run on new claims.

    Attributes
    ----------
    truths, statements
        The tables of a run, for the items of the new claims.
    n_claims
        How many claims are new.
    n_combined
        How many claims of the run about the same items were combined with them.
    n_replaced
        How many claims of the run a new one of their source replaced.
    claims
        All claims that were judged: those of the run first, then the new ones.
    notes
        What a user should know about it.
    """

    truths: Table
    statements: Table
    n_claims: int
    n_combined: int
    n_replaced: int
    claims: Claims = field(repr=False)
    notes: list[Note] = field(default_factory=list, repr=False)

    @property
    def is_new(self) -> npt.NDArray[np.bool_]:
        """Whether a claim of the matrix is a new one; (n_claims,)."""
        return np.asarray(self.claims.matrix.row >= self._n_before)

    @property
    def _n_before(self) -> int:
        """How many rows come before those of new claims."""
        return len(self.claims) - self.n_claims

    def as_dict(self) -> dict[str, Any]:
        """Return the tables as rows, and what was combined."""
        return {
            "truths": self.truths.to_pylist(),
            "statements": self.statements.to_pylist(),
            "combined": self.n_combined,
            "replaced": self.n_replaced,
            "notes": [note.as_dict() for note in self.notes],
        }

    def __repr__(self) -> str:
        with_run = f", with {plural(self.n_combined, 'claim')} of the run" * bool(self.n_combined)
        return f"Scored({plural(self.n_claims, 'new claim')}{with_run})\n{self.truths!r}"

    def _repr_html_(self) -> str:
        lines = "".join(
            f"<p>{escape(note.text)}</p>" for note in self.notes if note.subject == "score"
        )
        return lines + self.truths._repr_html_()


class Scoring:
    """Judges new claims by the model of a run."""

    def __init__(self, saved: SavedRun) -> None:
        self._saved = saved
        self.reading = RunReading(saved)

    @cached_property
    def _run(self) -> RunClaims:
        return RunClaims(self._saved)

    def score(
        self, claims: Any, *, alone: bool = False, model: Any = None, **options: Any
    ) -> Scored:
        """Judge new claims; see `SavedRun.score`. `model` is a copy of the run's to judge by."""
        options = self.reading.options(options)
        attributes = options.pop("attributes", None)
        table = self.reading.table(claims, options)
        n_replaced = 0
        together = table
        if not alone:
            before, table = self._combined(self._run.with_features(table))
            n_replaced = before.n_replaced
            together = _joined(before.claims, table) if before.claims.num_rows else table
        judged = self.reading.claims(together, new=True, attributes=attributes)
        n_before = together.num_rows - table.num_rows
        n_in_use = int((judged.matrix.row < n_before).sum())
        model = model or copy(self._saved.model)  # judging leaves traces; others judge as well
        known_truth = None if alone else self._known_truth(judged)
        truths, statements = model.predict_tables(judged, known_truth=known_truth)
        n_replaced += n_before - n_in_use
        notes = _notes(judged, n_before, n_in_use, n_replaced)
        if not alone and self._saved.has_rules:
            notes.append(Note("score", "The rules of the run are not applied to new claims."))
        notes += judged.notes
        return Scored(truths, statements, table.num_rows, n_in_use, n_replaced, judged, notes)

    def _known_truth(self, judged: Claims) -> GroundTruth | None:
        """Return what the run was given about the entities of claims."""
        given = self._saved.known_truth
        if given is None:
            return None
        rows = given.given_rows([profile.name for profile in self._saved.claims.attributes])
        about = pc.is_in(rows["entity"], value_set=judged.matrix.entities)
        named = pc.is_in(rows["attribute"], value_set=judged.matrix.attributes)
        rows = rows.filter(pc.and_(about, named))
        return GroundTruth.from_frame(rows) if rows.num_rows else None

    def _combined(self, new: pa.Table) -> tuple[Before, pa.Table]:
        """Return the run's claims about the items of new ones, and the new ones.

        A claim that the run has already gives way to the new one, which takes over what is known
        of it. So do others of its source, where the latest claim counts and the time of the new
        one is not known; where it is known, reading them together finds the latest.
        """
        found = self._run.about(new)
        if not found.num_rows:
            return Before(found, 0), new
        is_dated = "time" in new.column_names and not new["time"].null_count
        key = [*SAID, "time"] if self.reading.has_time and is_dated else list(SAID)
        place = {said: row for row, said in enumerate(_keys(found, key))}
        same = np.array([place.get(said, -1) for said in _keys(new, key)], np.int64)
        for name in found.column_names:
            if name not in SAID and (same >= 0).any():
                new = _filled(new, name, found[name], same)
        leaves = np.isin(np.arange(found.num_rows), same)
        if self.reading.keeps_latest and not (self.reading.has_time and is_dated):
            speaking = self._speaking(new)
            speaks = [said in speaking for said in _keys(found, SPOKEN)]
            leaves |= np.array(speaks, np.bool_)
        n_replaced = int(leaves.sum()) - len(np.unique(same[same >= 0]))
        return Before(found.filter(to_arrow(~leaves)), n_replaced), new

    def _speaking(self, new: pa.Table) -> set[tuple[Any, ...]]:
        """Return which source says anew which value of an item is true."""
        kinds = {profile.name: profile.kind for profile in self._saved.claims.attributes}
        return {
            said
            for said, asserts in zip(_keys(new, SPOKEN), new["asserts"].to_pylist(), strict=True)
            if kinds.get(said[-1]) == "boolean" or (kinds.get(said[-1]) == "single" and asserts)
        }


class Before(NamedTuple):
    """Claims of the run to be judged with new ones, and how many others new ones replace."""

    claims: pa.Table
    n_replaced: int


class RunClaims:
    """The claims of a run, and its items and sources to look them up by.

    What is looked up in is sorted once, so that a few new claims take no longer on a large run.
    """

    def __init__(self, saved: SavedRun) -> None:
        self.table, self.matrix = saved.claims_table, saved.claims.matrix
        self._features = saved.claims.features.column_names
        self._sources, self._entities = Labels(self.matrix.sources), Labels(self.matrix.entities)
        self._attributes = Labels(self.matrix.attributes)

    @cached_property
    def _item_keys(self) -> Places:
        """A number for the attribute and the entity of each item, in order; (n_items,)."""
        return self._keys_of(self.matrix.attribute_index.astype(np.int64), self.matrix.entity_index)

    def _keys_of(self, attribute: npt.NDArray[Any], entity: npt.NDArray[Any]) -> Places:
        return np.asarray(attribute * len(self._entities) + entity)

    def about(self, new: pa.Table) -> pa.Table:
        """Return the claims about the items of new ones."""
        entity = self._entities.places_of(_labels(new["entity"]))
        attribute = self._attributes.places_of(_labels(new["attribute"]))
        known = (entity >= 0) & (attribute >= 0)
        wanted = np.unique(self._keys_of(attribute[known], entity[known]))
        items = np.searchsorted(self._item_keys, wanted)
        items = items[items < self.matrix.n_items]
        items = items[np.isin(self._item_keys[items], wanted)]
        if not len(items):
            return self._nothing
        start = self.matrix.claim_start
        spans = zip(start[items].tolist(), start[items + 1].tolist(), strict=True)
        claims = np.concatenate([np.arange(*span) for span in spans])
        return self._rows(self.matrix.row[claims])

    def with_features(self, new: pa.Table) -> pa.Table:
        """Return new claims with what the run knows of their sources and entities."""
        for role, labels in (("source", self._sources), ("entity", self._entities)):
            names = [name for name in self._features if name.startswith(f"{role}_")]
            if not names:
                continue
            place = labels.places_of(_labels(new[role]))
            row = np.where(place >= 0, self._first_rows[role][place], -1)
            for name in names if (row >= 0).any() else ():
                new = _filled(new, name, self.table[name], row)
        return new

    @cached_property
    def _first_rows(self) -> dict[str, Places]:
        """The row of the first claim by each source, and about each entity."""
        matrix = self.matrix
        of_entity = matrix.entity_index[matrix.item_of_claim]
        return {
            "source": _first(matrix.source_index, matrix.row, matrix.n_sources),
            "entity": _first(of_entity, matrix.row, len(matrix.entities)),
        }

    @cached_property
    def _nothing(self) -> pa.Table:
        return self._rows(np.zeros(0, np.int64))

    def _rows(self, rows: Places) -> pa.Table:
        return plain_text(self.table.take(to_arrow(np.sort(rows))))


def _first(index: npt.NDArray[np.int32], row: Places, count: int) -> Places:
    """Return the row of the first claim with each index, -1 where there is none."""
    found = np.full(count, -1, np.int64)
    found[index[::-1]] = row[::-1]  # what is set last stays
    return found


def _keys(table: pa.Table, columns: Sequence[str]) -> list[tuple[Any, ...]]:
    """Return what each row says in some columns."""
    return list(zip(*(table[name].to_pylist() for name in columns), strict=True))


def _filled(new: pa.Table, name: str, known: pa.ChunkedArray, row: Places) -> pa.Table:
    """Fill empty cells of a column with those of rows that are known, none where it is -1."""
    own = known.take(pa.array(row, mask=row < 0))
    own = own.cast(pa.string()) if pa.types.is_dictionary(own.type) else own
    if name not in new.column_names:
        return new.append_column(name, own)
    cells = pc.coalesce(_like(new[name], own.type, name), own)
    return new.set_column(new.column_names.index(name), name, cells)


def _joined(before: pa.Table, new: pa.Table) -> pa.Table:
    """Put new claims below those of the run, in columns of the same types."""
    for name in set(new.column_names) & set(before.column_names):
        column = _like(new[name], before.schema.field(name).type, name)
        new = new.set_column(new.column_names.index(name), name, column)
    return pa.concat_tables([before, new], promote_options="default")


def _like(column: pa.ChunkedArray, kind: pa.DataType, name: str) -> pa.ChunkedArray:
    """Return a column with the type that it has in the run."""
    if column.type == kind:
        return column
    try:
        if pa.types.is_string(kind):
            return pa.chunked_array([as_text(column)])
        return column.cast(kind)
    except pa.ArrowException as error:
        raise InputError(
            f"The column {name!r} is {kind} in the run, and {column.type} in the new claims: "
            f"{str(error).splitlines()[0]}."
        ) from error


def _labels(column: pa.ChunkedArray) -> list[str]:
    labels: list[str] = column.cast(pa.string()).fill_null("").to_pylist()
    return labels


def _notes(judged: Claims, n_before: int, n_in_use: int, n_replaced: int) -> list[Note]:
    """Say which claims of the run were combined with new ones."""
    notes, matrix = [], judged.matrix
    if n_in_use:
        of_run = matrix.item_of_claim[matrix.row < n_before]
        n_items = len(np.unique(of_run))
        where = "this item" if matrix.n_items == 1 else f"{n_items:,} of {matrix.n_items:,} items"
        text = f"Judged with {plural(n_in_use, 'claim')} that the run has about {where}."
        notes.append(Note("score", text, n_in_use))
    if n_replaced:
        text = (
            f"{plural(n_replaced, 'claim')} of the run {'is' if n_replaced == 1 else 'are'} "
            "replaced by a later one of the same source."
        )
        notes.append(Note("score", text, n_replaced))
    return notes
