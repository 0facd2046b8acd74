"""I12: whatever happens in whatever order, the ledger equals an oracle over the wall clock, minute by minute."""

import random
from collections.abc import Awaitable, Callable
from dataclasses import replace
from datetime import datetime, time, timedelta
from zoneinfo import ZoneInfo

import pytest

from pabal.base.database import Database
from pabal.engine import ticks
from pabal.engine.recurrence import Cron, Daily, Interval, Recurrence, Weekday, Weekly
from pabal.engine.schedules import Misfire, Overlap
from tests.support import work
from tests.support.schedule_model import Model, Rule
from tests.support.schedules import (
    DAY,
    MINUTE,
    SECOND,
    START,
    assert_ledger_and_jobs_agree,
    edit,
    get,
    go_to,
    ledger,
    pause,
    put,
    resume,
    skip_one,
    tick,
    trigger,
)

STEPS = 40


def _daily(wall: datetime) -> bool:
    return wall.time() in (time(0, 30), time(9), time(9, 1), time(21, 15))


def _weekly(wall: datetime) -> bool:
    return wall.weekday() in (0, 2, 6) and wall.time() in (time(2, 30), time(14), time(23, 59))


def _cron(wall: datetime) -> bool:
    return wall.minute % 20 == 0


def _interval(wall: datetime) -> bool:
    return (wall - START) % timedelta(minutes=35) == timedelta(0)


RULES: list[tuple[Recurrence, Rule]] = [
    (Daily((time(0, 30), time(9), time(9, 1), time(21, 15))), _daily),
    (Weekly((Weekday.MON, Weekday.WED, Weekday.SUN), (time(2, 30), time(14), time(23, 59))), _weekly),
    (Cron("*/20 * * * *"), _cron),
    (Interval(timedelta(minutes=35), anchor=START), _interval),
]


class Story:
    """One schedule and its model, and steps that happen to both."""

    def __init__(self, db: Database, seed: int) -> None:
        self.db = db
        self.dice = random.Random(seed)
        self.now = START
        rare = [self.crash, self.pause_or_resume, self.edit, self.skip, self.trigger, self.end]
        self.steps: list[Callable[[], Awaitable[None]]] = [self.tick, self.tick, self.tick, *rare]

    async def begin(self) -> None:
        dice = self.dice
        recurrence, rule = dice.choice(RULES)
        misfire, overlap = dice.choice(list(Misfire)), dice.choice(list(Overlap))
        window = dice.choice([None, timedelta(minutes=5), timedelta(hours=3), timedelta(hours=30)])
        most = dice.randint(1, 6) if misfire is Misfire.ALL else None
        valid = START + dice.choice([0, 1]) * DAY, START + dice.choice([4, 400]) * DAY
        zone = dice.choice(["UTC", "Asia/Seoul", "Asia/Kathmandu"])
        await go_to(self.db, START)
        self.schedule = await put(
            self.db,
            recurrence,
            zone=zone,
            misfire=misfire,
            misfire_window=window,
            misfire_max=most,
            overlap=overlap,
            valid_from=valid[0],
            valid_until=valid[1],
        )
        self.model = Model(rule, ZoneInfo(zone), valid, misfire, window, most, overlap, looked_until=START)

    async def pass_time(self) -> None:
        """To ten seconds after a minute (its moment is on time) or to 45 (it is late); the drift stays far below."""
        minutes = self.dice.choice([1, 3, 20, 35, 90, 700, 1500])
        self.now = self.now.replace(second=0) + minutes * MINUTE + self.dice.choice([10, 45]) * SECOND
        await go_to(self.db, self.now)

    async def tick(self) -> None:
        await tick(self.db)
        self.model.tick(self.now)

    async def crash(self) -> None:
        async with work.undone(self.db) as tx:
            await ticks.tick(tx)

    async def pause_or_resume(self) -> None:
        if self.model.is_paused:
            await resume(self.db, self.schedule.id)
            self.model.pass_paused(self.now)
        else:
            await pause(self.db, self.schedule.id)
        self.model.is_paused = not self.model.is_paused

    async def edit(self) -> None:
        recurrence, rule = self.dice.choice(RULES)
        await edit(self.db, self.schedule.id, replace(self.schedule, recurrence=recurrence))
        self.model.edit(rule, self.now)

    async def skip(self) -> None:
        ahead = self.model.moments(self.now, self.now + 3 * DAY)
        if ahead:
            moment = self.dice.choice(ahead)
            await skip_one(self.db, self.schedule.id, moment)
            self.model.skip(moment)

    async def trigger(self) -> None:
        if self.model.valid[0] <= self.now < self.model.valid[1]:
            await trigger(self.db, self.schedule.id)
            self.model.has_open = True

    async def end(self) -> None:
        open_jobs = [one.work_id for one in await ledger(self.db, self.schedule.id) if one.work_id and not one.end]
        await work.cancel(self.db, *open_jobs)
        self.model.has_open = False


@pytest.mark.parametrize("seed", range(24))
async def test_the_ledger_equals_the_oracles(db: Database, seed: int):
    story = Story(db, seed)
    await story.begin()

    for _ in range(STEPS):
        await story.pass_time()
        await story.dice.choice(story.steps)()
    if story.model.is_paused:
        await story.pause_or_resume()
    await story.tick()

    written = await ledger(db, story.schedule.id)
    moments = [one for one in written if one.actor is None or one.decision == "skipped"]
    assert {one.fire_at: one.decision for one in moments} == {
        moment: said.split()[0] for moment, said in story.model.decided.items()
    }
    reasons = {one.fire_at: one.reason for one in moments if one.end is None}
    assert reasons == {moment: said.split()[1] for moment, said in story.model.decided.items() if moment in reasons}
    ahead = story.model.moments(story.now, story.now + 8 * DAY)
    assert (await get(db, story.schedule.id)).next_at == next(iter(ahead), None)
    await assert_ledger_and_jobs_agree(db)
