"""Attributes of several forms in one table: each is judged as if it were alone."""

from __future__ import annotations

from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.engines.worlds import in_place

from veracity import GRBM, Attribute, Claims, discover, load
from veracity.data.blocks import ClaimBlock
from veracity.data.output.tables import Table
from veracity.engines.base import ClaimsInBlocks
from veracity.engines.sums import Scattered, Sums
from veracity.models.base import Judgement
from veracity.models.explanation import Bill, Explainer
from veracity.models.forms import registry
from veracity.models.forms.base import FormModel
from veracity.models.numeric.numbers import Numbers, judgement, median_of
from veracity.workflow.updates import update


class ByMedian(FormModel):
    """Believes the median, and learns how many claims each source makes."""

    form = "number"
    estimates = True
    columns: ClassVar[dict[str, pa.DataType]] = {"size": pa.int64()}

    def fit(self, claims: ClaimsInBlocks) -> None:
        found = claims.blocks.total(_count, claims.n_sources)
        self.sources, self.counts = claims.sources, found["n"].everywhere()

    def judge(self, block: ClaimBlock) -> Judgement:
        numbers = Numbers.of(block.claims)
        found = judgement(
            numbers, median_of(numbers, numbers.weight), np.zeros(block.matrix.n_statements)
        )
        column = pa.array(np.diff(block.matrix.claim_start))
        return Judgement(found.plausibility, found.score, found.estimates, None, {"size": column})

    def reliability(self, claims: ClaimsInBlocks) -> pa.Table:
        reliability = np.full(len(self.sources), 0.25)
        columns = {"source": self.sources, "reliability": reliability, "said": self.counts}
        return pa.table(columns)

    def tables(self, claims: ClaimsInBlocks) -> dict[str, Table]:
        return {"heights": Table("heights", pa.table({"n_claims": [claims.n_rows]}))}

    def explainer(self, claims: Claims) -> Explainer:
        judged = self.judge(ClaimBlock(claims, np.arange(claims.matrix.n_sources)))
        nothing = np.zeros(claims.matrix.n_claims)
        return ByNumbers(claims, judged.plausibility, nothing, nothing)

    def state(self) -> tuple[dict[str, Any], dict[str, npt.NDArray[Any]]]:
        return {"sources": self.sources.to_pylist()}, {"counts": self.counts}

    def restore(self, state: dict[str, Any], arrays: dict[str, npt.NDArray[Any]]) -> None:
        self.sources, self.counts = pa.array(state["sources"]), arrays["counts"]


class ByNumbers(Explainer):
    """Explains nothing but the claims there are."""

    def bills(self, item: int) -> list[Bill]:
        first, last = (int(self.matrix.claim_start[item + more]) for more in (0, 1))
        claims = list(range(first, last))
        return [
            Bill(statement, 0.0, claims, [0.0] * len(claims), [True] * len(claims), (), "judged")
            for statement in range(*map(int, self.matrix.statement_start[item : item + 2]))
        ]


def _count(block: ClaimBlock, n_sources: int) -> Sums:
    n = np.bincount(block.matrix.source_index, minlength=block.matrix.n_sources)
    return {"n": Scattered(block.place, n, n_sources)}


