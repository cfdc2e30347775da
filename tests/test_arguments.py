"""Wrong arguments are refused in our own words, and near names are offered."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import pytest

import veracity
from veracity import GRBM, Claims, MajorityVote, discover
from veracity.arguments import came
from veracity.errors import InputError, InvalidParameter, UnknownArgument

TABLE = {"source": ["a", "b"], "entity": ["x", "x"], "value": ["1", "2"]}
wrong: Any = discover


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: wrong(TABLE, modell="vote"), "discover() has no argument 'modell'; did you mean"),
        (lambda: wrong(TABLE, sorce="a"), "discover() has no argument 'sorce'; did you mean"),
        (lambda: GRBM(feature=[]), "GRBM() has no argument 'feature'; did you mean"),  # type: ignore[call-arg]
        (lambda: Claims.read("x.csv", delimeter=","), "did you mean 'delimiter'?"),  # type: ignore[call-overload]
        (lambda: Claims.from_frame(TABLE, delimiter=","), "Its arguments are: frame, as"),  # type: ignore[call-arg]
        (lambda: veracity.update("x", refitt=True), "did you mean 'refit'?"),
        (lambda: MajorityVote().fit(TABLE, known_truht=None), "did you mean 'known_truth'?"),  # type: ignore[call-arg]
    ],
)
def test_unknown_keywords(call: Callable[[], Any], message: str) -> None:
    with pytest.raises(UnknownArgument) as caught:
        call()
    assert message in str(caught.value)
    assert isinstance(caught.value, TypeError)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: discover(123), "Expected a table.*Got 123, an int, instead."),
        (lambda: discover([("a", "x", "1")]), "Claims.from_triples reads rows"),
        (lambda: MajorityVote().fit(None), "Got None, instead."),
        (lambda: wrong(TABLE, model=42), "model must be the name of a model.*Got 42, an int"),
        (lambda: wrong(TABLE, model=MajorityVote), r"model=MajorityVote\(\)"),
        (lambda: wrong(TABLE, model="vote", truth=[]), r"In the truth: Expected a table.*Got \[\]"),
        (lambda: wrong(TABLE, parameters=["x"]), "parameters must be a mapping"),
        (lambda: wrong(TABLE, error_rate="x"), "error_rate must be a number"),
        (lambda: wrong(TABLE, threads="x"), "threads must be a whole number"),
        (lambda: Claims.read(5), "where must be a path"),  # type: ignore[call-overload]
        (lambda: Claims.from_frame(TABLE, source=5), "source must be the name of a column"),  # type: ignore[arg-type]
        (lambda: Claims.from_frame(TABLE, attributes=5), "attributes must be a mapping"),  # type: ignore[arg-type]
        (lambda: Claims.from_triples(5), "triples must be rows"),  # type: ignore[arg-type]
        (lambda: Claims.from_triples(["abc"]), "Each row of triples must be"),
        (lambda: Claims.from_answers(5), "answers must be a mapping"),  # type: ignore[arg-type]
        (lambda: veracity.load(5), "folder must be a path"),  # type: ignore[arg-type]
        (lambda: veracity.open_run(5), "folder must be a path"),  # type: ignore[arg-type]
    ],
)
def test_wrong_types(call: Callable[[], Any], message: str) -> None:
    with pytest.raises((InputError, InvalidParameter), match=message):
        call()


def test_long_arguments_are_cut() -> None:
    assert came("x" * 100) == f"'{'x' * 38}…, a str"


def test_signatures_stay_as_they_are() -> None:
    assert "model" in inspect.signature(discover).parameters
    assert "features" in inspect.signature(GRBM).parameters
    assert list(inspect.signature(MajorityVote.fit).parameters)[:2] == ["self", "claims"]
