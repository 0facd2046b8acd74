"""The tree of commands and the options that every one of them has. A command's module is imported when it runs."""

import importlib
import pkgutil
from collections.abc import Sequence
from enum import StrEnum
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from pabal import apps
from pabal.base.errors import PabalError
from pabal.cli.shell import Shell
from pabal.platform.commands.tree import Later, build
from pabal.platform.commands.values import read_plainly
from pabal.platform.loading import AppNotFound, import_module

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


def list_apps() -> list[Later]:
    """Of the apps that come with Pabal, in the order of their packages; what an app has beside its own word follows."""
    found: list[Later] = []
    for package in [one.name for one in pkgutil.iter_modules(apps.__path__, f"{apps.__name__}.")]:
        app = find_app(package)
        if app is not None:
            found.append(Later(str(app.info.name), f"{package}.cli:app", str(app.info.help)))
            found += getattr(import_module(f"{package}.cli"), "BESIDE", ())
    return found


def find_app(package: str) -> typer.Typer | None:
    """`app` of its module `cli`. None: it has none, so that only its SLICE can say whether it has commands."""
    try:
        found: typer.Typer | None = getattr(import_module(f"{package}.cli"), "app", None)
    except AppNotFound:
        return None
    return found


class Tree(TyperGroup):
    """With the commands of each app that is named to us, under the app's name. A name of ours comes first."""

    def list_commands(self, ctx: Any) -> list[str]:
        return [*self.commands, *(name for name in self._apps(ctx, is_looking=True) if name not in self.commands)]

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        if cmd_name in self.commands:
            return self.commands[cmd_name]
        app = find_app(f"{apps.__name__}.{cmd_name}") if cmd_name.isidentifier() else None
        app = app or self._apps(ctx, is_looking=ctx.resilient_parsing).get(cmd_name)
        return None if app is None else build(cmd_name, app)

    def _apps(self, ctx: Any, *, is_looking: bool) -> dict[str, typer.Typer]:
        """A broken app is named to whoever runs its command; it must not hide the help."""
        shell = shell_of(ctx)
        try:
            return _find_apps(shell)
        except PabalError as error:
            if is_looking:
                return {}
            shell.fail(error)


def _find_apps(shell: Shell) -> dict[str, typer.Typer]:
    """A package's commands are in its `cli`; a file, or a package without one, must be loaded to learn of them."""
    found, has_more = {}, False
    for name in shell.named_apps:
        source = name.rpartition(":")[0] or name
        app = None if source.endswith(".py") else find_app(source)
        if app is None:
            has_more = True
        else:
            found[source.rpartition(".")[2]] = app
    if has_more:
        found |= {one.name: importlib.import_module(one.commands).app for one in shell.loaded if one.commands}
    return found


def shell_of(ctx: Any) -> Shell:
    """The one of this command line: asked for before the callback when an app must be loaded to find its commands."""
    if ctx.obj is None:
        given = ctx.params
        lang = given.get("lang")
        ctx.obj = Shell(
            str(given.get("output") or "table"), None if lang is None else str(lang), tuple(given.get("apps") or ())
        )
    shell: Shell = ctx.obj
    return shell


# Name, where it is, and what the list of commands says: a test holds it against the command itself.
COMMANDS = (
    Later("up", "pabal.cli.running:up", "Everything in one process: database, web, jobs, schedules."),
    Later("serve", "pabal.cli.running:serve", "A server with some of the roles, for example one of many."),
    Later("down", "pabal.cli.running:down", "Stop the private PostgreSQL, when no server uses it."),
    Later("status", "pabal.cli.state:status", "Servers, queues, and what is due next."),
    Later("top", "pabal.cli.state:top", "A live overview: servers, depths, what comes, what needs you."),
    Later("doctor", "pabal.cli.state:doctor", "Check everything Pabal needs, and say how to mend what is wrong."),
    Later("next", "pabal.cli.state:next_", "What will happen: occurrences of schedules, delayed jobs, timers."),
    Later("why", "pabal.cli.state:why", "Why it ran, why it did not, and what happens next."),
    Later("tail", "pabal.cli.tail:tail", "The facts: what happened, and with -f what happens."),
    Later("jobs", "pabal.cli.jobs:app", "Jobs: what there is to do and what became of it."),
    Later("lanes", "pabal.cli.lanes:app", "Shared lanes: at most so many at once."),
    Later("schedules", "pabal.cli.schedules:app", "Schedules: when what happens."),
    Later("machines", "pabal.cli.machines:app", "State machines."),
    Later("inbox", "pabal.cli.inbox:inbox", "What waits for a person's yes or no, in any app."),
    Later("approve", "pabal.cli.inbox:approve", "Say yes to what waits in the inbox."),
    Later("reject", "pabal.cli.inbox:reject", "Say no to what waits in the inbox, and why."),
    Later("bulk", "pabal.cli.bulk:app", "Bulks: what was done to many at once, row by row."),
    Later("alert", "pabal.cli.alert:app", "Alerts: what is wrong now, and the rules that tell it."),
    Later("notice", "pabal.cli.notice:app", "Notices: what people were told."),
    Later("channel", "pabal.cli.channel:app", "Channels: where notices go besides the console."),
    Later("org", "pabal.cli.org:app", "The organisation: HQ, distributors, agencies, branches."),
    Later("user", "pabal.cli.user:app", "People: who may sign in, where, as what."),
    Later("token", "pabal.cli.token:app", "API tokens: what programs sign in with."),
    Later("audit", "pabal.cli.audit:app", "The audit: who changed what."),
    Later("config", "pabal.cli.config:app", "Settings that hold for all servers and change without a restart."),
    Later("backup", "pabal.cli.backup:app", "Backups: taken daily, proven by bringing one back."),
    Later("storage", "pabal.cli.storage:app", "Files: which store they are in, and moving them to another."),
    Later("flow", "pabal.cli.flow:app", "Workflows: chains of steps that survive anything, and their runs."),
    Later("event", "pabal.cli.event:app", "Events: publish, follow, replay; who takes them and what failed."),
    Later("broker", "pabal.cli.broker:app", "The broker: facts that go out, events that come in."),
    *list_apps(),
    Later("db", "pabal.cli.database:app", "The database."),
    Later("demo", "pabal.cli.demo:app", "The demo: an organisation, people and what the apps add."),
    Later("clock", "pabal.cli.demo:clock", "The clock of a demo."),
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


HOISTED = ("-o", "--output", "--lang", "--app")


def hoist(arguments: Sequence[str]) -> list[str]:
    """Lets the options of the whole command line stand anywhere: `pabal jobs list -o json` is
    `pabal -o json jobs list`. What follows `--` stays where it is."""
    first: list[str] = []
    rest: list[str] = []
    # an argument in another encoding than this system's comes with signs that no database takes
    left = [word.encode("utf-8", "surrogateescape").decode("utf-8", "replace") for word in arguments]
    while left:
        word = left.pop(0)
        if word == "--":
            return [*first, *rest, word, *left]
        if word in HOISTED and left:
            first += [word, left.pop(0)]
        elif word in HOISTED or word.startswith(tuple(f"{name}=" for name in HOISTED if name.startswith("--"))):
            first.append(word)
        else:
            rest.append(word)
    return [*first, *rest]
