"""The recurrent reliability function: reads what came before, and nothing else."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
import torch
from tests.machines import ROWS, every_kind

import veracity
from veracity import Attribute, BinaryGRBM, Claims
from veracity.data.arrays import Floats
from veracity.data.encode.denials import claim_roles
from veracity.engines.local import in_one_block
from veracity.errors import InvalidParameter
from veracity.models.grbm.contrastive_divergence import BatchSettings
from veracity.models.grbm.fitted import Bound
from veracity.models.grbm.reliability import Recurrent
from veracity.models.grbm.sequence_batches import SequenceBatchFit
from veracity.models.grbm.sequences import SequenceKind, sequence_rows

pytestmark = pytest.mark.filterwarnings("ignore::veracity.errors.ConvergenceWarning")

SEQUENCES: tuple[SequenceKind, ...] = ("item", "source")
YES_NO = {"*": Attribute("boolean", "closed", positive="yes")}


@pytest.fixture(scope="module", autouse=True)
def _one_thread() -> Iterator[None]:
    """Keep torch from spinning on cores that others use."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


def table(n_items: int = 40, seed: int = 0) -> pa.Table:
    """Draw claims about items, one of five sources after the other, with a feature."""
    rng = np.random.default_rng(seed)
    rows = []
    for item in range(n_items):
        for place, source in enumerate(rng.permutation(5)[:4].tolist()):
            value = "true" if rng.random() < 0.5 + 0.08 * source else f"wrong{rng.integers(2)}"
            rows.append((f"s{source}", f"e{item}", value, 10.0 * item + place, source % 2))
    names = ("source", "entity", "value", "time", "source_trained")
    return pa.table({name: [row[i] for row in rows] for i, name in enumerate(names)})


def timed(sequence: SequenceKind, **settings: Any) -> BinaryGRBM:
    """Return a small model."""
    return BinaryGRBM("gru", sequence=sequence, hidden_sizes=(3,), **{"max_iter": 5} | settings)


def at_random(model: BinaryGRBM, claims: Claims, seed: int = 0) -> Bound:
    """Bind claims to a model whose parameters are all drawn at random."""
    block, own = model._bind(claims)
    own.values[:] = np.random.default_rng(seed).normal(0.0, 0.7, len(own.values))
    return block, own


@pytest.mark.parametrize("weights", ["free", "nonnegative"])
@pytest.mark.parametrize("tied", [True, False])
@pytest.mark.parametrize("sequence", SEQUENCES)
def test_the_gradient_equals_finite_differences(
    sequence: SequenceKind, tied: bool, weights: Any
) -> None:
    claims = every_kind({"time": [float(i * 7 % 11) for i in range(len(ROWS))]})
    model = timed(sequence, tie_hidden_bias=tied, weights=weights).fit(claims)
    block, own = at_random(model, claims)
    gradient = block.log_likelihood(own)[2]
    for i in range(len(gradient)):
        found = []
        for step in (1e-5, -1e-5):
            moved = own.values.copy()
            moved[i] += step
            found.append(block.log_likelihood(type(own)(own.names, moved))[0])
        assert gradient[i] == pytest.approx((found[0] - found[1]) / 2e-5, abs=1e-6), i


def yes_no(values: Any, times: list[float]) -> Claims:
    """Return what three sources say about two yes/no items."""
    pairs = list(itertools.product("abc", "xy"))
    columns = {
        "source": [source for source, _ in pairs],
        "entity": [entity for _, entity in pairs],
        "value": ["yes" if value else "no" for value in values],
        "time": times,
    }
    return Claims.from_frame(columns, attributes=YES_NO)


@pytest.mark.parametrize("times", [[1, 4, 2, 3, 6, 5], [1, 2, 1, 2, 3, 2]], ids=["order", "ties"])
@pytest.mark.parametrize("sequence", SEQUENCES)
def test_all_that_could_be_said_has_probability_one(
    sequence: SequenceKind, times: list[float]
) -> None:
    """If theta of a claim knew anything of the claim itself, the sum would not be 1."""
    said = itertools.product((0, 1), repeat=6)
    model = timed(sequence).fit(yes_no((0, 1, 1, 0, 1, 1), times))
    total, seen = 0.0, set()
    for values in said:
        block, own = at_random(model, yes_no(values, times))
        seen.add(tuple(np.round(block.eta(own)[0].ravel(), 9)))
        total += np.exp(block.log_likelihood(own)[0])
    assert total == pytest.approx(1.0, abs=1e-9)
    assert len(seen) > 4  # theta does depend on what was said before


