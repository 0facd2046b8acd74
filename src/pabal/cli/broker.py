"""`pabal broker`: whether the broker answers, and what became of the events that came in."""

from enum import StrEnum
from typing import Annotated, Any

import typer

from pabal.cli.options import Cursor, Limit, tell_more
from pabal.cli.shell import Shell, administrator

app = typer.Typer(help="The broker: facts that go out, events that come in.", no_args_is_help=True)
LINE_COLUMNS = ("server", "side", "seen_at", "failed_since", "error")
STATUS_COLUMNS = ("is_set", "is_connected", "lag_seconds", "pending")
EVENT_COLUMNS = ("at", "id", "name", "subject", "result", "code", "tries", "duplicates", "reason")


class ResultName(StrEnum):
    APPLIED = "applied"
    REFUSED = "refused"
    FAILED = "failed"
    RETRYING = "retrying"
    DUPLICATE = "duplicate"


@app.callback()
def brokered() -> None:
    """The broker: facts that go out, events that come in."""


@app.command()
def status(ctx: typer.Context) -> None:
    """Whether it answers, how far facts are behind, and how many events are in hand."""
    shell: Shell = ctx.obj
    shell.run(_status(shell))


@app.command("events")
def events(
    ctx: typer.Context,
    result: Annotated[ResultName | None, typer.Option(help="Only those; duplicate: those that came again.")] = None,
    subject: Annotated[str | None, typer.Option(help="Only about this, as the sender wrote it.")] = None,
    limit: Limit = 50,
    cursor: Cursor = None,
) -> None:
    """What came in and what became of it, newest first."""
    shell: Shell = ctx.obj

    async def work() -> None:
        from dataclasses import asdict

        from pabal.cli.output import Answer
        from pabal.platform import broker
        from pabal.platform.broker import words

        async with shell.transaction() as tx:
            wanted = None if result is None else result.value
            page = await broker.list_events(
                tx, administrator(), result=wanted, subject=subject, cursor=cursor, limit=limit
            )
        rows = [asdict(one) for one in page.items]
        shell.show(
            Answer(
                EVENT_COLUMNS,
                rows,
                extra={"next_cursor": page.cursor},
                empty=words.NO_EVENTS,
                family=words.FAMILY,
                status=words.STATUS,
                words=words.COLUMNS,
            )
        )
        tell_more(shell, page.cursor)

    shell.run(work())


async def _status(shell: Shell) -> None:
    from dataclasses import asdict

    from pabal.cli.output import Answer
    from pabal.platform import broker
    from pabal.platform.broker import words

    async with shell.transaction() as tx:
        found = await broker.describe(tx, administrator())
    lines = [asdict(line) for line in found.lines]
    report: dict[str, Any] = {
        "is_set": bool(shell.settings.broker_url),
        "is_connected": found.is_connected,
        "lag_seconds": found.lag,
        "pending": found.pending,
        "lines": lines,
    }
    shell.show(Answer(STATUS_COLUMNS, [report], single=True, words=words.COLUMNS))
    if shell.output == "table":
        shell.show(Answer(LINE_COLUMNS, lines, words=words.COLUMNS, empty=words.NO_LINES))
