"""`pabal msg limits`, `preview` and `load`, and what a try says: how much may be sent, how it will look, and when."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Annotated
from zoneinfo import ZoneInfo

import typer

from pabal.apps.messaging.cli import words
from pabal.apps.messaging.model.content import Pace, Picture
from pabal.apps.messaging.model.preview import Bubble, bubbles
from pabal.apps.messaging.model.rooms import Budget, BudgetRow, Room
from pabal.apps.messaging.model.schedules import Schedule, When
from pabal.apps.messaging.resources.checks import CheckView, PreviewView, view_bubbles, view_check, view_moment
from pabal.apps.messaging.resources.rooms import ROOM, BudgetRowView, view_budget
from pabal.apps.messaging.resources.schedules import SCHEDULE, describe
from pabal.apps.messaging.resources.statistics import BotServerView, view_server
from pabal.platform.commands.answers import Answer
from pabal.platform.commands.lazily import lazily
from pabal.platform.commands.options import see
from pabal.platform.commands.printing import printable
from pabal.platform.commands.resources import show_views
from pabal.platform.commands.shell import Shell
from pabal.platform.language.moments import show_date, show_time, show_zone
from pabal.platform.language.pairs import Lang, Pair, put
from pabal.platform.resources import plain

if TYPE_CHECKING:
    from pabal.apps.messaging.actions.checking import Checked
    from pabal.apps.messaging.model.upcoming import UpcomingSend
    from pabal.base.database import Tx

with lazily():
    from pabal.apps.messaging import settings
    from pabal.apps.messaging.actions import checking
    from pabal.apps.messaging.cli import finding
    from pabal.apps.messaging.store import bots
    from pabal.platform import settings as platform_settings

LIMIT_COLUMNS = ("name", "used", "most", "span", "meter", "next_allowed_at", "is_own")
LOAD_COLUMNS = ("server", "address", "active_bots", "total_connections", "memory", "cpu", "refused", "at")
SHOWN = 3
_WIDTH = 12
_DAYS = "월화수목금토일"


def limits(ctx: typer.Context, room: Annotated[str, typer.Argument(metavar="ROOM", help=ROOM.which)]) -> None:
    """How much of a room's limits is used, and when more may be sent. To change them: pabal msg room limits."""
    shell: Shell = ctx.obj

    async def work() -> None:
        async with shell.transaction() as tx:
            answer = await show_limits(tx, shell, await finding.find_room(tx, await see(tx, shell), room))
        shell.show(answer)

    shell.run(work())


async def show_limits(tx: Tx, shell: Shell, room: Room) -> Answer:
    shown = view_budget(await checking.read_budget(tx, room), room)
    more = {"under": "rows", "extra": plain({"binds": shown.binds, "next_allowed_at": shown.next_allowed_at})}
    return show_views(shell, BudgetRowView, shown.rows, LIMIT_COLUMNS, empty=words.NO_LIMITS, **more)


def preview(
    ctx: typer.Context, schedule: Annotated[str, typer.Argument(metavar="SCHEDULE", help=SCHEDULE.which)]
) -> None:
    """How it will look in KakaoTalk, and its next five moments with a reason beside those that are not sent as said."""
    shell: Shell = ctx.obj

    async def work() -> None:
        async with shell.transaction() as tx:
            found = await finding.find_schedule(tx, await see(tx, shell), schedule)
            checked = await checking.check(tx, shell.actor, found.as_new(), schedule_id=found.id)
            shown, now = await _bubbles(tx, shell, found, checked), tx.now
            fold = await checking.read_fold(tx)
        if shell.output == "table":
            for line in _preview_lines(found, shown, checked.upcoming, shell.lang, now):
                write(line)
            return
        view = PreviewView(
            id=found.id,
            bubbles=view_bubbles(checked.parts, checked.begins_at(now), fold),
            upcoming=[view_moment(one, shell.lang) for one in checked.upcoming],
        )
        shell.show(show_views(shell, PreviewView, [view], single=True))

    shell.run(work())


def load(ctx: typer.Context) -> None:
    """The servers of bots: bots, connections, memory and CPU of each."""
    shell: Shell = ctx.obj

    async def work() -> None:
        async with shell.transaction() as tx:
            servers = [view_server(one) for one in await bots.list_servers(tx)]
            said = await platform_settings.values(
                tx, (settings.MAX_BOTS, settings.MAX_MEMORY_MB, settings.MAX_CPU_PERCENT)
            )
        most = {
            "bots": said[settings.MAX_BOTS],
            "memory": said[settings.MAX_MEMORY_MB],
            "cpu": said[settings.MAX_CPU_PERCENT],
        }
        extra = {"max_bots": most["bots"], "max_memory_mb": most["memory"], "max_cpu_percent": most["cpu"]}
        shell.show(show_views(shell, BotServerView, servers, LOAD_COLUMNS, extra=extra, empty=words.NO_SERVERS))
        if servers and shell.output == "table":
            shell.tell(words.LOAD_LIMITS, **most)

    shell.run(work())


def show_checked(shell: Shell, checked: Checked, when: When, fold: int, now: datetime) -> None:
    if shell.output != "table":
        view = view_check(checked, view_bubbles(checked.parts, checked.begins_at(now), fold), shell.lang)
        shell.show(show_views(shell, CheckView, [view], single=True))
        return
    shell.tell(words.CHECKED)
    for line in _check_lines(checked, when, shell.lang, now):
        write(line)
    shell.tell(words.SAVE_IT)


