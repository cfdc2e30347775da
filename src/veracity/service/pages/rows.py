"""Pieces that pages have many of, written without the template engine, which takes longer for them.

What comes from claims is escaped here. Widths are attributes of SVG, so that no page needs a style
of its own.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from functools import lru_cache
from typing import Any

from markupsafe import Markup

from veracity.service.pages.numbers import cell, count, exact, share, signed, signed_all, width

Row = Mapping[str, Any]

BILL_READING = (
    "From what holds before anybody speaks, every claim moves them to the right or to the left, "
    "the largest first, then what else the model takes into account."
)
_BELIEVED = ' class="believed"'
_SUM_ROW = (
    '          <tr><th scope="row">%s</th><td class="number" data-term>%s</td></tr>\n'  # in a bill
)


def bar(part: float | None, before: float | None = None, key: object = None) -> Markup:
    """Draw a share as a bar, with a line where it was before; `key` tells bars apart."""
    return Markup(_bar(part, before, _bar_name(key)))  # noqa: S704  escaped below


def plausibility(part: float | None, before: float | None = None, key: object = None) -> Markup:
    """Write a share as a number beside its bar."""
    return Markup(_plausibility(part, before, _bar_name(key)))  # noqa: S704  escaped below


def value_rows(item: Row, changed: bool, number: str | None) -> str:
    """Write the values of an item; with a "what if", beside how plausible they were before.

    `number` is the number believed, as it is shown.
    """
    marked, known = item["mark"] or (), item["known"]
    return "".join(
        [_value_row(row, row["value"] in marked, known, changed, number) for row in item["values"]]
    )


def none_row(part: float | None, changed: bool) -> str:
    """Write how plausible it is that none of the values is true; nothing where that is unknown."""
    if part is None:
        return ""
    return (
        '        <tr><td class="muted">none of these</td><td><span class="measure">'
        f'<span class="figure">{_exact(part)}</span>{_bar(part, None, "none of these")}'
        f'</span></td>{"<td></td>" * changed}<td></td><td class="wide"></td></tr>\n'
    )


def value_options(values: Sequence[Row]) -> str:
    """Write the values of an item as suggestions."""
    return "".join([f'<option value="{escaped(row["value"])}"></option>' for row in values])


@lru_cache(maxsize=64)
def feature_fields(names: tuple[str, ...]) -> str:
    """Write a field for each feature of a claim to add."""
    return "".join(
        [
            f'      <label><bdi>{escaped(name)}</bdi> <input name="feature.{escaped(name)}" '
            'autocomplete="off"></label>\n'
            for name in names
        ]
    )


def choices(values: Sequence[Row], box: str, marked: Collection[str], number: str | None) -> str:
    """Write the values of an item as boxes to tick."""
    return "".join([_choice(row, box, row["value"] in marked, number) for row in values])


def other_choices(values: Sequence[str]) -> str:
    """Write the values that are marked but not claimed as ticked boxes."""
    return "".join(
        [
            '      <label class="choice"><input type="checkbox" name="choice" '
            f'value="{escaped(value)}" checked> <bdi>{escaped(value)}</bdi></label>\n'
            for value in values
        ]
    )


def words(values: Sequence[str]) -> str:
    """Write values one after the other."""
    return ", ".join([f"<bdi>{escaped(value)}</bdi>" for value in values])


def hardness_line(sentence: str) -> str:
    """Write that an item is hard, if it is."""
    return f"<p data-hardness>{escape(sentence)}</p>" if sentence else ""


def claim_rows(claims: Sequence[Row], off: Collection[int]) -> str:
    """Write who says what about an item, each with a box to leave it out."""
    return "".join([_claim_row(claim, claim["claim"] in off) for claim in claims])


def bill_details(bills: Sequence[Row]) -> str:
    """Write the evidence for each value as a chart and as a sum, the first of them open."""
    return "".join([_bill(bill, place) for place, bill in enumerate(bills)])


def _bar_name(key: object) -> str | None:
    return None if key is None else escaped(str(key))


def _bar(part: float | None, before: float | None, name: str | None) -> str:
    """Draw a bar; its name is HTML already."""
    named = "" if name is None else f' data-bar="{name}"'
    line = ""
    if before is not None:
        line = f'  <rect class="bar-before" x="{width(before)}" width="2" height="100%"/>'
    return (
        f'<svg class="bar" aria-hidden="true"{named}>\n'
        '  <rect class="bar-track" width="100%" height="100%" rx="3"/>\n'
        f'  <rect class="bar-fill" width="{width(part)}" height="100%" rx="3"/>{line}</svg>'
    )


def _plausibility(part: float | None, before: float | None = None, name: str | None = None) -> str:
    drawn = "" if part is None else _bar(part, before, name)
    return f'<span class="measure"><span class="figure">{escaped(share(part))}</span>{drawn}</span>'


def _value_row(row: Row, marked: bool, known: bool, changed: bool, number: str | None) -> str:
    value, part, believed = escaped(row["value"]), row["plausibility"], row["believed"]
    shown = escaped(number) if believed and number else value
    badges = ' <span class="badge accept">believed</span>' if believed else ""
    if known and believed:
        badges += ' <span class="badge">known truth</span>'
    if marked:
        badges += ' <span class="badge">your mark</span>'
    before, was = None, ""
    if changed:
        before = row["plausibility_before"]
        was = f'<td class="number muted" data-before>{_exact(before)}</td>'
    return (
        f'        <tr{_BELIEVED * believed} data-value="{value}">\n'
        f'          <td class="value"><bdi>{shown}</bdi>{badges}</td>\n'
        '          <td><span class="measure"><span class="figure" data-plausibility>'
        f"{_exact(part)}</span>{_bar(part, before, value)}</span></td>\n"
        f'{was}          <td class="number">{count(row["supporters"])}</td>\n'
        f'          <td class="number wide">{count(row["deniers"])}</td>\n'
        "        </tr>\n"
    )


def _choice(row: Row, box: str, marked: bool, number: str | None) -> str:
    value = escaped(row["value"])
    shown = escaped(number) if row["believed"] and number else value
    return (
        f'      <label class="choice"><input type="{box}" name="choice" value="{value}"'
        f"{' checked' * marked}> <bdi>{shown}</bdi></label>\n"
    )


def _claim_row(claim: Row, left_out: bool) -> str:
    number = claim["claim"]
    speaker, rates, label = _source_cells(
        claim["source_id"], claim["source"], claim["reliability"], claim["tpr"], claim["fpr"]
    )
    return (
        f'        <tr data-claim="{number}">\n'
        f'{speaker}          <td class="value">{_said(claim)}</td>\n'
        f'{rates}          <td class="wide features">{_features(claim["features"])}</td>\n'
        f'          <td class="tick"><input type="checkbox" name="off" value="{number}" '
        f"{label}{' checked' * left_out}></td>\n"
        "        </tr>\n"
    )


@lru_cache(maxsize=4096)
def _source_cells(
    source_id: int | None,
    source: str,
    reliability: float | None,
    tpr: float | None,
    fpr: float | None,
) -> tuple[str, str, str]:
    """Write what is the same in most claims of a source: its name, its rates, and a label."""
    name = escaped(source)
    linked = f"<bdi>{name}</bdi>"
    if source_id is not None:
        linked = f'<a href="/sources/{source_id}">{linked}</a>'
    rates = escaped(f"tpr {share(tpr)}, fpr {share(fpr)}")
    return (
        f'          <td class="value">{linked}</td>\n',
        f'          <td title="{rates}">{_plausibility(reliability)}</td>\n',
        f'aria-label="Leave out the claim of {name}"',
    )


def _said(claim: Row) -> str:
    denial = "" if claim["asserts"] else '<span class="muted">not</span> '
    return f"{denial}<bdi>{escaped(claim['value'])}</bdi>"


def _features(features: Mapping[str, Any]) -> str:
    if not features:
        return '<span class="muted">none</span>'
    return "".join(
        [
            f"<span><bdi>{escaped(name)}</bdi> <b><bdi>{escaped(cell(value))}</bdi></b></span> "
            for name, value in features.items()
        ]
    )


def _bill(bill: Row, place: int) -> str:
    value, part, total = escaped(bill["value"]), _exact(bill["plausibility"]), bill["log_odds"]
    what, added = ["before anybody speaks"], [bill["before"]]
    for term in bill["terms"]:
        what.append(_term(term))
        added.append(term["log_odds"])
    for step in bill["adjustments"]:
        what.append(escaped(step["reason"]))
        added.append(step["log_odds"])
    *shown, log_odds = signed_all([*added, total])
    cells = [cell for row in zip(what, shown, strict=True) for cell in row]
    lines = _SUM_ROW * len(what) % tuple(cells)
    return f"""\
  <details class="evidence" data-evidence="{value}"{"" if place else " open"}>
    <summary><bdi>{value}</bdi> <span class="figure">{part}</span></summary>
    <div class="split">
      <figure class="chart" data-chart="evidence-{place}" data-src="{escape(bill["chart"])}">
        <figcaption>
          <p class="chart-title">How the log-odds come to {signed(total)}</p>
          <p class="chart-reading">{BILL_READING}</p>
        </figcaption>
        <div class="chart-view"></div>
      </figure>
      <div class="table-wrap">
      <table class="bill">
        <caption>The same as a sum</caption>
        <tbody>
{lines}        </tbody>
        <tfoot>
          <tr><th scope="row">log-odds in all</th><td class="number" data-sum>{log_odds}</td></tr>
          <tr><th scope="row">plausibility</th><td class="number" data-total>{part}</td></tr>
        </tfoot>
      </table>
      </div>
    </div>
  </details>
"""


def _term(term: Row) -> str:
    """Say who claims or denies a value, and how much that counts if not in full."""
    says = "claims it" if term["claims"] else f"says <bdi>{escaped(term['says'])}</bdi>"
    weight = term["weight"]
    part = "" if weight == 1 else f' <small class="muted">counts {weight:.2f}</small>'
    return f"<bdi>{escaped(term['source'])}</bdi> {says}{part}"


def _exact(part: float | None) -> str:
    return exact(part).replace("<", "&lt;").replace(">", "&gt;")


@lru_cache(maxsize=4096)
def escaped(text: str) -> str:
    """Escape a label; most are on a page several times, and the names of sources on many pages."""
    return escape(text)


def escape(text: str) -> str:
    """Escape a text."""
    text = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return text.replace('"', "&#34;").replace("'", "&#39;")
