"""`pabal config`: settings that hold for all servers and change without a restart."""

from typing import TYPE_CHECKING, Annotated

import typer

from pabal.cli.options import DryRun
from pabal.cli.shell import Shell, administrator
from pabal.platform.commands.resources import add_commands, show_views
from pabal.platform.resources import Viewer
from pabal.resources.settings import DETAILS, SETTING, SettingView, view_setting

if TYPE_CHECKING:
    from datetime import datetime

    from pabal.platform.settings import Listed

app = typer.Typer(
    help="Settings that hold for all servers and change without a restart.",
    no_args_is_help=True,
    epilog="What a server reads when it starts (PABAL_… and pabal.toml) is in docs/operations/settings.md.",
)

Key = Annotated[str, typer.Argument(metavar="KEY", help="Like backup.keep_days: see `pabal config list`.")]


add_commands(app, SETTING)


@app.command()
def get(ctx: typer.Context, key: Key) -> None:
    """One setting; with -o plain its value alone."""
    shell: Shell = ctx.obj

    async def work() -> None:
        from pabal.platform import settings

        async with shell.transaction() as tx:
            found, now = await settings.get_setting(tx, shell.catalogue[key]), tx.now
        _show(shell, found, now)

    shell.run(work())


@app.command("set")
def set_(
    ctx: typer.Context,
    key: Key,
    value: Annotated[str, typer.Argument(help="As people write it: 30, 0.5, true, 24h.")],
    dry_run: DryRun = False,
) -> None:
    """Change a setting for all servers."""
    shell: Shell = ctx.obj

    async def work() -> None:
        from pabal.platform import settings

        setting = shell.catalogue[key]
        async with shell.change(dry_run=dry_run) as tx:
            after, now = await settings.change(tx, administrator(), setting, value), tx.now
        _show(shell, after, now)
        if setting.needs_restart and not dry_run:
            shell.tell("config.restart")

    shell.run(work())


@app.command()
def reset(ctx: typer.Context, key: Key, dry_run: DryRun = False) -> None:
    """Back to the default."""
    shell: Shell = ctx.obj

    async def work() -> None:
        from pabal.platform import settings

        setting = shell.catalogue[key]
        async with shell.change(dry_run=dry_run) as tx:
            after, now = await settings.reset(tx, administrator(), setting), tx.now
        _show(shell, after, now)

    shell.run(work())


@app.command()
def diff(ctx: typer.Context) -> None:
    """What differs from the defaults, with the seed's value beside it."""
    shell: Shell = ctx.obj

    async def work() -> None:
        from pabal.platform import settings

        catalogue = shell.catalogue
        async with shell.transaction() as tx:
            found = await settings.list_settings(tx, catalogue)
            unknown = await settings.list_unknown(tx, catalogue)
            views = [_view(shell, one, tx.now) for one in found if one.is_changed or one.problem]
        columns = ("key", "value", "default", "seed", "changed_by", "changed_at", "problem")
        shell.show(show_views(shell, SettingView, views, columns, extra={"unknown": unknown}, empty="config.same"))
        if unknown:
            shell.tell("config.unknown", keys=", ".join(unknown))

    shell.run(work())


def _show(shell: Shell, found: "Listed", now: "datetime") -> None:
    columns = ("value",) if shell.output == "plain" else DETAILS
    shell.show(show_views(shell, SettingView, [_view(shell, found, now)], columns, single=True))


def _view(shell: Shell, found: "Listed", now: "datetime") -> SettingView:
    return view_setting(found, Viewer(shell.actor, shell.lang, now))
