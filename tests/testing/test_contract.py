"""The contract can be kept, and every check of it can fail: broken models show how."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Self

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pytest

from veracity import Claims, MajorityVote, VeracityError
from veracity.data.arrays import Floats
from veracity.data.matrix import ClaimMatrix
from veracity.data.output.results import SourceRates
from veracity.data.output.tables import Table
from veracity.engines.base import Blocks, ClaimsInBlocks
from veracity.errors import ConvergenceWarning
from veracity.models.base import Judgement, TruthModel
from veracity.models.tables import Judged
from veracity.testing import BrokenContract, check_truth_model, checks_for
from veracity.testing.check import Unmet


class Toy(MajorityVote):
    """A model that keeps the contract; those below break it, each in its own way."""

    def _vote(self, claims: Claims) -> Floats:
        return super()._judge(claims).plausibility

    def _judge(self, claims: Claims) -> Judgement:
        return Judgement(self._changed(self._vote(claims), claims.matrix))

    def _changed(self, p: Floats, matrix: ClaimMatrix) -> Floats:
        return p


class ConvertsItsParameter(Toy):
    def __init__(self, smoothing: float = 1.0, random_state: int = 0) -> None:
        super().__init__(float(smoothing), random_state)


class TakesAnyParameter(Toy):
    def set_params(self, **params: Any) -> Self:
        return super().set_params(**{k: v for k, v in params.items() if k in self.get_params()})


class FitsItsClass(Toy):
    def fit(
        self, claims: Any, y: None = None, *, known_truth: Any = None, rules: Any = None
    ) -> Self:
        type(self)._fitted = True
        return super().fit(claims, known_truth=known_truth)


class KnowsBeforeFit(Toy):
    def _check_fitted(self, asked: str) -> None:
        pass


class ReturnsNothing(Toy):
    def fit(
        self, claims: Any, y: None = None, *, known_truth: Any = None, rules: Any = None
    ) -> Any:
        super().fit(claims, known_truth=known_truth)


class ForgetsWhenSaved(Toy):
    scale = 1.0

    def _fit(self, claims: ClaimsInBlocks) -> None:
        self.scale = 0.9

    def _changed(self, p: Floats, matrix: ClaimMatrix) -> Floats:
        return p * self.scale


class IsTooSure(Toy):
    def _changed(self, p: Floats, matrix: ClaimMatrix) -> Floats:
        return p + 0.2


class IsNotANumber(Toy):
    def _changed(self, p: Floats, matrix: ClaimMatrix) -> Floats:
        return np.where(p > 0.9, np.nan, p)


class DropsAColumn(Toy):
    def predict(self, claims: Any) -> Table:
        return Table("truths", super().predict(claims).to_arrow().drop_columns(["margin"]))


class TurnsTruthsAround(Toy):
    def predict(self, claims: Any) -> Table:
        truths = super().predict(claims).to_arrow()
        return Table("truths", truths.take(list(range(truths.num_rows))[::-1]))


class TrustsTooMuch(Toy):
    def _source_rates(self, claims: ClaimsInBlocks, judged: Blocks[Judged]) -> SourceRates:
        rates = super()._source_rates(claims, judged)
        return replace(rates, reliability=rates.reliability + 1)


class LosesNotes(Toy):
    def _fit(self, claims: ClaimsInBlocks) -> None:
        self.notes_ = []


class KeepsNoHistory(Toy):
    def _fit(self, claims: ClaimsInBlocks) -> None:
        self.history_ = None  # type: ignore[assignment]


class ChangesItsMind(Toy):
    def _fit(self, claims: ClaimsInBlocks) -> Any:
        return Judgement(1 - self._vote(self.claims_))


class LikesTheFirstRows(Toy):
    def _changed(self, p: Floats, matrix: ClaimMatrix) -> Floats:
        first = np.zeros(matrix.n_statements)
        first[matrix.statement_index[matrix.row == 0]] = 0.1
        return np.minimum(p + first, 1.0)


def counted_twice(matrix: ClaimMatrix, sources: npt.NDArray[np.bool_]) -> Floats:
    """Add something for the claims of some sources."""
    return 0.01 * matrix.sum_by_statement(sources[matrix.source_index].astype(np.float64))


class LikesAName(Toy):
    def _changed(self, p: Floats, matrix: ClaimMatrix) -> Floats:
        liked = np.array([name == "s0" for name in matrix.sources.to_pylist()])
        return np.minimum(p + counted_twice(matrix, liked), 1.0)


class LikesTheFirstSource(Toy):
    def _changed(self, p: Floats, matrix: ClaimMatrix) -> Floats:
        liked = np.arange(matrix.n_sources) == 0
        return np.minimum(p + counted_twice(matrix, liked), 1.0)


class MindsTheWholeTable(Toy):
    def _changed(self, p: Floats, matrix: ClaimMatrix) -> Floats:
        return p * (1 - 1 / (2 + matrix.n_items))


class IsNeverTheSame(Toy):
    def _changed(self, p: Floats, matrix: ClaimMatrix) -> Floats:
        return p * np.random.default_rng().uniform(0.9, 1.0)


class RemembersEarlierFits(Toy):
    n_fits = 0

    def _fit(self, claims: ClaimsInBlocks) -> None:
        self.n_fits += 1

    def _changed(self, p: Floats, matrix: ClaimMatrix) -> Floats:
        return p * (1 - 0.1 / self.n_fits)


class KeepsOldHistory(Toy):
    def _fit(self, claims: ClaimsInBlocks) -> None:
        self._kept: list[dict[str, float]] = getattr(self, "_kept", [])
        self._kept.append({"iteration": 1.0})
        self.history_ = self._kept


class WritesToTheMatrix(Toy):
    def _fit(self, claims: ClaimsInBlocks) -> None:
        if claims.matrix.weight is None:
            claims.matrix.claim_weight[0] = 3.0


class ForcesTheMatrix(Toy):
    def _fit(self, claims: ClaimsInBlocks) -> None:
        start = claims.matrix.statement_start
        start.flags.writeable = True
        start += 0
        start[-1] -= 1


class WritesToTheTable(Toy):
    def fit(
        self, claims: Any, y: None = None, *, known_truth: Any = None, rules: Any = None
    ) -> Self:
        super().fit(claims, known_truth=known_truth)
        if isinstance(claims, dict):
            claims["value"].sort()
        return self


class LearnsFromPredicting(Toy):
    def predict(self, claims: Any) -> Table:
        self.plausibility_ = self.plausibility_ / 2
        return super().predict(claims)


class TripsOverFeatures(Toy):
    def _vote(self, claims: Claims) -> Floats:
        if claims.features.num_columns:
            raise KeyError("claim_noise")
        return super()._vote(claims)


class DoubtsEverything(Toy):
    def _changed(self, p: Floats, matrix: ClaimMatrix) -> Floats:
        return 0.4 * p


class BelievesTheMinority(Toy):
    def _changed(self, p: Floats, matrix: ClaimMatrix) -> Floats:
        return 1 - p


class HearsNoDenials(Toy):
    def _judge(self, claims: Claims) -> Judgement:
        matrix = claims.matrix
        yes = matrix.sum_by_statement(matrix.claim_value.astype(np.float64))
        total = matrix.sum_by_item(yes)[matrix.item_of_statement]
        return Judgement((yes + 1) / (total + 2))


class NeedsTwoClaims(Toy):
    def _changed(self, p: Floats, matrix: ClaimMatrix) -> Floats:
        return p * (np.float64(matrix.n_claims) / np.float64(matrix.n_claims - 1) > 0)


class NeedsTwoSources(Toy):
    def _fit(self, claims: ClaimsInBlocks) -> None:
        if claims.matrix.n_sources == 1 < claims.matrix.n_claims:
            raise ZeroDivisionError("division by zero")


class NeedsTwoItems(Toy):
    def _fit(self, claims: ClaimsInBlocks) -> None:
        if claims.matrix.n_items == 1 < claims.matrix.n_claims:
            raise ValueError("too few items")


class NeedsManyClaims(Toy):
    def _fit(self, claims: ClaimsInBlocks) -> None:
        if 20 < claims.matrix.n_claims < 4 * claims.matrix.n_items:
            raise ValueError("too few claims")


class NeedsProlificSources(Toy):
    def _fit(self, claims: ClaimsInBlocks) -> None:
        if claims.matrix.n_sources > 50:
            raise np.linalg.LinAlgError("singular matrix")


class MindsWeightsOfOne(Toy):
    def _changed(self, p: Floats, matrix: ClaimMatrix) -> Floats:
        return p if matrix.weight is None else p * 0.99


class NeedsOneClaimEach(Toy):
    def _vote(self, claims: Claims) -> Floats:
        if claims.duplicates == "all":
            raise ValueError("index contains duplicate entries")
        return super()._vote(claims)


class NeedsKnownSources(Toy):
    def _judge(self, claims: Claims) -> Judgement:
        known, asked = (set(each.matrix.sources.to_pylist()) for each in (self.claims_, claims))
        if asked - known:
            raise KeyError("new 0")
        return super()._judge(claims)


class NeedsText(Toy):
    def _vote(self, claims: Claims) -> Floats:
        if claims.forms.change_anything():
            raise ValueError("could not convert string to float: 'blue'")
        return super()._vote(claims)


class NeedsAClaimPerItem(Toy):
    def _changed(self, p: Floats, matrix: ClaimMatrix) -> Floats:
        yes = matrix.sum_by_statement(matrix.claim_value.astype(np.float64))
        return p * (yes / matrix.sum_by_item(yes)[matrix.item_of_statement] >= 0)


class IgnoresKnownTruth(Toy):
    uses_known_truth = True


class ForgetsKnownTruth(Toy):
    uses_known_truth = True

    def fit(
        self, claims: Any, y: None = None, *, known_truth: Any = None, rules: Any = None
    ) -> Self:
        return super().fit(claims)


class DropsUnclaimedTruth(Toy):
    uses_known_truth = True

    def fit(
        self, claims: Any, y: None = None, *, known_truth: Any = None, rules: Any = None
    ) -> Self:
        super().fit(claims, known_truth=known_truth)
        said = set(self.statements_["value"].to_pylist())
        claimed = [value in said for value in self.truths_["value"].to_pylist()]
        self.truths_ = Table("truths", self.truths_.to_arrow().filter(pa.array(claimed)))
        return self


class SwallowsKnownTruth(Toy):
    def fit(
        self, claims: Any, y: None = None, *, known_truth: Any = None, rules: Any = None
    ) -> Self:
        return super().fit(claims)


#: What breaks each check.
BROKEN: dict[str, Sequence[type[TruthModel]]] = {
    "constructor only stores": [ConvertsItsParameter],
    "parameters can be set": [TakesAnyParameter],
    "copies have learned nothing": [FitsItsClass],
    "nothing is known before fit": [KnowsBeforeFit],
    "fit returns the model": [ReturnsNothing],
    "saved models predict the same": [ForgetsWhenSaved],
    "plausibilities are probabilities": [IsTooSure, IsNotANumber],
    "tables have their columns": [DropsAColumn],
    "truths come item by item": [TurnsTruthsAround],
    "sources have rates": [TrustsTooMuch],
    "notes and history are kept": [LosesNotes, KeepsNoHistory],
    "predict agrees with fit": [ChangesItsMind],
    "row order makes no difference": [LikesTheFirstRows],
    "names of sources make no difference": [LikesAName],
    "order of sources makes no difference": [LikesTheFirstSource],
    "parts are judged like the whole": [MindsTheWholeTable],
    "same seed same answer": [IsNeverTheSame],
    "a second fit forgets the first": [RemembersEarlierFits, KeepsOldHistory],
    "input is left as it was": [WritesToTheMatrix, ForcesTheMatrix, WritesToTheTable],
    "predict leaves the model": [LearnsFromPredicting],
    "a feature column does no harm": [TripsOverFeatures],
    "unanimous sources are believed": [DoubtsEverything],
    "easy truth is found": [BelievesTheMinority],
    "one claim": [NeedsTwoClaims],
    "one source": [NeedsTwoSources],
    "one item": [NeedsTwoItems],
    "missing claims": [NeedsManyClaims],
    "one claim per source": [NeedsProlificSources],
    "weights": [MindsWeightsOfOne],
    "repeated claims": [NeedsOneClaimEach],
    "new sources and items": [NeedsKnownSources],
    "denials count": [HearsNoDenials],
    "numbers are judged": [NeedsText],
    "denials": [NeedsAClaimPerItem],
    "known truth is kept": [ForgetsKnownTruth],
    "known truth helps": [IgnoresKnownTruth],
    "unclaimed known truth is kept": [DropsUnclaimedTruth],
    "known truth is refused": [SwallowsKnownTruth],
}


def test_a_model_that_keeps_the_contract_passes() -> None:
    model = Toy(smoothing=0.5)
    check_truth_model(model)
    assert model.get_params() == {"smoothing": 0.5, "random_state": 0}
    assert not model.__sklearn_is_fitted__()


def test_every_check_has_a_model_that_breaks_it() -> None:
    named = {check.name for kind in (Toy, IgnoresKnownTruth) for check in checks_for(kind())}
    assert named == set(BROKEN)


@pytest.mark.parametrize(
    ("name", "kind"), [(name, kind) for name, kinds in BROKEN.items() for kind in kinds]
)
def test_a_broken_model_is_found_out(name: str, kind: type[TruthModel]) -> None:
    (check,) = [check for check in checks_for(kind()) if check.name == name]
    with pytest.raises(BrokenContract, match=f"{kind.__name__} fails the check '{name}'") as found:
        check(kind())
    assert isinstance(found.value, AssertionError)
    assert isinstance(found.value, VeracityError)
    explained = ("Expected " in str(found.value), "It raised " in str(found.value))
    assert any(explained)
    assert found.value.__cause__ is None or not isinstance(found.value.__cause__, Unmet)


def test_the_whole_contract_stops_at_the_first_broken_promise() -> None:
    expected = (
        r"DropsAColumn fails the check 'tables have their columns' \(Truths, statements and "
        r"sources have the columns that are documented\)\. Expected predict to have the columns "
        r"\('entity', .*'margin', .*\)\. Got \('entity', .*\) instead\."
    )
    with pytest.raises(BrokenContract, match=expected):
        check_truth_model(DropsAColumn())


class Wavers(Toy):
    """Warns of what is to be feared, or not."""

    def __init__(self, warning: type[Warning] = UserWarning, random_state: int = 0) -> None:
        super().__init__(1.0, random_state)
        self.warning = warning

    def _fit(self, claims: ClaimsInBlocks) -> None:
        import warnings

        warnings.warn("not there yet", self.warning, stacklevel=2)


def test_only_warnings_about_convergence_are_borne() -> None:
    (check,) = [check for check in checks_for(Toy()) if check.name == "one claim"]
    check(Wavers(ConvergenceWarning))
    with pytest.raises(BrokenContract, match="It raised UserWarning: not there yet"):
        check(Wavers(UserWarning))


def test_a_broken_model_spoils_nothing_for_the_next() -> None:
    (check,) = [check for check in checks_for(Toy()) if check.name == "input is left as it was"]
    for kind in (WritesToTheMatrix, ForcesTheMatrix, WritesToTheTable):
        with pytest.raises(BrokenContract):
            check(kind())
    check_truth_model(Toy())
