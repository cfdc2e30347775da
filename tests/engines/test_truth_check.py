"""Given truth whose values or entities do not occur among the claims."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from veracity import Attribute, Claims, GroundTruth
from veracity.data.truth.known import KnownTruth
from veracity.data.truth.spelling_notes import TO_KEEP, TO_MEASURE, Purpose
from veracity.engines.truth_check import check_truth
from veracity.errors import InputError

Word = Callable[[int], str]
N_ENTITIES, N_KNOWN = 30, 12


def claims_of(word: Word, **options: Any) -> Claims:
    """Return claims of three sources about many entities, of which the last is often wrong."""
    rows = [
        (source, f"e{number}", "a", word(number + 1 if source == "cy" and number % 2 else number))
        for number in range(N_ENTITIES)
        for source in ("ann", "bob", "cy")
    ]
    return Claims.from_triples(rows, **options)


def truth_of(word: Word, entity: Word = "e{}".format, size: int = N_KNOWN) -> GroundTruth:
    numbers = range(size)
    columns = {"entity": [*map(entity, numbers)], "value": [*map(word, numbers)]}
    return GroundTruth.from_frame({**columns, "attribute": ["a"] * size})


def refusal(truth: GroundTruth, claims: Claims, purpose: Purpose = TO_KEEP) -> str:
    with pytest.raises(InputError) as caught:
        check_truth(truth, claims, purpose)
    return str(caught.value)


def notes(truth: GroundTruth, claims: Claims, purpose: Purpose = TO_KEEP) -> list[str]:
    found = check_truth(truth, claims, purpose).notes
    assert {note.subject for note in found} <= {purpose.name}
    return [note.text for note in found]


def mood(number: int) -> str:
    return "positive" if number % 3 else "negative"


def town(number: int) -> str:
    return f"Town {number}"


def switch(number: int) -> str:
    return "true" if number % 2 else "false"


def stars(number: int) -> str:
    return str(1 + number % 4)


def day(number: int) -> str:
    return f"2006-01-{number % 28 + 1:02d}"


def spoken_day(number: int) -> str:
    return f"{number % 28 + 1} January 2006"


def grouped(number: int) -> str:
    return f"{1000 + number:,}"


# No value occurs


@pytest.mark.parametrize(
    ("claimed", "given", "meant", "options"),
    [
        (mood, lambda n: mood(n).title(), "'positive'? --casefold", {"casefold": True}),
        (mood, lambda n: f" {mood(n)}", "'positive'? --strip ignores", {"strip": True}),
        (
            mood,
            lambda n: f"{mood(n).upper()} ",
            "'positive'? --strip and --casefold",
            {"strip": True, "casefold": True},
        ),
        (stars, lambda n: f"{stars(n)}.0", "'1'? --compare a=decimal", {"values": "decimal"}),
        (switch, lambda n: switch(n).title(), "'false'? --casefold", {"casefold": True}),
        (town, lambda n: town(n).upper(), "'Town 0'? --casefold", {"casefold": True}),
        (day, spoken_day, "'2006-01-01'? --compare a=date", {"values": "date"}),
        (grouped, lambda n: f"{1000 + n}", "'1,000'? --compare a=number", {"values": "number"}),
    ],
)
def test_the_option_that_is_named_makes_all_values_match(
    claimed: Word, given: Word, meant: str, options: dict[str, Any]
) -> None:
    truth = truth_of(given)
    for purpose in (TO_KEEP, TO_MEASURE):
        said = refusal(truth, claims_of(claimed), purpose)
        assert said.startswith(f"No {purpose.value} of 'a' ")
        assert f" Did you mean {meant}" in said
    attribute = Attribute(values=options.pop("values", None))
    heeded = claims_of(claimed, attributes={"a": attribute}, **options)
    assert notes(truth, heeded) == []
    assert KnownTruth.of(truth, heeded).unclaimed.num_rows == 0


def test_the_words_of_the_error() -> None:
    assert refusal(truth_of(lambda n: mood(n).title()), claims_of(mood)) == (
        "No known value of 'a' occurs among its claims: 'Positive', 'Negative'. Did you mean "
        "'positive'? --casefold ignores case."
    )


def test_without_a_respelling_the_claimed_values_are_shown() -> None:
    said = refusal(truth_of(lambda n: "good" if n % 3 else "bad"), claims_of(mood))
    assert said == (
        "No known value of 'a' occurs among its claims: 'good', 'bad'. The claims say 'negative', "
        "'positive'. Write the values alike or, if they are right, allow others (--domain a=open)."
    )
    allowed = claims_of(mood, attributes={"a": Attribute(domain="open")})
    assert notes(truth_of(lambda n: "good"), allowed) == []


def test_the_nearest_value_is_offered() -> None:
    assert "Did you mean 'positive'? The claims" in refusal(
        truth_of(lambda n: "positve", size=1), claims_of(mood)
    )


@pytest.mark.parametrize("words", [("no", "yes"), ("0", "1"), ("F", "T")])
def test_another_word_for_yes_is_not_taken_for_no(words: tuple[str, str]) -> None:
    said = refusal(truth_of(lambda n: words[n % 2]), claims_of(switch))
    assert "Did you mean 'false'? The claims say 'false', 'true'. Write the values alike." in said


def test_dates_that_cannot_be_read_are_refused() -> None:
    dates = claims_of(day, attributes={"a": Attribute(values="date")})
    said = refusal(truth_of(lambda n: f"{n % 10 + 1:02d}/12/2006"), dates)
    assert said.endswith("'01/12/2006' cannot be read as a date.")


# Some values do not occur


def test_some_values_of_a_closed_domain_do_not_occur() -> None:
    truth = truth_of(lambda n: mood(n).title() if n < 4 else mood(n))
    found = check_truth(truth, claims_of(mood), TO_KEEP)
    assert [(note.subject, note.count, note.text) for note in found.notes] == [
        (
            "known truth",
            4,
            "Check the known truth: 4 of the 12 known values of 'a' do not occur among its claims, "
            "such as 'Negative' of 'e0'. Did you mean 'negative'? --casefold ignores case. As it "
            "is, this counts against every claim about these items.",
        )
    ]
    assert sorted(found.told)[1] == ("e1", "a", "Positive")
    (said,) = notes(truth, claims_of(mood), TO_MEASURE)
    assert said.startswith("Check the truth: 4 of the 12 true values of 'a' do not occur")
    assert said.endswith("As it is, no verdict on these items can be right.")


def test_values_of_a_closed_domain_need_no_claim_about_the_item() -> None:
    everybody = claims_of(lambda n: "positive" if n < 20 else "negative")
    assert notes(truth_of(lambda n: "negative"), everybody) == []


def test_a_value_of_an_item_without_claims_shows_that_the_spelling_is_right() -> None:
    truth = truth_of(lambda n: "neutral" if n else "positive", lambda n: f"e{n}" if n else "x", 3)
    (said,) = notes(truth, claims_of(mood))
    assert "2 of the 2 known values of 'a' do not occur among its claims" in said


def test_a_few_corrections_of_spelling_are_kept_and_noted() -> None:
    truth = truth_of(lambda n: town(n).upper(), size=4)
    (said,) = notes(truth, claims_of(town))
    assert "4 of the 4 known values of 'a' are claimed in another spelling only" in said
    assert said.count("Did you mean 'Town 0'? --casefold ignores case.") == 1


def test_values_of_an_open_domain_may_be_new() -> None:
    truth = truth_of("Village {}".format)
    assert notes(truth, claims_of(town)) == []  # the notes on the match tell of them
    (said,) = notes(truth, claims_of(town), TO_MEASURE)
    assert said.startswith("Check the truth: nobody claims any of the 12 true values of 'a' about")


def test_numbers_need_not_be_claimed() -> None:
    claims = claims_of(lambda n: f"{n}.25")
    truth = truth_of(lambda n: f"{n}.5")
    (said,) = notes(truth, claims, TO_MEASURE)
    assert "If they are numbers: --compare a=number." in said
    declared = claims_of(lambda n: f"{n}.25", attributes={"a": Attribute(values="number")})
    assert notes(truth, declared, TO_MEASURE) == []


def test_one_of_several_true_spellings_will_do() -> None:
    rows = truth_of(town).to_arrow().to_pylist()
    both = [*rows, *({**row, "value": row["value"].upper()} for row in rows)]
    columns = {name: [row[name] for row in both] for name in ("entity", "attribute", "value")}
    assert notes(GroundTruth.from_frame(columns), claims_of(town), TO_MEASURE) == []


def test_the_only_word_that_is_claimed_leaves_its_opposite_open() -> None:
    claims = claims_of(lambda n: "fit", attributes={"a": Attribute("boolean")})
    assert notes(truth_of(lambda n: "unfit" if n % 2 else "fit"), claims) == []
    (said,) = notes(truth_of(lambda n: "FIT" if n % 2 else "fit"), claims)
    assert "6 of the 12 known values of 'a' are claimed in another spelling only" in said


def test_many_attributes_are_summed_up() -> None:
    names = [f"a{number}" for number in range(6)]
    rows = [
        (source, f"e{n}", name, mood(n))
        for source in ("ann", "bob")
        for n in range(N_ENTITIES)
        for name in names
    ]
    given = [(f"e{n}", name, "Positive" if n else mood(n)) for n in range(2) for name in names]
    columns = zip(*given, strict=True)
    frame = dict(zip(("entity", "attribute", "value"), map(list, columns), strict=True))
    said = notes(GroundTruth.from_frame(frame), Claims.from_triples(rows))
    assert len(said) == 4
    assert said[-1] == (
        "Check the known truth: values of 'a3', 'a4', 'a5' do not occur as they are spelled."
    )


# Entities


def test_truth_to_measure_by_has_to_share_an_item() -> None:
    said = refusal(truth_of(mood, "x{}".format), claims_of(mood), TO_MEASURE)
    assert said == (
        "The truth shares no item with the claims: it is about 'x0' ('a'), they are about 'e0' "
        "('a'). Expected the same entities and attributes."
    )


def test_known_truth_about_other_items_is_kept() -> None:
    (said,) = notes(truth_of(mood, "x{}".format), claims_of(mood))
    assert said.startswith("The known truth shares no item with the claims: it is about 'x0'")


@pytest.mark.parametrize("spelled", ["E{}", " e{}", "e{} "])
def test_entities_in_another_spelling_are_refused(spelled: str) -> None:
    for purpose in (TO_KEEP, TO_MEASURE):
        said = refusal(truth_of(mood, spelled.format), claims_of(mood), purpose)
        assert f"Does {spelled.format(0)!r} mean 'e0'? Entities are compared" in said


def test_numbers_as_entities_may_have_got_a_needless_zero() -> None:
    rows = [(source, n, mood(n)) for n in range(N_ENTITIES) for source in ("ann", "bob")]
    truth = {"entity": [f"{n}.0" for n in range(9)], "value": [mood(n) for n in range(9)]}
    said = refusal(GroundTruth.from_frame(truth), Claims.from_triples(rows))
    assert "Does '0.0' mean '0'?" in said


def test_some_entities_in_another_spelling_are_noted() -> None:
    truth = truth_of(mood, lambda n: f"E{n}" if n < 3 else f"e{n}")
    (said,) = notes(truth, claims_of(mood))
    assert said == (
        "Check the known truth: 3 of its entities have claims in another spelling only. Does 'E0' "
        "mean 'e0'? Entities are compared letter by letter."
    )
