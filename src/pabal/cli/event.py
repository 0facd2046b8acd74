"""`pabal event`: publish, follow and replay events; who takes them, and what could not be taken."""

import sys
from typing import TYPE_CHECKING, Annotated, Any

import typer

from pabal.cli.options import DryRun, OrgOption, find_org
from pabal.cli.shell import Shell, administrator
from pabal.platform.commands.resources import add_commands, show_views
from pabal.resources.events import CONSUMER, DEAD_LETTER, EVENT, EventView, show_event

if TYPE_CHECKING:
    from pabal.base.database import Database
    from pabal.platform.events import PublishedEvent

app = typer.Typer(help="Events: publish, follow, replay; who takes them and what failed.", no_args_is_help=True)
add_commands(app, EVENT)
add_commands(app, CONSUMER)
add_commands(app, DEAD_LETTER)
COLUMNS = ("at", "id", "name", "key", "event_id", "data")
LOOK_SECONDS = 0.5


@app.command()
def publish(
    ctx: typer.Context,
    name: Annotated[str, typer.Argument(help="Its name: parts between dots, as orders.paid.")],
    data: Annotated[str, typer.Option(help="What it says: a JSON object; - reads it from stdin.")] = "{}",
    event_id: Annotated[
        str, typer.Option("--id", help="The same id again is the same event; left out, one is made.")
    ] = "",
    key: Annotated[str, typer.Option(help="Events of one key stay in order.")] = "",
    org: OrgOption = None,
    dry_run: DryRun = False,
) -> None:  # long: what an event is
    """Publishes an event for whoever subscribes."""
    shell: Shell = ctx.obj
    said = {"name": name, "data": data, "id": event_id, "key": key}
    shell.run(_publish(shell, said, org, dry_run=dry_run))


async def _publish(shell: Shell, said: dict[str, str], org: str | None, *, dry_run: bool) -> None:
    from pabal.platform import events
    from pabal.platform.operating.model import tried

    data = _read_data(said["data"])
    async with shell.transaction() as tx, tried(tx, dry_run=dry_run):
        unit_id = None if org is None else (await find_org(tx, org)).id
        event = events.NewEvent(said["name"], data, said["id"], said["key"], unit_id)
        made = await events.publish(tx, administrator(), event)
        view = show_event(made)
    shell.show(show_views(shell, EventView, [view], EVENT.columns, single=True))


def _read_data(text: str) -> Any:
    import json

    from pabal.platform.events import BadEventData

    try:
        return json.loads(sys.stdin.read() if text == "-" else text)
    except ValueError as error:
        raise BadEventData(str(error)[:200]) from error


@app.command()
def tail(
    ctx: typer.Context,
    name: Annotated[str, typer.Option("--name", help="Only of this name; it may end in a star.")] = "*",
    follow: Annotated[bool, typer.Option("--follow", "-f", help="Go on with what comes, until Ctrl-C.")] = False,
    count: Annotated[int, typer.Option("--lines", "-n", min=0, max=1000, help="How many of the last ones.")] = 20,
) -> None:
    """The last events, and with -f those that come."""
    shell: Shell = ctx.obj
    shell.run(_tail(shell, name, follow=follow, count=count))


async def _tail(shell: Shell, name: str, *, follow: bool, count: int) -> None:
    from pabal.cli.waiting import until_signalled
    from pabal.platform import events
    from pabal.platform.events import Wanted

    async with shell.database() as database:
        async with database.transaction() as tx:
            found = (await events.list_events(tx, Wanted(None, name), limit=max(count, 1))).items
        last = found[::-1][-count:] if count else []
        if not follow:
            views = [show_event(event) for event in last]
            shell.show(show_views(shell, EventView, views, COLUMNS, empty=EVENT.listings[0].empty))
            return
        _write(shell, last)
        await until_signalled(_follow(shell, database, name, found[0].seq if found else 0))


async def _follow(shell: Shell, database: "Database", name: str, after: int) -> None:
    """By seq, with a look back at those whose commit came late."""
    import asyncio

    from pabal.platform import events

    seen: set[int] = set(range(max(0, after - LATE), after + 1))
    while True:
        async with database.transaction() as tx:
            found = await events.list_after(tx, None, name, after=after - LATE, most=1000)
        fresh = [event for event in found if event.seq not in seen]
        _write(shell, fresh)
        seen |= {event.seq for event in fresh}
        after = max([after, *(event.seq for event in fresh)])
        seen = {seq for seq in seen if seq > after - LATE}
        if not fresh:
            await asyncio.sleep(LOOK_SECONDS)


# so many events back are looked for once more: a commit may come late
LATE = 500


def _write(shell: Shell, found: "list[PublishedEvent]") -> None:
    """Line by line: JSON becomes lines of it."""
    import json

    from pabal.cli.output import show_moment, write
    from pabal.platform.commands.printing import printable

    if shell.output == "table":
        for event in found:
            data = json.dumps(event.data, ensure_ascii=False)
            typer.echo(printable(f"{show_moment(event.at)}  {event.name}  {event.key or '-'}  {event.id}  {data}"))
    elif found:
        views = [show_event(event) for event in found]
        form = {"json": "ndjson"}.get(shell.output, shell.output)
        write(show_views(shell, EventView, views, COLUMNS), form, shell.lang, header=False)
    sys.stdout.flush()
