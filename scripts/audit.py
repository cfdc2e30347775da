"""Look for known weaknesses of what is installed; say plainly what could not be checked."""

from __future__ import annotations

import json
import subprocess
import sys

#: What the tool says when nobody answers.
NO_NETWORK = ("ConnectionError", "Max retries", "Timeout", "timed out")
#: How many packages without an answer are named.
NAMED = 5


def main() -> int:
    """Run pip-audit; fail for weaknesses and for faults, not for want of a network."""
    done = subprocess.run(
        [sys.executable, "-m", "pip_audit", "--format", "json", "--progress-spinner", "off"],
        capture_output=True,
        text=True,
        check=False,
    )
    try:
        packages = json.loads(done.stdout)["dependencies"]
    except (ValueError, KeyError):
        unreachable = any(sign in done.stderr for sign in NO_NETWORK)
        sys.stdout.write(f"not checked: {done.stderr.strip()[-300:]}\n")
        return 0 if unreachable else 1
    checked = [one for one in packages if "vulns" in one]
    weak = [one for one in checked if one["vulns"]]
    for one in weak:
        ids = ", ".join(found["id"] for found in one["vulns"])
        sys.stdout.write(f"{one['name']} {one['version']}: {ids}\n")
    unknown = [one["name"] for one in packages if "vulns" not in one]
    if unknown:
        few = ", ".join(unknown[:NAMED]) + (", ..." if len(unknown) > NAMED else "")
        sys.stdout.write(f"not checked: no answer about {len(unknown)} packages ({few})\n")
    sys.stdout.write(f"{len(checked)} packages checked, {len(weak)} with known weaknesses.\n")
    return 1 if weak else 0


if __name__ == "__main__":
    sys.exit(main())
