"""Schemas of requests and answers: one model for every JSON shape.

The store builds answers as plain dictionaries of these shapes; they are not validated again on the
way out.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

Decision = Literal["accept", "review", "undecided"]
ItemSort = Literal["contested", "plausibility", "change", "sources", "entity"]
SourceSort = Literal[
    "reliability", "claims", "agreement", "source", "labels", "labelled_rate", "disagrees"
]
Pattern = Literal["constant", "random", "adversarial", "copier"]
LabelsFrom = Literal["known truth", "marks"]
Order = Literal["asc", "desc"]
ScoreTable = Literal["truths", "statements", "sources"]
Cell = str | bool | int | float | None
Probability = Annotated[float, Field(ge=0.0, le=1.0)]

#: The largest identifier and offset that is accepted: those of a run are 32-bit numbers.
LARGEST = 2**31 - 1


class Answer(BaseModel):
    """Base of all answers: no field but those that are described."""

    model_config = ConfigDict(extra="forbid")


class Request(BaseModel):
    """Base of all requests: an unknown field is refused rather than overlooked."""

    model_config = ConfigDict(extra="forbid")


# Errors


class ErrorDetail(Answer):
    """One thing that is wrong with a request."""

    where: str = Field(description="The part of the request.", examples=["body.claims"])
    message: str = Field(description="What is wrong with it.")


class ErrorBody(Answer):
    """What went wrong."""

    code: str = Field(description="A word for programs.", examples=["not_found"])
    message: str = Field(description="What came, what was expected and what to do.")
    details: list[ErrorDetail] = Field(default_factory=list)


class ErrorAnswer(Answer):
    """The shape of every error."""

    error: ErrorBody


# The run


class RunModel(Answer):
    """The model of the run."""

    name: str
    parameters: dict[str, Any]
    explains: bool = Field(description="Whether it can explain its verdicts claim by claim.")


class RunAttribute(Answer):
    """An attribute as the run treats it."""

    name: str
    kind: Literal["single", "multiple", "boolean"]
    domain: Literal["closed", "open"]
    n_items: int
    n_values: int
    kind_reason: str
    domain_reason: str
    positive: str | None = None
    negative: str | None = None
    numeric: bool = False
    tolerance: float | str | None = None
    changing: bool = False
    numeric_reason: str = ""


class RunNote(Answer):
    """Something that was noticed on the way."""

    subject: str
    text: str
    count: int | None = None


class RunCounts(Answer):
    """How much there is."""

    claims: int
    sources: int
    items: int
    statements: int
    contested: int = Field(description="Items about which more than one value is claimed.")
    accept: int
    review: int
    undecided: int


class Accuracy(Answer):
    """A share of right verdicts, with the interval that holds it with a probability of 95 %."""

    n_right: int
    n_items: int
    accuracy: Probability
    low: Probability
    high: Probability


class MarksEvaluation(Answer):
    """The run and the plain vote, measured on the marked items."""

    model: Accuracy
    vote: Accuracy


class MarksProgress(Answer):
    """How far the review is."""

    n_marks: int = Field(description="All marks that are kept, also of items of other runs.")
    n_items: int = Field(description="Items of this run that are marked.")
    n_skipped: int = Field(description="Items of this run that were skipped: nobody can tell.")
    n_undecided_left: int = Field(description="Undecided items that are not marked.")
    n_review_left: int = Field(description="Items for review that are not marked.")
    writable: bool = Field(description="Whether marks can be kept at all.")
    evaluation: MarksEvaluation | None = None


class RunFindings(Answer):
    """The run in three sentences, with what its audits show by now."""

    found: str = Field(description="What was claimed, and which sources can be told apart.")
    to_do: str = Field(description="Which verdicts to accept, to review, to leave undecided.")
    trust: str = Field(description="What speaks for and against the answer.")


class RunAnswer(Answer):
    """The run: what went in, by which model, and what was found."""

    created: str | None
    versions: dict[str, str]
    inputs: dict[str, list[str]] = Field(description="Names of the files or tables read.")
    settings: dict[str, Any]
    features: dict[str, str] = Field(description="Type of each feature column.")
    model: RunModel
    attributes: list[RunAttribute]
    counts: RunCounts
    evaluation: dict[str, float | int | None] | None = Field(
        description="The verdicts against the truth given to the run, if any."
    )
    seconds: dict[str, float]
    findings: RunFindings
    notes: list[RunNote]
    marks: MarksProgress
    report: bool = Field(description="Whether the run has a report to show.")


# Items


class ItemRow(Answer):
    """An item in a list: what is believed, and how it compares with the vote."""

    id: int
    entity: str
    attribute: str
    value: str = Field(description="The value to believe; of several, the most plausible.")
    further_values: list[str] = Field(
        default_factory=list, description="Further believed values, where several may be true."
    )
    plausibility: Probability
    margin: float = Field(description="Plausibility less that of the next value.")
    n_sources: int
    n_values: int
    decision: Decision
    tie: bool
    vote_value: str = Field(description="The value that most sources claim.")
    vote_share: Probability = Field(description="The share of the claims that name it.")
    change: float = Field(
        description="Plausibility of the believed value less its share of the claims."
    )
    known: bool = Field(description="Whether the truth was given to the run.")
    mark: list[str] | None = Field(
        description="What is marked as true in the review: one value, or each of several."
    )


class ItemsAnswer(Answer):
    """A page of items."""

    items: list[ItemRow]
    total: int
    limit: int
    offset: int


class ValueRow(Answer):
    """A value of an item."""

    value: str
    plausibility: Probability
    supporters: int
    deniers: int
    believed: bool


class ClaimRow(Answer):
    """A claim about an item."""

    claim: int | None = Field(description="Its number in the run; null for one that was added.")
    source_id: int | None = Field(description="Its source's number; null for a new source.")
    source: str
    value: str
    asserts: bool = Field(description="False for a claim that the value is not true.")
    reliability: float | None = Field(description="Of its source, over all its claims.")
    tpr: float | None = Field(description="P(says the value | it is true), of this claim.")
    fpr: float | None = Field(description="P(says the value | it is not true), of this claim.")
    features: dict[str, Cell]


class TermRow(Answer):
    """What one claim adds to the log-odds of a value."""

    claim: int | None
    source: str
    says: str
    claims: bool = Field(description="Whether it claims this very value.")
    log_odds: float
    weight: float = Field(
        default=1.0,
        description="How much the claim counts: less than 1 if its source repeats itself, or "
        "belongs to a declared family of which others speak about the item.",
    )


class FamilyRow(Answer):
    """Members of a declared family that speak about an item."""

    family: str
    n_sources: int
    counted: float = Field(description="As how many sources they count together.")


class AdjustmentRow(Answer):
    """A last step from the sum of the evidence to the plausibility."""

    reason: str
    log_odds: float


class EvidenceRow(Answer):
    """The evidence for one value: before + terms + adjustments = log_odds."""

    value: str
    before: float = Field(description="Log-odds before anybody speaks, b_0.")
    terms: list[TermRow]
    adjustments: list[AdjustmentRow]
    log_odds: float = Field(description="Of the plausibility shown.")
    plausibility: Probability


class NumberBelieved(Answer):
    """A number that is believed, and how far the sources spread around it."""

    value: float
    standard_error: float | None
    low: float | None = Field(
        description="Where the spread of the sources begins. It knows nothing of an error that all "
        "sources share."
    )
    high: float | None = Field(description="Where the spread of the sources ends.")
    interval: str | None = Field(
        default=None,
        description="What the interval is: the spread of the sources, or calibrated by labels.",
    )


class WeightRow(Answer):
    """The share of a claim in the number believed."""

    claim: int | None
    source: str
    value: float = Field(description="What the source says.")
    expected: float = Field(description="The same less the bias of the source.")
    share: Probability
    pull: float = Field(description="By how much the number would be less without the claim.")
    bias: float = Field(description="Of the source about this item.")
    sd: float = Field(description="The standard deviation of its errors about this item.")
    relative: bool = Field(description="Whether bias and sd are parts of the truth, not amounts.")
    gross: bool = Field(description="Whether it is further off than such errors explain.")


class ItemAnswer(Answer):
    """An item: its values, every claim, and the evidence."""

    id: int
    entity: str
    attribute: str
    kind: Literal["single", "multiple", "boolean"]
    domain: Literal["closed", "open"]
    decision: Decision
    tie: bool
    margin: float
    vote_value: str
    vote_share: Probability
    hardness: float | None = Field(
        default=None,
        description="By how much the log-odds of a source's being right are lower than on an "
        "ordinary item; null where the model does not say.",
    )
    harder_than: Probability | None = Field(
        default=None, description="The share of the run's items that are less hard."
    )
    number: NumberBelieved | None = Field(
        default=None, description="The number believed, where the attribute is judged as one."
    )
    weights: list[WeightRow] | None = Field(
        default=None, description="The share of each claim in that number, the largest first."
    )
    values: list[ValueRow]
    none_of_these: Probability | None = Field(
        description="Plausibility that none of the claimed values is true; null where values are "
        "judged each by itself."
    )
    claims: list[ClaimRow]
    families: list[FamilyRow] = Field(
        default_factory=list, description="Declared families of which several members speak."
    )
    evidence: list[EvidenceRow] | None
    why_no_evidence: str | None
    mark: list[str] | None = Field(
        description="What is marked as true in the review: one value, or each of several."
    )
    known: bool


class AddedClaim(Request):
    """A claim to imagine."""

    source: str = Field(min_length=1, max_length=1000, examples=["Cityquilt"])
    value: str = Field(min_length=1, max_length=10_000, examples=["bar"])
    asserts: bool = True
    features: dict[Annotated[str, Field(max_length=200)], Cell] = Field(
        default_factory=dict,
        description="Feature columns; those left out are taken from the source, or are missing.",
    )


class WhatIfRequest(Request):
    """Claims to switch off and to add."""

    off: list[Annotated[int, Field(ge=0, le=LARGEST)]] = Field(
        default_factory=list, max_length=10_000, description="Numbers of claims to leave out."
    )
    add: list[AddedClaim] = Field(default_factory=list, max_length=1000)


class WhatIfValue(ValueRow):
    """A value of an item after the change, and before."""

    plausibility_before: Probability | None = Field(
        description="Before the change; null for a value that nobody claimed."
    )


class WhatIfAnswer(ItemAnswer):
    """The item as it would be judged."""

    values: list[WhatIfValue]  # type: ignore[assignment]
    notes: list[str] = Field(description="What to keep in mind about the figures.")


# Sources


class OnLabels(Answer):
    """Claims of a source about items whose truth is known or marked."""

    right: int
    wrong: int
    rate: Probability = Field(description="The share that is right.")
    low: Probability = Field(description="Holds the rate, up to `high`, in 90 % of all cases.")
    high: Probability
    expected: Probability = Field(
        description="The share that the model expects to be right, if it did not know the truth."
    )
    disagrees: bool = Field(
        description="Whether the rate differs from what is expected by more than chance explains; "
        "at most 5 % of such flags are to be expected by chance."
    )


class OnLabelsOfAttribute(OnLabels):
    """The same for one attribute."""

    attribute: str


class SourceRow(Answer):
    """A source in a list."""

    id: int
    source: str
    n_claims: int
    reliability: float | None
    reliability_low: float | None
    reliability_high: float | None
    tpr: float | None
    tpr_low: float | None
    tpr_high: float | None
    fpr: float | None
    fpr_low: float | None
    fpr_high: float | None
    agreement: float | None = Field(description="Share of its claims that agree with the verdict.")
    pattern: Pattern | None = Field(
        description="How it answers, if like a spammer: always the same, at random, against the "
        "truth, or as another source does; null for most sources."
    )
    pattern_of: str | None = Field(description="The source that a copier repeats.")
    labels: OnLabels | None = Field(
        description="How it does on known truth or marks; null if it speaks about none."
    )


class SourcesAnswer(Answer):
    """A page of sources."""

    sources: list[SourceRow]
    total: int
    limit: int
    offset: int
    labels_from: LabelsFrom | None = Field(
        description="What sources are measured on: the known truth of the run or, without any, "
        "the marks; null if there is neither."
    )


class SourceClaim(Answer):
    """A claim of a source, beside what is believed."""

    claim: int
    item: int
    entity: str
    attribute: str
    says: str
    asserts: bool
    believed: str
    agrees: bool
    plausibility: Probability = Field(description="Of what the source says.")


class ConfusionRow(Answer):
    """What a source claims where a value is believed, by what the others say."""

    believed: str
    weight: float = Field(ge=0.0, description="The expected number of its claims there.")
    shares: list[Probability | None] = Field(
        description="The share of each value in them, in the order of `values`; null if nothing "
        "is believed to have this value."
    )


class AttributeAnswers(Answer):
    """How a source answers the questions of a closed attribute."""

    attribute: str
    values: list[str]
    counts: list[int] = Field(description="How often it claims each value.")
    confusion: list[ConfusionRow]


class SimilarSource(Answer):
    """A source that says much the same."""

    id: int
    source: str
    n_shared: int
    agreement: Probability


class SourceClash(Answer):
    """An attribute that a source writes in another format than the others."""

    attribute: str
    n_claims: int
    agreement: Probability = Field(description="Share of its claims that agree with most others.")
    agreement_after: Probability = Field(description="The same after the transformation.")
    kind: str
    transformation: str
    description: str
    examples: str


class SourceAnswer(SourceRow):
    """A source: how reliable it is, what it says, and who says the same."""

    claims: list[SourceClaim]
    total: int
    limit: int
    offset: int
    labels_from: LabelsFrom | None
    by_attribute: list[OnLabelsOfAttribute] = Field(
        description="How it does on known truth or marks, by attribute."
    )
    clashes: list[SourceClash] = Field(
        description="Attributes that it writes in another format than the others."
    )
    answers: list[AttributeAnswers] = Field(
        description="Its histogram and confusion matrix, for each attribute with few values."
    )
    similar: list[SimilarSource]


# Scoring


class ScoreRequest(Request):
    """New claims to judge."""

    claims: list[dict[str, Cell]] = Field(
        min_length=1,
        description="One object per claim: source, entity, attribute, value, and if you like "
        "asserts, time, weight and feature columns.",
        examples=[
            [
                {"source": "Cityquilt", "entity": "Cinder Hall", "attribute": "city", "value": "A"},
                {"source": "a new one", "entity": "Cinder Hall", "attribute": "city", "value": "B"},
            ]
        ],
    )
    explain: bool = Field(default=False, description="Also explain the verdicts.")
    alone: bool = Field(
        default=False,
        description="Judge the claims by themselves, without the run's claims about their items.",
    )


class ScoreTruth(Answer):
    """The value to believe for an item."""

    entity: str
    attribute: str
    value: str
    plausibility: Probability
    margin: float
    n_sources: int
    n_values: int
    tie: bool
    decision: Decision
    hardness: float | None = None
    standard_error: float | None = None
    low: float | None = None
    high: float | None = None


class ScoreStatement(Answer):
    """A statement and its plausibility."""

    entity: str
    attribute: str
    value: str
    plausibility: Probability
    supporters: int
    deniers: int


class ScoreSource(Answer):
    """A source of the new claims.

    Of a source that the run knows, the rates are those of the run, with their intervals; of
    another, what the model expects, without.
    """

    source: str
    known: bool = Field(description="Whether the run has claims of this source.")
    n_claims: int = Field(description="Among the new claims.")
    reliability: float | None
    reliability_low: float | None
    reliability_high: float | None
    tpr: float | None
    tpr_low: float | None
    tpr_high: float | None
    fpr: float | None
    fpr_low: float | None
    fpr_high: float | None


class ScoreExplanation(Answer):
    """The evidence for the values of an item."""

    entity: str
    attribute: str
    families: list[FamilyRow] = Field(default_factory=list)
    evidence: list[EvidenceRow]


class ScoreAnswer(Answer):
    """Judgement of the run's model on new claims."""

    truths: list[ScoreTruth]
    statements: list[ScoreStatement]
    sources: list[ScoreSource]
    combined: int = Field(
        description="Claims of the run about the same items, judged together with the new ones."
    )
    replaced: int = Field(
        description="Claims of the run that a new one of the same source replaces."
    )
    explanations: list[ScoreExplanation]
    notes: list[str]


