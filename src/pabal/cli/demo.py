"""`pabal demo` and `pabal clock`: an organisation, people and what the apps add, marked and taken out again; and the
clock of a demo, moved for all servers at once."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from pabal.cli.options import DryRun, Yes
from pabal.cli.shell import Shell, administrator

if TYPE_CHECKING:
    from pabal.base.database import Database

app = typer.Typer(help="The demo: an organisation, people and what the apps add.", no_args_is_help=True)
clock = typer.Typer(help="The clock of a demo.", no_args_is_help=True)
COLUMNS = ("result", "units", "people", "apps")


@app.command()
def load(ctx: typer.Context, dry_run: DryRun = False) -> None:
    """Fill it in; what is there stays. Its people sign in only on a server of `pabal up --demo`. Not in production."""
    shell: Shell = ctx.obj

    async def work() -> None:
        from pabal.platform import demo

        if shell.settings.is_production:
            raise demo.DemoRefused
        async with shell.database() as database:
            before = await _count(shell, database)
            if not dry_run:
                async with shell.services(database) as services:
                    await demo.load(services, shell.house)
                after = await _count(shell, database)
        if dry_run:
            _show(shell, before, "loaded_before" if before["units"] else "would_load", dry_run=True)
            return
        _show(shell, after, "loaded_before" if before["units"] else "loaded")
        if shell.output == "table":
            shell.tell("demo.loaded", password=demo.PASSWORD)

    shell.run(work())


@app.command()
def clear(ctx: typer.Context, yes: Yes = False, dry_run: DryRun = False) -> None:
    """Take it out: what the apps added, the people, the units. Histories and the audit stay."""
    shell: Shell = ctx.obj
    if not dry_run:
        shell.confirm("demo.clear.ask", yes=yes)

    async def work() -> None:
        from pabal.platform import demo

        async with shell.database() as database:
            before = await _count(shell, database)
            if not dry_run:
                await demo.clear(database, shell.house, administrator())
        _show(shell, before, "would_clear" if dry_run else "cleared", dry_run=dry_run)

    shell.run(work())


async def _count(shell: Shell, database: "Database") -> dict[str, Any]:
    from pabal.platform import auth, tenants
    from pabal.platform.demo import EVERYBODY

    async with database.transaction() as tx:
        units = [unit for unit in await tenants.list_units(tx, None) if unit.is_demo]
        people = [user for user in await auth.list_users(tx, EVERYBODY, words="demo-", limit=1000) if user.is_demo]
    apps = ", ".join(one.name for one in shell.house if one.demo is not None)
    return {"units": len(units), "people": len(people), "apps": apps}


def _show(shell: Shell, counted: dict[str, Any], result: str, *, dry_run: bool = False) -> None:
    from pabal.cli.output import Answer

    shell.show(Answer(COLUMNS, [{"result": result, **counted}], single=True))
    if dry_run:
        shell.tell("dry_run")


@clock.command()
def advance(ctx: typer.Context, by: Annotated[str, typer.Argument(help="How far: 90s, 1h, 7d.")]) -> None:
    """Move the clock forward; what becomes due happens now. Never backward."""
    shell: Shell = ctx.obj
    shell.run(_advance(shell, by))


async def _advance(shell: Shell, by: str) -> None:
    from pabal.base.clock import advance as advance_clock
    from pabal.base.database import DatabaseError
    from pabal.base.settings import parse_duration
    from pabal.cli.exits import ClockFixed
    from pabal.cli.output import Answer

    length = parse_duration(by)
    async with shell.database() as database:
        try:
            await advance_clock(database, length)
        except DatabaseError as error:
            if error.sqlstate == "42P01":
                raise ClockFixed from error
            raise
        async with database.transaction() as tx:
            shell.show(Answer(("now",), [{"now": tx.now}], single=True))
