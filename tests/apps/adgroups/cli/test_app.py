"""The tree of `pabal ad`: what changes something can be tried first, and nothing that is tried stays."""

import typer.main

from pabal.apps.adgroups.cli import app
from tests.apps.adgroups.cli.conftest import World
from tests.cli.inside import Inside
from tests.support.cli import leaves

READING = {
    "list",
    "show",
    "explain",
    "forecast",
    "history",
    "at",
    "export",
    "status",
    "rows",
    "report",
    "check",
    "simulate",
}


def test_every_command_that_changes_something_can_be_tried_first() -> None:
    found = dict(leaves("ad", typer.main.get_command(app)))
    changing = {path: one for path, one in found.items() if path.split()[-1] not in READING}

    assert len(changing) > 20
    assert [path for path, one in changing.items() if "dry_run" not in {each.name for each in one.params}] == []


async def test_what_was_tried_is_shown_and_nothing_of_it_stays(run: Inside, world: World) -> None:
    before = (await run("ad", "list", "-o", "json")).json

    tried = [
        await run("ad", *words, "--dry-run", "-o", "json")
        for words in (
            ("create", "--name", "새것", "--campaign", "세일", "--until", "2031-12-31"),
            ("edit", "곧", "--name", "다른 이름"),
            ("send", "pause", "송출"),
            ("delayed", "cancel", "곧", "start"),
            ("inventory", "set", "초안", "main"),
        )
    ]

    assert [one.code for one in tried] == [0] * len(tried)
    assert all("--dry-run" in one.err for one in tried)
    assert tried[2].json["items"][0]["status"] == "PAUSED"
    assert (await run("ad", "list", "-o", "json")).json == before
