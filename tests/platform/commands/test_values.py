"""Options are read as typer reads them, without what typer needs for it."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import pytest
import typer
from typer.core import TyperOption
from typer.testing import CliRunner

from pabal.platform.commands import values


class Colour(StrEnum):
    RED = "red"
    DARK_BLUE = "dark-blue"


LINES = (
    ["red", "x"],
    ["red", "x", "--number", "7", "--names", "a", "--names", "b", "--file", "/nowhere/at/all", "--on"],
    ["dark-blue", "x", "y", "--loud", "RED", "--number", "0", "--off", "--many", "3", "--many", "-4"],
    ["red", "x", "--number", " 7 "],
    ["red", "x", "--number", "1_000"],
    ["red", "x", "--number", "101"],
    ["red", "x", "--number", "-1"],
    ["red", "x", "--number", "seven"],
    ["red", "x", "--exact", "1.5"],
    ["red", "x", "--loud", "green"],
    ["RED", "x"],
    ["red"],
    [],
)


def make() -> tuple[typer.Typer, list[Any]]:
    seen: list[Any] = []
    app = typer.Typer(rich_markup_mode=None)

    @app.command()
    def paint(
        colour: Colour,
        things: list[str],
        number: Annotated[int, typer.Option(min=0, max=100)] = 5,
        many: list[int] | None = None,
        names: list[str] | None = None,
        loud: Annotated[Colour, typer.Option(case_sensitive=False)] = Colour.RED,
        file: Path | None = None,
        exact: float = 0.5,
        on: Annotated[bool | None, typer.Option("--on/--off")] = None,
    ) -> None:
        seen.append((colour, things, number, many, names, loud, file, exact, on))

    return app, seen


def read(line: list[str]) -> tuple[int, str, list[Any]]:
    app, seen = make()
    done = CliRunner().invoke(app, line)
    return done.exit_code, done.output, [[(type(one), one) for one in each] for each in seen]


@pytest.mark.parametrize("line", LINES, ids=" ".join)
def test_values_and_refusals_are_typers(line: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(TyperOption, "get_runtime_param", values._TYPERS)
    monkeypatch.setattr(typer.core.TyperArgument, "get_runtime_param", values._TYPERS)
    theirs = read(line)

    values.read_plainly()

    assert read(line) == theirs
