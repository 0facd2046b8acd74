"""`pabal status`, `top`, `doctor`, `next` and `why`: how things stand, what comes, and why."""

from datetime import timedelta
from typing import TYPE_CHECKING, Annotated, Any

import typer

from pabal.cli.shell import Shell, administrator
from pabal.platform.commands.resources import show_detail, show_views, viewer_of
from pabal.platform.resources import plain
from pabal.resources.insight import UPCOMING, StoryLineView, StoryView, UpcomingFilter, read_upcoming, view_story
from pabal.resources.work import SERVER, ServerView, view_server

if TYPE_CHECKING:
    from rich.console import RenderableType

    from pabal.base.database import Database, Tx
    from pabal.platform.operating import Coming

EVERY_SECONDS = 2.0
AHEAD = timedelta(hours=1)
SHOWN = 8
LOOKED = 200


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
        servers = [view_server(one, viewer_of(shell, tx)) for one in await listing.list_servers(tx)]
        depths = asdict(await listing.read_depths(tx))
        queues = [asdict(queue) for queue in await listing.list_queues(tx)]
        moments = await listing.read_next_moments(tx)
        now = tx.now
    oldest = min((queue["oldest_at"] for queue in queues), default=None)
    due = min((moment for moment in asdict(moments).values() if moment is not None), default=None)
    report = {
        "now": now,
        "database": "private" if shell.settings.database_url is None else "given",
        "servers": plain(servers),
        "depths": depths,
        "cap": listing.CAP,
        "oldest_ready_seconds": None if oldest is None else max(0.0, (now - oldest).total_seconds()),
        "next_due_at": due,
        "queues": queues,
    }
    _show_status(shell, report, servers)


def _show_status(shell: Shell, report: dict[str, Any], servers: list[ServerView]) -> None:
    from pabal.cli.output import Answer, show_moment

    if shell.output != "table":
        shell.show(Answer(tuple(report), [report], single=True))
        return
    shell.show(show_views(shell, ServerView, servers, SERVER.columns, empty="status.no_server"))
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
    from pabal.platform.tenants import visible_to

    length = parse_duration(span)
    async with shell.transaction() as tx:
        wanted = UpcomingFilter.make({"until": tx.now + length, "limit": limit})
        scope = await visible_to(tx, shell.actor)
        view = await read_upcoming(tx, scope, wanted, viewer_of(shell, tx))
    more = {"until": view.until, "has_more": view.has_more}
    show_detail(shell, UPCOMING, view, "items", {}, empty="next.none", extra=more)


def doctor(ctx: typer.Context) -> None:
    """Check everything Pabal needs, and say how to mend what is wrong."""
    shell: Shell = ctx.obj
    if not shell.run(_doctor(shell)):
        raise typer.Exit(1)


async def _doctor(shell: Shell) -> bool:
    from pabal.cli.checks import run_checks
    from pabal.cli.output import Answer
    from pabal.platform.language.pairs import put

    rows = []
    async for check in run_checks(shell):
        said = shell.say(f"doctor.{check.name}") if check.mend is None else put(shell.lang, check.mend)
        mend = None if check.state == "ok" else said
        rows.append({"check": check.name, "state": check.state, "detail": check.detail, "mend": mend})
    shell.show(Answer(("state", "check", "detail", "mend"), rows))
    return all(row["state"] != "fail" for row in rows)


def why(
    ctx: typer.Context,
    subject: Annotated[str, typer.Argument(metavar="ID", help="job_…, sch_12, or occ_12@2026-07-03T00:00:00Z.")],
) -> None:
    """Why it ran, why it did not, and what happens next."""
    shell: Shell = ctx.obj
    shell.run(_why(shell, subject))


async def _why(shell: Shell, subject: str) -> None:
    from pabal.cli.output import Answer, show_moment
    from pabal.platform import operating
    from pabal.platform.tenants import visible_to

    async with shell.transaction() as tx:
        actor = administrator()
        story = await operating.why(tx, actor, await visible_to(tx, actor), subject, owners=shell.owners)
    view = view_story(story, shell.lang, show_moment)
    if shell.output == "table":
        _print_story(shell, view)
    elif shell.output == "json":
        # people who read JSON want the commands too
        row = {**plain(view), "next": [_advice(shell, view, code) for code in view.advice]}
        shell.show(Answer(tuple(row), [row], single=True))
    else:
        shell.show(show_views(shell, StoryLineView, view.lines))


def _print_story(shell: Shell, story: StoryView) -> None:
    from rich.text import Text

    from pabal.cli.output import console, show_moment, state_text

    screen = console()
    screen.print(Text(f"{story.id}  {story.title}  ") + state_text(story.state, shell.lang))
    for line in story.lines:
        when = shell.say("now") if line.at is None else show_moment(line.at)
        screen.print(Text(f"  {when:<25}{line.text}"))
    for code in story.advice:
        screen.print(Text(f"{shell.say('next')} {_advice(shell, story, code)}"))


def _advice(shell: Shell, story: StoryView, code: str) -> str:
    return shell.say(f"advice.{code}", id=story.id, title=story.title)


def top(ctx: typer.Context) -> None:
    """A live overview: servers, depths, what comes, what needs you. Once where there is no terminal."""
    shell: Shell = ctx.obj
    shell.run(_top(shell))


async def _top(shell: Shell) -> None:
    from pabal.cli.output import Answer, console
    from pabal.cli.waiting import until_signalled

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
            "servers": [plain(view_server(one, viewer_of(shell, tx))) for one in await listing.list_servers(tx)],
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

    words = {name: (one.label[0].upper(), one.label[1]) for name, one in ServerView.fields.items()}
    servers = Answer(("state", "host", "pid", "roles", "running", "heard_seconds"), report["servers"], words=words)
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
