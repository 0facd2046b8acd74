"""`pabal why`: the story of a job, an occurrence or a schedule."""

from typing import TYPE_CHECKING, Annotated

import typer

from pabal.cli.shell import Shell

if TYPE_CHECKING:
    from pabal.engine.why import Line, Story


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
    from pabal.cli.shell import administrator
    from pabal.platform import operating
    from pabal.platform.tenants import visible_to

    async with shell.transaction() as tx:
        actor = administrator()
        story = await operating.why(tx, actor, await visible_to(tx, actor), subject, owners=shell.owners)
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


def _print(shell: Shell, story: "Story") -> None:
    from rich.text import Text

    from pabal.cli.output import console, show_moment, state_text

    screen = console()
    screen.print(Text(f"{story.id}  {story.title}  ") + state_text(story.state, shell.lang))
    for line in story.lines:
        when = shell.say("now") if line.at is None else show_moment(line.at)
        screen.print(Text(f"  {when:<25}{_text(shell, line)}"))
    for code in story.advice:
        screen.print(Text(f"{shell.say('next')} {_advice(shell, story, code)}"))


def _text(shell: Shell, line: "Line") -> str:
    from pabal.cli.output import show_moment
    from pabal.platform.language.stories import tell

    return tell(line, shell.lang, show_moment)


def _advice(shell: Shell, story: "Story", code: str) -> str:
    return shell.say(f"advice.{code}", id=story.id, title=story.title)
