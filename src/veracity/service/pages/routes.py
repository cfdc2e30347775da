"""The pages of the explorer, drawn on the server from what the API answers."""

from __future__ import annotations

from typing import Any

from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import Match, Route
from starlette.types import Scope

from veracity.service.audit import LEAST_FOR_CHART
from veracity.service.errors import ServiceError
from veracity.service.items import ItemQuery
from veracity.service.pages.errors import TITLES
from veracity.service.pages.heat import heat_context
from veracity.service.pages.item import (
    answer_of,
    evidence_chart,
    number_chart,
    what_if_of,
)
from veracity.service.pages.item_page import item_page
from veracity.service.pages.levels import levels_of
from veracity.service.pages.overview import overview_context
from veracity.service.pages.queries import (
    Asked,
    ItemsAsked,
    NextAsked,
    SourcesAsked,
    asked_of,
    choices_of,
    number_in,
    paging,
)
from veracity.service.pages.refit import refit_commands
from veracity.service.pages.review import audit_context
from veracity.service.pages.schema import operations_of, shapes_of
from veracity.service.pages.source import (
    labels_explained,
    on_labels_sentence,
    pattern_sentence,
    rates_of,
    sorts_of,
    source_sentence,
)
from veracity.service.pages.templates import render
from veracity.service.pages.timeline import timeline_of
from veracity.service.pages.try_it import try_context
from veracity.service.state import state_of, store_of
from veracity.service.store import RunStore

#: Rows on a page of a list, and in the shorter ones.
ROWS, FEW = 50, 10

NO_REPORT = "This run has no report. `veracity report OUT` makes it."


def _page(store: RunStore, template: str, place: str, **context: Any) -> HTMLResponse:
    return HTMLResponse(render(template, place=place, has_report=store.has_report(), **context))


def overview(request: Request) -> HTMLResponse:
    """Show the run at a glance."""
    store = store_of(request)
    return _page(store, "overview.html", "overview", **overview_context(store))


def items(request: Request) -> HTMLResponse:
    """Search, filter and sort the items."""
    store, asked = store_of(request), asked_of(request, ItemsAsked)
    query = ItemQuery(**asked.model_dump(exclude={"offset"}))
    found = store.items(query, ROWS, asked.offset)
    return _page(
        store,
        "items.html",
        "items",
        items=found["items"],
        page=paging(request, ROWS, asked.offset, found["total"]),
        asked=choices_of(request, ItemsAsked),
        filtered=asked.is_filtered,
        attributes=[profile.name for profile in store.saved.claims.attributes],
    )


async def item(request: Request) -> HTMLResponse:
    """Show an item, or what would be believed if its claims were others."""
    store = store_of(request)
    asked = what_if_of(request.query_params.multi_items())
    return HTMLResponse(item_page(store, number_in(request, "item"), asked))


async def evidence(request: Request) -> Response:
    """Return the evidence for one of an item's values as a chart."""
    asked = what_if_of(request.query_params.multi_items())
    answer = answer_of(store_of(request), number_in(request, "item"), asked)
    chart = evidence_chart(answer, max(number_in(request, "place"), 0))
    return Response(chart.to_json(), media_type="application/json")


async def levels(request: Request) -> Response:
    """Return the levels of an ordered item as a chart."""
    store = store_of(request)
    asked = what_if_of(request.query_params.multi_items())
    chart = levels_of(store, answer_of(store, number_in(request, "item"), asked))
    return Response(chart.to_json(), media_type="application/json")


def timeline(request: Request) -> Response:
    """Return who said what when about an item whose truth changes, as a chart."""
    chart = timeline_of(store_of(request), number_in(request, "item"))
    return Response(chart.to_json(), media_type="application/json")


async def numbers(request: Request) -> Response:
    """Return the claims about a number around what is believed, as a chart."""
    asked = what_if_of(request.query_params.multi_items())
    chart = number_chart(answer_of(store_of(request), number_in(request, "item"), asked))
    return Response(chart.to_json(), media_type="application/json")


def sources(request: Request) -> HTMLResponse:
    """Search and sort the sources."""
    store, asked = store_of(request), asked_of(request, SourcesAsked)
    found = store.sources(asked.q, asked.sort, asked.order, ROWS, asked.offset)
    return _page(
        store,
        "sources.html",
        "sources",
        sources=found["sources"],
        page=paging(request, ROWS, asked.offset, found["total"]),
        asked=choices_of(request, SourcesAsked),
        labels_from=found["labels_from"],
        sorts=sorts_of(found["labels_from"]),
        explanation=labels_explained(found["labels_from"]),
        heat=heat_context(store.heat_map),
    )


