"""`pabal msg limits`, `preview` and `load`: how much may be sent, how it will look, and how busy the servers are."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from datetime import datetime
from typing import TYPE_CHECKING, Annotated, Any
from zoneinfo import ZoneInfo

import typer

from pabal.apps.messaging.cli import words
from pabal.apps.messaging.cli.words import reply, reply_one
from pabal.apps.messaging.model.content import Pace
from pabal.apps.messaging.model.preview import Bubble, bubbles
from pabal.apps.messaging.model.rooms import Room
from pabal.apps.messaging.model.schedules import Schedule
from pabal.engine import ids
from pabal.platform.commands.answers import Answer
from pabal.platform.commands.lazily import lazily
from pabal.platform.commands.options import see
from pabal.platform.commands.shell import Shell
from pabal.platform.language.moments import show_time
from pabal.platform.language.pairs import Lang, put

if TYPE_CHECKING:
    from pabal.apps.messaging.model.upcoming import UpcomingSend
    from pabal.base.database import Tx

with lazily():
    from pabal.apps.messaging import settings
    from pabal.apps.messaging.actions import checking
    from pabal.apps.messaging.cli import checked as checks
    from pabal.apps.messaging.cli import finding
    from pabal.apps.messaging.cli import rows as views
    from pabal.apps.messaging.store import bots
    from pabal.platform import settings as platform_settings

LIMIT_COLUMNS = ("limit", "used", "most", "span", "meter", "next_allowed_at", "is_own")
LOAD_COLUMNS = ("server", "address", "active_bots", "total_connections", "memory_mb", "cpu_percent", "refused", "at")


def limits(
    ctx: typer.Context,
    room: Annotated[str, typer.Argument(metavar="ROOM", help="Its number, its name, or its channel id.")],
) -> None:
    """How much of a room's limits is used, and when more may be sent. To change them: pabal msg room limits."""
    shell: Shell = ctx.obj

    async def work() -> None:
        async with shell.transaction() as tx:
            answer = await show_limits(tx, shell, await finding.find_room(tx, await see(tx, shell), room))
        shell.show(answer)

    shell.run(work())


async def show_limits(tx: Tx, shell: Shell, room: Room) -> Answer:
    budget = await checking.read_budget(tx, room)
    extra = {"room": room.name, "binds": budget.binds, "next_allowed_at": budget.next_allowed_at}
    return reply(LIMIT_COLUMNS, views.budget_rows(budget, room, shell.lang), extra=extra, empty=words.NO_LIMITS)


def preview(
    ctx: typer.Context,
    schedule: Annotated[str, typer.Argument(metavar="SCHEDULE", help="Its number, or its title.")],
) -> None:
    """How it will look in KakaoTalk, and its next five moments with a reason beside those that are not sent as said."""
    shell: Shell = ctx.obj

    async def work() -> None:
        async with shell.transaction() as tx:
            found = await finding.find_schedule(tx, await see(tx, shell), schedule)
            checked = await checking.check(tx, shell.actor, found.as_new(), schedule_id=found.id)
            shown, now = await _bubbles(tx, shell, found, checked.upcoming), tx.now
        if shell.output == "table":
            for line in _lines(found, shown, checked.upcoming, shell.lang, now):
                checks.write(line)
        else:
            ahead = checks.upcoming_rows(checked.upcoming, shell.lang)
            row = {"id": found.id, "bubbles": [_row(one, shell.lang) for one in shown], "upcoming": ahead}
            shell.show(reply_one(shell, tuple(row), row))

    shell.run(work())


def load(ctx: typer.Context) -> None:
    """The servers of bots: bots, connections, memory and CPU of each."""
    shell: Shell = ctx.obj

    async def work() -> None:
        async with shell.transaction() as tx:
            servers = await bots.list_servers(tx)
            said = await platform_settings.values(
                tx, (settings.MAX_BOTS, settings.MAX_MEMORY_MB, settings.MAX_CPU_PERCENT)
            )
        most = {
            "bots": said[settings.MAX_BOTS],
            "memory": said[settings.MAX_MEMORY_MB],
            "cpu": said[settings.MAX_CPU_PERCENT],
        }
        rows = [{"server": ids.show("wrk", one.worker), "address": one.address, **asdict(one)} for one in servers]
        extra = {"max_bots": most["bots"], "max_memory_mb": most["memory"], "max_cpu_percent": most["cpu"]}
        shown = [_rounded(row) for row in rows] if shell.output == "table" else rows
        shell.show(reply(LOAD_COLUMNS, shown, extra=extra, empty=words.NO_SERVERS))
        if rows and shell.output == "table":
            shell.tell(words.LOAD_LIMITS, **most)

    shell.run(work())


def _rounded(row: dict[str, Any]) -> dict[str, Any]:
    return {name: round(value, 1) if isinstance(value, float) else value for name, value in row.items()}


async def _bubbles(tx: Tx, shell: Shell, schedule: Schedule, ahead: Sequence[UpcomingSend]) -> list[Bubble]:
    said = await platform_settings.values(tx, (settings.IMAGE_GAP_MS, settings.FOLD_LENGTH))
    bot = await bots.get_bot(tx, await see(tx, shell), schedule.bot_id)
    at = next((one.moment for one in ahead if one.is_sent), tx.now)
    pace = Pace(bot.image_mode, said[settings.IMAGE_GAP_MS])
    return bubbles(schedule.content, pace, bot_name=bot.name, at=at, fold_length=said[settings.FOLD_LENGTH])


def _lines(
    schedule: Schedule, shown: Sequence[Bubble], ahead: Sequence[UpcomingSend], lang: Lang, now: datetime
) -> Iterator[str]:
    zone = ZoneInfo(schedule.when.zone)
    yield f"{schedule.title} → {schedule.room_name} ({schedule.bot_name})"
    yield f"  {views.describe(schedule.when, lang)}"
    for bubble in shown:
        wait = f"  {put(lang, bubble.wait)}" if bubble.wait is not None else ""
        yield ""
        yield f"  {show_time(bubble.at.astimezone(zone), seconds=True)}  {put(lang, bubble.label)}{wait}"
        yield from (f"  │ {line}" for line in _bubble_text(bubble, lang))
    yield ""
    for number, one in enumerate(ahead):
        label = words.NEXT_SENDS if number == 0 else ("", "")
        said = [checks.show_short(one.moment, zone, lang, now), *(put(lang, reason) for reason in one.reasons)]
        yield checks.field(lang, label, "  ".join(said))
    if not ahead:
        yield checks.field(lang, words.NEXT_SENDS, put(lang, words.NEVER))


def _bubble_text(bubble: Bubble, lang: Lang) -> list[str]:
    if not bubble.is_text:
        return [views.picture_text(one.picture) for one in bubble.tiles]
    shown = "".join(run.text for run in bubble.runs).split("\n")
    return [*shown, put(lang, words.CUT)] if bubble.is_folded else shown


def _row(bubble: Bubble, lang: Lang) -> dict[str, Any]:
    return {
        "no": bubble.no,
        "component": bubble.component,
        "at": bubble.at,
        "wait_ms": bubble.wait_ms,
        "media_wait": bubble.media_wait,
        "text": bubble.text,
        "is_folded": bubble.is_folded,
        "images": [asdict(one.picture) for one in bubble.tiles],
        "says": None if bubble.wait is None else put(lang, bubble.wait),
    }
