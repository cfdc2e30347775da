"""GRBM and RBM as a user meets them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pyarrow.compute as pc
import pytest
import sklearn.base
import torch
from tests.machines import answers, every_kind

from veracity import RBM, Attribute, BinaryGRBM, Claims, GroundTruth, datasets
from veracity.data.arrays import Floats
from veracity.datasets.synthetic import (
    AttributeSpec,
    Beta,
    SourceSpec,
    Synthetic,
    SyntheticTables,
    category,
    draw,
    draw_tables,
    normal,
)
from veracity.errors import ConvergenceWarning, InvalidParameter, NotFitted
from veracity.evaluation.metrics import evaluate

BOOLEAN = AttributeSpec("a", kind="boolean", prior=(0.5, 0.5))
SINGLE = AttributeSpec("a", n_values=4)
FEATURES = {"source_skill": normal(), "source_kind": category("pro", "fan")}


def skilled(columns: Any) -> Any:
    """Reliability that follows from features alone."""
    pro = columns["source_kind"] == "pro"
    return 1 / (1 + np.exp(-(0.8 + 0.7 * columns["source_skill"] + 0.8 * pro)))


BY_SKILL = SourceSpec(reliability=skilled, fpr=lambda columns: 1 - skilled(columns))


@pytest.fixture(scope="module", autouse=True)
def _one_thread() -> Iterator[None]:
    """Keep torch from spinning on cores that others use."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.fixture(scope="module")
def skills() -> Synthetic:
    """Return claims whose reliability follows from the features of their sources."""
    return draw(60, 500, [BOOLEAN], sources=BY_SKILL, features=FEATURES, random_state=0)


def rate_error(model: BinaryGRBM, drawn: Synthetic | SyntheticTables) -> float:
    """Return the mean error of tpr and fpr over sources."""
    true = {row["source"]: row for row in drawn.oracle.sources.to_pylist()}
    return float(
        np.mean(
            [
                abs(row[name] - true[row["source"]][name])
                for row in model.sources_.to_pylist()
                for name in ("tpr", "fpr")
            ]
        )
    )


# Recovery


@pytest.mark.parametrize("tied", [True, False])
def test_rbm_recovers_rates_and_comes_near_the_oracle(tied: bool) -> None:
    errors = []
    for n_entities in (300, 3000):
        spec = SourceSpec(reliability=Beta(8, 3), fpr=Beta(3, 8))
        drawn = draw(20, n_entities, [BOOLEAN], sources=spec, random_state=1)
        model = RBM(tie_hidden_bias=tied, max_iter=300).fit(drawn.claims)
        errors.append(rate_error(model, drawn))
    assert errors[1] < 0.5 * errors[0]
    assert errors[1] < 0.02
    found = evaluate(model.truths_, drawn.truth, drawn.claims).accuracy
    assert found > drawn.oracle.accuracy - 0.01


def test_rbm_on_items_with_one_true_value() -> None:
    spec = SourceSpec(reliability=Beta(4, 3))
    drawn = draw(20, 1500, [SINGLE], sources=spec, random_state=2)
    model = RBM().fit(drawn.claims)
    found = evaluate(model.truths_, drawn.truth, drawn.claims).accuracy
    assert found > drawn.oracle.accuracy - 0.01


def test_grbm_recovers_rates_and_comes_near_the_oracle() -> None:
    errors = []
    for n_entities in (200, 3000):
        drawn = draw(60, n_entities, [BOOLEAN], sources=BY_SKILL, features=FEATURES, random_state=0)
        model = BinaryGRBM(features=list(FEATURES), anchor=0.0, max_iter=500).fit(drawn.claims)
        errors.append(rate_error(model, drawn))
    assert errors[1] < 0.5 * errors[0]
    assert errors[1] < 0.03
    found = evaluate(model.truths_, drawn.truth, drawn.claims).accuracy
    assert found > drawn.oracle.accuracy - 0.01


