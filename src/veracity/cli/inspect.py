"""``veracity inspect``: what a table of claims holds, without fitting anything."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from veracity.cli.console import Page, print_json, progress_bar, show_notes
from veracity.cli.options import AsJson, ClaimsPath, reads_claims
from veracity.data.notes import Note, plural

if TYPE_CHECKING:
    from collections.abc import Sequence

    from veracity.data.claims import Claims
    from veracity.data.fields.suggestion import Suggestion
    from veracity.data.output.summary import ClaimsSummary

STAGES = ("reading claims", "encoding", "comparing formats")
ATTRIBUTES_SHOWN = 20


@reads_claims
def inspect(claims: ClaimsPath, reading: dict[str, Any], as_json: AsJson = False) -> None:
    """Show the columns, attributes, duplicates, long tail and conflicts of a table of claims."""
    from veracity.data.claims import Claims
    from veracity.data.fields.suggestion import suggest_fields
    from veracity.data.output.summary import summarise_claims
    from veracity.workflow.formats import clash_notes
    from veracity.workflow.nesting import nesting_notes
    from veracity.workflow.orders import order_notes

    with progress_bar(STAGES, as_json) as progress:
        progress(STAGES[0])
        table = Claims.read(claims, **reading)
        progress(STAGES[1])
        counts = summarise_claims(table)
        fields = suggest_fields(table)
        progress(STAGES[2])
        notes = [
            *clash_notes(table.found_clashes),
            *order_notes(table),
            *nesting_notes(table),
            *table.notes,
        ]
    if as_json:
        print_json(
            {
                "columns": dict(table.columns.roles),
                "features": {field.name: str(field.type) for field in table.features.schema},
                "ignored": list(table.columns.ignored),
                "informative": dict(table.columns.informative),
                "attributes": [profile.as_dict() for profile in table.attributes],
                "fields": [one.as_dict() for one in fields],
                "counts": counts.as_dict(),
                "clashes": table.clashes().to_pylist(),
                "notes": [note.as_dict() for note in notes],
            }
        )
    else:
        show_claims(Page(), table, counts, notes, fields)


def show_claims(
    page: Page,
    claims: Claims,
    counts: ClaimsSummary,
    notes: Sequence[Note],
    fields: Sequence[Suggestion] = (),
) -> None:
    """Print what is in a table of claims."""
    page.line(f"{claims!r}", style="bold")
    page.heading("Columns")
    rows = [(role, name) for role, name in claims.columns.roles.items()]
    rows += [("feature", f"{name} ({kind})") for name, kind in claims.feature_types.items()]
    options = dict(zip(claims.columns.informative, claims.columns.feature_options(), strict=True))
    rows += [
        ("not used", f"{name} (try {options[name]})" if name in options else name)
        for name in claims.columns.ignored
    ]
    page.table(["role", "column"], rows)
    _show_attributes(page, claims)
    if fields:
        page.heading("Fields")
        for one in fields:
            page.line(one.sentence())
    page.heading("Sources")
    page.line(
        f"{counts.n_one_claim_sources:,} of {counts.n_sources:,} sources make a single claim; half "
        f"make at most {counts.median_claims_per_source:g}, the largest makes "
        f"{counts.most_claims_of_a_source:,}. The largest tenth make "
        f"{counts.share_of_largest_tenth:.0%} of the claims."
    )
    page.heading("Items")
    page.line(
        f"{counts.n_contested:,} of {counts.n_items:,} items are contested; "
        f"{counts.n_one_source_items:,} rest on one source alone. Half have at most "
        f"{counts.median_sources_per_item:g} sources."
    )
    if counts.n_denials:
        page.line(f"{plural(counts.n_denials, 'claim denies', 'claims deny')} a statement.")
    show_notes(page, notes)


def _show_attributes(page: Page, claims: Claims) -> None:
    page.heading("Attributes")
    profiles = sorted(claims.attributes, key=lambda profile: -profile.n_items)
    page.table(
        ["attribute", "items", "values", "kind", "domain", "judged as"],
        [
            (
                profile.name,
                profile.n_items,
                profile.n_values,
                profile.kind,
                profile.domain,
                profile.form,
            )
            for profile in profiles[:ATTRIBUTES_SHOWN]
        ],
    )
    if len(profiles) > ATTRIBUTES_SHOWN:
        page.line(f"and {len(profiles) - ATTRIBUTES_SHOWN} more")
    page.line()
    for profile in profiles[:ATTRIBUTES_SHOWN]:
        page.line(
            f"{profile.name} is {profile.kind}: {profile.kind_reason}; and {profile.domain}: "
            f"{profile.domain_reason}."
        )
        if profile.numeric:
            page.line(f"{profile.name} is judged as a number: {profile.numeric_reason}.")
