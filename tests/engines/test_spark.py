"""The Spark engine on a cluster of two executors: the same results, whatever happens to them."""

from __future__ import annotations

import gc
import itertools
import json
import os
import signal
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as compute
import pyarrow.csv as pc
import pyarrow.parquet as pq
import pytest
from pyspark.cloudpickle import register_pickle_by_value, unregister_pickle_by_value
from tests.engines import repeats
from tests.engines.repeats import check_like_memory, repeats_lists_and_numbers
from tests.engines.test_same_everywhere import (
    MODELS,
    ORDER,
    check_same,
    check_same_results,
    fitted,
    fitted_in_memory,
)
from tests.engines.worlds import in_memory, on_executors
from tests.field_records import write_shops
from tests.spark_cluster import executor_processes
from tests.thermometers import thermometers, with_colours

from veracity import GRBM, Claims, GroundTruth
from veracity.cli.app import run
from veracity.data.output.summary import summarise_claims
from veracity.data.read.settings import Settings
from veracity.data.read.tables import FileOptions
from veracity.data.truth.spelling_notes import TO_KEEP
from veracity.engines.base import ClaimsInBlocks
from veracity.engines.checkpoints import Checkpoints
from veracity.engines.spark.blocks import SparkBlocks
from veracity.engines.spark.exchange import SparkExchange
from veracity.engines.spark.files import ENDING
from veracity.engines.spark.read import read_path
from veracity.engines.summary import summarise_blocks
from veracity.engines.truth_check import check_truth
from veracity.errors import InputError, OutputError
from veracity.models import make_model
from veracity.models.base import TruthModel
from veracity.models.grbm.held_out import _count as count_claims
from veracity.models.grbm.labels.labelled_items import _forget as copied
from veracity.models.views.by_class_blocks import _count as count_ballots
from veracity.workflow import discover, open_run

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.spark

#: A pass over a cluster takes its time, however few claims there are. Rounding has not grown after
#: a few passes, so that fits can be compared that are far from their end.
FEW_PASSES = 3
#: Enough passes for something to happen in the midst of them.
PASSES = {"max_iter": 7}


@pytest.fixture(scope="module")
def claims(spark: SparkSession, world: Path) -> ClaimsInBlocks:
    return on_executors(world)


@pytest.fixture(scope="module")
def undisturbed(claims: ClaimsInBlocks) -> TruthModel:
    """Fit a model to which nothing happens."""
    return fitted("one-coin", claims, **PASSES)


@pytest.mark.parametrize("name", MODELS)
def test_results_are_the_same(claims: ClaimsInBlocks, world: Path, name: str) -> None:
    whole = fitted_in_memory(name, world, FEW_PASSES)
    check_same_results(whole, fitted(name, claims, max_iter=FEW_PASSES))


