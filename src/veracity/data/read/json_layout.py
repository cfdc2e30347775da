"""How a JSON file is laid out: as an array of objects, or with one object per line."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Literal

import pyarrow as pa

from veracity.errors import InputError

JsonLayout = Literal["array", "newline_delimited"]
#: How many bytes are looked at in search of the first sign.
START = 1 << 16
#: What a file may begin with before it says anything.
BLANK = b"\xef\xbb\xbf \t\r\n"


def json_layout(paths: Sequence[Path]) -> JsonLayout:
    """Find out how JSON files are laid out, by the sign that they begin with."""
    found = {path: _layout_of(path) for path in paths}
    layouts = set(found.values())
    if len(layouts) > 1:
        array = next(path for path, layout in found.items() if layout == "array")
        lines = next(path for path, layout in found.items() if layout != "array")
        raise InputError(
            f"{array} holds an array of objects, but {lines} has one object per line. Files that "
            "are read together need the same layout."
        )
    return layouts.pop()


def _layout_of(path: Path) -> JsonLayout:
    try:
        with pa.input_stream(str(path)) as stream:
            start = stream.read(START)
    except OSError:  # said where the file is read
        return "newline_delimited"
    return "array" if start.lstrip(BLANK).startswith(b"[") else "newline_delimited"
