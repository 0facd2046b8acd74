"""The engine's side of a schedule: its timetable and lane, jobs that are withdrawn, how often servers look for work."""

from dataclasses import dataclass
from datetime import timedelta
from zoneinfo import ZoneInfo

from pabal.apps.messaging import settings
from pabal.apps.messaging.errors import ScheduleBusy
from pabal.apps.messaging.model.bots import route_of
from pabal.apps.messaging.model.bulks import BULK
from pabal.apps.messaging.model.deliveries import SEND
from pabal.apps.messaging.model.polling import Polling, parse_ranges
from pabal.apps.messaging.model.schedules import LatePolicy, Schedule
from pabal.apps.messaging.store import schedules as store
from pabal.apps.messaging.store.schedules import list_begun, list_jobs_of_deliveries
from pabal.base.database import Tx
from pabal.engine import queue, withdrawals
from pabal.engine import schedules as engine
from pabal.engine.kinds import Kinds
from pabal.engine.misfires import ON_TIME, Misfire
from pabal.engine.schedules import NewSchedule
from pabal.engine.ticks import Pace
from pabal.platform.actor import Actor
from pabal.platform.settings import Values, values

SETTINGS = (settings.LANE, settings.CATCHUP_WINDOW, settings.RETRY_HORIZON)
_AT_ONCE = 500


@dataclass(frozen=True, slots=True)
class Late:
    """What becomes of moments nobody looked at in time; `window` is also how long a send waits that was not begun."""

    misfire: Misfire
    window: timedelta


def late(policy: LatePolicy, said: Values) -> Late:
    match policy:
        case LatePolicy.WINDOW:
            return Late(Misfire.LATEST, said[settings.CATCHUP_WINDOW])
        case LatePolicy.SEND_LATE:
            return Late(Misfire.LATEST, said[settings.RETRY_HORIZON])
        case LatePolicy.ASK | LatePolicy.SKIP:
            return Late(Misfire.SKIP, ON_TIME)


def lane_of(said: Values, *, bot_name: str, room_id: int) -> str:
    """What goes one at a time: a bot, which is one phone, or by the setting a room."""
    return f"room:{room_id}" if said[settings.LANE] == "room" else route_of(bot_name)


async def put(tx: Tx, schedule: Schedule) -> engine.Schedule:
    """The first time: it has a moment ahead, or this raises NothingAhead."""
    made = await engine.put(tx, _plan(schedule, await values(tx, SETTINGS)))
    await store.set_timetable(tx, schedule.id, made.id)
    return made


async def edit(tx: Tx, schedule: Schedule) -> engine.Schedule:
    """As the schedule says now; what was due before is decided as it was. A pause stays."""
    if schedule.timetable_id is None:
        return await put(tx, schedule)
    return await engine.edit(tx, schedule.timetable_id, _plan(schedule, await values(tx, SETTINGS)))


async def relane(tx: Tx) -> None:
    """Schedules that were saved under other settings get the lane and the lateness of now."""
    said = await values(tx, SETTINGS)
    windows = {policy.value: late(policy, said).window for policy in LatePolicy}
    after = 0
    while True:
        by_room = said[settings.LANE] == "room"
        found = await store.list_astray(tx, after=after, most=_AT_ONCE, by_room=by_room, windows=windows)
        for schedule in await store.load_schedules(tx, found):
            await edit(tx, schedule)
        if len(found) < _AT_ONCE:
            return
        after = found[-1]


def _plan(schedule: Schedule, said: Values) -> NewSchedule:
    timing, lateness = schedule.when.timing, late(schedule.late_policy, said)
    lane = lane_of(said, bot_name=schedule.bot_name, room_id=schedule.room_id)
    is_bulk = schedule.audience is not None
    return NewSchedule(
        name=schedule.title,
        kind=BULK if is_bulk else SEND,
        args={"message_schedule": schedule.id},
        about=schedule.about,
        # what goes to many rooms is opened by any server; each of its sends has a route and a lane
        route=None if is_bulk else route_of(schedule.bot_name),
        lane=None if is_bulk else lane,
        recurrence=timing.recurrence,
        zone=timing.zone,
        valid_from=timing.window.valid_from,
        valid_until=timing.window.valid_until,
        misfire=lateness.misfire,
        misfire_window=lateness.window,
        expires_after=lateness.window,
        unit_id=schedule.unit_id,
    )


# Nothing was begun, so no handler has anything to write about the end of these jobs.
_NOBODY = Kinds()


async def withdraw(tx: Tx, actor: Actor, schedule: Schedule) -> list[int]:
    """The schedule is locked, so a send that is being prepared either has its delivery already or will see the end."""
    waiting = await queue.find_open(tx, about=schedule.about)
    begun = await list_begun(tx, waiting)
    ours = [job_id for job_id in waiting if job_id not in begun and not await _is_running(tx, job_id)]
    return await _cancel(tx, actor, ours)


async def end_all(tx: Tx, actor: Actor, schedule: Schedule) -> None:
    """Before everything of it goes: also sends that began and wait to go on, and tests. Not while one is running."""
    waiting = {*await queue.find_open(tx, about=schedule.about), *await list_jobs_of_deliveries(tx, schedule.id)}
    for job_id in waiting:
        if await _is_running(tx, job_id):
            raise ScheduleBusy(schedule.about)
    await _cancel(tx, actor, sorted(waiting))


async def _is_running(tx: Tx, job_id: int) -> bool:
    place = await queue.find_place(tx, job_id)
    return place is not None and place.place == "lease"


async def _cancel(tx: Tx, actor: Actor, job_ids: list[int]) -> list[int]:
    if not job_ids:
        return []
    done = await withdrawals.cancel_jobs(tx, job_ids, kinds=_NOBODY, reason=f"cancelled by {actor.name}")
    return done.ended


ZONE = ZoneInfo("Asia/Seoul")


async def read_pace(tx: Tx) -> Pace:
    wanted = (
        settings.POLL_BASE,
        settings.POLL_BUSY,
        settings.POLL_IDLE,
        settings.BUSY_HOURS,
        settings.IDLE_HOURS,
        settings.POLL_MAX,
    )
    said = await values(tx, wanted)
    polling = Polling(
        said[settings.POLL_BASE],
        said[settings.POLL_BUSY],
        said[settings.POLL_IDLE],
        parse_ranges(said[settings.BUSY_HOURS]),
        parse_ranges(said[settings.IDLE_HOURS]),
    )
    return Pace(polling.interval(tx.now.astimezone(ZONE)), said[settings.POLL_MAX])
