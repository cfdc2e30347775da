"""What would be published: the wheel and the source archive, and what they install."""

from __future__ import annotations

import re
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from email.parser import Parser
from pathlib import Path

import pytest

import veracity

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "src" / "veracity"
BUILT = PACKAGE / "report" / "static" / "vega.js"
#: An empty environment knows no constraints of ours unless it is told.
CONSTRAINTS = ROOT / "constraints.txt"


def _run(*command: str | Path, cwd: Path | None = None) -> str:
    done = subprocess.run([*map(str, command)], capture_output=True, text=True, cwd=cwd)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the archives from the source tree, the wheel by way of the source archive."""
    if not BUILT.exists():
        pytest.skip("needs the source tree to have been built")
    folder = tmp_path_factory.mktemp("dist")
    _run(sys.executable, "-m", "build", "--no-isolation", "-o", folder, ROOT)
    return folder


@pytest.fixture(scope="module")
def wheel(built: Path) -> Path:
    return next(built.glob("*.whl"))


def _files() -> set[str]:
    """Return the files of the package, as paths within the wheel."""
    found = (path for path in PACKAGE.rglob("*") if path.is_file())
    return {
        path.relative_to(PACKAGE.parent).as_posix()
        for path in found
        if "__pycache__" not in path.parts
    }


def test_an_index_would_take_the_archives(built: Path) -> None:
    archives = sorted(built.iterdir())
    assert [path.suffix for path in archives] == [".whl", ".gz"]
    said = _run(sys.executable, "-m", "twine", "check", "--strict", *archives)
    assert said.count("PASSED") == 2


def test_the_wheel_holds_the_package_and_nothing_else(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
    inside = {name for name in names if ".dist-info/" not in name}
    assert inside == _files()
    assert any(name.endswith("licenses/LICENSE") for name in names)


def test_the_wheel_holds_the_licence_of_all_that_it_embeds(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        notice = next(name for name in names if name.endswith("licenses/THIRD-PARTY.txt"))
        said = archive.read(notice).decode()
        script = archive.read("veracity/report/static/vega.js").decode()
    others = {Path(name).suffix for name in names} & {".woff", ".woff2", ".ttf", ".wasm", ".so"}
    assert not others  # each would need its line below
    scripts = {Path(name).name for name in names if name.endswith(".js")}
    ours = {Path(name).name for name in _files() if name.endswith(".js")} - {"vega.js"}
    assert scripts == ours | {"vega.js"}
    assert said in script
    for kind in ("BSD 3-Clause License", "ISC License", "MIT License"):
        assert kind in said
    for part in ("Vega-Lite", "d3-*", "semver", "fast-json-patch", "lodash.debounce"):
        assert part in said


def test_the_source_archive_can_be_tested_and_cited(built: Path) -> None:
    with tarfile.open(next(built.glob("*.tar.gz"))) as archive:
        names = {name.split("/", 1)[1] for name in archive.getnames() if "/" in name}
    wanted = {"README.md", "LICENSE", "CHANGELOG.md", "CITATION.cff", "Makefile"}
    wanted |= {"constraints.txt", "constraints.lock"}
    assert wanted <= names
    assert {"tests/test_publication.py", "docs/index.md", "hatch_build.py"} <= names
    assert not [name for name in names if name.startswith((".ci", ".venv", "site/", "demo-output"))]


def test_the_default_needs_no_torch(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        name = next(name for name in archive.namelist() if name.endswith(".dist-info/METADATA"))
        metadata = Parser().parsestr(archive.read(name).decode())
    needed = metadata.get_all("Requires-Dist") or []
    always = {re.split(r"[^\w-]", line)[0] for line in needed if "extra ==" not in line}
    assert {"numpy", "duckdb", "typer"} <= always
    assert "torch" not in always
    assert any("torch" in line and "networks" in line for line in needed)
    assert set(metadata.get_all("Provides-Extra") or []) == _extras_in_the_docs()


def _extras_in_the_docs() -> set[str]:
    page = (ROOT / "docs" / "getting-started" / "index.md").read_text(encoding="utf-8")
    table = page[page.index("| extra | for |") :].split("\n\n")[0]
    return set(re.findall(r"^\| `(\w+)` \|", table, re.M))


@pytest.mark.slow
def test_an_empty_environment_gets_the_command_and_the_default(wheel: Path, tmp_path: Path) -> None:
    home = tmp_path / "env"
    _run(sys.executable, "-m", "venv", home)
    programs = home / ("Scripts" if sys.platform == "win32" else "bin")
    pip = (programs / "python", "-m", "pip", "install", "--quiet", "--disable-pip-version-check")
    # Of the many modules that come along few are imported: only those need bytecode.
    _run(*pip, "--no-compile", "-c", CONSTRAINTS, wheel)
    claims = PACKAGE / "datasets" / "example" / "claims.csv"
    said = _run(programs / "veracity", "discover", claims, "-o", "out", cwd=tmp_path)
    assert "1,063 items" in said
    assert (tmp_path / "out" / "report.html").is_file()
    check = "import importlib.util as u, veracity as v; print(u.find_spec('torch'), v.__version__)"
    answer = _run(programs / "python", "-c", check, cwd=tmp_path)
    assert answer.split() == ["None", veracity.__version__]
    network = subprocess.run(
        [programs / "veracity", "discover", claims, "-o", "net", "--reliability", "mlp"],
        capture_output=True,
        text=True,
        cwd=tmp_path,
    )
    assert network.returncode != 0
    assert "pip install 'veracity[networks]'" in network.stderr
    assert not (tmp_path / "net").exists()


def test_one_version_everywhere() -> None:
    citation = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert f"\nversion: {veracity.__version__}\n" in citation
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert "version" not in project  # hatch reads it from the package
    changes = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    newest = re.findall(r"^## (.+)$", changes, re.M)[0]
    if "dev" in veracity.__version__:
        assert newest == "Unreleased"
    else:
        assert newest.startswith(veracity.__version__)
