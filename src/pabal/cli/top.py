"""`pabal top`: a live overview in the terminal."""

from datetime import timedelta
from typing import TYPE_CHECKING, Any

import typer

from pabal.cli.shell import Shell, administrator
from pabal.cli.state import capped, server_row

if TYPE_CHECKING:
    from rich.console import RenderableType

    from pabal.base.database import Database, Tx
    from pabal.platform.operating import Coming

EVERY_SECONDS = 2.0
AHEAD = timedelta(hours=1)
SHOWN = 8
LOOKED = 200


def top(ctx: typer.Context) -> None:
    """A live overview: servers, depths, what comes, what needs you. Once where there is no terminal."""
    shell: Shell = ctx.obj
    shell.run(_top(shell))


async def _top(shell: Shell) -> None:
    from pabal.cli.output import Answer, console
    from pabal.cli.stopping import until_signalled

    screen = console()
    async with shell.database() as database:
        report = await _gather(shell, database)
        if shell.output != "table":
            shell.show(Answer(tuple(report), [report], single=True))
        elif screen.is_terminal:
            await until_signalled(_watch(shell, database))
        else:
            screen.print(_draw(shell, report))


async def _watch(shell: Shell, database: "Database") -> None:
    import asyncio

    from rich.live import Live

    with Live(screen=True, auto_refresh=False) as live:
        while live.is_started:
            live.update(_draw(shell, await _gather(shell, database)), refresh=True)
            await asyncio.sleep(EVERY_SECONDS)


async def _gather(shell: Shell, database: "Database") -> dict[str, Any]:
    from dataclasses import asdict

    from pabal.engine import listing
    from pabal.platform import operating
    from pabal.platform.tenants import visible_to

    async with database.transaction() as tx:
        actor = administrator()
        scope = await visible_to(tx, actor)
        controls = [each for one in shell.house for each in one.controls]
        coming = await operating.list_upcoming(tx, actor, scope, tx.now + AHEAD, controls=controls, limit=LOOKED)
        return {
            "now": tx.now,
            "servers": [server_row(server) for server in await listing.list_servers(tx)],
            "depths": asdict(await listing.read_depths(tx)),
            "cap": listing.CAP,
            "next": _grouped(coming),
            "needs": await _needs(shell, tx),
        }


def _grouped(coming: "list[Coming]") -> list[dict[str, Any]]:
    """A schedule of every ten seconds is one line, with its first moment, not the whole list."""
    from collections import Counter
    from dataclasses import asdict

    times = Counter((one.what, one.id) for one in coming)
    first = {(one.what, one.id): one for one in reversed(coming)}
    rows = [{**asdict(one), "times": times[key]} for key, one in first.items()]
    return sorted(rows, key=lambda row: (row["at"], row["id"]))


async def _needs(shell: Shell, tx: "Tx") -> list[dict[str, Any]]:
    """What waits for a person, of the platform and of every app that is loaded here."""
    from pabal.platform.language import put
    from pabal.platform.needs import list_needs
    from pabal.platform.tenants import visible_to

    scope = await visible_to(tx, administrator())
    found = await list_needs(tx, shell.actor, scope, shell.house)
    return [
        {
            "at": need.at,
            "severity": need.severity,
            "family": need.family,
            "state": need.state,
            "title": put(shell.lang, need.title),
            "note": need.note,
            "reason": put(shell.lang, need.reason),
        }
        for need in sorted(found, key=lambda need: need.at, reverse=True)
    ]


def _draw(shell: Shell, report: dict[str, Any]) -> "RenderableType":
    from rich.console import Group
    from rich.text import Text

    from pabal.cli.output import Answer, show_moment, table

    def heading(key: str, **values: Any) -> Text:
        return Text(f"\n{shell.say(key, **values)}", style="bold")

    servers = Answer(("state", "host", "pid", "roles", "running", "heard"), report["servers"])
    coming = Answer(("at", "what", "id", "kind", "note", "times"), report["next"][:SHOWN])
    needs = [{**need, "state": need["severity"]} for need in report["needs"][:SHOWN]]
    depths = {name: capped(count, report["cap"]) for name, count in report["depths"].items()}
    return Group(
        Text(f"{shell.address}  {show_moment(report['now'])}", style="bold"),
        heading("top.servers") if report["servers"] else heading("status.no_server"),
        table(servers, shell.lang),
        Text(f"\n{shell.say('status.depths', **depths)}"),
        heading("top.next") if report["next"] else heading("next.none"),
        table(coming, shell.lang),
        heading("top.needs", n=len(report["needs"])) if needs else heading("top.nothing"),
        table(Answer(("at", "severity", "title", "note", "reason"), needs), shell.lang),
    )
