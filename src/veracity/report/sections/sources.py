"""The section on sources: how reliable each is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from veracity.data.notes import plural
from veracity.models.patterns.naming import spammers_sentence
from veracity.report.chart import Chart
from veracity.report.charts.records import share
from veracity.report.formats import formats_table
from veracity.report.parts import Column, Section, TablePart, cell
from veracity.report.source_columns import telling_rates
from veracity.report.subject import Subject

SHOWN = 15


def section(subject: Subject, charts: Sequence[Chart]) -> Section:
    """Return the section."""
    table = subject.sources.to_arrow()
    few = subject.description["counts"]["n_one_claim_sources"]
    one_claim = (
        f" {share(few, table.num_rows).capitalize()} of the sources make one claim only: of these "
        "little can be known."
        if few
        else ""
    )
    return Section(
        "sources",
        "Sources by reliability",
        f"Reliability is the chance that a claim of the source is right; {_rates(table)}agreement "
        f"the share of its claims that are believed.{one_claim}{_spammers(table)}",
        charts=charts,
        tables=[_table(table), *formats_table(subject)],
    )


def _rates(table: pa.Table) -> str:
    """Say what the rates are that the table has."""
    there = telling_rates(table)
    said = {
        "tpr": "tpr how often it names a true statement that it speaks about, fpr how often it "
        "names a false one; ",
        "bias": "bias how much its numbers are above the truth, sd how far its errors usually are "
        "from that; ",
        "gross_errors": "gross errors the share of its numbers further off than either explains; ",
        "level_bias": "level bias and spread how far from the true level it usually is, and random "
        "share how often it answers at random; ",
        "freshness": "freshness the share of its right claims that are not out of date, lag how "
        "late they are on average; ",
        "coarse": "coarse the share of its right claims that others make more specific; ",
    }
    return "".join(text for name, text in said.items() if name in there)


def _spammers(table: pa.Table) -> str:
    sentence = spammers_sentence(table)
    return "" if sentence is None else f" {sentence}"


def _table(table: pa.Table) -> TablePart:
    """Return the sources with the most claims, the most reliable first."""
    order = [("n_claims", "descending"), ("source", "ascending")]
    rows = table.take(pc.select_k_unstable(table, SHOWN, order)).to_pylist()
    rows.sort(key=lambda row: (-(row["reliability"] or 0.0), -row["n_claims"], row["source"]))
    with_interval, rates = "reliability_low" in rows[0], telling_rates(table)
    columns = [
        Column("source"),
        Column("claims", "number"),
        Column("reliability", "number"),
        *([Column("90 % interval", "number")] if with_interval else []),
        *(Column(name.replace("_", " "), "number") for name in rates),
        Column("agreement", "number"),
    ]
    shown = [
        [
            cell(row["source"]),
            cell(row["n_claims"]),
            cell(row["reliability"]),
            *([_interval(row)] if with_interval else []),
            *(cell(row[name]) for name in rates),
            cell(row["agreement"]),
        ]
        for row in rows
    ]
    left = table.num_rows - len(rows)
    if not left:
        return TablePart("Sources, the most reliable first", columns, shown)
    caption = f"The {len(rows)} sources with the most claims, the most reliable first"
    return TablePart(caption, columns, shown, f"{plural(left, 'smaller source')} not shown.")


def _interval(row: Mapping[str, Any]) -> str:
    low, high = row["reliability_low"], row["reliability_high"]
    return cell(None) if low is None or high is None else f"{low:.3f} to {high:.3f}"
