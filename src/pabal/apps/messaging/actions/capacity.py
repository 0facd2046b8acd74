"""What is known before many rooms are sent to: how long the bots need, from what they were seen to take."""

from collections import Counter
from collections.abc import Collection, Sequence
from datetime import datetime

from pabal.apps.messaging import settings as own
from pabal.apps.messaging.actions.bulks import late_of
from pabal.apps.messaging.model.bulks import Audience, BulkRoom, choose_bots, list_turns
from pabal.apps.messaging.model.capacity import UNMEASURED, Estimate, Turn, estimate, need_of
from pabal.apps.messaging.model.content import Part
from pabal.apps.messaging.model.schedules import NewSchedule
from pabal.apps.messaging.store.audiences import list_audience_rooms, load_audiences
from pabal.apps.messaging.store.capacity import count_due, list_due_bulks, measure
from pabal.apps.messaging.store.groups import find_group
from pabal.base.database import Tx
from pabal.platform.settings import Values


async def foresee(
    tx: Tx,
    new: NewSchedule,
    audience: Audience,
    rooms: Sequence[BulkRoom],
    *,
    parts: Sequence[Part],
    at: datetime,
    values: Values,
    but: int | None,
) -> Estimate:  # long: everything that decides how long it takes
    """Of its next moment. Whoever is due at the same time on the same bots goes first."""
    takes_over = bool(values[own.TAKEOVER_AFTER])
    bots = choose_bots(rooms, new.bot_id, share=audience.share_bots, takes_over=takes_over)
    until = audience.closes_at(at, late=late_of(new.late_policy, values))
    seen = await measure(tx, set(bots))
    due = await _count_due(tx, set(bots), at, values=values, but=but)
    busy = {bot_id: sends * (seen[bot_id].send if bot_id in seen else UNMEASURED) for bot_id, sends in due.items()}
    needs = {bot_id: need_of(parts, seen.get(bot_id)) for bot_id in set(bots)}
    moments = list_turns(at, len(rooms), audience.spread)
    turns = [Turn(bot_id, moment) for bot_id, moment in zip(bots, moments, strict=True)]
    return estimate(turns, needs, busy, begin=at, until=until)


async def _count_due(tx: Tx, bots: Collection[int], at: datetime, *, values: Values, but: int | None) -> Counter[int]:
    """Sends of others that these bots have before them: a notice to many rooms is one for each room."""
    since = at - values[own.CATCHUP_WINDOW]
    due = Counter(await count_due(tx, bots, since=since, until=at, but=but))
    others = await list_due_bulks(tx, since=since, until=at, but=but)
    for schedule_id, audience in (await load_audiences(tx, list(others))).items():
        rooms = await list_audience_rooms(tx, audience, await find_group(tx, audience.group_id))
        takes_over = bool(values[own.TAKEOVER_AFTER])
        chosen = choose_bots(rooms, others[schedule_id], share=audience.share_bots, takes_over=takes_over)
        due.update(bot_id for bot_id in chosen if bot_id in bots)
    return due
