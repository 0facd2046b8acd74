"""`pabal tail`: the facts, as they were recorded and as they are."""

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from pabal.cli.shell import Shell
from pabal.platform.commands.resources import show_views
from pabal.resources.work import FACT, FactView

if TYPE_CHECKING:
    from pabal.base.database import Database
    from pabal.engine.facts import Fact
    from pabal.platform.commands.answers import Answer


def tail(
    ctx: typer.Context,
    name: Annotated[
        list[str] | None, typer.Option("--name", help="Only of this name: alerts.*, backup.taken; or several.")
    ] = None,
    follow: Annotated[bool, typer.Option("--follow", "-f", help="Go on with what happens, until Ctrl-C.")] = False,
    count: Annotated[int, typer.Option("--lines", "-n", min=0, max=1000, help="How many of the last ones.")] = 20,
) -> None:
    """The facts: what happened, and with -f what happens."""
    shell: Shell = ctx.obj
    shell.run(_tail(shell, name or [], follow=follow, count=count))


async def _tail(shell: Shell, names: Sequence[str], *, follow: bool, count: int) -> None:
    from pabal.cli.waiting import until_signalled
    from pabal.engine.facts import Reader

    async with shell.database() as database:
        reader = Reader(database, names=names or ("*",))
        # Marks where to begin before the last ones are read, so that nothing falls between.
        await reader.read_once()
        last = await _last(database, names, count)
        if not follow:
            shell.show(_show(shell, last, empty="tail.none"))
            return
        out = _Stream(shell)
        out.write(last)
        seen = {fact.seq for fact in last}

        async def go_on() -> None:
            async for batch in reader:
                out.write([fact for fact in batch.facts if fact.seq not in seen])

        await until_signalled(go_on())


async def _last(database: "Database", names: Sequence[str], count: int) -> "list[Fact]":
    """In the order they were recorded."""
    from pabal.engine.listing import list_facts
    from pabal.engine.listing.facts import Wanted

    if not count:
        return []
    async with database.transaction() as tx:
        page = await list_facts(tx, Wanted(None, names), limit=count)
    return page.items[::-1]


class _Stream:
    """Row by row: JSON becomes lines of it, and a table or CSV has its header once."""

    def __init__(self, shell: Shell) -> None:
        self._shell = shell
        self._has_header = False

    def write(self, facts: "Sequence[Fact]") -> None:
        from pabal.cli.output import write

        form = {"json": "ndjson", "table": "lines"}.get(self._shell.output, self._shell.output)
        if form == "lines":
            for fact in facts:
                typer.echo(show_line(fact))
        elif facts:
            write(_show(self._shell, facts), form, self._shell.lang, header=not self._has_header)
            self._has_header = True
        sys.stdout.flush()


def _show(shell: Shell, facts: "Sequence[Fact]", **more: Any) -> "Answer":
    return show_views(shell, FactView, [FactView.of(fact, id=str(fact.id)) for fact in facts], FACT.columns, **more)


def show_line(fact: "Fact") -> str:
    import json

    from pabal.cli.output import show_moment
    from pabal.platform.commands.printing import printable

    data = json.dumps(fact.data, ensure_ascii=False)
    return printable(f"{show_moment(fact.at)}  {fact.name}  {fact.subject}  {data}")
