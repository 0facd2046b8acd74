"""Reports and silence: from the first report to the alert, and back."""

from datetime import timedelta
from typing import Any

import pytest

from pabal.apps.rules.heartbeats import actions, alert_rules, store
from pabal.apps.rules.heartbeats.errors import BadHeartbeat, HeartbeatNotFound
from pabal.apps.rules.heartbeats.machine import HEARTBEAT
from pabal.apps.rules.heartbeats.model import Heartbeat, Report, ReportKind
from pabal.base import clock
from pabal.base.database import Database
from pabal.engine import timers, transitions
from pabal.platform.actor import Actor, Role
from pabal.platform.tenants import Scope
from tests.support.people import Tree, person

HOUSE = Scope(None, None)
MINUTE = timedelta(minutes=1)
HOURLY: dict[str, Any] = {"every": 60 * MINUTE, "grace": 10 * MINUTE}


async def make(db: Database, actor: Actor, **given: Any) -> Heartbeat:
    async with db.transaction() as tx:
        return await actions.create_heartbeat(tx, actor, **{"name": "야간 백업", **HOURLY, **given})


async def send(db: Database, heartbeat: Heartbeat, kind: ReportKind = ReportKind.SUCCESS, **more: Any) -> None:
    async with db.transaction() as tx:
        await actions.report(tx, heartbeat.key, Report(kind, "203.0.113.7", **more))


async def look(db: Database, heartbeat: Heartbeat) -> Heartbeat:
    async with db.transaction() as tx:
        return await store.get_heartbeat(tx, HOUSE, heartbeat.id)


async def wait(db: Database, by: timedelta) -> None:
    """The clock goes on, and what is armed fires; a state it leads to may have armed something due as well."""
    await clock.advance(db, by)
    while await timers.fire_once(db, [HEARTBEAT]):
        pass


async def test_nothing_is_expected_before_the_first_report(db: Database, tree: Tree):
    heartbeat = await make(db, person(tree.haeundae))

    await wait(db, timedelta(days=30))

    assert (await look(db, heartbeat)).state == "new"


async def test_reports_in_time_keep_it_up_without_a_longer_history(db: Database, tree: Tree):
    heartbeat = await make(db, person(tree.haeundae))
    for _ in range(5):
        await send(db, heartbeat)
        await wait(db, 60 * MINUTE + MINUTE / 2)

    assert (await look(db, heartbeat)).state == "up"
    async with db.transaction() as tx:
        assert [one.target for one in await transitions.history(tx, HEARTBEAT, heartbeat.id)] == ["new", "up"]


async def test_silence_makes_it_late_and_after_its_grace_time_down(db: Database, tree: Tree):
    heartbeat = await make(db, person(tree.haeundae))
    await send(db, heartbeat)

    await wait(db, 62 * MINUTE)
    late = await look(db, heartbeat)
    await wait(db, 9 * MINUTE)
    down = await look(db, heartbeat)

    assert (late.state, down.state) == ("late", "down")


async def test_a_server_that_was_away_finds_it_down_at_once(db: Database, tree: Tree):
    heartbeat = await make(db, person(tree.haeundae))
    await send(db, heartbeat)

    await wait(db, timedelta(days=2))

    assert (await look(db, heartbeat)).state == "down"


async def test_a_report_brings_it_back(db: Database, tree: Tree):
    heartbeat = await make(db, person(tree.haeundae))
    await send(db, heartbeat)
    await wait(db, timedelta(days=1))

    await send(db, heartbeat)

    back = await look(db, heartbeat)
    assert back.state == "up"
    assert back.due_at == (back.reported_at or back.created_at) + 60 * MINUTE


async def test_a_failure_is_down_at_once_and_says_with_what_it_ended(db: Database, tree: Tree):
    heartbeat = await make(db, person(tree.haeundae))

    await send(db, heartbeat, ReportKind.FAIL, exit_code=3, body="disk full")

    async with db.transaction() as tx:
        steps = await transitions.history(tx, HEARTBEAT, heartbeat.id)
        [report] = await store.list_reports(tx, heartbeat.id)
    assert (steps[-1].target, steps[-1].reason) == ("down", "exit code 3")
    assert (report.kind, report.exit_code, report.body, report.origin) == ("fail", 3, "disk full", "203.0.113.7")


async def test_one_that_began_has_its_grace_time_to_end(db: Database, tree: Tree):
    heartbeat = await make(db, person(tree.haeundae))
    await send(db, heartbeat)
    await send(db, heartbeat, ReportKind.START)

    await wait(db, 9 * MINUTE)
    running = await look(db, heartbeat)
    await wait(db, 2 * MINUTE)

    assert (running.state, (await look(db, heartbeat)).state) == ("up", "down")


async def test_a_late_start_puts_the_alert_off(db: Database, tree: Tree):
    heartbeat = await make(db, person(tree.haeundae))
    await send(db, heartbeat)
    await wait(db, 69 * MINUTE)

    await send(db, heartbeat, ReportKind.START)
    await wait(db, 9 * MINUTE)
    assert (await look(db, heartbeat)).state == "late"

    await send(db, heartbeat)
    async with db.transaction() as tx:
        newest = (await store.list_reports(tx, heartbeat.id))[0]
    assert (await look(db, heartbeat)).state == "up"
    assert newest.took is not None
    assert timedelta(0) <= newest.took - 9 * MINUTE < 5 * MINUTE


