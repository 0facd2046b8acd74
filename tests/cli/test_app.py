"""The tree of commands: quick to list, written down, and open to the commands of an app."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import typer.main

from pabal.cli.app import COMMANDS, app
from tests.cli.inside import Inside
from tests.support.cli import ROOT, environment

HEAVY = ("asyncio", "asyncpg", "fastapi", "httpx2", "jinja2", "PIL", "pydantic", "rich", "starlette", "structlog")
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


def leaves() -> Iterator[str]:
    """Every command as it is typed: `jobs list`."""
    root = typer.main.get_command(app)
    assert [command.name for command in COMMANDS] == list(root.commands)  # type: ignore[attr-defined]  # it is a group
    for command in COMMANDS:
        yield from _below(str(command.name), command.load())


def _below(path: str, command: Any) -> Iterator[str]:
    if not hasattr(command, "commands"):
        yield path
        return
    for name, one in command.commands.items():
        yield from _below(f"{path} {name}", one)


def test_the_tree_is_listed_without_importing_anything_heavy() -> None:
    listing = f"""
import sys
from pabal.cli.app import app
try:
    app(args=["--help"])
except SystemExit:
    pass
sys.exit(", ".join(name for name in {HEAVY!r} if name in sys.modules) or 0)
"""
    done = subprocess.run(
        [sys.executable, "-c", listing], env=environment(), capture_output=True, text=True, check=False, timeout=60
    )

    assert (done.returncode, done.stderr) == (0, "")
    assert "backup" in done.stdout


def test_every_command_is_written_down_with_an_example() -> None:
    page = (ROOT / "docs" / "operations" / "cli.md").read_text(encoding="utf-8")

    assert [leaf for leaf in leaves() if f"$ pabal {leaf}" not in page] == []


def test_the_list_says_of_each_command_what_it_says_of_itself() -> None:
    unlike = [
        command.name
        for command in COMMANDS
        if not " ".join((command.load().help or "").split()).startswith((command.help or "").rstrip("."))
    ]

    assert unlike == []


def test_every_command_that_changes_something_can_be_tried_first() -> None:
    verbs = ("add", "rename", "move", "remove", "edit", "deactivate", "link", "reset-password", "make", "rotate")
    verbs += ("revoke", "set", "reset", "take", "check", "ack", "silence", "unsilence", "load", "clear", "test")
    verbs += ("cancel", "retry", "pause", "resume")
    found = [(leaf, command) for command in COMMANDS for leaf, command in _commands(str(command.name), command.load())]

    without = [leaf for leaf, one in found if leaf.split()[-1] in verbs and "dry_run" not in [p.name for p in one.params]]

    assert len(found) > 50
    assert without == []


def _commands(path: str, command: Any) -> Iterator[tuple[str, Any]]:
    if not hasattr(command, "commands"):
        yield path, command
        return
    for name, one in command.commands.items():
        yield from _commands(f"{path} {name}", one)


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
