"""A schedule as the list and its own page show it: with its rule in words, its bot, and how it goes right now."""

from collections.abc import Sequence
from dataclasses import dataclass

from pabal.apps.messaging.model.schedules import Schedule
from pabal.apps.messaging.pages.sheet import describe
from pabal.apps.messaging.store.deliveries import OpenSend, list_open
from pabal.apps.messaging.store.glances import Last, list_last, show_bot_states
from pabal.base.database import Tx
from pabal.engine import why
from pabal.platform.language.pairs import Pair, put
from pabal.platform.web.tree import load_tree
from pabal.platform.web.visit import Visit

_NOTES: dict[str, Pair] = {
    "waiting_for_bot": ("waits for the bot", "봇이 돌아오면 보냅니다"),
    "deferred": ("put off by a limit of the room", "톡방 제한으로 미뤘습니다"),
    "held": ("held: the bot has another room of this name", "같은 이름의 톡방이 또 있어 보류 중입니다"),
    "retrying": ("failed, is tried again", "실패해 다시 시도합니다"),
}


@dataclass(frozen=True, slots=True)
class Row:
    """`place` is where a send of it is right now, `path` its owner from the top one may see, `why` its engine id."""

    schedule: Schedule
    says: str
    path: list[str]
    bot_state: str
    why: str | None = None
    last: Last | None = None
    place: str | None = None
    note: Pair | None = None


async def make_rows(tx: Tx, visit: Visit, found: Sequence[Schedule]) -> list[Row]:
    bots = await show_bot_states(tx, sorted({one.bot_id for one in found}))
    units = await load_tree(tx, visit.scope)
    last = await list_last(tx, [one.id for one in found])
    under_way = {one.schedule_id: one for one in reversed(await list_open(tx, visit.scope.listed))}
    return [
        _row(visit, one, units.names(one.unit_id), bots[one.bot_id], last.get(one.id), under_way.get(one.id))
        for one in found
    ]


def _row(
    visit: Visit, one: Schedule, path: list[str], bot_state: str, last: Last | None, open_send: OpenSend | None
) -> Row:
    place = open_send.place if open_send and open_send.cause != "test" else None
    return Row(
        schedule=one,
        says=put(visit.lang, describe(one.as_new(), visit.now)),
        path=path,
        bot_state=bot_state,
        why=None if one.timetable_id is None else why.show_schedule(one.timetable_id),
        last=last,
        place=place,
        note=_NOTES.get(place or ""),
    )
