from datetime import timedelta

import pytest

from pabal.base import clock
from pabal.base.database import Database
from pabal.platform import audit
from pabal.platform.actor import ENGINE, Actor, Role
from pabal.platform.audit import Entry, Wanted
from pabal.platform.tenants import visible_to
from tests.support.people import person, plant

KIM = Actor("user:12", 1, Role.ADMIN, label="김 민수", origin="203.0.113.7")
HOUR = timedelta(hours=1)


async def read(db: Database, wanted: Wanted, limit: int = 50) -> list[Entry]:
    async with db.transaction() as tx:
        return await audit.list_entries(tx, wanted, limit=limit)


async def write(
    db: Database, action: str, about: str = "job:1", actor: Actor = KIM, unit_id: int | None = None
) -> None:
    async with db.transaction() as tx:
        await audit.record(tx, actor, action, about, unit_id=unit_id)


async def test_an_entry_says_who_what_when_from_where_before_and_after(db: Database):
    async with db.transaction() as tx:
        await audit.record(tx, KIM, "jobs.edit", "job:7", unit_id=3, before={"n": 1}, after={"n": 2})
        now = tx.now

    [entry] = await read(db, Wanted())

    assert entry == Entry(
        entry.id, now, "user:12", "김 민수", "203.0.113.7", 3, "jobs.edit", "job:7", {"n": 1}, {"n": 2}
    )


async def test_only_what_differs_is_kept(db: Database):
    async with db.transaction() as tx:
        before = {"name": "a", "same": [1], "gone": 1, "none": None}
        after = {"name": "b", "same": [1], "come": {"x": "y"}, "none": None}
        await audit.record(tx, KIM, "jobs.edit", "job:7", before=before, after=after)

    [entry] = await read(db, Wanted())

    assert entry.before == {"name": "a", "gone": 1}
    assert entry.after == {"name": "b", "come": {"x": "y"}}


async def test_what_was_made_has_no_before_and_what_is_gone_no_after(db: Database):
    async with db.transaction() as tx:
        await audit.record(tx, KIM, "jobs.add", "job:7", after={"name": "b"})
        await audit.record(tx, KIM, "jobs.remove", "job:7", before={"name": "b"})

    removed, added = await read(db, Wanted())

    assert (added.before, added.after) == (None, {"name": "b"})
    assert (removed.before, removed.after) == ({"name": "b"}, None)


async def test_a_change_that_was_rolled_back_leaves_no_entry(db: Database):
    async def change_and_fail() -> None:
        async with db.transaction() as tx:
            await audit.record(tx, KIM, "jobs.add", "job:7")
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        await change_and_fail()

    assert await read(db, Wanted()) == []


async def test_entries_come_newest_first_page_by_page(db: Database):
    for n in range(5):
        await write(db, "jobs.add", f"job:{n}")

    first = await read(db, Wanted(), limit=3)
    rest = await read(db, Wanted(before=first[-1].id), limit=3)

    assert [entry.about for entry in (*first, *rest)] == [f"job:{n}" for n in (4, 3, 2, 1, 0)]


async def test_entries_are_found_by_actor_action_and_subject(db: Database):
    await write(db, "jobs.add", "job:1")
    await write(db, "jobs.edit", "job:2")
    await write(db, "users.add", "user:1", ENGINE)

    assert [entry.about for entry in await read(db, Wanted(actor="engine"))] == ["user:1"]
    assert [entry.about for entry in await read(db, Wanted(action="jobs.add"))] == ["job:1"]
    assert [entry.about for entry in await read(db, Wanted(action="jobs.*"))] == ["job:2", "job:1"]
    assert [entry.about for entry in await read(db, Wanted(about="job:2"))] == ["job:2"]
    assert await read(db, Wanted(actor="engine", action="jobs.*")) == []


async def test_only_a_star_stands_for_anything(db: Database):
    await write(db, "jobs.add")

    for pattern in ("jobs%", "jobs_add", "jobs\\.add", "%"):
        assert await read(db, Wanted(action=pattern)) == []


async def test_entries_are_found_by_time(db: Database):
    async with db.transaction() as tx:
        start = tx.now
    for n in range(3):
        await write(db, "jobs.add", f"job:{n}")
        await clock.advance(db, HOUR)

    found = await read(db, Wanted(since=start + HOUR / 2, until=start + HOUR * 1.5))

    assert [entry.about for entry in found] == ["job:1"]


async def test_one_sees_the_entries_of_ones_own_units_and_the_hq_those_of_nobody_too(db: Database):
    tree = await plant(db)
    await write(db, "test.a", "at haeundae", unit_id=tree.haeundae.id)
    await write(db, "test.b", "at gangnam", unit_id=tree.gangnam.id)
    await write(db, "test.c", "nowhere")

    seen = {}
    for unit in (tree.hq, tree.busan, tree.haeundae, tree.nampo, tree.seoul):
        async with db.transaction() as tx:
            scope = await visible_to(tx, person(unit))
            found = await audit.list_entries(tx, Wanted(units=scope.listed, action="test.*"))
        seen[unit.name] = [entry.about for entry in found]

    assert seen == {
        "본사": ["nowhere", "at gangnam", "at haeundae"],
        "부산총판": ["at haeundae"],
        "해운대점": ["at haeundae"],
        "남포점": [],
        "서울총판": ["at gangnam"],
    }
