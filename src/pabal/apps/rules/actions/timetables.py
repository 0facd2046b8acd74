"""The engine's side of a rule: its schedule, and jobs that are withdrawn when it stops."""

from pabal.apps.rules.model.rules import MISFIRES, RUN, Rule
from pabal.apps.rules.store import rules as store
from pabal.base.database import Tx
from pabal.engine import queue, withdrawals
from pabal.engine import schedules as engine
from pabal.engine.schedules import NewSchedule


async def put(tx: Tx, rule: Rule) -> engine.Schedule:
    """As the rule says now; what was due before is decided as it was. A pause stays."""
    if rule.timetable_id is not None:
        return await engine.edit(tx, rule.timetable_id, _plan(rule))
    made = await engine.put(tx, _plan(rule))
    await store.set_timetable(tx, rule.number, made.id)
    return made


async def withdraw(tx: Tx, rule: Rule, *, reason: str, also_running: bool = False) -> None:
    """What waits is not begun; with `also_running`, what runs is told to stop. Right after the commit."""
    found = await queue.find_open(tx, about=rule.about)
    wanted = [job_id for job_id in found if also_running or not await _is_running(tx, job_id)]
    await withdrawals.ask(tx, wanted, reason=reason)


async def _is_running(tx: Tx, job_id: int) -> bool:
    place = await queue.find_place(tx, job_id)
    return place is not None and place.place == "lease"


def _plan(rule: Rule) -> NewSchedule:
    """However long nothing was running: which of the missed moments are made up for is the rule's to say."""
    timing = rule.timing
    return NewSchedule(
        name=rule.name,
        kind=RUN,
        args={"rule": rule.number},
        about=rule.about,
        recurrence=timing.recurrence,
        zone=timing.zone,
        misfire=MISFIRES[rule.misfire],
        misfire_window=None,
        misfire_max=rule.misfire_max,
        overlap=rule.overlap,
        max_failures=rule.max_attempts,
        unit_id=rule.unit_id,
    )
