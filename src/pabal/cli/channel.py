"""`pabal channel`: where notices go besides the console. A bot's token is read from stdin, never from the line."""

import sys
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from pabal.cli.exits import NotDelivered, read_number
from pabal.cli.notice import LevelName
from pabal.cli.options import DryRun, OrgOption, find_org
from pabal.cli.shell import Shell, administrator
from pabal.platform.commands.resources import add_commands, show_rows, show_views, viewer_of
from pabal.resources.notifications import CHANNEL, DeliveryView, view_delivery

if TYPE_CHECKING:
    from pabal.base.database import Tx
    from pabal.platform.notifications import Delivery

app = typer.Typer(help="Channels: where notices go besides the console.", no_args_is_help=True)

ChannelId = Annotated[str, typer.Argument(metavar="ID", help="Its number: see `pabal channel list`.")]
add_commands(app, CHANNEL)


class MessageLanguage(StrEnum):
    KO = "ko"
    EN = "en"


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
            answer = await show_rows(tx, shell, CHANNEL, [made], CHANNEL.columns, single=True)
        shell.show(answer)
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
        await _show_delivery(shell, sent)
        if sent.result not in (None, "sent"):
            raise NotDelivered(sent.detail or str(sent.result))

    shell.run(work())


def _read_token(shell: Shell) -> str:
    if sys.stdin.isatty() and sys.stderr.isatty():
        typed: str = typer.prompt(shell.say("channel.token"), hide_input=True, err=True)
        return typed.strip()
    return sys.stdin.readline().strip()


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


async def _show_delivery(shell: Shell, sent: "Delivery") -> None:
    async with shell.transaction() as tx:
        view = view_delivery(sent, viewer_of(shell, tx))
    columns = ("id", "state", "detail", "created_at", "ended_at")
    shell.show(show_views(shell, DeliveryView, [view], columns, single=True))
