"""Fits of a panel: all judges, and some of them; what each fit believes, on the same statements."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from veracity.data.arrays import Floats, Indices, Mask
from veracity.data.buffers import to_arrow, to_numpy
from veracity.data.claims import Claims
from veracity.data.matrix import ClaimMatrix
from veracity.data.read.frames import as_text
from veracity.data.read.ingest import ingest
from veracity.data.read.settings import Attribute, Settings
from veracity.data.read.tables import open_frame
from veracity.data.read.workbench import Workbench
from veracity.data.truth.ground_truth import GroundTruth
from veracity.errors import ConvergenceWarning
from veracity.models.grbm.estimator import GRBM
from veracity.workflow.jury.columns import VerdictTable
from veracity.workflow.jury.families import Family, family_of, row_weights

#: A verdict has one true value, of whatever kind it looks.
ONE_TRUE_VALUE = {"*": Attribute(kind="single")}


@dataclass(frozen=True, eq=False)
class Beliefs:
    """What a fit to some judges believes, on the statements of all of them.

    Attributes
    ----------
    plausibility
        Of each statement. What nobody of these judges claims shares what the others leave;
        (n_statements,).
    heard
        Marks the items that one of these judges speaks about; (n_items,).
    verdict
        The statement that is believed, -1 for items that are not heard; (n_items,).
    """

    plausibility: Floats
    heard: Mask
    verdict: Indices

    @classmethod
    def of(cls, model: GRBM, claims: Claims, matrix: ClaimMatrix) -> Beliefs:
        """Bring the plausibilities of a fit to some judges into the order of all statements."""
        place = places_in(claims.matrix, matrix)
        found = np.full(matrix.n_statements, np.nan)
        found[place] = model.plausibility_
        known = ~np.isnan(found)
        n_known = matrix.sum_by_item(known.astype(np.float64))
        left = np.maximum(1.0 - matrix.sum_by_item(np.where(known, found, 0.0)), 0.0)
        each = left / np.maximum(matrix.domain_size - n_known, 1.0)
        filled = np.where(known, found, each[matrix.item_of_statement])
        heard = n_known > 0
        return cls(filled, heard, np.where(heard, best_of(filled, matrix), -1))

    def sharpened(self, power: float, matrix: ClaimMatrix) -> Beliefs:
        """Return the same beliefs with odds raised to a power."""
        raised = np.maximum(self.plausibility, 1e-12) ** power
        total = matrix.sum_by_item(raised)[matrix.item_of_statement]
        whole = matrix.sum_by_item(self.plausibility)[matrix.item_of_statement]
        return replace(self, plausibility=np.asarray(raised / total * np.minimum(whole, 1.0)))


def best_of(plausibility: Floats, matrix: ClaimMatrix) -> Indices:
    """Return the most plausible statement of each item, the first of several; (n_items,)."""
    order = np.lexsort((-plausibility, matrix.item_of_statement))
    return np.asarray(order[matrix.statement_start[:-1]], np.int64)


def places_in(part: ClaimMatrix, whole: ClaimMatrix) -> Indices:
    """Return the statement of `whole` that each statement of `part` is; (n_statements,)."""

    def codes(labels: pa.Array, of_whole: pa.Array) -> Indices:
        return to_numpy(pc.index_in(labels, of_whole)).astype(np.int64)

    def keys(entity: Indices, attribute: Indices, value: Indices) -> Indices:
        key = entity * len(whole.attributes) + attribute
        return np.asarray(key * len(whole.values) + value)

    item, own_item = part.item_of_statement, whole.item_of_statement
    wanted = keys(
        codes(part.entities, whole.entities)[part.entity_index[item]],
        codes(part.attributes, whole.attributes)[part.attribute_index[item]],
        codes(part.values, whole.values)[part.value_index],
    )
    there = keys(
        whole.entity_index[own_item].astype(np.int64),
        whole.attribute_index[own_item].astype(np.int64),
        whole.value_index.astype(np.int64),
    )
    order = np.argsort(there)
    return np.asarray(order[np.searchsorted(there[order], wanted)])


@dataclass(eq=False)
class Bench:
    """The judges and their verdicts, from which any panel of them can be fitted.

    Attributes
    ----------
    verdicts
        The table as it was read.
    parameters
        Of the model.
    known_truth
        The truth of some questions, if any is known.
    families
        Judges that err together.
    """

    verdicts: VerdictTable
    parameters: Mapping[str, Any]
    known_truth: GroundTruth | None = None
    families: Sequence[Family] = ()
    #: Fits so far, by the judges that took part.
    _kept: dict[frozenset[str], Beliefs] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._table = self.verdicts.for_model()
        self._judges: list[str] = as_text(self._table["source"]).to_pylist()
        items = [as_text(self._table["entity"])]
        if "attribute" in self._table.column_names:
            items.append(as_text(self._table["attribute"]))
        joined = pc.binary_join_element_wise(*items, "\x1f", null_handling="replace")
        self._question = to_numpy(joined.dictionary_encode().indices).astype(np.int64)

    @property
    def row_judges(self) -> list[str]:
        """The judge of each row."""
        return self._judges

    def claims(self, panel: Iterable[str] | None = None) -> Claims:
        """Return the claims of some judges, or of all, each with the weight that it deserves."""
        chosen = None if panel is None else frozenset(panel)
        rows = np.array([chosen is None or judge in chosen for judge in self._judges])
        table = self._table.filter(to_arrow(rows))
        judges = [judge for judge, kept in zip(self._judges, rows, strict=True) if kept]
        weights = row_weights(judges, self._question[rows], family_of(self.families))
        if weights is not None:
            table = table.append_column("weight", to_arrow(weights))
        settings = Settings.of({"attributes": ONE_TRUE_VALUE})
        with Workbench() as workbench:
            ingested = ingest(workbench, open_frame(workbench, table), settings)
        return Claims(ingested, self.verdicts.origin, self.verdicts.files)

    def beliefs(self, panel: Iterable[str], matrix: ClaimMatrix) -> Beliefs:
        """Fit the model to some judges alone; a panel is fitted once."""
        chosen = frozenset(panel)
        if chosen not in self._kept:
            claims = self.claims(chosen)
            model = GRBM(**self.parameters)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", ConvergenceWarning)
                model.fit(claims, known_truth=self._truth_about(claims))
            self._kept[chosen] = Beliefs.of(model, claims, matrix)
        return self._kept[chosen]

    def _truth_about(self, claims: Claims) -> GroundTruth | None:
        """Return the known truth of the questions that these judges speak about."""
        if self.known_truth is None:
            return None
        names = [profile.name for profile in claims.attributes]
        rows = self.known_truth.given_rows(names)
        kept = pc.is_in(rows["entity"], claims.matrix.entities)
        rows = rows.filter(kept)
        return GroundTruth.from_frame(rows) if rows.num_rows else None
