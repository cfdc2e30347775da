"""Help: every option is there, and says what it is for."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import typer

import veracity as library
from veracity.cli.app import app

Command = Callable[..., Any]

GROUP: Any = typer.main.get_command(app)
COMMANDS = sorted(GROUP.commands)


def test_the_commands_are_listed(veracity: Command) -> None:
    done = veracity("--help")
    assert done.code == 0
    assert [
        *("accept", "audit", "compare", "disagreements", "discover", "explain", "generate"),
        *("golden", "inspect", "jury", "label", "marks", "report", "score", "scoreboard", "serve"),
        *("tune", "update", "verify"),
    ] == COMMANDS
    assert all(command in done.out for command in COMMANDS)
    assert veracity("-h").out == done.out


def test_without_arguments_the_help_is_shown(veracity: Command) -> None:
    done = veracity()
    assert done.code == 2
    assert "discover" in done.out + done.err
    assert "failed" not in done.err


@pytest.mark.parametrize("command", ["", *COMMANDS])
def test_every_option_is_explained(
    veracity: Command, command: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.setenv("TERMINAL_WIDTH", "200")
    shown = veracity(*filter(None, [command, "--help"])).out
    for parameter in (GROUP.commands[command] if command else GROUP).params:
        assert parameter.help, f"{parameter.name} needs a help text"
        names = [name for name in parameter.opts if name.startswith("--")] or [
            parameter.metavar or parameter.name.upper()
        ]
        assert all(name.strip("[]") in shown for name in names)


def test_version(veracity: Command) -> None:
    done = veracity("--version")
    assert (done.code, done.out) == (0, f"veracity {library.__version__}\n")


def test_completion_still_works(shell: Command) -> None:
    done = shell(_VERACITY_COMPLETE="complete_bash", COMP_WORDS="veracity disc", COMP_CWORD="1")
    assert done.out.split() == ["discover"]