@pytest.mark.parametrize("sequence", SEQUENCES)
def test_theta_does_not_depend_on_what_is_said_later(sequence: SequenceKind) -> None:
    drawn = table()
    changed = drawn["value"].to_pylist()
    place = 81  # in the middle
    now = drawn["time"][place].as_py()
    changed[place] = "wrong0" if changed[place] == "true" else "true"
    model = timed(sequence, features=["source_trained"]).fit(drawn)
    other = drawn.set_column(2, "value", pa.array(changed))
    before, after = (by_statement(model, Claims.of(one)) for one in (drawn, other))
    same = [before[key] == pytest.approx(after[key]) for key in before if key in after]
    time = {key: key[0] for key in before if key in after}
    earlier = [time[key] <= now for key in time]
    assert all(is_same for is_same, is_earlier in zip(same, earlier, strict=True) if is_earlier)
    assert not all(same)


def by_statement(model: BinaryGRBM, claims: Claims) -> dict[tuple[float, str, str], Floats]:
    """Return theta by the time of a claim, its source, and each value that it speaks about."""
    block, own = at_random(model, claims)
    matrix, time, rows = claims.matrix, claims.time, block.data.rows
    assert time is not None
    eta = block.eta(own)[0]
    found = {}
    for claim in range(matrix.n_claims):
        item = matrix.item_of_claim[claim]
        source = matrix.sources[int(matrix.source_index[claim])].as_py()
        for place, statement in enumerate(
            range(matrix.statement_start[item], matrix.statement_start[item + 1])
        ):
            row = claim if rows.row_of is None else rows.row_of[claim, place]
            value = matrix.values[int(matrix.value_index[statement])].as_py()
            found[float(time[claim]), source, value] = eta[row]
    return found


def test_sequences_are_in_the_order_of_time() -> None:
    claims = Claims.from_frame(
        {
            "source": ["a", "b", "c", "d", "a"],
            "entity": ["x", "x", "x", "x", "y"],
            "value": ["u", "v", "u", "u", "u"],
            "time": [3.0, 1.0, 2.0, 2.0, 9.0],
        }
    )
    roles = claim_roles(claims.matrix)
    names = claims.matrix.sources.to_pylist()
    by_item = sequence_rows(claims, roles, "item")
    source = claims.matrix.source_index[by_item.claim]
    about_u = [row for row in by_item.past.row if by_item.past.sequence[row] == 0]
    assert [names[source[row]] for row in about_u] == ["b", "c", "d"]
    assert by_item.past.outcome[: len(about_u), 0].tolist() == [-1.0, 1.0, 1.0]
    seen = {
        names[source[row]]: int(by_item.past.seen[row])
        for row in np.flatnonzero(by_item.past.sequence == 0)
    }
    assert seen == {"b": -1, "c": 0, "d": 0, "a": 2}  # of one time, neither sees the other
    by_source = sequence_rows(claims, roles, "source")
    (step,) = by_source.past.outcome.tolist()
    assert step == pytest.approx([(2 * 2 - 3) / (3 + 1), np.log(4)])  # two of three others agree


@pytest.mark.parametrize("sequence", SEQUENCES)
def test_the_answer_depends_on_the_seed_and_nothing_else(sequence: SequenceKind) -> None:
    drawn = table()
    shuffled = drawn.take(pa.array(np.random.default_rng(5).permutation(len(drawn))))
    first, again, other, moved = (
        timed(sequence, random_state=seed).fit(one)
        for seed, one in ((0, drawn), (0, drawn), (1, drawn), (0, shuffled))
    )
    assert again.statements_.to_arrow().equals(first.statements_.to_arrow())
    assert not other.statements_.to_arrow().equals(first.statements_.to_arrow())
    order = [("entity", "ascending"), ("value", "ascending")]
    mine, theirs = (m.statements_.to_arrow().sort_by(order) for m in (first, moved))
    np.testing.assert_allclose(theirs["plausibility"], mine["plausibility"], rtol=1e-6)


