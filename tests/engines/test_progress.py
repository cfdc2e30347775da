"""What a fit that is under way tells those who listen."""

from __future__ import annotations

import logging

import pytest

from veracity import Claims
from veracity.engines.progress import report
from veracity.models import make_model


def test_an_iteration_is_reported(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "veracity")
    report({"iteration": 3.0, "log_likelihood": -12.5, "change": 0.25})
    report({"iteration": 4.0})
    assert caplog.messages == [
        "fitting: iteration 3, log-likelihood -12.5, change 0.25",
        "fitting: iteration 4",
    ]


@pytest.mark.parametrize("name", ["one-coin", "grbm"])
def test_a_fit_reports_its_iterations(name: str, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "veracity")
    triples = [(f"s{i % 5}", f"e{i // 5}", "ab"[i % 3 == 0]) for i in range(60)]
    model = make_model(name).fit(Claims.from_triples(triples))
    assert len(caplog.messages) >= len(model.history_) > 0
    assert "fitting: iteration 1" in caplog.messages[0]


def test_nobody_listens(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.WARNING, "veracity")
    report({"iteration": 1.0})
    assert not caplog.messages