# Marks


MarkedValue = Annotated[str, Field(min_length=1, max_length=10_000)]


class MarkRequest(Request):
    """The true value of an item, or all of several: `value` or `values`."""

    model_config = ConfigDict(
        json_schema_extra={"oneOf": [{"required": ["value"]}, {"required": ["values"]}]}
    )

    value: MarkedValue | None = Field(
        default=None, description="Claimed by somebody or not.", examples=["bar"]
    )
    values: Annotated[list[MarkedValue], Field(min_length=1, max_length=1000)] | None = Field(
        default=None,
        description="All true values, where several can be true.",
        examples=[["cash", "card"]],
    )

    @model_validator(mode="after")
    def _check_one_is_given(self) -> Self:
        if (self.value is None) == (self.values is None):
            raise ValueError("expected either value or values")
        return self

    @property
    def chosen(self) -> list[str]:
        """The values, one or several."""
        return self.values or [] if self.value is None else [self.value]


class MarkRow(Answer):
    """The values of an item that a person marked as true."""

    item: int | None = Field(description="Number of the item; null if this run has no such item.")
    entity: str
    attribute: str
    values: list[str] = Field(description="One, unless several can be true.")
    updated: str = Field(examples=["2026-01-31T12:00:00.000000+00:00"])


class MarksAnswer(Answer):
    """All marks, the latest first, and how the run does on them."""

    marks: list[MarkRow]
    total: int
    limit: int
    offset: int
    progress: MarksProgress


