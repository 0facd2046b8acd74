"""Old ad groups are brought over: tried first, then done, in one commit or in many, and taken back without a trace."""

from datetime import timedelta

import pytest

from pabal import testing
from pabal.apps.adgroups.actions import adgroups
from pabal.apps.adgroups.errors import AdGroupNotFound, RunNotFound, WrongRunState
from pabal.apps.adgroups.jobs import make_kinds
from pabal.apps.adgroups.legacy import actions, moving
from pabal.apps.adgroups.legacy.model import Mode, RunState
from pabal.apps.adgroups.machine import AD_GROUP
from pabal.apps.adgroups.model.adgroups import Event, NewAdGroup, Source, State
from pabal.apps.adgroups.resources.groups import AdGroupFilter
from pabal.apps.adgroups.resources.names import AdGroupStatus
from pabal.apps.adgroups.settings import ONE_TRANSACTION_ROWS
from pabal.apps.adgroups.store import adgroups as store
from pabal.apps.adgroups.store import campaigns
from pabal.engine.reading import Cursor, read_page, start_cursor
from pabal.engine.reading import Wanted as WantedFacts
from pabal.engine.transitions import replay
from pabal.platform import settings
from pabal.platform.actor import NotAllowed
from pabal.platform.tenants import Scope, visible_to
from pabal.testing import Parts
from tests.apps.adgroups.actions.world import DAY, HOUR, START, World, boss, operator
from tests.apps.adgroups.legacy.olds import (
    BY_DAY,
    BY_NIGHT,
    CONFIRMED,
    OVER,
    TO_COME,
    Mover,
    an_old,
)

NINE_DAYS = START + 9 * DAY
# by its old row: the state it has here, and what it waits for
LIVES = {
    "old-draft": ("draft", {}),
    "old-ready": ("ready", {}),
    "old-approved": ("approved", {"start": START + DAY, "expire": NINE_DAYS}),
    "old-running": ("running", {"expire": NINE_DAYS}),
    "old-night": ("running", {"daily_end": START + HOUR, "expire": NINE_DAYS}),
    "old-pending": ("pending", {"daily_start": START + HOUR, "expire": NINE_DAYS}),
    "old-paused": ("paused", {"expire": NINE_DAYS}),
    "old-expired": ("expired", {}),
    "old-deleted": ("deleted", {}),
}
OLDS = (
    an_old("draft", TO_COME),
    an_old("ready", TO_COME, ready_at=START - DAY),
    an_old("approved", TO_COME, CONFIRMED),
    an_old("running", CONFIRMED, creatives="https://a.example/1|https://a.example/2", inventory="busan-1|new-1"),
    an_old("night", CONFIRMED, BY_NIGHT),
    an_old("pending", CONFIRMED, BY_DAY, campaign="여름"),
    an_old("paused", CONFIRMED, status="PENDING"),
    an_old("expired", CONFIRMED, OVER),
    an_old("deleted", CONFIRMED, deleted_at=START - DAY),
)
BAD = (
    an_old("running", CONFIRMED),
    an_old("backwards", start_at=START, end_at=START - DAY),
    an_old("dateless", end_at=""),
    an_old("unconfirmed"),
)


async def all_ids(world: World) -> list[int]:
    async with world.db.transaction() as tx:
        page = await store.list_ad_groups(tx, Scope(None, None), AdGroupFilter(status=tuple(AdGroupStatus)))
    return [group.id for group in page.items]


async def facts_since(world: World, cursor: Cursor, *names: str) -> list[str]:
    async with world.db.transaction() as tx:
        return [fact.subject for fact in (await read_page(tx, cursor, WantedFacts(names))).facts]


@pytest.mark.req("E-84", "E-85")
async def test_a_dry_run_reports_every_mapping_and_makes_nothing(mover: Mover):
    world = mover.world

    run = await mover.plan(*OLDS, *BAD)

    assert (run.state, run.rows, run.source) == (RunState.PLANNED, 13, "csv")
    assert run.states == {
        **dict.fromkeys(("draft", "ready", "approved", "pending", "paused", "expired", "deleted"), 1),
        "running": 3,
    }
    assert run.marks == {"was_paused": 1, "running_unconfirmed": 1}
    assert run.refusals == {"duplicate_id": 1, "end_before_start": 1, "no_dates": 1}
    assert [row.legacy_id for row in await mover.rows(run, "suspicious")] == ["old-paused", "old-unconfirmed"]
    assert [row.refusal for row in await mover.rows(run, "refused")] == ["duplicate_id", "end_before_start", "no_dates"]
    assert [row.legacy_id for row in await mover.rows(run, "running_unconfirmed")] == ["old-unconfirmed"]
    report = await mover.read_file(run.plan_file_id)
    assert [(line["id"], line["state"]) for line in report[:9]] == [
        (one, life[0].upper()) for one, life in LIVES.items()
    ]
    assert [line["refused"] for line in report[9:]] == ["duplicate_id", "end_before_start", "no_dates", ""]
    assert await all_ids(world) == []


