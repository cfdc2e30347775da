"""Which attributes are measurements, and which are facts written in digits."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from veracity import Attribute, Claims

N_ITEMS, N_SOURCES = 60, 8
Draw = Callable[[np.random.Generator], list[list[str]]]


def claims_of(values: list[list[str]], **options: Any) -> Claims:
    """Return claims of values[source][item]."""
    rows = [
        {"source": f"s{s}", "entity": f"e{i}", "attribute": "a", "value": value}
        for s, own in enumerate(values)
        for i, value in enumerate(own)
    ]
    return Claims.from_frame(pa.Table.from_pylist(rows), **options)


def sensors(
    random: np.random.Generator, form: str = "{:.1f}", noise: float = 1.0
) -> list[list[str]]:
    truth = random.normal(20.0, 8.0, N_ITEMS)
    read = truth + random.normal(0.0, noise, (N_SOURCES, N_ITEMS))
    return [[form.format(value) for value in own] for own in read]


def stated(
    random: np.random.Generator, right: float, truth: list[Any], wrong: list[Any]
) -> list[list[str]]:
    """Sources that state a fact, and err by taking any wrong value."""
    knows = random.random((N_SOURCES, N_ITEMS)) < right
    return [
        [str(truth[i] if knows[s, i] else random.choice(wrong)) for i in range(N_ITEMS)]
        for s in range(N_SOURCES)
    ]


def ratings(random: np.random.Generator) -> list[list[str]]:
    truth = random.integers(1, 6, N_ITEMS)
    said = np.clip(truth + random.integers(-1, 2, (N_SOURCES, N_ITEMS)), 1, 5)
    return [[str(value) for value in own] for own in said]


def years(random: np.random.Generator) -> list[list[str]]:
    truth = random.integers(1950, 2024, N_ITEMS)
    off = random.choice([0, 0, 0, 1, -1, 10], (N_SOURCES, N_ITEMS))
    return [[str(value) for value in own] for own in truth + off]


def class_codes(random: np.random.Generator) -> list[list[str]]:
    codes = list(range(100, 140))
    return stated(random, 0.4, random.choice(codes, N_ITEMS).tolist(), codes)


def zip_codes(random: np.random.Generator) -> list[list[str]]:
    codes = [f"{code:05d}" for code in random.integers(1000, 99999, 300)]
    return stated(random, 0.5, codes[:N_ITEMS], codes)


def phone_numbers(random: np.random.Generator) -> list[list[str]]:
    numbers = [str(number) for number in random.integers(2_000_000_000, 9_999_999_999, 300)]
    return stated(random, 0.5, numbers[:N_ITEMS], numbers)


def own_ids(random: np.random.Generator) -> list[list[str]]:
    """Each source numbers the same list in order, with gaps of its own."""
    return [
        [str(value) for value in np.cumsum(random.integers(1, 3, N_ITEMS)) + 1000]
        for _ in range(N_SOURCES)
    ]


def random_ids(random: np.random.Generator) -> list[list[str]]:
    return [[str(v) for v in random.integers(1, 10**6, N_ITEMS)] for _ in range(N_SOURCES)]


@pytest.mark.parametrize("form", ["{:.1f}", "{:.3f}", "{:+.2f}", "{:,.2f}"])
@pytest.mark.parametrize("seed", range(3))
def test_sensors_are_recognised(form: str, seed: int) -> None:
    claims = claims_of(sensors(np.random.default_rng(seed), form))
    (profile,) = claims.attributes
    assert profile.form == "number"
    assert profile.kind == "single"
    assert "two sources say the same only" in profile.numeric_reason
    (note,) = [note for note in claims.notes if "judged as a number" in note.text]
    assert "--compare a=text" in note.text


@pytest.mark.parametrize(
    "draw",
    [ratings, years, class_codes, zip_codes, phone_numbers, own_ids, random_ids],
)
@pytest.mark.parametrize("seed", range(5))
def test_facts_in_digits_are_not(draw: Draw, seed: int) -> None:
    (profile,) = claims_of(draw(np.random.default_rng(seed))).attributes
    assert profile.form == "value"
    assert profile.numeric_reason == ""


def test_what_the_user_says_decides() -> None:
    measured = sensors(np.random.default_rng(0))
    asked = {"a": Attribute(values="text")}
    assert claims_of(measured, attributes=asked).attributes[0].form == "value"
    assert claims_of(measured, attributes={"*": asked["a"]}).attributes[0].form == "value"
    assert claims_of(measured, attributes={"a": "multiple"}).attributes[0].form == "value"
    said = claims_of(years(np.random.default_rng(0)), attributes={"a": Attribute(values="number")})
    assert said.attributes[0].form == "number"
    assert said.attributes[0].numeric_reason == "as you said"


def test_coarse_rounding_is_doubted_and_said() -> None:
    claims = claims_of(sensors(np.random.default_rng(0), "{:.0f}"))
    assert claims.attributes[0].form == "value"
    (note,) = [note for note in claims.notes if "--compare a=number" in note.text]
    assert "often agree on exactly" in note.text


def test_few_claims_tell_nothing() -> None:
    measured = [own[:4] for own in sensors(np.random.default_rng(0))]
    assert claims_of(measured).attributes[0].form == "value"


def test_some_words_among_numbers_are_counted_and_shown() -> None:
    measured = sensors(np.random.default_rng(0))
    measured[0][3] = "out of order"
    measured[1][7] = "-"
    claims = claims_of(measured)
    assert claims.attributes[0].form == "number"
    (note,) = [note for note in claims.notes if "cannot be read as a number" in note.text]
    assert note.count == 2
    assert "'-'" in note.text
    too_many = [["?" if i % 10 == 0 else value for i, value in enumerate(own)] for own in measured]
    assert claims_of(too_many).attributes[0].form == "value"


def test_claims_are_read_again_as_they_were() -> None:
    """A later batch, too small to tell, is read as the run says."""
    from veracity.data.read.settings import declared_attributes

    claims = claims_of(sensors(np.random.default_rng(0)))
    described = {
        "settings": claims.settings.as_dict(),
        "attributes": [profile.as_dict() for profile in claims.attributes],
    }
    batch = claims_of([["1.5"], ["1.50"]], attributes=declared_attributes(described))
    assert batch.attributes[0].form == "number"
    assert batch.attributes[0].numeric_reason == claims.attributes[0].numeric_reason
    assert batch.matrix.n_statements == 1


def test_a_source_with_a_decimal_comma_is_read() -> None:
    measured = sensors(np.random.default_rng(0))
    measured[2] = [value.replace(".", ",") for value in measured[2]]
    claims = claims_of(measured)
    assert claims.attributes[0].form == "number"
    assert not [note for note in claims.notes if "cannot be read" in note.text]
    assert np.isfinite(claims.numbers).all()
    assert np.abs(claims.numbers).max() < 100
