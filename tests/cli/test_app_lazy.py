"""An app brings its own commands; one that is broken hides nothing."""

from pathlib import Path

import pytest

from tests.cli.inside import Inside

MINE = """
import typer

from pabal.cli.shell import Shell
from pabal.platform.slice import Slice

app = typer.Typer(help="What mine can do.")


@app.command()
def greet(ctx: typer.Context, name: str) -> None:
    "Say hello."
    shell: Shell = ctx.obj
    typer.echo(f"{shell.lang} {shell.output} {name}")


@app.command()
def part() -> None:
    "Say goodbye."


SLICE = Slice("mine", commands=__name__)
"""


async def test_an_app_brings_its_own_commands_under_its_name(run: Inside, tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    file.write_text(MINE)

    greeted = await run("mine", "greet", "kim", "--app", str(file), "-o", "json", "--lang", "ko")
    by_setting = await run("mine", "greet", "kim", PABAL_APPS=str(file))
    helped = await run("--help", "--app", str(file))
    own = await run("mine", "--help", "--app", str(file))

    assert greeted.out == "ko json kim\n"
    assert by_setting.out == "en table kim\n"
    assert "What mine can do." in helped.out
    assert "Say goodbye." in own.out


async def test_the_commands_of_a_package_are_found_without_loading_it(
    run: Inside, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its SLICE cannot even be made here, and nobody asks for it."""
    package = tmp_path / "quickapp"
    package.mkdir()
    (package / "__init__.py").write_text("def __getattr__(name):\n    raise ValueError('no paper')")
    (package / "cli.py").write_text(MINE.partition("SLICE =")[0])
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "pabal.toml").write_text('apps = "quickapp:SLICE"')

    greeted = await run("quickapp", "greet", "kim", "--app", "quickapp")
    by_setting = await run("quickapp", "greet", "kim", PABAL_APPS="pabal.apps.messaging, quickapp:SLICE")
    by_file = await run("quickapp", "greet", "kim", PABAL_CONFIG=str(tmp_path / "pabal.toml"))
    helped = await run("--help", "--app", "quickapp")

    assert greeted.out == by_setting.out == by_file.out == "en table kim\n"
    assert "What mine can do." in helped.out


async def test_commands_that_cannot_be_imported_are_named(
    run: Inside, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = tmp_path / "brokenapp"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "cli.py").write_text("import nowhere_at_all")
    monkeypatch.syspath_prepend(tmp_path)

    told = await run("brokenapp", "greet", "--app", "brokenapp")
    helped = await run("--help", "--app", "brokenapp")

    assert (told.code, "nowhere_at_all" in told.err) == (2, True)
    assert (helped.code, "doctor" in helped.out) == (0, True)


async def test_without_the_app_there_is_no_such_command_and_a_likely_one_is_named(run: Inside) -> None:
    unknown = await run("mine", "greet", "kim")
    mistyped = await run("bakcup", "list")

    assert (unknown.code, mistyped.code) == (2, 2)
    assert "'backup'" in mistyped.err


async def test_a_broken_app_is_named_by_its_command_and_hides_no_help(run: Inside, tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    file.write_text("raise ValueError('no paper')")

    told = await run("mine", "greet", "kim", "--app", str(file))
    helped = await run("--help", "--app", str(file))

    assert (told.code, "no paper" in told.err) == (2, True)
    assert helped.code == 0
    assert "doctor" in helped.out