def tell_warnings(shell: Shell, checked: Checked) -> None:
    for one in checked.warnings:
        write(field(shell.lang, words.WARNING, put(shell.lang, one.text)), err=True)


def write(line: str, *, err: bool = False) -> None:
    """What others typed moves no cursor and changes no colour."""
    typer.echo(printable(line).replace("\n", " "), err=err)


def field(lang: Lang, label: Pair, text: str) -> str:
    from rich.cells import set_cell_size  # noqa: PLC0415 -- help must not load it

    return f"  {set_cell_size(put(lang, label), _WIDTH)}{text}"


def show_short(moment: datetime, zone: ZoneInfo, lang: Lang, now: datetime, *, with_zone: bool = True) -> str:
    """7/3(금) 09:00 KST, Fri 3 Jul 09:00 KST; the year when it is not this one."""
    local, this_year = moment.astimezone(zone), now.astimezone(zone).year
    date = show_date(local, lang, this_year=this_year)
    if lang == "ko":
        year = "" if local.year == this_year else f"{local.year}/"
        date = f"{year}{local.month}/{local.day}({_DAYS[local.weekday()]})"
    return f"{date} {show_time(local, seconds=bool(local.second))}{f' {show_zone(local)}' if with_zone else ''}"


def _check_lines(checked: Checked, when: When, lang: Lang, now: datetime) -> Iterator[str]:
    zone = ZoneInfo(when.zone)
    yield field(lang, words.NEXT_SENDS, _moments(checked.upcoming, zone, lang, now))
    if checked.budget is not None:
        yield field(lang, words.LIMIT, show_budget(checked.budget, zone, lang, now))
    for one in checked.warnings:
        yield field(lang, words.WARNING, put(lang, one.text))


def _moments(ahead: Sequence[UpcomingSend], zone: ZoneInfo, lang: Lang, now: datetime) -> str:
    if not ahead:
        return put(lang, words.NEVER)
    shown: list[str] = []
    for one in ahead[:SHOWN]:
        said = show_short(one.moment, zone, lang, now, with_zone=not shown)
        why = f" ({put(lang, one.reasons[0])})" if one.excluded and one.reasons else ""
        shown.append(said + why)
    return " · ".join(shown) + (" …" if len(ahead) > SHOWN else "")


def show_budget(budget: Budget, zone: ZoneInfo, lang: Lang, now: datetime) -> str:
    return ", ".join(_used(row, zone, lang, now) for row in budget.rows) or put(lang, words.NEVER)


def _used(row: BudgetRow, zone: ZoneInfo, lang: Lang, now: datetime) -> str:
    seconds = f"{row.span.total_seconds():g}"
    said = put(lang, words.USED[row.name], used=row.used, most=row.most, seconds=seconds)
    if row.next_allowed_at is not None:
        return f"{said} {put(lang, words.FREE_AT, at=show_short(row.next_allowed_at, zone, lang, now))}"
    return f"{said} {put(lang, words.MET)}" if row.name == "min_gap_seconds" else said


async def _bubbles(tx: Tx, shell: Shell, schedule: Schedule, checked: Checked) -> list[Bubble]:
    gap = await platform_settings.value(tx, settings.IMAGE_GAP_MS)
    bot = await bots.get_bot(tx, await see(tx, shell), schedule.bot_id)
    at, fold = checked.begins_at(tx.now), await checking.read_fold(tx)
    return bubbles(schedule.content, Pace(bot.image_mode, gap), bot_name=bot.name, at=at, fold_length=fold)


def _preview_lines(
    schedule: Schedule, shown: Sequence[Bubble], ahead: Sequence[UpcomingSend], lang: Lang, now: datetime
) -> Iterator[str]:
    zone = ZoneInfo(schedule.when.zone)
    yield f"{schedule.title} → {schedule.room_name} ({schedule.bot_name})"
    yield f"  {describe(schedule.when, lang)}"
    for bubble in shown:
        wait = f"  {put(lang, bubble.wait)}" if bubble.wait is not None else ""
        yield ""
        yield f"  {show_time(bubble.at.astimezone(zone), seconds=True)}  {put(lang, bubble.label)}{wait}"
        yield from (f"  │ {line}" for line in _bubble_text(bubble, lang))
    yield ""
    for number, one in enumerate(ahead):
        label = words.NEXT_SENDS if number == 0 else ("", "")
        said = [show_short(one.moment, zone, lang, now), *(put(lang, reason) for reason in one.reasons)]
        yield field(lang, label, "  ".join(said))
    if not ahead:
        yield field(lang, words.NEXT_SENDS, put(lang, words.NEVER))


def _bubble_text(bubble: Bubble, lang: Lang) -> list[str]:
    if not bubble.is_text:
        return [_picture_text(one.picture) for one in bubble.tiles]
    shown = "".join(run.text for run in bubble.runs).split("\n")
    return [*shown, put(lang, words.CUT)] if bubble.is_folded else shown


def _picture_text(picture: Picture) -> str:
    return f"{picture.name} {picture.width}×{picture.height} {max(1, round(picture.size / 1000)):,} kB"
