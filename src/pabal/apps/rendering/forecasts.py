"""When renders begin and end: from the history of their compositions, what is under way, and the slots there are."""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from pabal.apps.rendering.model import estimates
from pabal.apps.rendering.model.estimates import Estimate, OnAir, Past, QueueMember
from pabal.apps.rendering.model.renders import WORKING, Render, Stage
from pabal.apps.rendering.store import showing, slots
from pabal.base.database import Tx

# Further back in the queue nobody can tell.
MOST_WAITING = 500
# Each stage in the state people see it in. Waiting in nexrender's own queue says nothing about a composition.
STATES: Mapping[str, estimates.Stage] = {
    Stage.PREPARE: "preparing",
    Stage.SUBMIT: "preparing",
    Stage.RENDER: "rendering",
    Stage.ENCODE: "encoding",
    Stage.VALIDATE: "uploading",
    Stage.COPY: "uploading",
}


@dataclass(frozen=True, slots=True)
class Forecast:
    """Of a render that has not ended. `ends_at` None: nobody can tell, because no slot is open or it stands too far
    back. `spare` is what is left before it is needed, negative when it will be late."""

    estimate: Estimate
    starts_at: datetime | None
    ends_at: datetime | None
    on_air: OnAir | None
    spare: timedelta | None


@dataclass(frozen=True, slots=True)
class Outlook:
    """`ends_at` is when all that waits now is through."""

    renders: Mapping[int, Forecast]
    estimates: Mapping[str, Estimate]
    open_slots: int
    ends_at: datetime | None


async def foresee(tx: Tx, wanted: Sequence[Render]) -> Outlook:
    """Of these, and of the queue as a whole."""
    working = [one for one in await showing.list_working(tx) if one.state in WORKING]
    waiting = await showing.list_waiting(tx, most=MOST_WAITING)
    known = await read_estimates(
        tx, {one.composition_id for one in waiting} | {one.composition_id for one in (*working, *wanted)}
    )
    left = {one.id: _left(one, known[one.composition_id], tx.now) for one in working}
    open_slots = sum(one.is_alive(tx.now) and one.is_open(tx.now) for one in await slots.list_slots(tx))
    members = [QueueMember(one.id, known[one.composition_id].total) for one in waiting]
    queue = estimates.queue_eta(members, list(left.values()), slots=open_slots, now=tx.now)
    times: dict[int, tuple[datetime | None, datetime]] = {one.id: (one.starts_at, one.ends_at) for one in queue}
    times |= {id: (None, tx.now + timedelta(seconds=seconds)) for id, seconds in left.items()}
    found = {one.id: _forecast(one, known[one.composition_id], times.get(one.id)) for one in wanted if one.is_open}
    return Outlook(found, known, open_slots, max((end for _, end in times.values()), default=None))


async def read_estimate(tx: Tx, composition_id: str) -> Estimate:
    return (await read_estimates(tx, [composition_id]))[composition_id]


async def read_estimates(tx: Tx, composition_ids: Collection[str]) -> dict[str, Estimate]:
    past: dict[str, dict[int, dict[estimates.Stage, float]]] = defaultdict(lambda: defaultdict(dict))
    for one in await showing.list_past_of(tx, sorted(composition_ids), most=estimates.LAST):
        state = STATES.get(one.stage)
        if state is not None:
            times = past[one.composition_id][one.render_id]
            times[state] = times.get(state, 0.0) + one.seconds
    return {one: estimates.expected([Past(times) for times in past[one].values()]) for one in composition_ids}


def _left(render: Render, estimate: Estimate, now: datetime) -> float:
    """Seconds. What waits for another try goes on after it."""
    waits = 0.0 if render.next_try_at is None else max(0.0, (render.next_try_at - now).total_seconds())
    began = render.stage_began_at or now
    spent = max(0.0, (now - began).total_seconds())
    stage = STATES.get(render.stage)
    if stage is None:
        # nexrender has it and has not begun: only the preparation is behind it
        stage, spent = "preparing", estimate.seconds["preparing"]
    return waits + estimates.remaining(estimate, stage, spent, render.progress)


def _forecast(render: Render, estimate: Estimate, times: tuple[datetime | None, datetime] | None) -> Forecast:
    starts_at, ends_at = (None, None) if times is None else times
    if ends_at is None or render.on_air_at is None:
        return Forecast(estimate, starts_at, ends_at, None, None)
    judged = estimates.judge_on_air(ends_at, render.on_air_at, margin=estimate.margin)
    return Forecast(estimate, starts_at, ends_at, judged, render.on_air_at - ends_at)
