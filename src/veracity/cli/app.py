"""The application: its commands, its exit codes, and what an error looks like."""

from __future__ import annotations

import os
import sys
from typing import Annotated

import click
import typer

import veracity
from veracity.cli.discover import discover
from veracity.cli.generate import generate
from veracity.cli.inspect import inspect
from veracity.errors import VeracityError

DONE, OUR_FAULT, WRONG_INPUT, INTERRUPTED = 0, 1, 2, 130

app = typer.Typer(
    name="veracity",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command()(discover)
app.command()(inspect)
app.command()(generate)


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"veracity {veracity.__version__}")
        raise typer.Exit


@app.callback()
def veracity_command(
    version: Annotated[
        bool,
        typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version."),
    ] = False,
) -> None:
    """Find out which of many conflicting claims to believe, and whom to trust."""


def main() -> None:
    """Run the command line; exit with 0 when done, 2 for wrong input, 1 for a fault of ours."""
    sys.exit(run(sys.argv[1:]))


def run(arguments: list[str]) -> int:
    """Run the command line with arguments and return its exit code."""
    try:
        code = typer.main.get_command(app).main(arguments, "veracity", standalone_mode=False)
        return code if isinstance(code, int) else DONE
    except click.ClickException as error:
        error.show()
        return error.exit_code
    except VeracityError as error:
        _say(f"Error: {error}")
        return WRONG_INPUT
    except (KeyboardInterrupt, click.Abort):
        _say("Interrupted: nothing was written.")
        return INTERRUPTED
    except BrokenPipeError:
        # Whoever reads our output has seen enough; keep Python from complaining at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return DONE
    except Exception as error:
        if os.environ.get("VERACITY_DEBUG"):
            raise
        _say(
            f"veracity failed: {type(error).__name__}: {error}\n"
            "This is a fault of veracity, not of your input. Please report it, with what the same "
            "command prints when the environment variable VERACITY_DEBUG is set to 1."
        )
        return OUR_FAULT


def _say(text: str) -> None:
    print(text, file=sys.stderr)  # noqa: T201
