"""A run that was damaged is named as such, whatever is wrong with whichever file."""

from __future__ import annotations

import io
import json
import shutil
from collections.abc import Iterator
from itertools import cycle
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from veracity import discover
from veracity.cli.app import run

CLAIMS = {
    "source": ["ann", "bob", "cat"] * 4,
    "entity": [entity for entity in "abcd" for _ in range(3)],
    "value": ["x", "x", "y", "y", "x", "y", "z", "z", "x", "x", "y", "z"],
}
COMMANDS = (("report", "OUT"), ("explain", "OUT", "a"), ("update", "OUT", "NEW"))
FILES = (
    *("claims.parquet", "model.json", "model.safetensors", "run.json"),
    *("sources.parquet", "statements.parquet", "truths.parquet"),
)
OURS = 1


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of a small run."""
    folder = tmp_path_factory.mktemp("whole") / "out"
    discover(CLAIMS).save(folder)
    return folder


def damages(path: Path) -> Iterator[tuple[str, bytes | None]]:
    """Return what may have become of a file, and a name for it."""
    content = path.read_bytes()
    yield "deleted", None
    yield "emptied", b""
    yield "cut", content[: len(content) // 2]
    yield "overwritten", b"\x00\xff\xfe" * 20
    if path.suffix == ".json":
        described = json.loads(content)
        others: list[object] = [[], {}, None, 3, {**described, "format": 99}]
        for other in others:
            yield f"is {other}"[:30], json.dumps(other).encode()
        for name in described:
            rest = {key: part for key, part in described.items() if key != name}
            yield f"without {name}", json.dumps(rest).encode()
            yield f"{name} is null", json.dumps({**rest, name: None}).encode()
            yield f"{name} is 3", json.dumps({**rest, name: 3}).encode()
    if path.suffix == ".parquet":
        table = pq.ParquetFile(path).read()
        for name in table.column_names:
            yield f"without {name}", _parquet(table.drop_columns([name]))
        yield "without rows", _parquet(table.slice(0, 0))


def _parquet(table: object) -> bytes:
    sink = io.BytesIO()
    pq.write_table(table, sink)
    return sink.getvalue()


@pytest.mark.slow
@pytest.mark.parametrize("name", FILES)
def test_no_damage_is_taken_for_a_fault_of_ours(
    whole: Path, tmp_path: Path, name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    new = tmp_path / "new.csv"
    new.write_text("source,entity,value\nann,z,x\n")
    for (kind, content), command in zip(damages(whole / name), cycle(COMMANDS), strict=False):
        folder = tmp_path / "run"
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(whole, folder)
        (folder / name).unlink()
        if content is not None:
            (folder / name).write_bytes(content)
        places = {"OUT": str(folder), "NEW": str(new)}
        code = run([places.get(word, word) for word in command])
        assert code != OURS, f"{name} {kind}, {command[0]}: {capsys.readouterr().err}"
