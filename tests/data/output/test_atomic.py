"""Files that are written whole or not at all."""

from __future__ import annotations

import os
from pathlib import Path

from veracity.data.output.atomic import UNFINISHED, YOUNG, write_whole


def test_what_a_killed_process_left_is_removed_by_the_next_write(tmp_path: Path) -> None:
    old, young = (tmp_path / f".a[1].csv.{name}{UNFINISHED}" for name in ("old", "young"))
    other = tmp_path / f".a1.csv.other{UNFINISHED}"
    for path in (old, young, other):
        path.write_text("half")
    for path in (old, other):
        long_ago = path.stat().st_mtime - 2 * YOUNG
        os.utime(path, (long_ago, long_ago))
    write_whole(tmp_path / "a[1].csv", "whole")
    assert (tmp_path / "a[1].csv").read_text() == "whole"
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(
        [young.name, other.name, "a[1].csv"]
    )
