"""`pabal why`: the story of a job, an occurrence or a schedule."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from pabal.cli.shell import Shell

if TYPE_CHECKING:
    from pabal.base.database import Tx
    from pabal.engine.why import Line, Story


def add_to(app: typer.Typer) -> None:
    app.command()(why)


def why(
    ctx: typer.Context,
    subject: Annotated[str, typer.Argument(metavar="ID", help="job_…, sch_12, or occ_12@2026-07-03T00:00:00Z.")],
) -> None:
    """Why it ran, why it did not, and what happens next."""
    shell: Shell = ctx.obj
    shell.run(_why(shell, subject))


async def _why(shell: Shell, subject: str) -> None:
    from dataclasses import asdict

    from pabal.cli.output import Answer

    async with shell.transaction() as tx:
        story = await _tell(tx, subject)
    if shell.output == "table":
        _print(shell, story)
        return
    row = asdict(story)
    row["lines"] = [{**asdict(line), "text": _text(shell, line)} for line in story.lines]
    row["next"] = [_advice(shell, story, code) for code in story.advice]
    if shell.output == "json":
        shell.show(Answer(tuple(row), [row], single=True))
    else:
        shell.show(Answer(("at", "code", "text"), row["lines"]))


async def _tell(tx: "Tx", subject: str) -> "Story":
    from pabal.engine import listing, why

    if subject.startswith("sch_"):
        return await why.tell_schedule(tx, why.read_schedule(subject))
    if subject.startswith("occ_"):
        return await why.tell_occurrence(tx, *why.read_occurrence(subject))
    if not subject.startswith("job_"):
        raise why.BadSubject(subject)
    return await why.tell_job(tx, await listing.resolve_job(tx, subject))


def _print(shell: Shell, story: "Story") -> None:
    from rich.text import Text

    from pabal.cli.output import console, show_moment, state_text

    screen = console()
    screen.print(Text(f"{story.id}  {story.title}  ") + state_text(story.state, shell.lang))
    for line in story.lines:
        when = shell.say("why.now") if line.at is None else show_moment(line.at)
        screen.print(Text(f"  {when:<25}{_text(shell, line)}"))
    for code in story.advice:
        screen.print(Text(f"{shell.say('next')} {_advice(shell, story, code)}"))


def _text(shell: Shell, line: "Line") -> str:
    from pabal.cli.words import find

    values = {name: _value(value) for name, value in line.values.items()}
    if find(shell.lang, f"why.{line.code}") is None:
        return f"{line.code} {values}"
    return shell.say(f"why.{line.code}", **values)


def _value(value: Any) -> str:
    from datetime import datetime

    from pabal.cli.output import show_moment

    if isinstance(value, datetime):
        return show_moment(value)
    return "–" if value is None else str(value)


def _advice(shell: Shell, story: "Story", code: str) -> str:
    return shell.say(f"advice.{code}", id=story.id, title=story.title)
