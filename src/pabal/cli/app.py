"""The tree of commands and the options that every one of them has."""

from enum import StrEnum
from typing import Annotated

import typer

from pabal.cli import checkup, clock, database, jobs, machines, running, schedules, state, stories
from pabal.cli.shell import Shell

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


app = typer.Typer(
    name="pabal",
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
    apps: Annotated[
        list[str] | None,
        typer.Option("--app", metavar="NAME", help="Load this too: module:SLICE or path/to/file.py:SLICE."),
    ] = None,
    version: Annotated[
        bool, typer.Option("--version", help="Show the version.", callback=_version, is_eager=True)
    ] = False,
) -> None:
    ctx.obj = Shell(output.value, None if lang is None else lang.value, tuple(apps or ()))


running.add_to(app)
state.add_to(app)
checkup.add_to(app)
stories.add_to(app)
app.add_typer(jobs.app, name="jobs")
app.add_typer(schedules.app, name="schedules")
app.add_typer(machines.app, name="machines")
app.add_typer(database.app, name="db")
app.add_typer(clock.app, name="clock")
