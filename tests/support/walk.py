"""A program: every command with --help, with nonsense, with nothing and unconfirmed; a line of JSON tells of each.

It is told which of the modules that only work needs were imported for it.
"""

import io
import json
import sys
from collections.abc import Iterator
from contextlib import redirect_stderr, redirect_stdout
from itertools import chain
from typing import Any

from pabal.cli.app import COMMANDS, app, hoist
from pabal.platform.commands.tree import Later

LIBRARIES = (
    *("aiosql", "asyncio", "asyncpg", "fastapi", "httpx2", "jinja2", "PIL", "prometheus_client", "pydantic"),
    *("rich", "starlette", "structlog", "uvloop"),
)
# rooms of our own, below `pabal.`, whose code is work; the names of an app's begin behind the app's
ROOMS = ("base.database", "base.settings", "platform.slice", "platform.tenants", "main")
OF_AN_APP = ("actions", "store", "jobs", "slice", "api", "pages")
# they look into the database, or for a backup, before they ask; the last asks about some events only
ASK_LATER = (("msg", "schedule", "send-now"), ("db", "restore"), ("ad", "send"), ("render", "stuck"))

# an event that is asked about; and a file that is not there is no reason to ask the database either
REFUSED = (
    ("ad", "send", "delete", "7"),
    ("msg", "schedule", "new", "--room", "7", "--text", "@/nowhere/at/all"),
    ("msg", "schedule", "edit", "7", "--images1", "/nowhere/at/all"),
    ("msg", "template", "save", "7", "--images2", "/nowhere/at/all"),
    ("ad", "migration", "check", "/nowhere/at/all"),
)


def list_lines(path: tuple[str, ...], command: Any) -> Iterator[tuple[str, ...]]:
    """What to type: a command that asks first is also run as if somebody wanted it, where nobody can be asked."""
    found = command.load() if isinstance(command, Later) else command
    yield (*path, "--help")
    yield (*path, "--nonsense")
    if hasattr(found, "commands"):
        for name, one in found.commands.items():
            yield from list_lines((*path, name), one)
        return
    needed = [one for one in found.params if one.required]
    if needed:
        yield path
    if path not in ASK_LATER and any(getattr(one, "help", "") == "Do not ask." for one in found.params):
        yield (*path, *(_example(one) for one in needed))


def _example(param: Any) -> str:
    choices = param.type_descriptor.choices
    return "7" if choices is None else str(choices[-1])


def run(line: tuple[str, ...]) -> int:
    with redirect_stdout(io.StringIO()), redirect_stderr(io.StringIO()):
        try:
            app(args=hoist(line), prog_name="pabal")
        except SystemExit as end:
            return int(end.code or 0)
    return 0


def find_imported() -> set[str]:
    """What is imported lazily and was not used yet does not count."""
    loaded = {name for name, module in sys.modules.items() if type(module).__name__ != "_LazyModule"}
    of_apps = {name for name in loaded if name.startswith("pabal.apps.") and _room(name) in OF_AN_APP}
    return loaded & {*LIBRARIES, *(f"pabal.{room}" for room in ROOMS)} | of_apps


def _room(module: str) -> str:
    """Packages such as `actions` have nothing in themselves."""
    parts = module.split(".")[3:]
    return parts[0] if len(parts) > 1 or parts == ["slice"] else ""


if __name__ == "__main__":
    before = find_imported()
    assert not before, before
    # a generator: whoever imports too much is named by the line that loaded it
    lines = (line for command in COMMANDS for line in list_lines((str(command.name),), command))
    for line in chain([("--help",)], lines, REFUSED):
        code = run(line)
        after = find_imported()
        print(json.dumps({"arguments": line, "code": code, "imported": sorted(after - before)}))
        before = after
