"""Whichever change of a file fails, what is there is the old or the new, and whole."""

from __future__ import annotations

import os

import pytest
from tests.faults.actions import ACTIONS
from tests.faults.conftest import Tried

#: Places that are tried of each action; set FAULTS to try more.
MOST = int(os.environ.get("FAULTS", "2"))
#: Random moments at which each action is killed; `make torture` tries 20.
KILLS = int(os.environ.get("KILLS", "1"))


@pytest.mark.parametrize("how", ["error", "full", "kill"])
@pytest.mark.parametrize("action", ACTIONS)
def test_old_or_new_but_whole(tried: Tried, action: str, how: str) -> None:
    found = tried(action, how, MOST)
    assert found["tried"] >= min(MOST, found["changes"]) // 2 > 0
    assert found["problems"] == []


@pytest.mark.parametrize("action", ACTIONS)
def test_a_kill_at_any_moment_leaves_old_or_new(tried: Tried, action: str) -> None:
    found = tried(action, "time", KILLS)
    assert found["tried"] == KILLS
    assert found["problems"] == []
