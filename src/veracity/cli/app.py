"""The application: its commands, its exit codes, and what an error looks like."""

from __future__ import annotations

import io
import os
import signal
import sys
from copy import copy
from typing import Annotated, Any

import typer
from typer.models import CommandInfo

import veracity
from veracity.cli.accept import accept
from veracity.cli.audit import audit
from veracity.cli.compare import compare
from veracity.cli.disagreements import disagreements
from veracity.cli.discover import discover
from veracity.cli.explain import explain
from veracity.cli.generate import generate
from veracity.cli.golden import golden
from veracity.cli.inspect import inspect
from veracity.cli.jury import jury
from veracity.cli.label import label
from veracity.cli.marks import marks
from veracity.cli.plain_values import keep_plain_values
from veracity.cli.process import collect_from_now
from veracity.cli.report import report
from veracity.cli.score import score
from veracity.cli.scoreboard import scoreboard
from veracity.cli.serve import serve
from veracity.cli.tune import tune
from veracity.cli.update import update
from veracity.cli.verify import verify
from veracity.errors import ImpossibleResult, VeracityError

DONE, OUR_FAULT, WRONG_INPUT, INTERRUPTED = 0, 1, 2, 130
NAME = "veracity"
#: Set by the shell when it asks how a command line may go on.
COMPLETION_VARIABLE = "_VERACITY_COMPLETE"
#: What typer raises for a wrong command or option. By its version it is click's class or a copy of
#: it, and in both the parent of `BadParameter`.
USAGE_ERROR: Any = typer.BadParameter.__mro__[1]

app = typer.Typer(
    name=NAME,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command()(discover)
app.command()(golden)
app.command()(jury)
app.command()(update)
app.command()(explain)
app.command()(report)
app.command()(verify)
app.command()(serve)
app.command()(marks)
app.command()(audit)
app.command()(accept)
app.command()(label)
app.command()(score)
app.command()(inspect)
app.command()(disagreements)
app.command()(tune)
app.command()(compare)
app.command()(scoreboard)
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
    """Find out which of many conflicting claims to believe, and which sources to trust."""


def main() -> None:
    """Run the command line; exit with 0 when done, 2 for wrong input, 1 for a fault of ours."""
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # so that we clean up then, too
    if sys.stdout is None:  # closed by the caller
        sys.stdout = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115
    elif isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")  # emoji on a terminal without them
    arguments = sys.argv[1:]
    if len(arguments) > 1 and "--help" not in arguments:  # a command that works on tables
        from veracity.data.buffers import keep_pandas_out

        keep_pandas_out()
    sys.exit(run(arguments))


def run(arguments: list[str]) -> int:
    """Run the command line with arguments and return its exit code."""
    try:
        _invoke(arguments)
        sys.stdout.flush()  # at exit it would be too late to handle a closed pipe
        return DONE
    except typer.Exit as exit:
        return exit.exit_code
    except USAGE_ERROR as error:
        _say_usage(error)
        return WRONG_INPUT
    except VeracityError as error:
        _say(f"Error: {error}")
        return OUR_FAULT if isinstance(error, ImpossibleResult) else WRONG_INPUT
    except (KeyboardInterrupt, typer.Abort):
        _say("Interrupted. Results are written completely or not at all.")
        return INTERRUPTED
    except BrokenPipeError:
        _forget_output()  # whoever reads our output has seen enough
        return DONE
    except SystemExit as exit:
        if isinstance(exit.__context__, BrokenPipeError):  # rich saw it first
            return DONE
        raise
    except OSError as error:
        _forget_output()
        _say(f"Error: the operating system reported: {error}.")
        return WRONG_INPUT
    except Exception as error:
        if os.environ.get("VERACITY_DEBUG"):
            raise
        _say(
            f"veracity failed: {type(error).__name__}: {error}\n"
            "This is a fault of veracity, not of your input. Please report it, with what the same "
            "command prints when the environment variable VERACITY_DEBUG is set to 1."
        )
        return OUR_FAULT


def _invoke(arguments: list[str]) -> None:
    """Run a command without typer's own handling of errors."""
    command = typer.main.get_command(_app_for(arguments))
    keep_plain_values(command)
    if COMPLETION_VARIABLE in os.environ:
        command.main(arguments, NAME)  # answers the shell and exits
    with command.make_context(NAME, arguments) as context:
        collect_from_now()
        command.invoke(context)


def _app_for(arguments: list[str]) -> typer.Typer:
    """Return the application with only what the arguments need: making all commands takes a while.

    Without the name of a command there is at most the help, which shows what each is for.
    """
    name = next((argument for argument in arguments if not argument.startswith("-")), None)
    known = {one.callback.__name__: one for one in app.registered_commands if one.callback}
    if COMPLETION_VARIABLE in os.environ or (name is not None and name not in known):
        return app
    needed = copy(app)
    needed.registered_commands = [known[name]] if name else list(map(_described, known.values()))
    return needed


def _described(command: CommandInfo) -> CommandInfo:
    """Return a command without its options."""

    def nothing() -> None: ...

    assert command.callback is not None
    nothing.__name__, nothing.__doc__ = command.callback.__name__, command.callback.__doc__
    described = copy(command)
    described.callback = nothing
    return described


def _say_usage(error: Any) -> None:
    message = error.format_message()
    if not message:  # no arguments at all, and the help was shown
        return
    path = error.ctx.command_path if error.ctx else NAME
    stop = "" if message.endswith((".", "?")) else "."
    _say(f"Error: {message}{stop} `{path} --help` lists the options.")


def _forget_output() -> None:
    """Keep Python from complaining at exit about output that nobody takes."""
    try:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except (OSError, ValueError):  # standard output is no file, as in tests
        return


def _say(text: str) -> None:
    print(text, file=sys.stderr)  # noqa: T201