@pytest.mark.parametrize("reliability", ["linear", "mlp"])
def test_grbm_judges_sources_it_never_saw(reliability: str) -> None:
    tables = draw_tables(100, 600, [BOOLEAN], sources=BY_SKILL, features=FEATURES, random_state=3)
    known = {"a": Attribute("boolean", "closed", positive="true")}
    seen, new = (
        Claims.from_frame(tables.claims.filter(mask), attributes=known)
        for mask in (
            pc.less(tables.claims["source"], "s50"),
            pc.greater_equal(tables.claims["source"], "s50"),
        )
    )
    truth = GroundTruth.from_frame(tables.truth)
    model = BinaryGRBM(
        reliability, features=list(FEATURES), hidden_sizes=(4,), tol=1e-5, max_iter=500
    )
    model.fit(seen)
    on_seen = evaluate(model.truths_, truth, seen).accuracy
    on_new = evaluate(model.predict(new), truth, new).accuracy
    assert on_new > 0.8  # half would be chance
    assert on_new > on_seen - 0.05
    table = model.reliability(new).to_pylist()
    true = {row["source"]: row["tpr"] for row in tables.oracle.sources.to_pylist()}
    assert len(table) == 50
    pairs = np.array([[row["tpr"], true[row["source"]]] for row in table])
    assert np.corrcoef(pairs.T)[0, 1] > 0.9
    blind = RBM().fit(seen).reliability(new)
    assert len(set(blind["tpr"].to_pylist())) == 1  # knows nothing about them


def test_source_effects_learn_what_features_do_not_say() -> None:
    spec = SourceSpec(reliability=Beta(3, 2), fpr=Beta(2, 3))
    noise = {"source_noise": normal()}
    drawn = draw(20, 2000, [BOOLEAN], sources=spec, features=noise, random_state=1)
    own = BinaryGRBM(features=list(noise), anchor=0.0, max_iter=300).fit(drawn.claims)
    shared = BinaryGRBM(features=list(noise), anchor=0.0, max_iter=300, source_effects=False)
    shared.fit(drawn.claims)
    assert rate_error(own, drawn) < 0.03
    assert rate_error(shared, drawn) > 3 * rate_error(own, drawn)
    # A source never seen has what its features say, and no more.
    table = {"source": ["new", "newer"], "entity": ["x", "x"], "value": ["true", "false"]}
    found = own.reliability({**table, "source_noise": [0.3, 0.3]})
    assert len(set(found["tpr"].to_pylist())) == 1


# Pre-training and the mirror image


def test_a_few_known_items_turn_the_mirror_image_around() -> None:
    rates = np.full(9, 0.3), np.full(9, 0.7)  # nearly all that is said is wrong
    claims = answers(300, *rates, seed=3)
    upside_down = RBM().fit(claims)
    truths = upside_down.truths_.to_arrow()
    wrong = truths.slice(0, 10).to_pylist()
    known = {
        "entity": [row["entity"] for row in wrong],
        "attribute": ["open"] * 10,
        "value": ["no" if row["value"] == "yes" else "yes" for row in wrong],
    }
    told = RBM(rates=(0.5, 0.5 - 1e-3)).fit(claims, known_truth=known)
    values = {row["entity"]: row["value"] for row in told.truths_.to_pylist()}
    assert all(values[e] == v for e, v in zip(known["entity"], known["value"], strict=True))
    before = {row["entity"]: row["value"] for row in truths.to_pylist()}
    turned = np.mean([values[entity] != value for entity, value in before.items()])
    assert turned > 0.95
    assert told.plausibility_.max() == 1.0
    assert told.plausibility_.min() == 0.0


