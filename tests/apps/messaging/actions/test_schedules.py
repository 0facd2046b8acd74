from dataclasses import replace
from datetime import time, timedelta
from pathlib import Path

import pytest

from pabal.apps.messaging import settings
from pabal.apps.messaging.actions import opening, timetables
from pabal.apps.messaging.actions import schedules as actions
from pabal.apps.messaging.errors import ScheduleBusy, ScheduleChanged, ScheduleNotFound, ScheduleOver, ScheduleRefused
from pabal.apps.messaging.machine import SCHEDULE
from pabal.apps.messaging.model.bots import route_of
from pabal.apps.messaging.model.content import Content
from pabal.apps.messaging.model.deliveries import SEND
from pabal.apps.messaging.model.schedules import LatePolicy, Schedule, ScheduleType
from pabal.apps.messaging.store import schedules as store
from pabal.apps.messaging.store.sending import Occurrence
from pabal.base.database import Database
from pabal.engine import claims, occurrences, queue, ticks, transitions, workers
from pabal.engine import schedules as engine
from pabal.engine.kinds import Job, Kinds
from pabal.engine.misfires import Misfire
from pabal.engine.outcome import Done
from pabal.engine.recurrence import Weekday
from pabal.engine.schedules import NotAMoment
from pabal.platform import audit
from pabal.platform.actor import ENGINE, Actor, NotAllowed, Role
from pabal.platform.settings import change
from pabal.platform.tenants import visible_to
from tests.apps.messaging.asking import DAY, NINE, begin_at, daily, once, save, uses
from tests.support.messaging import World, add_bot, add_room, make_world, upload
from tests.support.people import person
from tests.support.work import begin_life, do_nothing, hold_route

_SENDING = Kinds()
_SENDING.plain(SEND)(do_nothing)


@pytest.fixture
async def world(db: Database, tmp_path: Path) -> World:
    made = await make_world(db, tmp_path)
    await begin_at(db)
    return made


@pytest.fixture
def me(world: World) -> Actor:
    return person(world.tree.haeundae, Role.OPERATOR)


@pytest.mark.req("A-02", "A-05", "A-07", "A-112", "A-120")
async def test_what_is_active_valid_and_due_goes_to_its_own_bot_and_nothing_else(world: World, me: Actor):
    db = world.db
    other, _ = await add_bot(db, world.tree.haeundae, "busan2")
    room = await add_room(db, world.tree.haeundae, "18200009", "둘째 방", bots=[other])
    weekly = daily(schedule_type=ScheduleType.WEEKLY, schedule_weekdays=(Weekday.MON,))
    due = [
        (await save(world, me)).id,
        (await save(world, me, when=weekly)).id,
        (await save(world, me, when=once(NINE))).id,
    ]
    elsewhere = await save(world, me, room_id=room, bot_id=other)
    await save(world, me, is_active=False)
    await save(world, me, when=replace(weekly, schedule_weekdays=(Weekday.TUE,)))
    await save(world, me, when=daily(valid_from=NINE + timedelta(seconds=1)))
    await begin_at(db, NINE)

    # no bot is connected: nothing is lost, nothing is taken
    await ticks.tick_once(db)
    worker = await begin_life(db)
    assert await take(db, worker, world.route) == []

    await hold_route(db, worker, world.route)
    assert [job.args["message_schedule"] for job in await take_all(db, worker, world.route)] == due
    assert await take(db, worker, route_of("busan2")) == []
    assert len(await waiting(world, elsewhere)) == 1


@pytest.mark.req("A-03")
async def test_an_announcement_for_one_day_goes_out_by_itself_and_once(world: World, me: Actor):
    content = Content("오늘만 반값!", (world.picture,), (world.picture,))
    event = await save(world, me, content=content, when=once(NINE + 3 * DAY))

    await begin_at(world.db, NINE + 3 * DAY)
    assert [await ticks.tick_once(world.db) for _ in range(2)] == [1, 0]

    assert len(await waiting(world, event)) == 1
    assert (await timetable(world, event)).next_at is None


@pytest.mark.req("A-10")
async def test_pausing_withdraws_what_waits_and_never_what_began(world: World, me: Actor):
    schedule, begun = await save(world, me), await save(world, me, title="시작한 것")
    await begin_at(world.db, NINE)
    await ticks.tick_once(world.db)
    [job_id] = await waiting(world, begun)
    async with world.db.transaction() as tx:
        await opening.open_deliveries(tx, {Occurrence(begun.id, NINE): job_id})

    async with world.db.transaction() as tx:
        paused = await actions.deactivate(tx, me, schedule.id)
        await actions.toggle(tx, me, begun.id)

    assert (paused.state, paused.next_send_at) == ("inactive", None)
    assert await waiting(world, schedule) == []
    assert await waiting(world, begun) == [job_id]
    await begin_at(world.db, NINE + 3 * DAY)
    assert await ticks.tick_once(world.db) == 0

    async with world.db.transaction() as tx:
        resumed = await actions.toggle(tx, me, schedule.id)
        again = await actions.activate(tx, me, schedule.id)
    assert (resumed.state, resumed.next_send_at) == ("active", NINE + 4 * DAY)
    assert again == resumed
    assert await waiting(world, schedule) == []


