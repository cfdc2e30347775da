"""What the package promises as a whole: quick imports, and every public name."""

from __future__ import annotations

import json
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import veracity
from veracity.datasets import example

ROOT = Path(__file__).parents[1]
HEAVY = ("torch", "scipy", "numba", "pandas", "polars", "sklearn")


def _imported(code: str, whole: bool = False) -> set[str]:
    """Run code in a new interpreter; return the top-level packages that it imported.

    `whole` for all modules.
    """
    name = "n" if whole else "n.split('.')[0]"
    report = f"import json, sys; print(json.dumps(sorted({{{name} for n in sys.modules}})))"
    done = subprocess.run(
        [sys.executable, "-c", f"{code}\n{report}"], capture_output=True, text=True, check=True
    )
    return set(json.loads(done.stdout.splitlines()[-1]))


def test_import_is_light() -> None:
    imported = _imported("import veracity")
    assert "veracity" in imported
    assert not imported & {*HEAVY, "duckdb", "pyarrow", "numpy", "typer", "rich"}


def test_help_is_light() -> None:
    imported = _imported("from veracity.cli.app import run; assert run(['--help']) == 0")
    assert "typer" in imported
    assert not imported & set(HEAVY)


READ = """
from pathlib import Path
Path({path!r}).write_text("source,entity,value\\nann,sky,blue\\nbob,sky,green\\n")
from veracity import Claims
print(Claims.read({path!r}).matrix)
"""


def test_reading_is_light(tmp_path: Path) -> None:
    imported = _imported(READ.format(path=str(tmp_path / "claims.csv")))
    assert "duckdb" in imported
    assert not imported & set(HEAVY)


COMMAND = """
import sys
from veracity.cli.app import main
sys.argv = {arguments!r}
try:
    main()
except SystemExit as exit:
    assert exit.code == 0
"""


def test_a_command_does_without_pandas(tmp_path: Path) -> None:
    claims = str(example.path())
    arguments = ["veracity", "discover", claims, "-o", str(tmp_path / "run"), "-q", "--no-report"]
    imported = _imported(COMMAND.format(arguments=[*arguments, "--model", "vote"]))
    assert "pyarrow" in imported
    assert "pandas" not in imported


def test_discover_does_without_most_of_scipy_and_pydantic(tmp_path: Path) -> None:
    arguments = ["discover", str(example.path()), "-o", str(tmp_path / "run"), "-q", "--overwrite"]
    code = COMMAND.format(arguments=["veracity", *arguments, "--no-report"])
    _imported(code)  # compiles what is not compiled yet, for which numba needs scipy
    found = _imported(code, whole=True)
    assert "numba" in found
    assert not found & {"scipy.linalg", "scipy.sparse", "scipy.optimize", "pydantic"}


def test_pandas_that_was_kept_out_is_found_where_it_is_needed() -> None:
    pytest.importorskip("pandas")
    code = (
        "import pyarrow as pa; from veracity.data.buffers import keep_pandas_out\n"
        "keep_pandas_out()\n"
        "frame = pa.table({'a': pa.array([1.0, None])}).to_pandas()\n"
        "assert pa.array(frame['a']).null_count == 1"
    )
    assert "pandas" in _imported(code)


WHOLE_RUN = """
import sys
import tomllib


class Missing:
    def find_spec(self, name, path, target=None):
        if name in {heavy!r}:
            raise ModuleNotFoundError(name)


sys.meta_path.insert(0, Missing())
import veracity
claims = {{
    "source": ["a", "b"], "entity": ["x", "x"], "value": ["1", "2"], "time": [1.0, None],
    "weight": [1, 2], "asserts": [1, 0], "claim_x": [1, None], "source_k": ["u", "v"],
}}
run = veracity.discover(claims, truth={{"entity": ["x"], "value": ["1"]}}, strip=True, model="vote")
run.save({folder!r}, format="csv")
again = veracity.discover({folder!r} + "/statements.csv", source="supporters", model="vote")
print(repr(run.model.sources_), run.claims.to_arrow().num_rows, again.summary.n_claims)
try:
    run.model.truths_.to_pandas()
except veracity.VeracityError as error:
    print(error)
"""


def test_a_whole_run_needs_no_frame_library(tmp_path: Path) -> None:
    code = WHOLE_RUN.format(heavy=HEAVY, folder=str(tmp_path / "out"))
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "to_pandas() needs pandas: install it with" in done.stdout


@pytest.mark.parametrize("name", veracity.__all__)
def test_public_names(name: str) -> None:
    assert getattr(veracity, name) is not None
    assert name in dir(veracity)


def test_unknown_names() -> None:
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        veracity.nothing  # noqa: B018


def test_licences_of_what_the_wheel_embeds_go_with_it() -> None:
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    assert "THIRD-PARTY.txt" in settings["project"]["license-files"]
    text = (ROOT / "THIRD-PARTY.txt").read_text(encoding="utf-8")
    for name in ("Vega-Lite", "Vega-Embed", "d3-*", "BSD 3-Clause License", "ISC License"):
        assert name in text
    assert "*/" not in text  # it stands in a comment of the script
