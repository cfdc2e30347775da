"""`constraints.lock`: it covers what is installed, and pip refuses what it does not list."""

from __future__ import annotations

import hashlib
import platform
import subprocess
import sys
import threading
import tomllib
import zipfile
from collections.abc import Iterator
from contextlib import suppress
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from importlib import metadata
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from scripts import lock, locked_systems

ROOT = Path(__file__).parent.parent


def _needed() -> set[str]:
    """Return the packages that our own need and that are installed, without those of torch."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    groups = project["dependency-groups"].values()
    named = [one for group in groups for one in group if isinstance(one, str)]
    waiting = [Requirement(one) for one in [*named, *_own(project)]]
    seen, found = set(), set()
    while waiting:
        wanted = waiting.pop()
        package = lock.normal(wanted.name)
        for extra in ("", *wanted.extras):
            if (package, extra) in seen:
                continue
            seen.add((package, extra))
            with suppress(metadata.PackageNotFoundError):
                waiting += _required(package, extra)
                found.add(package)
    return found


def _required(package: str, extra: str) -> list[Requirement]:
    found = [Requirement(one) for one in metadata.requires(package) or []]
    if package in lock.UNHASHED:  # which may bring libraries for GPUs
        return []
    return [one for one in found if not one.marker or one.marker.evaluate({"extra": extra})]


def _own(project: dict[str, dict[str, list[str]]]) -> list[str]:
    return [*project["project"]["dependencies"], *project["build-system"]["requires"]]


def test_the_lock_has_the_versions_of_the_constraints_and_a_hash_of_each() -> None:
    text = locked_systems.LOCK.read_text()
    pins = lock.pins(text)
    assert pins == lock.pins(locked_systems.VERSIONS.read_text()), "run make lock"
    without = {name for name in pins if "--hash=" not in locked_systems.entry_of(name, text)}
    assert without == set(lock.UNHASHED)


def test_all_that_is_installed_is_locked() -> None:
    needed = _needed()
    assert len(needed) > 100
    assert needed - set(lock.pins(locked_systems.LOCK.read_text())) == set()


def test_the_lock_names_no_index() -> None:
    assert "://" not in locked_systems.LOCK.read_text()


@pytest.mark.parametrize(
    ("filename", "is_locked"),
    [
        ("numpy-2.4.6-cp311-cp311-manylinux_2_27_x86_64.manylinux_2_28_x86_64.whl", True),
        ("numpy-2.4.6-cp313-cp313-macosx_11_0_arm64.whl", True),
        ("rich-15.0.0-py3-none-any.whl", True),
        ("six-1.17.0-py2.py3-none-any.whl", True),
        ("ruff-0.17.4-py3-none-manylinux_2_17_aarch64.manylinux2014_aarch64.whl", True),
        ("cryptography-50.0.2-cp39-abi3-manylinux_2_34_x86_64.whl", True),
        ("numpy-2.4.6.tar.gz", True),
        ("numpy-2.4.6-cp313-cp313t-macosx_11_0_arm64.whl", False),
        ("numpy-2.4.6-cp310-cp310-manylinux_2_28_x86_64.whl", False),
        ("numpy-2.4.6-cp312-cp312-musllinux_1_2_x86_64.whl", False),
        ("numpy-2.4.6-cp312-cp312-win_amd64.whl", False),
        ("numpy-2.4.6-pp311-pypy311_pp73-manylinux_2_28_x86_64.whl", False),
    ],
)
def test_files_of_locked_systems_are_told_from_others(filename: str, is_locked: bool) -> None:
    assert locked_systems.is_locked(filename) == is_locked


@pytest.fixture
def wheel(tmp_path: Path) -> Path:
    """Return a wheel that holds nothing but what pip asks for."""
    folder = tmp_path / "files"
    folder.mkdir()
    made = folder / "small_thing-1.0-py3-none-any.whl"
    described = "Metadata-Version: 2.1\nName: small-thing\nVersion: 1.0\n"
    tags = "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
    with zipfile.ZipFile(made, "w") as archive:
        archive.writestr("small_thing-1.0.dist-info/METADATA", described)
        archive.writestr("small_thing-1.0.dist-info/WHEEL", tags)
        archive.writestr("small_thing-1.0.dist-info/RECORD", "")
    return made


def _install(wheel: Path, constraints: Path) -> tuple[int, str]:
    """Install the wheel as the Makefile does, from its folder."""
    options = ["--disable-pip-version-check", "--no-index", "--find-links", str(wheel.parent)]
    options += ["--no-require-hashes", "-c", str(constraints)]
    options += ["--target", str(constraints.parent / "target")]
    done = subprocess.run(
        [sys.executable, "-m", "pip", "install", *options, "small-thing"],
        capture_output=True,
        text=True,
        check=False,
    )
    return done.returncode, done.stdout + done.stderr


def test_pip_takes_files_with_their_hash_only(wheel: Path, tmp_path: Path) -> None:
    digest = hashlib.sha256(wheel.read_bytes()).hexdigest()
    constraints = tmp_path / "constraints.txt"
    constraints.write_text("\n".join(lock.entry("small-thing", "1.0", ["0" * 64])))
    code, said = _install(wheel, constraints)
    assert code == 1
    assert "DO NOT MATCH THE HASHES" in said
    assert not (tmp_path / "target").exists()
    constraints.write_text("\n".join(lock.entry("small-thing", "1.0", sorted([digest, "0" * 64]))))
    assert _install(wheel, constraints)[0] == 0


def test_the_makefile_leaves_it_to_the_lock() -> None:
    text = (ROOT / "Makefile").read_text()
    assert "--no-require-hashes -c $(CONSTRAINTS) --build-constraint $(CONSTRAINTS)" in text
    assert text.count("-m pip install") == 2  # this and that of pip itself
    assert "-r $(VENV)/pip.txt" in text


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *words: object) -> None:
        """Say nothing."""


@pytest.fixture
def index(wheel: Path) -> Iterator[str]:
    """Serve an index with one package, one of whose files has no hash."""
    digest = hashlib.sha256(wheel.read_bytes()).hexdigest()
    folder = wheel.parent / "simple" / "small-thing"
    folder.mkdir(parents=True)
    links = [
        f'<a href="../../{wheel.name}#sha256={digest}">{wheel.name}</a>',
        f'<a href="../../small_thing-1.0-py3-none-win32.whl#sha256={"1" * 64}">other system</a>',
        f'<a href="../../small_thing-1.0.tar.gz#sha256={"2" * 64}">source</a>',
        f'<a href="../../Small.Thing-1.0.1.tar.gz#sha256={"3" * 64}">other version</a>',
        '<a href="../../small_thing-1.0.zip">no hash</a>',
    ]
    (folder / "index.html").write_text("\n".join(links))
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(_Quiet, directory=str(wheel.parent)))
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}/simple/"
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Path, Path]:
    """Let constraints and lock be files of the test."""
    made = tmp_path / "versions.txt", tmp_path / "lock.txt"
    monkeypatch.setattr(lock, "VERSIONS", made[0])
    monkeypatch.setattr(lock, "LOCK", made[1])
    return made


def test_a_lock_is_made_from_an_index(
    index: str, wheel: Path, files: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    files[0].write_text("# A comment.\nSmall_Thing==1.0\ntorch==2.13.0\n")
    monkeypatch.setattr(sys, "argv", ["lock", "--index", index])
    assert lock.main() == 0
    text = files[1].read_text()
    digest = hashlib.sha256(wheel.read_bytes()).hexdigest()
    assert locked_systems.entry_of("small-thing", text).count("--hash=") == 2
    assert digest in text
    assert "2" * 64 in text
    assert locked_systems.entry_of("torch", text) == "torch==2.13.0\n"
    assert _install(wheel, files[1])[0] == 0


def test_a_version_without_hashes_is_named_and_nothing_is_written(
    index: str,
    files: tuple[Path, Path],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    files[0].write_text("small-thing==2.0\n")
    monkeypatch.setattr(sys, "argv", ["lock", "--index", index])
    assert lock.main() == 1
    assert "no hashes of small-thing==2.0" in capsys.readouterr().err
    assert not files[1].exists()


def test_an_index_is_asked_for(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(lock, "pip_index", str)
    monkeypatch.setattr(sys, "argv", ["lock"])
    assert lock.main() == 2
    assert "make lock INDEX=URL" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("what", "answer", "reason"),
    [
        ("python_version_tuple", ("3", "14", "0"), "there are none for CPython 3.14"),
        ("python_implementation", "PyPy", "there are none for PyPy"),
        ("machine", "riscv64", "there are none for Linux riscv64"),
        ("libc_ver", ("", ""), "there are none for Linux without glibc"),
    ],
)
def test_other_systems_get_versions_and_are_told(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    what: str,
    answer: object,
    reason: str,
) -> None:
    here = {
        "python_version_tuple": ("3", "12", "1"),
        "python_implementation": "CPython",
        "system": "Linux",
        "machine": "x86_64",
        "libc_ver": ("glibc", "2.36"),
    }
    monkeypatch.delenv("HASHES", raising=False)
    monkeypatch.setattr(sys, "argv", ["locked_systems", str(tmp_path)])
    for name in here:
        monkeypatch.setattr(platform, name, partial(dict.__getitem__, here, name))
    assert locked_systems.main() == 0
    assert capsys.readouterr().err == ""
    assert (tmp_path / "constraints.txt").read_text() == locked_systems.LOCK.read_text()
    assert "--hash=sha256:" in (tmp_path / "pip.txt").read_text()
    monkeypatch.setattr(platform, what, lambda: answer)
    assert locked_systems.main() == 0
    assert f"by version only, not by hash: {reason}" in capsys.readouterr().err
    assert (tmp_path / "constraints.txt").read_text() == locked_systems.VERSIONS.read_text()
    assert (tmp_path / "pip.txt").read_text().startswith("pip==")


def test_hashes_can_be_left_out() -> None:
    assert locked_systems.why_not({"HASHES": "no"}) == "HASHES=no was given"