@pytest.mark.parametrize("sequence", SEQUENCES)
def test_ties_are_noted_and_do_not_depend_on_the_order_of_rows(sequence: SequenceKind) -> None:
    drawn = table()
    tied = drawn.set_column(3, "time", pa.array(np.floor(np.asarray(drawn["time"]) / 2)))
    shuffled = tied.take(pa.array(np.random.default_rng(5).permutation(len(tied))))
    one, other = (timed(sequence).fit(part) for part in (tied, shuffled))
    assert np.allclose(np.sort(one.plausibility_), np.sort(other.plausibility_), rtol=1e-6)
    notes = [str(note) for note in one.notes_]
    assert any(f"at the same time as another of the {sequence}" in note for note in notes) == (
        sequence == "item"
    )
    same = tied.set_column(3, "time", pa.array(np.zeros(len(tied))))
    notes = [str(note) for note in timed(sequence).fit(same).notes_]
    assert any("none of these sees the others" in note for note in notes)


@pytest.mark.parametrize("sequence", SEQUENCES)
def test_a_saved_model_says_the_same(sequence: SequenceKind, tmp_path: Path) -> None:
    drawn = table()
    model = timed(sequence, max_iter=20).fit(drawn)
    loaded = veracity.load(model.save(tmp_path / "model"))
    assert loaded.predict(drawn).to_arrow().equals(model.truths_.to_arrow())
    mine, theirs = (m.predict_plausibility(drawn).to_arrow() for m in (model, loaded))
    assert theirs.equals(mine)


@pytest.mark.parametrize("sequence", SEQUENCES)
def test_a_source_never_seen_begins_with_nothing_behind_it(sequence: SequenceKind) -> None:
    model = timed(sequence, max_iter=30, source_effects=False).fit(table())
    new = Claims.from_frame(
        {
            "source": ["new", "newer", "new"],
            "entity": ["a", "a", "b"],
            "value": ["true", "wrong0", "true"],
            "time": [1.0, 2.0, 3.0],
            "source_trained": [1, 0, 1],
        }
    )
    found = model.parameters(new).to_arrow()
    alone = model.parameters(
        Claims.from_frame(
            {"source": ["new"], "entity": ["a"], "value": ["true"], "time": [1.0],
             "source_trained": [1]}
        )
    ).to_arrow()  # fmt: skip
    for name in ("tpr", "fpr") if sequence == "item" else ():
        assert found[name][0].as_py() == pytest.approx(alone[name][0].as_py())
        assert found[name][2].as_py() == pytest.approx(alone[name][0].as_py())
    assert found["tpr"][1].as_py() != found["tpr"][0].as_py()
    table_of_features = model.reliability(pa.table({"source_trained": [1, 0]})).to_arrow()
    if sequence == "item":
        assert table_of_features["tpr"][0].as_py() == pytest.approx(alone["tpr"][0].as_py())
    assert ((model.predict_plausibility(new).to_arrow()["plausibility"].to_numpy()) < 1).all()


@pytest.mark.parametrize("sequence", SEQUENCES)
def test_claims_without_a_time_are_refused(sequence: SequenceKind) -> None:
    drawn = table()
    timeless = drawn.drop_columns(["time"])
    with pytest.raises(InvalidParameter, match=r"no time column\. Name it where they are read"):
        timed(sequence).fit(timeless)
    model = timed(sequence).fit(drawn)
    with pytest.raises(InvalidParameter, match="no time column"):
        model.predict(timeless)


def test_unknown_times_come_first() -> None:
    drawn = table()
    times = drawn["time"].to_pylist()
    times[7] = None
    model = timed("item").fit(drawn.set_column(3, "time", pa.array(times)))
    assert any("1 claim of unknown time" in str(note) for note in model.notes_)


@pytest.mark.parametrize("sequence", SEQUENCES)
def test_sequences_of_one_claim_are_enough(sequence: SequenceKind) -> None:
    claims = {
        "source": ["a", "b", "c"],
        "entity": ["x", "y", "z"],
        "value": ["u", "u", "v"],
        "time": [1.0, 2.0, 3.0],
    }
    found = timed(sequence).fit(claims)
    assert len(found.truths_.to_arrow()) == 3
    assert ((found.plausibility_ > 0) & (found.plausibility_ < 1)).all()


@pytest.mark.parametrize("sequence", SEQUENCES)
def test_explanations_add_up(sequence: SequenceKind) -> None:
    drawn = table()
    model = timed(sequence, max_iter=20).fit(drawn)
    explainer = model.explainer(drawn)
    for item in range(3):
        for bill in explainer.bills(item):
            log_odds = bill.before + sum(bill.added)
            shown = model.plausibility_[bill.statement]
            assert 1 / (1 + np.exp(-log_odds)) == pytest.approx(shown)
            assert len(bill.claims) == 4