@pytest.mark.req("A-11")
async def test_when_no_moment_is_left_it_is_completed_and_a_new_time_reopens_it(world: World, me: Actor):
    schedule = await save(world, me, is_active=False, when=daily(valid_until=NINE + DAY))
    await begin_at(world.db, NINE + DAY + timedelta(minutes=1))

    async with world.db.transaction() as tx:
        over = await actions.activate(tx, me, schedule.id)
    assert (over.state, over.next_send_at) == ("completed", None)

    async with world.db.transaction() as tx:
        with pytest.raises(ScheduleOver):
            await actions.toggle(tx, me, schedule.id)
        # its title may still be mended; that gives it no moment
        renamed = await actions.edit(tx, me, schedule.id, replace(over.as_new(), title="새 제목", is_active=True))
        assert (renamed.state, renamed.title) == ("completed", "새 제목")
        with pytest.raises(ScheduleRefused) as refused:
            await actions.edit(tx, me, schedule.id, replace(over.as_new(), when=once(NINE)))
        assert [one.code for one in refused.value.findings] == ["once_in_past"]

    later = replace(over.as_new(), when=daily(valid_until=NINE + 9 * DAY), is_active=True)
    async with world.db.transaction() as tx:
        reopened = await actions.edit(tx, me, schedule.id, later)
    assert (reopened.state, reopened.next_send_at) == ("active", NINE + 2 * DAY)


async def test_an_edit_is_what_is_sent_from_then_on_and_only_on_what_its_author_saw(world: World, me: Actor):
    db = world.db
    first, second = world.picture, await upload(db, world.files, world.tree.haeundae, colour=9)
    schedule = await save(world, me, content=Content("글", (first,)))
    boss = person(world.tree.hq, number=7)
    changed = replace(schedule.as_new(), title="저녁", content=Content("글", (second,)), when=daily(time(18)))

    async with db.transaction() as tx:
        after = await actions.edit(tx, boss, schedule.id, changed, expect_version=schedule.version)
    async with db.transaction() as tx:
        with pytest.raises(ScheduleChanged):
            await actions.edit(tx, me, schedule.id, changed, expect_version=schedule.version)
        timetable = await engine.get(tx, after.timetable_id or 0)
        [entry] = await audit.list_entries(tx, audit.Wanted(about=schedule.about, action="messaging.edit_schedule"))

    assert (after.created_by, after.unit_id) == ("user:1", world.tree.haeundae.id)
    assert (timetable.name, timetable.next_at) == ("저녁", NINE + timedelta(hours=9))
    assert after.next_send_at == timetable.next_at
    assert (await uses(db, first.file_id), await uses(db, second.file_id)) == ([], [schedule.about])
    assert (entry.actor, entry.before and entry.before["title"]) == ("user:7", "아침 안내")


async def test_what_waits_for_a_bot_that_is_away_goes_out_by_the_one_chosen_instead(world: World, me: Actor):
    other, _ = await add_bot(world.db, world.tree.haeundae, "busan2")
    room = await add_room(world.db, world.tree.haeundae, "18200009", "같이 있는 방", bots=[world.bot_id, other])
    schedule = await save(world, me, room_id=room)
    await begin_at(world.db, NINE)
    await ticks.tick_once(world.db)

    async with world.db.transaction() as tx:
        await actions.edit(tx, me, schedule.id, replace(schedule.as_new(), bot_id=other))

    [job_id] = await waiting(world, schedule)
    async with world.db.transaction() as tx:
        assert (await queue.get_place(tx, job_id)).queue == route_of("busan2")


async def test_one_occurrence_is_skipped_and_taken_back(world: World, me: Actor):
    schedule, single = await save(world, me), await save(world, me, when=once(NINE))

    async with world.db.transaction() as tx:
        assert await actions.skip(tx, me, schedule.id) == NINE
        assert await actions.skip(tx, me, schedule.id) == NINE + DAY
        await actions.skip(tx, me, single.id, NINE)
        with pytest.raises(NotAMoment):
            await actions.skip(tx, me, schedule.id, NINE + timedelta(minutes=1))
        with pytest.raises(ScheduleOver):
            await actions.skip(tx, me, single.id)
    assert (await get(world, schedule)).next_send_at == NINE + 2 * DAY
    assert (await get(world, single)).state == "completed"

    async with world.db.transaction() as tx:
        await actions.keep(tx, me, schedule.id, NINE)
        await actions.keep(tx, me, single.id, NINE)
    assert (await get(world, schedule)).next_send_at == NINE
    assert ((await get(world, single)).state, (await get(world, single)).next_send_at) == ("active", NINE)


