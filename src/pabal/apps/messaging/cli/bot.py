"""`pabal msg bot`: bots, and the devices that say they are one. A secret is read from stdin, never from the line."""

from __future__ import annotations

import sys
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Annotated

import typer

from pabal.apps.messaging.cli import words
from pabal.apps.messaging.cli.words import reply, reply_one
from pabal.apps.messaging.model.bots import Bot, Device
from pabal.apps.messaging.model.content import ImageMode
from pabal.platform.actor import Actor
from pabal.platform.commands.answers import Answer
from pabal.platform.commands.lazily import lazily
from pabal.platform.commands.options import Cursor, DryRun, Limit, OrgOption, find_unit, see, tell_more, unit_names
from pabal.platform.commands.shell import Shell
from pabal.platform.language.pairs import Pair, put

if TYPE_CHECKING:
    from pabal.base.database import Tx

    Decision = Callable[[Tx, Actor, int], Awaitable[Device]]

with lazily():
    from pabal.apps.messaging.actions import bots
    from pabal.apps.messaging.cli import finding
    from pabal.apps.messaging.cli import rows as views
    from pabal.apps.messaging.store import bots as store

app = typer.Typer(help="Bots, and the devices that say they are one.", no_args_is_help=True)

Which = Annotated[str, typer.Argument(metavar="BOT", help="Its number, or its name.")]
WhichDevice = Annotated[
    str,
    typer.Argument(metavar="DEVICE", help="Its number: see `pabal msg bot show`; or its bot, when it has no other."),
]
COLUMNS = ("id", "name", "state", "org", "waiting", "failures", "last_ping_at", "image_mode", "has_secret", "pending")
FIELDS = (
    *("id", "name", "state", "org", "waiting", "failures", "last_ping_at", "server", "image_mode", "has_secret"),
    *("excluded_reason", "created_at"),
)
DEVICE_COLUMNS = (
    "id",
    "bot",
    "device_id",
    "state",
    "client_version",
    "address",
    "asks_from",
    "last_ping_at",
    "decided_by",
)


@app.command("list")
def list_(
    ctx: typer.Context,
    q: Annotated[str | None, typer.Option("--find", help="A part of its name.")] = None,
    org: OrgOption = None,
    limit: Limit = 50,
    cursor: Cursor = None,
) -> None:
    """By name, with what waits for each."""
    shell: Shell = ctx.obj

    async def work() -> None:
        async with shell.transaction() as tx:
            scope = await see(tx, shell, org)
            page = await store.list_bots(tx, store.Wanted(scope.listed, q), cursor=cursor, limit=limit)
            names = await unit_names(tx)
        rows = [views.bot_row(bots.show_bot(shell.actor, one), names) for one in page.items]
        shell.show(reply(COLUMNS, rows, extra={"next_cursor": page.cursor}, empty=words.NO_BOTS, family="bot"))
        tell_more(shell, page.cursor)

    shell.run(work())


@app.command()
def show(ctx: typer.Context, bot: Which) -> None:
    """One bot, with its devices."""
    shell: Shell = ctx.obj

    async def work() -> None:
        async with shell.transaction() as tx:
            found = bots.show_bot(shell.actor, await finding.find_bot(tx, await see(tx, shell), bot))
            answer = await _answer(tx, shell, found)
        shell.show(answer)
        if shell.output == "table":
            shell.show(reply(DEVICE_COLUMNS, [views.device_row(one) for one in found.devices], family="bot_device"))

    shell.run(work())


@app.command()
def approve(ctx: typer.Context, device: WhichDevice, dry_run: DryRun = False) -> None:
    """Let a device be its bot: from now on it is sent to."""
    _decide(ctx, device, bots.approve, dry_run=dry_run)


@app.command()
def deny(ctx: typer.Context, device: WhichDevice, dry_run: DryRun = False) -> None:
    """Refuse a device that waits. It may stay connected, and receives nothing."""
    _decide(ctx, device, bots.deny, dry_run=dry_run)


@app.command()
def revoke(ctx: typer.Context, device: WhichDevice, dry_run: DryRun = False) -> None:
    """Take an approval back: the device receives nothing from now on."""
    _decide(ctx, device, bots.revoke, dry_run=dry_run)


