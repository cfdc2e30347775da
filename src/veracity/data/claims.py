"""Claims: the validated table, one row per claim, that every model is fitted to."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from copy import copy
from dataclasses import asdict, replace
from functools import cached_property
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self, Unpack, cast, overload

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from veracity.arguments import check_path, knows_arguments
from veracity.data.arrays import Floats
from veracity.data.buffers import take_labels, to_arrow, to_numpy
from veracity.data.clean.numbers import numbers_at, statement_numbers
from veracity.data.clean.values import ValueForms
from veracity.data.encode.attributes import AttributeProfile
from veracity.data.encode.encoder import Encoded, encode
from veracity.data.encode.grouping import CodedClaims, among, distinct, in_order
from veracity.data.encode.repeats import RepeatCounts
from veracity.data.matrix import ClaimMatrix
from veracity.data.notes import Note
from veracity.data.output.tables import Table
from veracity.data.read import shapes
from veracity.data.read.formats import Location, locate
from veracity.data.read.frames import arrow_table
from veracity.data.read.ingest import Ingested, ingest
from veracity.data.read.plain import ingest_plain
from veracity.data.read.records import Records
from veracity.data.read.schema import Columns, find_columns
from veracity.data.read.settings import (
    OPTIONS,
    SHAPED_OPTIONS,
    Attribute,
    Kind,
    Options,
    RecordOptions,
    Settings,
    ShapedOptions,
    for_spellings,
)
from veracity.data.read.shape import LONG, Shape, check_whole
from veracity.data.read.tables import (
    FileOptions,
    Ragged,
    named_table,
    open_frame,
    open_location,
)
from veracity.data.read.workbench import Workbench
from veracity.errors import InvalidParameter, listing

if TYPE_CHECKING:
    from veracity.data.clashes.clash import Clash
    from veracity.data.output.tables import Table
    from veracity.engines.base import ClaimsInBlocks


class Claims:
    """A validated table of claims: a source says that an attribute of an entity has a value.

    Make one with `read` (files and databases), `from_frame` (frames in memory), or from another
    shape with `from_records`, `from_wide`, `from_triples`, `from_matrix` and `from_answers`.
    All of them accept the options of `Settings` as keyword arguments.

    Attributes
    ----------
    columns
        Which column of the table plays which role.
    notes
        What was noticed, merged or left out on reading.

    Examples
    --------
    >>> claims = Claims.from_triples([("ann", "sky", "blue"), ("bob", "sky", "green")])
    >>> claims
    Claims(2 claims, 2 sources, 1 item, 2 statements)
    """

    def __init__(
        self,
        ingested: Ingested,
        origin: Location | None = None,
        files: FileOptions | None = None,
        profiles: tuple[AttributeProfile, ...] | None = None,
        shape: Shape = LONG,
        records: Records | None = None,
    ) -> None:
        self._codes = ingested.codes
        self._features = ingested.features
        self._settings = ingested.settings
        self._origin = origin
        self._files = files
        self._profiles = profiles  # of claims that are a part of all: what all say
        self._shape = shape
        self._records = records
        self._read_notes = ingested.notes
        self.columns: Columns = ingested.columns

    # Ways in

    @overload
    @classmethod
    def read(
        cls,
        where: str | os.PathLike[str],
        *,
        encoding: str = "utf-8",
        delimiter: str | None = None,
        ragged: Ragged = "strict",
        table: str | None = None,
        query: str | None = None,
        hive: bool = False,
        memory: None = None,
        **options: Unpack[ShapedOptions],
    ) -> Self: ...

    @overload
    @classmethod
    def read(
        cls, where: str | os.PathLike[str], *, memory: str | int, **options: Any
    ) -> ClaimsInBlocks: ...

    @classmethod
    @knows_arguments(SHAPED_OPTIONS)
    def read(
        cls,
        where: str | os.PathLike[str],
        *,
        encoding: str = "utf-8",
        delimiter: str | None = None,
        ragged: Ragged = "strict",
        table: str | None = None,
        query: str | None = None,
        hive: bool = False,
        memory: str | int | None = None,
        **options: Any,
    ) -> Self | ClaimsInBlocks:
        """Read claims from a file, a folder or pattern of files, or a database.

        Parameters
        ----------
        where
            A CSV or TSV file (plain, .gz or .zst), Parquet (file, folder or pattern), JSON (lines,
            or an array of objects), Arrow or Feather, SQLite or DuckDB file, or an address such as
            ``postgresql://user@host/database``.
        encoding, delimiter, ragged
            Of text files: how they are encoded, what separates cells (found in the header if not
            given), and whether rows with too few or too many cells are an error (``strict``) or
            counted and left out (``skip``).
        table, query
            Of databases: what to read.
        hive
            Of Parquet files: whether folders called ``name=value`` above them are columns.
        memory
            How much to use, about, such as ``"2GB"``: claims that are too many for it are kept on
            disk, in blocks. By default all are held in memory.
        options
            See `Settings`. With ``shape="records"`` or ``shape="wide"``, also those of
            `from_records` or `from_wide`.
        """
        check_path("where", where)
        location = locate(Path(where) if not isinstance(where, str) else where)
        files = FileOptions(encoding, delimiter, ragged, table, query, hive)
        shape, rest = Shape.taken_from(options)
        settings = Settings.of(cast(Options, rest))
        if memory is not None:
            check_whole(options)
            from veracity.engines.read import read_in_blocks

            return read_in_blocks(location, files, settings, memory)
        with Workbench() as workbench:
            raw = open_location(workbench, location, files, lists=not shape.is_long)
            if shape.is_long:
                return cls(ingest(workbench, raw, settings), location, files)
            return cls._reshaped(
                workbench, named_table(workbench, raw), shape, rest, location, files
            )

    @classmethod
    @knows_arguments(SHAPED_OPTIONS)
    def from_frame(cls, frame: Any, **options: Unpack[ShapedOptions]) -> Self:
        """Take claims from a pandas or polars frame, Arrow table, DuckDB relation or the like."""
        shape, rest = Shape.taken_from(options)
        if not shape.is_long:
            with Workbench() as workbench:
                return cls._reshaped(workbench, (frame, []), shape, rest)
        settings, table = Settings.of(cast(Options, rest)), arrow_table(frame)
        if (plain := ingest_plain(table, settings)) is not None:
            return cls(plain)
        with Workbench() as workbench:
            return cls(ingest(workbench, open_frame(workbench, table), settings))

    @classmethod
    def _reshaped(
        cls,
        workbench: Workbench,
        read: tuple[Any, list[Note]],
        shape: Shape,
        options: dict[str, Any],
        origin: Location | None = None,
        files: FileOptions | None = None,
    ) -> Self:
        """Take claims from a table of another shape, which was read with notes."""
        frame, notes = read
        made = shape.apply(frame)
        options["attributes"] = shape.declared(options["attributes"], made)
        settings = Settings.of(cast(Options, options))
        ingested = ingest(workbench, open_frame(workbench, made.table), settings)
        ingested.notes = [*notes, *made.notes, *ingested.notes]
        return cls(ingested, origin, files, None, shape, made.records)

    @classmethod
    @knows_arguments(OPTIONS)
    def from_spark(cls, frame: Any, **options: Unpack[Options]) -> ClaimsInBlocks:
        """Take claims from a Spark DataFrame; they stay on the cluster, in blocks."""
        from veracity.engines.spark.read import read_frame

        return read_frame(frame, Settings.of(options))

    @classmethod
    @knows_arguments(OPTIONS)
    def from_records(
        cls,
        frame: Any,
        *,
        key: str,
        source: str,
        attributes: Sequence[str] | Mapping[str, Attribute | Kind] | None = None,
        record: str | None = None,
        **options: Unpack[RecordOptions],
    ) -> Self:
        """Take claims from linked records: one claim per cell that is not null.

        Parameters
        ----------
        frame
            One record per row, such as the output of record linkage.
        key
            The column that says which records describe the same entity.
        source
            The column that says which system a record comes from.
        attributes
            The columns that hold attribute values, or a mapping from them to what is known about
            them, where ``"*"`` speaks for all others. By default every column that is not a
            feature and does not just number the records.
        record
            The column of the record's own number; otherwise found by the names unique_id,
            record_id and id.
        options
            See `Settings`.
        """
        return cls.from_frame(
            frame,
            shape="records",
            key=key,
            source=source,
            attributes=attributes or {},
            record=record,
            **options,
        )

    @classmethod
    @knows_arguments(OPTIONS)
    def from_wide(
        cls,
        frame: Any,
        *,
        item: str | None = None,
        sources: Sequence[str] | None = None,
        **options: Unpack[Options],
    ) -> Self:
        """Take claims from a table of items by sources, whose nulls are no claim.

        Parameters
        ----------
        frame
            One row per item and one column per source.
        item
            The column that names the item; otherwise found by name, else the index of a pandas
            frame, else the row number.
        sources
            The columns of the sources; by default all but the item.
        options
            See `Settings`.
        """
        given: dict[str, Any] = {**options, "shape": "wide", "item": item, "sources": sources}
        return cls.from_frame(frame, **cast(ShapedOptions, given))

    @classmethod
    @knows_arguments(OPTIONS)
    def from_triples(cls, triples: Iterable[Sequence[object]], **options: Unpack[Options]) -> Self:
        """Take claims from (source, entity, value) or (source, entity, attribute, value)."""
        return cls.from_frame(shapes.from_triples(triples), **options)

    @classmethod
    @knows_arguments(OPTIONS)
    def from_matrix(
        cls,
        labels: Any,
        *,
        items: Sequence[object] | None = None,
        sources: Sequence[object] | None = None,
        abstain: int = -1,
        **options: Unpack[Options],
    ) -> Self:
        """Take claims from a label matrix, items by sources, dense or scipy sparse.

        A dense matrix says `abstain` where a source makes no claim; of a sparse one, the entries
        that are not stored make none either.
        """
        table = shapes.from_matrix(labels, items, sources, abstain)
        return cls.from_frame(table, **options)

    @classmethod
    @knows_arguments(OPTIONS)
    def from_answers(
        cls, answers: Mapping[Any, Mapping[Any, object]], **options: Unpack[Options]
    ) -> Self:
        """Take claims from ``{item: {source: value}}``."""
        return cls.from_frame(shapes.from_answers(answers), **options)

    @classmethod
    def of(cls, claims: Any, **options: Unpack[ShapedOptions]) -> Claims:
        """Return claims as they are, and make them of a path or frame."""
        if isinstance(claims, Claims):
            if options:
                raise InvalidParameter(
                    f"The claims were read already, so {listing(options)} cannot be set any more. "
                    "Set it where they are read."
                )
            return claims
        if isinstance(claims, str | Path):
            return cls.read(claims, **options)
        if hasattr(claims, "blocks"):
            claims.matrix  # noqa: B018  says that there is none
        return cls.from_frame(claims, **options)

    # What is in it

    @cached_property
    def _encoded(self) -> Encoded:
        return encode(self._codes, self._settings, self._profiles)

    def coded(self) -> CodedClaims:
        """Return the claims as integer columns, repeated ones among them."""
        return CodedClaims.of(self._codes)

    @property
    def value_labels(self) -> pa.StringArray:
        """The values of `coded`, in the order of their index."""
        return self._codes["value"].chunk(0).dictionary

    def with_profiles(self, profiles: tuple[AttributeProfile, ...]) -> Claims:
        """Return the same claims with the attribute profiles of a larger table."""
        ingested = Ingested(
            self._codes, self._features, self.columns, len(self), self._settings, self._read_notes
        )
        claims = Claims(ingested, self._origin, self._files, profiles, self._shape, self._records)
        claims._encoded  # noqa: B018  now rather than at the first use
        return claims

    def about_attributes(self, names: Collection[str]) -> Claims:
        """Return the claims about some attributes, treated as they are among all.

        Sources that do not speak about them are left out; attributes of which a block has no claims
        stay, so that each has one number in all blocks. Items, statements and claims keep their
        order.
        """
        profiles = tuple(profile for profile in self.attributes if profile.name in names)
        attribute, source = (self._codes[role].chunk(0) for role in ("attribute", "source"))
        chosen = np.array([name in names for name in attribute.dictionary.to_pylist()])
        codes = self._codes.filter(to_arrow(chosen[to_numpy(attribute.indices)]))
        for role, labels in (("attribute", attribute.dictionary), ("source", source.dictionary)):
            index = to_numpy(codes[role].combine_chunks().indices)
            used = distinct(index, stop=len(labels)) if role == "source" else np.flatnonzero(chosen)
            again = to_arrow(np.searchsorted(used, index).astype(np.int32))
            column = pa.DictionaryArray.from_arrays(again, take_labels(labels, used), safe=False)
            codes = codes.set_column(codes.column_names.index(role), role, column)
        codes = codes.combine_chunks()
        ingested = Ingested(codes, self._features, self.columns, codes.num_rows, self._settings)
        return Claims(ingested, self._origin, self._files, profiles, self._shape, self._records)

    @property
    def matrix(self) -> ClaimMatrix:
        """The claims as integer arrays, encoded at the first use."""
        return self._encoded.matrix

    @property
    def notes(self) -> list[Note]:
        """What was noticed, merged or left out."""
        return [*self._read_notes, *self._encoded.notes]

    @property
    def repeats(self) -> RepeatCounts:
        """How many claims a later one of the same source replaced, and how many repeat others."""
        return self._encoded.repeats

    @property
    def read_notes(self) -> list[Note]:
        """What was noticed, merged or left out before the claims were encoded."""
        return list(self._read_notes)

    @property
    def attributes(self) -> tuple[AttributeProfile, ...]:
        """Kind and domain of each attribute, and why they were taken to be so."""
        return self.matrix.profiles

    @property
    def features(self) -> pa.Table:
        """The feature columns, in the order of the input; `ClaimMatrix.row` points into them."""
        return self._features

    @property
    def feature_types(self) -> dict[str, str]:
        """The type of each feature column: number, boolean or category."""
        names = {"double": "number", "bool": "boolean"}
        return {
            field.name: names.get(str(field.type), "category") for field in self._features.schema
        }

    @property
    def time(self) -> Floats | None:
        """When each claim of the matrix was made, NaN where not known; None without times."""
        if "time" not in self._codes.column_names:
            return None
        rows, times = to_numpy(self._codes["row"]), to_numpy(self._codes["time"])
        by_row = np.full(int(rows.max()) + 1, np.nan)
        by_row[rows] = times
        return np.asarray(by_row[self.matrix.row])

    @property
    def numbers(self) -> Floats:
        """The number that each claim of the matrix names, NaN where none was declared; (n_claims,).

        Where numbers within a tolerance are one statement, these are the numbers as claimed.
        """
        matrix = self.matrix
        found = statement_numbers(matrix)[matrix.statement_index]
        merged = [profile.numeric and profile.tolerance is not None for profile in self.attributes]
        if any(merged):
            claims = np.flatnonzero(np.array(merged)[matrix.attribute_index][matrix.item_of_claim])
            rows, coded = to_numpy(self._codes["row"]), self._codes["value"].chunk(0)
            by_row = np.zeros(int(rows.max()) + 1, np.int64)
            by_row[rows] = to_numpy(coded.indices)
            found[claims] = numbers_at(coded.dictionary, by_row[matrix.row[claims]])
        return found

    @property
    def forms(self) -> ValueForms:
        """When two values are the same."""
        return ValueForms(self._settings)

    @property
    def settings(self) -> Settings:
        """How the claims were read."""
        return self._settings

    @property
    def canonical(self) -> Callable[[str], str] | None:
        """The function by which values were brought to the form in which they are compared."""
        return self._settings.canonical

    @property
    def duplicates(self) -> str:
        """The rule for repeated claims of a source."""
        return self._settings.duplicates

    @property
    def records(self) -> Records | None:
        """The records that the claims were taken from, if that is what they come from.

        `ClaimMatrix.row` points into ``records.record``.
        """
        return self._records

    def with_records(self, records: Records) -> Claims:
        """Return the same claims with the records that they come from."""
        claims = copy(self)
        claims._records = records
        return claims

    @cached_property
    def found_clashes(self) -> list[Clash]:
        """Sources that write an attribute in another format than all others; see `clashes`."""
        from veracity.data.clashes.search import find_clashes

        return find_clashes(self.matrix)

    def clashes(self) -> Table:
        """Return the sources that write an attribute in another format than all others.

        Each comes with the transformation that reconciles it with them, how often it agrees with
        them before and after, and examples. The table is empty where there is none.
        """
        from veracity.data.clashes.clash import clashes_table

        return clashes_table(self.found_clashes)

    def reconciled(self) -> Claims:
        """Return the claims with values in another format rewritten in the way of the others.

        Of sources that say the opposite of the others, nothing is rewritten: they may just be
        wrong. The notes say what was rewritten.
        """
        from veracity.data.clashes.reconcile import rewrite

        chosen = [clash for clash in self.found_clashes if clash.is_format]
        if not chosen:
            return self
        table, notes = rewrite(self.to_arrow(), chosen)
        roles = {role: role for role in self.columns.roles}
        settings = replace(
            self._settings,
            columns=roles,
            attributes=for_spellings(self._settings.attributes),
            categories=tuple(
                name for name, kind in self.feature_types.items() if kind == "category"
            ),
            time_format=None,
        )
        with Workbench() as workbench:
            again = ingest(workbench, open_frame(workbench, table), settings)
        again.columns, again.notes = self.columns, [*self._read_notes, *notes]
        again.settings = replace(
            again.settings,
            columns=self._settings.columns,
            attributes=self._settings.attributes,
        )
        records = self._records
        if records is not None:
            read = np.sort(to_numpy(self._codes["row"]))
            records = replace(records, record=records.record[read])
        return Claims(again, self._origin, self._files, None, self._shape, records)

    def at(self, as_of: str | float | None) -> Claims:
        """Return the same claims, of which the truth at another time is asked; see `Settings`.

        It is about attributes whose truth changes. None stands for the time of the last claim.
        """
        claims = copy(self)
        claims._settings = replace(self._settings, as_of=as_of)
        return claims

    def describe_origin(self) -> list[dict[str, object]]:
        """List the files or the database that the claims were read from."""
        return [] if self._origin is None else self._origin.describe()

    def describe_settings(self) -> dict[str, object]:
        """List the options with which the claims were read, enough to read them again."""
        files = {} if self._files is None else asdict(self._files)
        shape = {} if self._shape.is_long else {"shape": self._shape.as_dict()}
        return {**self._settings.as_dict(), **files, **shape}

    def __len__(self) -> int:
        return int(self._codes.num_rows)

    def to_arrow(self) -> pa.Table:
        """Return the claims as a table in input order, under our column names."""
        codes = self._codes.take(to_arrow(in_order(to_numpy(self._codes["row"]))))
        table = codes.drop_columns(["row"])
        for name in self._features.column_names:
            table = table.append_column(name, self._features[name].take(codes["row"]))
        return table

    def in_use(self) -> pa.Table:
        """Return the claims that count: those that no later claim of their source replaces.

        Numbers within a tolerance have the value that stands for them all.
        """
        table = self.to_arrow()
        if self.matrix.n_claims < len(self):
            rows = np.sort(to_numpy(self._codes["row"]))
            table = table.filter(to_arrow(among(rows, np.sort(self.matrix.row))))
        tolerant = [profile.tolerance is not None for profile in self.attributes]
        if not any(tolerant):
            return table
        matrix = self.matrix
        order = in_order(matrix.row)
        shown = take_labels(matrix.values, matrix.value_index[matrix.statement_index[order]])
        merged = np.array(tolerant)[matrix.attribute_index[matrix.item_of_claim[order]]]
        value = pc.if_else(to_arrow(merged), shown, table["value"].cast(pa.string()))
        return table.set_column(table.column_names.index("value"), "value", value)

    def to_pandas(self) -> Any:
        """Return the claims as a pandas frame."""
        return self.to_arrow().to_pandas()

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self.to_arrow().__arrow_c_stream__(requested_schema)

    def head(self, n: int = 5) -> Table:
        """Return the first claims."""
        return Table("claims", self.to_arrow()).head(n)

    def _repr_html_(self) -> str:
        return f"<p><b>{escape(repr(self))}</b></p>{self.head()._repr_html_()}"

    def __repr__(self) -> str:
        matrix = self.matrix
        counts = [
            (len(self), "claim"),
            (matrix.n_sources, "source"),
            (matrix.n_items, "item"),
            (matrix.n_statements, "statement"),
        ]
        shown = ", ".join(f"{count:,} {noun}{'s' * (count != 1)}" for count, noun in counts)
        return f"Claims({shown})"


def is_table_of_claims(table: Any) -> bool:
    """Whether a table, file or frame has columns for source, entity and value."""
    if isinstance(table, Claims | str | Path):
        return True
    found = find_columns(arrow_table(table).column_names, {}, needed=())
    return {"source", "entity", "value"} <= set(found.roles)
