"""`pabal audit`: narrowed by who, what, about what, when and where."""

from datetime import timedelta

from pabal.base import clock
from pabal.base.database import Database
from tests.cli.inside import Inside
from tests.support.people import Tree


async def test_entries_are_narrowed_by_every_filter(db: Database, run: Inside, tree: Tree) -> None:
    await run("org", "rename", "강남점", "역삼점")
    await clock.advance(db, timedelta(days=2))
    await run("config", "set", "backup.keep_days", "30")

    async def actions(*filters: str) -> list[str]:
        told = await run("audit", "list", *filters, "-o", "json")
        return [entry["action"] for entry in told.json["items"]]

    assert (await actions())[:2] == ["settings.change", "units.rename"]
    assert await actions("--since", "-1h") == ["settings.change"]
    assert "settings.change" not in await actions("--until", "-1h")
    assert await actions("--action", "units.re*") == ["units.rename"]
    assert await actions("--about", f"unit:{tree.gangnam.id}", "--actor", "engine") == ["units.add"]
    assert await actions("--org", "서울총판", "--action", "units.rename") == ["units.rename"]


async def test_pages_follow_one_another_and_a_table_shows_before_and_after(run: Inside, tree: Tree) -> None:
    await run("org", "rename", "강남점", "역삼점")

    first = (await run("audit", "list", "--limit", "1", "-o", "json")).json
    rest = (await run("audit", "list", "--limit", "1", "--cursor", first["next_cursor"], "-o", "json")).json
    table = await run("audit", "list", "--limit", "1", "--lang", "ko")

    assert first["items"][0]["id"] > rest["items"][0]["id"]
    assert '{"name": "강남점"}' in table.out
    assert "더 보기: --cursor aud_" in table.err


async def test_what_is_no_moment_is_wrong_usage(run: Inside, tree: Tree) -> None:
    told = await run("audit", "list", "--since", "soon", "--lang", "ko")

    assert told.code == 2
    assert "내일 09:00" in told.err
