"""``python -m scripts.lock --index URL``: write ``constraints.lock`` from ``constraints.txt``.

The lock has the same versions, and the hashes of their files on the index, for all systems in
``locked_systems.py``. The index is any that pip can read; by default it is pip's.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from html.parser import HTMLParser
from urllib.parse import unquote, urlsplit
from urllib.request import urlopen

from scripts.locked_systems import LOCK, PYTHONS, SYSTEMS, VERSIONS, is_locked

#: Packages whose files differ between indexes, with the reason.
UNHASHED = {"torch": "builds for processors alone and for GPUs have one version and many indexes"}
COVERED = ", ".join(SYSTEMS).replace("Darwin", "macOS")
HEAD = f"""\
# Made by "make lock" from constraints.txt; do not edit. pip takes only files with these hashes.
# They are those of Python {PYTHONS[0]} to {PYTHONS[-1]} on {COVERED}.
"""


class Links(HTMLParser):
    """The files that a page of an index lists, and their hashes."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.hash_of: dict[str, str] = {}
        self.feed(page)

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        """Read the name of a file from its address, and its hash from the end of that."""
        address = urlsplit(dict(attributes).get("href") or "") if tag == "a" else None
        if address is not None and address.fragment.startswith("sha256="):
            name = unquote(address.path.rsplit("/", 1)[-1])
            self.hash_of[name] = address.fragment.removeprefix("sha256=")


def normal(name: str) -> str:
    """Return the name of a package as indexes spell it."""
    return re.sub(r"[-_.]+", "-", name).lower()


def pins(text: str) -> dict[str, str]:
    """Return the version of each package in constraints."""
    found = re.findall(r"^([A-Za-z0-9][\w.-]*)==([^\s;\\]+)", text, flags=re.MULTILINE)
    return {normal(name): version for name, version in found}


def version_in(filename: str, package: str) -> str:
    """Return the version in the name of a file, which spells the package in its own way."""
    stem = re.sub(r"\.(whl|tar\.gz|zip)$", "", filename)
    if filename.endswith(".whl"):
        return stem.split("-")[1]
    spelled = r"[-_.]+".join(map(re.escape, package.split("-")))
    return re.sub(rf"^{spelled}-", "", stem, flags=re.IGNORECASE)


def hashes(page: str, package: str, version: str) -> list[str]:
    """Return the hashes of the files of a version, for all systems that are locked."""
    found = Links(page).hash_of.items()
    return sorted(
        {
            digest
            for name, digest in found
            if is_locked(name) and version_in(name, package) == version
        }
    )


def entry(package: str, version: str, digests: list[str]) -> Iterator[str]:
    """Return the lines of a package."""
    if package in UNHASHED:
        yield f"# No hash: {UNHASHED[package]}."
    yield " \\\n    ".join([f"{package}=={version}", *(f"--hash=sha256:{one}" for one in digests)])


def pip_index() -> str:
    """Return the index that pip is told to read, if any."""
    asked = [sys.executable, "-m", "pip", "config", "get", "global.index-url"]
    told = subprocess.run(asked, capture_output=True, text=True, check=False).stdout.strip()
    return os.environ.get("PIP_INDEX_URL", "") or told


def main() -> int:
    """Read the page of every package, and write the lock."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0].strip("`"))
    parser.add_argument("--index", default="", help="address of the index, as pip's --index-url")
    index = (parser.parse_args().index or pip_index()).rstrip("/")
    if not index:
        sys.stderr.write("pip names no index. Give its address: make lock INDEX=URL\n")
        return 2
    versions = sorted(pins(VERSIONS.read_text()).items())

    def read(pin: tuple[str, str]) -> list[str]:
        package, version = pin
        if package in UNHASHED:
            return []
        with urlopen(f"{index}/{package}/", timeout=60) as page:
            return hashes(page.read().decode(), package, version)

    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(read, versions))
    lines = [HEAD]
    missing = []
    for (package, version), digests in zip(versions, found, strict=True):
        if not digests and package not in UNHASHED:
            missing.append(f"{package}=={version}")
        lines.extend(entry(package, version, digests))
    if missing:
        sys.stderr.write(f"The index has no hashes of {', '.join(missing)}. Nothing is written.\n")
        return 1
    LOCK.write_text("\n".join(lines) + "\n")
    sys.stdout.write(f"{len(versions)} packages, {sum(map(len, found))} hashes in {LOCK.name}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
