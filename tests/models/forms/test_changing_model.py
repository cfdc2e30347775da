"""Values that change, judged with the model of the library."""

from datetime import date, timedelta
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from veracity import GRBM, Attribute, Claims
from veracity.data.read.settings import Settings
from veracity.errors import InputError, InvalidParameter
from veracity.models.persistence import load

CHANGING = {"*": Attribute(truth="changing")}


def drawn(seed: int = 0, rate: float = 1.0, n_items: int = 60) -> tuple[pd.DataFrame, list[str]]:
    """Return claims of eight sources, of which the last two look a long time back, and truth."""
    rng = np.random.default_rng(seed)
    rows, truth = [], []
    for item in range(n_items):
        changes = np.sort(rng.uniform(0, 1000, rng.poisson(rate)))
        values = rng.permutation(6)[: len(changes) + 1]
        values = np.append(values, values)[: len(changes) + 1]
        truth.append(f"v{values[-1]}")
        for source in range(8):
            time = int(rng.uniform(0, 1000))
            seen = time - 400 if source > 5 else time
            value = values[np.searchsorted(changes, seen)]
            if rng.random() < 0.1:
                value = rng.integers(6)
            rows.append((f"s{source}", f"e{item:03}", f"v{value}", time))
    return pd.DataFrame(rows, columns=["source", "entity", "value", "time"]), truth


def values_of(model: GRBM) -> list[str]:
    return list(model.truths_.to_pandas().sort_values("entity")["value"])


def share_right(model: GRBM, truth: list[str]) -> float:
    return float(np.mean([a == b for a, b in zip(values_of(model), truth, strict=True)]))


def test_the_current_value_is_found_more_often_than_by_claims_alone() -> None:
    frame, truth = drawn()
    changing = GRBM().fit(Claims.from_frame(frame, attributes=CHANGING))
    static = GRBM().fit(Claims.from_frame(frame))
    latest = frame.sort_values("time").groupby("entity")["value"].last()
    assert share_right(changing, truth) >= max(
        share_right(static, truth), np.mean(latest.to_numpy() == np.array(truth))
    )


def test_sources_that_look_back_are_late_and_not_unreliable() -> None:
    frame, _ = drawn(n_items=150)
    sources = GRBM().fit(Claims.from_frame(frame, attributes=CHANGING)).sources_.to_pandas()
    fresh, late = sources[:6], sources[6:]
    assert late["freshness"].max() < fresh["freshness"].min()
    assert late["lag"].min() > fresh["lag"].max()
    assert late["reliability"].min() > 0.7


def test_a_constant_truth_gives_the_static_answer() -> None:
    frame, truth = drawn(rate=0.0)
    changing = GRBM().fit(Claims.from_frame(frame, attributes=CHANGING))
    static = GRBM().fit(Claims.from_frame(frame))
    assert values_of(changing) == values_of(static)
    assert share_right(changing, truth) > 0.95
    assert changing.truths_.to_pandas()["n_changes"].mean() < 0.05


@pytest.mark.parametrize(("factor", "shift"), [(1.0, 5e5), (86_400.0, 0.0), (1e-3, -7.0)])
def test_units_and_origin_of_time_do_not_matter(factor: float, shift: float) -> None:
    frame, _ = drawn()
    moved = frame.assign(time=frame["time"] * factor + shift)
    one = GRBM().fit(Claims.from_frame(frame, attributes=CHANGING)).truths_.to_pandas()
    two = GRBM().fit(Claims.from_frame(moved, attributes=CHANGING)).truths_.to_pandas()
    assert list(one["value"]) == list(two["value"])
    np.testing.assert_allclose(one["plausibility"], two["plausibility"], atol=1e-6)
    np.testing.assert_allclose(
        one["valid_from"] * factor + shift, two["valid_from"], rtol=1e-6, atol=1e-3 * factor
    )


