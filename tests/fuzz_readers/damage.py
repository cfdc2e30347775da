"""Put damaged files into the folder of a run, and see whether commands say so."""

from __future__ import annotations

import contextlib
import io
import shutil
import tempfile
import zlib
from functools import cache
from pathlib import Path

from tests.cli.damaged import COMMANDS, make_run, unsealed

from veracity.cli.app import run as command

#: The files of a run that are read again.
FILES = (
    *("run.json", "model.json", "model.safetensors", "history.sqlite", "marks.sqlite"),
    *("truths.parquet", "statements.parquet", "sources.parquet", "claims.parquet"),
)


@cache
def made_run() -> Path:
    """Make a small run without hashes, so that damage is not found by them."""
    out = make_run(Path(tempfile.mkdtemp(prefix="veracity-fuzz-run-")) / "out")
    unsealed(out)
    return out


def seeds_of_runs() -> dict[str, bytes]:
    """Return the files of a run as they should be, by their ending and name."""
    out = made_run()
    return {f"out:{name}/whole": (out / name).read_bytes() for name in FILES}


def damaged_run_fails(name: str, content: bytes) -> str | None:
    """Return what goes wrong when a file of a run is replaced; None if a command copes."""
    words = COMMANDS[zlib.crc32(content) % len(COMMANDS)]
    with tempfile.TemporaryDirectory(prefix="veracity-fuzz-") as folder:
        out, more = Path(folder) / "out", Path(folder) / "more.csv"
        shutil.copytree(made_run(), out)
        (out / name).write_bytes(content)
        more.write_text("source,entity,value\nzoe,e1,x\nzoe,e99,y\n")
        places = {"OUT": str(out), "MORE": str(more), "PAGE": str(Path(folder) / "page.html")}
        said = io.StringIO()
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(said):
            code = command([places.get(word, word) for word in words])
    if code in (0, 2):
        return None
    return f"{words[0]} exits with {code}: {said.getvalue().strip()[:200]}"
