"""What if: an item judged again after claims were switched off or added."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from veracity.data.buffers import to_arrow
from veracity.data.claims import Claims
from veracity.data.labels.arrays import places_among
from veracity.errors import VeracityError
from veracity.models.explanation import find_item
from veracity.service.details import ItemDetails
from veracity.service.errors import ServiceError
from veracity.service.items import ItemIndex
from veracity.service.results import lay_beside
from veracity.service.schemas import AddedClaim, WhatIfRequest
from veracity.service.sources import SourceIndex
from veracity.workflow import SavedRun
from veracity.workflow.run_reading import RunReading

#: How far judging an item by itself may be from judging it among all others.
SAME = 1e-9

#: Added to the entity of the item as it is, which is judged beside the item as changed.
AS_IT_IS = " (as it is)"


class WhatIf:
    """Judges items of a run with other claims, by its model."""

    def __init__(self, saved: SavedRun, details: ItemDetails) -> None:
        self._claims, self._model = saved.claims, saved.model
        self._details, self._index = details, details.items
        self._reading = RunReading(saved)
        self._saved = saved

    def prepare(self) -> None:
        """Do the work that the first request would wait for."""
        self._saved.claims_table  # noqa: B018

    def answer(self, item: int, request: WhatIfRequest, mark: list[str] | None) -> dict[str, Any]:
        """Return the item as it would be judged."""
        matrix = self._index.matrix
        first, last = int(matrix.claim_start[item]), int(matrix.claim_start[item + 1])
        unknown = sorted(set(request.off) - set(range(first, last)))
        if unknown:
            message = f"Claim {unknown[0]} is not one of item {item}: {first} to {last - 1} are."
            raise ServiceError(422, "invalid_request", message)
        notes: list[str] = []
        kept = [claim for claim in range(first, last) if claim not in set(request.off)]
        kept = self._without_replaced(item, kept, request.add, notes)
        if not kept and not request.add:
            raise ServiceError(
                422,
                "no_claims",
                "Without any claim there is nothing to judge. Leave one, or add one.",
            )
        claims, origin = self._changed(item, kept, request.add, list(range(first, last)))
        return self._judged(item, claims, origin, notes, mark)

    def _without_replaced(
        self, item: int, kept: list[int], add: list[AddedClaim], notes: list[str]
    ) -> list[int]:
        """Leave out claims of sources that now say something else, where the latest counts."""
        matrix = self._index.matrix
        kind = matrix.profiles[int(matrix.attribute_index[item])].kind
        if kind == "multiple" or not self._reading.keeps_latest:
            return kept
        speaking = {claim.source for claim in add if claim.asserts or kind == "boolean"}
        names = self._details.sources.names
        left = [claim for claim in kept if names[int(matrix.source_index[claim])] not in speaking]
        if len(left) < len(kept):
            notes.append("An added claim of a source replaces its earlier one.")
        return left

    def _changed(
        self, item: int, kept: list[int], add: list[AddedClaim], whole: list[int]
    ) -> tuple[Claims, list[int | None]]:
        """Return the item's claims after the change, and beside them as they are."""
        entity = self._index.entity(item)
        after = self._rows(kept)
        if add:
            extra = self._added(item, add, after.schema)
            after = pa.concat_tables([after, extra])
        before = self._rows(whole)
        renamed = pa.array([entity + AS_IT_IS] * before.num_rows, pa.string())
        before = before.set_column(before.column_names.index("entity"), "entity", renamed)
        try:
            claims = self._reading.claims(pa.concat_tables([after, before]))
            claims.matrix  # noqa: B018
        except VeracityError as error:
            raise ServiceError(422, "invalid_claims", str(error)) from error
        return claims, [*kept, *([None] * len(add)), *whole]

    def _rows(self, claims: list[int]) -> pa.Table:
        """Return claims of the run as a table, labels as text."""
        rows = to_arrow(self._claims.matrix.row[np.array(claims, np.int64)])
        table = self._saved.claims_table.take(rows)
        columns = {
            name: column.cast(pa.string()) if pa.types.is_dictionary(column.type) else column
            for name, column in zip(table.column_names, table.columns, strict=True)
        }
        return pa.table(columns)

    def _added(self, item: int, add: list[AddedClaim], schema: pa.Schema) -> pa.Table:
        """Return claims to imagine, in the columns of the run."""
        unknown = {name for claim in add for name in claim.features} - set(self._reading.features)
        if unknown:
            name = sorted(unknown)[0]
            detail = {"where": "body.add.features", "message": f"{name!r} is none of the run's"}
            message = f"The run has no feature column {name!r}."
            raise ServiceError(422, "invalid_request", message, [detail])
        rows = [self._row(item, claim, schema) for claim in add]
        columns = {field.name: _typed([row[field.name] for row in rows], field) for field in schema}
        return pa.table(columns, schema=schema)

    def _row(self, item: int, claim: AddedClaim, schema: pa.Schema) -> dict[str, Any]:
        """Return a claim with what is known of its source and entity."""
        index, names = self._index, self._details.sources.names
        source = names.index_of(claim.source)
        of_source: dict[str, Any] = {}
        if source >= 0:
            of_source = self._rows(
                self._details.sources.claims_of(source)[:1].tolist()
            ).to_pylist()[0]
        of_entity = self._rows([int(index.matrix.claim_start[item])]).to_pylist()[0]
        row: dict[str, Any] = dict.fromkeys(schema.names)
        for name in schema.names:
            if name.startswith("source_"):
                row[name] = of_source.get(name)
            elif name.startswith("entity_"):
                row[name] = of_entity[name]
        row |= {"source": claim.source, "value": claim.value, "asserts": int(claim.asserts)}
        row |= {"entity": index.entity(item), "attribute": index.attribute(item), "weight": 1.0}
        return row | dict(claim.features)

    def _judged(
        self,
        item: int,
        claims: Claims,
        origin: list[int | None],
        notes: list[str],
        mark: list[str] | None,
    ) -> dict[str, Any]:
        """Judge, and put the answer in the words of the run."""
        matrix = claims.matrix
        model: Any = self._model.copied()
        truths, statements = model.predict_tables(claims)
        sources = self._known_rates(claims)
        nothing_known = np.zeros(matrix.n_items, np.bool_)
        results = lay_beside(
            matrix, nothing_known, truths.to_arrow(), statements.to_arrow(), sources
        )
        explains = self._details.explainer is not None
        explainer = model.explainer(claims) if explains else None
        profiles = {profile.name: profile for profile in self._claims.attributes}
        index = SourceIndex(ItemIndex(matrix, results, profiles))
        small = ItemDetails(claims, index, explainer, self._details.why_not)
        entity, attribute = self._index.entity(item), self._index.attribute(item)
        answer = small.answer(find_item(matrix, entity, attribute), mark)
        alone = small.answer(find_item(matrix, entity + AS_IT_IS, attribute), None)
        self._rename(answer, item, matrix.row, origin)
        self._compare(item, answer, alone, notes)
        return answer | {"notes": notes}

    def _known_rates(self, claims: Claims) -> pa.Table:
        """Return the rates of sources as the run has them, nothing for new ones."""
        place = places_among(claims.matrix.sources, self._claims.matrix.sources)
        results = self._index.results
        known = {**results.rates, "agreement": results.agreement}
        columns = {
            name: to_arrow(np.where(place >= 0, column[place], np.nan))
            for name, column in known.items()
        }
        return pa.table({"source": claims.matrix.sources, **columns})

    def _rename(
        self,
        answer: dict[str, Any],
        item: int,
        row: npt.NDArray[np.int64],
        origin: list[int | None],
    ) -> None:
        """Number item, claims and sources as the run does."""
        answer["id"] = item
        if answer["hardness"] is not None:
            answer["harder_than"] = self._index.harder_than(answer["hardness"])
        names = self._details.sources.names
        for claim in answer["claims"]:
            claim["claim"] = origin[int(row[claim["claim"]])]
            found = names.index_of(claim["source"])
            claim["source_id"] = found if found >= 0 else None
        for weight in answer["weights"] or ():
            weight["claim"] = origin[int(row[weight["claim"]])]
        for evidence in answer["evidence"] or ():
            for term in evidence["terms"]:
                term["claim"] = origin[int(row[term["claim"]])]

    def _compare(
        self, item: int, answer: dict[str, Any], alone: dict[str, Any], notes: list[str]
    ) -> None:
        """Add what was believed before, and say where that is not what the run says."""
        in_run = {
            row["value"]: row["plausibility"] for row in self._details.answer(item, None)["values"]
        }
        by_itself = {row["value"]: row["plausibility"] for row in alone["values"]}
        known = bool(self._index.results.known[item])
        shared = in_run.keys() & by_itself.keys()
        away = max((abs(in_run[value] - by_itself[value]) for value in shared), default=0.0)
        if known:
            notes.append(
                "The truth of this item was given to the run; here it is judged by claims alone."
            )
        elif away > SAME:
            notes.append(
                f"{type(self._model).__name__} judges this item alone differently than within the "
                f"run, by up to {away:.2g}. Both figures are for the item alone."
            )
        before = by_itself if known or away > SAME else in_run
        for row in answer["values"]:
            row["plausibility_before"] = before.get(row["value"])


def _typed(cells: list[Any], field: pa.Field) -> pa.Array:
    """Make a column of cells, of the type that the run's has."""
    try:
        if pa.types.is_string(field.type):
            cells = [None if cell is None else _text(cell) for cell in cells]
        elif pa.types.is_floating(field.type):
            cells = [None if cell is None else float(cell) for cell in cells]
        return pa.array(cells, field.type)
    except (pa.ArrowException, TypeError, ValueError, OverflowError) as error:
        raise ServiceError(
            422,
            "invalid_request",
            f"The column {field.name!r} is {field.type} in this run: {error}.",
        ) from error


def _text(cell: Any) -> str:
    return str(cell).lower() if isinstance(cell, bool) else str(cell)
