"""Terms: their place in the objective, in blocks, in streams and in what is saved."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.engines.test_same_everywhere import TO_THE_END, check_same_results
from tests.engines.worlds import in_place
from tests.machines import ROWS, every_kind
from tests.models.grbm.term_worlds import by_day, reception, specialists, sure_sources
from tests.objectives import slope
from tests.worlds import CLOSED, World

import veracity
from veracity import GRBM, Claims
from veracity.engines.local import in_one_block
from veracity.models.grbm.block_data import add_features, prepare_block
from veracity.models.grbm.claim_counts import count_claims
from veracity.models.grbm.even_shifts import EvenShifts
from veracity.models.grbm.model_spec import ModelSpec
from veracity.models.grbm.objective import Objective
from veracity.models.grbm.parameters import ParameterVector
from veracity.models.grbm.reliability import Linear
from veracity.models.grbm.terms.base import Term
from veracity.models.grbm.terms.confidence import Confidence, learn_confidence
from veracity.models.grbm.terms.domains import learn_domains
from veracity.models.grbm.terms.smooth import learn_smooth

pytestmark = pytest.mark.filterwarnings("ignore::veracity.errors.ConvergenceWarning")


def with_places(drawn: World) -> World:
    """Add places and hours that mean nothing, and how sure sources are."""
    rng = np.random.default_rng(5)
    n = len(drawn.columns["source"])
    columns = {
        **drawn.columns,
        "claim_lat": rng.normal(size=n).tolist(),
        "claim_lon": rng.normal(size=n).tolist(),
        "claim_hour": rng.integers(0, 24, n).tolist(),
        "claim_confidence": rng.random(n).tolist(),
    }
    return World(Claims.from_frame(columns, attributes={"*": CLOSED}), columns, drawn.truth)


#: For each kind of term: claims on which it matters, and how it is asked for.
USES: dict[str, tuple[Callable[[], World], dict[str, Any]]] = {
    "confidence": (
        lambda: sure_sources(300),
        {"features": "always", "confidence": "claim_confidence"},
    ),
    "domain": (lambda: specialists(240), {"features": "never", "domain": "entity_topic"}),
    "time": (lambda: by_day(240), {"features": "never", "smooth": "claim_time"}),
    "place": (
        lambda: reception(240),
        {"features": "never", "smooth": ["claim_lat", "claim_lon"]},
    ),
    "all": (
        lambda: with_places(specialists(240)),
        {
            "features": "always",
            "domain": "entity_topic",
            "smooth": [["claim_lat", "claim_lon"], ["claim_hour"]],
        },
    ),
}


def objective_with(claims: Claims, terms: tuple[Term, ...], **options: Any) -> Objective:
    """Return the objective of claims with terms and no other features."""
    whole = in_one_block(claims)
    counts = count_claims(whole)
    blocks = whole.blocks.prepare(prepare_block).prepare(add_features, None, True, None, terms)
    spec = ModelSpec(
        counts.attributes, counts.log_claim_count, Linear(0), uses_features=True, **options
    )
    return Objective(blocks, spec.with_terms(terms))


def check_gradient(objective: Objective) -> None:
    """Check the gradient in all slopes, and in some of the other parameters."""
    rng = np.random.default_rng(0)
    noise = np.where(objective.is_free, rng.normal(size=len(objective.centre)), 0.0)
    # A search never shifts all classes alike, and the gradient has no part in that direction.
    shifts = EvenShifts.of(objective.spec.attributes, objective.spec.names)
    shifts.take_from(noise)
    x = objective.centre + 0.3 * noise
    _, gradient, _ = objective.evaluate(x)
    places = objective.spec.names.slices
    wanted = [
        *range(*places["slope"].indices(len(x))),
        *range(*places["own_slope"].indices(len(x))),
    ]
    wanted += rng.permutation(len(x))[:30].tolist()
    for place in wanted:
        if objective.is_free[place]:
            assert gradient[place] == pytest.approx(slope(objective, x, place), abs=1e-7)
        else:
            assert gradient[place] == 0.0


def learned(claims: Claims, column: str) -> Confidence:
    """Learn a column of stated confidence."""
    blocks = in_one_block(claims)
    term = learn_confidence(blocks.blocks, column, blocks.n_sources)
    assert isinstance(term, Confidence)
    return term


@pytest.mark.parametrize("floor", [1.0, 0.0])
def test_gradient_with_stated_confidence_equals_finite_differences(floor: float) -> None:
    sure = np.random.default_rng(2).random(len(ROWS)).tolist()
    claims = every_kind({"claim_sure": sure})
    check_gradient(objective_with(claims, (learned(claims, "claim_sure"),), floor=floor))


@pytest.mark.parametrize("floor", [1.0, 0.0])
def test_gradient_with_all_kinds_of_terms_equals_finite_differences(floor: float) -> None:
    rng = np.random.default_rng(3)
    columns: dict[str, Any] = {
        name: rng.random(len(ROWS)).tolist() for name in ("claim_sure", "claim_lat", "claim_lon")
    }
    columns["entity_topic"] = [None if n < 3 else "ab"[n % 2] for n in range(len(ROWS))]
    columns["claim_time"] = (1.7e9 + 1e6 * rng.random(len(ROWS))).tolist()
    claims = every_kind(columns)
    blocks = in_one_block(claims).blocks
    names = list(columns)
    domains, _ = learn_domains(blocks, "entity_topic")
    smooth = [
        term
        for columns_of_one in (["claim_lat", "claim_lon"], ["claim_time"])
        for term in learn_smooth(blocks, columns_of_one, names)[0]
    ]
    assert domains is not None
    assert [term.form for term in smooth] == ["plane", "line", "day"]
    terms: tuple[Term, ...] = (learned(claims, "claim_sure"), domains, *smooth)
    check_gradient(objective_with(claims, terms, floor=floor))


def test_the_deviation_of_a_source_with_few_claims_stays_0() -> None:
    drawn = sure_sources(60)
    term = learned(drawn.claims, "claim_confidence")
    is_free = np.arange(6) != 2
    objective = objective_with(drawn.claims, (term,), source_is_free=is_free)
    check_gradient(objective)
    own = ParameterVector(objective.spec.names, objective.is_free.astype(float))["own_slope"]
    assert own[:, 0].tolist() == is_free.astype(float).tolist()


@pytest.mark.parametrize("kind", USES)
def test_blocks_say_the_same_as_memory(kind: str, tmp_path: Path) -> None:
    draw, options = USES[kind]
    path = tmp_path / "claims.parquet"
    pq.write_table(pa.table(draw().columns), path)
    options = {**options, **TO_THE_END}
    whole = GRBM(**options).fit(path)
    parts = GRBM(**options).fit(in_place(path, "two threads", 500))
    assert whole.fitted_model.terms
    assert len(in_place(path, "blocks in memory", 500).blocks) > 2
    check_same_results(whole, parts)


@pytest.mark.parametrize("kind", USES)
def test_what_is_saved_is_what_was_fitted(kind: str, tmp_path: Path) -> None:
    draw, options = USES[kind]
    claims = draw().claims
    model = GRBM(**options).fit(claims)
    model.save(tmp_path / "model")
    again = veracity.load(tmp_path / "model")
    assert again.predict_plausibility(claims).to_pylist() == model.statements_.to_pylist()
    assert {name: getattr(again, name) for name in options} == options


@pytest.mark.parametrize("kind", USES)
def test_a_new_source_has_the_common_slopes(kind: str) -> None:
    draw, options = USES[kind]
    drawn = draw()
    model = GRBM(**options).fit(drawn.claims)
    renamed = [f"new {name}" for name in drawn.columns["source"]]
    claims = Claims.from_frame({**drawn.columns, "source": renamed}, attributes={"*": CLOSED})
    block, own = model._bind(claims)
    common = ParameterVector(model.fitted_model.spec.names, model.fitted_model.x)["slope"]
    assert common.any() == (kind != "domain")  # a column of items has no common slope
    assert not own["own_slope"].any()
    terms = block.columns_of_terms
    assert block.eta(own)[0] == pytest.approx(float(own["m"]) + terms @ common)


@pytest.mark.parametrize("kind", USES)
def test_a_stream_keeps_the_slopes_and_says_so(kind: str) -> None:
    draw, options = USES[kind]
    drawn = draw()
    n_sources = len(set(drawn.columns["source"]))
    half = len(drawn.columns["source"]) // n_sources // 2 * n_sources  # whole items
    parts = [
        {name: cells[part] for name, cells in drawn.columns.items()}
        for part in (slice(half), slice(half, None))
    ]
    parts[1]["source"] = [name.replace("s03", "new") for name in parts[1]["source"]]
    model = GRBM(**options)
    model.fit(Claims.from_frame(parts[0], attributes={"*": CLOSED}))
    before = ParameterVector(model.fitted_model.spec.names, model.fitted_model.x.copy())
    model.partial_fit(parts[1], refit=False)
    after = model.fitted_model.parameters
    assert after["slope"].tolist() == before["slope"].tolist()
    n_before = len(before["own_slope"])
    assert after["own_slope"][:n_before].tolist() == before["own_slope"].tolist()
    assert len(after["own_slope"]) == n_before + 1
    assert not after["own_slope"][n_before:].any()
    assert after["m"] != before["m"]
    assert any("keep" in note.text for note in model.notes_ if note.subject == "features")
    assert drawn.accuracy(model) > 0.6


def test_known_truth_and_held_out_claims_go_with_terms() -> None:
    drawn = specialists(240)
    model = GRBM(features="never", domain="entity_topic")
    model.fit(drawn.claims, known_truth=drawn.known(40))
    assert drawn.accuracy(model) > 0.85
    plain = GRBM(features="never").fit(drawn.claims)
    told, untold = (one.held_out(drawn.claims) for one in (model, plain))
    assert told.log_prob.mean() > untold.log_prob.mean() + 0.02


def test_features_are_tried_on_top_of_declared_terms() -> None:
    """A column of claims that tells right from wrong is found beside the domains."""
    drawn = specialists(2_400)
    rng = np.random.default_rng(0)
    truth = [drawn.truth[entity] for entity in drawn.columns["entity"]]
    right = np.array(drawn.columns["value"]) == np.array(truth)
    careful = np.where(rng.random(len(right)) < np.where(right, 0.68, 0.4), "yes", "no").tolist()
    columns = {**drawn.columns, "claim_careful": careful}
    claims = Claims.from_frame(columns, attributes={"*": CLOSED})
    model = GRBM(domain="entity_topic").fit(claims)
    assert [(trial.group, trial.names) for trial in model.feature_trials_] == [
        ("the claim", ("claim_careful",))
    ]
    (trial,) = model.feature_trials_
    assert trial.is_used
    assert {"psi", "slope", "own_slope"} <= set(model.fitted_model.spec.names.axes)
    assert drawn.accuracy(model) > drawn.accuracy(GRBM(features="never").fit(claims)) + 0.15
