"""The tree of commands: quick to list, written down, and careful where it changes something."""

import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import typer.main

from pabal.cli.app import COMMANDS, app
from tests.support.cli import ROOT, environment

HEAVY = ("asyncio", "asyncpg", "fastapi", "httpx2", "jinja2", "PIL", "pydantic", "rich", "starlette", "structlog")


def leaves() -> Iterator[tuple[str, Any]]:
    """Every command as it is typed, `jobs list`, and what it is."""
    root = typer.main.get_command(app)
    assert [command.name for command in COMMANDS] == list(root.commands)  # type: ignore[attr-defined]  # it is a group
    for command in COMMANDS:
        yield from _below(str(command.name), command.load())


def _below(path: str, command: Any) -> Iterator[tuple[str, Any]]:
    if not hasattr(command, "commands"):
        yield path, command
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

    assert [leaf for leaf, _ in leaves() if f"$ pabal {leaf}" not in page] == []


def test_the_list_says_of_each_command_what_it_says_of_itself() -> None:
    unlike = [
        command.name
        for command in COMMANDS
        if not " ".join((command.load().help or "").split()).startswith((command.help or "").rstrip("."))
    ]

    assert unlike == []


def test_every_command_that_changes_something_can_be_tried_first() -> None:
    verbs = {"add", "rename", "move", "remove", "edit", "deactivate", "link", "reset-password", "make", "rotate"}
    verbs |= {"revoke", "set", "reset", "take", "check", "ack", "silence", "unsilence", "load", "clear", "test"}
    verbs |= {"cancel", "retry", "pause", "resume"}
    # these two only read
    reading = ("msg load", "ad migration check")
    changing = {leaf: one for leaf, one in leaves() if leaf.split()[-1] in verbs and leaf not in reading}

    assert len(changing) > 25
    assert [leaf for leaf, one in changing.items() if "dry_run" not in {each.name for each in one.params}] == []
