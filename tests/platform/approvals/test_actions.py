"""Deciding is the app's own action: its right, guards, audit and history; and its own door closes the request."""

import asyncio
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from pabal.apps.adgroups.actions import adgroups, events
from pabal.apps.adgroups.approvals import APPROVABLES as OF_ADS
from pabal.apps.adgroups.machine import AD_GROUP
from pabal.apps.adgroups.model.adgroups import Event
from pabal.apps.adgroups.settings import APPROVERS
from pabal.apps.messaging.actions import bots, deliveries
from pabal.apps.messaging.approvals import APPROVABLES as OF_MESSAGES
from pabal.apps.messaging.asking import ask_devices
from pabal.apps.messaging.settings import ASK_MISSED_FOR
from pabal.apps.messaging.store import connected
from pabal.apps.messaging.store.connected import Caller
from pabal.base import clock
from pabal.base.database import Database, Tx
from pabal.engine import facts, timers, transitions
from pabal.engine.facts import Subscriber
from pabal.engine.reading import Fact
from pabal.platform import approvals, audit, settings
from pabal.platform.actor import ENGINE, Actor, NotAllowed, Role
from pabal.platform.approvals import (
    APPROVAL,
    AnotherPerson,
    Approval,
    ApprovalDecided,
    ApprovalExpired,
    ApprovalNotFound,
    ApprovalWithdrawn,
    PeopleOnly,
    Verdict,
)
from pabal.platform.approvals.model import ReasonNeeded
from pabal.platform.tenants import visible_to
from tests.platform.approvals.asked import all_of, last, open_device, open_missed, open_ready
from tests.support.botline import find_delivery
from tests.support.messaging import make_world
from tests.support.people import Tree, person, plant

KNOWN = {one.kind.name: one for one in (*OF_ADS, *OF_MESSAGES)}
YES, NO = Verdict.APPROVE, Verdict.REJECT


@pytest.fixture
async def tree(db: Database) -> Tree:
    return await plant(db)


async def decide(db: Database, actor: Actor, approval: Approval, verdict: Verdict = YES, reason: str = "") -> Approval:
    async with db.transaction() as tx:
        return await approvals.decide(tx, actor, approval.id, approvables=KNOWN, verdict=verdict, reason=reason)


def boss(tree: Tree, number: int = 8) -> Actor:
    return person(tree.haeundae, Role.ADMIN, number=number)


async def test_a_yes_is_the_apps_own_event_with_who_why_and_its_audit(db: Database, tree: Tree):
    group = await open_ready(db, boss(tree))

    done = await decide(db, boss(tree, 9), await last(db), reason="괜찮음")

    async with db.transaction() as tx:
        moved = (await transitions.history(tx, AD_GROUP, group))[-1]
        entries = await audit.list_entries(tx, audit.Wanted(action="adgroups.approve"))
    assert (moved.event, moved.target, moved.actor, moved.reason) == ("approve", "approved", "user:9", "괜찮음")
    assert (done.state, done.decided_by, done.reason, done.decided_at) == ("approved", "user:9", "괜찮음", moved.at)
    assert [one.actor for one in entries] == ["user:9"]
    assert await all_of(db) == []


async def test_every_door_of_the_app_closes_the_request_in_its_own_commit(db: Database, tree: Tree):
    groups = [await open_ready(db, boss(tree)) for _ in range(4)]
    async with db.transaction() as tx:
        await events.send(tx, boss(tree), groups[0], Event.APPROVE, reason="직접")
        await events.send(tx, boss(tree), groups[1], Event.REJECT, reason="기간이 틀림")
        await events.send(tx, boss(tree), groups[2], Event.DELETE)
        await events.send_many(tx, boss(tree), [groups[3]], Event.APPROVE)

    found = {one.subject: one for one in await all_of(db, "approved", "rejected", "withdrawn")}

    assert [found[group].state for group in groups] == ["approved", "rejected", "withdrawn", "approved"]
    assert (found[groups[1]].decided_by, found[groups[1]].reason) == ("user:8", "기간이 틀림")
    assert await all_of(db) == []


