"""`pabal channel`: where notices go besides the console. A bot's token is read from stdin, never from the line."""

import sys
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from pabal.cli.exits import NotDelivered, read_number
from pabal.cli.notice import LevelName
from pabal.cli.options import DryRun, OrgOption, find_org, unit_names
from pabal.cli.shell import Shell, administrator
from pabal.platform.commands.resources import add_commands, by_option, show_views, viewer_of
from pabal.resources.notifications import (
    CHANNEL,
    ChannelView,
    DeliveryView,
    MadeChannelView,
    NewChannel,
    ReplayedView,
    TryView,
    view_delivery,
    view_made_channel,
    view_replayed,
)

if TYPE_CHECKING:
    from pabal.base.database import Tx
    from pabal.platform.commands.answers import Answer
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
    chat: Annotated[str, typer.Option(help="Telegram: the chat, a number or the @name of a public channel.")] = "",
    url: Annotated[str, typer.Option(help="Webhook: where it is posted to, as https://example.com/hook.")] = "",
    to: Annotated[str, typer.Option(help="E-mail: who gets it, separated by commas.")] = "",
    org: OrgOption = None,
    level: Annotated[LevelName, typer.Option(help="This loud or louder.")] = LevelName.ATTENTION,
    wants: Annotated[
        list[str] | None, typer.Option("--wants", help="Only notices named so, as messaging.*; or several.")
    ] = None,
    language: Annotated[MessageLanguage, typer.Option(help="Language of its messages.")] = MessageLanguage.KO,
    dry_run: DryRun = False,
) -> None:  # long: each thing one may say of a channel is an option
    """A Telegram chat (--chat), a webhook (--url) or e-mail (--to).

    A bot's token is asked for, or read from stdin: pabal channel add … --chat 4242 < token.txt. A webhook's secret is
    printed once.
    """
    shell: Shell = ctx.obj
    if [bool(chat), bool(url), bool(to)].count(True) != 1:
        raise typer.BadParameter(shell.say("channel.which"))
    token = _read_token(shell) if chat else None
    kind = "webhook" if url else "email" if to else "telegram"

    async def work() -> None:
        from pabal.platform import notifications

        async with shell.change(dry_run=dry_run) as tx:
            unit = await find_org(tx, org)
            with by_option(NewChannel, {"name": "NAME", "chat_id": "--chat", "address": "--url" if url else "--to"}):
                form = notifications.ChannelForm(
                    name,
                    chat,
                    token=token,
                    lang=language.value,
                    least_level=notifications.Level(level.value),
                    wants=tuple(wants or ()),
                    kind=kind,
                    address=url or to,
                )
                made = await notifications.add_channel(tx, administrator(), shell.vault, form, unit_id=unit.id)
            view, names = view_made_channel(made, viewer_of(shell, tx)), await unit_names(tx)
        _show_made(shell, view, names, dry_run=dry_run)
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


@app.command()
def rotate(
    ctx: typer.Context,
    channel: ChannelId,
    overlap: Annotated[str, typer.Option(metavar="SPAN", help="How long the old secret signs too.")] = "24h",
    dry_run: DryRun = False,
) -> None:
    """A new secret of a webhook, printed once; for a while everything is signed with both."""
    shell: Shell = ctx.obj

    async def work() -> None:
        from pabal.base.settings import parse_duration
        from pabal.platform import notifications

        async with shell.change(dry_run=dry_run) as tx:
            span = parse_duration(overlap)
            number = read_number(channel)
            made = await notifications.rotate_secret(tx, administrator(), number, vault=shell.vault, overlap=span)
            view, names = view_made_channel(made, viewer_of(shell, tx)), await unit_names(tx)
        _show_made(shell, view, names, dry_run=dry_run)

    shell.run(work())


@app.command()
def replay(
    ctx: typer.Context,
    channel: ChannelId,
    delivery: Annotated[str, typer.Option(help="One: its ID, see `pabal channel deliveries`.")] = "",
    since: Annotated[str, typer.Option(metavar="MOMENT", help="All that did not arrive since then, as -2h.")] = "",
    also_sent: Annotated[bool, typer.Option("--also-sent", help="With --since: also what arrived.")] = False,
    dry_run: DryRun = False,
) -> None:  # long: one delivery, or a moment
    """Send again, each under its own id, so that a receiver that has it already can tell."""
    shell: Shell = ctx.obj
    if bool(delivery) == bool(since):
        raise typer.BadParameter(shell.say("channel.replay_which"))

    async def work() -> None:
        from pabal.platform.commands import moments
        from pabal.resources.verbs import replay_channel

        async with shell.change(dry_run=dry_run) as tx:
            moment = moments.read_moment(since, tx.now) if since else None
            number = read_number(channel)
            made = await replay_channel(
                tx, administrator(), number, delivery=delivery, since=moment, also_sent=also_sent
            )
            view = view_replayed(made, viewer_of(shell, tx))
        shell.show(show_views(shell, ReplayedView, [view], ("count", "deliveries"), single=True))

    shell.run(work())


@app.command()
def deliveries(
    ctx: typer.Context,
    channel: ChannelId,
    attempts: Annotated[str, typer.Option(metavar="DELIVERY", help="Instead, the tries of this one.")] = "",
    limit: Annotated[int, typer.Option(min=1, max=1000, help="At most so many.")] = 20,
) -> None:
    """What went through it, the newest first."""
    shell: Shell = ctx.obj

    async def work() -> None:
        from pabal.engine import ids
        from pabal.platform import notifications

        number = read_number(channel)
        async with shell.transaction() as tx:
            viewer = viewer_of(shell, tx)
            if attempts:
                one = min(ids.read("dlv", attempts), 2**63 - 1)
                tries = await notifications.list_attempts(tx, administrator(), number, one)
                shown: Answer = show_views(shell, TryView, [TryView.of(each) for each in tries])
            else:
                found = await notifications.list_deliveries(tx, administrator(), number, limit=limit)
                views = [view_delivery(each, viewer) for each in found]
                shown = show_views(shell, DeliveryView, views, _DELIVERY_COLUMNS)
        shell.show(shown)

    shell.run(work())


_DELIVERY_COLUMNS = ("id", "state", "attempts", "last_status", "detail", "created_at", "ended_at")


def _show_made(shell: Shell, view: MadeChannelView, names: "dict[int | None, str]", *, dry_run: bool) -> None:
    """The secret of one that was only tried would not work, so that it is left out."""
    if view.secret is None or dry_run:
        kept = ChannelView.of(view)
        shell.show(show_views(shell, ChannelView, [kept], CHANNEL.columns, names=names, single=True))
        return
    columns = ("secret",) if shell.output == "plain" else ("secret", *CHANNEL.columns)
    shell.show(show_views(shell, MadeChannelView, [view], columns, names=names, single=True))
    shell.tell("channel.once")


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
    from pabal.platform import notifications

    async with shell.transaction() as tx:
        kind = (await notifications.get_channel(tx, administrator(), read_number(channel))).kind
    job = notifications.WAYS[kind].kind
    async with shell.database() as database:
        while sent.result is None:
            await asyncio.sleep(LOOK_SECONDS)
            async with database.transaction() as tx:
                sent = await _find(tx, channel, sent.id)
                servers = await listing.list_servers(tx)
            if sent.result is None and not any(server.is_alive and job in server.kinds for server in servers):
                raise NoServer(job)
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
