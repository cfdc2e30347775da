"""The quick tier of the fuzz of readers: all seeds, and some mutants of each format."""

from __future__ import annotations

import json
import random
import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pytest
from tests.fuzz_readers.damage import FILES, seeds_of_runs
from tests.fuzz_readers.limits import MB, MB_PER_MB, SECONDS, SECONDS_PER_MB
from tests.fuzz_readers.mutants import mutant
from tests.fuzz_readers.seeds import BY_ENDING, HEADER, PLAIN, ROWS, seeds
from tests.fuzz_readers.trial import failure

from veracity import Claims
from veracity.cli.app import run as command
from veracity.errors import InputError

ROOT = Path(__file__).parents[2]
MUTANTS, MUTANTS_OF_RUNS = 16, 4


@pytest.fixture(scope="module")
def corpus() -> dict[str, bytes]:
    return seeds()


@pytest.mark.parametrize("ending", BY_ENDING)
def test_every_seed_is_read_or_refused(ending: str, corpus: dict[str, bytes]) -> None:
    mine = {name: content for name, content in corpus.items() if name.startswith(f"{ending}/")}
    assert len(mine) >= 5
    failed = {name: why for name in mine if (why := failure(ending, mine[name])) is not None}
    assert failed == {}


def test_what_failed_in_a_run_is_told(corpus: dict[str, bytes]) -> None:
    mine = {name: content for name, content in corpus.items() if name.startswith("out:")}
    failed = {n: why for n in mine if (why := failure(n.split("/")[0], mine[n])) is not None}
    assert failed == {}


@pytest.mark.parametrize("ending", BY_ENDING)
def test_mutants_are_read_or_refused(ending: str, corpus: dict[str, bytes]) -> None:
    mine = [content for name, content in corpus.items() if name.startswith(f"{ending}/")]
    draw, failed = random.Random(f"readers {ending}"), []
    for _ in range(MUTANTS):
        content = mutant(draw.choice(mine), draw.choice(mine), draw)
        if (why := failure(ending, content)) is not None:
            failed.append((why, content[:500]))
    assert failed == []


@pytest.mark.parametrize("name", FILES)
def test_commands_cope_with_mutants_of_the_files_of_a_run(name: str) -> None:
    whole, draw, failed = seeds_of_runs()[f"out:{name}/whole"], random.Random(name), []
    for _ in range(MUTANTS_OF_RUNS):
        content = mutant(whole, whole, draw)
        if (why := failure(f"out:{name}", content)) is not None:
            failed.append((why, content[:500]))
    assert failed == []


def test_the_command_line_refuses_with_exit_code_2(
    tmp_path: Path, corpus: dict[str, bytes], capsys: pytest.CaptureFixture[str]
) -> None:
    for ending in BY_ENDING:
        path = tmp_path / f"claims.{ending}"
        path.write_bytes(corpus.get(f"{ending}/cut", b"\0{,"))
        assert command(["inspect", str(path)]) == 2, ending
        assert capsys.readouterr().err.startswith("Error: "), ending


@pytest.mark.skipif(sys.platform != "linux", reason="memory is read from /proc")
def test_large_files_cost_no_more_than_their_size_allows() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "tests.fuzz_readers.limits"],
        capture_output=True,
        text=True,
        cwd=ROOT,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-1000:]
    costs = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(costs) > 10
    largest = 0.0
    for cost in costs:
        largest = max(largest, cost["mb"])  # memory is the most of all so far
        assert cost["seconds"] <= SECONDS + SECONDS_PER_MB * cost["mb"], cost
        assert cost["peak"] <= MB + MB_PER_MB * largest, cost


def test_a_line_that_is_too_long_is_refused_and_not_left_out(tmp_path: Path) -> None:
    path = tmp_path / "long.csv"
    path.write_text(f"{PLAIN}dan,sky,colour,{'x' * 33_000_000}\n{ROWS}")
    with pytest.raises(InputError, match=r"after the first 107 bytes is longer than 16 MB"):
        Claims.read(path)


def test_a_header_of_endless_length_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "wide.csv"
    path.write_text("a," * 600_000)
    with pytest.raises(InputError, match="first line is longer than 1 MB"):
        Claims.read(path)


def test_lines_that_end_in_different_ways_are_named(tmp_path: Path) -> None:
    path = tmp_path / "mixed.csv"
    path.write_bytes(HEADER.encode() + b"a,b,c,d\r\na,b,c,e\ra,b,c,f\n")
    with pytest.raises(InputError, match="lines end in different ways"):
        Claims.read(path)


@pytest.mark.parametrize(
    "times",
    [
        pa.array([2**62, 0], pa.timestamp("s")),
        pa.array([-(2**63), 0], pa.timestamp("us")),
        pa.array([2**62, 0], pa.time64("us")),
        pa.array([-1, 0], pa.time64("ns")),
    ],
)
def test_impossible_times_are_refused_and_reading_goes_on(times: pa.Array) -> None:
    claims = {"source": ["a", "b"], "entity": ["e", "e"], "value": ["x", "y"]}
    with pytest.raises(InputError, match="'time' holds times that no calendar has"):
        Claims.from_frame(pa.table(claims | {"time": times}))
    assert len(Claims.from_frame(claims)) == 2


def test_records_may_hold_cells_of_any_type() -> None:
    table = pa.table(
        {
            "key": ["e", "f"],
            "source": ["a", "b"],
            "nested": [{"x": [1]}, None],
            "raw": [b"\xff", b"ok"],
        }
    )
    claims = Claims.from_records(table, key="key", source="source").to_arrow()
    assert set(claims["value"].to_pylist()) == {"{'x': [1]}", "\\xff", "ok"}
