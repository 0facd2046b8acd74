"""`pabal config`: settings that hold for all servers and change without a restart."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from pabal.cli.options import DryRun
from pabal.cli.shell import Shell, administrator

if TYPE_CHECKING:
    from pabal.platform.settings import Catalogue, Listed

app = typer.Typer(
    help="Settings that hold for all servers and change without a restart.",
    no_args_is_help=True,
    epilog="What a server reads when it starts (PABAL_… and pabal.toml) is in docs/operations/settings.md.",
)

Key = Annotated[str, typer.Argument(metavar="KEY", help="Like backup.keep_days: see `pabal config list`.")]
COLUMNS = ("key", "value", "default", "label", "changed_by")
DETAILS = (
    *("key", "value", "default", "seed", "requirement", "label", "help", "bounds", "choices", "needs_restart"),
    *("changed_by", "changed_at", "problem"),
)


@app.command("list")
def list_(
    ctx: typer.Context,
    area: Annotated[str | None, typer.Option(help="Only of this app or room: the first word of the key.")] = None,
) -> None:
    """Every setting with its value and its default."""
    shell: Shell = ctx.obj

    async def work() -> None:
        from pabal.cli.output import Answer
        from pabal.platform import settings

        async with shell.transaction() as tx:
            found = await settings.list_settings(tx, catalogue_of(shell))
        rows = [_row(shell, one) for one in found if area in (None, one.setting.area)]
        shell.show(Answer(COLUMNS, rows, empty="config.none"))

    shell.run(work())


@app.command()
def get(ctx: typer.Context, key: Key) -> None:
    """One setting; with -o plain its value alone."""
    shell: Shell = ctx.obj

    async def work() -> None:
        from pabal.platform import settings

        async with shell.transaction() as tx:
            found = await settings.get_setting(tx, catalogue_of(shell)[key])
        _show(shell, found)

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

        setting = catalogue_of(shell)[key]
        async with shell.change(dry_run=dry_run) as tx:
            after = await settings.change(tx, administrator(), setting, value)
        _show(shell, after)
        if setting.needs_restart and not dry_run:
            shell.tell("config.restart")

    shell.run(work())


@app.command()
def reset(ctx: typer.Context, key: Key, dry_run: DryRun = False) -> None:
    """Back to the default."""
    shell: Shell = ctx.obj

    async def work() -> None:
        from pabal.platform import settings

        setting = catalogue_of(shell)[key]
        async with shell.change(dry_run=dry_run) as tx:
            after = await settings.reset(tx, administrator(), setting)
        _show(shell, after)

    shell.run(work())


@app.command()
def diff(ctx: typer.Context) -> None:
    """What differs from the defaults, with the seed's value beside it."""
    shell: Shell = ctx.obj

    async def work() -> None:
        from pabal.cli.output import Answer
        from pabal.platform import settings

        catalogue = catalogue_of(shell)
        async with shell.transaction() as tx:
            found = await settings.list_settings(tx, catalogue)
            unknown = await settings.list_unknown(tx, catalogue)
        rows = [_row(shell, one) for one in found if one.is_changed or one.problem]
        columns = ("key", "value", "default", "seed", "changed_by", "changed_at", "problem")
        shell.show(Answer(columns, rows, extra={"unknown": unknown}, empty="config.same"))
        if unknown:
            shell.tell("config.unknown", keys=", ".join(unknown))

    shell.run(work())


def catalogue_of(shell: Shell) -> "Catalogue":
    """Of the platform and of every app that is loaded here."""
    from pabal.platform.settings import Catalogue

    return Catalogue(setting for one in shell.house for setting in one.settings)


def _show(shell: Shell, found: "Listed") -> None:
    from pabal.cli.output import Answer

    columns = ("value",) if shell.output == "plain" else DETAILS
    shell.show(Answer(columns, [_row(shell, found)], single=True))


def _row(shell: Shell, found: "Listed") -> dict[str, Any]:
    from pabal.platform.language import put

    setting = found.setting
    return {
        "key": setting.key,
        "value": found.text,
        "default": found.default_text,
        "is_changed": found.is_changed,
        "label": put(shell.lang, setting.label),
        "help": put(shell.lang, setting.help),
        "group": put(shell.lang, setting.group),
        "kind": setting.kind,
        "bounds": setting.bounds or None,
        "choices": ", ".join(choice.value for choice in setting.choices) or None,
        "seed": setting.seed,
        "requirement": setting.requirement,
        "needs_restart": setting.needs_restart or None,
        "version": found.version,
        "changed_by": found.changed_by,
        "changed_at": found.changed_at,
        "problem": found.problem,
    }
