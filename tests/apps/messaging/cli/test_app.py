"""The tree of `pabal msg`: what changes something can be tried first, and an app's help is its own."""

import typer.main

from pabal.apps.messaging.cli import app
from tests.cli.inside import Inside
from tests.support.cli import leaves
from tests.support.messaging import World

READING = {"list", "devices", "show", "get", "logs", "load", "report", "preview"}


def test_every_command_that_changes_something_can_be_tried_first() -> None:
    found = dict(leaves("msg", typer.main.get_command(app)))
    changing = {path: one for path, one in found.items() if path.split()[-1] not in READING and path != "msg limits"}

    assert len(changing) > 25
    assert [path for path, one in changing.items() if "dry_run" not in {each.name for each in one.params}] == []


async def test_the_whole_tree_is_there_under_the_apps_name_too(run: Inside, world: World) -> None:
    short = await run("msg", "schedule", "list", "-o", "json")
    long = await run("messaging", "schedule", "list", "-o", "json", PABAL_APPS="pabal.apps.messaging")

    assert short.json == long.json == {"items": [], "next_cursor": None}
