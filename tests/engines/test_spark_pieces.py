"""The parts of the Spark engine that need no cluster."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from functools import reduce
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa
import pytest
from tests.spark_cluster import has_java

from veracity.data.read.frames import is_on_spark
from veracity.data.read.workbench import DuckDialect
from veracity.engines.spark import packing, session, sharding
from veracity.engines.spark.failures import clear_errors
from veracity.engines.spark.files import BlockFiles, remove
from veracity.engines.spark.packing import drained, gathered, packed, unpacked
from veracity.engines.spark.session import zipped_package
from veracity.engines.spark.sharding import cut, joined, n_shards
from veracity.engines.spark.sql import SparkDialect, java_form, type_name
from veracity.engines.sums import Largest, Scattered, Sums, add
from veracity.errors import InvalidParameter, MissingDependency, VeracityError


def _table(batches: Any) -> list[pa.RecordBatch]:
    """Put rows into one batch, as Spark may hand them over."""
    whole: list[pa.RecordBatch] = pa.Table.from_batches(batches).combine_chunks().to_batches()
    return whole


def test_objects_come_back_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(packing, "PIECE", 1000)
    held = {"numbers": np.arange(2000.0), "text": pa.array(["a", None]), "name": "ann"}
    rows = [*packed(held, 3), *packed(["other"], 4, part=1)]
    assert len(rows) > 16
    (part, block, first), (other_part, other_block, second) = unpacked(_table(rows))
    assert (part, block, other_part, other_block) == (0, 3, 1, 4)
    np.testing.assert_array_equal(first["numbers"], held["numbers"])
    assert (first["text"].to_pylist(), first["name"], second) == (["a", None], "ann", ["other"])


def test_arrays_that_come_back_can_be_written_to() -> None:
    ((_, _, numbers),) = unpacked(packed(np.zeros(3), 0))
    numbers += 1
    assert numbers.tolist() == [1, 1, 1]


def test_the_memory_of_rows_goes_as_they_are_read() -> None:
    before = pa.total_allocated_bytes()
    pieces = [packed(np.zeros(200_000), 0, part) for part in range(4)]
    rows = drained(pa.Table.from_batches(batch for piece in pieces for batch in piece))
    held = []
    for _ in unpacked(rows):
        held.append(pa.total_allocated_bytes() - before)
    assert len(held) == 4
    assert held[0] > 3 * 1_600_000
    assert held[3] < 1_600_000


def test_blocks_in_files_come_back_until_they_are_removed(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("SPARK_LOCAL_DIRS", f"{tmp_path},/elsewhere")
    one, other = BlockFiles(), BlockFiles()
    ((_, _, whole),) = gathered(packed({"numbers": np.arange(5.0)}, 7))
    assert one.get(7) is None
    one.put(7, whole)
    other.put(7, whole)
    one.put(7, whole)
    held = one.get(7)
    assert held is not None
    held["numbers"] += 1.0  # in this process only
    again = one.get(7)
    assert again is not None
    assert again["numbers"].tolist() == [0.0, 1.0, 2.0, 3.0, 4.0]
    remove([one.key])
    assert one.get(7) is None
    assert other.get(7) is not None


def test_whole_numbers_get_a_sign() -> None:
    table = pa.table({"asserts": pa.array([0, 1], pa.uint8()), "name": ["a", "b"]})
    made = packing.signed(table)
    assert made.schema.types == [pa.int16(), pa.string()]
    assert made.to_pylist() == table.to_pylist()


def test_no_rows_are_no_objects() -> None:
    assert list(unpacked([])) == []


def _sums(rng: np.random.Generator, size: int) -> Sums:
    place = np.sort(rng.choice(size, 40, replace=False))
    return {
        "by_source": Scattered(place, rng.random((40, 2)), size),
        "gradient": rng.random(size),
        "likelihood": float(rng.random()),
        "change": Largest(float(rng.random())),
    }


@pytest.mark.parametrize("shards", [1, 3, 7])
def test_shards_add_up_to_the_whole(monkeypatch: pytest.MonkeyPatch, shards: int) -> None:
    monkeypatch.setattr(sharding, "LEAST_CUT", 50)
    rng = np.random.default_rng(0)
    blocks = [_sums(rng, 100) for _ in range(5)]
    by_shard = zip(*(cut(sums, shards) for sums in blocks), strict=True)
    found = joined([reduce(add, parts) for parts in by_shard])
    expected = reduce(add, blocks)
    np.testing.assert_allclose(
        found["by_source"].everywhere(), expected["by_source"].everywhere(), rtol=1e-14
    )
    np.testing.assert_allclose(found["gradient"], expected["gradient"], rtol=1e-14)
    assert found["likelihood"] == expected["likelihood"]
    assert found["change"] == expected["change"]


def test_a_shard_holds_its_own_places_only(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sharding, "LEAST_CUT", 2)
    sums = {"of": Scattered(np.array([0, 9]), np.array([1.0, 2.0]), 10), "n": 3}
    first, second = cut(sums, 2)
    assert (first["of"].size, first["of"].place.tolist(), first["n"]) == (5, [0], 3)
    assert (second["of"].size, second["of"].place.tolist()) == (5, [4])
    assert "n" not in second


def test_shards_grow_slower_than_blocks() -> None:
    assert [n_shards(n) for n in (1, 33, 10_000)] == [1, 5, 100]


@pytest.mark.parametrize(
    ("form", "java"),
    [
        ("%d/%m/%Y", "d/M/yyyy"),
        ("%Y-%m-%dT%H:%M:%S", "yyyy-M-d'T'H:m:s"),
        ("%d %B %Y, 100%%", "d MMMM yyyy, 100'%'"),
    ],
)
def test_forms_of_times(form: str, java: str) -> None:
    assert java_form(form) == java


def test_a_sign_that_java_does_not_know() -> None:
    with pytest.raises(InvalidParameter, match="does not know %U"):
        java_form("%Y %U")


def test_literals_of_spark() -> None:
    assert SparkDialect().literal("it's a \\ sign") == "'it\\'s a \\\\ sign'"


def test_literals_of_duckdb() -> None:
    text = "it's a \\ sign"
    with duckdb.connect() as connection:
        found = connection.execute(f"SELECT {DuckDialect().literal(text)}").fetchone()
    assert found == (text,)


@pytest.mark.parametrize(
    ("simple", "name"),
    [("string", "VARCHAR"), ("decimal(10,2)", "DECIMAL"), ("int", "INTEGER"), ("double", "DOUBLE")],
)
def test_names_of_types(simple: str, name: str) -> None:
    assert type_name(simple) == name


def test_what_is_no_spark_frame() -> None:
    assert not is_on_spark(pa.table({"a": [1]}))
    assert not is_on_spark("claims.csv")


def test_what_executors_are_sent_can_be_pickled() -> None:
    sums = _sums(np.random.default_rng(1), 60)
    assert pickle.loads(pickle.dumps(sums))["change"] == sums["change"]


def test_the_package_that_is_sent_is_found_in_its_archive(tmp_path: Path) -> None:
    archive = zipped_package(tmp_path)
    code = "import veracity.engines.spark.blocks as found; print(found.__file__)"
    environment = os.environ | {"PYTHONPATH": str(archive)}
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True
    )
    assert done.stdout.startswith(str(archive))


@pytest.mark.parametrize(
    ("home", "reason"), [("/nowhere", "JAVA_HOME, which is /nowhere"), (None, "on the PATH")]
)
def test_no_java(monkeypatch: pytest.MonkeyPatch, home: str | None, reason: str) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    monkeypatch.delenv("JAVA_HOME", raising=False)
    if home is not None:
        monkeypatch.setenv("JAVA_HOME", home)
    with pytest.raises(MissingDependency, match=f"needs Java 17 or newer.*{reason}"):
        session.check_java()


def test_what_is_no_address() -> None:
    with pytest.raises(InvalidParameter, match=r"'host:7077' is not the address.*spark://HOST"):
        session.start("host:7077")


#: In a process of its own, since there is one session in each.
STARTING = """
import os, sys
from veracity.engines.spark import session
from pyspark import SparkConf, SparkContext
print(session._is_local("local[2]"), session._is_local("yarn"), end=" ")
SparkContext._ensure_initialized()
java = SparkContext._jvm.System
own = java.setProperty("spark.master", "spark://far:7077")  # as Spark's files would
print(session._is_local(None), end=" ")
java.setProperty("spark.master", own)
print(session._is_local(None), end=" ")
conf = session.start().sparkContext.getConf()
print(conf.get("spark.master"), *(conf.get(name) for name in session.LOCAL_SETTINGS), end=" ")
print(os.environ["PYSPARK_PYTHON"] == sys.executable)
"""


@pytest.mark.spark
def test_a_session_on_this_machine_has_settings_for_it() -> None:
    if not has_java():
        pytest.skip("needs Java 17")
    environment = {**os.environ, "SPARK_LOCAL_IP": "127.0.0.1"}
    for name in ("MASTER", "PYSPARK_PYTHON"):
        environment.pop(name, None)
    command = [sys.executable, "-c", STARTING]
    done = subprocess.run(command, capture_output=True, text=True, env=environment)
    said = done.stdout.split()
    assert said == ["True", "False", "False", "True", "local[*]", "true", "True"], done.stderr


def test_places_are_sent_as_small_numbers() -> None:
    sums = Scattered(np.arange(1_000), np.ones(1_000), 5_000)
    sent = pickle.dumps(sums, protocol=5)
    assert len(sent) < 12 * 1_000 + 500
    np.testing.assert_array_equal(pickle.loads(sent).everywhere(), sums.everywhere())


def test_modules_of_a_worker_are_set_aside_when_there_are_more() -> None:
    done = subprocess.run([sys.executable, "-c", FREEZING], capture_output=True, text=True)
    assert done.stdout.split() == ["True", "True", "True"], done.stderr


#: In a process of its own, since what is set aside stays so.
FREEZING = """
import gc, sys, types
from veracity.engines.spark.workers import spare_modules
spare_modules()
first = gc.get_freeze_count()
print(first > 1000)
spare_modules()
print(gc.get_freeze_count() <= first)  # no more of them: nothing is set aside
sys.modules["another"] = types.ModuleType("another")
spare_modules()
print(gc.get_freeze_count() > first)
"""


def test_shards_that_are_lost_are_named_as_such() -> None:
    from pyspark.errors import PySparkException

    with pytest.raises(VeracityError, match="both copies of some parameters"), clear_errors():
        raise PySparkException("Checkpoint block rdd_12_3 not found! Either the executor")
    with pytest.raises(PySparkException, match="else"), clear_errors():
        raise PySparkException("something else")
