"""`pabal msg room`: where messages go. A bot discovers rooms; somebody claims them for a unit."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated

import typer

from pabal.apps.messaging.cli import words
from pabal.apps.messaging.cli.looking import show_limits
from pabal.apps.messaging.cli.words import reply, reply_one
from pabal.apps.messaging.errors import BadRoom
from pabal.apps.messaging.model.rooms import Room, RoomType
from pabal.platform.actor import Actor
from pabal.platform.commands.lazily import lazily
from pabal.platform.commands.options import Cursor, DryRun, Limit, OrgOption, find_unit, see, tell_more, unit_names
from pabal.platform.commands.shell import Shell

if TYPE_CHECKING:
    from pabal.apps.messaging.actions.rooms import RoomChange
    from pabal.base.database import Tx

    Verb = Callable[[Tx, Actor, int, RoomChange], Awaitable[Room]]

with lazily():
    from pabal.apps.messaging.actions import rooms
    from pabal.apps.messaging.cli import finding
    from pabal.apps.messaging.cli import rows as views
    from pabal.apps.messaging.store import rooms as store
    from pabal.platform import tenants

app = typer.Typer(help="Rooms: where messages go.", no_args_is_help=True)

Which = Annotated[str, typer.Argument(metavar="ROOM", help="Its number, its name, or its channel id.")]
Kind = Annotated[RoomType | None, typer.Option("--kind", help="For real messages, or for trying out.")]
NameOption = Annotated[str | None, typer.Option("--name", help="What it is called here.")]
NoteOption = Annotated[str | None, typer.Option("--note", help="For whoever looks later.")]
Owner = Annotated[str | None, typer.Option("--org", metavar="UNIT", help="Whose it is: number or name.")]
Number = Annotated[
    str | None, typer.Option(metavar="N|default", help="A number; 0 is no limit, default the setting's.")
]
SameName = Annotated[bool, typer.Option("--yes", "-y", help="Also when the bot calls another room by the same name.")]
COLUMNS = ("id", "name", "room_type", "org", "bots", "channel_id", "last_message_at")
FIELDS = (*COLUMNS, "held", "note", "created_at", "updated_at")


@dataclass(frozen=True)
class _Given:
    """As it was typed; None stays as it is."""

    org: str | None
    name: str | None
    kind: RoomType | None
    note: str | None
    yes: bool


@app.command("list")
def list_(
    ctx: typer.Context,
    q: Annotated[str | None, typer.Option("--find", help="A part of its name, or its channel id.")] = None,
    kind: Kind = None,
    bot: Annotated[str | None, typer.Option(help="Only those this bot is in.")] = None,
    unclaimed: Annotated[bool, typer.Option("--unclaimed", help="Those nobody has claimed, the newest first.")] = False,
    org: OrgOption = None,
    limit: Limit = 50,
    cursor: Cursor = None,
) -> None:  # long: each filter is an option
    """By name."""
    shell: Shell = ctx.obj

    async def work() -> None:
        async with shell.transaction() as tx:
            scope = await see(tx, shell, org)
            if unclaimed:
                page = await store.list_unclaimed(tx, scope, cursor=cursor, limit=limit)
            else:
                bot_id = None if bot is None else (await finding.find_bot(tx, scope, bot)).id
                wanted = store.Wanted(scope.listed, q, kind, bot_id)
                page = await store.list_rooms(tx, wanted, cursor=cursor, limit=limit)
            names = await unit_names(tx)
        rows = [views.room_row(one, names) for one in page.items]
        shell.show(reply(COLUMNS, rows, extra={"next_cursor": page.cursor}, empty=words.NO_ROOMS))
        tell_more(shell, page.cursor)

    shell.run(work())


@app.command()
def show(ctx: typer.Context, room: Which) -> None:
    """One room. How much may be sent there now: pabal msg limits ROOM."""
    shell: Shell = ctx.obj

    async def work() -> None:
        async with shell.transaction() as tx:
            found = await finding.find_room(tx, await see(tx, shell), room)
            names = await unit_names(tx)
        shell.show(reply_one(shell, FIELDS, views.room_row(found, names)))

    shell.run(work())


@app.command()
def claim(
    ctx: typer.Context,
    room: Which,
    org: Owner = None,
    name: NameOption = None,
    kind: Kind = None,
    note: NoteOption = None,
    yes: SameName = False,
    dry_run: DryRun = False,
) -> None:  # long: each thing one may say of a room is an option
    """Give a room that a bot discovered to a unit; to the HQ if none is named."""
    _change(ctx, room, rooms.claim, _Given(org, name, kind, note, yes), dry_run=dry_run)


@app.command()
def edit(
    ctx: typer.Context,
    room: Which,
    org: Owner = None,
    name: NameOption = None,
    kind: Kind = None,
    note: NoteOption = None,
    yes: SameName = False,
    dry_run: DryRun = False,
) -> None:  # long: each thing one may say of a room is an option
    """Changes what is said; the rest stays."""
    _change(ctx, room, rooms.edit, _Given(org, name, kind, note, yes), dry_run=dry_run)


@app.command()
def add(
    ctx: typer.Context,
    name: Annotated[str, typer.Argument(help="As the bot calls it: texts are addressed by that.")],
    channel: Annotated[str, typer.Option("--channel", help="Its channel id: images are addressed by that.")],
    bot: Annotated[str, typer.Option(help="The bot that is in it: number or name.")],
    org: Owner = None,
    kind: Kind = None,
    yes: SameName = False,
    dry_run: DryRun = False,
) -> None:  # long: each thing one may say of a room is an option
    """A room in which no bot has heard anything yet."""
    shell: Shell = ctx.obj

    async def work() -> None:
        async with shell.change(dry_run=dry_run) as tx:
            unit = await tenants.ensure_hq(tx) if org is None else await find_unit(tx, org)
            found = await finding.find_bot(tx, await see(tx, shell), bot)
            new = rooms.NewRoom(channel, name, found.id, unit.id, kind or RoomType.PRODUCTION, confirm=yes)
            made, names = await rooms.add(tx, shell.actor, new), await unit_names(tx)
        shell.show(reply_one(shell, FIELDS, views.room_row(made, names)))

    shell.run(work())


@app.command("remove-bot")
def remove_bot(
    ctx: typer.Context,
    room: Which,
    bot: Annotated[str, typer.Argument(help="The bot that is not in it any more: number or name.")],
    dry_run: DryRun = False,
) -> None:
    """Say that a bot has left a room, so that its name is free again. A message it hears there brings it back."""
    shell: Shell = ctx.obj

    async def work() -> None:
        async with shell.change(dry_run=dry_run) as tx:
            scope = await see(tx, shell)
            found, gone = await finding.find_room(tx, scope, room), await finding.find_bot(tx, scope, bot)
            done, names = await rooms.remove_bot(tx, shell.actor, found.id, gone.id), await unit_names(tx)
        shell.show(reply_one(shell, FIELDS, views.room_row(done, names)))

    shell.run(work())


@app.command()
def limits(
    ctx: typer.Context,
    room: Which,
    min_gap: Number = None,
    sends_per_day: Number = None,
    messages_per_minute: Number = None,
    messages_per_hour: Number = None,
    messages_per_day: Number = None,
    text_length: Number = None,
    dry_run: DryRun = False,
) -> None:  # long: each limit is an option
    """The room's own limits in the place of the settings'; without any, how much of them is used."""
    shell: Shell = ctx.obj
    given = {
        "min_gap_seconds": min_gap,
        "dispatches_per_day": sends_per_day,
        "messages_per_minute": messages_per_minute,
        "messages_per_hour": messages_per_hour,
        "messages_per_day": messages_per_day,
        "max_text_length": text_length,
    }
    said = {name: text for name, text in given.items() if text is not None}

    async def work() -> None:
        async with shell.change(dry_run=dry_run) as tx:
            found = await finding.find_room(tx, await see(tx, shell), room)
            if said:
                own = replace(found.limits, **{name: _limit(text) for name, text in said.items()})
                change = replace(await _as_change(tx, found), limits=own)
                found = await rooms.edit(tx, shell.actor, found.id, change)
            answer = await show_limits(tx, shell, found)
        shell.show(answer)

    shell.run(work())


def _change(ctx: typer.Context, room: str, verb: Verb, given: _Given, *, dry_run: bool) -> None:
    shell: Shell = ctx.obj

    async def work() -> None:
        async with shell.change(dry_run=dry_run) as tx:
            found = await finding.find_room(tx, await see(tx, shell), room)
            change = await _as_change(tx, found)
            if given.org is not None:
                change = replace(change, unit_id=(await find_unit(tx, given.org)).id)
            change = replace(
                change,
                name=change.name if given.name is None else given.name,
                room_type=given.kind or change.room_type,
                note=change.note if given.note is None else given.note,
                confirm=given.yes,
            )
            done, names = await verb(tx, shell.actor, found.id, change), await unit_names(tx)
        shell.show(reply_one(shell, FIELDS, views.room_row(done, names)))

    shell.run(work())


async def _as_change(tx: Tx, room: Room) -> RoomChange:
    """As it is; what nobody has claimed would be the HQ's."""
    unit_id = room.unit_id if room.unit_id is not None else (await tenants.ensure_hq(tx)).id
    return rooms.RoomChange(unit_id, room.name, room.room_type, room.note, room.limits)


def _limit(text: str) -> int | None:
    if text == "default":
        return None
    if not (text.isascii() and text.isdigit() and len(text) < 10):
        raise BadRoom(text[:100])
    return int(text)
