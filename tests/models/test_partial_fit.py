"""Learning from a stream: beside a fit to all claims at once."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest
import torch
from tests.engines.worlds import write_world

import veracity
from veracity import GRBM, RBM, BinaryGRBM, Claims, DawidSkene, MajorityVote, TruthModel
from veracity.data.read.frames import plain_text
from veracity.data.read.settings import Attribute
from veracity.engines.base import ClaimsInBlocks
from veracity.errors import InputError, InvalidParameter
from veracity.streaming import stream as streams
from veracity.streaming.history import History

N_BATCHES = 10
FEATURES = ["claim_sure", "source_kind"]
#: The paper's machine: a theta for each source, and for features by a line and by a network.
PAPER: dict[str, Callable[[], BinaryGRBM]] = {
    "rbm": RBM,
    "linear": lambda: BinaryGRBM(features=FEATURES),
    "mlp": lambda: BinaryGRBM("mlp", features=FEATURES, hidden_sizes=(4,)),
}

pytestmark = pytest.mark.filterwarnings("ignore::veracity.errors.ConvergenceWarning")


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Claims:
    return Claims.read(write_world(tmp_path_factory.mktemp("world") / "claims.parquet"))


def drawn(n_items: int = 1_500, n_sources: int = 40, seed: int = 0) -> pa.Table:
    """Draw claims about items with four values, by sources of which some are better."""
    rng = np.random.default_rng(seed)
    quality = rng.normal(1.2, 1.0, n_sources)
    item = np.repeat(np.arange(n_items), 5)
    source = (n_sources * rng.random(len(item)) ** 1.5).astype(int)
    right = rng.random(len(item)) < 1 / (1 + np.exp(-quality[source]))
    value = np.where(right, 0, rng.integers(0, 4, len(item)))
    return pa.table(
        {
            "source": [f"s{number}" for number in source],
            "entity": [f"e{number}" for number in item],
            "attribute": ["town"] * len(item),
            "value": [f"{number}-{said}" for number, said in zip(item, value, strict=True)],
        }
    )


def sayings(table: pa.Table) -> np.ndarray[Any, Any]:
    """Number what a source says about an item."""
    labels = (table[name].to_pylist() for name in ("source", "entity", "attribute"))
    number: dict[tuple[str, ...], int] = {}
    return np.array([number.setdefault(key, len(number)) for key in zip(*labels, strict=True)])


def batches(table: pa.Table, seed: int = 0) -> Iterator[pa.Table]:
    """Cut claims into batches at random; what a source says about an item stays together."""
    saying = sayings(table)
    rank = np.random.default_rng(seed).permutation(saying.max() + 1)
    order = np.argsort(rank[saying], kind="stable")
    for part in np.array_split(order, N_BATCHES):
        yield table.take(pa.array(part))


def declared(claims: Claims, batch: pa.Table) -> Claims:
    """Read a batch with the attributes that all claims have."""
    there = set(batch["attribute"].to_pylist())
    attributes = {
        profile.name: Attribute(profile.kind, profile.domain, positive=profile.positive)
        for profile in claims.attributes
        if profile.name in there
    }
    return Claims.from_frame(batch, attributes=attributes)


def streamed(model: TruthModel, claims: Claims, refit: bool = False, seed: int = 0) -> TruthModel:
    for batch in batches(plain_text(claims.in_use()), seed):
        model.partial_fit(declared(claims, batch), refit=refit)
    return model


def statements(model: TruthModel) -> dict[tuple[str, ...], float]:
    rows = model.statements_.to_pylist()
    return {(row["entity"], row["attribute"], row["value"]): row["plausibility"] for row in rows}


def verdicts(model: TruthModel) -> dict[tuple[str, str], set[str]]:
    found: dict[tuple[str, str], set[str]] = {}
    for row in model.truths_.to_pylist():
        found.setdefault((row["entity"], row["attribute"]), set()).add(row["value"])
    return found


def distance(one: TruthModel, other: TruthModel) -> tuple[float, float]:
    """Return the share of equal verdicts, and the mean difference of plausibilities."""
    ours, theirs = statements(one), statements(other)
    assert ours.keys() == theirs.keys()
    own, others = verdicts(one), verdicts(other)
    same = float(np.mean([own[key] == others[key] for key in own]))
    return same, float(np.mean([abs(ours[key] - theirs[key]) for key in ours]))


def test_the_vote_of_a_stream_is_that_of_all_claims(world: Claims) -> None:
    whole = MajorityVote().fit(world)
    model = streamed(MajorityVote(), world)
    for name in ("truths_", "statements_", "sources_"):
        ours, theirs = getattr(model, name).to_arrow(), getattr(whole, name).to_arrow()
        if name == "sources_":  # nobody is named a spammer before the next whole fit
            theirs = theirs.drop_columns(["pattern", "pattern_of"])
        assert ours.column_names == theirs.column_names
        for column in ours.column_names:
            if pa.types.is_floating(ours[column].type):
                left, right = (table[column].to_numpy() for table in (ours, theirs))
                np.testing.assert_allclose(left, right, atol=1e-9)
            else:
                assert ours[column].to_pylist() == theirs[column].to_pylist(), column


@pytest.mark.parametrize("form", ["lures", "confusion"])
def test_the_default_model_comes_close_to_a_whole_fit(form: str) -> None:
    """Half of the claims come first: with one claim per item, little is known of lures."""
    table, attribute = drawn(), Attribute("single", "open")
    if form == "confusion":
        value = [text.rpartition("-")[2] for text in table["value"].to_pylist()]
        # Else the truth of all items would be the same class.
        number = [int(entity[1:]) for entity in table["entity"].to_pylist()]
        moved = [(int(v) + shift) % 4 for v, shift in zip(value, number, strict=True)]
        table = table.set_column(3, "value", pa.array([f"v{one}" for one in moved]))
        attribute = Attribute("single", "closed")
    claims = Claims.from_frame(table, attributes={"town": attribute})
    parts = list(batches(plain_text(claims.in_use())))
    model = GRBM().fit(declared(claims, pa.concat_tables(parts[:5])))
    for batch in parts[5:]:
        model.partial_fit(declared(claims, batch), refit=False)
    whole = GRBM().fit(claims)
    assert model.forms_ == whole.forms_ == {"town": form}
    same, mean = distance(model, whole)
    assert same > 0.98
    assert mean < 0.02


def test_all_kinds_of_attributes_come_close(world: Claims) -> None:
    """Open, closed, boolean, several values, denials, features."""
    same, mean = distance(streamed(GRBM(), world), GRBM().fit(world))
    assert same > 0.85
    assert mean < 0.08


def last_words(table: pa.Table) -> np.ndarray[Any, Any]:
    """Mark what the last source to speak about each item says."""
    saying = sayings(table)
    items = zip(table["entity"].to_pylist(), table["attribute"].to_pylist(), strict=True)
    last = dict(zip(items, saying.tolist(), strict=True))
    return np.isin(saying, list(last.values()))


@pytest.mark.parametrize("name", PAPER)
def test_the_papers_machine_judges_later_claims_by_what_it_learned(
    world: Claims, name: str
) -> None:
    """The last word about every item comes later, so that every item is judged again."""
    table = plain_text(world.in_use())
    later = last_words(table)
    first, rest = (declared(world, table.filter(pa.array(mask))) for mask in (~later, later))
    model, before = PAPER[name]().fit(first), PAPER[name]().fit(first)
    half = rest.matrix.n_claims // 2
    batches_of_rest = plain_text(rest.in_use())
    for batch in (batches_of_rest.slice(0, half), batches_of_rest.slice(half)):
        model.partial_fit(declared(world, batch), refit=False)
    np.testing.assert_array_equal(model.fitted_model.x, before.fitted_model.x)
    expected = before.predict_plausibility(world).to_pylist()
    assert statements(model) == pytest.approx(
        {(row["entity"], row["attribute"], row["value"]): row["plausibility"] for row in expected},
        abs=1e-9,
    )
    rates = {row.pop("source"): row for row in before.reliability(world).to_pylist()}
    for row in model.sources_.to_pylist():
        for rate in ("reliability", "tpr", "fpr"):
            assert row[rate] == pytest.approx(rates[row["source"]][rate], abs=1e-9)


def test_a_source_that_the_papers_machine_meets_later_has_the_rates_of_pre_training() -> None:
    model = RBM(rates=(0.8, 0.3)).fit(drawn(200))
    rows = {"source": ["new", "new"], "entity": ["e0", "other"], "attribute": ["town"] * 2}
    model.partial_fit({**rows, "value": ["never seen", "a"]}, refit=False)
    (new,) = [row for row in model.sources_.to_pylist() if row["source"] == "new"]
    assert (new["n_claims"], new["tpr"], new["fpr"]) == pytest.approx((2, 0.8, 0.3))
    assert {("e0", "town", "never seen"), ("other", "town", "a")} <= statements(model).keys()
    assert model.explain("other", "town").statements[0].value == "a"


ALL_THAT_LEARN: dict[str, Callable[[], TruthModel]] = {"grbm": GRBM, **PAPER}


@pytest.mark.parametrize("name", ALL_THAT_LEARN)
def test_few_claims_are_fitted_anew(world: Claims, name: str) -> None:
    make = ALL_THAT_LEARN[name]
    model = streamed(make(), world, refit=True)
    same, mean = distance(model, make().fit(world))
    assert same == 1.0
    assert mean < 1e-3  # rows come in another order, and fits end at a tolerance


def test_all_is_fitted_anew_at_each_doubling(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(streams, "SMALL", 0)
    fits: list[int] = []
    learn = MajorityVote._fit

    def counted(self: MajorityVote, claims: ClaimsInBlocks) -> None:
        fits.append(claims.matrix.n_claims)
        learn(self, claims)

    monkeypatch.setattr(MajorityVote, "_fit", counted)
    table = Claims.from_frame(drawn(400)).in_use()
    claims = Claims.from_frame(plain_text(table))
    streamed(MajorityVote(), claims, refit=True)
    n = claims.matrix.n_claims
    assert fits == pytest.approx([n / 10, n / 5, 2 * n / 5, 4 * n / 5], rel=0.02)


@pytest.mark.parametrize("name", ["grbm", "rbm", "linear"])
def test_the_same_claims_again_change_nothing(world: Claims, name: str) -> None:
    table = plain_text(world.in_use())
    model = ALL_THAT_LEARN[name]().fit(declared(world, table.slice(0, 1500)))
    model.partial_fit(declared(world, table.slice(1500, 500)), refit=False)
    before = statements(model), model.sources_.to_pylist()
    model.partial_fit(declared(world, table.slice(1500, 500)), refit=False)
    assert (statements(model), model.sources_.to_pylist()) == before


def test_new_sources_items_values_and_attributes_are_taken_in() -> None:
    model = GRBM().fit(drawn(200))
    rows = {
        "source": ["s0", "s1", "new", "new", "s0", "s1", "s2", "s0", "new"],
        "entity": ["e0", "other", "other", "e0", "x", "x", "x", "x", "x"],
        "attribute": ["town"] * 4 + ["open"] * 3 + ["author"] * 2,
        "value": ["never seen", "a", "b", "never seen", "yes", "yes", "no", "p", "q"],
    }
    model.partial_fit(rows, refit=False)
    found = statements(model)
    assert ("e0", "town", "never seen") in found
    assert ("other", "town", "a") in found
    assert {"new"} <= set(model.sources_["source"].to_pylist())
    believed = verdicts(model)
    assert believed["x", "open"] == {"yes"}
    assert ("x", "author") in believed
    assert model.forms_ == {"town": "lures", "open": "one-coin", "author": "lures"}
    counts = dict(
        zip(*(model.sources_[name].to_pylist() for name in ("source", "n_claims")), strict=True)
    )
    assert counts["new"] == 3
    assert sum(counts.values()) == model.claims_.matrix.n_claims


def test_a_closed_attribute_may_gain_a_class() -> None:
    rng = np.random.default_rng(1)
    truth = rng.integers(0, 3, 200)
    colours = np.array(["blue", "green", "red", "white"])
    item = np.repeat(np.arange(200), 6)
    said = np.where(rng.random(1200) < 0.8, truth[item], rng.integers(0, 3, 1200))
    columns = {
        "source": [f"s{number % 6}" for number in range(1200)],
        "entity": [f"e{number}" for number in item],
        "value": colours[said].tolist(),
    }
    model = GRBM().fit(Claims.from_frame(columns))
    assert model.forms_ == {"value": "confusion"}
    more = {"source": [f"s{n}" for n in range(6)], "entity": ["new"] * 6, "value": ["white"] * 6}
    model.partial_fit(more, refit=False)
    assert verdicts(model)["new", "value"] == {"white"}
    assert statements(model)["new", "value", "white"] > 0.8


def test_a_source_that_says_something_else_replaces_what_it_said() -> None:
    columns = {"source": ["a", "b", "c"], "entity": ["sky"] * 3, "value": ["blue", "blue", "red"]}
    model = MajorityVote().fit(Claims.from_frame(columns, duplicates="latest"))
    model.partial_fit({"source": ["a"], "entity": ["sky"], "value": ["red"]}, refit=False)
    assert verdicts(model)["sky", "value"] == {"red"}
    assert model.claims_.matrix.n_claims == 3


@pytest.mark.parametrize("refit", [False, True])
def test_what_a_source_says_again_in_another_batch_is_evidence(refit: bool) -> None:
    batches = [("abc", ["blue", "blue", "red"]), ("c", ["grey"]), ("ca", ["grey", "red"])]
    tables = [
        {"source": list(sources), "entity": ["sky"] * len(sources), "value": values}
        for sources, values in batches
    ]
    told = {"value": Attribute("single", "open")}
    model = MajorityVote().fit(Claims.from_frame(tables[0], attributes=told))
    for table in tables[1:]:
        model.partial_fit(table, refit=refit)
    # The grey of c was known when it came again.
    whole = {name: [cell for table in tables for cell in table[name]] for name in tables[0]}
    kept = {name: [*cells[:4], cells[5]] for name, cells in whole.items()}
    expected = MajorityVote().fit(Claims.from_frame(kept, attributes=told))
    assert statements(model) == pytest.approx(statements(expected))
    assert model.claims_.matrix.weight is not None


def test_a_source_that_must_not_speak_twice_is_refused() -> None:
    columns = {"source": ["a", "b"], "entity": ["sky"] * 2, "value": ["blue", "red"]}
    model = MajorityVote().fit(Claims.from_frame(columns, duplicates="error"))
    with pytest.raises(InputError, match="'a' speaks again about entity 'sky'"):
        model.partial_fit({"source": ["a"], "entity": ["sky"], "value": ["red"]}, refit=False)
    assert model.claims_.matrix.n_claims == 2


def test_the_latest_by_time_counts_whichever_batch_it_comes_in() -> None:
    def said(source: str, value: str, time: str) -> dict[str, list[str]]:
        return {"source": [source], "entity": ["sky"], "value": [value], "time": [time]}

    model = MajorityVote().fit(said("a", "blue", "2020-02-01"))
    model.partial_fit(said("a", "red", "2020-01-01"), refit=False)
    assert verdicts(model)["sky", "value"] == {"blue"}
    model.partial_fit(said("a", "grey", "2020-03-01"), refit=False)
    assert verdicts(model)["sky", "value"] == {"grey"}


def test_features_and_a_network_go_on(world: Claims) -> None:
    table = plain_text(world.in_use())
    model = GRBM("mlp", features="always", hidden_sizes=(4,))
    model.fit(declared(world, table.slice(0, 2500)))
    before = model.fitted_model.parameters["psi"].copy()
    rest = declared(world, table.slice(2500))
    model.partial_fit(rest, refit=False)
    assert not np.array_equal(model.fitted_model.parameters["psi"], before)
    bare = table.slice(2500).drop_columns(list(world.feature_types))
    again = GRBM(features="always").fit(declared(world, table.slice(0, 2500)))
    again.partial_fit(declared(world, bare), refit=False)
    assert any("The new claims lack" in str(note) for note in again.notes_)
    assert statements(again).keys() == statements(model).keys()


def test_nothing_of_history_is_read_but_the_items_touched(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """However long the history, as many rows are read from it and as many claims encoded."""
    n_read: list[int] = []
    kept = History._claims_table

    def counted(self: History, rows: list[tuple[Any, ...]]) -> pa.Table:
        n_read.append(len(rows))
        return kept(self, rows)

    monkeypatch.setattr(History, "_claims_table", counted)
    batch = drawn(5, seed=9)
    seen = []
    for n_items in (100, 1_000):
        model = GRBM(features="never").fit(drawn(n_items))
        model.partial_fit(drawn(3, seed=8), refit=False)  # begins the history
        n_read.clear()
        model.partial_fit(batch, refit=False)
        in_use = [row for row in model.truths_.to_pylist() if row["entity"] == "e0"]
        assert len(in_use) == 1
        seen.append(sum(n_read))
    assert seen[0] == pytest.approx(seen[1], abs=10)
    assert seen[1] < 120


def test_the_database_works_as_much_however_long_the_history() -> None:
    """Counted in instructions of SQLite's machine, so that a scan of a table would show."""
    worked = []
    for n_items in (100, 1_000):
        model = GRBM(features="never").fit(drawn(n_items))
        model.partial_fit(drawn(3, seed=8), refit=False)  # begins the history
        assert model._stream is not None
        connection, ticks = model._stream.history._connection, [0]

        def tick(ticks: list[int] = ticks) -> None:
            ticks[0] += 1

        connection.set_progress_handler(tick, 10)
        model.partial_fit(drawn(5, seed=9), refit=False)
        connection.set_progress_handler(None, 0)
        worked.append(ticks[0])
    assert worked[0] > 100
    assert worked[1] < 1.1 * worked[0]


