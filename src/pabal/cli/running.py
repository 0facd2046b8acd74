"""`pabal up`, `pabal serve`, `pabal down`: starting and stopping."""

import sys
from typing import TYPE_CHECKING, Annotated

import typer

from pabal.cli.shell import Shell

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pabal.base.settings import Settings
    from pabal.main import App

Port = Annotated[int | None, typer.Option(min=0, max=65535, help="Port of the web server; 0: any free one.")]
Host = Annotated[str | None, typer.Option(help="Address the web server listens on.")]


def up(
    ctx: typer.Context,
    host: Host = None,
    port: Port = None,
    demo: Annotated[bool, typer.Option("--demo", help="With an example, and a clock that can be moved.")] = False,
    demo_from_anywhere: Annotated[
        bool,
        typer.Option(
            "--demo-from-anywhere",
            help="Let the demo's people, whose password everybody knows, sign in from other machines too.",
        ),
    ] = False,
) -> None:
    """Everything in one process: database, web, jobs, schedules."""
    shell: Shell = ctx.obj
    from pabal.base.settings import ROLES

    if demo_from_anywhere and not demo:
        raise typer.BadParameter("only together with --demo", param_hint="--demo-from-anywhere")
    given = {"host": host, "port": port, "demo_from_anywhere": demo_from_anywhere or None}
    _serve(shell, frozenset(ROLES), given, is_demo=demo)


def serve(
    ctx: typer.Context,
    role: Annotated[
        str | None, typer.Option(help="What this server does: web,worker,scheduler or some of them.")
    ] = None,
    host: Host = None,
    port: Port = None,
) -> None:
    """A server with some of the roles, for example one of many."""
    from pabal.base.settings import parse_roles

    shell: Shell = ctx.obj
    try:
        roles = parse_roles(role) if role is not None else None
    except ValueError as error:
        raise typer.BadParameter(str(error), param_hint="--role") from error
    _serve(shell, roles, {"host": host, "port": port})


def down(ctx: typer.Context) -> None:
    """Stop the private PostgreSQL, when no server uses it."""
    shell: Shell = ctx.obj
    shell.run(_down(shell))


def _serve(shell: Shell, roles: frozenset[str] | None, given: "Mapping[str, object]", *, is_demo: bool = False) -> None:
    import uvloop

    from pabal.base.errors import PabalError
    from pabal.base.settings import parse_roles

    try:
        settings = shell.settings_with(**given)
    except PabalError as error:
        shell.fail(error)
    work = _run(shell, settings, roles or parse_roles(settings.roles), is_demo=is_demo)
    shell.run(work, loop_factory=uvloop.new_event_loop)


async def _run(shell: Shell, settings: "Settings", roles: frozenset[str], *, is_demo: bool) -> None:
    from pabal import main
    from pabal.base.telemetry import count_emitted

    is_quiet = _start_log(settings)
    if is_quiet and not settings.database_url:
        is_new = not settings.postgres_dir.exists()
        shell.tell("up.postgres_new" if is_new else "up.postgres", folder=settings.postgres_dir)
    app = await main.build(settings, roles, is_demo=is_demo)
    steps = count_emitted("migrations.applied")
    if is_quiet and steps:
        shell.tell("up.tables", n=steps)
    link = await app.make_sign_in_link() if "web" in roles else None

    def on_ready(url: str | None) -> None:
        typer.echo("\n".join(_ready_lines(shell, app, url, link)))

    await main.serve(app, on_ready)
    if is_quiet:
        shell.tell("up.stopped")


def _start_log(settings: "Settings") -> bool:
    """A terminal is for people: only what is wrong is logged there, unless a level or a form was asked for."""
    from pabal.base.telemetry import start_logging

    is_terminal = settings.log_format == "auto" and sys.stderr.isatty()
    is_quiet = is_terminal and "log_level" not in settings.model_fields_set
    is_text = is_terminal or settings.log_format == "text"
    start_logging(level="warning" if is_quiet else settings.log_level, json_lines=not is_text)
    return is_quiet


def _ready_lines(shell: Shell, app: "App", url: str | None, link: str | None) -> list[str]:
    from pabal.platform.demo import PASSWORD

    settings, where = app.settings, "private" if app.cluster is not None else "given"
    address = settings.public_url or url
    roles = ", ".join(sorted(app.roles))
    lines = [shell.say("up.url", url=address) if address else shell.say("up.ready", roles=roles)]
    if url and settings.port and not url.endswith(f":{settings.port}"):
        lines.append(shell.say("up.other_port", port=settings.port))
    if link:
        lines.append(shell.say("up.link", url=f"{address}{link}"))
    lines.append(shell.say(f"up.database_{where}", folder=settings.postgres_dir))
    lines.append(shell.say(f"up.stop_{where}"))
    if app.is_demo:
        lines.append(shell.say("up.demo", password=PASSWORD))
    return [*lines, *_warnings(shell, settings, is_demo=app.is_demo)]


def _warnings(shell: Shell, settings: "Settings", *, is_demo: bool) -> list[str]:
    """What whoever starts this should be told loudly, because it lets strangers in."""
    from pabal.base.settings import trusts_everybody

    said = []
    if is_demo:
        said.append(shell.say("up.demo_from_anywhere" if settings.demo_from_anywhere else "up.demo_here"))
    if trusts_everybody(settings.trusted_proxies):
        said.append(shell.say("up.every_proxy"))
    return said


async def _down(shell: Shell) -> None:
    from pabal.base import embedded
    from pabal.base.database import Database
    from pabal.cli.exits import InUse
    from pabal.engine import workers

    folder = shell.settings.postgres_dir
    cluster = embedded.find_running(folder)
    if cluster is None:
        shell.tell("down.none")
        return
    database = await Database.open(cluster.url(), size=1)
    try:
        async with database.transaction() as tx:
            alive = [server for server in await workers.list_workers(tx) if server.is_alive]
    finally:
        await database.close()
    if alive:
        raise InUse(", ".join(f"{server.host} pid {server.meta.get('pid')}" for server in alive))
    await embedded.stop(folder)
    shell.tell("down.stopped")