def test_pessimistic_start_gives_the_mirror_image() -> None:
    tpr, fpr = np.array([0.9, 0.8, 0.7, 0.8]), np.array([0.1, 0.2, 0.3, 0.1])
    claims = answers(500, tpr, fpr, seed=5)
    bright = RBM(penalty=0.0, tol=1e-12, max_iter=500).fit(claims)
    dark = RBM(penalty=0.0, tol=1e-12, max_iter=500, rates="pessimistic").fit(claims)
    assert (bright.orientation_, dark.orientation_) == ("optimistic", "pessimistic")
    assert dark.score(claims) == pytest.approx(bright.score(claims), abs=1e-6)
    np.testing.assert_allclose(dark.plausibility_, 1 - bright.plausibility_, atol=1e-3)
    for model, mirrored in ((bright, False), (dark, True)):
        for row in model.sources_.to_pylist():
            assert (row["tpr"] < row["fpr"]) is mirrored
        (note,) = (note for note in model.notes_ if note.subject == "orientation")
        assert f"Orientation: {model.orientation_}" in note.text
    assert bright.global_hidden_bias_ == pytest.approx(-dark.global_hidden_bias_, abs=0.01)


@pytest.mark.parametrize(
    "rates",
    [
        (0.8, 0.3),
        {"source_kind": {"pro": (0.9, 0.05), "fan": (0.6, 0.3)}},
        {"tpr": "claim_sure", "fpr": "claim_doubt"},
        lambda columns: (0.5 + columns["claim_sure"] / 4, 0.2),
    ],
    ids=["constant", "classes", "columns", "function"],
)
def test_fit_starts_from_the_rates_wanted(rates: Any) -> None:
    n = 40
    kind = ["pro" if i % 2 else "fan" for i in range(n)]
    claims = Claims.from_frame(
        {
            "source": [f"s{i}" for i in range(n)],
            "entity": [f"e{i // 4}" for i in range(n)],
            "attribute": ["a"] * n,
            "value": [f"v{i % 3}" for i in range(n)],
            "source_kind": kind,
            "claim_sure": [0.9 if k == "pro" else 0.5 for k in kind],
            "claim_doubt": [0.1 if k == "pro" else 0.4 for k in kind],
        },
        attributes={"a": "single"},
    )
    # So strong an anchor leaves everything where pre-training put it.
    model = BinaryGRBM(features=["source_kind"], rates=rates, anchor=1e7).fit(claims)
    expected = {
        "pro": {"tpr": {0.8, 0.9, 0.725}, "fpr": {0.3, 0.05, 0.1, 0.2}},
        "fan": {"tpr": {0.8, 0.6, 0.5, 0.625}, "fpr": {0.3, 0.4, 0.2}},
    }
    for row, own in zip(model.parameters(claims).to_pylist(), kind, strict=True):
        for name in ("tpr", "fpr"):
            assert min(abs(row[name] - rate) for rate in expected[own][name]) < 1e-3
    by_kind = {
        own: row["tpr"] for row, own in zip(model.parameters(claims).to_pylist(), kind, strict=True)
    }
    assert (by_kind["pro"] == pytest.approx(by_kind["fan"], abs=1e-4)) is isinstance(rates, tuple)


# Training


@pytest.mark.parametrize(
    "params",
    [
        {},
        {"optimizer": "adam"},
        {"optimizer": "sgd", "learning_rate": 0.2},
        {"objective": "cd", "cd_steps": 2},
        {"tie_hidden_bias": False},
    ],
    ids=lambda params: "-".join(map(str, params.values())) or "lbfgs",
)
def test_every_way_of_training(params: dict[str, Any], skills: Synthetic) -> None:
    model = BinaryGRBM(features=list(FEATURES), max_iter=300, tol=1e-4, patience=2, **params)
    model.fit(skills.claims)
    assert model.converged_
    assert model.n_iter_ == len(model.history_) > 1
    for entry in model.history_:
        assert np.isfinite(entry["log_likelihood"])
        assert entry["log_likelihood"] < 0
    last = model.history_[-1]["log_likelihood"] / skills.claims.matrix.n_claims
    assert model.score(skills.claims) == pytest.approx(last, rel=1e-9)
    assert model.history_[-1]["log_likelihood"] > model.history_[0]["log_likelihood"]
    found = evaluate(model.truths_, skills.truth, skills.claims).accuracy
    assert found > skills.oracle.accuracy - 0.03


