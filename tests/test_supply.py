"""The bill of materials is valid and names licences; the audit says what it could not check."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tomllib
import venv
from importlib import metadata
from pathlib import Path
from typing import Any

import pytest
from scripts import audit
from scripts.lock import normal

ROOT = Path(__file__).parent.parent


def _runtime() -> set[str]:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    return {normal(re.split(r"[^\w.-]", one)[0]) for one in project["dependencies"]}


@pytest.fixture(scope="module")
def bill(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """Return the bill of an environment in which only what the package needs is to be seen.

    That of the whole environment takes a minute to validate.
    """
    folder = tmp_path_factory.mktemp("bill")
    venv.create(folder / "venv", symlinks=True)
    packages = next(folder.glob("venv/lib/*/site-packages"))
    for name in _runtime():
        found = Path(str(metadata.distribution(name)._path))  # type: ignore[attr-defined]
        (packages / found.name).symlink_to(found)
    line = re.search(r"^\t\$\(BIN\)/cyclonedx-py (.*)$", (ROOT / "Makefile").read_text(), re.M)
    assert line is not None
    made = folder / "sbom.json"
    words = line[1].replace("dist/sbom.json", str(made))
    words = words.replace("$(BIN)", str(folder / "venv" / "bin"))
    subprocess.run([sys.executable, "-m", "cyclonedx_py", *words.split(), "--validate"], check=True)
    return json.loads(made.read_text())


def test_the_bill_is_a_cyclonedx_document(bill: Any) -> None:
    # The tool has validated it against the schema of this version, and would have failed.
    assert (bill["bomFormat"], bill["specVersion"]) == ("CycloneDX", "1.6")
    assert {one["ref"] for one in bill["dependencies"]} >= {
        one["bom-ref"] for one in bill["components"]
    }


def test_the_bill_has_the_version_and_licence_of_all_that_the_package_needs(bill: Any) -> None:
    components = {normal(one["name"]): one for one in bill["components"]}
    assert components.keys() == _runtime()
    for name, component in components.items():
        assert component["version"] == metadata.version(name)
        assert component["purl"] == f"pkg:pypi/{name}@{component['version']}"
        assert component["licenses"], name


def _package(name: str, *weaknesses: str) -> dict[str, Any]:
    return {"name": name, "version": "1", "vulns": [{"id": one} for one in weaknesses]}


def _judged(*packages: dict[str, Any]) -> tuple[str, int]:
    lines, code = audit.judged(json.dumps({"dependencies": packages}), "")
    return "\n".join(lines), code


def test_an_audit_names_weaknesses_and_what_has_no_answer() -> None:
    unknown = {"name": "torch", "skip_reason": "not on the index"}
    assert _judged(_package("a"), _package("b")) == (
        "2 packages checked, 0 with known weaknesses.",
        audit.CLEAN,
    )
    assert _judged(_package("a", "X-1", "X-2"), _package("b"), unknown) == (
        "a 1: X-1, X-2\nNot checked: 1 packages without an answer (torch).\n"
        "2 packages checked, 1 with known weaknesses.",
        audit.WEAK,
    )


def test_an_audit_without_any_answer_is_none() -> None:
    said, code = _judged({"name": "a", "skip_reason": "no answer"})
    assert "Nothing was checked" in said
    assert code == audit.UNREACHABLE


def test_a_fault_of_the_tool_is_not_taken_for_a_clean_audit() -> None:
    assert audit.judged("", "") == (["pip-audit failed: it says nothing"], audit.FAILED)


def test_an_audit_without_a_network_says_so_plainly() -> None:
    nobody = dict.fromkeys(["HTTPS_PROXY", "https_proxy"], "http://127.0.0.1:9")
    environment = os.environ | nobody | {"NO_PROXY": "", "no_proxy": ""}
    done = subprocess.run(
        [sys.executable, str(ROOT / "scripts" / "audit.py")],
        env=environment,
        capture_output=True,
        text=True,
    )
    assert done.stdout.startswith("The database of known weaknesses could not be reached: ")
    assert "Nothing was checked." in done.stdout
    assert done.returncode == audit.UNREACHABLE