def test_time_reversed_twice_is_the_same() -> None:
    frame, _ = drawn()
    back = frame.assign(time=-frame["time"])
    again = back.assign(time=-back["time"])
    one = GRBM().fit(Claims.from_frame(frame, attributes=CHANGING)).statements_
    reversed_ = GRBM().fit(Claims.from_frame(back, attributes=CHANGING)).statements_
    two = GRBM().fit(Claims.from_frame(again, attributes=CHANGING)).statements_
    assert one.to_arrow().equals(two.to_arrow())
    assert not one.to_arrow().equals(reversed_.to_arrow())


def test_the_order_of_rows_does_not_matter() -> None:
    frame, _ = drawn()
    shuffled = frame.sample(frac=1.0, random_state=1)
    one = GRBM().fit(Claims.from_frame(frame, attributes=CHANGING)).statements_.to_pandas()
    two = GRBM().fit(Claims.from_frame(shuffled, attributes=CHANGING)).statements_.to_pandas()
    np.testing.assert_allclose(one["plausibility"], two["plausibility"], atol=1e-9)


def test_blocks_judge_as_memory_does(tmp_path: Path) -> None:
    from veracity.data.read.formats import locate
    from veracity.data.read.tables import FileOptions
    from veracity.engines.read import read_in_blocks

    frame, _ = drawn()
    path = tmp_path / "claims.csv"
    frame.to_csv(path, index=False)
    settings = Settings.of({"attributes": CHANGING})
    blocks = read_in_blocks(locate(str(path)), FileOptions(), settings, "1GB", claims_per_block=90)
    assert len(blocks.blocks) > 2
    whole = GRBM().fit(Claims.read(path, attributes=CHANGING))
    parts = GRBM().fit(blocks)
    one, two = (model.truths_.to_pandas().sort_values("entity") for model in (whole, parts))
    assert list(one["value"]) == list(two["value"])
    np.testing.assert_allclose(one["plausibility"], two["plausibility"], atol=1e-6)
    np.testing.assert_allclose(
        whole.sources_.to_pandas()["lag"], parts.sources_.to_pandas()["lag"], atol=1e-6
    )
    lines, others = (model.tables_["timelines"].to_pandas() for model in (whole, parts))
    order = ["entity", "plausibility"]
    assert len(lines) == len(others)
    assert list(lines.sort_values(order)["value"]) == list(others.sort_values(order)["value"])


def test_a_model_that_was_kept_judges_the_same(tmp_path: Path) -> None:
    frame, _ = drawn()
    claims = Claims.from_frame(frame, attributes=CHANGING)
    model = GRBM().fit(claims)
    model.save(tmp_path / "model")
    judged = load(tmp_path / "model").predict(claims).to_pandas()
    assert judged.equals(model.predict(claims).to_pandas())


def a_move() -> pd.DataFrame:
    """Return claims about a shop that moved in May, and others that did not, with dates."""
    rows = []
    for item in range(12):
        for month in range(1, 11):
            for source in "abc":
                moved = month > 5 and item == 0 and not (source == "c" and month < 8)
                value = f"new {item}" if moved else f"old {item}"
                rows.append((source, f"shop {item}", value, f"2023-{month:02}-15"))
    return pd.DataFrame(rows, columns=["source", "entity", "value", "date"])


def test_a_move_has_a_timeline_with_dates() -> None:
    claims = Claims.from_frame(a_move(), time="date", attributes=CHANGING)
    model = GRBM().fit(claims)
    row = model.truths_.to_pandas().query("entity == 'shop 0'").iloc[0]
    assert row["value"] == "new 0"
    assert date(2023, 5, 15) < row["valid_from"] <= date(2023, 6, 15)
    assert row["valid_to"] is None
    lines = model.tables_["timelines"].to_pandas().query("entity == 'shop 0'")
    assert list(lines["value"]) == ["old 0", "new 0"]
    assert lines["valid_to"].iloc[0] == lines["valid_from"].iloc[1] == row["valid_from"]
    assert lines["changed_after"].iloc[1] <= row["valid_from"] <= lines["changed_before"].iloc[1]
    assert lines["changed_before"].iloc[1] - lines["changed_after"].iloc[1] < timedelta(days=70)