def test_ending_early_warns_and_keeps_the_result(skills: Synthetic) -> None:
    model = BinaryGRBM(max_iter=2, tol=0.0)
    with pytest.warns(ConvergenceWarning, match="stopped after 2 iterations") as warned:
        model.fit(skills.claims)
    assert warned[0].filename == __file__
    assert not model.converged_
    assert len(model.truths_) == skills.claims.matrix.n_items
    assert "convergence" in {note.subject for note in model.notes_}


@pytest.mark.parametrize(
    "model",
    [
        RBM(),
        BinaryGRBM(),
        BinaryGRBM("mlp", hidden_sizes=(3,), tol=1e-3),
        RBM(objective="cd", tol=1e-3),
    ],
    ids=["rbm", "linear", "mlp", "cd"],
)
def test_same_seed_same_result_to_the_bit(model: BinaryGRBM, skills: Synthetic) -> None:
    def plausibility(seed: int = 0) -> Floats:
        fresh = sklearn.base.clone(model).set_params(random_state=seed)
        fitted: BinaryGRBM = fresh.fit(skills.claims)
        return fitted.plausibility_

    first = plausibility()
    np.testing.assert_array_equal(plausibility(), first)
    sampled = model.objective == "cd" or model.get_params().get("reliability") == "mlp"
    assert np.array_equal(plausibility(1), first) is not sampled