def test_sources_in_parts_are_the_same(
    claims: ClaimsInBlocks, world: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = fitted_in_memory("grbm", world, FEW_PASSES)
    monkeypatch.setattr("veracity.engines.parts.TOGETHER", 13)
    check_same_results(whole, fitted("grbm", claims, max_iter=FEW_PASSES))


def test_terms_are_the_same(claims: ClaimsInBlocks, world: Path) -> None:
    terms: dict[str, Any] = {"confidence": "claim_sure", "domain": "source_kind"}
    terms |= {"features": "always", "max_iter": FEW_PASSES}
    whole, parts = (
        fitted("grbm", held, smooth=["claim_sure"], **terms) for held in (in_memory(world), claims)
    )
    assert isinstance(whole, GRBM)
    assert isinstance(parts, GRBM)
    assert [term.kind for term in parts.fitted_model.terms] == ["domains", "smooth", "confidence"]
    check_same_results(whole, parts)
    assert whole.reliability_by_domain_ is not None
    assert parts.reliability_by_domain_ is not None
    order = [("source", "ascending"), ("domain", "ascending")]
    check_same(whole.reliability_by_domain_, parts.reliability_by_domain_, order)


@pytest.mark.slow
def test_results_are_the_same_on_real_claims(spark: SparkSession, data_folder: Path) -> None:
    path = data_folder / "book_lists" / "claims.csv.gz"
    whole = fitted_in_memory("mle", path, FEW_PASSES)
    claims = on_executors(path, 8_000)
    check_same(whole.statements_, fitted("mle", claims, max_iter=FEW_PASSES).statements_, ORDER)


def test_reading_finds_the_same(claims: ClaimsInBlocks, world: Path) -> None:
    whole = in_memory(world)
    assert len(claims.blocks) > 1
    assert claims.attributes == whole.attributes
    assert [note.text for note in claims.notes] == [note.text for note in whole.notes]
    assert summarise_blocks(claims) == summarise_claims(whole)
    assert claims.describe_origin()[0]["bytes"] == world.stat().st_size


def test_sums_of_many_blocks_are_added_by_executors(
    claims: ClaimsInBlocks, monkeypatch: pytest.MonkeyPatch
) -> None:
    blocks = claims.blocks
    assert isinstance(blocks, SparkBlocks)
    expected = summarise_blocks(claims)
    monkeypatch.setattr(blocks, "_directly", 1)
    monkeypatch.setattr("veracity.engines.spark.blocks.n_shards", lambda n_blocks: 3)
    assert summarise_blocks(claims) == expected


@pytest.mark.parametrize("directly", [1, 32])
def test_a_missing_file_changes_nothing(
    claims: ClaimsInBlocks, monkeypatch: pytest.MonkeyPatch, directly: int
) -> None:
    blocks = claims.blocks.prepare(copied)
    assert isinstance(blocks, SparkBlocks)
    monkeypatch.setattr(blocks, "_directly", directly)
    monkeypatch.setattr("veracity.engines.spark.blocks.n_shards", lambda n_blocks: 3)
    expected = blocks.total(count_claims, claims.n_sources)["n"].everywhere()
    for missing in (False, True, False):
        if missing:
            files = _block_files(blocks)
            assert len(files) == len(blocks)
            files[0].unlink()
        found = blocks.total(count_claims, claims.n_sources)["n"].everywhere()
        np.testing.assert_array_equal(found, expected)
    assert len(_block_files(blocks)) == len(blocks) - 1


def test_files_that_nobody_needs_are_removed(claims: ClaimsInBlocks) -> None:
    first = claims.blocks.prepare(copied)
    assert isinstance(first, SparkBlocks)
    for _ in range(2):
        first.total(count_claims, claims.n_sources)
    assert _block_files(first)
    key = first._files.key
    del first
    gc.collect()
    second = claims.blocks.prepare(copied)
    for _ in range(2):
        second.total(count_claims, claims.n_sources)
    assert not [path for path in _all_block_files() if path.name.startswith(key)]


def _block_files(blocks: SparkBlocks[Any]) -> list[Path]:
    """Return the files of blocks, of all executors."""
    return [path for path in _all_block_files() if path.name.startswith(blocks._files.key)]


def _all_block_files() -> list[Path]:
    return sorted(Path(os.environ["SPARK_LOCAL_DIRS"]).rglob(f"*{ENDING}"))


def test_a_frame_of_the_user(spark: SparkSession, world: Path) -> None:
    """A DataFrame is fitted to and judged where it is; names of the user's are left alone."""
    frame = spark.read.parquet(str(world))
    spark.range(3).createOrReplaceTempView("sources")
    model = make_model("vote").fit(frame)
    whole = make_model("vote").fit(in_memory(world))
    check_same(whole.statements_, model.statements_, ORDER)
    found = model.predict(frame).to_spark(spark)
    assert found.count() == len(whole.truths_)
    assert spark.table("sources").count() == 3


def _csv(folder: Path, rows: dict[str, list[str]], name: str = "claims.csv") -> Path:
    pc.write_csv(pa.table(rows), folder / name)
    return folder / name


def test_named_features_loose_names_and_hints_are_those_of_memory(
    spark: SparkSession, tmp_path: Path
) -> None:
    lines = ["site,isbn,verdict,observed_at,confidence,site_type,topic,row"]
    for place in range(24):
        site, book = place % 4, place // 4
        kind = "shop" if site < 2 else ("" if site == 2 else "library")
        cells = (f"s{site}", f"b{book}", "xyz"[place % 3], f"2024-01-{1 + place:02}")
        lines.append(
            ",".join([*cells, f"{0.1 + place / 50:.2f}", kind, "ab"[book > 2], str(place)])
        )
    (tmp_path / "claims.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    options: Any = {"features": {"topic": "source"}}
    whole = Claims.read(tmp_path / "claims.csv", **options)
    frame = spark.read.option("header", True).csv(str(tmp_path / "claims.csv"))
    parts = Claims.from_spark(frame, **options)
    assert whole.columns.roles["time"] == "observed_at"
    assert whole.columns.informative == {"confidence": "claim", "site_type": "source"}
    assert parts.columns == whole.columns
    assert parts.feature_types == whole.feature_types == {"source_topic": "category"}
    assert [note.text for note in parts.notes] == [note.text for note in whole.notes]


def test_the_latest_row_of_several_files_counts(spark: SparkSession, tmp_path: Path) -> None:
    """Rows are in the order of the files, however Spark deals them out."""
    folder = tmp_path / "claims"
    folder.mkdir()
    for number in range(3):  # the last is the shortest, and Spark reads long ones first
        entities = [f"e{row}" for row in range(60 - 20 * number)]
        sources = ["ann"] * len(entities)
        rows = {"source": sources, "entity": entities, "value": [f"said {number}"] * len(entities)}
        _csv(folder, rows, f"{number}.csv")
    there = make_model("vote").fit(
        read_path(spark, str(folder), FileOptions(), Settings(strip=True, duplicates="latest"))
    )
    here = make_model("vote").fit(Claims.read(folder, strip=True, duplicates="latest"))
    check_same(here.truths_, there.truths_, ORDER)
    assert [note.text for note in there.notes_] == [note.text for note in here.notes_]


@pytest.mark.parametrize("ordered", [False, True])
def test_repeats_lists_and_numbers_are_those_of_memory(
    spark: SparkSession, tmp_path: Path, ordered: bool
) -> None:
    path = _csv(tmp_path, repeats_lists_and_numbers(ordered))
    there = read_path(spark, str(path), FileOptions(), Settings(), claims_per_block=100)
    register_pickle_by_value(repeats)  # type: ignore[no-untyped-call]  # not on executors
    check_like_memory(there, Claims.read(path))
    unregister_pickle_by_value(repeats)  # type: ignore[no-untyped-call]


def test_measurements_are_recognised_and_judged_as_in_memory(
    spark: SparkSession, tmp_path: Path
) -> None:
    path = tmp_path / "claims.csv"
    pc.write_csv(with_colours(thermometers()[0]), path)
    there = read_path(spark, str(path), FileOptions(), Settings(), claims_per_block=400)
    here = Claims.read(path)
    assert [profile.form for profile in there.attributes] == ["value", "number"]
    assert there.attributes == here.attributes
    assert [note.text for note in there.notes] == [note.text for note in here.notes]
    fitted_here, fitted_there = (GRBM(max_iter=FEW_PASSES).fit(claims) for claims in (here, there))
    expected = {row["entity"]: row for row in fitted_here.truths_.to_pylist() if row["low"]}
    found = {row["entity"]: row for row in fitted_there.truths_.to_pylist() if row["low"]}
    assert found.keys() == expected.keys()
    for entity, row in found.items():
        assert float(row["value"]) == pytest.approx(float(expected[entity]["value"]), abs=1e-6)
        assert row["low"] == pytest.approx(expected[entity]["low"], abs=1e-6)


def test_fields_are_read_as_in_memory(spark: SparkSession, tmp_path: Path) -> None:
    path = write_shops(tmp_path / "shops.csv")
    settings = Settings(fields="auto")
    there = read_path(spark, str(path), FileOptions(), settings, claims_per_block=100)
    here = Claims.read(path, fields="auto")
    assert there.settings.attributes == here.settings.attributes
    assert [note.text for note in there.notes] == [note.text for note in here.notes]
    fitted_there, fitted_here = (make_model("vote").fit(claims) for claims in (there, here))
    check_same(fitted_here.truths_, fitted_there.truths_, ORDER)


def test_ragged_rows_are_named(spark: SparkSession, tmp_path: Path) -> None:
    path = tmp_path / "claims.csv"
    path.write_text("source,entity,value\nann,sky,blue\nbob,sky\ncat,sky,grey\n")
    with pytest.raises(InputError, match=r"1 row without exactly 3 cells \(row 2: 'bob,sky'\)"):
        read_path(spark, str(path), FileOptions(), Settings())


def test_what_an_executor_refuses_is_said_as_here(spark: SparkSession, tmp_path: Path) -> None:
    rows = {"source": ["ann", "ann"], "entity": ["sky", "sky"], "value": ["blue", "grey"]}
    path = _csv(tmp_path, rows)
    with pytest.raises(InputError, match="ann") as here:
        Claims.read(path, duplicates="error", attributes={"*": "single"}).matrix  # noqa: B018
    settings = Settings.of({"duplicates": "error", "attributes": {"*": "single"}})
    with pytest.raises(InputError) as there:
        read_path(spark, str(path), FileOptions(), settings)
    assert str(there.value) == str(here.value)


def test_no_table(spark: SparkSession, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"The driver finds nothing at .*none\.csv"):
        read_path(spark, str(tmp_path / "none.csv"), FileOptions(), Settings())


def test_a_path_of_a_kind_that_spark_does_not_know(spark: SparkSession) -> None:
    with pytest.raises(InputError, match=r"S3AFileSystem not found\. Spark needs a library"):
        read_path(spark, "s3a://bucket/claims.csv", FileOptions(), Settings())


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        (["--model", "truthfinder"], "needs all claims in memory"),
        (["--format", "csv"], "writes parquet"),
    ],
)
def test_what_cannot_be_done_is_said_before_a_cluster_starts(
    world: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    options: list[str],
    reason: str,
) -> None:
    def refuse(master: str | None) -> None:
        raise AssertionError("a session was started")

    monkeypatch.setattr("veracity.engines.spark.session.start", refuse)
    command = ["discover", str(world), "--engine", "spark", "-o", str(tmp_path / "out"), *options]
    assert run(command) != 0
    assert reason in capsys.readouterr().err


