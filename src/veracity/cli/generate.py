"""``veracity generate``: a synthetic set of claims with known truth and reliabilities."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from veracity.cli.console import Page, print_json, progress_bar
from veracity.cli.options import AsJson, Quiet

if TYPE_CHECKING:
    from veracity.datasets.synthetic import SyntheticTables

STAGES = ("drawing claims", "writing")
SIZES, SOURCES, ATTRIBUTES = "Sizes", "Sources", "Attributes"


def _option(panel: str, help: str, **settings: Any) -> Any:
    return typer.Option(help=help, rich_help_panel=panel, **settings)


def generate(
    output: Annotated[
        Path, typer.Argument(help="Folder to write to.", show_default=False, metavar="FOLDER")
    ],
    sources: Annotated[int, _option(SIZES, "Number of sources.")] = 40,
    entities: Annotated[int, _option(SIZES, "Number of entities.")] = 500,
    attributes: Annotated[int, _option(SIZES, "Number of attributes of each entity.", min=1)] = 1,
    items_per_source: Annotated[
        float | None, _option(SIZES, "Mean number of items that a source speaks about.")
    ] = None,
    reliability: Annotated[
        float | None,
        _option(SOURCES, ("Reliability of every source; by default drawn from Beta(8, 3).")),
    ] = None,
    adversaries: Annotated[float, _option(SOURCES, "Share of sources below chance.")] = 0.0,
    spammers: Annotated[float, _option(SOURCES, "Share of sources that answer at random.")] = 0.0,
    copiers: Annotated[float, _option(SOURCES, "Share of sources that copy another.")] = 0.0,
    copy_probability: Annotated[float, _option(SOURCES, "How often a copier copies.")] = 0.8,
    denials: Annotated[float, _option(SOURCES, "Share of claims that deny a value.")] = 0.0,
    tail: Annotated[
        float, _option(SOURCES, "Zipf exponent of claims per source: 1 gives a long tail.")
    ] = 0.0,
    one_claim_share: Annotated[float, _option(SOURCES, "Share of one-claim sources.")] = 0.0,
    kind: Annotated[
        str,
        _option(ATTRIBUTES, "How many values can be true.", metavar="single|multiple|boolean"),
    ] = "single",
    domain: Annotated[
        str,
        _option(ATTRIBUTES, "Whether values are shared by all entities.", metavar="closed|open"),
    ] = "open",
    values: Annotated[int, _option(ATTRIBUTES, "Number of values an item may take.")] = 5,
    clustering: Annotated[
        float, _option(ATTRIBUTES, "How much wrong sources agree: 0 not at all, 2 mostly.")
    ] = 0.0,
    difficulty: Annotated[
        float, _option(ATTRIBUTES, "Spread of the difficulty of entities, in log-odds.")
    ] = 0.0,
    seed: Annotated[
        int, typer.Option(help="Random seed; the same seed draws the same claims.", min=0)
    ] = 0,
    format: Annotated[
        str, typer.Option(help="Format of the tables.", metavar="csv.gz|csv|parquet|jsonl")
    ] = "csv.gz",
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace an earlier set.")] = False,
    as_json: AsJson = False,
    quiet: Quiet = False,
) -> None:
    """Draw claims from sources of known reliability, and write them with the truth."""
    from veracity.data.output.write import check_folder, check_format
    from veracity.datasets.folder import MARKS, save
    from veracity.datasets.synthetic import AttributeSpec, Beta, SourceSpec, draw_tables

    form = check_format(format)
    check_folder(output, overwrite, MARKS)
    spec = SourceSpec(
        reliability=Beta(8, 3) if reliability is None else reliability,
        items_per_source=items_per_source,
        tail=tail,
        one_claim_share=one_claim_share,
        adversaries=adversaries,
        spammers=spammers,
        copiers=copiers,
        copy_probability=copy_probability,
        denials=denials,
    )
    described = [
        AttributeSpec(f"a{i}", kind, domain, values, clustering=clustering)  # type: ignore[arg-type]
        for i in range(attributes)
    ]
    with progress_bar(STAGES, quiet or as_json) as progress:
        drawn = draw_tables(
            sources,
            entities,
            described,
            sources=spec,
            difficulty=difficulty,
            random_state=seed,
        )
        progress(STAGES[1])
        save(drawn.named(), output, form, overwrite=overwrite)
    facts = _facts(drawn)
    if as_json:
        print_json(facts)
    elif not quiet:
        _show(Page(), facts, output, form)


def _facts(drawn: SyntheticTables) -> dict[str, Any]:
    return {
        "n_claims": drawn.claims.num_rows,
        "n_sources": drawn.oracle.sources.num_rows,
        "n_truth_rows": drawn.truth.num_rows,
        "oracle_accuracy": drawn.oracle.accuracy,
    }


def _show(page: Page, facts: dict[str, Any], output: Path, form: str) -> None:
    page.line(
        f"{facts['n_claims']:,} claims by {facts['n_sources']:,} sources, written to {output}:",
        style="bold",
    )
    page.line(f"  claims.{form}, truth.{form}, and the sources' true rates in sources.{form}")
    page.line(
        f"An oracle that knows all rates is right about {facts['oracle_accuracy']:.1%} of the "
        "items."
    )
    page.line()
    page.line("Try it:")
    page.line(f"  veracity discover {output}/claims.{form} --truth {output}/truth.{form} -o out")
