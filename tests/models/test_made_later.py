"""Tables that are made when somebody asks are those that would have been made at once."""

from __future__ import annotations

import pickle
from copy import copy

import pytest

from veracity import GRBM, Claims, MajorityVote
from veracity.models.base import TruthModel

CLAIMS = {
    "source": [f"s{i % 7}" for i in range(210)],
    "entity": [f"e{i // 7}" for i in range(210)],
    "value": ["abc"[(i * i // 3 + i // 7) % 3] for i in range(210)],
}
OTHERS = {"source": ["s1", "new"], "entity": ["e1", "e99"], "value": ["a", "b"]}


@pytest.mark.parametrize("model", [MajorityVote(), GRBM()], ids=["vote", "grbm"])
def test_what_happens_before_somebody_asks_changes_nothing(model: TruthModel) -> None:
    claims = Claims.from_frame(CLAIMS)
    model.fit(claims)
    at_once = copy(model)
    sources, statements = at_once.sources_.to_arrow(), at_once.statements_.to_arrow()
    model.predict(OTHERS)
    later = pickle.loads(pickle.dumps(model))
    for one in (model, later):
        assert one.sources_.to_arrow().equals(sources)
        assert one.statements_.to_arrow().equals(statements)
        assert one.confusions_ is not None
        assert at_once.confusions_ is not None
        assert one.confusions_.to_arrow().equals(at_once.confusions_.to_arrow())


def test_a_second_fit_replaces_what_nobody_asked_for() -> None:
    model = MajorityVote().fit(CLAIMS)
    model.fit(OTHERS)
    assert model.sources_["source"].to_pylist() == ["new", "s1"]
    assert model.confusions_ is None
