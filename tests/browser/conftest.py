"""One browser and one server for all tests, and a page that remembers what went wrong on it."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from tests.browser.hostile import hostile_claims
from tests.browser.serving import running_service

from veracity import discover
from veracity.datasets import example

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Dialog, Page, Route

PROGRAMS = ("chromium", "chromium-browser", "google-chrome")
ARGUMENTS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
)
DESKTOP, PHONE = {"width": 1280, "height": 900}, {"width": 390, "height": 844}
#: Milliseconds until a test gives up waiting; the machine may be busy.
PATIENCE = 60_000
#: What the browser itself says about an answer that a test asked to be an error.
FAILED_ANSWER = "Failed to load resource"


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """Start the browser of the system."""
    program = next(filter(None, map(shutil.which, PROGRAMS)), None)
    if program is None:
        pytest.skip("needs chromium")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=program, args=list(ARGUMENTS))
        yield started
        started.close()


@pytest.fixture(scope="session")
def run_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make a run of the shipped example, measured against its truth."""
    folder = tmp_path_factory.mktemp("explorer") / "run"
    truth = example.path().with_name("truth.csv")
    return discover(example.path(), truth=truth).save(folder)


@pytest.fixture(scope="session")
def service(browser: Browser, run_folder: Path) -> Iterator[str]:
    """Serve the example; marks may be set and are for the test that sets them to take away."""
    with running_service(run_folder) as address:
        yield address


@pytest.fixture(scope="session")
def hostile_service(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Serve a run whose labels try to be more than text."""
    folder = tmp_path_factory.mktemp("hostile") / "run"
    discover(hostile_claims(), model="vote").save(folder)
    with running_service(folder) as address:
        yield address


@dataclass
class Visit:
    """A page of a browser, and what happened on it that must not.

    Attributes
    ----------
    trouble
        Errors on the console, faults of scripts, dialogs, and requests to other hosts.
    expected_errors
        Whether the test asks for answers that are errors, about which the browser complains.
    """

    page: Page
    address: str
    trouble: list[str] = field(default_factory=list)
    expected_errors: bool = False

    def go(self, path: str) -> None:
        """Open a page of the service."""
        self.page.goto(self.address + path)

    def watch(self) -> None:
        """Note whatever must not happen, and let no request leave this machine."""
        page = self.page
        page.on("console", self._console)
        page.on("pageerror", lambda error: self.trouble.append(f"fault: {error}"))
        page.on("dialog", self._dialog)
        page.context.route("**/*", self._request)

    def _console(self, message: ConsoleMessage) -> None:
        if message.type == "error" and not (
            self.expected_errors and message.text.startswith(FAILED_ANSWER)
        ):
            self.trouble.append(f"console: {message.text}")

    def _dialog(self, dialog: Dialog) -> None:
        self.trouble.append(f"dialog: {dialog.message}")
        dialog.dismiss()

    def _request(self, route: Route) -> None:
        url = route.request.url
        if url.startswith((self.address + "/", "file://", "blob:", "data:")):
            route.continue_()
        else:
            self.trouble.append(f"request: {url}")
            route.abort()


class Visits:
    """Opens pages with the options of a browser's context, and closes them."""

    def __init__(self, browser: Browser) -> None:
        self._browser = browser
        self._contexts: list[BrowserContext] = []
        self.visits: list[Visit] = []

    def __call__(self, address: str, **options: Any) -> Visit:
        """Open an empty page that will look at a service."""
        given: dict[str, Any] = {"viewport": DESKTOP, **options}
        context = self._browser.new_context(**given)
        context.set_default_timeout(PATIENCE)
        self._contexts.append(context)
        visit = Visit(context.new_page(), address)
        visit.watch()
        self.visits.append(visit)
        return visit

    def close(self) -> None:
        """Close all pages."""
        for context in self._contexts:
            context.close()


@pytest.fixture
def visits(browser: Browser) -> Iterator[Visits]:
    """Give a way to open pages; at the end, nothing must have gone wrong on any."""
    opened = Visits(browser)
    yield opened
    opened.close()
    assert [visit.trouble for visit in opened.visits if visit.trouble] == []


@pytest.fixture
def visit(visits: Visits, service: str) -> Visit:
    """Open a page on the example."""
    return visits(service)