async def test_what_the_commit_took_back_is_asked_still(db: Database, tree: Tree):
    group = await open_ready(db, boss(tree))

    async def take_back() -> None:
        async with db.transaction() as tx:
            await events.send(tx, boss(tree), group, Event.APPROVE)
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        await take_back()

    assert [one.subject for one in await all_of(db)] == [group]


async def test_the_first_answer_counts_and_the_second_is_told_who_and_when(db: Database, tree: Tree):
    await open_ready(db, boss(tree))
    asked = await last(db)

    answered = await asyncio.gather(
        *(decide(db, boss(tree, number), asked, verdict) for number, verdict in ((8, YES), (9, NO), (10, YES))),
        return_exceptions=True,
    )

    [first] = [one for one in answered if isinstance(one, Approval)]
    refused = [one for one in answered if isinstance(one, ApprovalDecided)]
    assert len(refused) == 2
    assert {(one.approval.state, one.approval.decided_by, one.approval.decided_at) for one in refused} == {
        (first.state, first.decided_by, first.decided_at)
    }
    assert refused[0].members["decided_at"] == first.decided_at.isoformat(timespec="seconds")


async def test_who_may_not_decide_it_in_the_app_may_not_here(db: Database, tree: Tree):
    await open_ready(db, boss(tree))
    asked = await last(db)

    for actor, refused in (
        (person(tree.haeundae, Role.OPERATOR), NotAllowed),
        (person(tree.haeundae, Role.VIEWER), NotAllowed),
        (person(tree.nampo), ApprovalNotFound),
        (Actor("token:1", tree.haeundae.id, Role.ADMIN, ("approvals:manage",)), ApprovalNotFound),
        (Actor("token:2", tree.haeundae.id, Role.ADMIN, ("adgroups:manage",)), NotAllowed),
        (Actor("token:3", tree.haeundae.id, Role.ADMIN, ("approvals:write", "adgroups:write")), NotAllowed),
    ):
        with pytest.raises(refused):
            await decide(db, actor, asked)
    assert (await last(db)).state == "open"


async def test_a_device_is_approved_for_the_network_that_was_shown(db: Database, tree: Tree):
    device = await open_device(db, tree.haeundae)
    caller = Caller("busan9", "device of busan9", "3", "R", "", address="10.1.1.5:90", network="10.1.1.0/24")

    async def call(at: str, network: str) -> None:
        async with db.transaction() as tx:
            moved = Caller(*(caller.bot_name, caller.device_id, "3", "R", ""), address=at, network=network)
            await connected.register(tx, moved, worker=None, asks_at_new=True)
            await ask_devices(tx, [device])

    await call("10.1.1.5:90", "10.1.1.0/24")
    first = await last(db)
    await call("10.9.9.5:90", "10.9.9.0/24")
    second = await last(db)
    await call("10.9.9.77:91", "10.9.9.0/24")

    with pytest.raises(ApprovalWithdrawn):
        await decide(db, boss(tree), first)
    assert (await last(db)).id == second.id
    assert (first.seen, second.seen) == ("10.1.1.0/24", "10.9.9.0/24")
    assert (await decide(db, boss(tree), second)).state == "approved"
    async with db.transaction() as tx:
        found = await bots.bots.get_device(tx, await visible_to(tx, ENGINE), device)
    assert (found.state, found.networks) == ("approved", ["10.9.9.0/24"])


