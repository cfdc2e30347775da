"""Values of options that are taken as they are mean what typer makes of them."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import pytest
import typer

from veracity.cli.plain_values import keep_plain_values

WRONG: Any = typer.BadParameter.__mro__[1]


def described(wanted: bool) -> bool:
    """Turn a flag round, to show that callbacks are called."""
    return not wanted


def command(
    place: str,
    output: Annotated[str, typer.Option("-o")],
    name: str | None = None,
    size: Annotated[int, typer.Option(min=0)] = 3,
    share: float = 0.5,
    form: Literal["long", "wide"] = "long",
    each: list[str] | None = None,
    flag: bool = False,
    turned: Annotated[bool, typer.Option(callback=described)] = False,
) -> None:
    """Do nothing."""


def parsed(arguments: list[str], plain: bool) -> dict[str, Any]:
    """Return what a command is called with."""
    app = typer.Typer()
    app.command()(command)
    made: Any = typer.main.get_command(app)
    if plain:
        keep_plain_values(made)
    return dict(made.make_context("command", list(arguments)).params)


@pytest.mark.parametrize(
    "options",
    [
        "",
        "--name sky --size 4 --share 0.25",
        "--form wide --flag --turned",
        "--each a --each b",
        "--size 0 --no-flag",
    ],
)
def test_values_are_the_same(options: str) -> None:
    arguments = ["claims.csv", "-o", "out", *options.split()]
    found, expected = parsed(arguments, True), parsed(arguments, False)
    assert {name: found[name] or None for name in found} == {
        name: expected[name] or None for name in expected
    }
    assert {type(found[name]) for name in ("size", "share")} == {int, float}


@pytest.mark.parametrize(
    "arguments",
    [
        "claims.csv",
        "-o out",
        "claims.csv -o out --size -1",
        "claims.csv -o out --size many",
        "claims.csv -o out --form narrow",
    ],
)
def test_wrong_values_are_refused_alike(arguments: str) -> None:
    said = []
    for plain in (True, False):
        with pytest.raises(WRONG) as caught:
            parsed(arguments.split(), plain)
        said.append(caught.value.format_message())
    assert said[0] == said[1]
