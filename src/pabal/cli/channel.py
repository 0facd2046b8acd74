"""`pabal channel`: where notices go besides the console. A bot's token is read from stdin, never from the line."""

import sys
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any

import typer

from pabal.cli.exits import NotDelivered, read_number
from pabal.cli.notice import LevelName
from pabal.cli.options import DryRun, OrgOption, Yes, find_org, find_unit, unit_names
from pabal.cli.shell import Shell, administrator

if TYPE_CHECKING:
    from pabal.base.database import Tx
    from pabal.platform.notifications import Channel, Delivery

app = typer.Typer(help="Channels: where notices go besides the console.", no_args_is_help=True)

ChannelId = Annotated[str, typer.Argument(metavar="ID", help="Its number: see `pabal channel list`.")]
COLUMNS = ("id", "name", "state", "org", "chat_id", "level", "wants", "last_ok_at", "last_error")


class MessageLanguage(StrEnum):
    KO = "ko"
    EN = "en"


@app.command("list")
def list_(ctx: typer.Context, org: OrgOption = None) -> None:
    """Every channel and how it stands."""
    shell: Shell = ctx.obj

    async def work() -> None:
        from pabal.cli.output import Answer
        from pabal.platform import notifications

        async with shell.transaction() as tx:
            within = None if org is None else (await find_unit(tx, org)).id
            found = await notifications.list_channels(tx, administrator(), within=within)
            names = await unit_names(tx)
        shell.show(Answer(COLUMNS, [_row(one, names) for one in found], empty="channel.none"))

    shell.run(work())


@app.command()
def add(
    ctx: typer.Context,
    name: Annotated[str, typer.Argument(help="What it is called.")],
    chat: Annotated[str, typer.Option(help="The chat: a number, or the @name of a public channel.")],
    org: OrgOption = None,
    level: Annotated[LevelName, typer.Option(help="This loud or louder.")] = LevelName.ATTENTION,
    wants: Annotated[
        list[str] | None, typer.Option("--wants", help="Only notices named so, as messaging.*; or several.")
    ] = None,
    language: Annotated[MessageLanguage, typer.Option(help="Language of its messages.")] = MessageLanguage.KO,
    dry_run: DryRun = False,
) -> None:  # long: each thing one may say of a channel is an option
    """A Telegram chat. The bot's token is asked for, or read from stdin: pabal channel add … < token.txt"""
    shell: Shell = ctx.obj
    token = _read_token(shell)

    async def work() -> None:
        from pabal.cli.output import Answer
        from pabal.platform import notifications

        form = notifications.ChannelForm(
            name,
            chat,
            token=token,
            lang=language.value,
            least_level=notifications.Level(level.value),
            wants=tuple(wants or ()),
        )
        async with shell.change(dry_run=dry_run) as tx:
            unit = await find_org(tx, org)
            made = await notifications.add_channel(tx, administrator(), shell.vault, form, unit_id=unit.id)
            names = await unit_names(tx)
        shell.show(Answer(COLUMNS, [_row(made, names)], single=True))
        if not dry_run and shell.output == "table":
            shell.tell("channel.added", id=made.id)

    shell.run(work())


@app.command("test")
def try_out(
    ctx: typer.Context,
    channel: ChannelId,
    no_wait: Annotated[bool, typer.Option("--no-wait", help="Only ask for it.")] = False,
    dry_run: DryRun = False,
) -> None:
    """Send a line through it, as every notice goes, and wait for what comes of it."""
    shell: Shell = ctx.obj

    async def work() -> None:
        from pabal.platform import notifications

        async with shell.change(dry_run=dry_run) as tx:
            delivery_id = await notifications.send_test(tx, administrator(), read_number(channel))
            sent = await _find(tx, channel, delivery_id)
        if not dry_run and not no_wait:
            sent = await _wait(shell, channel, sent)
        _show_delivery(shell, sent)
        if sent.result not in (None, "sent"):
            raise NotDelivered(sent.detail or str(sent.result))

    shell.run(work())


@app.command()
def remove(ctx: typer.Context, channel: ChannelId, yes: Yes = False, dry_run: DryRun = False) -> None:
    """Remove a channel, with what was still to go through it."""
    shell: Shell = ctx.obj
    if not dry_run:
        shell.confirm("channel.remove.ask", yes=yes, channel=channel)

    async def work() -> None:
        from pabal.cli.output import Answer
        from pabal.platform import notifications

        async with shell.change(dry_run=dry_run) as tx:
            gone = await notifications.get_channel(tx, administrator(), read_number(channel))
            await notifications.remove_channel(tx, administrator(), gone.id)
            names = await unit_names(tx)
        shell.show(Answer(COLUMNS, [_row(gone, names)], single=True))

    shell.run(work())


def _read_token(shell: Shell) -> str:
    if sys.stdin.isatty() and sys.stderr.isatty():
        typed: str = typer.prompt(shell.say("channel.token"), hide_input=True, err=True)
        return typed.strip()
    return sys.stdin.readline().strip()


def _row(channel: "Channel", names: dict[int | None, str]) -> dict[str, Any]:
    from dataclasses import asdict

    state = "paused" if not channel.is_active else "failed" if channel.stopped_at else "ok"
    return {
        **asdict(channel),
        "state": state,
        "org": names.get(channel.unit_id),
        "level": channel.least_level.value,
        "wants": ", ".join(channel.wants) or None,
    }


async def _wait(shell: Shell, channel: str, sent: "Delivery") -> "Delivery":
    """What a channel still waits for goes first. Nobody waits for a server that is not there."""
    import asyncio

    from pabal.cli.exits import NoServer
    from pabal.cli.waiting import LOOK_SECONDS
    from pabal.engine import listing
    from pabal.platform.notifications import KIND

    async with shell.database() as database:
        while sent.result is None:
            await asyncio.sleep(LOOK_SECONDS)
            async with database.transaction() as tx:
                sent = await _find(tx, channel, sent.id)
                servers = await listing.list_servers(tx)
            if sent.result is None and not any(server.is_alive and KIND in server.kinds for server in servers):
                raise NoServer(KIND)
    return sent


async def _find(tx: "Tx", channel: str, delivery_id: int) -> "Delivery":
    from pabal.platform import notifications

    [found] = await notifications.list_deliveries(
        tx, administrator(), read_number(channel), before=delivery_id + 1, limit=1
    )
    return found


def _show_delivery(shell: Shell, sent: "Delivery") -> None:
    from dataclasses import asdict

    from pabal.cli.output import Answer
    from pabal.engine import ids

    states = {None: "enqueued", "sent": "done"}
    row = {**asdict(sent), "id": ids.show("dlv", sent.id), "state": states.get(sent.result, "failed")}
    shell.show(Answer(("id", "state", "detail", "created_at", "ended_at"), [row], single=True))
