"""`pabal msg delivery`: the send log, and what can still be done about a send."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any

import typer

from pabal.apps.messaging.cli import words
from pabal.apps.messaging.cli.words import reply, reply_one
from pabal.apps.messaging.model.deliveries import Delivery
from pabal.platform.commands.answers import Answer
from pabal.platform.commands.lazily import lazily
from pabal.platform.commands.options import Cursor, DryRun, Limit, OrgOption, see, tell_more
from pabal.platform.commands.shell import Shell

if TYPE_CHECKING:
    from pabal.base.database import Tx

with lazily():
    from pabal.apps.messaging.actions import deliveries
    from pabal.apps.messaging.cli import finding
    from pabal.apps.messaging.cli import rows as views
    from pabal.apps.messaging.store import deliveries as store
    from pabal.platform.commands import moments

app = typer.Typer(help="Deliveries: what was sent, what was missed, what is under way.", no_args_is_help=True)

DeliveryId = Annotated[str, typer.Argument(metavar="ID", help="Like dlv_01h2xcejqtf2n; the first letters are enough.")]
COLUMNS = ("id", "state", "scheduled_at", "schedule", "room", "bot", "cause", "parts", "attempts", "why")
OPEN_COLUMNS = ("id", "state", "scheduled_at", "schedule", "room", "bot", "cause", "parts", "until", "job")
FIELDS = (
    *("id", "state", "schedule", "room", "bot", "cause", "scheduled_at", "started_at", "ended_at", "attempts"),
    *("parts", "why", "text", "images_1", "images_2", "job"),
)


class StateName(StrEnum):
    OPEN = "open"
    SENT = "sent"
    PARTIAL = "partial"
    FAILED = "failed"
    UNKNOWN = "unknown"
    MISSED = "missed"


class CauseName(StrEnum):
    SCHEDULE = "schedule"
    NOW = "now"
    TEST = "test"


@dataclass(frozen=True)
class Asked:
    """Filters as they were typed."""

    states: tuple[str, ...] = ()
    schedule: str | None = None
    room: str | None = None
    bot: str | None = None
    cause: str | None = None
    since: str | None = None
    until: str | None = None
    q: str | None = None
    org: str | None = None


@app.callback()
def begin(ctx: typer.Context) -> None:
    shell: Shell = ctx.obj
    shell.next_commands["move_not_allowed"] = "pabal msg delivery list"


@app.command("list")
def list_(
    ctx: typer.Context,
    state: Annotated[list[StateName] | None, typer.Option(help="Only in this state; may be repeated.")] = None,
    schedule: Annotated[str | None, typer.Option(help="Only of this schedule: number or title.")] = None,
    room: Annotated[str | None, typer.Option(help="Only to this room: number, name or channel id.")] = None,
    bot: Annotated[str | None, typer.Option(help="Only by this bot: number or name.")] = None,
    cause: Annotated[CauseName | None, typer.Option(help="What led to it.")] = None,
    since: Annotated[str | None, typer.Option(help="Due since: -2h, 어제 09:00, an ISO moment.")] = None,
    until: Annotated[str | None, typer.Option(help="Due before.")] = None,
    q: Annotated[str | None, typer.Option("--find", help="A part of the text, the title or the room's name.")] = None,
    is_open: Annotated[bool, typer.Option("--open", help="Only what is under way, the longest due first.")] = False,
    org: OrgOption = None,
    limit: Limit = 50,
    cursor: Cursor = None,
) -> None:  # long: each filter is an option
    """The send log, the newest first."""
    shell: Shell = ctx.obj
    if is_open:
        shell.run(_show_open(shell, org, limit))
        return
    states = tuple(one.value for one in state or ())
    asked = Asked(states, schedule, room, bot, None if cause is None else cause.value, since, until, q, org)
    shell.run(show_list(shell, asked, limit, cursor))


@app.command()
def show(ctx: typer.Context, delivery: DeliveryId) -> None:
    """One send: how far it came, why it is as it is, and what was sent."""
    shell: Shell = ctx.obj

    async def work() -> None:
        async with shell.transaction() as tx:
            answer = _answer(shell, await finding.find_delivery(tx, await see(tx, shell), delivery), tx)
        shell.show(answer)

    shell.run(work())


@app.command()
def resume(
    ctx: typer.Context,
    delivery: DeliveryId,
    resend_unknown: Annotated[
        bool, typer.Option("--resend-unknown", help="Also parts of which nobody knows whether they arrived.")
    ] = False,
    dry_run: DryRun = False,
) -> None:
    """Send the rest; one that was missed is sent now. What is out already is not sent again."""
    shell: Shell = ctx.obj

    async def work() -> None:
        async with shell.change(dry_run=dry_run) as tx:
            found = await finding.find_delivery(tx, await see(tx, shell), delivery)
            made = await deliveries.resume(tx, shell.actor, found.id, resend_unknown=resend_unknown)
            answer = _answer(shell, made, tx)
        shell.show(answer)

    shell.run(work())


@app.command()
def dismiss(ctx: typer.Context, delivery: DeliveryId, dry_run: DryRun = False) -> None:
    """Nobody needs to look at it any more; it stays in the log as it is."""
    shell: Shell = ctx.obj

    async def work() -> None:
        async with shell.change(dry_run=dry_run) as tx:
            scope = await see(tx, shell)
            found = await finding.find_delivery(tx, scope, delivery)
            await deliveries.dismiss(tx, shell.actor, found.id)
            answer = _answer(shell, await store.get_delivery(tx, scope, found.id), tx)
        shell.show(answer)

    shell.run(work())


async def show_list(shell: Shell, asked: Asked, limit: int, cursor: str | None) -> None:
    async with shell.transaction() as tx:
        page = await store.list_deliveries(tx, await _understand(tx, shell, asked), cursor, limit)
        rows = [_row(shell, one, tx) for one in page.items]
    extra = {"next_cursor": page.cursor}
    shell.show(reply(COLUMNS, rows, extra=extra, empty=words.NO_DELIVERIES, family="delivery"))
    tell_more(shell, page.cursor)


async def _understand(tx: Tx, shell: Shell, asked: Asked) -> store.Wanted:
    scope = await see(tx, shell, asked.org)
    return store.Wanted(
        units=scope.listed,
        states=asked.states or None,
        schedule_id=None if asked.schedule is None else (await finding.find_schedule(tx, scope, asked.schedule)).id,
        room_id=None if asked.room is None else (await finding.find_room(tx, scope, asked.room)).id,
        bot_id=None if asked.bot is None else (await finding.find_bot(tx, scope, asked.bot)).id,
        cause=asked.cause,
        from_at=None if asked.since is None else moments.read_moment(asked.since, tx.now),
        to_at=None if asked.until is None else moments.read_moment(asked.until, tx.now),
        q=asked.q,
    )


async def _show_open(shell: Shell, org: str | None, limit: int) -> None:
    async with shell.transaction() as tx:
        found = await store.list_open(tx, (await see(tx, shell, org)).listed, limit=limit)
    rows = [views.open_row(one) for one in found]
    shell.show(reply(OPEN_COLUMNS, rows, empty=words.NO_DELIVERIES, family="delivery"))


def _answer(shell: Shell, delivery: Delivery, tx: Tx) -> Answer:
    return reply_one(shell, FIELDS, _row(shell, delivery, tx), family="delivery")


def _row(shell: Shell, delivery: Delivery, tx: Tx) -> dict[str, Any]:
    """To people an open one is where it is; programs find that in `place`."""
    row = views.delivery_row(delivery, shell.lang, tx.now)
    return {**row, "state": delivery.place or delivery.state} if shell.output == "table" else row
