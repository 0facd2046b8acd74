"""What taking one render and looking at the queue cost with 100,000 jobs in the table, against 1,000."""

import time
from collections.abc import Awaitable, Callable
from dataclasses import asdict, dataclass, replace
from datetime import timedelta
from pathlib import Path
from typing import Any

from bench.ground import Ground
from bench.render_ground import COMPOSITION, KEY, install
from bench.result import Measured, Target, middle, middle_ratio
from pabal.apps.rendering.actions.requesting import enqueue
from pabal.apps.rendering.farm import KEPT, Farm, make_farm
from pabal.apps.rendering.jobs.rendering import RenderSteps, make_kinds
from pabal.apps.rendering.machine import RENDER as MACHINE
from pabal.apps.rendering.model.renders import RENDER, RenderState
from pabal.apps.rendering.startup import RenderingStartup
from pabal.apps.rendering.store import renders, slots
from pabal.apps.rendering.store.renders import Filter
from pabal.base.database import Database, Tx
from pabal.base.settings import Settings
from pabal.base.sql import load
from pabal.engine import claims, transitions, widths, workers
from pabal.engine.claims import Wanted
from pabal.platform.actor import ENGINE
from pabal.platform.notifications import Telegram
from pabal.platform.secrets import Vault
from pabal.platform.services import Services
from pabal.platform.storage import Files
from pabal.platform.tenants import Scope

SQL = load(__file__)
HOUSE = Scope(None, None)
TARGETS = (Target("growth", at_most=1.5),)
NAMES = ("few_claim_ms", "many_claim_ms", "few_page_ms", "many_page_ms")


@dataclass(frozen=True)
class Sizes:
    few: int = 1_000
    many: int = 100_000
    # of a hundred
    waiting: int = 2
    looks: int = 40
    rounds: int = 5


SMALL = Sizes(few=200, many=1_000, looks=3, rounds=1)


class _Undone(Exception):
    """What was measured is taken back: the next one finds the same queue."""


async def measure(ground: Ground, sizes: Sizes) -> Measured:
    rounds = []
    async with ground.fresh() as few_url, ground.fresh() as many_url:
        for url, count in ((few_url, sizes.few), (many_url, sizes.many)):
            await _fill(url, replace(sizes, many=count))
            await ground.settle(url)
        for number in range(sizes.rounds):
            few, many = await _look(few_url, sizes.looks), await _look(many_url, sizes.looks)
            rounds.append(
                {
                    "round": number,
                    **{f"few_{name}": value for name, value in few.items()},
                    **{f"many_{name}": value for name, value in many.items()},
                }
            )
    growths = {name: middle_ratio(rounds, f"many_{name}_ms", f"few_{name}_ms") for name in ("claim", "page")}
    fields = {
        "growth": max(growths.values()),
        **{f"{name}_growth": value for name, value in growths.items()},
        "claim_ms": middle(rounds, "many_claim_ms"),
        "page_ms": middle(rounds, "many_page_ms"),
        **{name: middle(rounds, name) for name in NAMES},
    }
    notes = (
        "A claim is the engine's, and what makes the job a slot's: pending to preparing, with its data, template, "
        "estimate and history. A page is the fifty newest jobs, the twenty that are next, and twenty that failed.",
        "growth is the worse of the two. One of fifty jobs waits, as 2,000 of 100,000.",
    )
    return Measured(fields, TARGETS, rounds, asdict(sizes), notes)


async def _fill(url: str, sizes: Sizes) -> None:
    database = await Database.open(url, size=2)
    unit_id = await install(database, template="/nowhere/bench.aep")
    services, _ = _make_services(database)
    await widths.declare_all(database, make_kinds(services).widths)
    waiting = sizes.many * sizes.waiting // 100
    gfx = Vault(KEY).seal('{"single_fields": {"pot": "1"}}')
    given = {"unit_id": unit_id, "composition_id": COMPOSITION, "gfx_data": gfx}
    async with database.transaction() as tx:
        await tx.run(SQL.fill_ended, **given, count=sizes.many - waiting)
        ids = [row["id"] for row in await tx.rows(SQL.fill_waiting, **given, count=waiting)]
        await transitions.begin(tx, MACHINE, ids, actor=ENGINE.name)
        await enqueue(tx, await renders.hold_renders(tx, ids))
    await database.close()


async def _look(url: str, times: int) -> dict[str, float]:
    database = await Database.open(url, size=1)
    steps = await _open_slot(database)
    async with database.transaction() as tx:
        worker = await workers.insert_worker(tx, host="bench", meta={}, ttl=timedelta(hours=1))

    async def claim(tx: Tx) -> None:
        [(job, _, _)] = await claims.claim(tx, worker, [Wanted(RENDER, priority) for priority in range(4)], total=1)
        assert (await steps.prepare(tx, job)).render.state == RenderState.PREPARING  # type: ignore[union-attr]

    answers = [
        {"claim_ms": await _time(database, claim), "page_ms": await _time(database, _show_page)}
        for _ in range(times + 2)
    ]
    await database.close()
    # The first of a connection load catalogs and plans.
    return {name: middle(answers[2:], name) for name in ("claim_ms", "page_ms")}


async def _open_slot(database: Database) -> RenderSteps:
    services, farm = _make_services(database)
    async with database.transaction() as tx:
        for slot_id, number in farm.slots.items():
            await slots.open_slot(
                tx, slot_id, worker_id=str(farm.workers[0].id), number=number, name="bench", host="bench", server=1,
                nexrender_url="",
            )  # fmt: skip
    return RenderSteps(services, farm)


def _make_services(database: Database) -> tuple[Services, Farm]:
    startup = RenderingStartup(
        PABAL_RENDERING_NEXRENDER_URL="http://127.0.0.1:9", NAS_MOUNT_PATH="/nowhere", output_dir="D:/output"
    )
    farm, nobody, files = make_farm(startup), Telegram("http://127.0.0.1:9"), Files(Path("/nowhere"))
    services = Services(Settings(), database, database, Vault(KEY), files, nobody, changes=database, identity=database)
    services.kept[KEPT] = farm
    return services, farm


async def _show_page(tx: Tx) -> None:
    await renders.list_renders(tx, HOUSE, limit=50)
    await renders.list_queue(tx, HOUSE, most=20)
    await renders.list_renders(tx, HOUSE, Filter(states=[RenderState.FAILED]), limit=20)


async def _time(database: Database, action: Callable[[Tx], Awaitable[Any]]) -> float:
    began = time.perf_counter()
    try:
        async with database.transaction() as tx:
            await action(tx)
            raise _Undone
    except _Undone:
        return (time.perf_counter() - began) * 1000
