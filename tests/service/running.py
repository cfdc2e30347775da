"""Claims of every kind, and how to serve them."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from fastapi.testclient import TestClient

from veracity import Attribute
from veracity.service.app import create_app
from veracity.service.settings import ServiceSettings
from veracity.service.store import RunStore

HOST = "testserver"
TIME_LIMIT = 120

SOURCES = ("ann", "bob", "cat", "dan")


def text_claims() -> dict[str, list[Any]]:
    """Return claims about twelve items with one true value, and a feature of each sort."""
    rows = [
        (source, f"e{entity:02d}", f"v{(entity * (1 + place) + entity // 5) % 3}")
        for entity in range(12)
        for place, source in enumerate(SOURCES)
        if (entity + place) % 4
    ]
    return {
        "source": [row[0] for row in rows],
        "entity": [row[1] for row in rows],
        "attribute": ["colour"] * len(rows),
        "value": [row[2] for row in rows],
        "claim_words": [float(place % 5) if place % 7 else None for place in range(len(rows))],
        "source_kind": ["pro" if row[0] in "ann bob" else "fan" for row in rows],
        "entity_old": [int(row[1][1:]) % 2 == 0 for row in rows],
    }


def boolean_claims() -> dict[str, list[Any]]:
    """Return claims that say yes or no, and in one case only no."""
    said = ["yes", "no", "yes", "no", "no", "no", "yes", "yes", "yes", "no"]
    return {
        "source": ["ann", "bob", "cat", "ann", "bob", "cat", "ann", "bob", "cat", "dan"],
        "entity": ["shop"] * 3 + ["bank"] * 3 + ["mill"] * 3 + ["pub"],
        "attribute": ["open"] * 10,
        "value": said,
    }


def multiple_claims() -> dict[str, list[Any]]:
    """Return claims that name several values."""
    return {
        "source": ["ann", "ann", "bob", "cat", "cat", "dan", "ann", "ann", "bob", "bob"],
        "entity": ["book"] * 6 + ["play"] * 4,
        "attribute": ["author"] * 10,
        "value": ["Kim", "Lee", "Kim", "Kim", "Lee", "Poe", "Orr", "Nye", "Orr", "Nye"],
    }


def number_claims() -> dict[str, list[Any]]:
    """Return claims whose values are numbers."""
    values = ["10", "11", "10.4", "200", "201", "190", "3", "3", "4"]
    return {
        "source": ["ann", "bob", "cat"] * 3,
        "entity": ["sea"] * 3 + ["hill"] * 3 + ["pond"] * 3,
        "attribute": ["height"] * 9,
        "value": values,
    }


NUMBER = Attribute(kind="single", values="number")
KNOWN = {"entity": ["e00", "e01"], "attribute": ["colour"] * 2, "value": ["v0", "never claimed"]}

#: Claims, options of `discover`, and options of `save`, by name.
RUNS: dict[str, tuple[Any, dict[str, Any], dict[str, Any]]] = {
    "text": (text_claims(), {"model": "grbm"}, {}),
    "csv": (text_claims(), {"model": "grbm"}, {"format": "csv", "escape": True}),
    "gz": (text_claims(), {"model": "grbm"}, {"format": "csv.gz"}),
    "jsonl": (text_claims(), {"model": "grbm"}, {"format": "jsonl"}),
    "vote": (text_claims(), {"model": "vote"}, {}),
    "rbm": (text_claims(), {"model": "rbm"}, {}),
    "paper": (text_claims(), {"model": "grbm-paper"}, {}),
    "boolean": (boolean_claims(), {"model": "grbm"}, {}),
    "multiple": (multiple_claims(), {"model": "grbm", "attributes": {"author": "multiple"}}, {}),
    "number": (number_claims(), {"model": "gtm", "attributes": {"height": NUMBER}}, {}),
    "known": (text_claims(), {"model": "grbm", "known_truth": KNOWN}, {}),
    "dawid-skene": (text_claims(), {"model": "dawid-skene"}, {}),
}

SCRIPT = "<script>alert(1)</script>"
FORMULA = "=HYPERLINK('x')"
NAUGHTY = {
    "source": [SCRIPT, "bob%", "c_t", "dan\\d"] * 2,
    "entity": [FORMULA] * 4 + ["50% _off_ [a-z]* 'q' \"q\""] * 4,
    "attribute": ["<b>colour</b>"] * 8,
    "value": [SCRIPT, "+1+1", "@cmd", SCRIPT, "a%b", "a_b", "a.b", "ÀÉ"],
}


@contextmanager
def client_of(folder: Path, **settings: Any) -> Iterator[TestClient]:
    """Serve a run in process, loaded."""
    chosen = replace(ServiceSettings(hosts=(HOST,)), **settings)
    app = create_app(folder, chosen)
    with TestClient(app, base_url=f"http://{HOST}", raise_server_exceptions=False) as client:
        assert app.state.service.wait(TIME_LIMIT)
        yield client


def store_at(folder: Path) -> RunStore:
    """Open a run without a server."""
    return RunStore.open(folder, ServiceSettings())


@contextmanager
def process(folder: Path, *options: str) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """Serve a run in a process of its own; give it and its address, loaded."""
    command = [sys.executable, "-m", "veracity", "serve", str(folder), "--port", "0", *options]
    server = subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
        env=os.environ | {"VERACITY_TOKEN": ""},
    )
    assert server.stdout is not None
    try:
        found = re.search(r" at (http://\S+)", server.stdout.readline())
        assert found, server.stderr.read() if server.stderr else ""
        assert "loaded" in server.stdout.readline()
        yield server, found[1].rstrip("/")
    finally:
        if server.poll() is None:
            server.send_signal(signal.SIGKILL)
        server.communicate(timeout=TIME_LIMIT)
