"""`pabal ad flag`: USE_SSM_STATUS, whose state is shown: the stored one or the calculator's."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from pabal.apps.adgroups.cli import words
from pabal.apps.adgroups.cli.words import reply, reply_one
from pabal.apps.adgroups.errors import BadFlag
from pabal.apps.adgroups.legacy.model import FlagKind
from pabal.platform.commands.lazily import lazily
from pabal.platform.commands.options import DryRun, Yes, see
from pabal.platform.commands.shell import Shell

if TYPE_CHECKING:
    from pabal.base.database import Tx

with lazily():
    from pabal.apps.adgroups.cli import finding
    from pabal.apps.adgroups.cli import rows as views
    from pabal.apps.adgroups.legacy import flags

app = typer.Typer(help="Flags: whose state is shown, the stored one or the calculator's.", no_args_is_help=True)

Kind = Annotated[FlagKind, typer.Argument(metavar="KIND", help="id, campaign, percent or new; the first set decides.")]
Value = Annotated[
    str | None,
    typer.Argument(metavar="OF", help="The ad group, the campaign, or how many of a hundred; nothing for new."),
]
COLUMNS = ("flag", "of", "is_on", "set_by", "set_at")


@app.command("list")
def list_(ctx: typer.Context) -> None:
    """All that are set, and how many ad groups come to use which."""
    shell: Shell = ctx.obj

    async def work() -> None:
        async with shell.transaction() as tx:
            rows = [views.flag_row(one) for one in await flags.list_flags(tx, shell.actor)]
            counted = await flags.count_sources(tx, shell.actor)
        extra = {"sources": {source.value: count for source, count in counted.items()}}
        shell.show(reply(COLUMNS, rows, extra=extra, empty=words.NO_FLAGS))

    shell.run(work())


@app.command("set")
def set_(
    ctx: typer.Context,
    kind: Kind,
    of: Value = None,
    on: Annotated[bool, typer.Option("--on/--off", help="On: the stored state. Off: the calculator's.")] = True,
    dry_run: DryRun = False,
) -> None:
    """Answers how many ad groups are shown by the other way now."""
    shell: Shell = ctx.obj

    async def work() -> None:
        async with shell.change(dry_run=dry_run) as tx:
            value = await _read(tx, shell, kind, of)
            changed = await flags.set_flag(tx, shell.actor, kind, value, is_on=on)
            row = views.flag_row(flags.Flag(kind, value, on, None, shell.actor.name, tx.now))
        shell.show(reply_one(shell, (*COLUMNS, "changed"), {**row, "changed": changed}))

    shell.run(work())


@app.command()
def clear(ctx: typer.Context, kind: Kind, of: Value = None, dry_run: DryRun = False) -> None:
    """What the next kind in order says holds again."""
    shell: Shell = ctx.obj

    async def work() -> None:
        async with shell.change(dry_run=dry_run) as tx:
            value = 0 if kind in flags.OF_HOUSE else await _read(tx, shell, kind, of)
            changed = await flags.clear_flag(tx, shell.actor, kind, value)
        shell.show(reply_one(shell, ("flag", "changed"), {"flag": kind.value, "changed": changed}))

    shell.run(work())


@app.command("machine-only")
def machine_only(ctx: typer.Context, yes: Yes = False, dry_run: DryRun = False) -> None:
    """The end of the migration: every ad group shows its stored state, and the calculator is asked no more."""
    shell: Shell = ctx.obj
    if not dry_run:
        shell.confirm(words.ASK_SWITCH, yes=yes)

    async def work() -> None:
        async with shell.change(dry_run=dry_run) as tx:
            changed = await flags.switch_off_calculator(tx, shell.actor)
        shell.show(reply_one(shell, ("changed",), {"changed": changed}))

    shell.run(work())


async def _read(tx: Tx, shell: Shell, kind: FlagKind, text: str | None) -> int:
    if kind is FlagKind.NEW:
        return 0
    if text is None:
        raise BadFlag(f"{kind}: of what?")
    if kind is FlagKind.ID:
        return (await finding.find_group(tx, await see(tx, shell), text)).id
    if kind is FlagKind.CAMPAIGN:
        return (await finding.find_campaign(tx, await see(tx, shell), text)).id
    if not (text.isascii() and text.isdigit() and len(text) < 4):
        raise BadFlag(text[:50])
    return int(text)
