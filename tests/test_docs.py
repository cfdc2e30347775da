"""The documentation names everything there is, and what it shows is what happens."""

from __future__ import annotations

import doctest
import re
import shlex
import shutil
import subprocess
import sys
from inspect import isfunction
from pathlib import Path
from typing import Any

import pytest
import typer

import veracity
from veracity import datasets, errors
from veracity.cli.app import app, run
from veracity.cli.options import READING_PARAMETERS, RECORD_PARAMETERS
from veracity.compat import crowdkit, snorkel, truthdiscovery
from veracity.datasets import customers, example, synthetic

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
PAGES = [ROOT / "README.md", *sorted(DOCS.rglob("*.md"))]
COMMAND_LINE = (DOCS / "reference" / "command-line.md").read_text(encoding="utf-8")
PYTHON = (DOCS / "reference" / "python.md").read_text(encoding="utf-8")
PICTURE = (DOCS / "images" / "discover.svg").read_text(encoding="utf-8")

GROUP: Any = typer.main.get_command(app)
#: The options that the user gets without our doing.
GIVEN = {"--help", "-h"}
READING, OF_RECORDS = (
    {"--" + parameter.name.replace("_", "-") for parameter in parameters}
    for parameters in (READING_PARAMETERS, RECORD_PARAMETERS)
)


def section(title: str) -> str:
    """Return the text of a section of the command line page, its sub-sections included."""
    found = re.search(rf"^## {re.escape(title)}$(.*?)(?=^## |\Z)", COMMAND_LINE, re.M | re.S)
    assert found is not None, f"the page has no section {title!r}"
    return found[1]


def options_on(text: str) -> set[str]:
    """Return the options that the tables of a text describe."""
    rows = (row.split("|")[1] for row in text.splitlines() if row.startswith("| `-"))
    return {option for row in rows for option in re.findall(r"(?<![\w-])--?[a-z][\w-]*", row)}


def options_of(command: Any) -> set[str]:
    """Return the options that a command takes."""
    names = (name for option in command.params for name in (*option.opts, *option.secondary_opts))
    return {name for name in names if name.startswith("-")}


def relative(page: Path) -> str:
    return str(page.relative_to(ROOT))


@pytest.mark.parametrize("name", sorted(GROUP.commands))
def test_every_option_of_a_command_is_on_its_page_and_no_other(name: str) -> None:
    own = options_of(GROUP.commands[name])
    shared = READING & own if own >= OF_RECORDS else set()
    assert options_on(section(f"veracity {name}")) == own - shared


def test_every_reading_option_is_on_the_page_and_no_other() -> None:
    assert options_on(section("Reading options")) == READING


def test_every_general_option_is_on_the_page_and_no_other() -> None:
    assert options_on(section("veracity")) == options_of(GROUP) | GIVEN


@pytest.mark.parametrize(
    "name",
    [
        *(f"veracity.{name}" for name in veracity.__all__),
        *(f"veracity.datasets.{name}" for name in datasets.__all__ if name[0].isupper()),
        *(f"veracity.datasets.{name}" for name in ("load", "save", "example.load")),
        *(
            f"veracity.datasets.customers.{name}"
            for name, thing in vars(customers).items()
            if isfunction(thing) and not name.startswith("_")
        ),
        *(
            f"{module.__name__}.{name}"
            for module in (crowdkit, snorkel, truthdiscovery)
            for name in module.__all__
        ),
        *(
            f"veracity.datasets.synthetic.{name}"
            for name in synthetic.__all__
            if name != "Draw"  # a type, shown where it is used
        ),
        *(
            f"veracity.errors.{name}"
            for name, thing in vars(errors).items()
            if errors.VeracityError in getattr(thing, "__mro__", ())[1:]
        ),
        "veracity.data.read.settings.Settings",
        "veracity.data.output.tables.Table",
        "veracity.workflow.Run",
    ],
)
def test_every_public_name_is_in_the_python_reference(name: str) -> None:
    assert re.search(rf"^::: {re.escape(name)}$", PYTHON, re.M)


