"""Servers die and bots leave at any point of a send: each part goes out at most once, or says that nobody knows."""

import asyncio
import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pabal.apps.messaging import settings as own
from pabal.apps.messaging.model.content import Content
from pabal.apps.messaging.model.deliveries import SEND, PartState
from pabal.base.database import Database
from pabal.engine import claims
from tests.support.botline import Desk, Sent, bury, fall_due, find_deliveries, find_delivery, send_now, set_value
from tests.support.messaging import World, add_bot, add_room, add_schedule, make_world
from tests.support.programs import start
from tests.support.work import advance

pytestmark = [pytest.mark.slow, pytest.mark.beside]

ROOT = Path(__file__).parents[4]
# What a phone has handled is told with the next part or with the end: who dies before leaves it unknown.
STAGES = {
    "marked": (["text"], "unknown", ["handled", "unknown"], 0),
    "taken": (["text", "image"], "unknown", ["handled", "unknown"], 0),
    "between": (["text"], "unknown", ["unknown", "handled"], 1),
    "performed": (["text", "image"], "unknown", ["handled", "unknown"], 0),
}


@pytest.fixture
async def world(db: Database, tmp_path: Path) -> World:
    world = await make_world(db, tmp_path)
    for setting in (own.MIN_GAP_SECONDS, own.DISPATCHES_PER_DAY, own.MESSAGES_PER_MINUTE, own.MESSAGES_PER_HOUR):
        await set_value(db, setting, 0)
    for setting in (own.MESSAGES_PER_DAY, own.IMAGE_GAP_MS):
        await set_value(db, setting, 0)
    return world


@pytest.mark.req("A-24", "A-107", "A-126")
async def test_a_process_killed_while_it_sends_is_followed_by_one_that_repeats_nothing(world: World, tmp_path: Path):
    schedules = {stage: await add_one(world, stage, number) for number, stage in enumerate(STAGES)}
    await fall_due(world.db)

    assert await run_and_kill(world, tmp_path) == 0, "each died where it should"

    for stage, (arrived, end, parts, more) in STAGES.items():
        desk = await Desk.open(world, bot=stage)
        await bury(world.db, desk.kinds, int((tmp_path / f"{stage}.worker").read_text(encoding="utf-8")))
        await desk.run()
        delivery = await find_delivery(world.db, schedule=schedules[stage])
        witness = (tmp_path / stage).read_text(encoding="utf-8").split()
        assert (stage, witness) == (stage, arrived)
        assert (stage, delivery.state, [part.state.value for part in delivery.parts]) == (stage, end, parts)
        assert (stage, len(desk.line.sent)) == (stage, more)


async def add_one(world: World, stage: str, number: int) -> int:
    """A bot, a room and a schedule for each stage, so that all may die at once."""
    bot_id, _ = await add_bot(world.db, world.tree.haeundae, stage)
    room_id = await add_room(world.db, world.tree.haeundae, f"1830000{number}", stage, bots=[bot_id])
    content = Content(text="안녕", images_1=(world.picture,), send_interval_seconds=0)
    return await add_schedule(world, content, bot_id=bot_id, room_id=room_id, bot_name=stage)


async def run_and_kill(world: World, folder: Path) -> int:
    environment = os.environ | {"PYTHONPATH": f"{ROOT / 'src'}:{ROOT}"}
    process = start("tests.support.sending_process", world.db.url, str(folder), *STAGES, cwd=ROOT, env=environment)
    return await asyncio.to_thread(process.wait, 60)


FATES = st.lists(
    st.tuples(
        st.sampled_from(["prepared", "performed", "marked", "taken", "gone", "cut", "unconfirmed"]), st.integers(0, 2)
    ),
    max_size=3,  # a fourth death in a row quarantines it
)


@pytest.mark.req("A-126", "A-129", "A-204")
@settings(
    max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)
@given(fates=FATES, resend=st.booleans())
async def test_whatever_happens_a_part_is_taken_once_or_known_to_be_unknown(
    world: World, fates: list[tuple[str, int]], resend: bool
) -> None:
    await set_value(world.db, own.UNKNOWN_PARTS, "resend" if resend else "leave")
    schedule_id = await add_schedule(world, three_parts(world))
    await send_now(world.db, schedule_id)
    taken: list[Sent] = []

    for fate, number in [*fates, ("", 0), ("", 0)]:
        await attempt(world, fate, number, taken)

    delivery = (await find_deliveries(world.db, schedule=schedule_id))[0]
    counts = [sum(sent.media_wait == no for sent in taken) for no in range(3)]
    for part, count in zip(delivery.parts, counts, strict=True):
        assert part.state in (PartState.HANDLED, PartState.UNKNOWN)
        assert count <= 1 + part.resent, "never twice, unless somebody said so"
        assert count >= 1 or part.state is PartState.UNKNOWN, "what is called handled was taken"
        assert resend or part.resent == 0
    is_whole = all(part.state is PartState.HANDLED for part in delivery.parts)
    assert delivery.state == ("sent" if is_whole else "unknown")


class Crash(BaseException):
    """The process is gone."""


async def attempt(world: World, fate: str, number: int, taken: list[Sent]) -> None:
    """One server's attempt, ended by its fate at this packet; after it, another server has the bot."""
    desk = await Desk.open(world)
    arm(desk, fate, number)
    await advance(world.db, 2)
    try:
        job = await desk.claim()
        if job is not None and fate in ("prepared", "performed"):
            await run_partly(desk, job, performs=fate == "performed")
        elif job is not None:
            await desk.perform(job)
    except Crash:
        await desk.die()
    taken += desk.line.sent
    await desk.disconnect()


def arm(desk: Desk, fate: str, number: int) -> None:
    def crash(at: int) -> None:
        if at == number:
            raise Crash

    match fate:
        case "gone" | "cut":
            desk.line.go(number, began=fate == "cut")
        case "marked":
            desk.line.before = crash
        case "taken":
            desk.line.after = crash
        case "unconfirmed":
            desk.line.handles = crash


async def run_partly(desk: Desk, job: claims.Job, *, performs: bool) -> None:
    handler = desk.kinds[SEND].handler
    async with claims.fenced(desk.db, job) as tx:
        [ready] = await handler.prepare_all(tx, [job])
        if not hasattr(ready, "parts"):
            await claims.settle(tx, desk.worker, [(job, ready)], desk.kinds)
            return
    if performs:
        await handler.perform(job, ready)
    raise Crash


def three_parts(world: World) -> Content:
    """Their waits tell them apart."""
    one = (world.picture,)
    waits = {"media_wait_1": 1, "media_wait_2": 2}
    return Content(text="안녕", images_1=one, images_2=one, send_interval_seconds=0, **waits)