# Batches


def batch_fit(sequence: SequenceKind, cd_steps: int | None = None) -> SequenceBatchFit:
    """Return a fit to drawn claims, not yet run."""
    model, claims = timed(sequence, anchor=0.2, max_iter=1), Claims.of(table())
    objective = model.fit(claims)._learn(in_one_block(claims), 1)
    settings = BatchSettings("sgd", 0.1, 3, 10, 0.0, 5, 0, cd_steps)
    return SequenceBatchFit.of(objective, settings)


@pytest.mark.parametrize("sequence", SEQUENCES)
def test_batches_add_up_to_the_whole_gradient(sequence: SequenceKind) -> None:
    fit = batch_fit(sequence)
    x = np.random.default_rng(0).normal(0.0, 0.5, len(fit.objective.centre))
    n_items, total = fit.model.units.roles.n_items, np.zeros(len(x))
    for batch in np.array_split(np.arange(fit.n_members), 3):
        total += fit.gradient(x, batch, 0) * len(batch) / fit.n_members * n_items
    np.testing.assert_allclose(total, -fit.objective.evaluate(x)[1], atol=1e-8)


@pytest.mark.parametrize("sequence", SEQUENCES)
def test_contrastive_divergence_approaches_the_exact_gradient(sequence: SequenceKind) -> None:
    fit = batch_fit(sequence, cd_steps=20)
    x = np.random.default_rng(0).normal(0.0, 0.3, len(fit.objective.centre))
    everything, n_items = np.arange(fit.n_members), fit.model.units.roles.n_items
    drawn = [fit.gradient(x, everything, seed) * n_items for seed in range(400)]
    error = np.mean(drawn, axis=0) + fit.objective.evaluate(x)[1]
    spread = np.std(drawn, axis=0) / np.sqrt(len(drawn))
    assert (np.abs(error) < 5 * spread + 1e-6).all()


@pytest.mark.parametrize("settings", [{"objective": "cd"}, {"optimizer": "adam"}], ids=str)
@pytest.mark.parametrize("sequence", SEQUENCES)
def test_batches_learn(sequence: SequenceKind, settings: dict[str, Any]) -> None:
    size = 8 if sequence == "item" else 2
    one, again = (
        timed(sequence, learning_rate=0.02, batch_size=size, max_iter=15, **settings).fit(table())
        for _ in range(2)
    )
    assert one.history_[-1]["log_likelihood"] > one.history_[0]["log_likelihood"]
    assert again.history_ == one.history_


# What is refused


def test_what_a_recurrent_function_refuses() -> None:
    drawn = table()
    for settings, message in (
        ({"sequence": "day"}, "sequence must be item or source"),
        ({"hidden_sizes": ()}, "must begin with the size of its state"),
        ({"features": ["claims of statement"]}, "'claims of statement' counts the claim itself"),
        ({"one_hot": True}, "one_hot=True makes two statements"),
    ):
        with pytest.raises(InvalidParameter, match=message):
            BinaryGRBM("gru", **settings).fit(drawn)
    with pytest.raises(InvalidParameter, match="batches are made of whole sources"):
        timed("source", batch_by="statement", optimizer="adam").fit(drawn)
    with pytest.raises(InvalidParameter, match="which a stream does not keep"):
        BinaryGRBM("gru").partial_fit(drawn)
    with pytest.raises(InvalidParameter, match="blocks are made of items"):
        BinaryGRBM("gru", sequence="source").check_blocks()


def test_free_hidden_biases_are_noted() -> None:
    model = timed("item", tie_hidden_bias=False).fit(table())
    assert any("the objective is no likelihood" in str(note) for note in model.notes_)


def test_statistics_of_what_comes_later_are_left_out() -> None:
    model = timed("item").fit(table())
    assert [choice.name for choice in model.feature_choices_ if choice.used] == ["source_trained"]


def test_the_start_is_the_same_for_all_claims() -> None:
    function = Recurrent("source", 2, (4,), "tanh", 0)
    psi = function.start
    psi[-3:] = (1.0, 2.0, 3.0)
    value, _ = function.vjp(psi, np.random.default_rng(0).normal(size=(5, 2)))
    np.testing.assert_allclose(value, np.tile([1.0, 2.0, 3.0], (5, 1)))
