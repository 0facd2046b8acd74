"""`pabal demo`: filled in, looked at, taken out again."""

import pytest

from pabal.base.database import Database
from pabal.base.migrations import migrate
from pabal.demo import SLICE
from pabal.platform import tenants
from pabal.platform.slice import list_migrations
from tests.cli.inside import Inside


@pytest.fixture
async def house(db: Database) -> Database:
    """As a server that started once leaves it."""
    await migrate(db, list_migrations((SLICE,)))
    async with db.transaction() as tx:
        await tenants.ensure_hq(tx)
    return db


async def demo_people(run: Inside) -> list[str]:
    return [one["login"] for one in (await run("user", "list", "-o", "json")).json["items"] if one["is_demo"]]


async def test_the_demo_is_loaded_once_and_cleared_without_a_trace_of_people(house: Database, run: Inside) -> None:
    loaded = await run("demo", "load", "-o", "json")
    again = await run("demo", "load", "-o", "json")
    people = await demo_people(run)
    cleared = await run("demo", "clear", "--yes", "-o", "json")

    assert (loaded.json["result"], again.json["result"], cleared.json["result"]) == (
        "loaded",
        "loaded_before",
        "cleared",
    )
    assert loaded.json["people"] == again.json["people"] == len(people) == 4
    assert await demo_people(run) == []
    assert [unit["level"] for unit in (await run("org", "tree", "-o", "json")).json["items"]] == ["hq"]


async def test_it_says_where_the_demos_people_can_sign_in(house: Database, run: Inside) -> None:
    english, korean = await run("demo", "load"), await run("demo", "load", "--lang", "ko")

    assert "only on a server started with `pabal up --demo`" in english.err
    assert "`pabal up --demo`로 시작한 서버에서만" in korean.err


async def test_a_dry_run_counts_and_changes_nothing(house: Database, run: Inside) -> None:
    tried = await run("demo", "load", "--dry-run", "-o", "json")
    nobody = await demo_people(run)
    await run("demo", "load")
    kept = await run("demo", "clear", "--dry-run", "-o", "json")

    assert (tried.json["result"], nobody) == ("would_load", [])
    assert (kept.json["result"], kept.json["people"]) == ("would_clear", 4)
    assert len(await demo_people(run)) == 4


async def test_production_has_no_demo_and_a_clear_asks(house: Database, run: Inside) -> None:
    settings = {"PABAL_MODE": "production", "PABAL_SECRET_KEY": "k" * 32, "PABAL_PUBLIC_URL": "https://pabal.example"}

    refused = await run("demo", "load", "--lang", "ko", **settings)
    unasked = await run("demo", "clear")

    assert (refused.code, unasked.code) == (4, 4)
    assert "운영 모드" in refused.err