def test_truth_goes_to_the_executors(
    spark: SparkSession, claims: ClaimsInBlocks, world: Path, tmp_path: Path
) -> None:
    voted = make_model("vote").fit(in_memory(world)).truths_.to_arrow()
    rows = voted.select(["entity", "attribute", "value"]).slice(0, 200)
    unheard = pa.table({"entity": ["atlantis"], "attribute": ["town"], "value": ["Poseidonis"]})
    given = pa.concat_tables([rows.slice(0, 20), unheard])
    trust = [0.8] * 5 + [None] * 16  # the first are answers of assessors, who can err
    known = GroundTruth.from_frame(given.append_column("trust", pa.array(trust)))
    truth = GroundTruth.from_frame(rows.slice(20))
    runs = [
        discover(held, model="one-coin", parameters={"tol": 0.01}, truth=truth, known_truth=known)
        for held in (in_memory(world), claims)
    ]
    assert runs[0].evaluation == runs[1].evaluation
    check_same(runs[0].model.truths_, runs[1].model.truths_, ORDER)
    check_same(runs[0].model.statements_, runs[1].model.statements_, ORDER)
    assert runs[1].model.truths_.to_spark(spark).count() == len(runs[0].model.truths_)
    check_same(runs[0].model.sources_, runs[1].model.sources_, "source")
    here, there = (run.model.sources_by_attribute_ for run in runs)
    assert here is not None
    assert there is not None
    by_attribute = [("source", "ascending"), ("attribute", "ascending")]
    check_same(here, there, by_attribute)
    written = pq.read_table(runs[1].save(tmp_path / "out") / "sources_by_attribute.parquet")
    assert written.sort_by(by_attribute).equals(there.to_arrow().sort_by(by_attribute))


