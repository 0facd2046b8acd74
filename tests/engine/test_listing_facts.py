"""Facts are listed newest first, by name, subject, unit and time; what was put aside by its subscriber."""

from typing import Any

import pytest

from pabal.base import clock
from pabal.base.database import Database
from pabal.engine import listing
from pabal.engine.facts import Fact, deliver_once, record
from pabal.engine.listing import Page
from pabal.engine.listing import facts as listed
from tests.support.facts import create_seen, notebook
from tests.support.schedules import HOUR
from tests.support.work import advance

MANY = list(range(1000, 1050))


async def tell(db: Database, name: str = "thing.made", subject: str = "thing:1", unit_id: int | None = None) -> None:
    async with db.transaction() as tx:
        await record(tx, name, subject, {"n": 1}, unit_id)


async def page(db: Database, limit: int = 50, cursor: str | None = None, **wanted: Any) -> Page[Fact]:
    async with db.transaction() as tx:
        given = listed.Wanted(**{"units": None, **wanted})
        return await listing.list_facts(tx, given, limit=limit, cursor=cursor)


async def found(db: Database, **wanted: Any) -> list[tuple[str, str]]:
    return [(fact.name, fact.subject) for fact in (await page(db, **wanted)).items]


@pytest.mark.parametrize("units", [None, [7], [7, *MANY]], ids=["all", "unit", "units"])
@pytest.mark.parametrize("names", [(), ("thing.*",)], ids=["any", "named"])
async def test_pages_follow_one_another_newest_first(
    db: Database, names: tuple[str, ...], units: list[int] | None
) -> None:
    for number in range(5):
        await tell(db, subject=f"thing:{number}", unit_id=7)

    first = await page(db, 3, names=names, units=units)
    rest = await page(db, 3, first.cursor, names=names, units=units)

    subjects = [fact.subject for fact in (*first.items, *rest.items)]
    assert subjects == ["thing:4", "thing:3", "thing:2", "thing:1", "thing:0"]
    assert first.items[0].data == {"n": 1}


async def test_a_name_may_have_a_star_and_a_subject_is_whole(db: Database) -> None:
    for name in ("thing.made", "thing.sent", "thingx.made", "other.made"):
        await tell(db, name, f"{name}:1")

    async with db.transaction() as tx:
        names = await listed.list_names(tx)

    assert names == ["other.made", "thing.made", "thing.sent", "thingx.made"]
    assert [name for name, _ in await found(db, names=["thing.*"])] == ["thing.sent", "thing.made"]
    assert [name for name, _ in await found(db, names=["other.made", "thing.s*"])] == ["other.made", "thing.sent"]
    assert [name for name, _ in await found(db, subject="thing.sent:1")] == ["thing.sent"]
    assert await found(db, names=["nothing.*"]) == []


async def test_a_scope_sees_the_facts_of_its_units_only(db: Database) -> None:
    for unit_id in (7, 8, None):
        await tell(db, subject=f"of:{unit_id}", unit_id=unit_id)

    assert await found(db, units=[7]) == [("thing.made", "of:7")]
    assert await found(db, units=[7, *MANY]) == [("thing.made", "of:7")]
    assert await found(db, units=[7], names=["thing.*"]) == [("thing.made", "of:7")]
    assert await found(db, units=[7], subject="of:8") == []


async def test_a_range_of_time_begins_with_its_moment_and_ends_before_it(db: Database) -> None:
    moments = []
    for number in range(4):
        await tell(db, subject=f"thing:{number}")
        moments.append((await page(db)).items[0].at)
        await clock.advance(db, 3 * HOUR)

    ranged = await found(db, since=moments[1], until=moments[3])

    assert [subject for _, subject in ranged] == ["thing:2", "thing:1"]


async def test_what_was_put_aside_is_listed_by_subscriber_within_a_scope(db: Database) -> None:
    await create_seen(db)
    subscriber = notebook(from_start=True, fails_at=lambda fact: fact.subject == "bad")
    for unit_id in (7, 8):
        await tell(db, subject="bad", unit_id=unit_id)
    for _ in range(8):
        await deliver_once(db, subscriber)
        await advance(db, 10)

    async with db.transaction() as tx:
        first = await listing.list_aside(tx, None, limit=1)
        rest = await listing.list_aside(tx, None, limit=1, cursor=first.cursor)
        ours = await listing.list_aside(tx, [7])
        others = await listing.list_aside(tx, None, subscription="nobody")

    assert [one.unit_id for one in (*first.items, *rest.items)] == [7, 8]
    assert [(one.subscription, one.subject, one.unit_id) for one in ours.items] == [("notebook", "bad", 7)]
    assert others.items == []