def source(request: Request) -> HTMLResponse:
    """Show a source, its claims, and who says much the same."""
    store, asked = store_of(request), asked_of(request, Asked)
    found = store.source(number_in(request, "source"), ROWS, asked.offset)
    return _page(
        store,
        "source.html",
        "sources",
        source=found,
        sentence=source_sentence(found),
        pattern_sentence=pattern_sentence(found),
        rates=rates_of(found),
        on_labels_sentence=on_labels_sentence(found),
        explanation=labels_explained(found["labels_from"]),
        page=paging(request, ROWS, asked.offset, found["total"]),
    )


def try_it(request: Request) -> HTMLResponse:
    """Take new claims to judge."""
    store = store_of(request)
    return _page(store, "try.html", "try", **try_context(store))


def review(request: Request) -> HTMLResponse:
    """Show the audit: the item to mark next, how far it is, and what the marks carry."""
    store = store_of(request)
    return _review(request, "audit", audit_context(store))


def repairs(request: Request) -> HTMLResponse:
    """Show the items that are most likely wrong."""
    return _review(request, "repairs", {"worth": store_of(request).repairs(FEW)})


def _review(request: Request, queue: str, context: dict[str, Any]) -> HTMLResponse:
    """Show a queue of the review, and below it the marks and the refit."""
    store, asked, state = store_of(request), asked_of(request, Asked), state_of(request)
    found = store.marks_answer(FEW, asked.offset)
    is_open = state.settings.token is not None
    return _page(
        store,
        f"{queue}.html",
        "review",
        queue=queue,
        progress=found["progress"],
        n_items=len(store.index),
        marks=found["marks"],
        page=paging(request, FEW, asked.offset, found["total"]),
        refit=state.refit_answer(),
        commands=refit_commands(store.saved.description, store.folder, names_only=is_open),
        **context,
    )


def chart_of_audit(request: Request) -> Response:
    """Return the accepted share by the number of audits as a chart."""
    chart = store_of(request).desk.chart()
    if chart is None:
        raise ServiceError(404, "not_found", f"The chart needs {LEAST_FOR_CHART} audits.")
    return Response(chart.to_json(), media_type="application/json")


def next_to_repair(request: Request) -> RedirectResponse:
    """Go to the next item to repair, or to the list if there is none."""
    found = store_of(request).repairs(1, asked_of(request, NextAsked).after)
    return RedirectResponse(f"/items/{found[0]['id']}" if found else "/review/repairs", 303)


def report(request: Request) -> HTMLResponse:
    """Show the report of the run below the navigation."""
    store = store_of(request)
    if not store.has_report():
        raise ServiceError(404, "not_found", NO_REPORT)
    return _page(store, "report.html", "report")


def login(request: Request) -> HTMLResponse:
    """Ask for the token."""
    shown = {"title": TITLES[401], "message": "It was given with --token when it was started."}
    return HTMLResponse(render("login.html", place="", has_report=False, **shown))


def api(request: Request) -> HTMLResponse:
    """Show the API, from its schema."""
    store, schema = store_of(request), request.app.openapi()
    shown = {"operations": operations_of(schema), "shapes": shapes_of(schema)}
    return _page(store, "api.html", "api", **shown)


class Page(Route):
    """A plain route, as pages take nothing from their address but numbers."""

    def matches(self, scope: Scope) -> tuple[Match, Scope]:
        """Say whether an address is that of this page; the metrics name it by its route."""
        match, found = super().matches(scope)
        return match, {**found, "route": self} if found else found


#: Tried in turn.
ROUTES = [
    Page("/items/{item}", item),
    Page("/", overview),
    Page("/items", items),
    Page("/items/{item}/evidence/{place}", evidence),
    Page("/items/{item}/levels", levels),
    Page("/items/{item}/timeline", timeline),
    Page("/items/{item}/numbers", numbers),
    Page("/sources", sources),
    Page("/sources/{source}", source),
    Page("/try", try_it),
    Page("/review", review),
    Page("/review/repairs", repairs),
    Page("/review/chart", chart_of_audit),
    Page("/review/next", next_to_repair),
    Page("/report", report),
    Page("/login", login),
    Page("/api", api),
]