def navigation() -> list[str]:
    """Return the pages in the navigation of the site, in its order."""
    configured = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    return re.findall(r":\s+(\S+\.md)$", configured, re.M)


def test_every_page_is_in_the_navigation() -> None:
    assert set(navigation()) == {str(page.relative_to(DOCS)) for page in DOCS.rglob("*.md")}


def test_the_first_page_leads_to_every_other() -> None:
    text = (DOCS / "index.md").read_text(encoding="utf-8")
    assert {"index.md", *re.findall(r"\]\((\S+?)\)", text)} == set(navigation())


def test_language_models_get_every_page() -> None:
    text = (DOCS / "llms.txt").read_text(encoding="utf-8")
    assert re.match(r"# veracity\n\n> \S", text)
    assert re.findall(r"^- \[[^]]+\]\((\S+)\): \S", text, re.M) == navigation()
    assert text.count("](") == len(navigation())


@pytest.mark.parametrize("page", PAGES, ids=relative)
def test_links_lead_to_files(page: Path) -> None:
    for link in re.findall(r"\]\(([^)\s]+)\)", page.read_text(encoding="utf-8")):
        path = link.partition("#")[0]
        assert "://" not in link, f"{link} leaves the project"
        assert not path or (page.parent / path).exists(), f"{link} leads nowhere"


def console_blocks(page: Path) -> list[tuple[str, str]]:
    """Return the commands that a page shows with what they print."""
    text = page.read_text(encoding="utf-8")
    blocks = re.findall(r"^```console\n(.*?)^```$", text, re.M | re.S)
    shown = [part for block in blocks for part in re.split(r"^\$ ", block, flags=re.M)[1:]]
    return [(command, printed) for command, _, printed in (part.partition("\n") for part in shown)]


@pytest.mark.parametrize("page", [page for page in PAGES if console_blocks(page)], ids=relative)
def test_commands_print_what_the_page_shows(
    page: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    for name in ("claims.csv", "truth.csv"):
        shutil.copy(example.path().parent / name, tmp_path)
    monkeypatch.chdir(tmp_path)
    for command, expected in console_blocks(page):
        program, *arguments = shlex.split(command)
        if program == "python":  # in place of what a person does by hand
            subprocess.run([sys.executable, *arguments], check=True)
            continue
        assert program == "veracity"
        assert run(arguments) == 0
        printed = capsys.readouterr().out
        same = doctest.OutputChecker().check_output(expected, printed, doctest.ELLIPSIS)
        assert same, f"{command} printed:\n{printed}"


def shell_commands() -> list[str]:
    """Return the commands that pages give without what they print."""
    texts = (page.read_text(encoding="utf-8") for page in PAGES)
    blocks = (
        block for text in texts for block in re.findall(r"^```sh\n(.*?)^```$", text, re.M | re.S)
    )
    lines = (line for block in blocks for line in block.splitlines())
    return [line for line in lines if re.match(r"(\.venv/bin/)?veracity ", line)]


@pytest.mark.parametrize("line", shell_commands())
def test_commands_have_the_options_that_pages_give_them(line: str) -> None:
    _, name, *arguments = shlex.split(line)
    given = {argument for argument in arguments if argument.startswith("-")}
    assert given <= options_of(GROUP.commands[name])


def test_the_picture_shows_the_present_figures() -> None:
    data = example.load()
    found = veracity.discover(data.claims, truth=data.truth)
    assert found.evaluation is not None
    shown = re.sub(r"<[^>]*>", "", PICTURE).replace("&#160;", " ")
    assert f"Accuracy {found.evaluation.accuracy:.4f}" in shown, "run `make picture`"
    assert f"{found.summary.n_sources:,} sources make {found.summary.n_claims:,} claims" in shown


def test_the_picture_loads_nothing() -> None:
    addresses = re.findall(r"\w+://[^\"'\s)]+", PICTURE)
    assert set(addresses) == {"http://www.w3.org/2000/svg"}  # the name of the format
    assert not re.search(r"@import|@font-face|<image|<script|href=", PICTURE)