async def test_a_log_line_is_kept_and_changes_nothing(db: Database, tree: Tree):
    heartbeat = await make(db, person(tree.haeundae))

    await send(db, heartbeat, ReportKind.LOG, body="half way")

    assert (await look(db, heartbeat)).state == "new"


async def test_by_cron_it_is_expected_at_the_next_moment_in_its_zone(db: Database, tree: Tree):
    heartbeat = await make(db, person(tree.haeundae), every=None, cron="0 3 * * *", zone="Asia/Seoul")

    await send(db, heartbeat)

    due = (await look(db, heartbeat)).due_at
    assert due is not None
    assert due.isoformat() == "2026-11-17T18:00:00+00:00"


async def test_paused_it_keeps_reports_and_expects_none(db: Database, tree: Tree):
    actor = person(tree.haeundae)
    heartbeat = await make(db, actor)
    await send(db, heartbeat)
    async with db.transaction() as tx:
        await actions.pause_heartbeat(tx, actor, heartbeat.id, reason="이사")
    await send(db, heartbeat, ReportKind.FAIL)

    await wait(db, timedelta(days=1))
    paused = await look(db, heartbeat)
    async with db.transaction() as tx:
        resumed = await actions.resume_heartbeat(tx, actor, heartbeat.id)
        kept = await store.list_reports(tx, heartbeat.id)

    assert (paused.state, resumed.state, resumed.due_at) == ("paused", "new", None)
    assert [one.kind for one in kept] == ["fail", "success"]


async def test_an_edit_counts_from_the_last_report(db: Database, tree: Tree):
    actor = person(tree.haeundae)
    heartbeat = await make(db, actor)
    await send(db, heartbeat)

    async with db.transaction() as tx:
        edited = await actions.edit_heartbeat(tx, actor, heartbeat.id, every=5 * MINUTE, grace=MINUTE)
    await wait(db, 6 * MINUTE + MINUTE / 6)

    assert edited.due_at == (edited.reported_at or edited.created_at) + 5 * MINUTE
    assert (await look(db, heartbeat)).state == "down"


async def test_a_cron_takes_the_place_of_an_interval(db: Database, tree: Tree):
    actor = person(tree.haeundae)
    heartbeat = await make(db, actor)

    async with db.transaction() as tx:
        edited = await actions.edit_heartbeat(tx, actor, heartbeat.id, cron="*/5 * * * *")

    assert (edited.cron, edited.every_seconds) == ("*/5 * * * *", None)


async def test_a_new_address_ends_the_old_one(db: Database, tree: Tree):
    actor = person(tree.haeundae)
    heartbeat = await make(db, actor)

    async with db.transaction() as tx:
        moved = await actions.new_address(tx, actor, heartbeat.id)

    with pytest.raises(HeartbeatNotFound):
        await send(db, heartbeat)
    await send(db, moved)


async def test_removed_it_leaves_nothing(db: Database, tree: Tree):
    actor = person(tree.haeundae)
    heartbeat = await make(db, actor)
    await send(db, heartbeat)

    async with db.transaction() as tx:
        await actions.delete_heartbeat(tx, actor, heartbeat.id)

    with pytest.raises(HeartbeatNotFound):
        await look(db, heartbeat)
    await wait(db, timedelta(days=1))
    async with db.transaction() as tx:
        assert await transitions.history(tx, HEARTBEAT, heartbeat.id) == []


async def test_only_the_newest_hundred_reports_are_kept(db: Database, tree: Tree):
    heartbeat = await make(db, person(tree.haeundae))
    async with db.transaction() as tx:
        for number in range(103):
            await actions.report(tx, heartbeat.key, Report(ReportKind.LOG, "", str(number)))

    async with db.transaction() as tx:
        kept = await store.list_reports(tx, heartbeat.id, 200)
    assert (len(kept), kept[0].body, kept[-1].body) == (100, "102", "3")


async def test_another_branch_neither_sees_nor_touches_it(db: Database, tree: Tree):
    heartbeat = await make(db, person(tree.haeundae))
    stranger = person(tree.gangnam, number=2)

    for act in (actions.edit_heartbeat, actions.pause_heartbeat, actions.new_address, actions.delete_heartbeat):
        async with db.transaction() as tx:
            with pytest.raises(HeartbeatNotFound):
                await act(tx, stranger, heartbeat.id)


async def test_a_viewer_changes_nothing(db: Database, tree: Tree):
    viewer = person(tree.haeundae, Role.VIEWER)

    with pytest.raises(Exception, match="does not allow"):
        await make(db, viewer)


@pytest.mark.parametrize("name", ["", "  ", "x" * 101, "a\nb"])
async def test_a_name_is_a_line_that_can_be_shown(db: Database, tree: Tree, name: str):
    with pytest.raises(BadHeartbeat):
        await make(db, person(tree.haeundae), name=name)


async def test_each_one_that_is_down_is_an_alert_of_its_own(db: Database, tree: Tree):
    for name in ("백업", "백업", "정산"):
        await send(db, await make(db, person(tree.haeundae), name=name), ReportKind.FAIL)
    await make(db, person(tree.gangnam, number=2))

    async with db.transaction() as tx:
        readings = await alert_rules.read_down(tx)

    assert {one.unit_id for one in readings} == {tree.haeundae.id}
    assert len({one.about for one in readings}) == 3
    assert "정산" in {one.about for one in readings}
    assert all(one.value == 1 for one in readings)