def test_labels_teach_the_same_on_executors(
    claims: ClaimsInBlocks, world: Path, tmp_path: Path
) -> None:
    voted = make_model("vote").fit(in_memory(world)).truths_.to_arrow()
    known = GroundTruth.from_frame(voted.select(["entity", "attribute", "value"]).slice(0, 40))
    few_steps = {"max_iter": 4, "features": "never"}
    runs = [
        discover(held, parameters=few_steps, known_truth=known)
        for held in (in_memory(world), claims)
    ]
    here, there = (run.model for run in runs)
    check_same(here.truths_, there.truths_, ORDER)
    assert here.crossfit_ is not None
    assert there.crossfit_ is not None
    check_same(here.crossfit_, there.crossfit_, ORDER)
    written = pq.read_table(runs[1].save(tmp_path / "out") / "crossfit.parquet")
    assert written.num_rows == len(here.crossfit_)


@pytest.mark.parametrize("attribute", ["colour", "town"])
def test_truth_in_another_spelling_is_refused_in_the_same_words(
    spark: SparkSession, claims: ClaimsInBlocks, world: Path, attribute: str
) -> None:
    voted = make_model("vote").fit(in_memory(world)).truths_.to_arrow()
    names = ["entity", "attribute", "value"]
    rows = voted.filter(compute.equal(voted["attribute"], attribute)).select(names).slice(0, 40)
    shouted = rows.set_column(2, "value", compute.utf8_upper(rows["value"]))
    mixed = pa.concat_tables([shouted.slice(0, 10), rows.slice(10)])
    refusals, notes = set(), []
    for held in (in_memory(world), claims):
        with pytest.raises(InputError, match="--casefold ignores case") as caught:
            check_truth(GroundTruth.from_frame(shouted), held, TO_KEEP)
        refusals.add(str(caught.value))
        notes.append(check_truth(GroundTruth.from_frame(mixed), held, TO_KEEP).notes)
    assert len(refusals) == 1
    assert notes[0] == notes[1]
    assert notes[0][0].count == 10


