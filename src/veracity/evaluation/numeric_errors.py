"""Errors worth reading: wrong verdicts of which the model was surest."""

from __future__ import annotations

from veracity.data.claims import Claims
from veracity.data.output.tables import Table
from veracity.data.read.workbench import Workbench
from veracity.data.truth.ground_truth import GroundTruth
from veracity.evaluation.metrics import match


def surest_errors(truths: Table, truth: GroundTruth, claims: Claims, limit: int = 12) -> Table:
    """Return wrong verdicts, the most plausible first.

    Columns: entity, attribute, value, true, plausibility. `true` names the true values of the item,
    several of them separated by semicolons.
    """
    with Workbench() as workbench:
        match(workbench, truths, truth, claims)
        known = truth.for_attributes(claims.matrix.attributes.to_pylist())
        workbench.register("true_rows", known)
        workbench.register("verdicts", truths.to_arrow().select(["entity", "attribute", "value"]))
        workbench.step("placed", "SELECT *, row_number() OVER () AS place FROM verdicts")
        workbench.step(
            "wrong",
            "SELECT entity, attribute, best.plausibility AS plausibility "
            "FROM best ANTI JOIN known USING (entity, attribute, key) "
            f"ORDER BY best.plausibility DESC, entity, attribute LIMIT {int(limit)}",
        )
        # The believed value is the first of those of its item that are as plausible as the best.
        workbench.step(
            "shown",
            "SELECT wrong.entity, wrong.attribute, wrong.plausibility, "
            "arg_min(placed.value, placed.place) AS value "
            "FROM wrong JOIN believed USING (entity, attribute) JOIN placed "
            "ON placed.place = believed.place "
            "WHERE believed.plausibility = wrong.plausibility GROUP BY ALL",
        )
        found = workbench.arrow(
            "SELECT entity, attribute, shown.value AS value, "
            "string_agg(DISTINCT true_rows.value, '; ' ORDER BY true_rows.value) AS 'true', "
            "plausibility FROM shown JOIN true_rows USING (entity, attribute) "
            "GROUP BY ALL ORDER BY plausibility DESC, entity, attribute"
        )
    return Table("errors", found)
