"""``python scripts/locked_systems.py FOLDER``: put the constraints that fit this system there.

They are in ``constraints.txt``; ``pip.txt`` has those of pip alone, as old pips want them.

Where ``constraints.lock`` has the hashes of all packages, that is the lock; elsewhere, and if the
variable ``HASHES`` is ``no``, it is ``constraints.txt``, which has versions only. It says so.
"""

from __future__ import annotations

import os
import platform
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
VERSIONS, LOCK = ROOT / "constraints.txt", ROOT / "constraints.lock"
PYTHONS = ("3.11", "3.12", "3.13")
#: Systems whose files are in the lock, as Python names them, with their tags in names of wheels.
SYSTEMS = {
    "Linux x86_64": r"manylinux.*_x86_64",
    "Linux aarch64": r"manylinux.*_aarch64",
    "Darwin arm64": r"macosx_.*_(arm64|universal2)",
    "Darwin x86_64": r"macosx_.*_(x86_64|intel|universal2)",
}


def is_locked(filename: str) -> bool:
    """Say whether a file of a package is for one of the systems, or for all."""
    if not filename.endswith(".whl"):
        return filename.endswith((".tar.gz", ".zip"))
    pythons, abis, systems = (part.split(".") for part in filename[:-4].split("-")[-3:])
    return any(_is_python(tag, abi) for tag in pythons for abi in abis) and any(
        tag == "any" or _is_system(tag) for tag in systems
    )


def _is_python(tag: str, abi: str) -> bool:
    exact = [python.replace(".", "") for python in PYTHONS]
    if abi == "abi3":  # which later versions can read
        return tag.startswith("cp3")
    return tag in ("py3", *(f"py{one}" for one in exact)) or (
        tag in [f"cp{one}" for one in exact] and abi in ("none", tag)
    )


def _is_system(tag: str) -> bool:
    return any(re.fullmatch(pattern, tag) for pattern in SYSTEMS.values())


def why_not(environment: dict[str, str]) -> str:
    """Return why hashes are not checked here; nothing if they are."""
    if environment.get("HASHES") == "no":
        return "HASHES=no was given"
    python, system = ".".join(platform.python_version_tuple()[:2]), platform.system()
    if platform.python_implementation() != "CPython" or python not in PYTHONS:
        return f"there are none for {platform.python_implementation()} {python}"
    if f"{system} {platform.machine()}" not in SYSTEMS:
        return f"there are none for {system} {platform.machine()}"
    if system == "Linux" and platform.libc_ver()[0] != "glibc":
        return "there are none for Linux without glibc"
    return ""


def entry_of(package: str, text: str) -> str:
    """Return the lines of a package in constraints."""
    found = re.search(rf"^{package}==[^\\\n]*(\\\n[^\\\n]*)*$", text, flags=re.MULTILINE)
    return f"{found[0]}\n" if found else ""


def main() -> int:
    """Write the constraints; say where packages are not checked by their hashes."""
    reason = why_not(dict(os.environ))
    if reason:
        sys.stderr.write(f"Packages are checked by version only, not by hash: {reason}.\n")
    text = (VERSIONS if reason else LOCK).read_text()
    Path(sys.argv[1], "constraints.txt").write_text(text)
    Path(sys.argv[1], "pip.txt").write_text(entry_of("pip", text))
    return 0


if __name__ == "__main__":
    sys.exit(main())
