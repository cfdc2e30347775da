"""Read one file, and say whether it came to an end that we meant."""

from __future__ import annotations

import tempfile
import traceback
import zlib
from contextlib import suppress
from pathlib import Path
from typing import Any

from tests.fuzz_readers.damage import damaged_run_fails

from veracity import Claims
from veracity.data.truth.ground_truth import GroundTruth
from veracity.errors import VeracityError
from veracity.workflow.formats import clash_notes

#: Ways to read a file of an ending; which one is tried depends on the content.
WAYS: dict[str, tuple[dict[str, Any], ...]] = {
    "csv": (
        {},
        {"ragged": "skip"},
        {"encoding": "utf-16"},
        {"encoding": "latin-1", "ragged": "skip"},
        {"encoding": "utf-7"},
        {"delimiter": ";"},
        {"shape": "records", "key": "entity", "source": "source"},
        {"shape": "wide"},
        {"duplicates": "all"},
    ),
    "jsonl": (
        {},
        {"shape": "records", "key": "entity", "source": "source"},
        {"shape": "wide"},
        {"duplicates": "all"},
    ),
}
TYPED: tuple[dict[str, Any], ...] = (
    {},
    {"hive": False, "shape": "records", "key": "entity", "source": "source"},
    {"shape": "wide", "item": "entity"},
)
#: Endings that are read in the same ways as another.
ENDINGS_LIKE = {"tsv": "csv", "csv.gz": "csv", "csv.zst": "csv", "json": "jsonl"}
ENDINGS_LIKE |= {"jsonl.gz": "jsonl", "jsonl.zst": "jsonl"}


def way_of(ending: str, content: bytes) -> dict[str, Any]:
    """Return the options with which a file is read."""
    ways = WAYS.get(ENDINGS_LIKE.get(ending, ending), TYPED)
    return ways[zlib.crc32(content) % len(ways)]


def read(path: Path, options: dict[str, Any]) -> Claims | None:
    """Read a file as claims and as truth, and look at what was read; None where it is refused."""
    with suppress(VeracityError):
        GroundTruth.read(path)
    try:
        claims: Claims = Claims.read(path, **options)
        clash_notes(claims.found_clashes)
        _ = claims.matrix, claims.notes, claims.features, repr(claims)
    except VeracityError:
        return None
    return claims


def failure(ending: str, content: bytes) -> str | None:
    """Return what went wrong in a way that nobody meant, and where; or None.

    An ending such as ``out:run.json`` stands for a file in the folder of a run.
    """
    if ending.startswith("out:"):
        return damaged_run_fails(ending.removeprefix("out:"), content)
    with tempfile.TemporaryDirectory(prefix="veracity-fuzz-") as folder:
        path = Path(folder) / f"claims.{ending}"
        path.write_bytes(content)
        try:
            read(path, {})
            read(path, way_of(ending, content))
        except Exception as error:
            place = traceback.extract_tb(error.__traceback__)[-1]
            for frame in traceback.extract_tb(error.__traceback__):
                if "veracity" in Path(frame.filename).parts:
                    place = frame
            where = f"{Path(place.filename).name}:{place.name}"
            return f"{type(error).__name__} in {where}: {str(error).splitlines()[:1]}"[:200]
    return None


def signature(why: str) -> str:
    """Return what failures of one cause have in common."""
    words = why.split(": ")
    return ": ".join(words[: 1 if " in " in words[0] else 3])[:100]