def test_threads_make_no_difference_that_matters(
    skills: Synthetic, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("veracity.engines.threads.CLAIMS_PER_THREAD", 100)
    one, two = (RBM(threads=n, tol=1e-10).fit(skills.claims) for n in (1, 2))
    np.testing.assert_allclose(two.plausibility_, one.plausibility_, atol=1e-6)


# Judging


def test_plausibility_is_naive_bayes_when_tied() -> None:
    claims = answers(50, np.array([0.9, 0.7, 0.6]), np.array([0.2, 0.1, 0.4]), seed=6)
    model = RBM().fit(claims)
    rates = {row["source"]: (row["tpr"], row["fpr"]) for row in model.sources_.to_pylist()}
    prior = 1 / (1 + np.exp(-model.global_hidden_bias_))
    said: dict[str, list[tuple[str, bool]]] = {}
    for row in claims.to_arrow().to_pylist():
        said.setdefault(row["entity"], []).append((row["source"], row["value"] == "yes"))
    for row in model.statements_.to_pylist():
        true, false = prior, 1 - prior
        for source, yes in said[row["entity"]]:
            tpr, fpr = rates[source]
            true *= tpr if yes else 1 - tpr
            false *= fpr if yes else 1 - fpr
        assert row["plausibility"] == pytest.approx(true / (true + false), abs=1e-9)


@pytest.mark.parametrize("model", [RBM(), BinaryGRBM()], ids=["rbm", "grbm"])
def test_prediction_on_parts_equals_the_whole(model: BinaryGRBM, skills: Synthetic) -> None:
    model.fit(skills.claims)
    table = skills.claims.to_arrow()
    part = table.filter(pc.less(table["entity"], "e100"))
    if isinstance(model, RBM):
        known = {"a": Attribute("boolean", "closed", positive="true")}
        some = model.predict_plausibility(Claims.from_frame(part, attributes=known)).to_pylist()
        whole = {row["entity"]: row["plausibility"] for row in model.statements_.to_pylist()}
        assert len(some) == 100
        for row in some:
            assert row["plausibility"] == pytest.approx(whole[row["entity"]], abs=1e-9)
    again = model.predict_plausibility(
        Claims.from_frame(table, attributes={"a": Attribute("boolean", "closed", positive="true")})
    )
    np.testing.assert_allclose(
        again["plausibility"].to_numpy(), model.statements_["plausibility"].to_numpy(), atol=1e-9
    )


def test_score_is_the_mean_log_likelihood_per_claim() -> None:
    model = RBM().fit(every_kind())
    expected = model.history_[-1]["log_likelihood"] / len(every_kind())
    assert model.score(every_kind()) == pytest.approx(expected, rel=1e-6)
    liked = {"source": ["ann", "bob"], "entity": ["x", "x"], "value": ["1", "1"]}
    odd = {"source": ["ann", "bob"], "entity": ["x", "x"], "value": ["1", "2"]}
    assert model.score(liked) > model.score(odd)


def test_order_of_rows_plays_no_part(skills: Synthetic) -> None:
    table = skills.claims.to_arrow()
    order = np.random.default_rng(0).permutation(len(table))
    days = [f"2020-{1 + i % 12:02}-01" for i in range(len(table))]
    table = table.append_column("time", [days])
    known = {"a": Attribute("boolean", "closed", positive="true")}
    found = []
    for rows in (table, table.take(order)):
        model = BinaryGRBM(tol=1e-12, max_iter=1000).fit(Claims.from_frame(rows, attributes=known))
        assert "order in item" in {choice.name for choice in model.feature_choices_ if choice.used}
        found.append({row["entity"]: row["plausibility"] for row in model.statements_.to_pylist()})
    assert found[1] == pytest.approx(found[0], abs=1e-4)


def test_missing_features_in_fit_and_prediction(skills: Synthetic) -> None:
    table = skills.claims.to_arrow()
    known = {"a": Attribute("boolean", "closed", positive="true")}
    skill = table["source_skill"].to_pylist()
    kind = table["source_kind"].to_pylist()
    gaps = {
        "source_skill": [None if i % 5 == 0 else cell for i, cell in enumerate(skill)],
        "source_kind": [None if i % 7 == 0 else cell for i, cell in enumerate(kind)],
    }
    holed = table.drop_columns(list(gaps))
    for name, cells in gaps.items():
        holed = holed.append_column(name, [cells])
    for fitted, new in ((table, holed), (holed, table), (holed, holed)):
        model = BinaryGRBM(features=list(FEATURES))
        model.fit(Claims.from_frame(fitted, attributes=known))
        truths = model.predict(Claims.from_frame(new, attributes=known))
        assert np.isfinite(truths["plausibility"].to_numpy()).all()
        assert evaluate(truths, skills.truth, skills.claims).accuracy > 0.85


def test_statement_features_work_from_fit_to_prediction() -> None:
    sure = {"claim_sure": [float(i % 3) for i in range(len(every_kind()))]}
    claims = every_kind(sure)
    model = BinaryGRBM(features=["claim_sure", "claims of statement"], max_iter=300).fit(claims)
    again = model.predict_plausibility(every_kind(sure))
    np.testing.assert_allclose(again["plausibility"].to_numpy(), model.plausibility_)
    parameters = model.parameters(claims).to_pylist()
    assert len({row["tpr"] for row in parameters if row["source"] == "ann"}) > 1


class Own(torch.nn.Module):
    """A module of the user's own."""

    def __init__(self, n_features: int, n_outputs: int = 3) -> None:
        super().__init__()
        self.layer = torch.nn.Linear(n_features, n_outputs)

    def forward(self, x: Any) -> Any:
        return 3 * torch.tanh(self.layer(x) / 3)


def test_a_module_of_ones_own(skills: Synthetic) -> None:
    torch.manual_seed(0)
    module = Own(3)
    before = module.layer.weight.detach().clone()
    model = BinaryGRBM(module, features=list(FEATURES), tol=1e-5, max_iter=300).fit(skills.claims)
    found = evaluate(model.truths_, skills.truth, skills.claims).accuracy
    assert found > skills.oracle.accuracy - 0.03
    # Fitting leaves what it was given as it was, so that it can be done again.
    assert torch.equal(module.layer.weight, before)
    first = model.plausibility_
    np.testing.assert_array_equal(model.fit(skills.claims).plausibility_, first)
    copy = sklearn.base.clone(model)
    assert isinstance(copy.get_params()["reliability"], Own)


@pytest.mark.parametrize(
    ("module", "message"),
    [
        (Own(3, 2), r"expected shape \(\d+, 3\), got \(\d+, 2\) instead"),
        (Own(7), "failed on input of shape"),
        (Own, "reliability must be one of linear, mlp, gru, per-source or a torch module"),
    ],
    ids=["outputs", "inputs", "a class"],
)
def test_modules_that_do_not_fit(module: Any, message: str, skills: Synthetic) -> None:
    with pytest.raises(InvalidParameter, match=message):
        BinaryGRBM(module, features=list(FEATURES)).fit(skills.claims)


# Bad input and settings


def test_no_usable_feature_falls_back_to_sources(skills: Synthetic) -> None:
    claims = answers(50, np.array([0.9, 0.7, 0.6]), np.array([0.2, 0.1, 0.4]), seed=6)
    model = BinaryGRBM(anchor=0.0).fit(claims)
    texts = [note.text for note in model.notes_ if note.subject == "features"]
    assert "No usable feature, so every source has a reliability of its own (as in RBM)." in texts
    assert any("'sources of item' is left out: constant" in text for text in texts)
    np.testing.assert_allclose(model.plausibility_, RBM().fit(claims).plausibility_)
    asked = BinaryGRBM(features=[]).fit(skills.claims)
    assert not any(choice.used for choice in asked.feature_choices_)


def test_notes_list_the_features(skills: Synthetic) -> None:
    model = BinaryGRBM().fit(skills.claims)
    texts = [note.text for note in model.notes_ if note.subject == "features"]
    assert texts[0].startswith("Features used: source_skill, source_kind")
    assert any("'claims of statement' is left out" in text for text in texts)


@pytest.mark.parametrize("model", [BinaryGRBM(), RBM()], ids=["grbm", "rbm"])
def test_before_fit(model: BinaryGRBM, skills: Synthetic) -> None:
    for method in (model.predict, model.parameters, model.score, model.reliability):
        with pytest.raises(NotFitted, match="needs a fitted model"):
            method(skills.claims)


def test_new_claims_of_another_schema(skills: Synthetic) -> None:
    model = BinaryGRBM().fit(skills.claims)
    table = skills.claims.to_arrow()
    renamed = table.rename_columns(
        ["source_skil" if name == "source_skill" else name for name in table.column_names]
    )
    with pytest.raises(InvalidParameter, match=r"no feature column 'source_skill'.*Did you mean"):
        model.predict(renamed)
    with pytest.raises(InvalidParameter, match="Their feature columns are: none"):
        model.predict(table.select(["source", "entity", "attribute", "value"]))


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"objective": "cd", "optimizer": "lbfgs"}, "L-BFGS needs the exact objective"),
        ({"objective": "vague"}, "objective must be exact or cd"),
        ({"optimizer": "newton"}, "optimizer must be lbfgs, adam or sgd"),
        ({"reliability": "liner"}, "reliability must be one of.*Did you mean 'linear'"),
        ({"reliability": 3}, "reliability must be one of"),
        ({"reliability": "mlp", "activation": "step"}, "activation must be one of"),
        ({"reliability": "mlp", "hidden_sizes": (0,)}, "hidden_sizes must be positive"),
        ({"features": ["source_skil"]}, "no feature 'source_skil'. Did you mean 'source_skill'"),
        ({"features": "source_skill"}, "features must be 'auto' or a list of names"),
        ({"bins": 1}, "bins must be 2 or more"),
        ({"rates": (1.2, 0.1)}, "tpr must be between 0 and 1"),
        ({"rates": "rosy"}, "rates must be optimistic, pessimistic"),
        ({"truth": "some"}, "truth must be"),
        ({"cd_steps": 0}, "cd_steps must be 1 or more"),
        ({"batch_size": 0}, "batch_size must be 1 or more"),
        ({"patience": 0}, "patience must be 1 or more"),
        ({"max_iter": 0}, "max_iter must be 1 or more"),
        ({"penalty": -1.0}, "penalty must be 0 or more"),
        ({"anchor": float("nan")}, "anchor must be 0 or more"),
        ({"tol": -1e-3}, "tol must be 0 or more"),
        ({"learning_rate": 0.0}, "learning_rate must be positive"),
        ({"decay": -0.1}, "decay must be 0 or more"),
        ({"average": 1.5}, "average must be between 0 and 1"),
        ({"weights": "positive"}, "weights must be free or nonnegative. Got 'positive'"),
        ({"scale": "wide"}, "scale must be spread or standard or rank"),
        ({"batch_by": "claim"}, "batch_by must be item or statement"),
        ({"pretraining": "none"}, "pretraining must be fitted or constant"),
        ({"statistics": ["claims of sorce"]}, "no statistic .*Did you mean 'claims of source'"),
        ({"weights": "nonnegative", "rates": "pessimistic"}, "need a tpr above the fpr"),
        (
            {
                **{"reliability": "mlp", "pretraining": "constant"},
                "rates": {"source_kind": {"pro": (0.9, 0.1)}},
            },
            "needs the same rates for all claims",
        ),
        (
            {"reliability": torch.nn.Linear(2, 3), "pretraining": "constant"},
            "of a torch module of your own",
        ),
    ],
)
def test_bad_settings(params: dict[str, Any], message: str, skills: Synthetic) -> None:
    with pytest.raises(InvalidParameter, match=message):
        BinaryGRBM(**params).fit(skills.claims)