@pytest.fixture(autouse=True)
def by_median(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(registry.FORMS, "number", (__name__, "ByMedian"))


def towns(seed: int = 0) -> pd.DataFrame:
    """Claims about colours, which are contests, by all but one source, and about heights."""
    rng = np.random.default_rng(seed)
    rows = []
    for entity in range(40):
        for source in range(6):
            colour = "red" if rng.random() < 0.7 else rng.choice(["blue", "green"])
            rows.append((f"s{source}", f"e{entity}", "colour", colour))
            rows.append((f"s{source + 1}", f"e{entity}", "height", f"{rng.normal(entity):.2f}"))
    return pd.DataFrame(rows, columns=["source", "entity", "attribute", "value"])


NUMBERS = {"height": Attribute(values="number")}


def fitted(table: pd.DataFrame, **given: Any) -> GRBM:
    return GRBM().fit(Claims.from_frame(table, attributes=NUMBERS), **given)


def rows(model: GRBM, attribute: str, name: str = "truths_") -> list[dict[str, Any]]:
    table = getattr(model, name).to_pylist()
    return [row for row in table if row["attribute"] == attribute]


def test_contests_are_judged_as_if_they_were_alone() -> None:
    table = towns()
    both, alone = fitted(table), GRBM().fit(table[table.attribute == "colour"])
    for name in ("truths_", "statements_"):
        ours = rows(both, "colour", name)
        for own, expected in zip(ours, getattr(alone, name).to_pylist(), strict=True):
            shown = {key: own[key] for key in expected if key != "decision"}
            assert shown == {key: expected[key] for key in shown}
    by_source = {row["source"]: row for row in alone.sources_.to_pylist()}
    of_both = {row["source"]: row for row in both.sources_.to_pylist()}
    assert of_both["s0"]["reliability"] == by_source["s0"]["reliability"]  # says nothing of heights
    assert of_both["s6"]["reliability"] == 0.25  # speaks of heights only
    assert of_both["s6"]["tpr"] is None
    assert of_both["s6"]["said"] == 40
    assert of_both["s0"]["said"] is None
    mixed = (by_source["s1"]["reliability"] + 0.25) / 2  # as many claims of each form
    assert of_both["s1"]["reliability"] == pytest.approx(mixed)


def test_numbers_are_judged_by_their_model() -> None:
    table = towns()
    model = fitted(table)
    assert model.forms_ == {"colour": model.forms_["colour"], "height": "number"}
    own = table[table.attribute == "height"]
    expected = own.assign(value=own.value.astype(float)).groupby("entity").value.median()
    for row in rows(model, "height"):
        assert float(row["value"]) == pytest.approx(expected[row["entity"]])
        assert row["low"] <= float(row["value"]) <= row["high"]
        assert row["size"] == 6
    assert all(row["size"] is None for row in rows(model, "colour"))


def test_a_table_of_numbers_alone() -> None:
    table = towns()
    model = fitted(table[table.attribute == "height"])
    assert model.forms_ == {"height": "number"}
    assert len(model.truths_) == 40
    assert set(model.sources_["reliability"].to_pylist()) == {0.25}
    assert model.predict(table)["value"].to_pylist()  # colours, which it does not know, by vote


@pytest.mark.parametrize("only", [False, True])
def test_it_can_be_saved(tmp_path: Path, only: bool) -> None:
    table = towns()
    table = table[table.attribute == "height"] if only else table
    model = fitted(table)
    model.save(tmp_path / "model")
    again = load(tmp_path / "model")
    assert again.predict(table).to_pylist() == model.predict(table).to_pylist()


def test_other_claims_are_judged_by_the_forms_of_the_fit() -> None:
    table = towns()
    new = table[table.entity.isin(["e1", "e2"])]  # nobody says that heights are numbers
    found = {
        (row["entity"], row["attribute"]): row for row in fitted(table).predict(new).to_pylist()
    }
    assert found["e1", "height"]["low"] is not None
    assert found["e1", "colour"]["low"] is None


def test_explanations_are_those_of_the_form() -> None:
    table = towns()
    model = fitted(table)
    alone = GRBM().fit(table[table.attribute == "colour"])
    assert model.explain("e3", "colour") == alone.explain("e3", "colour")
    shown = model.explain("e3", "height")
    assert shown.attribute == "height"
    believed = {
        row["value"]: row["plausibility"]
        for row in rows(model, "height", "statements_")
        if row["entity"] == "e3"
    }
    assert {one.value: one.plausibility for one in shown.statements} == pytest.approx(believed)
    assert {term.source for term in shown.statements[0].terms} == {f"s{n}" for n in range(1, 7)}


def test_known_truth_of_each_form() -> None:
    table = towns()
    truth = pd.DataFrame(
        [("e1", "colour", "blue"), ("e1", "height", "7.5"), ("e2", "height", "2")],
        columns=["entity", "attribute", "value"],
    )
    model = fitted(table, known_truth=truth)
    assert [row["value"] for row in rows(model, "colour") if row["entity"] == "e1"] == ["blue"]
    assert [row["value"] for row in rows(model, "height") if row["entity"] == "e1"] == ["7.5"]


def test_blocks_give_what_memory_gives(tmp_path: Path) -> None:
    path = tmp_path / "claims.csv"
    towns().to_csv(path, index=False)
    in_blocks = in_place(path, "blocks on disk", 40, attributes=NUMBERS)
    whole = Claims.read(path, attributes=NUMBERS)
    ours, expected = GRBM().fit(in_blocks), GRBM().fit(whole)
    key = lambda row: (row["attribute"], row["entity"])  # noqa: E731
    for own, other in zip(
        sorted(ours.truths_.to_pylist(), key=key),
        sorted(expected.truths_.to_pylist(), key=key),
        strict=True,
    ):
        assert own.keys() == other.keys()
        assert own["value"] == other["value"]
        assert own["plausibility"] == pytest.approx(other["plausibility"], abs=1e-6)
    reliability = ours.sources_.to_pandas().set_index("source").reliability
    pd.testing.assert_series_equal(
        reliability, expected.sources_.to_pandas().set_index("source").reliability, atol=1e-6
    )


@pytest.mark.parametrize("refit", [True, False])
def test_claims_come_in_a_stream(refit: bool) -> None:
    table = towns()
    late = table.entity.isin(["e38", "e39"]) & (table.source == "s3")
    model = fitted(table[~late])
    model.partial_fit(table[late], refit=refit)
    whole = fitted(table)
    shown = {row["entity"]: row for row in rows(model, "height")}
    for row in rows(whole, "height"):
        own = shown[row["entity"]]
        assert own["value"] == row["value"]
        assert own["low"] == pytest.approx(row["low"], nan_ok=True)
        assert own["size"] == row["size"]
    said = dict(
        zip(*(model.sources_[name].to_pylist() for name in ("source", "said")), strict=True)
    )
    assert said["s3"] == (40 if refit else 38)  # learned in whole fits


def test_further_tables_are_written_and_kept_up_to_date(tmp_path: Path) -> None:
    table = towns()
    late = (table.entity == "e39") & (table.source == "s3")
    claims = Claims.from_frame(table[~late], attributes=NUMBERS)
    discover(claims).save(tmp_path / "out", report=False)
    assert pq.read_table(tmp_path / "out" / "heights.parquet").to_pylist() == [{"n_claims": 239}]
    update(tmp_path / "out", table[late])
    assert pq.read_table(tmp_path / "out" / "heights.parquet").to_pylist() == [{"n_claims": 240}]