# The audit


class AuditRequest(Request):
    """How many verdicts to draw in all; more continue the draw."""

    size: int = Field(default=100, ge=1, le=1_000_000)


class AuditNext(Answer):
    """The item of the audit that comes next."""

    item: int = Field(description="Its number.")
    number: int = Field(description="Its number in the draw, from 1.")
    entity: str
    attribute: str


class AuditLimit(Answer):
    """What the audit guarantees at an error rate and a confidence."""

    error_rate: Probability
    confidence: Probability
    n_accepted: int = Field(description="Verdicts that can be accepted.")
    share: Probability = Field(description="Their share of all that can be audited.")
    n_more: int = Field(description="Audits that a longer list needs at least, if none is wrong.")


class AuditAnswer(Answer):
    """How far the audit is, and what it carries."""

    seed: int | None = Field(description="Of the random order; null if nothing is drawn.")
    n_items: int = Field(description="Verdicts that can be audited.")
    n_drawn: int
    n_marked: int = Field(description="Drawn items that are marked.")
    n_skipped: int = Field(description="Drawn items that were skipped; they count as wrong.")
    n_wrong: int = Field(description="Marked items with another verdict than their mark.")
    n_counted: int = Field(description="The first of the draw, up to the first that is open.")
    n_new: int = Field(description="Items of the order that are new since the draw.")
    n_open: int = Field(description="Drawn items that are neither marked nor skipped.")
    next: AuditNext | None
    limits: list[AuditLimit]
    sentence: str = Field(examples=["62 of 100; 3 wrong so far; ..."])
    cautions: list[str] = Field(description="What keeps audits from counting.")
    writable: bool


# The refit


class RefitAnswer(Answer):
    """The refit of the run with its marks as known truth."""

    status: Literal["idle", "running", "done", "failed", "cancelled"]
    stage: str | None = Field(description="What is being done.", examples=["fitting"])
    step: int | None = Field(description="The number of the stage, from 1.")
    n_steps: int
    seconds: float = Field(description="How long it takes or took.")
    message: str = Field(description="How the last one ended.")
    n_marks: int
    why_not: str | None = Field(description="Why none can be started, if so.")
    caution: str | None = Field(description="What is lost by it, if anything.")


class HealthAnswer(Answer):
    """The server runs."""

    status: Literal["ok"]


class ReadyAnswer(Answer):
    """The run is loaded."""

    status: Literal["ready"]
