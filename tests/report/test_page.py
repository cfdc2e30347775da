"""The page of a report: what is on it, what it never loads, and that data never becomes markup."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections.abc import Iterator
from datetime import UTC, datetime
from itertools import pairwise
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from tests.report.html import Element, parse

from veracity import Claims, discover
from veracity.datasets import example
from veracity.errors import OutputError
from veracity.report import page as page_module
from veracity.report.contents import contents_of
from veracity.report.files import Report
from veracity.report.page import check_page, page_of
from veracity.report.subject import Subject
from veracity.workflow import Run

HOSTILE = [
    "</script><script>alert(1)</script>",
    "{{7*7}}",
    '"><img src=x onerror=alert(1)>',
    "<!--",
    "'; DROP TABLE--",
    "=cmd|' /C calc'!A1",
    "a\u2028b\u2029c",
    "\u202egnp.exe",
    "javascript:alert(1)",
    "&lt;b&gt;",
    "$main",
    "{% for x in y %}",
]


#: The elements that the page is made of.
OURS = {
    *("html", "head", "meta", "title", "style", "body", "header", "nav", "main", "footer"),
    *("section", "h1", "h2", "h3", "h4", "p", "div", "span", "strong", "code", "a", "button"),
    *("ol", "ul", "li", "dl", "dt", "dd", "details", "summary", "figure", "figcaption"),
    *("table", "caption", "thead", "tbody", "tr", "th", "td", "script", "noscript"),
}


def subject_of(run: Run) -> Subject:
    model = run.model
    tables = (model.truths_, model.statements_, model.sources_)
    return Subject(run.describe(), run.claims, model, *tables, run.truth)


def section_named(root: Element, name: str) -> Element:
    return next(one for one in root.find("section") if one.attributes["id"] == name)


def parsed(run: Run) -> Element:
    return parse(Report(subject_of(run)).page)


@pytest.fixture(scope="module")
def run() -> Run:
    data = example.load()
    return discover(data.claims, truth=data.truth)


@pytest.fixture(scope="module")
def text(run: Run) -> str:
    return Report(subject_of(run)).page


@pytest.fixture(scope="module")
def root(text: str) -> Element:
    return parse(text)


def hostile_run(model: str = "default") -> Run:
    """Return a run in which every label is an attack, and some items are contested."""
    rows = [
        {
            "source": f"{HOSTILE[i]}{j}",
            "entity": HOSTILE[(i + j) % len(HOSTILE)],
            "attribute": HOSTILE[j % 2],
            "value": HOSTILE[(i * j) % 3],
            "claim_kind": HOSTILE[i],
        }
        for i in range(len(HOSTILE))
        for j in range(8)
    ]
    table = {name: [row[name] for row in rows] for name in rows[0]}
    return discover(Claims.from_frame(table), model=model)


# What is on it


def test_headings_are_in_order_below_one_title(root: Element) -> None:
    levels = [int(e.tag[1]) for e in root.everything() if re.fullmatch(r"h[1-6]", e.tag)]
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(after <= before + 1 for before, after in pairwise(levels))


def test_sections_are_those_of_a_report_and_the_contents_lead_to_them(root: Element) -> None:
    titles = [section.find("h2")[0].text for section in root.find("section")]
    assert titles == [
        "Sources by reliability",
        "What to accept",
        "Contested items",
        "Against known truth",
        "What makes a source reliable",
        "What went in",
        "Training",
    ]
    links = [link.attributes["href"] for link in root.find("nav")[0].find("a")]
    assert links == [f"#{section.attributes['id']}" for section in root.find("section")]


def test_identifiers_are_there_once(root: Element) -> None:
    names = [e.attributes["id"] for e in root.everything() if "id" in e.attributes]
    assert len(names) == len(set(names))
    for element in root.find("a"):
        assert element.attributes["href"].removeprefix("#") in names
    for element in root.find("section"):
        assert element.attributes["aria-labelledby"] in names


def test_every_chart_says_what_it_shows(root: Element) -> None:
    figures = root.find("figure")
    assert len(figures) > 10
    for figure in figures:
        caption = figure.find("figcaption")[0]
        title = next(e for e in caption.children if "chart-title" in e.attributes["class"])
        reading = caption.find("p", "chart-reading")[0]
        view = figure.find("div", "chart-view")[0]
        spec = json.loads(figure.find("script")[0].raw)
        name = figure.attributes["data-chart"]
        assert figure.find("script")[0].attributes == {
            "type": "application/json",
            "id": f"chart-{name}",
        }
        assert title.text == " ".join(spec["usermeta"]["title"].split())
        assert reading.text.startswith("How to read this. ")
        assert len(reading.text) > 40
        assert view.attributes["role"] == "img"
        assert view.attributes["aria-label"] == spec["description"]
        assert spec["description"] in figure.find("noscript")[0].raw
        assert spec["data"]["values"]
        assert figure.find("p", "chart-downloads")


def test_the_head_says_what_was_run(run: Run, root: Element) -> None:
    head = root.find("header")[0].text
    assert "Report on claims.csv" in head
    assert "36 sources make 4,102 claims about 1,063 items; 628 items are contested" in head
    assert " ".join(run.findings.to_do.split()) in head
    assert "GRBM" in head
    digest = run.describe()["inputs"]["claims"][0]["sha256"]
    assert digest in section_named(root, "input").text
    assert "veracity report OUT" in root.find("footer")[0].text


def test_contested_items_have_values_claims_and_evidence(run: Run, root: Element) -> None:
    items = [e for e in root.find("details") if "item" in e.attributes.get("class", "")]
    assert len(items) == 8
    truths = run.model.truths_.to_arrow().to_pylist()
    decisions = {f"{row['attribute']} of {row['entity']}": row["decision"] for row in truths}
    for item in items:
        title = item.find("h4")[0].text
        assert item.find("span", "badge")[0].text == decisions[title]
        values, claims = item.find("table")
        assert len(values.find("tr")) >= 2  # yes and no are one statement
        assert len(claims.find("tr")) > 2
        last = json.loads(item.find("script")[0].raw)["data"]["values"][-1]
        shown = float(re.findall(r"plausibility ([\d.]+)", item.text)[0])
        assert last["plausibility"] == pytest.approx(shown, abs=6e-4)


def test_notes_say_what_to_do(root: Element) -> None:
    notes = [note.text for note in root.find("header")[0].find("ul", "notes")[0].find("li")]
    copying = next(note for note in notes if note.startswith("Sources that depend"))
    assert copying.endswith("Check whether one of them republishes the other.")
    assert any("veracity disagreements" in code.text for code in root.find("code"))


def test_figures_against_truth_are_those_of_the_run(run: Run, root: Element) -> None:
    assert run.evaluation is not None
    section = section_named(root, "truth")
    facts = {
        fact.find("dt")[0].text: fact.find("dd")[0].text
        for fact in section.find("dl")[0].find("div")
    }
    assert facts["accuracy"] == f"{run.evaluation.accuracy:.4f}"
    errors = section.find("table")[-1].find("tr")[1:]
    assert len(errors) == 12
    plausibilities = [float(row.find("td")[-1].text) for row in errors]
    assert plausibilities == sorted(plausibilities, reverse=True)


def test_without_truth_there_is_no_such_section(columns: dict[str, list[Any]]) -> None:
    root = parsed(discover(columns, model="vote"))
    assert "truth" not in [section.attributes["id"] for section in root.find("section")]


def test_known_truth_is_in_the_notes(columns: dict[str, list[Any]]) -> None:
    known = {"entity": ["sky"], "attribute": ["colour"], "value": ["grey"]}
    root = parsed(discover(columns, known_truth=known))
    assert "The truth of 1 item is given." in section_named(root, "decisions").text


def test_a_model_that_explains_nothing_says_so(columns: dict[str, list[Any]]) -> None:
    root = parsed(discover(columns, model="vote"))
    said = {one.attributes["id"]: one.text for one in root.find("section")}
    assert "MajorityVote cannot explain its verdicts" in said["contested"]
    assert "MajorityVote judges sources by what they say alone" in said["function"]
    assert "does not iterate" in said["training"]


def test_one_claim_makes_a_page() -> None:
    for model in ("default", "vote"):
        root = parsed(discover(Claims.from_triples([("ann", "sky", "blue")]), model=model))
        assert "Nobody disagrees" in section_named(root, "contested").text
        assert "1 source makes 1 claim about 1 item" in root.find("header")[0].text


# What it never does


def test_it_loads_nothing(text: str, root: Element) -> None:
    for element in root.everything():
        assert element.tag not in {"link", "img", "iframe", "object", "embed", "base", "form"}
        assert not {"src", "srcset", "action", "style", "background"} & set(element.attributes)
        if "href" in element.attributes:
            assert element.attributes["href"].startswith("#")
    styles = root.find("style")[0].raw
    assert not re.search(r"@import|@font-face|url\(", styles)


def test_its_policy_allows_its_own_scripts_only(root: Element) -> None:
    policies = [
        meta.attributes["content"]
        for meta in root.find("meta")
        if meta.attributes.get("http-equiv") == "Content-Security-Policy"
    ]
    assert len(policies) == 1
    allowed = dict(part.strip().split(" ", 1) for part in policies[0].split(";"))
    assert allowed["default-src"] == "'none'"
    scripts = [e.raw for e in root.find("script") if e.attributes["type"] == "module"]
    assert allowed["script-src"].split() == [_hash(script) for script in scripts]
    assert allowed["style-src"] == _hash(root.find("style")[0].raw)


def _hash(text: str) -> str:
    digest = hashlib.sha256(text.encode()).digest()
    return f"'sha256-{base64.b64encode(digest).decode()}'"


@pytest.mark.parametrize("model", ["default", "vote"])
def test_labels_never_become_markup(model: str) -> None:
    report = Report(subject_of(hostile_run(model)))
    root = parse(report.page)
    assert {e.tag for e in root.everything()} <= OURS
    for element in root.everything():
        assert not any(name.startswith("on") for name in element.attributes)
    scripts = [e.attributes.get("type") for e in root.find("script")]
    assert scripts.count("module") == 2
    assert set(scripts) == {"module", "application/json"}
    assert "{{7*7}}" in root.text
    assert "\u202e" not in root.find("body")[0].find("main")[0].find("table")[0].text
    for element in root.find("script"):
        if element.attributes["type"] == "application/json":
            assert not re.search("[<>&\u2028\u2029]", element.raw)
            name = element.attributes["id"].removeprefix("chart-")
            assert json.loads(element.raw) == json.loads(report.charts[name])


# How it is made


def test_it_is_the_same_but_for_its_date(run: Run) -> None:
    contents = contents_of(subject_of(run))
    one = page_of(contents, datetime(2024, 1, 2, 3, 4, tzinfo=UTC))
    other = page_of(contents, datetime(2025, 1, 2, 3, 4, tzinfo=UTC))
    assert "Page made on 2024-01-02 03:04 UTC," in one
    assert one.replace("2024-01-02", "2025-01-02") == other


def drawn(n_claims: int) -> Claims:
    """Return claims of many sources, with a long tail, about many items."""
    random = np.random.default_rng(0)
    source = random.zipf(1.3, n_claims) % (n_claims // 10)
    item = random.integers(0, n_claims // 6, n_claims)
    value = random.integers(0, 3, n_claims)
    return Claims.from_frame(
        pa.table(
            {
                "source": [f"the source number {number}" for number in source.tolist()],
                "entity": [f"the entity number {number}" for number in item.tolist()],
                "attribute": ["colour"] * n_claims,
                "value": [f"value {number}" for number in value.tolist()],
            }
        )
    )


def test_its_size_hardly_depends_on_the_claims() -> None:
    sizes = []
    for n_claims in (3_000, 300_000):
        found = discover(drawn(n_claims), model="vote")
        sizes.append(len(Report(subject_of(found)).page.encode()))
    assert max(sizes) < 2_000_000
    assert abs(sizes[1] - sizes[0]) < 100_000


@pytest.fixture
def never_built(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    page_module._parts.cache_clear()
    monkeypatch.setattr(page_module, "VEGA", "nothing.js")
    yield
    page_module._parts.cache_clear()


@pytest.mark.usefixtures("never_built")
def test_a_source_tree_that_was_never_built_is_told_how(columns: dict[str, list[Any]]) -> None:
    with pytest.raises(OutputError, match=r"was never built. Build it with `pip install -e .`"):
        check_page()
    found = discover(columns, model="vote")
    with pytest.raises(OutputError, match="report=False"):
        found.save("somewhere")