@pytest.mark.req("E-85", "E-86", "E-89", "E-90", "E-91")
@pytest.mark.parametrize("mode", Mode)
async def test_each_is_stored_in_its_state_with_the_timers_of_it(
    mover: Mover, mode: Mode, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(moving, "SLICE", 4)
    world = mover.world
    async with world.db.transaction() as tx:
        cursor = await start_cursor(tx)

    run = await mover.bring(*OLDS, *BAD, mode=mode)

    ids = await mover.ids(run)
    assert (run.state, run.mode, run.counts) == (RunState.DONE, mode, {"made": 10, "refused": 3})
    found = {}
    for name in LIVES:
        group, history = await world.get(ids[name]), await world.history(ids[name])
        found[name] = (group.state.value, await world.armed(ids[name]))
        [first] = history
        assert (replay(history), first.event, first.reason, first.cause) == (
            group.state,
            "begin",
            "migration",
            run.about,
        )
        assert (group.source, group.legacy_id) == (Source.CALCULATOR, name)
    assert found == LIVES
    assert sorted(await facts_since(world, cursor, "adgroup.*")) == sorted(f"adgroup:{one}" for one in ids.values())
    report = await mover.read_file(run.report_file_id)
    assert {line["id"]: line["ad_group"] for line in report if line["outcome"] == "made"} == {
        name: str(one) for name, one in ids.items()
    }

    await world.fire(START + 2 * HOUR)
    assert [await world.state(ids[name]) for name in ("old-night", "old-pending")] == ["pending", "running"]


@pytest.mark.req("E-85")
async def test_what_it_shows_and_where_comes_with_it(mover: Mover):
    world = mover.world

    run = await mover.bring(*OLDS)

    ids = await mover.ids(run)
    running, pending = await world.get(ids["old-running"]), await world.get(ids["old-pending"])
    async with world.db.transaction() as tx:
        creatives = await store.list_creatives(tx, running.id)
        places = await store.list_inventories_of(tx, running.id)
        known = await campaigns.list_campaigns(tx, await visible_to(tx, world.admin))
    assert [one.url for one in creatives] == ["https://a.example/1", "https://a.example/2"]
    assert [one.code for one in places] == ["busan-1", "new-1"]
    assert (running.creatives, running.inventories, running.unit_id) == (2, 2, world.tree.haeundae.id)
    assert pending.campaign_id == world.campaign_id, "by its name"
    assert [one.name for one in known.items] == ["옛 캠페인", "여름"]


@pytest.mark.req("E-89")
async def test_how_many_rows_one_transaction_takes_is_a_setting(mover: Mover):
    world = mover.world
    modes = []
    for most in (2, 1):
        async with world.db.transaction() as tx:
            await settings.change(tx, boss(world.tree.hq), ONE_TRANSACTION_ROWS, most)
        run = await mover.plan(an_old(1), an_old(2))
        modes.append((await world.do(actions.start, run.id)).mode)

    assert modes == [Mode.ONE_TRANSACTION, Mode.BATCHES]
    assert ONE_TRANSACTION_ROWS.default == 10_000


@pytest.mark.req("E-89")
async def test_one_transaction_over_all_of_them_leaves_nothing_when_one_fails(
    mover: Mover, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(moving, "SLICE", 2)
    world = mover.world
    parts = Parts(world.db, make_kinds(mover.services), (AD_GROUP,))
    run = await mover.plan(*(an_old(n, CONFIRMED) for n in range(5)))
    async with world.db.transaction() as tx:
        await tx.script("alter table pabal.ad_group add constraint no_three check (legacy_id <> 'old-3')")
    started = await world.do(actions.start, run.id)

    await testing.advance(parts, DAY)
    failed, left = await world.do(actions.get_run, run.id), await all_ids(world)
    async with world.db.transaction() as tx:
        await tx.script("alter table pabal.ad_group drop constraint no_three")
    await world.do(actions.resume, run.id)
    await testing.drain(parts)

    assert started.mode is Mode.ONE_TRANSACTION
    assert (failed.state, failed.checkpoint, failed.counts, left) == (RunState.FAILED, 0, {}, [])
    ids = await all_ids(world)
    assert [(await world.state(one), set(await world.armed(one))) for one in ids] == [(State.RUNNING, {"expire"})] * 5


async def test_a_state_is_decided_when_it_is_stored_not_when_it_was_planned(mover: Mover):
    world = mover.world
    run = await mover.plan(an_old(1, CONFIRMED, TO_COME))
    await world.pass_to(START + 2 * DAY)

    await world.do(actions.start, run.id)
    await actions.work(mover.services, run.id)

    [row] = await mover.rows(run)
    assert (row.state, await world.state(row.ad_group_id or 0)) == (State.APPROVED, State.RUNNING)


@pytest.mark.req("E-103")
@pytest.mark.parametrize("mode", Mode)
async def test_a_rollback_removes_exactly_what_was_made(mover: Mover, mode: Mode, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(moving, "SLICE", 4)
    world = mover.world
    mine = await world.make_approved()
    armed, history = await world.armed(mine), await world.history(mine)
    run = await mover.bring(*OLDS, *BAD, mode=mode)
    made = await mover.ids(run)
    await world.fire(START + 2 * HOUR)
    async with world.db.transaction() as tx:
        cursor = await start_cursor(tx)

    run = await mover.take_back(run)

    assert (run.state, run.counts) == (RunState.ROLLED_BACK, {"made": 10, "refused": 3, "removed": 10})
    assert await all_ids(world) == [mine]
    assert (await world.armed(mine), await world.history(mine)) == (armed, history)
    async with world.db.transaction() as tx:
        scope = await visible_to(tx, world.admin)
        left = [one.name for one in (await campaigns.list_campaigns(tx, scope)).items]
        codes = [one.code for one in (await campaigns.list_inventories(tx, scope)).items]
    assert (left, codes) == (["여름"], ["busan-1"])
    for one in made.values():
        assert (await world.armed(one), await world.history(one)) == ({}, [])
    assert len(await facts_since(world, cursor, "adgroup.removed")) == 10, "ad servers hear of it"
    assert [line["outcome"] for line in await mover.read_file(run.report_file_id)].count("removed") == 10
    assert (await mover.bring(*OLDS)).counts == {"made": 9}, "and it can be done again"


@pytest.mark.req("E-103")
async def test_a_later_run_changes_what_differs_and_its_rollback_restores_it(mover: Mover):
    world = mover.world
    first = await mover.bring(an_old(1, CONFIRMED), an_old(2, CONFIRMED, BY_DAY), an_old(3, OVER))
    ids = await mover.ids(first)
    one = ids["old-1"]
    before, armed = await world.get(one), await world.armed(one)
    await world.pass_to(START + timedelta(minutes=1))

    second = await mover.bring(
        an_old(1, CONFIRMED, BY_DAY, name="새 이름", end_at=START + 2 * DAY), an_old(2, CONFIRMED, BY_DAY), an_old(3)
    )

    assert second.counts == {"changed": 1, "same": 2}
    after = await world.get(one)
    assert (after.name, after.schedule.end_at, after.state) == ("새 이름", START + 2 * DAY, State.RUNNING)
    assert (await world.armed(one))["expire"] == START + 2 * DAY
    kept = await mover.take_back(first)
    assert kept.counts == {"made": 3, "removed": 2, "kept": 1}, "what another run changed since is not this one's"

    second = await mover.take_back(second)

    restored = await world.get(one)
    assert second.counts == {"changed": 1, "same": 2, "restored": 1}
    assert (restored.name, restored.schedule, restored.updated_at) == (before.name, before.schedule, before.updated_at)
    assert await world.armed(one) == armed


@pytest.mark.req("E-103")
async def test_what_people_changed_since_stays_unless_they_say_otherwise(mover: Mover):
    world = mover.world
    left: list[tuple[dict[str, int], list[int]]] = []
    first: int | None = None
    for numbers, even_touched in (((1, 2), False), ((3, 4), True)):
        run = await mover.bring(*(an_old(n, CONFIRMED) for n in numbers))
        touched = (await mover.ids(run))[f"old-{numbers[0]}"]
        await world.pass_to(START + timedelta(minutes=numbers[0]))
        await world.send(touched, Event.PAUSE)

        run = await mover.take_back(run, even_touched=even_touched)

        left.append((run.counts, await all_ids(world)))
        first = first or touched

    assert left == [({"made": 2, "removed": 1, "kept": 1}, [first]), ({"made": 2, "removed": 2}, [first])]


async def test_an_id_that_another_unit_has_is_left_alone(mover: Mover):
    world = mover.world
    other = await mover.bring(an_old(1, CONFIRMED))
    theirs = Mover(World(world.db, world.tree, boss(world.tree.nampo), 0, 0), mover.services)

    run = await theirs.bring(an_old(1, CONFIRMED), an_old(2, CONFIRMED, inventory="busan-1"))

    assert (run.counts, run.unit_id) == ({"made": 1, "refused": 1}, world.tree.nampo.id)
    [taken, made] = await theirs.rows(run)
    assert (taken.refusal, taken.ad_group_id) == ("taken", None)
    assert (await theirs.world.get(made.ad_group_id or 0)).inventories == 0, "a code of others stays theirs"
    with pytest.raises(AdGroupNotFound):
        await theirs.world.get((await mover.ids(other))["old-1"])
    with pytest.raises(RunNotFound):
        await theirs.world.do(actions.get_run, other.id)
    assert [one.id for one in (await theirs.world.do(actions.list_runs)).items] == [run.id]


async def test_who_may_do_what_and_when(mover: Mover):
    world = mover.world
    run = await mover.plan(an_old(1))

    with pytest.raises(NotAllowed):
        await world.do(actions.start, run.id, by=operator(world.tree.haeundae))
    with pytest.raises(WrongRunState):
        await world.do(actions.rollback, run.id)
    with pytest.raises(WrongRunState):
        await world.do(actions.resume, run.id)
    await world.do(actions.discard, run.id)
    with pytest.raises(RunNotFound):
        await world.do(actions.get_run, run.id)
    assert [await all_ids(world)] == [[]]


@pytest.mark.req("E-89", "E-103")
async def test_a_server_does_it_as_a_job(mover: Mover):
    world = mover.world
    parts = Parts(world.db, make_kinds(mover.services), (AD_GROUP,))
    run = await mover.plan(an_old(1, CONFIRMED))
    await world.do(actions.start, run.id)
    await world.do(actions.resume, run.id)

    await testing.drain(parts)
    [row] = await mover.rows(run)
    group = await world.get(row.ad_group_id or 0)
    await world.do(adgroups.edit, group.id, NewAdGroup("손댐", group.campaign_id, group.schedule))
    await world.do(actions.rollback, run.id, even_touched=True)
    await testing.drain(parts)

    done = await world.do(actions.get_run, run.id)
    assert (done.state, done.counts) == (RunState.ROLLED_BACK, {"made": 1, "removed": 1})
    assert done.report_file_id is not None


@pytest.mark.req("E-103")
async def test_a_run_that_cannot_go_on_says_why_and_goes_on_once_it_can(mover: Mover, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(moving, "SLICE", 2)
    world = mover.world
    parts = Parts(world.db, make_kinds(mover.services), (AD_GROUP,))
    run = await mover.plan(*(an_old(n, CONFIRMED) for n in range(5)))
    async with world.db.transaction() as tx:
        await tx.script("alter table pabal.ad_group add constraint no_three check (legacy_id <> 'old-3')")
    await world.do(actions.start, run.id, Mode.BATCHES)

    await testing.advance(parts, DAY)
    failed = await world.do(actions.get_run, run.id)
    async with world.db.transaction() as tx:
        await tx.script("alter table pabal.ad_group drop constraint no_three")
    await world.do(actions.resume, run.id)
    await testing.drain(parts)

    assert (failed.state, failed.checkpoint, failed.counts) == (RunState.FAILED, 2, {"made": 2})
    assert failed.error is not None
    assert "no_three" in failed.error
    done = await world.do(actions.get_run, run.id)
    assert (done.state, done.error, done.counts) == (RunState.DONE, None, {"made": 5})


async def test_no_cell_of_a_report_is_a_formula(mover: Mover):
    run = await mover.plan(an_old(1, name='=1+1,"x"'), an_old(2, zone="@SUM(1)"))

    [first, second] = await mover.read_file(run.plan_file_id)
    assert (first["name"], second["problem"]) == ('\'=1+1,"x"', "'@SUM(1)")
