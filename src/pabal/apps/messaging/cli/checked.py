"""How a check is shown: the next moments, the room's limits, what to know. Text for people, all of it for programs."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

import typer
from rich.cells import set_cell_size

from pabal.apps.messaging.actions.checking import Checked
from pabal.apps.messaging.cli import words
from pabal.apps.messaging.cli.words import reply_one
from pabal.apps.messaging.model.rooms import Budget, BudgetRow
from pabal.apps.messaging.model.schedules import When
from pabal.apps.messaging.model.upcoming import UpcomingSend
from pabal.platform.commands.printing import printable
from pabal.platform.commands.shell import Shell
from pabal.platform.language.moments import show_date, show_time, show_zone
from pabal.platform.language.pairs import Lang, Pair, put

SHOWN = 3
_WIDTH = 12
_DAYS = "월화수목금토일"


def show_checked(shell: Shell, checked: Checked, when: When, now: datetime) -> None:
    if shell.output != "table":
        row = checked_row(checked, shell.lang)
        shell.show(reply_one(shell, tuple(row), row))
        return
    shell.tell(words.CHECKED)
    for line in _lines(checked, when, shell.lang, now):
        write(line)
    shell.tell(words.SAVE_IT)


def tell_warnings(shell: Shell, checked: Checked) -> None:
    for one in checked.warnings:
        write(field(shell.lang, words.WARNING, put(shell.lang, one.text)), err=True)


def checked_row(checked: Checked, lang: Lang) -> dict[str, Any]:
    warnings = [{"code": one.code, "field": one.field, "text": put(lang, one.text)} for one in checked.warnings]
    return {
        "upcoming": upcoming_rows(checked.upcoming, lang),
        "warnings": warnings,
        "budget": None if checked.budget is None else asdict(checked.budget),
        "parts": [{"no": one.no, "component": one.component, "wait_ms": one.wait_ms} for one in checked.parts],
    }


def upcoming_rows(ahead: Sequence[UpcomingSend], lang: Lang) -> list[dict[str, Any]]:
    return [
        {
            "at": one.moment,
            "excluded": one.excluded,
            "deferred_until": one.deferred_until,
            "reasons": [put(lang, reason) for reason in one.reasons],
        }
        for one in ahead
    ]


def write(line: str, *, err: bool = False) -> None:
    """What others typed moves no cursor and changes no colour."""
    typer.echo(printable(line).replace("\n", " "), err=err)


def field(lang: Lang, label: Pair, text: str) -> str:
    return f"  {set_cell_size(put(lang, label), _WIDTH)}{text}"


def show_short(moment: datetime, zone: ZoneInfo, lang: Lang, now: datetime, *, with_zone: bool = True) -> str:
    """7/3(금) 09:00 KST, Fri 3 Jul 09:00 KST; the year when it is not this one."""
    local, this_year = moment.astimezone(zone), now.astimezone(zone).year
    date = show_date(local, lang, this_year=this_year)
    if lang == "ko":
        year = "" if local.year == this_year else f"{local.year}/"
        date = f"{year}{local.month}/{local.day}({_DAYS[local.weekday()]})"
    return f"{date} {show_time(local, seconds=bool(local.second))}{f' {show_zone(local)}' if with_zone else ''}"


def _lines(checked: Checked, when: When, lang: Lang, now: datetime) -> Iterator[str]:
    zone = ZoneInfo(when.zone)
    yield field(lang, words.NEXT_SENDS, _moments(checked.upcoming, zone, lang, now))
    if checked.budget is not None:
        yield field(lang, words.LIMIT, show_budget(checked.budget, zone, lang, now))
    for one in checked.warnings:
        yield field(lang, words.WARNING, put(lang, one.text))


def _moments(ahead: Sequence[UpcomingSend], zone: ZoneInfo, lang: Lang, now: datetime) -> str:
    if not ahead:
        return put(lang, words.NEVER)
    shown: list[str] = []
    for one in ahead[:SHOWN]:
        said = show_short(one.moment, zone, lang, now, with_zone=not shown)
        why = f" ({put(lang, one.reasons[0])})" if one.excluded and one.reasons else ""
        shown.append(said + why)
    return " · ".join(shown) + (" …" if len(ahead) > SHOWN else "")


def show_budget(budget: Budget, zone: ZoneInfo, lang: Lang, now: datetime) -> str:
    return ", ".join(_used(row, zone, lang, now) for row in budget.rows) or put(lang, words.NEVER)


def _used(row: BudgetRow, zone: ZoneInfo, lang: Lang, now: datetime) -> str:
    seconds = f"{row.span.total_seconds():g}"
    said = put(lang, words.USED[row.name], used=row.used, most=row.most, seconds=seconds)
    if row.next_allowed_at is not None:
        return f"{said} {put(lang, words.FREE_AT, at=show_short(row.next_allowed_at, zone, lang, now))}"
    return f"{said} {put(lang, words.MET)}" if row.name == "min_gap_seconds" else said