def test_a_batch_that_cannot_be_read_leaves_the_model_as_it_was(world: Claims) -> None:
    model = MajorityVote().fit(world)
    model.partial_fit({"source": ["z"], "entity": ["e"], "attribute": ["town"], "value": ["v"]})
    before = statements(model)
    bad = {"source": ["z"], "entity": ["entity 1"], "attribute": ["open"], "value": ["maybe"]}
    with pytest.raises(InputError, match="boolean"):
        model.partial_fit(bad)
    assert statements(model) == before
    model.partial_fit({"source": ["z"], "entity": ["f"], "attribute": ["town"], "value": ["v"]})
    assert len(statements(model)) == len(before) + 1


@pytest.mark.parametrize("name", ["grbm", "rbm"])
def test_an_update_that_fails_half_way_leaves_the_model_as_it_was(
    name: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    model = {"grbm": GRBM, "rbm": RBM}[name]().fit(drawn(100))
    model.partial_fit(drawn(5, seed=3), refit=False)
    before, x = statements(model), model.fitted_model.x.copy()
    rates = model.sources_.to_pylist()

    def fails(*given: Any) -> None:
        raise RuntimeError("power cut")

    with monkeypatch.context() as patch:
        patch.setattr(History, "_insert_results", fails)
        with pytest.raises(RuntimeError, match="power cut"):
            model.partial_fit(drawn(9, seed=4), refit=False)
    assert statements(model) == before
    assert model.sources_.to_pylist() == rates
    np.testing.assert_array_equal(model.fitted_model.x, x)
    model.partial_fit(drawn(9, seed=4), refit=False)
    assert statements(model).keys() >= before.keys()


def test_results_cover_all_claims_and_can_be_explained(world: Claims) -> None:
    model = streamed(GRBM(), world)
    assert model.claims_.matrix.n_claims == world.matrix.n_claims
    assert len(model.plausibility_) == model.claims_.matrix.n_statements
    assert pc.sum(model.sources_["n_claims"]).as_py() == world.matrix.n_claims
    row = model.truths_.to_pylist()[0]
    assert set(pc.unique(model.truths_["decision"]).to_pylist()) <= {
        "accept",
        "review",
        "undecided",
    }
    assert isinstance(model, GRBM)
    found = model.explainer(model.claims_)
    assert found is not None
    assert 0.0 <= row["plausibility"] <= 1.0


@pytest.mark.parametrize("name", ["grbm", "rbm", "linear"])
def test_a_pickled_model_goes_on(world: Claims, name: str) -> None:
    table = plain_text(world.in_use())
    model = ALL_THAT_LEARN[name]().fit(declared(world, table.slice(0, 1500)))
    model.partial_fit(declared(world, table.slice(1500, 300)), refit=False)
    other = pickle.loads(pickle.dumps(model))
    for one in (model, other):
        one.partial_fit(declared(world, table.slice(1800, 200)), refit=False)
    assert statements(model) == statements(other)
    assert model.sources_.to_pylist() == other.sources_.to_pylist()


def test_what_cannot_go_on_says_so(world: Claims, tmp_path: Path) -> None:
    with pytest.raises(InvalidParameter, match="cannot learn from new claims"):
        DawidSkene().partial_fit(world)
    with pytest.raises(InvalidParameter, match="claims of source"):
        GRBM(features=["claims of source"]).partial_fit(world)
    with pytest.raises(InvalidParameter, match="claims of source"):
        BinaryGRBM(features=["claims of source"]).partial_fit(world)
    with pytest.raises(InvalidParameter, match="torch module of your own"):
        BinaryGRBM(torch.nn.Linear(2, 3), features=["claim_sure"]).partial_fit(world)
    MajorityVote().fit(world).save(tmp_path / "vote")
    loaded = veracity.load(tmp_path / "vote")
    with pytest.raises(InvalidParameter, match="does not contain the claims"):
        loaded.partial_fit(world)
    known = {"entity": ["entity 1"], "attribute": ["town"], "value": ["x"]}
    told = RBM().fit(world, known_truth=pa.table(known))
    with pytest.raises(InvalidParameter, match="RBM uses known truth in whole fits only"):
        told.partial_fit(world)
    with pytest.raises(InvalidParameter, match="MajorityVote uses known truth in whole fits"):
        MajorityVote().fit(world).partial_fit(world, known_truth=pa.table(known))


# Labels


def labels_of(world: Claims, first: int, last: int) -> pa.Table:
    """Return what a vote takes for true of some items, as labels."""
    rows = MajorityVote().fit(world).truths_.to_pylist()
    single = [row for row in rows if row["attribute"] == "colour"][first:last]
    names = ("entity", "attribute", "value")
    return pa.table({name: [row[name] for row in single] for name in names})


def test_labels_stay_when_claims_come(world: Claims) -> None:
    labels = labels_of(world, 0, 20)
    first, *rest = batches(plain_text(world.to_arrow()))
    model = GRBM().fit(declared(world, first), known_truth=labels)
    for batch in rest:
        model.partial_fit(batch, refit=False)
    assert model.has_labels
    shown = {
        (row["entity"], row["attribute"]): (row["value"], row["plausibility"])
        for row in model.truths_.to_pylist()
    }
    for row in labels.to_pylist():
        assert shown[row["entity"], row["attribute"]] == (row["value"], 1.0)
    assert model.crossfit_ is not None
    assert "labelled_right" in model.sources_.column_names
    assert sum(model.sources_["labelled_right"].to_pylist()) > 0


def test_further_labels_say_the_same_as_all_at_once(world: Claims) -> None:
    first, more = labels_of(world, 0, 15), labels_of(world, 15, 40)
    stream = GRBM().fit(world, known_truth=first)
    before = stream.fitted_model.x.tolist()
    stream.partial_fit(known_truth=more)
    whole = GRBM().fit(world, known_truth=pa.concat_tables([first, more]))
    assert stream.fitted_model.x.tolist() == before  # nothing is fitted to all claims
    order = [("attribute", "ascending"), ("entity", "ascending"), ("value", "ascending")]
    for table in ("truths_", "statements_", "crossfit_"):
        here, there = (getattr(model, table).to_arrow().sort_by(order) for model in (stream, whole))
        assert here["value"].to_pylist() == there["value"].to_pylist()
        assert here["plausibility"].to_pylist() == pytest.approx(
            there["plausibility"].to_pylist(), abs=1e-6
        )


def test_labels_of_items_to_come_are_kept(world: Claims) -> None:
    labels = pa.table({"entity": ["later"], "attribute": ["colour"], "value": ["red"]})
    model = GRBM().fit(world, known_truth=pa.concat_tables([labels_of(world, 0, 5), labels]))
    batch = {
        "source": ["source 1", "source 2"],
        "entity": ["later", "later"],
        "attribute": ["colour", "colour"],
        "value": ["blue", "red"],
    }
    model.partial_fit(batch, refit=False)
    (row,) = [row for row in model.truths_.to_pylist() if row["entity"] == "later"]
    assert (row["value"], row["plausibility"]) == ("red", 1.0)


def test_labels_in_another_spelling_are_refused_in_a_stream(world: Claims) -> None:
    labels = labels_of(world, 0, 6)
    upper = labels.set_column(
        2, "value", pa.array([value.upper() for value in labels["value"].to_pylist()])
    )
    model = GRBM().fit(world)
    before = model.truths_.to_pylist()
    with pytest.raises(InputError, match="No known value of 'colour'"):
        model.partial_fit(known_truth=upper)
    assert model.truths_.to_pylist() == before