async def test_a_known_device_at_a_new_network_is_asked_about_and_decided_without_a_move(db: Database, tree: Tree):
    device = await open_device(db, tree.haeundae)
    away = Caller("busan9", "device of busan9", "3", "R", "", address="10.9.9.5:90", network="10.9.9.0/24")

    async def ask() -> Approval:
        async with db.transaction() as tx:
            await connected.register(tx, away, worker=None, asks_at_new=True)
            await ask_devices(tx, [device])
        return await last(db)

    async with db.transaction() as tx:
        home = Caller("busan9", "device of busan9", "3", "R", "", address="10.1.1.5:90", network="10.1.1.0/24")
        await connected.register(tx, home, worker=None, asks_at_new=True)
        await bots.approve(tx, boss(tree), device)

    denied = await decide(db, boss(tree), await ask(), NO, "누구의 전화기인지 모름")
    other = await ask()
    async with db.transaction() as tx:
        await bots.approve(tx, boss(tree, 9), device)

    [*_, closed] = await all_of(db, "approved", "rejected")
    assert (denied.state, denied.reason) == ("rejected", "누구의 전화기인지 모름")
    assert (closed.id, closed.state, closed.decided_by) == (other.id, "approved", "user:9")


async def test_a_question_moves_with_its_bot(db: Database, tree: Tree):
    await open_device(db, tree.haeundae)
    async with db.transaction() as tx:
        [bot] = (await bots.bots.list_bots(tx, await visible_to(tx, ENGINE))).items
        await bots.edit(tx, ENGINE, bot.id, unit_id=tree.nampo.id)

    with pytest.raises(ApprovalNotFound):
        await decide(db, boss(tree), await last(db))
    assert (await decide(db, person(tree.nampo), await last(db))).state == "approved"


async def test_a_missed_message_is_sent_or_skipped_from_the_inbox_or_from_its_own_page(db: Database, tmp_path: Path):
    world = await make_world(db, tmp_path)
    desk = await open_missed(world)
    operator = person(world.tree.haeundae, Role.OPERATOR, number=7)

    done = await decide(db, operator, await last(db))
    await desk.connect()
    await desk.run()

    assert (done.state, (await find_delivery(db)).state) == ("approved", "sent")
    assert len(desk.line.sent) == 1


async def test_a_missed_message_that_is_dismissed_asks_nobody(db: Database, tmp_path: Path):
    world = await make_world(db, tmp_path)
    await open_missed(world)
    delivery = await find_delivery(db)

    async with db.transaction() as tx:
        await deliveries.dismiss(tx, person(world.tree.haeundae, Role.OPERATOR, number=7), delivery.id)

    [closed] = await all_of(db, "rejected")
    assert (closed.subject, closed.decided_by) == (delivery.id, "user:7")


async def test_at_its_deadline_a_request_ends_and_the_app_does_what_then_happens(db: Database, tmp_path: Path):
    world = await make_world(db, tmp_path)
    await open_missed(world)
    asked = await last(db)
    async with db.transaction() as tx:
        assert asked.deadline_at == asked.opened_at + await settings.value(tx, ASK_MISSED_FOR)

    async def follow(tx: Tx, found: list[Fact]) -> None:
        await approvals.follow_deadlines(tx, found, approvables=KNOWN)

    following = Subscriber("approvals.deadlines", ("approval.expired",), follow, from_start=True)
    await clock.advance(db, await _left(db, asked))
    await timers.fire_once(db, [APPROVAL])
    while await facts.deliver_once(db, following):
        pass

    with pytest.raises(ApprovalExpired):
        await decide(db, boss(world.tree), asked)
    assert (await find_delivery(db)).detail["dismissed_by"] == "engine"


async def _left(db: Database, asked: Approval) -> timedelta:
    async with db.transaction() as tx:
        return timedelta() if asked.deadline_at is None else asked.deadline_at - tx.now


async def test_an_edit_while_it_waits_is_another_question(db: Database, tree: Tree):
    group = await open_ready(db, boss(tree))
    before = await last(db)
    async with db.transaction() as tx:
        await adgroups.amend(tx, boss(tree), group, name="다른 이름")

    with pytest.raises(ApprovalWithdrawn):
        await decide(db, boss(tree), before)
    assert (await last(db)).subject == group
    assert (await decide(db, boss(tree), await last(db))).state == "approved"


