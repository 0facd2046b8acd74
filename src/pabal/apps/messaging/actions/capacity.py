"""What is known before many rooms are sent to: how long the bots need, from what they were seen to take."""

from collections.abc import Collection, Sequence
from datetime import datetime, timedelta

from pabal.apps.messaging import settings as own
from pabal.apps.messaging.actions.bulks import late_of
from pabal.apps.messaging.model.bulks import LONGEST_SPAN, Audience, BulkRoom, choose_bots, list_turns
from pabal.apps.messaging.model.capacity import Due, Estimate, Turn, estimate, list_busy, need_of
from pabal.apps.messaging.model.content import Part
from pabal.apps.messaging.model.schedules import NewSchedule
from pabal.apps.messaging.store.audiences import list_rooms_of_each, load_audiences
from pabal.apps.messaging.store.capacity import count_open, list_due, list_due_bulks, measure
from pabal.apps.messaging.store.groups import find_groups
from pabal.base.database import Tx
from pabal.platform.settings import Values

# What was due before this has had its time: no window is longer.
LONGEST_WINDOW = timedelta(minutes=LONGEST_SPAN)


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
    due = await _list_due(tx, set(bots), at, takes_over=takes_over, but=but)
    busy = list_busy(due, {bot_id: one.send for bot_id, one in seen.items()}, at=at)
    needs = {bot_id: need_of(parts, seen.get(bot_id)) for bot_id in set(bots)}
    moments = list_turns(at, len(rooms), audience.spread)
    turns = [Turn(bot_id, moment) for bot_id, moment in zip(bots, moments, strict=True)]
    return estimate(turns, needs, busy, begin=at, until=until)


async def _list_due(tx: Tx, bots: Collection[int], at: datetime, *, takes_over: bool, but: int | None) -> list[Due]:
    """Sends of others that these bots have until then: what is under way, and what falls due.

    A notice to many rooms is a send for each room. What is spread beyond this moment goes out in between.
    """
    since = at - LONGEST_WINDOW
    under_way = [Due(bot_id, tx.now, sends) for bot_id, sends in (await count_open(tx, bots, until=at)).items()]
    single = await list_due(tx, bots, since=since, until=at, but=but)
    others = await list_due_bulks(tx, since=since, until=at, but=but)
    audiences = await load_audiences(tx, [one.schedule_id for one in others]) if others else {}
    groups = await find_groups(tx, {one.group_id for one in audiences.values() if one.group_id is not None})
    asked = [(one, audiences[one.schedule_id]) for one in others]
    rooms_of = await list_rooms_of_each(tx, [audience for _, audience in asked], groups) if asked else []
    spread: list[Due] = []
    for (one, audience), rooms in zip(asked, rooms_of, strict=True):
        chosen = choose_bots(rooms, one.bot_id, share=audience.share_bots, takes_over=takes_over)
        moments = list_turns(one.at, len(rooms), audience.spread) if audience.spread else [one.at] * len(rooms)
        spread += [
            Due(bot, moment) for bot, moment in zip(chosen, moments, strict=True) if bot in bots and moment <= at
        ]
    return [*under_way, *single, *spread]
