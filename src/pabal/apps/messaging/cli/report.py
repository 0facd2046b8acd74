"""`pabal msg report`: how well and how late it was sent; `pabal msg archive`: finished months of deliveries."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from datetime import timedelta
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any
from zoneinfo import ZoneInfo

import typer

from pabal.apps.messaging.cli import words
from pabal.apps.messaging.cli.words import reply, reply_one
from pabal.apps.messaging.model.reasons import name_reason
from pabal.apps.messaging.resources.statistics import CopiedArchiveView, MessageArchiveView, archive_of
from pabal.platform.commands.lazily import lazily
from pabal.platform.commands.options import OrgOption, see, unit_names
from pabal.platform.commands.resources import show_views
from pabal.platform.commands.shell import Shell
from pabal.platform.language.pairs import Lang, put

if TYPE_CHECKING:
    from pabal.apps.messaging.actions.reports import Row, Summary, Usage
    from pabal.apps.messaging.store.statistics import Period

with lazily():
    from pabal.apps.messaging.actions import reports
    from pabal.apps.messaging.store import statistics
    from pabal.platform import storage
    from pabal.platform.commands import files

app = typer.Typer(help="Archives: finished months of deliveries.", no_args_is_help=True)
ARCHIVE_COLUMNS = ("month", "deliveries", "size", "made_at", "file")
FIELDS = (
    *("since", "until", "processed", "sent", "success_rate", "average_ms", "delay_p50_ms", "delay_p95_ms"),
    *("delay_p99_ms", "per_hour", "unsent", "duplicates_prevented"),
)
COLUMNS = ("name", "processed", "sent", "success_rate", "average_ms", "delay_ms")
REASON_COLUMNS = ("state", "why", "deliveries")


class By(StrEnum):
    UNIT = "unit"
    ROOM = "room"
    KIND = "kind"
    TEMPLATE = "template"
    REASON = "reason"


def report(
    ctx: typer.Context,
    days: Annotated[int, typer.Option(min=1, max=366, help="How many days, up to now.")] = 7,
    by: Annotated[By | None, typer.Option(help="A line for each of these instead; reason: what was not sent.")] = None,
    org: OrgOption = None,
) -> None:
    """How it went: success rate, delay, what is due and not sent. Tests are not counted."""
    shell: Shell = ctx.obj

    async def work() -> None:
        async with shell.transaction() as tx:
            scope, period = await see(tx, shell, org), statistics.Period(tx.now - timedelta(days=days), tx.now)
            if by is None:
                summary = await reports.read_summary(tx, scope, period, ZoneInfo("Asia/Seoul"))
                counters = await reports.seed_metrics(tx, scope)
            else:
                usage, names = await reports.read_usage(tx, scope, period), await unit_names(tx)
        if by is None:
            row = {**_summary_row(summary, period), "counters": counters}
            shell.show(reply_one(shell, FIELDS, row))
        elif by is By.REASON:
            shell.show(reply(REASON_COLUMNS, _reasons(usage, shell.lang), empty=words.NOTHING, family="delivery"))
        else:
            rows = [_row(one, _name(one, by, usage, names)) for one in _rows(usage, by)]
            shell.show(reply(COLUMNS, rows, empty=words.NOTHING))

    shell.run(work())


def _summary_row(summary: Summary, period: Period) -> dict[str, Any]:
    totals, delays = summary.totals, summary.delays
    return {
        "since": period.since,
        "until": period.until,
        "processed": totals.processed,
        "sent": totals.sent,
        "success_rate": round(totals.rate, 1),
        "average_ms": round(totals.average_ms),
        "delay_p50_ms": round(delays.p50_ms),
        "delay_p95_ms": round(delays.p95_ms),
        "delay_p99_ms": round(delays.p99_ms),
        "per_hour": round(summary.per_hour, 1),
        "unsent": summary.unsent.deliveries,
        "duplicates_prevented": summary.prevented,
        "by_state": totals.by_state,
        "limits_reached": [asdict(one) for one in summary.limits],
    }


def _rows(usage: Usage, by: By) -> list[Row]:
    return {By.UNIT: usage.units, By.ROOM: usage.rooms, By.KIND: usage.kinds, By.TEMPLATE: usage.templates}[by]


def _name(row: Row, by: By, usage: Usage, names: Mapping[int | None, str]) -> str | None:
    match by:
        case By.UNIT:
            return names.get(row.key)
        case By.ROOM:
            return usage.names.rooms.get(row.key)
        case By.TEMPLATE:
            return usage.names.templates.get(row.key)
    return ", ".join(row.key)


def _row(row: Row, name: str | None) -> dict[str, Any]:
    totals = row.totals
    return {
        "name": name,
        "key": row.key,
        "processed": totals.processed,
        "sent": totals.sent,
        "success_rate": round(totals.rate, 1),
        "average_ms": round(totals.average_ms),
        "delay_ms": round(row.delay_ms),
        "by_state": totals.by_state,
    }


def _reasons(usage: Usage, lang: Lang) -> list[dict[str, Any]]:
    return [
        {"state": state, "reason": reason, "why": put(lang, name_reason(reason)), "deliveries": count}
        for (state, reason), count in usage.reasons
    ]


@app.command("list")
def list_(ctx: typer.Context) -> None:
    """The months that were put away, the newest first."""
    shell: Shell = ctx.obj

    async def work() -> None:
        async with shell.transaction() as tx:
            views = [MessageArchiveView(**archive_of(one)) for one in await reports.list_months(tx, shell.actor)]
        shell.show(show_views(shell, MessageArchiveView, views, ARCHIVE_COLUMNS, empty=words.NO_ARCHIVES))

    shell.run(work())


@app.command()
def get(
    ctx: typer.Context,
    month: Annotated[str, typer.Argument(metavar="MONTH", help="Like 2026-10.")],
    to: Annotated[
        Path | None, typer.Option(metavar="FILE", help="A new file; without it deliveries-MONTH.jsonl.gz, here.")
    ] = None,
) -> None:
    """Copy the deliveries of a month into a file: gzipped JSON lines, one a delivery."""
    shell: Shell = ctx.obj

    async def work() -> None:
        async with shell.transaction() as tx:
            found = await reports.get_month(tx, shell.actor, month)
        target = to or Path(found.file.name)
        content = await storage.read(files.open_files(shell), found.file)
        await files.write_new(target, content.chunks)
        view = CopiedArchiveView(**archive_of(found), to=str(target))
        shell.show(show_views(shell, CopiedArchiveView, [view], (*ARCHIVE_COLUMNS, "to"), single=True))

    shell.run(work())
