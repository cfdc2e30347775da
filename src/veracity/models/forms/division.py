"""Division: the claims of a table by the form of their attributes, and back again."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa

from veracity.data.arrays import Floats, Indices
from veracity.data.block_parts import OwnPart, about_attributes, renumbered, speakers_of
from veracity.data.blocks import ClaimBlock
from veracity.data.buffers import take_labels
from veracity.data.encode.attributes import AttributeProfile
from veracity.data.encode.grouping import distinct
from veracity.data.matrix import ClaimMatrix
from veracity.data.output.results import Estimates
from veracity.engines.base import ClaimsInBlocks
from veracity.engines.sums import Joined, Sums
from veracity.models.base import Judgement

#: The form of attributes that are contests of values.
VALUE = "value"


@dataclass(frozen=True)
class Division:
    """The names of attributes by form.

    >>> Division({"number": ("height",), "value": ("name", "town")}).plain
    ('name', 'town')
    """

    names: Mapping[str, tuple[str, ...]]

    @classmethod
    def of(cls, profiles: Sequence[AttributeProfile], known: Collection[str]) -> Division:
        """Divide attributes into forms; those that `known` does not name are contests of values."""
        names: dict[str, list[str]] = {}
        for profile in profiles:
            form = profile.form if profile.name in known else VALUE
            names.setdefault(form, []).append(profile.name)
        return cls({form: tuple(own) for form, own in names.items()})

    @property
    def plain(self) -> tuple[str, ...]:
        """The attributes that are contests of values."""
        return self.names.get(VALUE, ())

    @property
    def forms(self) -> list[str]:
        """The other forms that there are."""
        return sorted(form for form in self.names if form != VALUE)

    @property
    def is_plain(self) -> bool:
        """Whether all attributes are contests of values."""
        return not self.forms


@dataclass(frozen=True, eq=False)
class PartOfClaims:
    """The claims about the attributes of one form.

    Attributes
    ----------
    claims
        The claims, with those sources that speak about these attributes.
    sources
        The places of these sources among all.
    """

    claims: ClaimsInBlocks
    sources: Indices

    @classmethod
    def of(cls, claims: ClaimsInBlocks, names: Collection[str]) -> PartOfClaims:
        """Take the claims about some attributes out of all."""
        blocks = claims.blocks.prepare(about_attributes, tuple(names))
        found = blocks.total(_count)
        sources = distinct(found["sources"].whole(), stop=claims.n_sources)
        if len(sources) < claims.n_sources:
            blocks = blocks.prepare(renumbered, sources)
        own = replace(
            claims,
            blocks=blocks,
            sources=take_labels(claims.sources, sources),
            attributes=tuple(one for one in claims.attributes if one.name in names),
            n_rows=found["n_rows"],
            notes=[],
        )
        return cls(own, sources)

    def among_all(self, of_source: Floats, n_sources: int) -> Floats:
        """Return numbers of the sources as such of all sources, NaN for the others."""
        spread = np.full(n_sources, np.nan)
        spread[self.sources] = of_source
        return spread


def _count(block: ClaimBlock) -> Sums:
    return {"sources": Joined((speakers_of(block),)), "n_rows": len(block.claims)}


@dataclass(frozen=True)
class Layout:
    """What the judgements on all blocks have, whichever forms a block has items of.

    Attributes
    ----------
    hardness, estimates
        Whether they have these.
    columns
        Names and types of further columns.
    """

    hardness: bool
    estimates: bool
    columns: Mapping[str, pa.DataType]


def put_together(
    matrix: ClaimMatrix, parts: Sequence[tuple[OwnPart, Judgement]], layout: Layout
) -> Judgement:
    """Put judgements on disjoint sets of items, which are all there are, side by side."""
    plausibility = np.zeros(matrix.n_statements)
    score = np.full(matrix.n_statements, -np.inf)
    hardness = np.full(matrix.n_items, np.nan)
    for part, found in parts:
        plausibility[part.statement] = found.plausibility
        score[part.statement] = found.plausibility if found.score is None else found.score
        if found.hardness is not None:
            hardness[part.item] = found.hardness
    return Judgement(
        plausibility,
        score,
        _estimates(matrix, parts) if layout.estimates else None,
        hardness if layout.hardness else None,
        {name: _column(matrix.n_items, parts, name, kind) for name, kind in layout.columns.items()},
    )


def _estimates(matrix: ClaimMatrix, parts: Sequence[tuple[OwnPart, Judgement]]) -> Estimates:
    numbers = {}
    for name in ("value", "standard_error", "low", "high"):
        numbers[name] = np.full(matrix.n_items, np.nan)
        for part, found in parts:
            if found.estimates is not None:
                numbers[name][part.item] = getattr(found.estimates, name)
    return Estimates(**numbers)


def _column(
    n_items: int, parts: Sequence[tuple[OwnPart, Judgement]], name: str, kind: pa.DataType
) -> pa.Array:
    """Return a further column for all items, null for those of parts that do not have it."""
    column = pa.nulls(n_items, kind)
    for part, found in parts:
        if name in found.columns:
            place = np.full(n_items, -1)
            place[part.item] = np.arange(len(part.item))
            own = found.columns[name].cast(kind).take(pa.array(place, mask=place < 0))
            column = column.fill_null(own)
    return column


def as_fitted(
    profiles: Sequence[AttributeProfile], fitted: Mapping[str, AttributeProfile]
) -> tuple[AttributeProfile, ...]:
    """Return the profiles of other claims, with the forms that attributes had in a fit.

    Parameters
    ----------
    profiles
        Of the attributes of the other claims.
    fitted
        Those of the fit whose form is not that of a contest of values, by name.
    """
    return tuple(
        profile
        if profile.name not in fitted or fitted[profile.name].form == profile.form
        else replace(fitted[profile.name], n_items=profile.n_items, n_values=profile.n_values)
        for profile in profiles
    )
