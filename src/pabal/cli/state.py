"""`pabal status` and `pabal next`: how things stand, and what comes."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from pabal.cli.shell import Shell

if TYPE_CHECKING:
    from datetime import datetime

    from pabal.base.database import Tx
    from pabal.engine.listing import ServerSeen


def status(ctx: typer.Context) -> None:
    """Servers, queues, and what is due next. Works also when no server runs."""
    shell: Shell = ctx.obj
    shell.run(_status(shell))


def next_(
    ctx: typer.Context,
    span: Annotated[str, typer.Option("--for", help="How far to look: 90m, 24h, 7d.")] = "24h",
    limit: Annotated[int, typer.Option(min=1, max=1000, help="How many at most.")] = 50,
) -> None:
    """What will happen: occurrences of schedules, delayed jobs, timers."""
    shell: Shell = ctx.obj
    shell.run(_next(shell, span, limit))


async def _status(shell: Shell) -> None:
    from dataclasses import asdict

    from pabal.engine import listing

    async with shell.transaction() as tx:
        servers = [server_row(server) for server in await listing.list_servers(tx)]
        depths = asdict(await listing.read_depths(tx))
        queues = [asdict(queue) for queue in await listing.list_queues(tx)]
        moments = await listing.read_next_moments(tx)
        now = tx.now
    oldest = min((queue["oldest_at"] for queue in queues), default=None)
    due = min((moment for moment in asdict(moments).values() if moment is not None), default=None)
    report = {
        "now": now,
        "database": "private" if shell.settings.database_url is None else "given",
        "servers": servers,
        "depths": depths,
        "cap": listing.CAP,
        "oldest_ready_seconds": None if oldest is None else max(0.0, (now - oldest).total_seconds()),
        "next_due_at": due,
        "queues": queues,
    }
    _show_status(shell, report)


def server_row(server: "ServerSeen") -> dict[str, Any]:
    from pabal.engine import ids

    return {
        "id": ids.show("wrk", server.id),
        "state": server.state,
        "host": server.host,
        "pid": server.meta.get("pid"),
        "roles": ",".join(server.meta.get("roles", [])),
        "version": server.meta.get("version"),
        "running": server.running,
        "since": server.started_at,
        "heard": round(server.heard_seconds, 1),
    }


def _show_status(shell: Shell, report: dict[str, Any]) -> None:
    from pabal.cli.output import Answer, show_moment

    if shell.output != "table":
        shell.show(Answer(tuple(report), [report], single=True))
        return
    shell.show(
        Answer(
            ("state", "host", "pid", "roles", "running", "heard", "since"), report["servers"], empty="status.no_server"
        )
    )
    typer.echo()
    shown = {name: capped(count, report["cap"]) for name, count in report["depths"].items()}
    typer.echo(shell.say("status.depths", **shown))
    if report["oldest_ready_seconds"] is not None:
        typer.echo(shell.say("status.oldest", seconds=f"{report['oldest_ready_seconds']:.1f}"))
    if report["next_due_at"] is not None:
        typer.echo(shell.say("status.next", at=show_moment(report["next_due_at"])))
    typer.echo(shell.say(f"status.database_{report['database']}", folder=shell.settings.data_dir))
    if not any(server["state"] == "ok" for server in report["servers"]):
        shell.tell("hint.up")


def capped(count: int, cap: int) -> str:
    return f"{cap:,}+" if count > cap else f"{count:,}"


async def _next(shell: Shell, span: str, limit: int) -> None:
    from pabal.base.settings import parse_duration
    from pabal.cli.output import Answer

    length = parse_duration(span)
    async with shell.transaction() as tx:
        rows = await _coming(tx, tx.now + length, limit)
    rows.sort(key=lambda row: (row["at"], row["what"], row["id"]))
    shell.show(Answer(("at", "what", "id", "kind", "about", "note"), rows[:limit], empty="next.none"))


async def _coming(tx: "Tx", until: "datetime", limit: int) -> list[dict[str, Any]]:
    from pabal.cli.schedules import occurrences_until
    from pabal.engine import ids, listing

    rows = await occurrences_until(tx, until, most=limit)
    for job in await listing.list_delayed(tx, until, most=limit):
        row = {"at": job.at, "what": "job", "id": ids.show("job", job.id), "kind": job.kind, "about": job.about}
        rows.append({**row, "note": job.reason})
    for timer in await listing.list_timers(tx, until, most=limit):
        name = f"{timer.machine}:{timer.subject}"
        rows.append({"at": timer.at, "what": "timer", "id": name, "kind": timer.event, "about": name, "note": None})
    return rows
