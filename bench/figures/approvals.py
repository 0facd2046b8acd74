"""What the inbox and one decision cost with 100,000 decisions behind them, against 1,000; 500 wait in both."""

import time
from collections.abc import Awaitable, Callable
from dataclasses import asdict, dataclass
from datetime import timedelta
from typing import Any

from bench.ground import Ground
from bench.result import Measured, Target, middle, middle_ratio
from pabal.apps.adgroups.actions import adgroups, campaigns, events
from pabal.apps.adgroups.approvals import APPROVABLES
from pabal.apps.adgroups.model.adgroups import Event, NewAdGroup, NewCampaign, Schedule
from pabal.base.database import Database, Tx
from pabal.base.migrations import migrate
from pabal.base.sql import load
from pabal.engine import housekeeping
from pabal.platform import approvals, tenants
from pabal.platform.actor import ENGINE, Actor, Role
from pabal.platform.approvals import Verdict, Wanted
from pabal.platform.slice import list_migrations, load_slices
from pabal.platform.tenants import Level, Scope

SQL = load(__file__)
KNOWN = {one.kind.name: one for one in APPROVABLES}
TARGETS = (Target("growth", at_most=1.5),)
CAMPAIGNS = 50
DAY = timedelta(days=1)


@dataclass(frozen=True)
class Sizes:
    few: int = 1_000
    many: int = 100_000
    open: int = 500
    looks: int = 40
    rounds: int = 5


SMALL = Sizes(few=50, many=200, open=10, looks=2, rounds=1)


class _Undone(Exception):
    """What was measured is taken back: the next one finds the same inbox."""


async def measure(ground: Ground, sizes: Sizes) -> Measured:
    rounds: list[dict[str, Any]] = []
    async with ground.fresh() as few_url, ground.fresh() as many_url:
        for url, count in ((few_url, sizes.few), (many_url, sizes.many)):
            await _fill(url, count, sizes.open)
            await ground.settle(url)
        for number in range(sizes.rounds):
            few, many = await _look(few_url, sizes.looks), await _look(many_url, sizes.looks)
            named = {f"few_{name}": value for name, value in few.items()}
            rounds.append({"round": number, **named, **{f"many_{name}": value for name, value in many.items()}})
    growths = {name: middle_ratio(rounds, f"many_{name}_ms", f"few_{name}_ms") for name in ("page", "decision")}
    fields = {
        "growth": max(growths.values()),
        **{f"{name}_growth": value for name, value in growths.items()},
        "page_ms": middle(rounds, "many_page_ms"),
        "decision_ms": middle(rounds, "many_decision_ms"),
    }
    notes = (
        "A page is the inbox of a branch: twenty cards in words with similar decisions counted, how many wait, and the "
        "twenty last decisions. A decision is a yes to an ad group: the app's own event with its guards, history, "
        "timers and audit, and the end of the request. growth is the worse of the two.",
    )
    return Measured(fields, TARGETS, rounds, asdict(sizes), notes)


async def _fill(url: str, decided: int, waiting: int) -> None:
    database = await Database.open(url, size=2)
    await migrate(database, list_migrations(load_slices(["pabal.apps.adgroups"])))
    await housekeeping.make_partitions(database)
    async with database.transaction() as tx:
        hq = await tenants.ensure_hq(tx)
        unit = await tenants.add_unit(tx, ENGINE, parent_id=hq.id, level=Level.BRANCH, name="Bench")
        place = await campaigns.add_inventory(tx, ENGINE, code="bench", name="Bench")
        made = [
            (await campaigns.create_campaign(tx, ENGINE, NewCampaign(f"C{n}", tx.now - DAY), unit_id=unit.id)).id
            for n in range(CAMPAIGNS)
        ]
        await tx.run(SQL.fill_decided, unit_id=unit.id, count=decided, campaigns=made)
        for number in range(waiting):
            new = NewAdGroup(f"Group {number}", made[number % CAMPAIGNS], Schedule(tx.now + DAY, tx.now + 9 * DAY))
            group = await adgroups.create(tx, ENGINE, new)
            await adgroups.add_creative(tx, ENGINE, group.id, name="A", url="https://cdn.example.com/a.png")
            await adgroups.set_inventories(tx, ENGINE, group.id, [place.id])
            await events.send(tx, ENGINE, group.id, Event.COMPLETE_SETUP)
        await tx.run(SQL.point_decided)
    await database.close()


async def _look(url: str, times: int) -> dict[str, float]:
    database = await Database.open(url, size=1)
    async with database.transaction() as tx:
        unit_id = await tx.value(SQL.find_unit)
        actor, scope = Actor("user:1", unit_id, Role.ADMIN), Scope((unit_id,), unit_id)
        [asked] = await approvals.list_seen(tx, actor, scope, KNOWN, Wanted(tuple(KNOWN)), limit=1)

    async def page(tx: Tx) -> None:
        await approvals.list_seen(tx, actor, scope, KNOWN, Wanted(tuple(KNOWN)), limit=21)
        await approvals.count_waiting(tx, actor, scope, KNOWN)
        over = Wanted(tuple(KNOWN), ("approved", "rejected", "withdrawn"))
        await approvals.list_seen(tx, actor, scope, KNOWN, over, limit=21)

    async def decision(tx: Tx) -> None:
        await approvals.decide(tx, actor, asked.id, approvables=KNOWN, verdict=Verdict.APPROVE)

    answers = [
        {"page_ms": await _time(database, page), "decision_ms": await _time(database, decision)}
        for _ in range(times + 2)
    ]
    await database.close()
    # The first of a connection load catalogs and plans.
    return {name: middle(answers[2:], name) for name in ("page_ms", "decision_ms")}


async def _time(database: Database, action: Callable[[Tx], Awaitable[Any]]) -> float:
    began = time.perf_counter()
    try:
        async with database.transaction() as tx:
            await action(tx)
            raise _Undone
    except _Undone:
        return (time.perf_counter() - began) * 1000
