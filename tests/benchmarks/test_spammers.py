"""The benchmark of spammers draws the crowds it says, and counts the names they are given."""

from __future__ import annotations

from dataclasses import replace

from spammers import KINDS, SETTINGS, count, draw_crowd, rows


def test_a_crowd_has_one_spammer_of_each_kind() -> None:
    said = draw_crowd(SETTINGS[1], 0)
    workers = set(said["source"])
    assert {name for name in workers if not name.startswith("good")} == {f"{k}-0" for k in KINDS}
    assert len(workers) == 15 + len(KINDS)
    constant = {v for s, v in zip(said["source"], said["value"], strict=True) if s == "constant-0"}
    assert len(constant) == 1


def test_names_are_counted_by_kind() -> None:
    setting = replace(SETTINGS[1], n_good=8)
    found = count(setting, "vote", range(2))
    assert found["constant"]["constant"] == 2
    assert found["good"].total() == 16
    *_, row = rows([setting], ["vote"], range(2))
    assert row.startswith("| 50/50 | 170 | vote | 100% |")
    assert row.endswith(" of 16 |")
