"""Charts of the input: sizes of sources, conflicts, and kinds of attributes."""

from __future__ import annotations

import numpy as np

from veracity.data.encode.attributes import AttributeProfile
from veracity.data.notes import plural
from veracity.data.output.results import claimed_values, speakers
from veracity.report.chart import Chart, specification
from veracity.report.charts.records import one_line, records, share, short_labels
from veracity.report.charts.sizes import size_classes
from veracity.report.subject import Subject

MAX_ATTRIBUTES = 25
#: The largest sources are worth a word if they say so many times what an equal share would be.
UNEVEN = 2.0
ENOUGH_SOURCES = 10
VALUES = ("1 value", "2 values", "3 values", "4 or more")


def claims_per_source(subject: Subject) -> Chart:
    """Show how much sources say: the long tail of small ones, and where the claims come from."""
    matrix = subject.claims.matrix
    sizes = np.bincount(matrix.source_index, minlength=matrix.n_sources)
    codes, names = size_classes(sizes)
    sources = np.bincount(codes, minlength=len(names))
    claims = np.bincount(codes, sizes, minlength=len(names)).astype(np.int64)
    counts = np.concatenate([sources, claims])
    totals = np.repeat([matrix.n_sources, matrix.n_claims], len(names))
    largest = np.sort(sizes)[::-1][: max(1, matrix.n_sources // 10)]
    who = "largest source" if len(largest) == 1 else f"{len(largest):,} largest sources"
    part = share(largest.sum(), matrix.n_claims)
    n_once = int((sizes == 1).sum())
    is_uneven = largest.sum() * matrix.n_sources > UNEVEN * matrix.n_claims * len(largest)
    once = f"; {plural(n_once, 'source speaks', 'sources speak')} only once" if n_once else ""
    return Chart(
        "claims-per-source",
        f"The {who} of {matrix.n_sources:,} "
        f"{'makes' if len(largest) == 1 else 'make'} {part} of {plural(matrix.n_claims, 'claim')}"
        if is_uneven and matrix.n_sources >= ENOUGH_SOURCES
        else f"How many claims {plural(matrix.n_sources, 'source')} make",
        "Sources are sorted by how many claims they make, from left to right; grey is the share of "
        "the sources, blue the share of the claims that come from them.",
        f"Bars of the share of {plural(matrix.n_sources, 'source')} and of "
        f"{plural(matrix.n_claims, 'claim')} by the number of claims of a source. The {who} of all "
        f"account for {part} of the claims{once}.",
        records(
            claims_of_source=names * 2,
            of=["sources"] * len(names) + ["claims"] * len(names),
            count=counts,
            share=counts / totals,
        ),
        specification("tail"),
    )


def values_per_item(subject: Subject) -> Chart:
    """Show how many sources speak about an item, and how many values they claim."""
    matrix = subject.claims.matrix
    per_item = speakers(matrix)
    values = np.clip(claimed_values(matrix), 1, len(VALUES))
    codes, names = size_classes(np.maximum(per_item, 1))
    table = np.bincount(
        codes * len(VALUES) + values - 1, minlength=len(names) * len(VALUES)
    ).reshape(len(names), len(VALUES))
    row, column = np.nonzero(table)
    n_contested = int((values > 1).sum())
    part = share(n_contested, matrix.n_items)
    median = f"{np.median(per_item):g}"
    return Chart(
        "values-per-item",
        f"{n_contested:,} of {plural(matrix.n_items, 'item')} ({part}) "
        f"{'is' if n_contested == 1 else 'are'} contested",
        "Each bar counts the items that so many sources speak about; the more values they claim "
        "for the item, the deeper the blue. Grey items have one value, so nobody disagrees.",
        f"Bars of the number of items by how many sources speak about them, stacked by how many "
        f"values are claimed. More than one value is claimed for {part} of "
        f"{plural(matrix.n_items, 'item')}; half of the items have {median} sources or fewer.",
        records(
            sources=[names[place] for place in row],
            values=[VALUES[place] for place in column],
            items=table[row, column],
            order=column,
        ),
        specification("items"),
    )


def attributes(subject: Subject) -> Chart:
    """Show the attributes: how many items each has, how many are contested, kind and domain."""
    matrix = subject.claims.matrix
    n = len(matrix.profiles)
    contested = claimed_values(matrix) > 1
    n_items = np.bincount(matrix.attribute_index, minlength=n)
    n_contested = np.bincount(matrix.attribute_index, contested, minlength=n).astype(np.int64)
    order = np.argsort(-n_items, kind="stable")[:MAX_ATTRIBUTES]
    profiles = _profiles(subject)
    shown = [profiles[place] for place in order]
    parts = np.stack([n_items - n_contested, n_contested], axis=1)[order]
    cut = f" The {len(order)} largest of {n:,} are shown." if n > len(order) else ""
    kinds = _kinds(profiles)
    labels = short_labels(f"{profile.name} · {profile.kind}" for profile in shown)
    return Chart(
        "attributes",
        f"{plural(n, 'attribute')}: {kinds}",
        "The bar of an attribute counts its items; the blue part is contested. Hover to see kind "
        f"and domain, and why they were taken to be so.{cut}",
        f"Bars of the number of items of {plural(len(order), 'attribute')}, contested and agreed: "
        f"{kinds}.{cut}",
        records(
            attribute=np.repeat(labels, 2),
            part=["agreed", "contested"] * len(shown),
            items=parts.reshape(-1),
            name=np.repeat([one_line(profile.name) for profile in shown], 2),
            kind=np.repeat([profile.kind for profile in shown], 2),
            kind_reason=np.repeat([one_line(profile.kind_reason) for profile in shown], 2),
            domain=np.repeat([profile.domain for profile in shown], 2),
            domain_reason=np.repeat([one_line(profile.domain_reason) for profile in shown], 2),
            values=np.repeat([profile.n_values for profile in shown], 2),
        ),
        specification("attributes"),
    )


def _profiles(subject: Subject) -> tuple[AttributeProfile, ...]:
    """Return the attributes with the reasons of the run: claims opened again are only told."""
    said = {profile["name"]: profile for profile in subject.description.get("attributes", [])}
    return tuple(
        AttributeProfile(**said[profile.name]) if profile.name in said else profile
        for profile in subject.claims.attributes
    )


def _kinds(profiles: tuple[AttributeProfile, ...]) -> str:
    """Say how many attributes there are of each kind, the commonest first."""
    words = [
        "boolean" if profile.kind == "boolean" else f"{profile.kind}, {profile.domain}"
        for profile in profiles
    ]
    names = sorted(set(words), key=lambda word: (-words.count(word), word))
    return "; ".join(f"{words.count(name)} {name}" for name in names)
