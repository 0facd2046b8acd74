"""`pabal clock`: moves the clock of a demo, for all servers at once."""

from typing import Annotated

import typer

from pabal.cli.shell import Shell

app = typer.Typer(help="The clock of a demo.", no_args_is_help=True)


@app.command()
def advance(ctx: typer.Context, by: Annotated[str, typer.Argument(help="How far: 90s, 1h, 7d.")]) -> None:
    """Move the clock forward; what becomes due happens now. Never backward."""
    shell: Shell = ctx.obj
    shell.run(_advance(shell, by))


async def _advance(shell: Shell, by: str) -> None:
    from pabal.base import clock
    from pabal.base.database import DatabaseError
    from pabal.base.settings import parse_duration
    from pabal.cli.exits import ClockFixed
    from pabal.cli.output import Answer

    length = parse_duration(by)
    async with shell.database() as database:
        try:
            await clock.advance(database, length)
        except DatabaseError as error:
            if error.sqlstate == "42P01":
                raise ClockFixed from error
            raise
        async with database.transaction() as tx:
            shell.show(Answer(("now",), [{"now": tx.now}], single=True))
