"""The tree of commands: quick to list, written down, and careful where it changes something."""

import json
import subprocess
import sys
from collections.abc import Iterable, Iterator
from typing import Any

import typer.main

from pabal.cli.app import COMMANDS, app
from pabal.cli.exits import REFUSED
from pabal.platform.commands.tree import Later
from tests.support.cli import ROOT, environment, leaves


def every_leaf() -> Iterator[tuple[str, Any]]:
    root = typer.main.get_command(app)
    assert [command.name for command in COMMANDS] == list(root.commands)  # type: ignore[attr-defined]  # it is a group
    for command in COMMANDS:
        yield from leaves(str(command.name), command)


def test_no_command_imports_what_it_works_with_to_help_or_to_refuse() -> None:
    """One process for all of them: what none imports is not there at the end, and the first who does is named."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.support.walk"],
        cwd=ROOT,
        env=environment(PYTHONPATH=f"{ROOT / 'src'}:{ROOT}", PABAL_DATA_DIR="/nowhere"),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )

    assert done.stderr == ""
    walked = [json.loads(line) for line in done.stdout.splitlines()]
    assert [one for one in walked if one["imported"]] == []
    assert {one["code"] for one in walked if one["arguments"][-1] == "--help"} == {0}
    assert {one["code"] for one in walked if one["arguments"][-1] == "--nonsense"} == {2}
    assert {one["code"] for one in walked if one["arguments"][-1].endswith("/nowhere/at/all")} == {2}
    assert {tuple(one["arguments"][:-1]) for one in walked} >= {tuple(leaf.split()) for leaf, _ in every_leaf()}
    assert sum(one["code"] == REFUSED for one in walked) > 8


def test_every_command_is_written_down_with_an_example() -> None:
    page = (ROOT / "docs" / "operations" / "cli.md").read_text(encoding="utf-8")

    assert [leaf for leaf, _ in every_leaf() if f"$ pabal {leaf}" not in page] == []


def test_the_list_says_of_each_command_what_it_says_of_itself() -> None:
    assert [path for path, named in _every_name("pabal", COMMANDS) if not _agree(named)] == []


def _every_name(path: str, commands: Iterable[Any]) -> Iterator[tuple[str, Later]]:
    for command in commands:
        if isinstance(command, Later):
            yield f"{path} {command.name}", command
            yield from _every_name(f"{path} {command.name}", getattr(command.load(), "commands", {}).values())


def _agree(named: Later) -> bool:
    return " ".join((named.load().help or "").split()).startswith((named.help or "").rstrip("."))


def test_every_command_that_changes_something_can_be_tried_first() -> None:
    verbs = {"add", "rename", "move", "remove", "edit", "deactivate", "link", "reset-password", "make", "rotate"}
    verbs |= {"revoke", "set", "reset", "take", "check", "ack", "silence", "unsilence", "load", "clear", "test"}
    verbs |= {"cancel", "retry", "pause", "resume"}
    # these only read
    reading = ("msg load", "ad migration check", "render mapping check", "render mapping test", "rule check")
    changing = {leaf: one for leaf, one in every_leaf() if leaf.split()[-1] in verbs and leaf not in reading}

    assert len(changing) > 25
    assert [leaf for leaf, one in changing.items() if "dry_run" not in {each.name for each in one.params}] == []