async def test_a_no_needs_its_reason_where_its_kind_asks_why(db: Database, tree: Tree):
    await open_ready(db, boss(tree))
    asked = await last(db)
    strict = {**KNOWN, asked.kind: replace(KNOWN[asked.kind], asks_why=True)}

    async def say_no(reason: str) -> Approval:
        async with db.transaction() as tx:
            return await approvals.decide(tx, boss(tree), asked.id, approvables=strict, verdict=NO, reason=reason)

    with pytest.raises(ReasonNeeded):
        await say_no("  ")
    assert (await say_no("이미 방영함")).state == "rejected"


@pytest.fixture
async def two(db: Database) -> None:
    async with db.transaction() as tx:
        await settings.change(tx, ENGINE, APPROVERS, "2")


@pytest.mark.usefixtures("two")
async def test_where_two_are_asked_two_different_people_say_yes_and_not_who_asked(db: Database, tree: Tree):
    group = await open_ready(db, boss(tree, 8))
    asked = await last(db)
    # whose yes is none is no first one either
    with pytest.raises(AnotherPerson):
        await decide(db, boss(tree, 8), asked)
    with pytest.raises(PeopleOnly):
        await decide(db, Actor("token:5", tree.haeundae.id, Role.ADMIN), asked)

    first = await decide(db, boss(tree, 9), asked, reason="좋음")
    for actor, refused in (
        (boss(tree, 8), AnotherPerson),
        (boss(tree, 9), AnotherPerson),
        (Actor("token:5", tree.haeundae.id, Role.ADMIN), PeopleOnly),
        (Actor("cli:kim", None, Role.ADMIN), PeopleOnly),
    ):
        with pytest.raises(refused):
            await decide(db, actor, asked)
        async with db.transaction() as tx:
            with pytest.raises(refused):
                await events.send(tx, actor, group, Event.APPROVE)
            assert (await events.send_many(tx, actor, [group], Event.APPROVE)).transitions == []

    assert (first.state, first.voices) == ("open", ["user:9"])
    assert (await decide(db, boss(tree, 10), asked)).decided_by == "user:10"


@pytest.mark.usefixtures("two")
async def test_where_two_are_asked_one_no_ends_it_and_the_apps_door_may_be_the_second_yes(db: Database, tree: Tree):
    ended, group = await open_ready(db, boss(tree, 8)), await open_ready(db, boss(tree, 8))
    first, second = await all_of(db)
    await decide(db, boss(tree, 9), first)
    await decide(db, boss(tree, 9), second)

    rejected = await decide(db, boss(tree, 10), first, NO)
    async with db.transaction() as tx:
        await events.send(tx, boss(tree, 10), group, Event.APPROVE)

    assert (rejected.state, rejected.subject) == ("rejected", ended)
    assert [one.subject for one in await all_of(db, "approved")] == [group]


async def test_similar_decisions_are_shown_beside_a_request(db: Database, tree: Tree):
    group = await open_ready(db, boss(tree))
    for verdict in (NO, NO, YES):
        await decide(db, boss(tree), await last(db), verdict)
        if verdict is NO:
            async with db.transaction() as tx:
                await events.send(tx, boss(tree), group, Event.COMPLETE_SETUP)
    await open_ready(db, boss(tree))

    async with db.transaction() as tx:
        scope = await visible_to(tx, boss(tree))
        seen = await approvals.get_seen(tx, boss(tree), scope, KNOWN, (await last(db)).id)
        [*_, third] = await all_of(db, "approved")
        alike = await approvals.list_similar(tx, boss(tree), scope, KNOWN, third)

    # another campaign: nothing like it yet
    assert seen.similar == (0, 0)
    assert [one.approval.state for one in alike] == ["rejected", "rejected"]


async def test_the_count_is_of_what_one_could_decide(db: Database, tree: Tree, two: None):
    await open_ready(db, boss(tree, 8))
    await open_device(db, tree.haeundae)

    async def count(actor: Actor) -> int:
        async with db.transaction() as tx:
            return await approvals.count_waiting(tx, actor, await visible_to(tx, actor), KNOWN)

    assert [await count(boss(tree, number)) for number in (8, 9)] == [1, 2]
    assert await count(person(tree.haeundae, Role.OPERATOR)) == 0
    assert await count(person(tree.nampo)) == 0