@pytest.mark.parametrize(
    ("as_of", "value"),
    [("2023-02-01", "old 0"), (date(2023, 9, 1), "new 0"), ("2024-01-01", "new 0")],
)
def test_the_value_as_of_a_date(as_of: str, value: str) -> None:
    claims = Claims.from_frame(a_move(), time="date", attributes=CHANGING, as_of=as_of)
    row = GRBM().fit(claims).truths_.to_pandas().query("entity == 'shop 0'").iloc[0]
    assert row["value"] == value


def test_a_time_before_all_claims_is_refused() -> None:
    claims = Claims.from_frame(a_move(), time="date", attributes=CHANGING, as_of="2022-12-31")
    with pytest.raises(InputError, match=r"as_of is 2022-12-31, but the first claim .* 2023-01-15"):
        GRBM().fit(claims)


def test_a_time_that_is_none_is_refused() -> None:
    with pytest.raises(InvalidParameter, match=r"Got 'last May' instead"):
        Claims.from_frame(a_move(), time="date", attributes=CHANGING, as_of="last May")


def test_claims_without_a_time_column_are_refused() -> None:
    claims = Claims.from_frame(a_move().drop(columns="date"), attributes=CHANGING)
    with pytest.raises(InputError, match="is said to change, but the claims have no times"):
        GRBM().fit(claims)


def test_a_claim_without_a_time_counts_as_the_first_and_is_counted() -> None:
    frame = a_move()
    frame.loc[frame.index[:2], "date"] = None
    model = GRBM().fit(Claims.from_frame(frame, time="date", attributes=CHANGING))
    (note,) = [note for note in model.notes_ if note.subject == "time" and "no time" in note.text]
    assert note.count == 2
    assert "2 claims about values that change have no time" in note.text


def test_several_true_values_do_not_change() -> None:
    with pytest.raises(InvalidParameter, match="one true value at a time"):
        Attribute("multiple", truth="changing")


def test_all_dated_claims_of_a_source_count() -> None:
    claims = Claims.from_frame(a_move(), time="date", attributes=CHANGING)
    assert claims.matrix.n_claims == 360
    assert Claims.from_frame(a_move(), time="date").matrix.n_claims == 36
    again = pd.concat([a_move(), a_move()])
    repeated = Claims.from_frame(again, time="date", attributes=CHANGING)
    np.testing.assert_allclose(repeated.matrix.claim_weight, 2**-0.5)
    latest = Claims.from_frame(again, time="date", attributes=CHANGING, duplicates="latest")
    assert latest.matrix.n_claims == 360


def test_an_explanation_adds_up() -> None:
    for as_of in (None, "2023-05-20"):
        claims = Claims.from_frame(a_move(), time="date", attributes=CHANGING, as_of=as_of)
        model = GRBM().fit(claims)
        explained = model.explain("shop 0")
        for statement in explained.statements:
            total = statement.global_hidden_bias + sum(term.log_odds for term in statement.terms)
            assert 1 / (1 + np.exp(-total)) == pytest.approx(statement.plausibility, abs=1e-6)
            assert len(statement.terms) == 30


def test_known_truth_holds_when_asked() -> None:
    frame = a_move()
    known = pd.DataFrame({"entity": ["shop 0"], "attribute": ["value"], "value": ["old 0"]})
    claims = Claims.from_frame(frame, time="date", attributes=CHANGING)
    lines = GRBM().fit(claims, known_truth=known).tables_["timelines"].to_pandas()
    assert list(lines.query("entity == 'shop 0'")["value"])[-1] == "old 0"


def test_yes_and_no_change_too() -> None:
    rows = [
        (source, f"shop {item}", "yes" if month < 7 or item else "no", f"2023-{month:02}-01")
        for item in range(8)
        for month in range(1, 13)
        for source in "abc"
    ]
    frame = pd.DataFrame(rows, columns=["source", "entity", "value", "date"])
    model = GRBM().fit(Claims.from_frame(frame, time="date", attributes=CHANGING))
    assert values_of(model) == ["no", *["yes"] * 7]
    assert date(2023, 6, 2) <= model.truths_.to_pandas()["valid_from"][0] <= date(2023, 7, 1)