async def test_a_persons_word_sends_now_even_what_is_inactive(world: World, me: Actor):
    schedule = await save(world, me, is_active=False)

    async with world.db.transaction() as tx:
        job_id = await actions.send_now(tx, me, schedule.id)
        place = await queue.get_place(tx, job_id)
        occurrence = await occurrences.get_occurrence(tx, schedule.timetable_id or 0, tx.now)

    assert (place.kind, place.about, place.queue) == (SEND, schedule.about, world.route)
    assert (occurrence.reason, occurrence.actor) == ("triggered", me.name)


async def test_a_deleted_schedule_keeps_its_log_and_a_purged_one_does_not(world: World, me: Actor):
    db, admin = world.db, person(world.tree.haeundae)
    schedule = await save(world, me, content=Content("글", (world.picture,)))
    await begin_at(db, NINE)
    await ticks.tick_once(db)
    [job_id] = await waiting(world, schedule)
    async with db.transaction() as tx:
        await opening.open_deliveries(tx, {Occurrence(schedule.id, NINE): job_id})

    async with db.transaction() as tx:
        await actions.delete(tx, me, schedule.id)
        with pytest.raises(ScheduleNotFound):
            await store.get_schedule(tx, await visible_to(tx, me), schedule.id)
        with pytest.raises(ScheduleNotFound):
            await actions.activate(tx, me, schedule.id)
    async with db.transaction() as tx:
        assert await store.list_begun(tx, [job_id]) == {job_id}
        history = await transitions.history(tx, SCHEDULE, schedule.id)
    assert [one.event for one in history] == ["begin", "delete"]
    assert [use.partition(":")[0] for use in await uses(db, world.picture.file_id)] == ["delivery"]

    worker = await begin_life(db)
    await hold_route(db, worker, world.route)
    [job] = await take(db, worker, world.route)
    async with db.transaction() as tx:
        with pytest.raises(NotAllowed):
            await actions.purge(tx, me, schedule.id)
        with pytest.raises(ScheduleBusy):
            await actions.purge(tx, admin, schedule.id)
    async with db.transaction() as tx:
        await workers.leave(tx, worker)
    async with db.transaction() as tx:
        await actions.purge(tx, admin, schedule.id)
        assert await store.find_schedule(tx, schedule.id) is None
        assert await store.list_begun(tx, [job.id]) == set()
    assert await waiting(world, schedule) == []
    assert await uses(db, world.picture.file_id) == []


async def test_how_late_it_may_be_and_its_lane_follow_the_settings(world: World, me: Actor):
    expected = {
        LatePolicy.WINDOW: (Misfire.LATEST, timedelta(seconds=300)),
        LatePolicy.SEND_LATE: (Misfire.LATEST, timedelta(hours=24)),
        LatePolicy.ASK: (Misfire.SKIP, timedelta(seconds=30)),
        LatePolicy.SKIP: (Misfire.SKIP, timedelta(seconds=30)),
    }
    saved = {policy: await save(world, me, late_policy=policy) for policy in LatePolicy}
    for policy, schedule in saved.items():
        made = await timetable(world, schedule)
        assert (made.misfire, made.misfire_window) == expected[policy]
        assert (made.expires_after, made.lane) == (made.misfire_window, world.route)

    async with world.db.transaction() as tx:
        await change(tx, ENGINE, settings.LANE, "room")
        await change(tx, ENGINE, settings.CATCHUP_WINDOW, timedelta(seconds=60))
        await timetables.relane(tx)

    after = {policy: await timetable(world, schedule) for policy, schedule in saved.items()}
    assert {one.lane for one in after.values()} == {f"room:{world.room_id}"}
    assert after[LatePolicy.WINDOW].misfire_window == after[LatePolicy.WINDOW].expires_after == timedelta(seconds=60)
    assert after[LatePolicy.SKIP].misfire_window == timedelta(seconds=30)
    assert {one.next_at for one in after.values()} == {NINE}


async def get(world: World, schedule: Schedule) -> Schedule:
    async with world.db.transaction() as tx:
        found = await store.find_schedule(tx, schedule.id)
    assert found is not None
    return found


async def timetable(world: World, schedule: Schedule) -> engine.Schedule:
    async with world.db.transaction() as tx:
        return await engine.get(tx, schedule.timetable_id or 0)


async def waiting(world: World, schedule: Schedule) -> list[int]:
    async with world.db.transaction() as tx:
        return await queue.find_open(tx, about=schedule.about)


async def take(db: Database, worker: int, route: str) -> list[Job]:
    """What a server that holds this route gets now: one of the bot's lane."""
    async with db.transaction() as tx:
        await workers.hold_life(tx, worker)
        return await claims.claim_routed(tx, worker, [route], kinds=[SEND], total=10)


async def take_all(db: Database, worker: int, route: str) -> list[Job]:
    """One after the other, each done before the next is taken."""
    taken: list[Job] = []
    while jobs := await take(db, worker, route):
        taken += jobs
        async with db.transaction() as tx:
            for job in jobs:
                await claims.settle(tx, worker, [(job, Done())], _SENDING)
    return taken