@app.command()
def block(ctx: typer.Context, device: WhichDevice, dry_run: DryRun = False) -> None:
    """It may not even connect any more."""
    _decide(ctx, device, bots.block, dry_run=dry_run)


@app.command()
def unblock(ctx: typer.Context, device: WhichDevice, dry_run: DryRun = False) -> None:
    """It may connect again, and waits for a decision as if it were new."""
    _decide(ctx, device, bots.unblock, dry_run=dry_run)


@app.command()
def exclude(
    ctx: typer.Context,
    bot: Which,
    reason: Annotated[str, typer.Option("--message", "-m", metavar="TEXT", help="Why it gets nothing for now.")],
    dry_run: DryRun = False,
) -> None:
    """It gets nothing until somebody includes it again."""
    _change(ctx, bot, lambda tx, actor, found: bots.exclude(tx, actor, found.id, reason), dry_run=dry_run)


@app.command()
def include(ctx: typer.Context, bot: Which, dry_run: DryRun = False) -> None:
    """Bring an excluded bot back."""
    _change(ctx, bot, lambda tx, actor, found: bots.include(tx, actor, found.id), dry_run=dry_run)


@app.command()
def edit(
    ctx: typer.Context,
    bot: Which,
    images: Annotated[ImageMode | None, typer.Option("--images", help="One packet each, or all in one.")] = None,
    org: Annotated[str | None, typer.Option("--org", metavar="UNIT", help="Whose it is: number or name.")] = None,
    dry_run: DryRun = False,
) -> None:
    """How a bot is given images, and whose it is."""

    async def act(tx: Tx, actor: Actor, found: Bot) -> Bot:
        unit_id = found.unit_id if org is None else (await find_unit(tx, org)).id
        return await bots.edit(tx, actor, found.id, bots.BotChange(images or found.image_mode, unit_id))

    _change(ctx, bot, act, dry_run=dry_run)


@app.command()
def secret(
    ctx: typer.Context,
    bot: Which,
    remove: Annotated[bool, typer.Option("--remove", help="Ask for no signature any more.")] = False,
    dry_run: DryRun = False,
) -> None:
    """What its devices must sign with: asked for, or read from stdin (secret, then salt, a line each). Never shown."""
    shell: Shell = ctx.obj
    said = "" if remove else _read(shell, words.SECRET)
    salt = "" if remove else _read(shell, words.SALT)

    async def act(tx: Tx, actor: Actor, found: Bot) -> Bot:
        return await bots.set_secret(tx, actor, shell.vault, found.id, said, salt)

    _change(ctx, bot, act, dry_run=dry_run)


def _decide(ctx: typer.Context, device: str, decision: Decision, *, dry_run: bool) -> None:
    shell: Shell = ctx.obj

    async def work() -> None:
        async with shell.change(dry_run=dry_run) as tx:
            found = await finding.find_device(tx, await see(tx, shell), device)
            done = await decision(tx, shell.actor, found.id)
        shell.show(reply_one(shell, (*DEVICE_COLUMNS, "decided_at"), views.device_row(done), family="bot_device"))

    shell.run(work())


def _change(ctx: typer.Context, bot: str, act: Callable[[Tx, Actor, Bot], Awaitable[Bot]], *, dry_run: bool) -> None:
    shell: Shell = ctx.obj

    async def work() -> None:
        async with shell.change(dry_run=dry_run) as tx:
            found = await finding.find_bot(tx, await see(tx, shell), bot)
            answer = await _answer(tx, shell, await act(tx, shell.actor, found))
        shell.show(answer)

    shell.run(work())


async def _answer(tx: Tx, shell: Shell, bot: Bot) -> Answer:
    return reply_one(shell, FIELDS, views.bot_row(bots.show_bot(shell.actor, bot), await unit_names(tx)), family="bot")


def _read(shell: Shell, words: Pair) -> str:
    if sys.stdin.isatty() and sys.stderr.isatty():
        typed: str = typer.prompt(put(shell.lang, words), hide_input=True, err=True, default="", show_default=False)
        return typed.strip()
    return sys.stdin.readline().strip()
