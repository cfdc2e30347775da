"""Take the pictures of report and explorer in docs/images/, on the shipped example.

Run it with `make screenshots` after a page changes, or with the names of some pictures, as
`python scripts/screenshots.py items try`, to take only these. The run is made and served as a user
would, in an empty folder; some items of an audit are marked with their known truth, so that the
review has something to show.
"""

from __future__ import annotations

import csv
import json
import shutil
import subprocess
import sys
import tempfile
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, Page, sync_playwright

from veracity.datasets import example

IMAGES = Path(__file__).parents[1] / "docs" / "images"
PROGRAMS = ("chromium", "chromium-browser", "google-chrome")
ARGUMENTS = ("--no-sandbox", "--disable-gpu", "--disable-background-networking", "--no-first-run")
DESKTOP, PHONE = 1280, 390
#: Items drawn and marked for the pictures.
DRAWN, MARKS = 100, 62
#: An item on which sources disagree in many ways, and a source that is often wrong.
ITEM, SOURCE = "Sesame Gate Bakehouse", "Rumour Mill"


def leave_a_claim_out(page: Page) -> None:
    """Ask "what if" a claim had not been made."""
    page.locator("input[name=off]").first.check()
    page.locator(".changed").wait_for()
    page.evaluate("document.activeElement.blur(); scrollTo(0, 0)")


def show_evidence(page: Page) -> None:
    """Scroll to the evidence, below the header that stays."""
    page.locator("details[open] .chart-view svg").wait_for()
    page.evaluate("document.getElementById('evidence').scrollIntoView()")


def judge_example(page: Page) -> None:
    """Judge the example of new claims."""
    page.get_by_role("button", name="Fill in an example").click()
    page.get_by_role("button", name="Judge these claims").click()
    page.locator("#answer h2").first.wait_for()
    page.evaluate("document.activeElement.blur(); csv.scrollTop = 0; scrollTo(0, 0)")


@dataclass(frozen=True)
class Shot:
    """A picture of a page: its name, where the page is, what is done there, how high it is."""

    name: str
    path: str
    act: Callable[[Page], None] = lambda page: None
    height: int = 880
    phone: bool = True
    dark: bool = False


def shots(item: int, source: int, report: str) -> list[Shot]:
    """Return the pictures to take."""
    return [
        Shot("overview", "/", height=1020),
        Shot("items", "/items?sort=contested"),
        Shot("item", f"/items/{item}", height=1080, dark=True),
        Shot("evidence", f"/items/{item}", show_evidence, height=620),
        Shot("what-if", f"/items/{item}", leave_a_claim_out, height=700, phone=False),
        Shot("sources", "/sources"),
        Shot("source", f"/sources/{source}"),
        Shot("try", "/try", judge_example, height=1240),
        Shot("review", "/review", height=1040),
        Shot("api", "/api", phone=False),
        Shot("report", report, height=1100, dark=True),
        Shot("report-sources", f"{report}#sources", height=1100, phone=False),
    ]


def chosen(all_shots: list[Shot]) -> list[Shot]:
    """Return the pictures that the command names, or all."""
    names = sys.argv[1:]
    unknown = set(names) - {shot.name for shot in all_shots}
    if unknown:
        known = ", ".join(shot.name for shot in all_shots)
        sys.exit(f"There is no picture {sorted(unknown)[0]!r}; there are {known}.")
    return [shot for shot in all_shots if not names or shot.name in names]


def main() -> None:
    """Take the pictures."""
    program = next(filter(None, map(shutil.which, PROGRAMS)), None)
    if program is None:
        sys.exit("There is no browser to take pictures with: install chromium.")
    IMAGES.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as place, served_example(Path(place)) as address:
        mark_items(address, Path(place) / "truth.csv")
        item = find(address, "items", f"q={ITEM}&contested=true".replace(" ", "+"))
        source = find(address, "sources", f"q={SOURCE}".replace(" ", "+"))
        wanted = chosen(shots(item, source, f"{Path(place).as_uri()}/results/report.html"))
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=program, args=list(ARGUMENTS))
            for shot in wanted:
                take(browser, address, shot, DESKTOP, "light", shot.name)
                if shot.phone:
                    take(browser, address, shot, PHONE, "light", f"{shot.name}-phone")
                if shot.dark:
                    take(browser, address, shot, DESKTOP, "dark", f"{shot.name}-dark")
            browser.close()
    total = sum(path.stat().st_size for path in IMAGES.glob("*.png"))
    sys.stdout.write(f"{total / 2**20:.1f} MB in {IMAGES}\n")


@contextmanager
def served_example(place: Path) -> Iterator[str]:
    """Run the example in a folder and serve the run; give its address."""
    for name in ("claims.csv", "truth.csv"):
        shutil.copy(example.path().with_name(name), place)
    veracity = [sys.executable, "-m", "veracity"]
    discover = ["discover", "claims.csv", "--truth", "truth.csv", "-o", "results", "--quiet"]
    subprocess.run([*veracity, *discover], cwd=place, check=True)
    with subprocess.Popen(
        [*veracity, "serve", "results", "--port", "0"],
        cwd=place,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        try:
            assert process.stdout is not None
            address = process.stdout.readline().partition(" at ")[2].split()[0].rstrip("/")
            process.stdout.readline()  # the run is loaded
            yield address
        finally:
            process.terminate()


def mark_items(address: str, truth: Path) -> None:
    """Mark the first items of an audit with what is known to be true."""
    known: dict[tuple[str, str], list[str]] = {}
    with truth.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            known.setdefault((row["entity"], row["attribute"]), []).append(row["value"])
    state = send(f"{address}/api/v1/audit", "POST", {"size": DRAWN})
    for _ in range(MARKS):
        item = state["next"]
        values = known[item["entity"], item["attribute"]]
        send(f"{address}/api/v1/marks/{item['item']}", "PUT", {"values": values})
        with urllib.request.urlopen(f"{address}/api/v1/audit") as answer:
            state = json.load(answer)


def send(address: str, method: str, body: dict[str, Any]) -> Any:
    """Send a change to the service, and return what it answers."""
    headers = {"content-type": "application/json"}
    request = urllib.request.Request(address, json.dumps(body).encode(), headers, method=method)
    with urllib.request.urlopen(request) as answer:
        return json.load(answer)


def find(address: str, kind: str, query: str) -> int:
    """Return the number of the first item or source that a query finds."""
    with urllib.request.urlopen(f"{address}/api/v1/{kind}?{query}") as answer:
        return int(json.load(answer)[kind][0]["id"])


def take(browser: Browser, address: str, shot: Shot, width: int, colours: str, name: str) -> None:
    """Take one picture."""
    height = shot.height if width == DESKTOP else 844
    context = browser.new_context(
        viewport={"width": width, "height": height},
        color_scheme="dark" if colours == "dark" else "light",
        reduced_motion="reduce",
    )
    page = context.new_page()
    page.goto(shot.path if "://" in shot.path else address + shot.path)
    shot.act(page)
    settle(page)
    page.screenshot(path=IMAGES / f"{name}.png")
    context.close()


def settle(page: Page) -> None:
    """Wait until the charts in sight are drawn."""
    drawn = "figure.chart:visible"
    if page.locator(drawn).count():
        page.locator(f"{drawn} svg").first.wait_for()
    page.wait_for_load_state("networkidle")
    page.wait_for_timeout(300)


if __name__ == "__main__":
    main()
