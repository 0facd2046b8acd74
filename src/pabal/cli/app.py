"""The tree of commands and the options that every one of them has. A command's module is imported when it runs."""

from enum import StrEnum
from typing import Annotated, Any

import typer

from pabal.cli.lazy import Later, Tree, shell_of

EVERYWHERE = (
    "Everywhere: -o table|json|ndjson|csv|plain · --lang en|ko · --app FILE.py. Settings: PABAL_… or pabal.toml."
)


class Output(StrEnum):
    TABLE = "table"
    JSON = "json"
    NDJSON = "ndjson"
    CSV = "csv"
    PLAIN = "plain"


class Language(StrEnum):
    EN = "en"
    KO = "ko"


# Name, where it is, and what the list of commands says: a test holds it against the command itself.
COMMANDS = (
    Later("up", "cli.running:up", "Everything in one process: database, web, jobs, schedules."),
    Later("serve", "cli.running:serve", "A server with some of the roles, for example one of many."),
    Later("down", "cli.running:down", "Stop the private PostgreSQL, when no server uses it."),
    Later("status", "cli.state:status", "Servers, queues, and what is due next."),
    Later("top", "cli.top:top", "A live overview: servers, depths, what comes, what needs you."),
    Later("doctor", "cli.checkup:doctor", "Check everything Pabal needs, and say how to mend what is wrong."),
    Later("next", "cli.state:next_", "What will happen: occurrences of schedules, delayed jobs, timers."),
    Later("why", "cli.stories:why", "Why it ran, why it did not, and what happens next."),
    Later("tail", "cli.tail:tail", "The facts: what happened, and with -f what happens."),
    Later("jobs", "cli.jobs:app", "Jobs: what there is to do and what became of it."),
    Later("schedules", "cli.schedules:app", "Schedules: when what happens."),
    Later("machines", "cli.machines:app", "State machines."),
    Later("alert", "cli.alert:app", "Alerts: what is wrong now, and the rules that tell it."),
    Later("notice", "cli.notice:app", "Notices: what people were told."),
    Later("channel", "cli.channel:app", "Channels: where notices go besides the console."),
    Later("org", "cli.org:app", "The organisation: HQ, distributors, agencies, branches."),
    Later("user", "cli.user:app", "People: who may sign in, where, as what."),
    Later("token", "cli.token:app", "API tokens: what programs sign in with."),
    Later("audit", "cli.audit:app", "The audit: who changed what."),
    Later("config", "cli.config:app", "Settings that hold for all servers and change without a restart."),
    Later("backup", "cli.backup:app", "Backups: taken daily, proven by bringing one back."),
    Later("broker", "cli.broker:app", "The broker: facts that go out, events that come in."),
    Later("msg", "apps.messaging.cli:app", "Scheduled KakaoTalk messages: schedules, rooms, bots, sends."),
    Later("ad", "apps.adgroups.cli:app", "Ad groups: campaigns, events, delayed events, migration."),
    Later("db", "cli.database:app", "The database."),
    Later("demo", "cli.demo:app", "The demo: an organisation, people and what the apps add."),
    Later("clock", "cli.clock:app", "The clock of a demo."),
    Later("sim", "cli.sim:app", "Simulators: stand-ins for what is outside."),
)


class Root(Tree):
    def __init__(self, **attributes: Any) -> None:
        super().__init__(**attributes)
        for command in COMMANDS:
            self.add_command(command)


app = typer.Typer(
    name="pabal",
    cls=Root,
    help="A durable automation server: schedules, state machines and jobs on PostgreSQL.",
    epilog=EVERYWHERE,
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _version(wanted: bool) -> None:
    if wanted:
        import pabal

        typer.echo(pabal.__version__)
        raise typer.Exit


@app.callback()
def everywhere(
    ctx: typer.Context,
    output: Annotated[Output, typer.Option("-o", "--output", help="How results are written.")] = Output.TABLE,
    lang: Annotated[Language | None, typer.Option(help="Language of what is said to people.")] = None,
    # Eager, so that --help behind it lists the commands of the app.
    apps: Annotated[
        list[str] | None,
        typer.Option("--app", metavar="NAME", help="Load this too: module:SLICE or FILE.py:SLICE.", is_eager=True),
    ] = None,
    version: Annotated[
        bool, typer.Option("--version", help="Show the version.", callback=_version, is_eager=True)
    ] = False,
) -> None:
    shell_of(ctx)  # reads them from the context
