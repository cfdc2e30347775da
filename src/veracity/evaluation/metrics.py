"""Metrics: accuracy of verdicts against known truth."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from veracity.data.arrays import Floats
from veracity.data.buffers import to_arrow, to_numpy
from veracity.data.claims import Claims
from veracity.data.output.tables import Table
from veracity.data.output.ties import ENOUGH
from veracity.data.read.workbench import Workbench
from veracity.data.truth.ground_truth import GroundTruth
from veracity.data.truth.unclaimed_items import nothing_shared
from veracity.engines.base import ClaimsInBlocks
from veracity.engines.truth_check import check_truth
from veracity.errors import InputError
from veracity.evaluation.numeric import NumberErrors, settle_numbers
from veracity.models.tables import TableInBlocks

ITEM = ["entity", "attribute"]
BELIEF = [*ITEM, "value", "plausibility"]
#: What else a table of numbers has.
INTERVAL = ("low", "high")


@dataclass(frozen=True)
class Evaluation:
    """Verdicts against truth.

    Attributes
    ----------
    n_truth_items, n_items
        Items with known truth, and those of them that somebody claims something about.
    n_right, accuracy
        How many of the latter have a believed value that is a true one, and their share.
    precision, recall, f1
        Of the believed values of items with several true values, where there are such.
    mean_absolute_error, root_mean_squared_error
        Of the believed numbers of items that have one, where there are such.
    n_numbers, interval_coverage
        How many items have a number, and the share of their intervals that hold the truth.
    """

    n_truth_items: int
    n_items: int
    n_right: int
    accuracy: float
    precision: float | None = None
    recall: float | None = None
    f1: float | None = None
    mean_absolute_error: float | None = None
    root_mean_squared_error: float | None = None
    n_numbers: int = 0
    interval_coverage: float | None = None

    @property
    def all_numbers(self) -> bool:
        """Whether the truth of every measured item is a number, of which errors say more."""
        return self.n_numbers == self.n_items

    def as_dict(self) -> dict[str, Any]:
        """Return the figures as plain data."""
        return asdict(self)


@dataclass(frozen=True, eq=False)
class Outcomes:
    """The outcome for each truth item with a claim, ordered by entity and attribute.

    Attributes
    ----------
    plausibility
        Of the believed value, of several the first; (n_items,).
    right
        Whether it is a true one; (n_items,).
    """

    plausibility: Floats
    right: npt.NDArray[np.bool_]


def evaluate(truths: Table, truth: GroundTruth, claims: Claims | ClaimsInBlocks) -> Evaluation:
    """Compare the believed values with the true ones, over the truth items that have a claim.

    Values are compared in the form in which the claims' values were. A number is right if it is
    within the tolerance of a true one or, without a tolerance, the same to nine significant digits.

    Raises
    ------
    InputError
        If nobody claims the true values as they are spelled; see `check_truth`.
    """
    check_truth(truth, claims)
    return assess(truths, truth, claims)[0]


def assess(
    truths: Table, truth: GroundTruth, claims: Claims | ClaimsInBlocks
) -> tuple[Evaluation, Outcomes]:
    """Compare the believed values with the true ones, in total and item by item.

    Whether the claims say anything of the kind is checked before; see `check_truth`.
    """
    with Workbench() as workbench:
        n_truth, n_items, errors = match(workbench, truths, truth, claims)
        found = workbench.arrow(
            "SELECT plausibility, (known.key IS NOT NULL)::UTINYINT AS is_right "
            "FROM best LEFT JOIN known USING (entity, attribute, key) ORDER BY entity, attribute"
        )
        outcomes = Outcomes(to_numpy(found["plausibility"]), to_numpy(found["is_right"]) == 1)
        right = int(outcomes.right.sum())
        several = _several(workbench, claims)
        figures = (n_truth, n_items, right, right / n_items, *several)
        return Evaluation(*figures, **errors._asdict()), outcomes


def match(
    workbench: Workbench, truths: Table, truth: GroundTruth, claims: Claims | ClaimsInBlocks
) -> tuple[int, int, NumberErrors]:
    """Lay the believed values beside the true ones, over the truth items that have a claim.

    Makes the steps ``known``, ``believed`` and ``best``: the true values of an item, all believed
    ones, and the most plausible one. Return how many items have known truth, how many of them a
    claim, and how far off numbers are.
    """
    known = truth.for_attributes([profile.name for profile in claims.attributes])
    believed = _believed_about(truths, known)
    workbench.register("known_rows", with_keys(known, claims))
    workbench.register("believed_rows", with_keys(believed, claims))
    workbench.step("known", "SELECT DISTINCT entity, attribute, key FROM known_rows")
    # Of equally plausible values of an item, the first is the one that the seed chose.
    workbench.step("believed", "SELECT *, row_number() OVER () AS place FROM believed_rows")
    workbench.step(
        "covered",
        "SELECT entity, attribute FROM known INTERSECT SELECT entity, attribute FROM believed",
    )
    n_truth, n_items = workbench.row(
        "SELECT (SELECT count(*) FROM (SELECT DISTINCT entity, attribute FROM known)), "
        "(SELECT count(*) FROM covered)"
    )
    if not n_items:
        raise _nothing_shared(workbench)
    workbench.step(
        "chosen",
        "SELECT entity, attribute, max(plausibility) AS plausibility, "
        "arg_max(key, {'plausibility': plausibility, 'first': -place}) AS key "
        "FROM believed JOIN covered USING (entity, attribute) GROUP BY entity, attribute",
    )
    with_intervals = set(INTERVAL) <= set(believed.column_names)
    errors = settle_numbers(workbench, claims, with_intervals)
    return n_truth, n_items, errors


def rows_about(table: Table, items: pa.Table) -> pa.Table:
    """Return entity, attribute, value and plausibility of the rows that are about some items."""
    about = partial(_rows_about, items=items.select(ITEM))
    return pa.concat_tables(table.parts_by(about))


def _believed_about(truths: Table, known: pa.Table) -> pa.Table:
    """Return the believed values; of a table in blocks, those of items with known truth alone."""
    if not isinstance(truths, TableInBlocks):
        table = truths.to_arrow()
        return table.select(_columns(table))
    found = rows_about(truths, known)
    # Without any, there is an error to come, which shows an item that is claimed.
    return found if found.num_rows else pa.concat_tables(truths.parts_by(_first_row))


def _rows_about(part: pa.Table, items: pa.Table) -> pa.Table:
    """Return the rows of a part that are about some items, in their order."""
    place = to_arrow(np.arange(part.num_rows))
    keys = part.select(ITEM).append_column("place", place)
    found = keys.join(items, ITEM, join_type="left semi")["place"]
    return part.select(_columns(part)).take(found.take(pc.sort_indices(found)))


def _first_row(part: pa.Table) -> pa.Table:
    return part.select(_columns(part)).sort_by([(name, "ascending") for name in ITEM]).slice(0, 1)


def _columns(table: pa.Table) -> list[str]:
    """Return the columns that say what is believed, and in which interval, if there are such."""
    return [*BELIEF, *(end for end in INTERVAL if end in table.column_names)]


def with_keys(table: pa.Table, claims: Claims | ClaimsInBlocks) -> pa.Table:
    """Return a table with a column ``key`` in place of ``value``: the form that is compared."""
    forms = claims.forms
    values = table["value"]
    if forms.change_anything():
        pairs = zip(table["attribute"].to_pylist(), values.to_pylist(), strict=True)
        values = pa.array([forms.key(attribute, value) for attribute, value in pairs], pa.string())
    return table.drop_columns(["value"]).append_column("key", values)


def _several(
    workbench: Workbench, claims: Claims | ClaimsInBlocks
) -> tuple[float | None, float | None, float | None]:
    """Return precision, recall and F1 over the items that may have several true values."""
    names = [profile.name for profile in claims.attributes if profile.kind == "multiple"]
    if not names:
        return None, None, None
    workbench.register("multiple", pa.table({"attribute": pa.array(names, pa.string())}))
    scope = "JOIN covered USING (entity, attribute) JOIN multiple USING (attribute)"
    named, true, both = workbench.row(
        f"SELECT (SELECT count(*) FROM believed {scope} WHERE plausibility >= {ENOUGH}), "
        f"(SELECT count(*) FROM known {scope}), "
        "(SELECT count(*) FROM believed JOIN known USING (entity, attribute, key) "
        f"{scope} WHERE plausibility >= {ENOUGH})"
    )
    if not true:
        return None, None, None
    precision, recall = both / named if named else 0.0, both / true
    f1 = 2 * precision * recall / (precision + recall) if both else 0.0
    return precision, recall, f1


def _nothing_shared(workbench: Workbench) -> InputError:
    example, claimed = (
        workbench.row(f"SELECT entity, attribute FROM {step} ORDER BY ALL LIMIT 1")
        for step in ("known", "believed")
    )
    return InputError(nothing_shared("truth", example, claimed))