def test_unknown_parameters() -> None:
    with pytest.raises(InvalidParameter, match=r"no parameter 'penality'. Did you mean 'penalty'"):
        BinaryGRBM().set_params(penality=1)


def test_weights_of_claims_are_noted() -> None:
    columns = {"source": ["a", "b"], "entity": ["x", "x"], "value": ["1", "2"], "weight": [1, 2]}
    model = RBM().fit(columns)
    assert "This model ignores the weights of claims." in [note.text for note in model.notes_]


def test_clone_keeps_parameters() -> None:
    model = BinaryGRBM("mlp", features=["claims of source"], rates=(0.6, 0.2), penalty=3.0)
    assert sklearn.base.clone(model).get_params() == model.get_params()
    rbm = RBM(rates="pessimistic", anchor=0.1)
    assert sklearn.base.clone(rbm).get_params() == rbm.get_params()
    assert "features" not in rbm.get_params()


@pytest.mark.parametrize("kind", ["single", "multiple", "boolean"])
def test_one_claim_is_enough(kind: Any) -> None:
    columns = {"source": ["a"], "entity": ["x"], "attribute": ["open"], "value": ["yes"]}
    claims = Claims.from_frame(columns, attributes={"open": Attribute(kind)})
    (truth,) = BinaryGRBM().fit(claims).truths_.to_pylist()
    assert truth["value"] in ("yes", "true")
    assert 0.5 < truth["plausibility"] < 1


def test_reliability_of_bare_features() -> None:
    drawn = datasets.example.load().claims
    model = BinaryGRBM(features=["source_kind", "claim_age_days", "claims of source"]).fit(drawn)
    features = {"source_kind": ["owner", "aggregator"], "claim_age_days": [10, 900]}
    rates = model.reliability(features)
    owner, aggregator = rates.to_pylist()
    assert owner["tpr"] - owner["fpr"] > aggregator["tpr"] - aggregator["fpr"]
    with pytest.raises(InvalidParameter, match="no feature column 'claim_age_days'"):
        model.reliability({"source_kind": ["owner"]})