def test_the_command_writes_a_run(
    spark: SparkSession, world: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    output = tmp_path / "out"
    command = ["discover", str(world), "--engine", "spark", "--model", "vote", "-o", str(output)]
    assert run(command) == 0
    assert "Most contested" in capsys.readouterr().out
    here = make_model("vote").fit(in_memory(world))
    for name in ("truths", "statements", "sources"):
        written = pq.read_table(output / f"{name}.parquet")
        assert written.num_rows == len(getattr(here, f"{name}_"))
        assert written.column_names == getattr(here, f"{name}_").column_names
    saved = open_run(output)
    assert len(saved.claims) == summarise_claims(in_memory(world)).n_claims
    described = json.loads((output / "run.json").read_text())
    assert described["counts"]["n_claims"] == len(saved.claims)
    assert run(command) != 0
    assert "exists already" in capsys.readouterr().err
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


def test_a_folder_is_written_whole_or_not_at_all(
    claims: ClaimsInBlocks, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(model: Any, folder: Path) -> None:
        raise OutputError("the disk is full")

    run = discover(claims, model="vote")
    run.save(tmp_path / "out")
    before = (tmp_path / "out" / "run.json").read_bytes()
    monkeypatch.setattr("veracity.workflow.storage.write_model", fail)
    with pytest.raises(OutputError, match="full"):
        run.save(tmp_path / "out", overwrite=True)
    assert [path.name for path in tmp_path.iterdir()] == ["out"]
    assert (tmp_path / "out" / "run.json").read_bytes() == before


def test_a_lost_executor_changes_nothing(
    claims: ClaimsInBlocks, undisturbed: TruthModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An executor is killed in the midst of a fit; its blocks are made again elsewhere."""
    expected = undisturbed.statements_.to_arrow().sort_by(ORDER)
    total: Callable[..., Any] = SparkBlocks.total
    passes: list[str] = []
    killed = executor_processes()[0]

    def kill_on_the_way(self: SparkBlocks[Any], function: Any, *shared: Any) -> Any:
        passes.append(function.__name__)
        if passes.count("_count") == 4:
            os.kill(killed, signal.SIGKILL)
        return total(self, function, *shared)

    monkeypatch.setattr(SparkBlocks, "total", kill_on_the_way)
    found = fitted("one-coin", claims, **PASSES).statements_.to_arrow().sort_by(ORDER)
    assert passes.count("_count") > 5
    assert killed not in executor_processes()
    assert found.drop_columns("plausibility").equals(expected.drop_columns("plausibility"))
    one, other = (np.array(table["plausibility"].to_pylist()) for table in (expected, found))
    np.testing.assert_allclose(one, other, rtol=0, atol=1e-12)


@pytest.fixture
def divided(monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    """Divide parameters by source, however few; list passes, and whether blocks were in files."""
    passes: list[bool] = []
    one_pass: Callable[..., Any] = SparkExchange._pass

    def counted(self: SparkExchange, *args: Any) -> Any:
        passes.append(args[-1])
        return one_pass(self, *args)

    monkeypatch.setattr("veracity.models.grbm.divided_part.DIVIDED_FROM", 1)
    monkeypatch.setattr("veracity.models.grbm.shard_plan.NUMBERS_OF_A_SHARD", 150)
    monkeypatch.setattr(SparkExchange, "_pass", counted)
    return passes


def test_parameters_divided_by_source_are_those_of_memory(
    claims: ClaimsInBlocks, world: Path, divided: list[bool], monkeypatch: pytest.MonkeyPatch
) -> None:
    """On the way, the file of a block is removed, and then an executor is killed."""
    killed = executor_processes()[0]
    passed: Callable[..., Any] = SparkExchange.passed
    numbers = itertools.count(1)

    def disturbed(self: SparkExchange, *args: Any, **shared: Any) -> Any:
        number = next(numbers)
        if number == 3:
            _block_files(self._blocks)[0].unlink()
        if number == 4:
            os.kill(killed, signal.SIGKILL)
        return passed(self, *args, **shared)

    monkeypatch.setattr(SparkExchange, "passed", disturbed)
    few = {"max_iter": FEW_PASSES, "features": "never"}
    found = fitted("grbm", claims, **few)
    assert divided.count(False) >= 1
    assert next(numbers) > 5
    assert killed not in executor_processes()
    here = fitted("grbm", in_memory(world), **few)
    assert [record["objective"] for record in found.history_] == pytest.approx(
        [record["objective"] for record in here.history_], rel=1e-9
    )
    check_same_results(here, found)


@pytest.mark.filterwarnings("ignore::veracity.errors.ConvergenceWarning")
def test_a_fit_goes_on_where_it_was_cut_short(
    claims: ClaimsInBlocks,
    undisturbed: TruthModel,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A fit that is cut short goes on from its last checkpoint, to where it would have come."""
    total: Callable[..., Any] = SparkBlocks.total
    passes = 0

    def cut_short(self: SparkBlocks[Any], function: Any, *shared: Any) -> Any:
        nonlocal passes
        passes += function is count_ballots
        if passes == 6:
            passes += 1
            raise KeyboardInterrupt
        return total(self, function, *shared)

    def fit(resume: bool) -> TruthModel:
        checkpoints = Checkpoints(tmp_path / "checkpoints", resume=resume, every=0)
        return discover(claims, model="one-coin", parameters=PASSES, checkpoints=checkpoints).model

    monkeypatch.setattr(SparkBlocks, "total", cut_short)
    with pytest.raises(KeyboardInterrupt):
        fit(resume=False)
    passes = 10  # from here on, none is cut short
    found = fit(resume=True)
    assert 0 < passes - 10 < PASSES["max_iter"]
    assert len(found.history_) == PASSES["max_iter"]
    check_same(undisturbed.statements_, found.statements_, ORDER)


def test_skew(spark: SparkSession, tmp_path: Path) -> None:
    """An item that most speak about stays whole; a source of half of all claims is split."""
    rng = np.random.default_rng(0)
    large = {"source": [f"s{i}" for i in range(3000)], "entity": ["large"] * 3000}
    busy = {"source": ["busy"] * 3000, "entity": [f"e{i}" for i in range(3000)]}
    rows = {name: large[name] + busy[name] for name in large}
    rows["value"] = rng.choice(["a", "b", "c"], 6000, p=[0.6, 0.3, 0.1]).tolist()
    pq.write_table(pa.table(rows), tmp_path / "claims.parquet")
    there = read_path(
        spark, str(tmp_path / "claims.parquet"), FileOptions(), Settings(), claims_per_block=1000
    )
    sizes = [table.num_rows for table in there.in_use()]
    assert sum(sizes) == 6000
    assert sorted(sizes)[-1] >= 3000 > sorted(sizes)[-2] > 0
    here = make_model("vote").fit(Claims.read(tmp_path / "claims.parquet"))
    check_same(here.statements_, make_model("vote").fit(there).statements_, ORDER)
