"""How good the verdicts are, measured against known truth."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import pyarrow as pa

from veracity.data.claims import Claims
from veracity.data.engine import Workbench
from veracity.data.results import BELIEVED
from veracity.data.tables import Table
from veracity.data.truth import GroundTruth
from veracity.errors import InputError


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
    """

    n_truth_items: int
    n_items: int
    n_right: int
    accuracy: float
    precision: float | None = None
    recall: float | None = None
    f1: float | None = None

    def as_dict(self) -> dict[str, Any]:
        """Return the figures as plain data."""
        return asdict(self)


def evaluate(truths: Table, truth: GroundTruth, claims: Claims) -> Evaluation:
    """Compare the believed values with the true ones, over the truth items that have a claim.

    Values are compared in the form in which the claims' values were.
    """
    with Workbench() as workbench:
        known = truth.for_attributes(claims.matrix.attributes.to_pylist())
        believed = truths.to_arrow().select(["entity", "attribute", "value", "plausibility"])
        workbench.register("known_rows", _with_keys(known, claims))
        workbench.register("believed_rows", _with_keys(believed, claims))
        workbench.step("known", "SELECT DISTINCT entity, attribute, key FROM known_rows")
        workbench.step("believed", "SELECT * FROM believed_rows")
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
            "best",
            "SELECT entity, attribute, arg_max(key, plausibility) AS key "
            "FROM believed JOIN covered USING (entity, attribute) GROUP BY entity, attribute",
        )
        (right,) = workbench.row(
            "SELECT count(*) FROM best JOIN known USING (entity, attribute, key)"
        )
        return Evaluation(n_truth, n_items, right, right / n_items, *_several(workbench, claims))


def _with_keys(table: pa.Table, claims: Claims) -> pa.Table:
    forms = claims.forms
    values = table["value"]
    if forms.change_anything():
        pairs = zip(table["attribute"].to_pylist(), values.to_pylist(), strict=True)
        values = pa.array([forms.key(attribute, value) for attribute, value in pairs], pa.string())
    return table.drop_columns(["value"]).append_column("key", values)


def _several(
    workbench: Workbench, claims: Claims
) -> tuple[float | None, float | None, float | None]:
    """Return precision, recall and F1 over the items that may have several true values."""
    names = [profile.name for profile in claims.attributes if profile.kind == "multiple"]
    if not names:
        return None, None, None
    workbench.register("multiple", pa.table({"attribute": pa.array(names, pa.string())}))
    scope = "JOIN covered USING (entity, attribute) JOIN multiple USING (attribute)"
    named, true, both = workbench.row(
        f"SELECT (SELECT count(*) FROM believed {scope} WHERE plausibility >= {BELIEVED}), "
        f"(SELECT count(*) FROM known {scope}), "
        "(SELECT count(*) FROM believed JOIN known USING (entity, attribute, key) "
        f"{scope} WHERE plausibility >= {BELIEVED})"
    )
    if not true:
        return None, None, None
    precision, recall = both / named if named else 0.0, both / true
    f1 = 2 * precision * recall / (precision + recall) if both else 0.0
    return precision, recall, f1


def _nothing_shared(workbench: Workbench) -> InputError:
    example = workbench.rows("SELECT entity, attribute FROM known ORDER BY ALL LIMIT 1")[0]
    claimed = workbench.rows("SELECT entity, attribute FROM believed ORDER BY ALL LIMIT 1")[0]
    return InputError(
        f"The truth shares no item with the claims: it speaks of {example[0]!r} ({example[1]!r}), "
        f"the claims of {claimed[0]!r} ({claimed[1]!r}). Expected the same entities and attributes."
    )
