"""The tree of commands and the options that every one of them has. A command's module is imported when it runs."""

from enum import StrEnum
from typing import Annotated, Any

import typer

from pabal.cli.lazy import Tree, list_apps, shell_of
from pabal.platform.commands.tree import Later
from pabal.platform.commands.values import read_plainly

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
    Later("up", "pabal.cli.running:up", "Everything in one process: database, web, jobs, schedules."),
    Later("serve", "pabal.cli.running:serve", "A server with some of the roles, for example one of many."),
    Later("down", "pabal.cli.running:down", "Stop the private PostgreSQL, when no server uses it."),
    Later("status", "pabal.cli.state:status", "Servers, queues, and what is due next."),
    Later("top", "pabal.cli.top:top", "A live overview: servers, depths, what comes, what needs you."),
    Later("doctor", "pabal.cli.checkup:doctor", "Check everything Pabal needs, and say how to mend what is wrong."),
    Later("next", "pabal.cli.state:next_", "What will happen: occurrences of schedules, delayed jobs, timers."),
    Later("why", "pabal.cli.stories:why", "Why it ran, why it did not, and what happens next."),
    Later("tail", "pabal.cli.tail:tail", "The facts: what happened, and with -f what happens."),
    Later("jobs", "pabal.cli.jobs:app", "Jobs: what there is to do and what became of it."),
    Later("schedules", "pabal.cli.schedules:app", "Schedules: when what happens."),
    Later("machines", "pabal.cli.machines:app", "State machines."),
    Later("alert", "pabal.cli.alert:app", "Alerts: what is wrong now, and the rules that tell it."),
    Later("notice", "pabal.cli.notice:app", "Notices: what people were told."),
    Later("channel", "pabal.cli.channel:app", "Channels: where notices go besides the console."),
    Later("org", "pabal.cli.org:app", "The organisation: HQ, distributors, agencies, branches."),
    Later("user", "pabal.cli.user:app", "People: who may sign in, where, as what."),
    Later("token", "pabal.cli.token:app", "API tokens: what programs sign in with."),
    Later("audit", "pabal.cli.audit:app", "The audit: who changed what."),
    Later("config", "pabal.cli.config:app", "Settings that hold for all servers and change without a restart."),
    Later("backup", "pabal.cli.backup:app", "Backups: taken daily, proven by bringing one back."),
    Later("broker", "pabal.cli.broker:app", "The broker: facts that go out, events that come in."),
    *list_apps(),
    Later("db", "pabal.cli.database:app", "The database."),
    Later("demo", "pabal.cli.demo:app", "The demo: an organisation, people and what the apps add."),
    Later("clock", "pabal.cli.clock:app", "The clock of a demo."),
    Later("sim", "pabal.cli.sim:app", "Simulators: stand-ins for what is outside."),
)


class Root(Tree):
    def __init__(self, **attributes: Any) -> None:
        super().__init__(**attributes)
        for command in COMMANDS:
            self.add_command(command)


read_plainly()
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
