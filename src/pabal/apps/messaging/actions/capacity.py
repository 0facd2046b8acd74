"""What is known before many rooms are sent to: how long the bots need, from what they were seen to take."""

from collections.abc import Sequence
from datetime import datetime

from pabal.apps.messaging import settings as own
from pabal.apps.messaging.actions.bulks import late_of
from pabal.apps.messaging.model.bulks import Audience, BulkRoom, choose_bots, list_turns
from pabal.apps.messaging.model.capacity import UNMEASURED, Estimate, Turn, estimate, need_of
from pabal.apps.messaging.model.content import Part
from pabal.apps.messaging.model.schedules import NewSchedule
from pabal.apps.messaging.store.capacity import count_due, measure
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
    due = await count_due(tx, set(bots), since=at - values[own.CATCHUP_WINDOW], until=at, but=but)
    busy = {bot_id: sends * (seen[bot_id].send if bot_id in seen else UNMEASURED) for bot_id, sends in due.items()}
    needs = {bot_id: need_of(parts, seen.get(bot_id)) for bot_id in set(bots)}
    moments = list_turns(at, len(rooms), audience.spread)
    turns = [Turn(bot_id, moment) for bot_id, moment in zip(bots, moments, strict=True)]
    return estimate(turns, needs, busy, begin=at, until=until)
